"""The definition against the fact: exploration of tiny networks finds no deadlock that the definition misses."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings

from tests.drawing import draw_until
from tests.reference.brute_force import TooLargeError, deadlock
from tests.reference.exploration import Atomic, Cut, Queued, network_for, reachable_deadlock
from tests.reference.test_brute_force import one_way_ring
from tests.strategies import networks, relations
from unknot.network.families import line
from unknot.routing import Relation, dimension_order

SETTINGS = (
    ("vct", 1, (1,)),
    ("vct", 2, (1, 2)),
    ("wormhole", 1, (1, 2, 3, 4)),
    ("wormhole", 2, (2, 4)),
    ("wormhole-nonatomic", 1, (1,)),
    ("wormhole-nonatomic", 1, (1, 2)),
    ("wormhole-nonatomic", 2, (2,)),
)
TINY = networks(max_routers=3, max_channels=5, loops=True, strongly_connected=None)


@pytest.mark.parametrize(("switching", "depth", "lengths"), SETTINGS)
def test_known_networks(switching: str, depth: int, lengths: tuple[int, ...]) -> None:
    stuck = reachable_deadlock(network_for(one_way_ring(3, False), switching, depth=depth, lengths=lengths))
    assert stuck is not None
    for safe in (dimension_order(line(3)), one_way_ring(2, True)):
        network = network_for(safe, switching, depth=1, lengths=(1,))
        assert reachable_deadlock(network) is None


def test_states_by_hand() -> None:
    """Three one-flit packets on a one-way ring of three: each buffer full and bound for the next but one."""
    ring = one_way_ring(3, False)
    cut = Cut(ring, 1, (1,))
    assert cut.stuck((((2, 1),), ((0, 1),), ((1, 1),))) == {0, 1, 2}
    assert cut.stuck((((2, 1),), ((0, 1),), ())) == frozenset()
    atomic = Atomic(ring, 1, (1,))
    worms = frozenset((-1, address, 0, ((vc, 1),), False) for vc, address in ((0, 2), (1, 0), (2, 1)))
    assert atomic.stuck(worms) == {0, 1, 2}
    assert atomic.stuck(frozenset(list(worms)[:2])) == frozenset()
    queued = Queued(ring, 1, (1,))
    empty = (None, None, None)
    committed = tuple(((address, 1, (vc + 1) % 3, True), (0, 0, -2, False)) for vc, address in enumerate((2, 0, 1)))
    assert queued.stuck((committed, empty)) == {0, 1, 2}
    uncommitted = tuple(((address, 1, -2, True),) for address in (2, 0, 1))
    assert queued.stuck((uncommitted, empty)) == frozenset()


def explore(relation: Relation, limit: int, seen: Counter[str]) -> None:
    """Compare what the definition says with what exploration finds; count the answers."""
    for switching, depth, lengths in SETTINGS:
        try:
            defined = deadlock(relation, switching, limit=20_000) is not None
            reached = reachable_deadlock(network_for(relation, switching, depth=depth, lengths=lengths), limit=limit)
        except TooLargeError:
            seen["too large"] += 1
            continue
        seen[f"{switching} {'deadlock' if reached is not None else 'free'}"] += 1
        if reached is not None:
            assert defined, f"{switching}: {reached} is reachable"
        elif switching == "wormhole-nonatomic":
            assert not defined, "a cycle of dependencies from which no deadlock can be reached"


def test_random_relations() -> None:
    """Free means that no deadlock is reachable; under non-atomic allocation a cycle means that one is."""
    seen: Counter[str] = Counter()

    @given(relations(TINY))
    @settings(max_examples=20)
    def compare(relation: Relation) -> None:
        if relation.num_vcs <= 6:
            explore(relation, 2_000, seen)

    draw_until(lambda: seen["wormhole free"] > 50 and seen["wormhole-nonatomic deadlock"] > 20, compare)


@pytest.mark.campaign
def test_many_random_relations() -> None:
    seen: Counter[str] = Counter()

    @given(relations(networks(max_routers=4, max_channels=7, loops=True, strongly_connected=None)))
    @settings(max_examples=1_500)
    def compare(relation: Relation) -> None:
        if relation.num_vcs <= 9:
            explore(relation, 6_000, seen)

    draw_until(lambda: seen["wormhole-nonatomic deadlock"] > 500, compare)
    print(dict(seen))
