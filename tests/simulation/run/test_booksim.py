"""The comparison with BookSim 2 that ``benchmarks/booksim.py`` prints, at the points that take least time."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.booksim import (
    OPTIONS,
    PANELS,
    POINTS,
    Compared,
    compare,
    draw,
    draw_options,
    empty,
    summary,
    table,
)

from unknot.network.families import torus as torus_of
from unknot.routing import dimension_order
from unknot.simulation import simulate


@pytest.fixture(scope="module")
def torus() -> list[Compared]:
    return compare(("torus8_dimorder_uniform_ps1",), seeds=(1,), cycles=5_000)


@pytest.mark.long
def test_latency_on_the_torus(torus: list[Compared]) -> None:
    """BookSim accepts 0.507 at most there."""
    for point in torus:
        if point.load <= 0.5:
            assert abs(point.difference) < (0.02 if point.load <= 0.85 * 0.507 else 0.05)


@pytest.mark.long
def test_throughput_and_stability_on_the_torus(torus: list[Compared]) -> None:
    assert [p.load for p in torus if not p.stable] == [0.55, 0.6, 0.65]
    for point in torus:
        assert point.ours_accepted == pytest.approx(point.accepted, rel=0.03)


@pytest.mark.sampled(0.2)
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


OPTION_BY_OPTION = [
    "mesh8_lookahead",
    "mesh8_credit2",
    "mesh8_speculative",
    "mesh8_speculative_sif",
    "mesh8_islip2",
    "mesh8_ps4_hold",
    "mesh8_bursts10",
    "mesh8_depth2",
    "mesh8_transpose",
    "mesh8_traversal2_mended",
    "mesh8_sif_age",
]
"""Designs for `make campaign`: the naive twin has every one of their options in each run of `make test`."""


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize(
    "name",
    [
        "mesh8_lookahead_speculative",
        "mesh8_ps1_5",
        "fattree4x3",
        *(pytest.param(name, marks=pytest.mark.campaign) for name in OPTION_BY_OPTION),
    ],
)
def test_options(name: str) -> None:
    """Almost empty: within 0.2 cycles of BookSim, both less the formula for their own hops. One seed of ours."""
    low, *others = compare((name,), seeds=(1,), cycles=5_000)
    assert abs(low.residual - low.their_residual) < 0.2
    assert [round(p.part, 2) for p in others] == pytest.approx([0.5, 0.8, 0.95], abs=0.01)
    for point in others:
        noise = point.spread / 2
        assert abs(point.difference) < noise + (0.02 if point.part < 0.85 else 0.05)
        assert point.ours_accepted == pytest.approx(point.accepted, rel=0.03)
    assert all(p.stable for p in (low, *others[:2]))


def test_the_formula_knows_the_options() -> None:
    """Six routers and five channels: look-ahead and speculation save a cycle each at every router."""
    points = {p["name"]: p for p in json.loads(OPTIONS.read_text(encoding="utf-8"))}
    latency = {name: empty(point, 6) for name, point in points.items()}
    assert latency["mesh8_sif"] == 24 + 5 + 3
    assert latency["mesh8_lookahead"] == latency["mesh8_speculative"] == 18 + 5 + 3
    assert latency["mesh8_lookahead_speculative_ps4"] == 12 + 5 + 3 + 3
    assert latency["mesh8_vc_alloc2"] == latency["mesh8_traversal2"] == 30 + 5 + 3
    assert latency["mesh8_sw_alloc2_ps4"] == 30 + 5 + 3 + 2 * 3
    assert latency["torus8"] == 24 + 10 + 3
    assert latency["mesh8_ps1_5_3to1"] == 24 + 5 + 3 + 1


@pytest.mark.long
def test_tornado_chokes_a_torus_as_in_booksim() -> None:
    # 8 × 8, DOR, single flits, buffers of 8, 1,000 cycles of warm-up and of measuring; accepted by BookSim 2.
    measured = {(2, 0.1): 0.0808, (2, 0.3): 0.0352, (4, 0.3): 0.0771}
    for (vcs, load), accepted in measured.items():
        relation = dimension_order(torus_of(8, 8), vcs, dateline="entry")
        run = simulate(relation, load, traffic="tornado", switching="wormhole-nonatomic", warmup=3000, measure=6000)
        assert run.accepted_load == pytest.approx(accepted, rel=0.06)
        assert not run.stable


@pytest.mark.long
def test_tables_and_pictures(torus: list[Compared], tmp_path: Path) -> None:
    assert table(torus).count("\n") == len(torus) + 1
    assert summary(torus).count("\n") == 2
    for paint in (draw, draw_options):
        paint(torus, tmp_path / f"{paint.__name__}.png")
        assert (tmp_path / f"{paint.__name__}.png").stat().st_size > 10_000


def test_points_are_complete() -> None:
    points = json.loads(POINTS.read_text(encoding="utf-8"))
    assert len(points) == 51
    assert Counter(point["k"] for point in points) == {8: 47, 16: 3, 32: 1}
    options = json.loads(OPTIONS.read_text(encoding="utf-8"))
    designs = Counter(point["name"] for point in options)
    assert len(designs) == 37
    assert set(designs.values()) == {12}
    shown = {name for names in PANELS.values() for name in names}
    assert shown <= designs.keys() | {point["name"] for point in points}
