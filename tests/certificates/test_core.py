"""The parts of the checker's search on graphs small enough to follow by hand."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.certificates.corruption import corrupted
from tests.certificates.test_plain import holds
from tests.verify.constructions import FREE_THREE_WIDE, by_signs
from unknot.certificates import evidence_holds, table_of, verdict_claim
from unknot.certificates.core import _holdable, _leading, _shape, _states, _touched, _worms
from unknot.network import Network
from unknot.network.families import mesh
from unknot.routing import dimension_order
from unknot.verify import check


def tick() -> None:
    """Count nothing."""


def f(*vcs: int) -> frozenset[int]:
    return frozenset(vcs)


def holdable(goal: int, worms: dict[int, list[tuple[frozenset[int], frozenset[int]]]]) -> bool:
    on: Any = defaultdict(set, {vc: {*found} for vc, found in worms.items()})
    return _holdable(goal, on, tick)


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


def test_worms_of_a_window() -> None:
    shape = ((0, f(1), f()), (1, f(0), frozenset([f(2)])))
    assert _worms({shape}, tick) == {0: {(f(0, 1), f(2))}, 1: {(f(1), f(2)), (f(0, 1), f(2))}}
    branch = ((0, f(1, 2), f()), (1, f(), frozenset([f(5)])), (2, f(), frozenset([f(6), f()])))
    assert _worms({branch}, tick) == {
        0: {(f(0, 1), f(5)), (f(0, 2), f(6)), (f(0, 2), f())},
        1: {(f(1), f(5)), (f(0, 1), f(5))},
        2: {(f(2), f(6)), (f(2), f()), (f(0, 2), f(6)), (f(0, 2), f())},
    }


def test_who_may_come_to_wait_for_what_is_left() -> None:
    graph: Any = {0: ({1}, []), 1: (set(), [{2}]), 2: ({0}, []), 3: ({4}, [{9}])}
    assert _leading(graph, {0, 1, 2, 3}, tick) == {0: ({1}, []), 1: (set(), [{2}]), 2: ({0}, [])}
    assert _leading(graph, {1, 2, 3}, tick) == {1: (set(), [{2}])}
    assert _leading(graph, {0, 1, 3}, tick) == {}
    fork: Any = {0: ({1, 2}, []), 1: ({2}, [{0}]), 2: (set(), []), 3: ({0}, [{1}, {2}])}
    assert _leading(fork, {0, 1, 3}, tick) == {0: ({1}, []), 1: (set(), [{0}]), 3: ({0}, [{1}])}
    everything: Any = {0: ({1}, []), 1: (set(), [{0, 1}])}
    assert _leading(everything, {0, 1}, tick) == everything, "one may wait for all that is left"


def test_who_is_touched_when_a_channel_goes() -> None:
    graph: Any = {0: ({1}, []), 1: (set(), [{2}, {3}])}
    assert [_touched(graph, {vc}) for vc in range(5)] == [True, True, True, True, False]


def test_what_is_seen_of_a_graph_within_a_window() -> None:
    graph: Any = {7: ({5}, [{6}]), 5: ({6, 7}, [{6}, {7}])}
    assert _shape(graph, {5, 6}) == ((5, f(6), frozenset([f(6), f()])),)
    assert _shape(graph, {5, 6, 7}) == ((5, f(6, 7), frozenset([f(6), f(7)])), (7, f(5), frozenset([f(6)])))
    assert _shape(graph, {6}) == ()


def test_states_keep_to_their_level() -> None:
    line = dimension_order(mesh(3), 1)
    vc = {(int(a), int(b)): i for i, (a, b) in enumerate(zip(line.network.source, line.network.target, strict=True))}
    first, second = vc[0, 1], vc[1, 2]
    alike = dict.fromkeys(vc.values(), 0)
    assert _states(line, alike, 2, tick) == {first: ({second}, [{second}]), second: (set(), [])}
    assert _states(line, {**alike, second: 1}, 2, tick) == {first: (set(), []), second: (set(), [])}
    assert _states(line, {first: 0}, 2, tick) == {first: (set(), [])}
    assert _states(line, alike, 1, tick) == {first: (set(), []), vc[2, 1]: (set(), [])}
    some = replace(line, may_use=np.array([[1, 1, 0], [1, 1, 1], [1, 1, 1]], dtype=bool))
    assert _states(some, alike, 2, tick) == {second: (set(), [])}


@pytest.mark.parametrize(("network", "changes"), [(mesh(3, 3), 40), (mesh(3, 4), 10)])
def test_two_checkers_say_the_same_of_cores(network: Network, changes: int) -> None:
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
