"""Delivery against every walk written out, and which pairs count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.brute_force import States, states_of
from tests.strategies import networks, relations, table_relation
from unknot._base.errors import RelationError
from unknot._base.kernels.lazy_kernel import plainly
from unknot.network import Network, distances_from, from_edges
from unknot.network.families import mesh, omega
from unknot.routing import EJECT, Relation, destination_tag, fully_adaptive, o1turn
from unknot.verify import Delivery, adaptivity, deliver, livelock
from unknot.verify.delivery_kernel import BROKEN, DEAD_ENDS, ENDLESS, LONGEST_SOURCE, LOOPS, RouteNotes, follow_routes
from unknot.verify.explorer import Explorer


def reached(states: States, address: int, start: int) -> set[int]:
    found = {start}
    todo = [start]
    for at in todo:
        new = states[address][at].may - found
        found |= new
        todo += new
    return found


def endless(states: States, address: int) -> set[int]:
    """States from which some walk goes round: peel off those whose successors are gone."""
    left = {at: set(answer.may) for at, answer in states[address].items()}
    while gone := {at for at, after in left.items() if not after & left.keys()}:
        left = {at: after for at, after in left.items() if at not in gone}
    return set(left)


def longest(states: States, address: int, start: int) -> int:
    return max((1 + longest(states, address, vc) for vc in states[address][start].may), default=0)


@given(relations(networks(max_routers=5, max_channels=10)))
def test_delivery_of_random_relations(relation: Relation) -> None:
    found, states, network, vcs = deliver(relation), states_of(relation), relation.network, relation.num_vcs
    loops = any(endless(states, address) for address in range(relation.num_addresses))
    assert found.livelock_free == (not loops)
    pairs = undelivered = 0
    lengths = []
    shortest = True
    for address, home in enumerate(relation.destination.tolist()):
        distance = distances_from(network, int(network.eject[home]), reverse=True)
        for at, answer in states[address].items():
            here = int(relation.vcs.router[at])
            steps = [int(network.target[relation.vcs.channel[vc]]) for vc in answer.may]
            shortest = shortest and all(distance[to] == distance[here] - 1 for to in steps)
        for source in relation.sources(address).tolist():
            start = vcs + source
            first = relation.candidates(start, address)
            ends = {at for at in states[address] if any(c.vc is None for c in relation.candidates(at, address))}
            lost = any(not reached(states, address, at) & ends for at in reached(states, address, start))
            if source != home:
                pairs += 1
                undelivered += lost
            elif lost and first:
                pairs += 1
                undelivered += 1
            if first and not loops:
                lengths.append(longest(states, address, start))
    assert (found.pairs, found.undelivered_pairs) == (pairs, undelivered)
    assert found.delivered == (undelivered == 0)
    assert found.minimal == (None if loops else shortest)
    assert found.longest_route == (max(lengths) if lengths and not loops else None)
    if found.longest_pair is not None:
        source, address = found.longest_pair
        assert longest(states, address, vcs + source) == found.longest_route


LOST = relations(networks(max_routers=5, max_channels=10, strongly_connected=None, loops=True), kinds=["loose"])


@given(LOST, st.sampled_from([0, 2, 4, 100]))
def test_the_first_dead_ends_and_states_on_loops_are_kept(relation: Relation, room: int) -> None:
    """As many as there is room for, in the order of the search; all are counted."""
    states, network = states_of(relation), relation.network
    tables = [np.full(room, -7, dtype=np.int64) for _ in range(3)]
    totals = np.zeros(BROKEN + 1, dtype=np.int64)
    totals[LONGEST_SOURCE] = -1
    expected: list[list[int]] = [[], [], []]
    with plainly():
        space = Explorer(relation)
        for address, home in enumerate(relation.destination.tolist()):
            round_, answers = endless(states, address), states[address]
            ends = {at for at, answer in answers.items() if answer.may_leave}
            order = space.visit(address)[0].tolist()
            expected[2] += [order[0], address] if round_ & {*order} else []
            for at in order:
                nothing = not answers[at].may and not answers[at].may_leave
                if nothing and at != relation.num_vcs + home:
                    expected[0] += [at, address]
                if at in round_ and not reached(states, address, at) & ends:
                    expected[1] += [at, address]
        space = Explorer(relation)
        first, channels = network.incoming
        neighbours = first, network.source[channels], network.target[relation.vcs.channel]
        notes = RouteNotes(totals, *tables)
        failed = follow_routes(space.traversal, neighbours, 0, relation.num_addresses, notes)
    assert failed == -1
    assert totals[[DEAD_ENDS, LOOPS, ENDLESS]].tolist() == [len(pairs) // 2 for pairs in expected]
    for table, pairs in zip(tables, expected, strict=True):
        assert table.tolist() == (pairs + [-7] * room)[:room]


def test_the_longest_route_of_the_first_terminal() -> None:
    """Shorter ones of later terminals do not take its place."""
    network = from_edges([(0, 1), (1, 2)], directed=True)
    table = {(2, 2): [0], (0, 2): [1], (3, 2): [1], (1, 2): [EJECT]}
    found = deliver(table_relation(network, 1, table))
    assert (found.longest_route, found.longest_pair) == (2, (0, 2))


def test_without_terminals_nothing_is_missed() -> None:
    empty = np.zeros(0, dtype=np.int64)
    network = Network(
        name="bare", num_routers=2, source=np.array([0]), target=np.array([1]), inject=empty, eject=empty
    )
    found = deliver(Relation(network, 1, lambda at, address, out: 0, name="nothing"))
    assert found == Delivery(True, 0, 0, (), (), True, True, None, None)


@pytest.mark.parametrize("threads", [0, True, 1.5])
def test_senseless_threads_are_refused(threads: object) -> None:
    with pytest.raises(RelationError, match="deliver: the number of threads must be at least 1"):
        deliver(fully_adaptive(mesh(2, 2)), threads=threads)  # type: ignore[arg-type]


def test_endless_routes_have_no_length() -> None:
    """From r0 a packet goes on to r1, and from there back or on."""
    network = from_edges([(0, 1), (1, 0), (1, 2)], directed=True)
    found = deliver(table_relation(network, 1, {(3, 2): [0], (0, 2): [1, 2], (1, 2): [0], (2, 2): [EJECT]}))
    assert found.livelock_free is False
    assert found.minimal is None
    assert found.longest_route is None
    assert found.longest_pair is None


@pytest.mark.parametrize(
    ("relation", "pairs", "delivered"),
    [
        (destination_tag(omega(8)), 56, 56),
        (fully_adaptive(mesh(3, 3)), 72, 72),
        # two terminals at each end of a line of two routers: those beside each other have no path between routers
        (fully_adaptive(Network("pair", 2, [0, 1], [1, 0], inject=[0, 0, 1, 1])), 8, 12),
        # two addresses for each terminal: a pair of terminals has its paths once, and is delivered twice
        (o1turn(mesh(3, 3)), 72, 144),
    ],
)
def test_which_pairs_count(relation: Relation, pairs: int, delivered: int) -> None:
    """No terminal is a pair with itself, not even where its way out and in are at different routers."""
    assert adaptivity(relation).pairs == pairs
    assert deliver(relation).pairs == delivered


def test_a_loop_with_a_way_to_a_dead_end_is_named() -> None:
    network = from_edges([(0, 1), (1, 0), (1, 2)], directed=True)
    table = {(3, 2): [0], (0, 2): [1, 2], (1, 2): [0], (2, 2): []}
    relation = table_relation(network, 1, table)
    (input_vcs, address), *others = deliver(relation).loops
    assert (address, others) == (2, [])
    assert [relation.vcs.name(at) for at in input_vcs] == ["r0→r1", "r1→r0"]
    assert livelock(relation).describe(relation) == ["bound for t2: r0→r1 ⟶ r1→r0 ⟶ r0→r1"]
