"""Products of lines and rings written in the language know their dimensions: routing by dimensions needs no hint."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from unknot.network import Network, grid
from unknot.network.tod import network
from unknot.routing import Relation, dimension_order, duato, fully_adaptive
from unknot.verify import check, deliver
from unknot.verify.testing import check_relation


@pytest.mark.parametrize(
    ("text", "vcs"),
    [
        ("line(4) * line(3) * line(2)", 1),
        ("ring(5) * line(3)", 2),
        ("line(3) * (ring(4, latency=3) * ring(3))", 2),
        ("side = ring(4); side ** 2", 2),
        ("line(2) ** 4", 1),
        ("(ring(4) | line(4)) * line(2)", 2),
        ("terminals(line(3), 2) * line(3)", 1),
        ("ring(4, directed=true) ** 2", 2),
        ("line(3) * reverse(ring(5, directed=true))", 2),
        ("ring(2, double=true) ** 2", 1),
        ("ring(2, double=true) * ring(5)", 2),
    ],
)
def test_dimension_order_routing_works_untold(text: str, vcs: int) -> None:
    relation = dimension_order(network(text), vcs)
    assert deliver(relation).delivered
    assert deliver(relation).minimal
    assert check(relation, "wormhole").deadlock_free


def test_the_dimension_of_every_channel_is_known() -> None:
    product = grid(network("ring(4) * line(3) * ring(5)"))
    assert product.complete
    assert product.wraps.tolist() == [True, False, True]
    assert set(product.dimension.tolist()) == {0, 1, 2}


@pytest.mark.parametrize("text", ["ring(4, directed=true) ** 2", "ring(2, double=true) * ring(5)"])
@pytest.mark.parametrize("algorithm", [dimension_order, duato, fully_adaptive])
def test_one_way_and_double_rings_pass_the_conformance_checks(
    text: str, algorithm: Callable[[Network], Relation]
) -> None:
    check_relation(algorithm(network(text)), compiled=False)


def test_one_way_rings_need_the_dateline_even_when_short_and_the_entry_dateline_fails_there() -> None:
    ring = network("ring(3, directed=true)")
    assert check(dimension_order(ring, 1), "wormhole").deadlock_free is False
    assert check(dimension_order(ring, 2), "wormhole").deadlock_free is True
    assert check(dimension_order(network("ring(4, directed=true)"), 2, dateline="entry")).deadlock_free is False
