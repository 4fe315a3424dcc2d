"""BookSim's traffic patterns and injection processes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.booksim.files import understood
from unknot._base.errors import UnknotError
from unknot.traffic import Bursts, Pattern
from unknot_booksim.patterns import PATTERNS

FOUR = ("k=4", "n=2")


def pattern(folder: Path, text: str, *more: str, faithful: bool = False) -> Pattern:
    found: Pattern = understood(folder, f"traffic={text}", *more, faithful=faithful).options["traffic"]
    return found


def target(found: Pattern) -> list[int]:
    assert found.destination is not None
    return [int(node) for node in found.destination]


def row(found: Pattern, source: int) -> list[float]:
    assert found.weight is not None
    return [round(float(rate), 9) for rate in found.weight[source]]


def test_permutations(tmp_path: Path) -> None:
    """By the definitions, on the numbers 0 to 15."""
    ids = range(16)
    digits = [(i % 4, i // 4) for i in ids]
    for text, wanted in {
        "bitcomp": [15 - i for i in ids],
        "bitrev": [int(f"{i:04b}"[::-1], 2) for i in ids],
        "shuffle": [int(f"{i:04b}"[1:] + f"{i:04b}"[0], 2) for i in ids],
        "transpose": [y + 4 * x for x, y in digits],
        "tornado": [(x + 1) % 4 + 4 * ((y + 1) % 4) for x, y in digits],
        "neighbor": [(x + 1) % 4 + 4 * ((y + 1) % 4) for x, y in digits],
        "tornado({16,1})": [(i + 7) % 16 for i in ids],
    }.items():
        assert target(pattern(tmp_path, text, *FOUR)) == wanted, text
    assert sorted(target(pattern(tmp_path, "randperm", *FOUR))) == list(ids)
    assert target(pattern(tmp_path, "randperm(3)", *FOUR)) == target(
        pattern(tmp_path, "randperm", "perm_seed=3", *FOUR)
    )


def test_drawn_destinations(tmp_path: Path) -> None:
    third = round(1 / 3, 9)
    assert row(pattern(tmp_path, "diagonal"), 8) == [third, 0, 0, 0, 0, 0, 0, 0, round(2 / 3, 9)]
    assert row(pattern(tmp_path, "asymmetric", *FOUR), 11) == [0.5 * (i in (3, 11)) for i in range(16)]
    assert row(pattern(tmp_path, "background({{0,1,2,3,4,5,6}})"), 2) == [0] * 7 + [0.5, 0.5]
    taper = row(pattern(tmp_path, "taper64", "k=8"), 20)
    assert taper[20] == round(1 / 18 + 1 / 128, 9)
    assert taper[40] == round(1 / 128, 9)
    assert sum(rate > 0.05 for rate in taper) == 9
    assert row(pattern(tmp_path, "badperm_yarc", *FOUR), 6) == [0.25 * (i % 4 == 1) for i in range(16)]
    dragon = ("topology=dragonflynew", "k=1", "n=1", "routing_function=min")
    assert row(pattern(tmp_path, "bad_dragon", *dragon), 3) == [0, 0, 0, 0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("hotspot(4)", {4: 1.0}),
        ("hotspot({{4,5}})", {4: 0.5, 5: 0.5}),
        ("hotspot({{4,5},{3,1}})", {4: 0.75, 5: 0.25}),
        ("hotspot({{4,5,4},{1}})", {4: 2 / 3, 5: 1 / 3}),
        ("hotspot({4,5})", {4: 1.0}),
    ],
)
def test_hot_spots(text: str, wanted: dict[int, float], tmp_path: Path) -> None:
    """A list within the list of values; `hotspot({4,5})` is one hot spot in BookSim, and is said to be."""
    setup = understood(tmp_path, f"traffic={text}")
    assert row(setup.options["traffic"], 0) == [round(wanted.get(i, 0.0), 9) for i in range(9)]
    assert any("one hot spot" in words for words in setup.warnings) == (text == "hotspot({4,5})")


def test_a_hot_spot_may_be_drawn(tmp_path: Path) -> None:
    """One node by the seed, whatever the source; also where −1 stands in a list."""
    for text in ("hotspot", "hotspot({{-1}})"):
        found = [row(pattern(tmp_path, text, f"seed={seed}"), 0) for seed in (1, 2, 3, 4, 1)]
        assert all(sorted(rates)[-2:] == [0, 1] for rates in found)
        assert found[0] == found[4]
        assert len(set(map(tuple, found))) > 1


def test_every_pattern_is_tested() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in PATTERNS if name not in text] == ["uniform"][: int("uniform" not in text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("transpose", "a power of two"), ("bitcomp", "power of two"), ("taper64", "64 nodes"),
        ("hotspot(9)", "below 9"), ("hotspot({{1},{0}})", "above 0"), ("unifrom", "did you mean uniform"),
        ("tornado({5,2})", "there are 9"), ("background({{0,1,2,3,4,5,6,7,8}})", "no node is left"),
        ("a(b", "parentheses"),
    ],
)  # fmt: skip
def test_patterns_that_do_not_fit(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(UnknotError, match=words):
        understood(tmp_path, f"traffic={text}")


def bursts(folder: Path, *overrides: str, faithful: bool = False) -> Bursts | None:
    found: Bursts | None = understood(folder, *overrides, faithful=faithful).options["bursts"]
    return found


def test_bursts(tmp_path: Path) -> None:
    assert bursts(tmp_path) is None
    on = "injection_process=on_off"
    assert bursts(tmp_path, on) == Bursts(0.5, 0.5)
    assert bursts(tmp_path, on, "burst_alpha=0.2", "burst_beta=0.1") == Bursts(0.2, 0.1)
    assert bursts(tmp_path, f"{on}({{0.2,0.1}})") == Bursts(0.2, 0.1)
    found = bursts(tmp_path, on, "burst_alpha=-1.0", "burst_beta=0.3", "burst_r1=0.4")
    assert found is not None
    assert found.begin == pytest.approx(0.3 * 0.1 / 0.3)
    # Without braces BookSim reads the first value only.
    assert bursts(tmp_path, f"{on}(0.2,0.1)") == Bursts(0.2, 0.1)
    assert bursts(tmp_path, f"{on}(0.2,0.1)", faithful=True) == Bursts(0.2, 0.5)
    found = bursts(tmp_path, on, "burst_alpha=0.3", "burst_beta=-1.0", "burst_r1=0.4")
    assert found is not None
    assert found.end == pytest.approx(0.3 * 0.3 / 0.1)
    whole = bursts(tmp_path, on, "burst_alpha=-1.0", "burst_beta=0.9", "burst_r1=1.0")
    assert whole is not None
    assert whole.begin == pytest.approx(0.1)
    assert bursts(tmp_path, on, "burst_alpha=1.0", "burst_beta=1.0") == Bursts(1.0, 1.0)
    for keys, words in (
        (("burst_beta=0.3", "burst_r1=1.1"), "between the load of 0.1 and 1"),
        (("burst_beta=0.3", "burst_r1=0.1"), "between the load of 0.1 and 1"),
        (("burst_beta=0", "burst_r1=0.4"), "probabilities above 0"),
    ):
        with pytest.raises(UnknotError, match=words):
            understood(tmp_path, on, "burst_alpha=-1.0", *keys)
    for keys in (("burst_alpha=0",), ("burst_alpha=1.1",), ("burst_beta=0",), ("burst_beta=1.1",)):
        with pytest.raises(UnknotError, match="probabilities above 0"):
            understood(tmp_path, on, *keys)
    with pytest.raises(UnknotError, match="exactly one"):
        understood(tmp_path, on, "burst_r1=0.4")


def test_loads_are_flits(tmp_path: Path) -> None:
    assert understood(tmp_path, "packet_size=5").load == pytest.approx(0.5)
    assert understood(tmp_path, "packet_size=5", "injection_rate_uses_flits=1").load == pytest.approx(0.1)
    mixed = understood(tmp_path, "packet_size={{1,5}}", "packet_size_rate={{3,1}}")
    assert mixed.packet_length == {1: 0.75, 5: 0.25}
    assert mixed.load == pytest.approx(0.2)
    assert understood(tmp_path, "injection_rate=1").load == 1.0
    for rate in ("1.01", "0"):
        with pytest.raises(UnknotError, match="above 0 and at most 1"):
            understood(tmp_path, f"injection_rate={rate}")
    assert np.isclose(mixed.mean_length, 2.0)


def test_a_matrix_of_rates(tmp_path: Path) -> None:
    (tmp_path / "rates").write_text("# to each\n" + "1 3 0 0\n" * 2 + "0 0 0 0\n" + "0 0 1 1\n")
    keys = "k=2", "n=2", "traffic=matrix(rates)"
    setup = understood(tmp_path, *keys)
    assert [row(setup.options["traffic"], source) for source in (0, 2)] == [[0.25, 0.75, 0, 0], [0, 0, 1, 0]]
    assert any("matrix is of forks of BookSim" in words for words in setup.warnings)
    for text, words in (("1 2 3", "4 × 4 are needed"), ("1 a" * 8, "no numbers"), ("-1 " * 16, "none below 0")):
        (tmp_path / "rates").write_text(text)
        with pytest.raises(UnknotError, match=words):
            understood(tmp_path, *keys)
    with pytest.raises(UnknotError, match="allow it with --outside-files"):
        understood(
            tmp_path, text="topology = mesh; k = 2; n = 2; routing_function = dor; traffic = matrix(/etc/hosts);"
        )


def test_schedules_of_a_fork(tmp_path: Path) -> None:
    """Each message of a source is drawn as often as the others; who has none is silent."""
    found = pattern(tmp_path, "illusion", "traffic_schedule={{{0,3,9},{0,3,1},{0,4,2},{5,1,7}}}")
    assert row(found, 0) == [0, 0, 0, 0.666666667, 0.333333333, 0, 0, 0, 0]
    assert row(found, 5) == [0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert row(found, 8) == [0] * 9
    for text, words in (("{{{0,3}}}", "source, destination and length"), ("{{{0,9,1}}}", "nodes 0 to 8, not 9")):
        with pytest.raises(UnknotError, match=words):
            pattern(tmp_path, "illusion", f"traffic_schedule={text}")
    with pytest.raises(UnknotError, match="takes one size"):
        pattern(tmp_path, "illusion", "traffic_schedule={{{0,3,9}}}", "packet_size={{1,2}}")


def test_tasks_of_a_fork(tmp_path: Path) -> None:
    """A node draws a destination by its rates, then sends by the rate to this one as part of the highest of all."""
    (tmp_path / "graph").write_text("4\n0 10 30 INF\n0 0 40 0\nINF 0 0 INF\n20 0 0 0\n")
    (tmp_path / "places").write_text("1 4 1 2 3 0.001\n2 1 2 3 4 0.001\n")
    keys = ("k=2", "traffic_file=graph", "mapping_file=places", "injection_process=custom_bernoulli")
    setup = understood(tmp_path, "traffic=custom", *keys)
    found = setup.options["traffic"]
    assert row(found, 1) == [0, 0, 0.25 * 0.25, 0.75 * 0.75]  # task 1 at node 1, its tasks 2 and 3 at nodes 2 and 3
    assert row(found, 0) == [0, 0.5, 0, 0]
    assert row(found, 2) == [0, 0, 0, 1]
    assert setup.load == pytest.approx(0.1)
    assert any("each of 2 mappings" in words for words in setup.warnings)
    (tmp_path / "places").write_text("1 4 1 2 2 0.001\n")
    with pytest.raises(UnknotError, match="a mapping of them to 4 nodes"):
        understood(tmp_path, "traffic=custom", *keys)


def test_sources_of_a_class(tmp_path: Path) -> None:
    assert target(pattern(tmp_path, "bitcomp", *FOUR, "class_source={{0,2}}")) == [15, -1, 13, *[-1] * 13]
    found = pattern(tmp_path, "uniform", "class_source={{4}}")
    assert row(found, 4) == [round(1 / 9, 9)] * 9
    assert row(found, 3) == [0] * 9
    with pytest.raises(UnknotError, match="below 9 are needed"):
        pattern(tmp_path, "uniform", "class_source={{9}}")
