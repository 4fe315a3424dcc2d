"""Turn models, counted and judged, against graphs of turns on small meshes."""

from __future__ import annotations

from itertools import product
from typing import Any

import networkx as nx
import pytest

from tests.papers import script
from unknot import deliver
from unknot._base.errors import RelationError
from unknot.verify import check
from unknot_papers.bnr.table import bnr

EXAMPLE = script("turn_models", "")
cycles, ranking_of, turn_models, turns = EXAMPLE.cycles, EXAMPLE.ranking_of, EXAMPLE.turn_models, EXAMPLE.turns


def cyclic(prohibited: frozenset[Any], sides: tuple[int, ...]) -> bool:
    """Whether permitted turns and ways straight on close a cycle on a mesh."""
    n = len(sides)
    every = [(i, sign) for i in range(n) for sign in (1, -1)]
    graph = nx.DiGraph()
    for at in product(*map(range, sides)):
        for i, sign in every:
            there = tuple(x + sign * (k == i) for k, x in enumerate(at))
            if all(0 <= x < side for x, side in zip(there, sides, strict=True)):
                for out in every:
                    if out == (i, sign) or (out[0] != i and ((i, sign), out) not in prohibited):
                        graph.add_edge((at, (i, sign)), (there, out))
    return not nx.is_directed_acyclic_graph(graph)


def test_two_dimensions() -> None:
    """Of 16 ways 12 are free, of three kinds: north-last, negative-first and west-first."""
    models = turn_models(2)
    assert [model.alike for model in models if model.deadlock_free] == [4, 4, 4]
    assert sum(model.alike for model in models) == 16
    for chosen in product(*cycles(2)):
        assert (ranking_of(2, frozenset(chosen)) is None) == cyclic(frozenset(chosen), (4, 4))
    for model in models:
        if model.deadlock_free:
            rule = model.rule
            assert rule is not None
            assert len(rule.provided(states=True)) == 2
            relation = rule.on((4, 4))
            assert deliver(relation).delivered
            assert check(relation, "wormhole-nonatomic").deadlock_free
            assert sum(kind.provided for kind in bnr(relation)) == 2


def test_three_dimensions() -> None:
    """Of 4,096 ways 176 are free, of nine kinds."""
    models = turn_models(3)
    assert sum(model.alike for model in models) == 4096
    free = [model for model in models if model.deadlock_free]
    assert (sum(model.alike for model in free), len(free)) == (176, 9)
    for model in free:
        assert not cyclic(frozenset(model.prohibited), (3, 3, 3))
        assert model.rule is not None
        assert deliver(model.rule.on((3, 3, 3))).delivered


def test_every_turn_belongs_to_one_cycle() -> None:
    for n in (2, 3):
        assert sorted(turn for cycle in cycles(n) for turn in cycle) == sorted(turns(n))


def test_more_dimensions_are_too_many() -> None:
    with pytest.raises(RelationError):
        turn_models(4)
