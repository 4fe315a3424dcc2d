"""The table of what routings carry: it has every routing, and each that falls behind is explained."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from benchmarks.throughput import BELOW, CASES, Case, main, next_group, rows

from tests.declared import declared
from unknot.network.families import dragonfly
from unknot.routing.named import routings

PAGE = (Path(__file__).parents[1] / "docs" / "throughput.md").read_text(encoding="utf-8")
with (Path(__file__).parents[1] / "docs" / "throughput.csv").open(encoding="utf-8", newline="") as file:
    TABLE = list(csv.reader(file))


def test_the_table_has_every_case() -> None:
    planned = [(case.network, routing) for case in CASES for routing in case.routings]
    assert [(network, routing) for network, routing, *_ in TABLE[1:]] == planned
    assert {routing.split("(")[0] for case in CASES for routing in case.routings} <= {
        *routings(),
        *declared()["unknot.routings"],
    }


def test_each_routing_that_carries_less_is_marked_and_explained() -> None:
    why = PAGE.partition("## Why some carry less")[2]
    least: dict[str, float] = {}
    for network, routing, _, uniform, *_ in TABLE[1:]:
        load = float(uniform.split()[0])
        behind = load < BELOW * least.setdefault(network, load)
        assert uniform.endswith("↓") == behind, (network, routing)
        if behind and "omniwar" not in routing and "dimwar" not in routing:
            assert f"`{routing.split('(')[0]}" in why, routing


def test_rows_are_made_as_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = rows(Case("hyperx([2, 2])", "bit_complement", ("hyperx_minimal", "hyperx_minimal(vcs=2)")))
    assert len(first) == len(second) == len(TABLE[0])
    assert "↓" not in first[3]
    main("no network")
    assert capsys.readouterr().out.splitlines() == [",".join(TABLE[0])]


def test_the_next_group_is_the_next() -> None:
    network = dragonfly(4)
    assert network.coordinates is not None
    group = network.coordinates[:, 0][network.inject]
    to = next_group(network)
    assert sorted(to) == list(range(network.num_terminals))
    assert all(group[t] == (group[s] + 1) % (group.max() + 1) for s, t in enumerate(to))
