"""How a counterexample is reached: the grade of given worms against every way of leading them back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings

from tests.drawing import draw_until
from tests.reference.brute_force import States, TooLargeError, deadlock, states_of
from tests.reference.exploration import network_for, reachable_deadlock
from tests.reference.legality import complaints
from tests.strategies import networks, relations, table_relation
from tests.verify.constructions import one_sender
from unknot import replay
from unknot._base.switching import Switching
from unknot.certificates import Rejected, accept_verdict, document, plain, verdict_claim
from unknot.network import Network
from unknot.network.families import mesh, ring, torus
from unknot.routing import EJECT, Relation, dimension_order, fully_adaptive
from unknot.verify import check, check_all, smallest, witness
from unknot.verify.closed_sets import reduce
from unknot.verify.exact_model import Worm
from unknot.verify.witness import LeadIns, _at_terminals, _injected, _led_back, _scheduled, configuration

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


@pytest.mark.long
def test_grades_of_given_worms() -> None:
    """Search, matching and constraint solving find a way back exactly when there is one; so with the schedule."""
    seen: Counter[str] = Counter()

    @given(relations(networks(loops=True, strongly_connected=None)))
    @settings(max_examples=17)
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
        grade = "injected" if expected else "scheduled" if scheduled else "not-established"
        seen[grade] += 1
        result = configuration(relation, worms, "wormhole", 2)
        assert complaints(relation, result) == []
        assert not expected or result.reachability == "injected"
        assert not scheduled or result.reachability != "not-established"
        # A better grade may take messages around these, and more of them.
        assert len(result.messages) <= len(worms) or result.reachability != grade

    draw_until(lambda: min(seen["injected"], seen["scheduled"]) > 3 and seen["not-established"] > 0, compare)


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


@pytest.mark.long
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
        monkeypatch.setattr(witness, "_injected", lambda lead_ins, worms, stretch: _led_back(lead_ins, worms))
        monkeypatch.setattr(witness, "EDGES", edges)
        verdict = check(relation, "wormhole")
        assert verdict.configuration is not None
        shown.append(
            (verdict.reachability, verdict.configuration.limited, "a limit left open" in verdict.established)
        )
    assert shown == [("injected", False, False), ("scheduled", True, True)]


@pytest.mark.long
def test_other_knots_are_tried_before_the_question_is_left_open() -> None:
    """With one sender, the first packets that block each other often cannot come together; others can."""
    for seed in range(30):
        relation = one_sender(mesh(4, 4), seed)
        verdict = check(relation, "vct")
        assert verdict.configuration is not None
        assert (verdict.deadlock_free, verdict.configuration.limited) == (False, False)
        assert verdict.reachability in ("injected", "scheduled")
        assert complaints(relation, verdict.configuration) == []
        accept_verdict(relation, verdict)


def passing(spare: bool) -> Relation:
    """Packets that would block each other beyond the place where the other stands.

    Each goes over one of two channels between two routers, where it may leave, and then back over the other, where it
    waits for the first. With a spare channel packets to the second terminal also have a way around.
    """
    network = Network("pass", 2, [0, 1, 0], [1, 0, 1], inject=[0, 1], eject=[0, 1])
    forth, back, more, first, second = range(5)
    table = {
        (second, 0): [back], (back, 0): [EJECT, forth], (forth, 0): [back],
        (first, 1): [forth, more] if spare else [forth], (forth, 1): [EJECT, back], (more, 1): [back],
        (back, 1): [forth],
    }  # fmt: skip
    may_use = np.array([[False, True], [True, False]])
    return table_relation(network, 1, table, may_use=may_use, name="pass")


@pytest.mark.parametrize("switching", ["saf", "vct"])
def test_a_knot_to_which_no_way_leads_leaves_the_question_open(switching: Switching) -> None:
    relation = passing(spare=False)
    assert reachable_deadlock(network_for(relation, switching, depth=1, lengths=(1,))) is None
    deeper = check(relation, switching)
    assert deeper.configuration is not None
    assert deeper.configuration.queued
    assert complaints(relation, deeper.configuration) == []
    verdict = check(relation, switching, buffer_depth=1)
    assert verdict.configuration is not None
    assert complaints(relation, verdict.configuration) == []
    assert (verdict.deadlock_free, verdict.reachability) == (None, "not-established")
    assert "undecided" in verdict.established
    accept_verdict(relation, verdict)
    claim = verdict_claim(verdict)
    assert "no way there was shown" in plain.accept(document(relation.network, relation, [claim]))[0]
    for answer in (True, False):
        with pytest.raises(Rejected):
            accept_verdict(relation, replace(verdict, deadlock_free=answer))
        with pytest.raises(plain.Rejected):
            plain.accept(document(relation.network, relation, [claim | {"deadlock_free": answer}]))
    assert check_all(relation, buffer_depth=1)[switching].deadlock_free is None
    small = smallest(relation, switching).configuration
    assert small is not None
    assert not small.reachable


@pytest.mark.parametrize("switching", ["saf", "vct"])
def test_a_way_to_a_knot_settles_the_question(switching: Switching) -> None:
    relation = passing(spare=True)
    assert reachable_deadlock(network_for(relation, switching, depth=1, lengths=(1,))) is not None
    verdict = check(relation, switching)
    assert (verdict.deadlock_free, verdict.reachability) == (False, "scheduled")
    accept_verdict(relation, verdict)
    with pytest.raises(Rejected):
        accept_verdict(relation, replace(verdict, deadlock_free=None))
