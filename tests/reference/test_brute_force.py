"""The brute force itself: known cases, a second way to count, and the order of the techniques."""

from __future__ import annotations

from itertools import chain, combinations

import pytest
from hypothesis import given, settings

from tests.reference.brute_force import TooLargeError, Worm, blockings, deadlock, dependency_cycle, states_of
from tests.reference.legality import complaints
from tests.strategies import networks, relations, table_relation
from unknot._base.switching import SWITCHINGS, Switching
from unknot.certificates.verdict import Configuration, Message
from unknot.network import from_edges
from unknot.network.families import mesh, ring
from unknot.routing import EJECT, NO_WAIT, Relation, dimension_order


def one_way_ring(k: int, dateline: bool) -> Relation:
    """Routing on a one-way ring: the classical deadlock, and its classical cure with a second VC after router 0."""
    network = from_edges([(i, (i + 1) % k) for i in range(k)], directed=True)
    vcs = 2 if dateline else 1
    table = {}
    for address in range(k):
        for at in range(vcs * k + k):
            here = (at // vcs + 1) % k if at < vcs * k else at - vcs * k
            high = vcs == 2 and here <= address
            table[at, address] = [EJECT] if here == address else [vcs * here + high]
    return table_relation(network, vcs, table)


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_rings_and_lines(switching: Switching) -> None:
    knot = deadlock(one_way_ring(4, dateline=False), switching)
    assert knot is not None
    assert {vc for worm in knot for vc in worm.path} == {0, 1, 2, 3}
    assert deadlock(one_way_ring(4, dateline=True), switching) is None
    assert deadlock(dimension_order(mesh(3, 2)), switching) is None
    assert deadlock(dimension_order(ring(4)), switching) is not None
    assert deadlock(dimension_order(ring(4), 2), switching) is None


def test_worms_need_more_than_buffers() -> None:
    """A packet to the terminal at router 2 may turn back to router 0 once, unwaited for, and wait for VC 0 again."""
    network = from_edges([(0, 1), (1, 0), (1, 2)], directed=True)
    table = {(3, 2): [0], (0, 2): [2, 1 + NO_WAIT], (1, 2): [0], (2, 2): [EJECT]}
    relation = table_relation(network, 1, table)
    assert deadlock(relation, "vct") is None
    knot = deadlock(relation, "wormhole")
    assert knot == [Worm(2, (0, 1), frozenset({0}))]
    cycle = dependency_cycle(relation)
    assert cycle is not None
    assert {worm.path for worm in cycle} == {(0,), (1,)}


def test_commitment_takes_the_escape_away() -> None:
    """A header that may leave or go round: free when it chooses anew, not when its choice is kept."""
    network = from_edges([(0, 1), (1, 0)], directed=True)
    table = {(2, 1): [0], (0, 1): [EJECT, 1], (1, 1): [0]}
    assert deadlock(table_relation(network, 1, table), "vct") is None
    assert deadlock(table_relation(network, 1, table), "wormhole") == [Worm(1, (0, 1), frozenset({0}))]
    for switching in SWITCHINGS:
        assert deadlock(table_relation(network, 1, table, commits=True), switching) is not None


def test_size_guard() -> None:
    with pytest.raises(TooLargeError, match="more than 50 paths"):
        deadlock(dimension_order(ring(6), 2), "wormhole", limit=50)


def subsets(items: list[int]) -> chain[tuple[int, ...]]:
    return chain.from_iterable(combinations(items, size) for size in range(1, len(items) + 1))


@given(relations(networks(max_routers=3, max_channels=5, loops=True, strongly_connected=None)))
@settings(max_examples=20)
def test_buffers_by_all_subsets(relation: Relation) -> None:
    """The search agrees with trying every set of VCs, for packets that sit in one buffer."""
    options: dict[int, list[frozenset[int]]] = {}
    for answers in states_of(relation):
        for at, answer in answers.items():
            if at < relation.num_vcs:
                options.setdefault(at, []).extend(blockings(relation, answer))
    blockable = sorted(vc for vc in options if options[vc])
    if len(blockable) > 10:
        return
    exists = any(
        all(any(wants <= set(chosen) for wants in options[vc]) for vc in chosen) for chosen in subsets(blockable)
    )
    assert (deadlock(relation, "saf") is not None) == exists


@given(relations(networks(loops=True, strongly_connected=None)))
@settings(max_examples=30)
def test_techniques_are_ordered_and_configurations_legal(relation: Relation) -> None:
    """What blocks buffers blocks worms, what blocks worms is a cycle of dependencies; each answer is legal."""
    answers = []
    for switching in ("saf", "wormhole", "wormhole-nonatomic"):
        try:
            knot = deadlock(relation, switching, limit=20_000)
        except TooLargeError:
            return
        answers.append(knot is not None)
        if knot is not None:
            assert complaints(relation, configuration(relation, switching, knot)) == []
    assert answers == sorted(answers)


def configuration(relation: Relation, switching: Switching, worms: list[Worm]) -> Configuration:
    """The brute force's worms as a configuration, each with a way from some terminal to its tail."""
    messages = []
    for worm in worms:
        source, lead = way_to(relation, worm)
        held, awaited = worm.path, tuple(sorted(worm.wants))
        messages.append(Message(source, worm.address, 4 * len(held), lead, held, awaited))
    return Configuration(switching, 4, "not-established", tuple(messages))


def way_to(relation: Relation, worm: Worm) -> tuple[int, tuple[int, ...]]:
    """A terminal and the VCs over which a packet gets from it to the first VC of a worm."""
    answers = states_of(relation)[worm.address]
    lead_of = {relation.num_vcs + int(t): (int(t), ()) for t in relation.sources(worm.address)}
    todo = list(lead_of)
    while todo:
        at = todo.pop()
        terminal, lead = lead_of[at]
        if worm.path[0] in answers[at].may:
            return terminal, lead
        for vc in answers[at].may - lead_of.keys():
            lead_of[vc] = (terminal, (*lead, vc))
            todo.append(vc)
    raise AssertionError(f"{worm} cannot be reached")
