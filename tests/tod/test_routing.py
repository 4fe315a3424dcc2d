"""Products of lines and rings written in the language know their dimensions: routing by dimensions needs no hint."""

from __future__ import annotations

import pytest

from unknot.network import grid
from unknot.routing import dimension_order
from unknot.tod import network
from unknot.verify import check, deliver


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
    ],
)
def test_dimension_order_routing_works_untold(text: str, vcs: int) -> None:
    relation = dimension_order(network(text), vcs)
    assert deliver(relation).delivered
    assert check(relation).deadlock_free


def test_the_dimension_of_every_channel_is_known() -> None:
    product = grid(network("ring(4) * line(3) * ring(5)"))
    assert product.complete
    assert product.wraps.tolist() == [True, False, True]
    assert set(product.dimension.tolist()) == {0, 1, 2}
