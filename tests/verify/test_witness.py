"""How a counterexample is reached: the grade of given worms against every way of leading them back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations

import pytest
from hypothesis import given, settings

from tests.drawing import draw_until
from tests.reference.brute_force import States, TooLargeError, deadlock, states_of
from tests.reference.legality import complaints
from tests.verify.constructions import one_sender
from unknot import replay
from unknot.certificates import accept_verdict
from unknot.routing import Relation, dimension_order, fully_adaptive
from unknot.testing import networks, relations
from unknot.topologies import mesh, ring, torus
from unknot.verify import check, witness
from unknot.verify.exact import Worm
from unknot.verify.lead_ins import LeadIns
from unknot.verify.witness import _at_terminals, _injected, _led_back, _scheduled, configuration, reduce

Way = tuple[int, frozenset[int]]
"""A terminal and the VCs from there to the tail of a worm."""


def ways(relation: Relation, states: States, worm: Worm, banned: set[int]) -> Iterator[Way]:
    """Every way from a terminal to a worm's tail without a VC twice, around some VCs and those of the worm."""
    closed = banned | set(worm.path)
    for terminal in relation.sources(worm.address).tolist():
        todo: list[list[int]] = [[relation.num_vcs + terminal]]
        while todo:
            way = todo.pop()
            may = states[worm.address][way[-1]].may
            if worm.path[0] in may:
                yield terminal, frozenset(way[1:])
            todo += [[*way, vc] for vc in may if vc not in closed and vc not in way]


def can_be_injected(relation: Relation, states: States, worms: list[Worm]) -> bool:
    held = {vc for worm in worms for vc in worm.path}

    def lead(rest: list[Worm], taken: set[int], used: set[int]) -> bool:
        if not rest:
            return True
        return any(
            terminal not in taken and lead(rest[1:], taken | {terminal}, used | way)
            for terminal, way in set(ways(relation, states, rest[0], used | held - set(rest[0].path)))
        )

    return lead(worms, set(), set())


def can_be_scheduled(relation: Relation, states: States, worms: list[Worm]) -> bool:
    for order in permutations(worms):
        standing: set[int] = set()
        for worm in order:
            if next(ways(relation, states, worm, standing), None) is None:
                break
            standing |= set(worm.path)
        else:
            return True
    return False


def test_grades_of_given_worms() -> None:
    """Search, matching and constraint solving find a way back exactly when there is one; so with the schedule."""
    seen: Counter[str] = Counter()

    @given(relations(networks(loops=True, strongly_connected=None)))
    @settings(max_examples=150)
    def compare(relation: Relation) -> None:
        try:
            found = deadlock(relation, "wormhole", limit=5_000)
        except TooLargeError:
            return
        if found is None or len(found) > 5:
            return
        worms = reduce([Worm(worm.address, worm.path, tuple(sorted(worm.wants))) for worm in found])
        states = states_of(relation)
        routes = LeadIns(relation)
        expected = can_be_injected(relation, states, worms)
        for led in (_injected(routes, worms, True), _led_back(routes, worms)):
            assert (led is not None) == expected
        direct = _at_terminals(routes, worms)
        choices = [{t for t, way in ways(relation, states, worm, set()) if not way} for worm in worms]
        assert (direct is not None) == any(
            all(t in own for t, own in zip(some, choices, strict=True))
            for some in permutations(range(relation.network.num_terminals), len(worms))
        )
        scheduled = can_be_scheduled(relation, states, worms)
        assert (_scheduled(routes, worms) is not None) == scheduled
        seen["injected" if expected else "scheduled" if scheduled else "not-established"] += 1
        result = configuration(relation, worms, "wormhole", 2)
        assert complaints(relation, result) == []
        assert not expected or result.reachability == "injected"
        assert not scheduled or result.reachability != "not-established"
        assert len(result.messages) <= len(worms)

    draw_until(lambda: min(seen["injected"], seen["scheduled"]) > 5 and seen["not-established"] > 0, compare)


def test_a_worm_is_led_back_to_every_terminal_on_a_shortest_way() -> None:
    relation = fully_adaptive(mesh(3, 2), 2)
    states, routes = states_of(relation), LeadIns(relation)
    for address, graph in enumerate(states):
        for vc in (at for at in graph if at < relation.num_vcs):
            worm, banned = Worm(address, (vc,), ()), {(vc + 5) % relation.num_vcs}
            shortest: dict[int, int] = {}
            for terminal, way in ways(relation, states, worm, banned):
                shortest[terminal] = min(len(way), shortest.get(terminal, len(way)))
            found = list(routes.leads(worm, banned))
            assert [len(way) for _, way in found] == sorted(len(way) for _, way in found)
            assert sorted((terminal, len(way)) for terminal, way in found) == sorted(shortest.items())


@pytest.mark.parametrize(
    ("relation", "messages"),
    [
        (dimension_order(torus(8, 8), dateline="none"), 3),
        (dimension_order(ring(12), dateline="none"), 3),
        (fully_adaptive(mesh(5, 5)), 4),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_default_counterexamples_are_small(relation: Relation, messages: int) -> None:
    found = check(relation, "wormhole").configuration
    assert found is not None
    assert found.reachability == "injected"
    assert len(found.messages) == messages
    assert complaints(relation, found) == []
    assert replay(relation, found).stuck


def test_others_around_are_injected_where_these_cannot_be() -> None:
    """Eight packets in a square, two on each channel, would need two terminals at each router; longer ones do not."""
    relation = fully_adaptive(mesh(5, 5), 2)
    found = check(relation, "wormhole").configuration
    assert found is not None
    assert found.reachability == "injected"
    assert complaints(relation, found) == []
    assert replay(relation, found).stuck
    assert check(relation, "vct").reachability == "scheduled"


def test_a_limit_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """When neither the search nor the solver may look for a way, the grade is said to be open."""
    relation = fully_adaptive(mesh(4, 4))
    shown = []
    for edges in (witness.EDGES, 0):
        monkeypatch.setattr(witness, "TRIES", 0)
        monkeypatch.setattr(witness, "EDGES", edges)
        verdict = check(relation, "wormhole")
        assert verdict.configuration is not None
        shown.append(
            (verdict.reachability, verdict.configuration.limited, "left open by a limit" in verdict.established)
        )
    assert shown == [("injected", False, False), ("scheduled", True, True)]


def test_some_deadlocks_are_not_established() -> None:
    """With one sender, packets often stand where they cannot come together; the grade is decided, not given up."""
    grades: Counter[str] = Counter()
    for seed in range(30):
        relation = one_sender(mesh(4, 4), seed)
        verdict = check(relation, "vct")
        assert verdict.configuration is not None
        assert not verdict.configuration.limited
        assert complaints(relation, verdict.configuration) == []
        accept_verdict(relation, verdict)
        grades[verdict.configuration.reachability] += 1
    assert grades["not-established"] >= 1
    assert grades["scheduled"] > 20
