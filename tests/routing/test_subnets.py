"""A routing in several equal networks, and through several ports, compared state by state with itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unknot._base.errors import RelationError
from unknot.network.families import line, ring
from unknot.routing import EJECT, Addressing, Relation, VirtualChannels, dimension_order, ugal
from unknot.routing.subnets import in_subnets, with_ports

ONE = dimension_order(ring(4).with_bandwidth("1/2"), 2)
TWICE = replace(ONE, addresses=Addressing(np.tile(np.arange(4), 2)), rule=lambda at, a, out: ONE.rule(at, a % 4, out))


def offers(relation: Relation, at: int, address: int) -> list[int | None]:
    """VCs offered; None is the way out."""
    return [one.vc for one in relation.candidates(at, address)]


@pytest.mark.parametrize("relation", [ONE, TWICE])
def test_each_subnet_offers_what_the_routing_offers(relation: Relation) -> None:
    both, vcs, terminals = in_subnets(relation, 2), relation.num_vcs, relation.network.num_terminals
    assert (both.num_vcs, both.num_addresses) == (2 * vcs, 2 * relation.num_addresses)
    assert both.destination.tolist() == [*range(2 * terminals)] * (relation.num_addresses // terminals)
    assert both.network.bandwidth.tolist() == [0.5] * 2 * relation.network.num_channels
    for subnet in range(2):
        for address in range(relation.num_addresses):
            far = (address // terminals * 2 + subnet) * terminals + address % terminals
            for at in range(vcs + terminals):
                there = at + subnet * vcs if at < vcs else at - vcs + 2 * vcs + subnet * terminals
                moved = [None if vc is None else vc + subnet * vcs for vc in offers(relation, at, address)]
                assert offers(both, there, far) == moved


def test_subnets_take_plain_addresses_alone() -> None:
    turned = replace(ONE, addresses=Addressing([1, 0, 2, 3]))
    for relation in (turned, ugal(ring(4))):
        with pytest.raises(RelationError, match="subnets take addresses that repeat the terminals in order"):
            in_subnets(relation, 2)


def test_labels_name_the_subnet() -> None:
    network = in_subnets(dimension_order(line(2)), 2).network
    assert network.router_labels == ("(0) of subnet 0", "(1) of subnet 0", "(0) of subnet 1", "(1) of subnet 1")
    assert network.terminal_labels == ("t0 of subnet 0", "t1 of subnet 0", "t0 of subnet 1", "t1 of subnet 1")


def test_ports_of_a_terminal_offer_alike() -> None:
    wide, vcs, terminals = with_ports(ONE, 2), ONE.num_vcs, ONE.network.num_terminals
    assert wide.network.num_terminals == 2 * terminals
    assert wide.network.inject.tolist() == ONE.network.inject.tolist() * 2
    for address in range(terminals):
        for at in range(vcs + 2 * terminals):
            inner = at if at < vcs else vcs + (at - vcs) % terminals
            assert offers(wide, at, address) == offers(ONE, inner, address)


def test_subnets_of_no_channels_keep_their_vcs() -> None:
    def out(at: int, address: int, out: np.ndarray) -> int:
        out[0] = EJECT
        return 1

    alone = Relation(line(1), 3, out)
    assert in_subnets(alone, 2).vcs.widest == VirtualChannels(line(1), 3).widest
