"""Refutations: the clauses, the solver, and the checker of what it says."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.lane_assignment.test_lanes import networks
from tests.reference import climbing
from unknot._base.deadline import clock
from unknot.certificates import Rejected, plain
from unknot.certificates.documents import network_of
from unknot.lane_assignment import Refutation, lanes, second_opinion
from unknot.lane_assignment.agreed import refute
from unknot.lane_assignment.evidence import accept
from unknot.lane_assignment.exact import ExactSearch
from unknot.lane_assignment.lane_search import Open, Solution
from unknot.lane_assignment.path_set import demand, path_set
from unknot.lane_assignment.question import question_of
from unknot.lane_assignment.rooted import orders_of
from unknot.lane_assignment.served_pairs import shortest_pairs
from unknot.network import Network, from_networkx
from unknot.search.effort import SearchEffort
from unknot.search.solver import FORGOTTEN, steps_of


def one_way_ring(routers: int) -> Network:
    return Network("one-way ring", routers, range(routers), [(i + 1) % routers for i in range(routers)])


def effort() -> SearchEffort:
    return SearchEffort(clock() + 60)


@pytest.mark.parametrize("routers", [5, 6, 7])
def test_a_one_way_ring_needs_half_as_many_lanes_as_routers(routers: int) -> None:
    """A pair from s to the router before s passes all others, so some lane breaks the ring at one of the two."""
    laned = lanes(one_way_ring(routers))
    assert laned.count == laned.lower_bound == -(-routers // 2)
    assert isinstance(laned.evidence, Refutation)
    assert laned.evidence_holds


def refutation(most_ordered: int = second_opinion.MOST_ORDERED) -> tuple[Network, Refutation]:
    network = one_way_ring(7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(second_opinion, "MOST_ORDERED", most_ordered)
        answer = refute(shortest_pairs(network, None), 3, effort(), conflicts=10_000)
    assert isinstance(answer, Refutation)
    return network, answer


@pytest.mark.parametrize("most_ordered", [0, second_opinion.MOST_ORDERED])
def test_corrupted_refutations_are_refused(most_ordered: int) -> None:
    """By cycles that are forbidden, and by orders of channels."""
    network, good = refutation(most_ordered)
    assert accept(network, good) == 3
    assert good.ordered is (not good.cycles) is (most_ordered > 0)
    literals, hints = good.steps[-1]
    for wrong in (
        replace(good, lanes=4),
        replace(good, lanes=0),
        replace(good, lanes=10**9),
        replace(good, cycles=(), ordered=False),
        replace(good, ordered=not good.ordered),
        replace(good, cycles=((0, 1, 2), *good.cycles)),
        replace(good, cycles=((0, 99), *good.cycles)),
        replace(good, cycles=((), *good.cycles)),
        replace(good, pairs=()),
        replace(good, pairs=((0, 0), *good.pairs)),
        replace(good, pairs=(*good.pairs, good.pairs[0])),
        replace(good, changes="some"),
        replace(good, steps=()),
        replace(good, steps=good.steps[:-1]),
        replace(good, steps=(((10**6,), ()), *good.steps)),
        replace(good, steps=((literals, hints[:-1]),)),
        replace(good, steps=((literals, (10**6,)),)),
    ):
        with pytest.raises(Rejected):
            accept(network, wrong)


def test_a_refutation_is_of_one_network_only() -> None:
    _, good = refutation()
    two_ways = from_networkx(nx.cycle_graph(7))
    with pytest.raises(Rejected):
        accept(two_ways, replace(good, cycles=(), ordered=False))


def test_changed_steps_are_refused_or_harmless() -> None:
    """Whatever is changed, what is still accepted is proved: it follows by the naive twin too."""
    network, good = refutation()
    random = np.random.default_rng(1)
    refused = 0
    graph = plain.Network(network_of(network))
    encoder = plain.Encoder(graph, 3)
    plain.lane_clauses(encoder, plain.sending_pairs(graph, None), good.proof)
    for _ in range(60):
        steps = [(list(literals), list(hints)) for literals, hints in good.steps]
        literals, hints = steps[int(random.integers(len(steps)))]
        part = literals if literals and random.random() < 0.5 else hints
        at = int(random.integers(len(part)))
        if random.random() < 0.5:
            part[at] = -part[at] if part is literals else int(random.integers(1, len(encoder.clauses)))
        else:
            del part[at]
        wrong = replace(good, steps=tuple((tuple(x), tuple(h)) for x, h in steps))
        try:
            accept(network, wrong)
        except Rejected:
            refused += 1
        else:
            assert naive(encoder.clauses, [literals for literals, _ in wrong.steps]) == -1
    assert refused > 10


@given(
    networks(),
    st.integers(1, 2),
    st.sampled_from(["none", "shared", "rising", "any"]),
    st.sampled_from([0, 2, 1000]),
    st.sampled_from([0, second_opinion.MOST_ORDERED]),
)
def test_the_clauses_of_the_checker_agree_with_brute_force(
    network: Network, count: int, changes: str, paths: int, most_ordered: int
) -> None:
    """Whether pairs have a variable for each of their shortest paths, or for the channels of these; see above."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unknot.certificates.plain.encoder.MOST_PATHS", paths)
        patch.setattr(second_opinion, "MOST_ORDERED", most_ordered)
        the_clauses_agree(network, count, changes)


def the_clauses_agree(network: Network, count: int, changes: str) -> None:
    if changes in plain.KEPT:
        fewest = climbing.fewest_lanes(network, count, both_ways=changes == "shared")
    else:
        fewest = climbing.fewest_changing(network, count, changes)
    answer = refute(shortest_pairs(network, None), count, effort(), changes=changes, conflicts=10_000)
    if fewest > count:
        assert isinstance(answer, Refutation)
        assert accept(network, answer) == count
    else:
        assert isinstance(answer, Solution)
        if changes in plain.KEPT:
            assert orders_of(path_set(demand(network)), answer.keys).unserved == 0
            assert climbing.unserved(network, answer.keys, both_ways=changes == "shared") == 0


def split(learnt: np.ndarray) -> list[tuple[int, ...]]:
    clauses, now = [], []
    for x in learnt.tolist():
        if x:
            now.append(x)
        else:
            clauses.append(tuple(now))
            now = []
    return clauses


def conflict(clauses: list[tuple[int, ...]], true: set[int]) -> bool:
    """Whether unit propagation violates a clause."""
    while True:
        before = len(true)
        for clause in clauses:
            if any(x in true for x in clause):
                continue
            left = {x for x in clause if -x not in true}
            if not left:
                return True
            if len(left) == 1:
                true |= left
        if len(true) == before:
            return False


def naive(formula: list[tuple[int, ...]], learnt: list[tuple[int, ...]]) -> int:
    """The first learnt clause that does not follow; −1 if all do, up to a contradiction; else how many there are."""
    known = list(formula)
    for i, clause in enumerate(learnt):
        if conflict(known, set()):
            return -1
        if not any(-x in clause for x in clause) and not conflict(known, {-x for x in clause}):
            return len(formula) + i
        known.append(clause)
    return -1 if conflict(known, set()) else len(known)


LITERAL = st.integers(1, 5).flatmap(lambda v: st.sampled_from([v, -v]))
CLAUSES = st.lists(st.lists(LITERAL, max_size=3).map(tuple), max_size=14)


@given(CLAUSES, CLAUSES)
@example([(-1, -1), (1,)], [])
def test_hints_are_found_where_clauses_follow(formula: list[tuple[int, ...]], learnt: list[tuple[int, ...]]) -> None:
    follows = naive(formula, learnt) == -1
    try:
        steps = steps_of(formula, np.array([x for clause in learnt for x in (*clause, 0)], dtype=np.int32), 5)
    except Rejected:
        assert not follows
    else:
        assert follows
        plain.check_refutation(formula, 5, [[list(part) for part in step] for step in steps])
        for values in product((False, True), repeat=5):
            assert not all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in formula)


@given(CLAUSES, CLAUSES, st.lists(st.integers(0, 13), max_size=14))
def test_hints_name_no_clause_that_was_forgotten_before(
    formula: list[tuple[int, ...]], learnt: list[tuple[int, ...]], forgotten: list[int]
) -> None:
    lines = list[int]()
    for number, clause in enumerate(learnt):
        lines += [*clause, 0]
        if number < len(forgotten) and forgotten[number] < len(formula):
            lines += [FORGOTTEN, *formula[forgotten[number]], 0]
    try:
        steps = steps_of(formula, np.array(lines, dtype=np.int32), 5)
    except Rejected:
        return
    assert naive(formula, learnt) == -1
    plain.check_refutation(formula, 5, [[list(part) for part in step] for step in steps])


def test_what_a_solver_forgot_is_not_needed() -> None:
    formula, learnt = [(1, 2), (-1, 2), (1, -2), (-1, -2)], [2, 0, FORGOTTEN, 1, 2, 0, FORGOTTEN, 2, -1, 0, 0]
    assert [clause for clause, _ in steps_of(formula, np.array(learnt, dtype=np.int32), 2)] == [(2,), ()]
    forgotten = [x for clause in formula for x in (FORGOTTEN, *clause, 0)]
    with pytest.raises(Rejected):  # without the clauses that it forgets at once
        steps_of([*formula, (3,)], np.array([3, 0, *forgotten, 2, 0, 0], dtype=np.int32), 3)


def test_a_large_question_is_left_open() -> None:
    network = from_networkx(nx.random_regular_graph(4, 40, seed=1))
    assert isinstance(refute(shortest_pairs(network, None), 2, effort(), conflicts=10), Open)
    large = from_networkx(nx.random_regular_graph(4, 200, seed=1))
    search = ExactSearch(question_of(large, "free", "none", None, None), effort(), 10)
    assert search.keys(2) is None
    assert search.open == {2: 0}


BUSY = """
import signal
from itertools import combinations
from pysat.solvers import Solver
from unknot._base.deadline import clock
from unknot.certificates import Rejected, plain
from unknot.certificates.documents import network_of
from unknot.search.solver import solved_within
from unknot.search.effort import SearchEffort
signal.signal(signal.SIGINT, signal.default_int_handler)
pigeons, holes = range(14), range(13)
at = {(p, h): 1 + p * len(holes) + h for p in pigeons for h in holes}
clauses = [[at[p, h] for h in holes] for p in pigeons]
clauses += [[-at[p, h], -at[q, h]] for h in holes for p, q in combinations(pigeons, 2)]
with Solver(name="glucose4", bootstrap_with=clauses) as solver:
    print("begins", flush=True)
    try:
        solved_within(solver, SearchEffort(clock() + 60), 10**9)
    except KeyboardInterrupt:
        print("interrupted")
"""
"""More pigeons than holes: the solver has work for hours."""


def test_ctrl_c_ends_the_solver_at_work() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", BUSY], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "begins\n"
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=600)
        finally:
            process.kill()
    assert out == "interrupted\n", err
