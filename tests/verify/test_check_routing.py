"""The public check of a routing algorithm finds what is wrong with it."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.network.families import complete, line, mesh, ring
from unknot.routing import Relation, dimension_order, west_first
from unknot.verify.testing import NETWORKS, ConformanceError, check_routing

SMALL = ["line(3)", "mesh(2, 2)", "ring(4)", "complete(3)"]


def plain(network: Network) -> Relation:
    return west_first(network)


def test_a_good_one_passes_where_it_applies() -> None:
    assert check_routing(plain, SMALL) == ("line(3)", "mesh(2, 2)")
    assert check_routing(plain, [mesh(3, 2), ring(4)]) == ("mesh(3, 2)",)
    assert "mesh(3, 3)" in check_routing(plain)
    assert len(set(NETWORKS)) == len(NETWORKS)


def test_refusing_everything_is_no_algorithm() -> None:
    with pytest.raises(ConformanceError, match="plain refuses every network it was tried on"):
        check_routing(plain, ["ring(4)", "complete(3)"])


def test_other_exceptions_are_no_refusal() -> None:
    def careless(network: Network) -> Relation:
        if network.coordinates is None:
            raise KeyError("x")
        return plain(network)

    with pytest.raises(ConformanceError, match=r"careless on complete\(3\): .* must be refused by an UnknotError"):
        check_routing(careless, SMALL[::-1])


def test_what_is_returned_must_be_a_relation_of_the_network() -> None:
    for wrong in (None, dimension_order(line(3))):

        def returns(network: Network, wrong: Any = wrong) -> Any:
            return wrong

        with pytest.raises(ConformanceError, match=r"returns on line\(3\): it returned .*, not a relation of that"):
            check_routing(returns, SMALL)


def test_moods_are_found() -> None:
    turn = count()

    def moody(network: Network) -> Relation:
        order = [0, 1] if next(turn) % 2 else [1, 0]
        return dimension_order(network, order=order)

    with pytest.raises(ConformanceError, match=r"moody on mesh\(2, 2\): .* made twice, it answers differently"):
        check_routing(moody, ["mesh(2, 2)"])

    def growing(network: Network) -> Relation:
        return dimension_order(network, vcs=1 + next(turn))

    with pytest.raises(ConformanceError, match="made twice, it has other VCs or addresses"):
        check_routing(growing, ["mesh(2, 2)"])


def test_false_claims_are_found_with_the_network() -> None:
    def boastful(network: Network) -> Relation:
        return replace(dimension_order(network), claims={"vct": True})

    assert check_routing(boastful, ["line(3)"]) == ("line(3)",)
    with pytest.raises(ConformanceError, match=r"boastful on ring\(4\): .* under vct it cannot deadlock, but"):
        check_routing(boastful, SMALL)


def test_broken_rules_are_found_with_the_network() -> None:
    def broken(network: Network) -> Relation:
        if network.num_routers > 3:
            raise RelationError("too large")
        return replace(dimension_order(network), rule=lambda at, address, out: 99)

    with pytest.raises(ConformanceError, match=r"broken on line\(3\): .*the rule returned 99"):
        check_routing(broken, [complete(5), *SMALL])
