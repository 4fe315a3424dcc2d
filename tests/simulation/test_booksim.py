"""The comparison with BookSim 2 that ``benchmarks/booksim.py`` prints, at the points that take least time."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.booksim import POINTS, Compared, compare, draw, table


@pytest.fixture(scope="module")
def torus() -> list[Compared]:
    return compare(("torus8_dimorder_uniform_ps1",), seeds=(1,))


def test_latency_on_the_torus(torus: list[Compared]) -> None:
    """BookSim accepts 0.507 at most there."""
    for point in torus:
        if point.load <= 0.5:
            assert abs(point.difference) < (0.02 if point.load <= 0.85 * 0.507 else 0.05)


def test_throughput_and_stability_on_the_torus(torus: list[Compared]) -> None:
    assert [p.load for p in torus if not p.stable] == [0.55, 0.6, 0.65]
    for point in torus:
        assert point.ours_accepted == pytest.approx(point.accepted, rel=0.03)


@pytest.mark.parametrize(
    "name",
    [
        "mesh8_dor_uniform_ps5",
        "mesh8_dor_transpose_ps1",
        "mesh8_dor_bitcomp_ps1",
        "mesh8_dor_tornado_ps1",
        "mesh8_xy_yx_uniform_ps1",
        "torus8_dimorder_tornado_ps1",
        "torus8_dimorder_uniform_ps1_link1",
        "torus8_min_adapt_uniform_ps1",
    ],
)
def test_almost_empty_networks(name: str) -> None:
    (point,) = compare((name,), seeds=(1,))
    assert point.load == 0.005
    assert abs(point.residual) < 0.2
    assert abs(point.difference) < 0.02


def test_the_table_and_the_picture(torus: list[Compared], tmp_path: Path) -> None:
    assert table(torus).count("\n") == len(torus) + 1
    draw(torus, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 10_000


def test_points_are_complete() -> None:
    points = json.loads(POINTS.read_text(encoding="utf-8"))
    assert len(points) == 51
    assert Counter(point["k"] for point in points) == {8: 47, 16: 3, 32: 1}
