"""Updates of routings, beside an exploration of all moves and updates that shares nothing with the decision."""

from __future__ import annotations

from collections import Counter, deque
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unknot.network import Network
from unknot.network.families import line, ring
from unknot.routing import EJECT, Relation
from unknot.verify.update import update

Answers = dict[tuple[int, int], tuple[int, ...]]
"""Candidates by router and address, as VCs; −1 is ejection."""


def table_relation(network: Network, answers: Answers, vcs: int = 1) -> Relation:
    router = [*network.target.repeat(vcs).tolist(), *network.inject.tolist()]

    def rule(at: int, address: int, out: Any) -> int:
        row = answers[router[at], address]
        for i, vc in enumerate(row):
            out[i] = EJECT if vc < 0 else vc
        return len(row)

    return Relation(network, vcs, rule, name="table")


def random_answers(network: Network, choice: int, random: Random, vcs: int = 1) -> Answers:
    answers: Answers = {}
    for router, address in product(range(network.num_routers), range(network.num_terminals)):
        leaving = [
            c * vcs + k for c in range(network.num_channels) for k in range(vcs) if network.source[c] == router
        ]
        home = router == network.eject[address]
        answers[router, address] = (-1,) if home else tuple(random.sample(leaving, min(len(leaving), choice)))
    return answers


def can_deadlock(network: Network, old: Answers, new: Answers, vcs: int = 1) -> bool:
    """Whether some packets can come to stand where none of them can ever move while no further router is updated."""
    target = network.target.repeat(vcs).tolist()
    inject = network.inject.tolist()
    routers, places = network.num_routers, len(target)
    start = (frozenset[int](), (-1,) * places)
    seen, queue = {start}, deque([start])
    while queue:
        updated, held = queue.popleft()

        def answer(router: int, address: int, updated: frozenset[int] = updated) -> tuple[int, ...]:
            return (new if router in updated else old)[router, address]

        blocked = {v for v in range(places) if held[v] >= 0}
        while loose := {v for v in blocked if not set(answer(target[v], held[v])) <= blocked}:
            blocked -= loose
        if blocked:
            return True
        after: list[tuple[frozenset[int], tuple[int, ...]]] = [
            (updated | {router}, held) for router in range(routers) if router not in updated
        ]
        for v, address in enumerate(held):
            if address >= 0:
                for w in answer(target[v], address):
                    if w < 0 or held[w] < 0:
                        moved = [*held]
                        moved[v] = -1
                        if w >= 0:
                            moved[w] = address
                        after.append((updated, tuple(moved)))
        for source, address in product(range(network.num_terminals), repeat=2):
            for w in answer(inject[source], address) if source != address else ():
                if w >= 0 and held[w] < 0:
                    after.append((updated, (*held[:w], address, *held[w + 1 :])))
        for state in after:
            if state not in seen:
                seen.add(state)
                queue.append(state)
    return False


NETWORKS = [
    line(3),
    ring(3),
    Network("circle", 3, [0, 1, 2], [1, 2, 0]),
    Network("four", 4, [0, 1, 2, 3], [1, 2, 3, 0]),
]
MET: Counter[Any] = Counter()


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
@given(seed=st.integers(0, 2**32), choice=st.sampled_from([1, 1, 2]))
@settings(max_examples=25, deadline=None)
def test_answers_agree_with_all_moves_and_updates(network: Network, seed: int, choice: int) -> None:
    random = Random(seed)
    old, new = (random_answers(network, choice, random) for _ in range(2))
    answer = update(table_relation(network, old), table_relation(network, new), time_limit=30)
    expected = can_deadlock(network, old, new)
    MET[choice, expected, answer.deadlock_free] += 1
    if answer.deadlock_free is not None:
        assert answer.deadlock_free == (not expected)
    if choice == 1:
        assert answer.deadlock_free is not None
    assert answer.evidence_holds in ((True,) if answer.deadlock_free is not None else (True, None))
