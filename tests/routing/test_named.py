"""Routings from their names: near ones, and virtual channels where no number is given."""

from __future__ import annotations

import pytest

import unknot
from unknot._base.errors import UnknotError
from unknot.fabrics.named import network
from unknot.network.families import dragonfly, mesh, torus
from unknot.routing.named import routing, routing_to_simulate
from unknot.verify import vc_use


@pytest.mark.parametrize(
    ("text", "options", "own", "simulated"),
    [
        ("dimension_order", {}, 1, 4),
        ("o1turn", {}, 2, 4),
        ("duato", {}, 2, 4),
        ("valiant", {}, 2, 4),
        ("hop_number", {}, 6, 6),
        ("dimension_order(vcs=2)", {}, 2, 2),
        ("dimension_order", {"vcs": 1}, 1, 1),
        ("schwiebert", {}, None, None),
    ],
)
def test_simulations_have_four_virtual_channels_where_they_can(
    text: str, options: dict[str, int], own: int | None, simulated: int | None
) -> None:
    found = mesh(4, 4)
    assert routing(found, text, **options).vcs.each == own
    assert routing_to_simulate(found, text, **options).vcs.each == simulated


def test_the_relation_may_be_given_by_its_keyword() -> None:
    assert vc_use(relation="ring(4)", routing="dimension_order", vcs=2).total == 16
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'relation'"):
        vc_use()  # type: ignore[call-overload]


def test_a_routing_that_needs_another_number_has_the_next_one() -> None:
    """Two classes of three VCs each: neither 4 nor 5 can be shared out."""
    made = routing_to_simulate(torus(4, 4), 'message_classes(base="duato")')
    assert made.vcs.each == 6
    assert int(routing_to_simulate(dragonfly(2, 4, 2), "dragonfly_minimal").vcs.counts.min()) >= 4


@pytest.mark.parametrize(
    ("name", "meant"),
    [("dor", "dimension_order"), ("xy", "dimension_order"), ("DOR", "dimension_order"), ("updn", "up_down")],
)
def test_names_of_other_tools_are_answered(name: str, meant: str) -> None:
    with pytest.raises(UnknotError, match=f"did you mean {meant}\\?"):
        routing(mesh(3, 3), name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("bitcomp", "bit_complement"),
        ("bitrev", "bit_reverse"),
        ("randperm", "permutation"),
        ("neighbor", "neighbour"),
    ],
)
def test_traffic_of_other_tools_is_answered(name: str, meant: str) -> None:
    with pytest.raises(UnknotError, match=f"did you mean {meant}\\?"):
        unknot.traffic.pattern(mesh(4, 4), name)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("fly(2, 3)", "butterfly"),
        ("flatfly(4, 2)", "flattened_butterfly"),
        ("cmesh(4, 4)", r"terminals\(mesh\(4, 4\), 4\)"),
    ],
)
def test_networks_of_other_tools_are_answered(text: str, meant: str) -> None:
    with pytest.raises(UnknotError, match=f"did you mean {meant}\\?"):
        network(text)
