"""The parts of the checker's search on graphs small enough to follow by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.certificates.corruption import corrupted
from tests.certificates.test_plain import holds
from tests.verify.constructions import FREE_THREE_WIDE, by_signs
from unknot.certificates import evidence_holds, plain, verdict_claim
from unknot.certificates.documents import network_of, table_of
from unknot.network import Network
from unknot.network.families import mesh
from unknot.routing import Relation, dimension_order
from unknot.verify import check


def f(*vcs: int) -> frozenset[int]:
    return frozenset(vcs)


def holdable(goal: int, worms: dict[int, list[tuple[frozenset[int], frozenset[int]]]]) -> bool:
    return plain.holdable(goal, {vc: {*worms.get(vc, ())} for vc in range(4)}, plain.Steps())


def test_what_can_be_held() -> None:
    two = {0: [(f(0), f(1))], 1: [(f(1), f(0))]}
    assert holdable(0, two)
    assert holdable(1, two)
    assert not holdable(2, two)
    assert not holdable(0, {0: [(f(0), f(1))]})
    assert holdable(0, {0: [(f(0), f())]})
    assert not holdable(0, {0: [(f(0, 2), f(1))], 1: [(f(1, 2), f(0))]}), "two worms cannot share a VC"
    assert holdable(0, {0: [(f(0, 2), f(1))], 1: [(f(1, 2), f(0)), (f(1), f(2))]})
    chain = {0: [(f(0), f(1))], 1: [(f(1), f(2))], 2: [(f(2), f(0))]}
    assert holdable(1, chain)
    assert not holdable(1, {**chain, 2: [(f(2), f(0, 3))]})
    assert holdable(1, {**chain, 2: [(f(2), f(0, 3))], 3: [(f(3), f(0, 1))]})


def worms(graph: Any, window: set[int]) -> Any:
    everything = {*graph} | {vc for _, waits in graph.values() for choice in waits for vc in choice}
    return {
        vc: found for vc, found in plain.worms_inside([graph], everything, window, plain.Steps()).items() if found
    }


def test_worms_of_a_window() -> None:
    graph: Any = {0: ({1}, []), 1: ({0}, [{2}])}
    assert worms(graph, {0, 1, 2}) == {0: {(f(0, 1), f(2))}, 1: {(f(1), f(2)), (f(0, 1), f(2))}}
    branch: Any = {0: ({1, 2}, []), 1: (set(), [{5}]), 2: ({7}, [{6}]), 7: (set(), [{6}])}
    assert worms(branch, {0, 1, 2, 5, 6}) == {
        0: {(f(0, 1), f(5)), (f(0, 2), f(6)), (f(0, 2), f())},
        1: {(f(1), f(5)), (f(0, 1), f(5))},
        2: {(f(2), f(6)), (f(2), f()), (f(0, 2), f(6)), (f(0, 2), f())},
    }


def test_who_may_come_to_wait_for_what_is_left() -> None:
    graph: Any = {0: ({1}, []), 1: (set(), [{2}]), 2: ({0}, []), 3: ({4}, [{9}])}
    assert plain.heads(graph, {0, 1, 2, 3}) == {0, 1, 2}
    assert plain.heads(graph, {1, 2, 3}) == {1}
    assert plain.heads(graph, {0, 1, 3}) == set()
    fork: Any = {0: ({1, 2}, []), 1: ({2}, [{0}]), 2: (set(), []), 3: ({0}, [{1}, {2}])}
    assert plain.heads(fork, {0, 1, 3}) == {0, 1, 3}
    assert plain.heads({0: ({1}, []), 1: (set(), [{0, 1}])}, {0, 1}) == {0, 1}, "one may wait for all that is left"


def states(relation: Relation, levels: dict[int, int], address: int) -> Any:
    table = plain.Table(plain.Network(network_of(relation.network)), table_of(relation))
    rank = [levels.get(vc, 0) for vc in range(table.vcs)]
    worms = plain.SWITCHINGS["wormhole"]
    return plain.waiting_states(table, worms, lambda at, v: {at, v} <= levels.keys() and rank[at] == rank[v])[address]


def test_states_keep_to_their_level() -> None:
    line = dimension_order(mesh(3), 1)
    vc = {(int(a), int(b)): i for i, (a, b) in enumerate(zip(line.network.source, line.network.target, strict=True))}
    first, second = vc[0, 1], vc[1, 2]
    alike = dict.fromkeys(vc.values(), 0)
    assert states(line, alike, 2)[first] == ({second}, [{second}])
    assert states(line, alike, 2)[second][0] == set()
    assert not any(choice <= set(alike) for choice in states(line, alike, 2)[second][1])
    assert states(line, {**alike, second: 1}, 2)[first] == (set(), [])
    assert states(line, {first: 0}, 2) == {first: (set(), [])}
    some = replace(
        line, addresses=replace(line.addresses, may_use=np.array([[1, 1, 0], [1, 1, 1], [1, 1, 1]], dtype=bool))
    )
    assert first not in states(some, alike, 2)


@pytest.mark.sampled(1 / 2)
@pytest.mark.parametrize(("network", "changes"), [(mesh(3, 3), 40), (mesh(3, 4), 10)])
def test_cores_alone_and_in_documents_are_accepted_alike(network: Network, changes: int) -> None:
    relation = by_signs(network, FREE_THREE_WIDE)
    verdict = check(relation, "wormhole")
    assert verdict.certificate is not None
    assert verdict.certificate.kind == "exhausted"
    rows, random = table_of(relation), np.random.default_rng()
    assert holds(relation, verdict_claim(verdict), rows)
    accepted = []
    for _ in range(changes):
        wrong = corrupted(verdict, random)
        accepted.append(holds(relation, verdict_claim(wrong), rows))
        assert accepted[-1] == evidence_holds(relation, wrong), wrong.certificate
    assert not all(accepted)
