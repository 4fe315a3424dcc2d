"""The picture of designs by cost and load."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from unknot.cli.program import app
from unknot.report.pareto import draw_pareto, unbeaten

POINTS = st.lists(st.tuples(st.integers(1, 6), st.integers(0, 5), st.sampled_from([0.0, 0.1])), max_size=9)


def rows_of(points: list[tuple[int, int, float]]) -> Any:
    return [
        SimpleNamespace(design=f"d{k}", cost_per_host=cost, adversarial=load, failed=failed, holds=k % 3 != 0)
        for k, (cost, load, failed) in enumerate(points)
    ]


@given(POINTS)
def test_no_design_beats_one_on_the_line(points: list[tuple[int, int, float]]) -> None:
    """Against all pairs; of equals one is on the line."""
    kept = unbeaten(rows_of(points))
    for k in range(len(points)):
        cost, load, failed = points[k]
        better = [
            p for p in points if p[2] == failed and p[0] <= cost and p[1] >= load and (p[0] < cost or p[1] > load)
        ]
        equals = [j for j in kept if points[j] == points[k]]
        assert len(equals) == (not better)
    for one, other in product(kept, kept):
        assert one == other or points[one] != points[other]


def test_the_picture_names_each_design_once() -> None:
    text = draw_pareto(rows_of([(1, 1, 0.0), (1, 1, 0.1), (2, 3, 0.0), (2, 2, 0.1)])).text
    assert "Dollars per host" in text or "<title" in text or "<svg" in text
    assert draw_pareto(rows_of([])).text.startswith("<svg")


def test_the_command_draws_it(tmp_path: Path) -> None:
    picture = tmp_path / "pareto.png"
    made = CliRunner().invoke(app, ["compare", "ring(4)", "complete(4)", "--failed", "0, 0.1", "--out", str(picture)])
    assert made.exit_code == 0, made.stderr
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert "assumptions, of the order of 10 Gb/s Ethernet, about 2011" in made.stdout
    assert "cost per host" in " ".join(made.stdout.split()) or "cost" in made.stdout
