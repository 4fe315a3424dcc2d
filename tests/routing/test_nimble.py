"""Tables are made by copies of rules that read memory views: they must answer as the rules themselves do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.networks import CATALOGUE
from tests.strategies import relations
from unknot._base.errors import RelationError
from unknot.network import Network, tod
from unknot.network.families import line
from unknot.routing import Relation, VirtualChannels
from unknot.routing.named import routings
from unknot.routing.nimble import nimble
from unknot.routing.relation import EJECT, Rule
from unknot.routing.table import Table, lookup
from unknot.routing.tabulate import tabulate
from unknot.verify import check
from unknot.verify.testing import attempt


def same_tables(relation: Relation) -> None:
    """Compare the table with one that is made by asking `candidates`, which asks the rule itself."""
    table = tabulate(relation)
    for address in range(relation.num_addresses):
        reached = set((relation.num_vcs + relation.sources(address)).tolist())
        todo = list(reached)
        for at in todo:
            new = {c.vc for c in relation.candidates(at, address) if c.vc is not None} - reached
            reached |= new
            todo += new
        low, high = table.first[address : address + 2].tolist()
        assert table.input_vc[low:high].tolist() == sorted(reached)
        for row in range(low, high):
            out = np.zeros(relation.max_candidates, dtype=np.int64)
            count = relation.rule(int(table.input_vc[row]), address, out)
            assert table.value[table.start[row] : table.start[row + 1]].tolist() == out[:count].tolist()


def test_every_routing_is_read_through_views() -> None:
    networks = sorted((tod.network(text) for text in CATALOGUE), key=lambda network: network.num_channels)
    for name, function in routings().items():
        built = next(relation for network in networks if (relation := attempt(function, network)) is not None)
        assert nimble(built.rule) is not built.rule, name
        same_tables(built)


@given(relations())
def test_tables_of_any_relation(relation: Relation) -> None:
    same_tables(relation)


def peculiar(kind: str, network: Network) -> Rule:
    """A rule for which a memory view is no array."""
    virtual = VirtualChannels(network, 1)
    router, first = virtual.router, virtual.first
    low, table = network.source, np.arange(12, dtype=np.int64).reshape(4, 3)
    flags, words = np.array([True, False, True]), np.array([2**63 + 1, 3], dtype=np.uint64)

    def rule(at: int, address: int, out: Any) -> int:
        here = int(router[at])
        if kind == "compares" and not (low == here).any():
            return 0
        if kind == "rows" and table[here].sum() < 0:
            return 0
        if kind == "inverts" and ~flags[1] != 1:
            return 0
        if kind == "large" and words[0] < words[1]:
            return 0
        if here == address:
            out[0] = EJECT
            return 1
        out[0] = first[network.between(here, here + (1 if address > here else -1))[0]]
        return 1

    return rule


@pytest.mark.parametrize("kind", ["compares", "rows", "inverts", "large"])
def test_peculiar_rules_are_asked_as_they_are(kind: str) -> None:
    network = line(4)
    relation = Relation(network, 1, peculiar(kind, network))
    same_tables(relation)
    assert check(relation, "vct").deadlock_free


def test_a_view_that_fails_halfway_is_given_up() -> None:
    """Rows of a matrix exist for arrays only, and this rule takes one late."""
    network = line(3)
    virtual = VirtualChannels(network, 1)
    router, way = virtual.router, np.array([[-1, 0, 0], [1, -1, 2], [3, 3, -1]])

    def rule(at: int, address: int, out: Any) -> int:
        row = way[router[at]] if address == 2 else way
        out[0] = EJECT if router[at] == address else (row[2] if address == 2 else way[router[at], address])
        return 1

    same_tables(Relation(network, 1, rule))


def test_relations_made_of_tables() -> None:
    network = line(3)
    good = Relation(network, 1, lookup(Table([0, 1, 2, 3], [5, 6, 4], [0, 1, 2, 3], [2, 3, 0])))
    assert good.table is not None
    assert good.table.first.size == 4
    assert [c.vc for c in good.candidates(5, 0)] == [2]
    assert good.candidates(4, 0) == []
    columns: dict[str, Any] = {"first": [0, 2], "input_vc": [0, 4], "start": [0, 1, 2], "value": [EJECT, 0]}
    Table(**columns)
    wrong: list[dict[str, Any]] = [
        {"first": [0, 1]}, {"first": [1, 2]}, {"first": []}, {"first": [0, 3, 2]}, {"input_vc": [4, 0]},
        {"input_vc": [4, 4]}, {"start": [0, 2]}, {"start": [0, 1, 3]}, {"start": [0, 3, 2]}, {"value": [1]},
    ]  # fmt: skip
    for change in wrong:
        with pytest.raises(RelationError, match="a table"):
            Table(**{**columns, **change})
    Table([0, 1, 2], [4, 0], [0, 1, 2], [0, 1])
    with pytest.raises(RelationError, match="a table of 3 addresses for 2"):
        _ = replace(good, addresses=replace(good.addresses, destination=[0, 1])).table
    long = Relation(line(2), 1, lookup(Table([0, 1, 1], [2], [0, 9], [0] * 9)))
    with pytest.raises(RelationError, match="the rule raised IndexError"):
        check(long)
