"""Whatever is made here never sticks, however much is offered."""

from __future__ import annotations

import pytest

from unknot._base.deadline import clock
from unknot.lane_assignment import changing_lanes, lanes, longer_lanes
from unknot.lane_assignment.tables import table_of
from unknot.network.families import mesh, ring, torus
from unknot.remedies import Pruned, escaped, relaned
from unknot.remedies.pruned import pruned
from unknot.remedies.rerouted import rerouted
from unknot.routing import Relation, fully_adaptive, shortest_paths
from unknot.search.effort import SearchEffort
from unknot.simulation import Run, simulate


def effort() -> SearchEffort:
    return SearchEffort(clock() + 60)


def removed() -> Relation:
    pruning = pruned(fully_adaptive(mesh(2, 2), vcs=1), effort(), switching="wormhole")
    assert isinstance(pruning, Pruned)
    return pruning.relation


def changed(kind: str) -> Relation:
    relation = shortest_paths(ring(6))
    remedy = rerouted(relation, table_of(relation), 1, effort(), kind=kind)
    assert remedy is not None
    return remedy.relation


MADE = {
    "lanes": lambda: lanes("torus(4, 4)").relation,
    "tables": lambda: lanes("ring(6)", "table").relation,
    "rising lanes": lambda: changing_lanes("torus(5, 5)", changes="rising").relation,
    "any lanes": lambda: changing_lanes("torus(5, 5)", "table", changes="any").relation,
    "lanes by ports": lambda: changing_lanes("torus(5, 5)", "table", changes="ports").relation,
    "given": lambda: lanes(ring(6), "given", routing="shortest_paths").relation,
    "one lane": lambda: longer_lanes("ring(6)", 1).relation,
    "few changed routes": lambda: changed("pairs"),
    "few changed entries": lambda: changed("entries"),
    "fewer candidates": removed,
    "escape VCs": lambda: escaped(fully_adaptive(ring(6), vcs=1)).relation,
    "after a fault": lambda: relaned(lanes(torus(3, 3)), torus(3, 3).without(channels=[0])).relation,
}


def saturated(relation: Relation, seed: int = 1) -> Run:
    """A run in which every terminal always has something to send, with shallow buffers."""
    return simulate(
        relation, 1.0, packet_length=4, switching="wormhole", buffer_depth=2, seed=seed, warmup=0, measure=3000
    )


@pytest.mark.sampled(0.125)
@pytest.mark.parametrize("name", MADE)
def test_a_saturated_run_never_sticks(name: str) -> None:
    run = saturated(MADE[name]())
    assert run.deadlock is None, run.reason
    assert run.accepted_load > 0.05


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("size", [6, 8])
def test_the_same_run_sticks_without_a_remedy(size: int, seed: int) -> None:
    """The control: such a run finds the deadlock of the routing that was refuted."""
    assert saturated(shortest_paths(ring(size)), seed).deadlock is not None
