"""Rules of few states are not compiled: asked once for each state, they answer as the plain rule does."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.strategies import relations
from unknot.network import Network
from unknot.network.families import line, mesh, ring
from unknot.routing import Relation, dimension_order, duato
from unknot.routing.pointer import FEW_STATES
from unknot.simulation import simulate

Answers = dict[tuple[int, int], list[int] | None]


def every_state(relation: Relation) -> list[tuple[int, int]]:
    places = relation.num_vcs + relation.network.num_terminals
    return [(at, address) for at in range(places) for address in range(relation.num_addresses)]


def answers(relation: Relation) -> Answers:
    """What the function pointer answers; None if it fails."""
    call, by_state = relation.compiled.ctypes, {}
    for at, address in every_state(relation):
        out = np.full(relation.max_candidates, -7, dtype=np.int64)
        count = call(at, address, out.ctypes.data)
        by_state[at, address] = None if count < 0 else out[:count].tolist()
    return by_state


@given(relations())
def test_answers_are_those_of_the_rule_before_and_after_they_are_remembered(relation: Relation) -> None:
    wanted: Answers = {}
    for at, address in every_state(relation):
        out = np.zeros(relation.max_candidates, dtype=np.int64)
        wanted[at, address] = out[: relation.rule(at, address, out)].tolist()
    assert answers(relation) == wanted
    assert answers(relation) == wanted


def counted(
    network: Network, asked: Counter[tuple[int, int]], fails: dict[tuple[int, int], BaseException] | None = None
) -> Relation:
    """Dimension order that counts its questions, and raises what it is given for some of them."""
    plain, raised = dimension_order(network).rule, fails or {}

    def rule(at: int, address: int, out: Any) -> int:
        asked[at, address] += 1
        if (at, address) in raised:
            raise raised[at, address]
        return plain(at, address, out)

    return Relation(network, 1, rule)


def test_each_state_is_asked_once() -> None:
    """By the pointer; who looks for deadlocks without a kernel asks the plain rule besides."""
    asked: Counter[tuple[int, int]] = Counter()
    relation = dimension_order(mesh(3, 3))
    pointer: Any = relation.compiled
    pointer.rule = counted(mesh(3, 3), asked).rule
    first = simulate(relation, 0.2, warmup=100, measure=500)
    met = set(asked)
    assert met
    assert set(asked.values()) == {1}
    assert simulate(relation, 0.2, warmup=100, measure=500).latency_mean == first.latency_mean
    assert set(asked) == met
    assert set(asked.values()) == {1}


def test_a_failure_is_not_remembered() -> None:
    asked: Counter[tuple[int, int]] = Counter()
    relation = counted(line(3), asked, {(0, 0): ValueError("broken")})
    assert [answers(relation)[0, 0] for _ in range(3)] == [None] * 3
    assert asked[0, 0] == 3
    call, out = relation.compiled.ctypes, np.zeros(relation.max_candidates, dtype=np.int64)
    assert call(10**6, 0, out.ctypes.data) == call(0, 10**6, out.ctypes.data) == -1


def test_threads_that_ask_at_once_are_answered_alike() -> None:
    relation = duato(mesh(4, 4), 3)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(answers, [relation] * 4))
    assert found == [answers(duato(mesh(4, 4), 3))] * 4


def test_ctrl_c_within_a_rule_ends_the_run() -> None:
    network = ring(4)
    injection = network.num_channels  # the first port, as rules number it, with one VC a channel
    relation = counted(network, Counter(), {(injection, 2): KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        simulate(relation, 0.2, warmup=100, measure=500)


@pytest.mark.parametrize(("network", "few"), [(mesh(4, 4), True), (ring(100), False)], ids=str)
def test_only_rules_of_few_states_are_remembered(network: Network, few: bool) -> None:
    relation = dimension_order(network)
    assert (len(every_state(relation)) <= FEW_STATES) is few
    assert hasattr(relation.compiled, "known") is few
