"""Words on the terminal that JSON leaves to its reader: why there is no interval, what a loop goes around."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.commands.console import print_table
from unknot.cli.commands.display import number
from unknot.cli.program import app

FABRICS = Path(__file__).parents[2] / "examples" / "fabrics"
RUN = ("simulate", "mesh(3, 3)", "--routing", "dimension_order", "--measure", "500")
STUCK = ("simulate", "ring(6)", "--routing", "shortest_paths", "--vcs", "1", "--packet-length", "8", "--load", "0.9")
SHOWN: dict[tuple[str, ...], list[str]] = {
    (*RUN, "--load", "0.2"): ["busiest channel (", "± ", "VCs 4 (chosen; --vcs gives another number)"],
    (*RUN[:3], "dimension_order(vcs=4)", "--load", "0.2", "--measure", "500"): ["VCs 4 switching"],
    (*RUN[:3], "ospf", "--load", "0.2", "--measure", "500"): ["VCs 1 switching"],
    (*RUN, "--load", "0.2", "--router", "routing_delay=0"): ["router routing_delay 0"],
    (*RUN, "--load", "0.2", "--seeds", "2"): ["intervals too few seeds: 3 are needed", "stable runs 2 of 2"],
    (*RUN, "--load", "0.2", "--seeds", "3", "--warmup", "500"): ["stable runs 3 of 3", "switching vct", "± "],
    (*STUCK, "--seeds", "2"): ["stable NO", "stable runs 0 of 2", "deadlock of 6 messages"],
    ("check", "ring(4)", "--routing", "shortest_paths"): ["deadlock-free NO", "longest pair t2 to t0"],
    ("check", "mesh(4, 4)", "--routing", "lcfaa"): ["in all; channels have different numbers"],
    ("check", "mesh(2)", "--routing", "west_first", "--all-sizes"): [
        "a ranking by",
        "the separate checker accepts it",
    ],
    ("check", "mesh(2)", "--routing", "fully_adaptive", "--all-sizes"): [
        "established 4 messages that can never move"
    ],
    ("design", "routing", "mesh(2)", "--switching", "vct"): [
        "counts x+ 1, x- 1, y+ 1, y- 2",
        "on every mesh: a ranking by",
    ],
    ("line-rate", "ring(4)", "--draws", "20"): ["planes 1 rails 1 rate"],
    ("lanes", "ring(5)", "--time-limit", "600"): ["1 impossible: for each of these channels", "(3)→(4) → (4)→(0)"],
    ("lanes", "ring(6)", "--lanes", "1", "--time-limit", "600"): ["minimal NO", "longest pair"],
    ("analyse", "mesh(4, 4)", "--routing", "odd_even"): ["(1,1)→(1,0) is not offered", "worst pair t15 to t0"],
    ("audit", "opensm-torus8x8-dor"): ["loop S0_0 → S0_7 →", "→ S0_1 → S0_0"],
}


@pytest.mark.parametrize(("words", "shown"), SHOWN.items(), ids=" ".join)
def test_what_the_terminal_says_beside_the_figures(
    words: tuple[str, ...], shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FABRICS)
    printed = " ".join(CliRunner().invoke(app, list(words)).stdout.split())
    assert all(text in printed for text in shown), printed


def test_enough_seeds_need_no_excuse() -> None:
    printed = CliRunner().invoke(app, [*RUN, "--load", "0.2", "--seeds", "3"]).stdout
    assert "too few" not in printed
    assert printed.count("±") > 3


def test_a_verdict_of_a_fabric_comes_first() -> None:
    lines = CliRunner().invoke(app, ["audit", str(FABRICS / "opensm-torus8x8-dor")]).stdout.splitlines()
    assert lines[2].split() == ["deadlock-free", "NO"]


@pytest.mark.parametrize(
    ("width", "first"), [(120, "kind cost unit"), (80, "kind routes tables"), (30, "kind routes")]
)
def test_a_table_stays_whole_on_a_narrow_screen(
    width: int, first: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    headings = ["kind", "cost", "unit", "deadlock-free", "delivers", "minimal", "lower bound", "highest load", "name"]
    lines = [["routes", "2", "lanes", *["yes"] * 3, "28", "19", "x" * 9], ["tables", "1", "lanes", *["yes"] * 6]]
    print_table(headings, lines)
    out = re.sub(r"\x1b\[[0-9]*m", "", capsys.readouterr().out)
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= width
    assert first in " ".join(out.split())
    assert all(word in out.split() for line in [headings, *lines] for cell in line for word in cell.split())


@pytest.mark.parametrize(
    ("figure", "half", "shown"),
    [
        (56.3128, 2.4391, "56.3 ± 2.4"),
        (0.085903, 0.00076, "0.08590 ± 0.00076"),
        (12345.6, 123.4, "12,346 ± 123"),
        (0.25, 0.0, "0.25 ± 0"),
        (4.0634921, None, "4.063"),
        (1448.8551, None, "1,449"),
        (1000.0, None, "1,000"),
        (0.99996, None, "1"),
        (0.0, None, "0"),
        (-2.5, None, "-2.5"),
        (0.00012345, None, "0.000123"),
        (29930, None, "29,930"),
        (None, None, "–"),
    ],
)
def test_digits_that_say_something(figure: float | None, half: float | None, shown: str) -> None:
    assert number(figure, half) == shown


def test_units_stand_beside_figures_and_below_headings() -> None:
    lines = CliRunner().invoke(app, [*RUN, "--load", "0.2", "--seeds", "3", "--units", "2 GHz, 16 B"]).stdout
    printed = [" ".join(line.split()) for line in lines.splitlines()]
    assert "buffer depth 8 flits (128 B)" in printed
    assert any(re.fullmatch(r"latency mean [\d.]+ ± [\d.]+ cycles \([\d.]+ ns\)", line) for line in printed)
    assert "seed (flits/cycle) (flits/cycle) (cycles) (cycles) hops mean outcome" in printed
    shown = CliRunner().invoke(app, ["analyse", "line(2)", "--routing", "dimension_order"]).stdout
    assert re.search(r"^longest route +1 hop$", shown, re.M)
