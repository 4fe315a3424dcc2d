"""Kernels that search graphs of states, each against its definition over sets."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.verify.rows import Lists, reached, rows
from unknot.network.graph_kernel import strong_components
from unknot.routing.relation import EJECT, NO_WAIT
from unknot.verify.exact_kernel import FAR, nearest, spans
from unknot.verify.remainder import Remainder
from unknot.verify.states_kernel import mark_back

NODES = 6
VCS = 4
SOME = st.lists(st.integers(0, NODES - 1), max_size=3, unique=True)
GRAPHS = st.lists(SOME, min_size=NODES, max_size=NODES)
WAITS = st.lists(st.integers(0, VCS - 1), min_size=1, max_size=2, unique=True)
ON = st.lists(st.integers(0, VCS - 1), min_size=NODES, max_size=NODES)
FLAGS = st.lists(st.booleans(), min_size=NODES, max_size=NODES)


@given(GRAPHS)
def test_components_are_numbered_against_the_edges(graph: Lists) -> None:
    first, target = rows(graph, np.int32)
    label, cyclic = np.full(NODES, 7, dtype=np.int32), np.ones(NODES, dtype=bool)
    count = strong_components(first, target, label, cyclic)
    after = [reached(graph, [u]) for u in range(NODES)]
    assert set(label.tolist()) == set(range(count))
    for u in range(NODES):
        assert all(label[v] <= label[u] for v in graph[u])
        assert [label[v] == label[u] for v in range(NODES)] == [v in after[u] and u in after[v] for v in range(NODES)]
        assert cyclic[u] == (u in reached(graph, graph[u]))


@given(GRAPHS, SOME)
def test_states_from_which_a_head_is_reached(graph: Lists, owners: list[int]) -> None:
    before, back = rows([[u for u in range(NODES) if v in graph[u]] for v in range(NODES)], np.int64)
    found = np.isin(np.arange(NODES), owners)
    mark_back(before, back, found)
    assert found.tolist() == [not reached(graph, [u]).isdisjoint(owners) for u in range(NODES)]


@given(st.randoms(use_true_random=True))
def test_what_may_block_or_leave_is_left(rng: random.Random) -> None:
    """The greatest set, by repeated passes over sets."""
    graph = [rng.choices(range(NODES), k=rng.choice([0, 1, 1, 2])) for _ in range(NODES)]
    on = [rng.randrange(VCS) for _ in range(NODES)]
    leaves = [rng.random() < 0.2 for _ in range(NODES)]
    heads = sorted((rng.randrange(NODES), rng.choices(range(VCS), k=rng.choice([1, 2]))) for _ in "heads")
    alive, blocking = set(range(NODES)), set(range(len(heads)))
    while True:
        held = {on[s] for s in alive}
        blocking = {h for h in blocking if heads[h][0] in alive and held.issuperset(heads[h][1])}
        ends = {s for s in alive if leaves[s]} | {heads[h][0] for h in blocking}
        inside = [[t for t in row if t in alive] for row in graph]
        kept = {s for s in alive if not reached(inside, [s]).isdisjoint(ends)}
        if kept == alive:
            break
        alive = kept
    every, flags = np.arange(NODES), np.array(leaves)
    owner = np.array([head[0] for head in heads], dtype=np.int64)
    part = Remainder(np.array(on), every, rows(graph), flags, flags, owner, rows([h[1] for h in heads])).pruned()
    assert set(part.owner.tolist()) == alive
    waits = [(int(part.owner[s]), sorted({*row})) for s, row in zip(part.head_owner, part.waits.lists(), strict=True)]
    assert waits == [(heads[h][0], sorted(set(heads[h][1]))) for h in sorted(blocking)]


@given(GRAPHS, ON, st.lists(st.lists(WAITS, max_size=2), min_size=NODES, max_size=NODES))
def test_spans_of_worms(graph: Lists, on: list[int], heads: list[list[list[int]]]) -> None:
    expected = np.full((VCS, VCS), FAR)
    for start in range(NODES):
        front, steps = {start}, 1
        while steps <= NODES:
            for w in {w for s in front for head in heads[s] for w in head}:
                expected[on[start], w] = min(expected[on[start], w], steps)
            front, steps = {t for s in front for t in graph[s]}, steps + 1
    span = np.zeros((VCS, VCS), dtype=np.int16)
    stay_first = np.cumsum([0, *map(len, heads)], dtype=np.int64)
    waits = rows([head for some in heads for head in some])
    spans(VCS, np.array(on), *rows(graph), stay_first, *waits, span.ravel())
    assert np.array_equal(span, expected)


@given(GRAPHS, st.lists(SOME, min_size=1, max_size=2), st.lists(FLAGS, min_size=2, max_size=2))
def test_depths_at_which_dependencies_arise(graph: Lists, ports: list[list[int]], marks: list[list[bool]]) -> None:
    """Nodes are VCs; ports come after them. All possible dependencies are asked for."""
    order, depth = [NODES + p for p in range(len(ports))], dict.fromkeys(range(NODES, NODES + len(ports)), 0)
    answers = {at: graph[at] if at < NODES else ports[at - NODES] for at in (*range(NODES), *order)}
    for at in order:
        for vc in answers[at]:
            if vc not in depth:
                depth[vc] = depth[at] + 1
                order.append(vc)
    value = [
        [EJECT] * (at < NODES and marks[1][at]) + [vc + NO_WAIT * marks[0][vc] for vc in answers[at]] for at in order
    ]
    least = np.full(NODES * NODES, 3)
    edge, target = rows([range(NODES)] * NODES, np.int32)
    work = np.full(NODES, 2)
    nearest(len(ports), np.array(order), *rows(value), edge, target, work, least)
    expected = [min(3, depth[u]) if u in depth and v in graph[u] else 3 for u in range(NODES) for v in range(NODES)]
    assert least.tolist() == expected
