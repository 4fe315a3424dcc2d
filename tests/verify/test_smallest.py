"""The smallest counterexample: against every set of worms on small instances, and what is known of large ones."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawing import draw_until
from tests.reference.brute_force import TooLargeError
from tests.reference.fewest import fewest
from tests.reference.legality import complaints
from tests.strategies import networks, relations, table_relation
from tests.verify.constructions import FREE_THREE_WIDE, by_signs
from unknot import replay
from unknot._base.errors import RelationError
from unknot._base.switching import SWITCHINGS, Switching
from unknot.certificates import Verdict
from unknot.network import from_edges
from unknot.network.families import complete, mesh, ring, torus
from unknot.routing import EJECT, Relation, dimension_order, fully_adaptive, lcfaa
from unknot.verify import check, smallest
from unknot.verify.effort import TimeUpError
from unknot.verify.exact_model import Worm
from unknot.verify.remainder import Remainder
from unknot.verify.smallest import Smallest

smallest_module = sys.modules["unknot.verify.smallest"]
MANY = relations(networks(loops=True, strongly_connected=None))
FAMILIES = st.sampled_from([mesh(2, 2), mesh(3, 2), ring(4), complete(3)]).flatmap(relations)


def size(outcome: Smallest) -> tuple[int, int]:
    assert outcome.configuration is not None
    messages = outcome.configuration.messages
    return len(messages), sum(len(message.held) for message in messages)


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize("strategy", [MANY, FAMILIES])
def test_smallest_equals_brute_force(strategy: st.SearchStrategy[Relation], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when cycles on fewer VCs are looked for as soon as something was found (0)."""
    seen: Counter[str] = Counter()

    @given(strategy, st.sampled_from(SWITCHINGS), st.sampled_from([2, 0]))
    @settings(max_examples=10)
    def compare(relation: Relation, switching: Switching, around: int) -> None:
        monkeypatch.setattr(smallest_module, "AROUND", around)
        try:
            expected = fewest(relation, switching, limit=3_000)
        except TooLargeError:
            seen["too large"] += 1
            return
        outcome = smallest(relation, switching, buffer_depth=2)
        assert outcome.proved
        if expected is not None and outcome.configuration is None:
            certificate = check(relation, switching).certificate
            assert certificate is not None
            assert certificate.kind == "states"
            return
        if expected is None:
            assert outcome.configuration is None
            seen["free"] += 1
            return
        assert size(outcome) == expected == (outcome.messages_bound, outcome.held_bound)
        assert outcome.configuration is not None
        assert complaints(relation, outcome.configuration) == []
        seen[switching] += 1
        seen[outcome.method[:8]] += 1
        seen[outcome.configuration.reachability] += 1
        if expected[0] > 1:
            seen["several"] += 1

    common = (*SWITCHINGS, "free", "several", "injected", "a closed")
    draw_until(lambda: min(seen[key] for key in common) > 2 and seen["constrai"] > 0, compare)


def test_the_smallest_may_have_no_way_to_where_the_search_begins() -> None:
    """The bound is attained on router 0 in appearance only: a header there waits for both of its loops."""
    both, alone = [0, 1], [2]
    table = {(4, 2): both, (0, 2): both, (1, 2): both, (5, 2): alone, (2, 2): alone}
    relation = table_relation(from_edges([(0, 0), (0, 0), (1, 1), (2, 2)]), 1, table)
    outcome = smallest(relation, "wormhole", time_limit=600)
    assert outcome.proved
    assert size(outcome) == (1, 1) == fewest(relation, "wormhole")


@pytest.mark.parametrize("side", [2, 3, 6])
def test_four_messages_on_a_mesh(side: int) -> None:
    for switching in SWITCHINGS:
        outcome = smallest(fully_adaptive(mesh(side, side)), switching)
        assert outcome.proved
        assert size(outcome) == (4, 4)
        assert outcome.configuration is not None
        assert outcome.configuration.reachability == "injected"


@pytest.mark.parametrize("around", [5, 7, 8])
def test_rings(around: int) -> None:
    """A worm on a ring without dateline holds all of its shortest way but the last hop; a packet holds one VC."""
    relation = dimension_order(torus(around, 3), dateline="none")
    outcome = smallest(relation, switching="wormhole")
    longest = around // 2 - 1
    assert outcome.proved
    assert size(outcome) == (-(-around // longest), around)
    assert size(smallest(relation, "vct")) == (around, around)
    assert outcome.configuration is not None
    assert complaints(relation, outcome.configuration) == []
    assert replay(relation, outcome.configuration).stuck


def test_several_waits_for_one_header() -> None:
    """Two VCs that are all waited for: the walk's bound is too low, the solver proves more."""
    outcome = smallest(fully_adaptive(mesh(2, 2), 2), switching="wormhole")
    assert outcome.proved
    assert size(outcome) == (8, 8)
    assert "solving over all" in outcome.method


@pytest.mark.long
def test_what_needs_long_worms() -> None:
    relation = lcfaa(mesh(3, 3))
    assert smallest(relation, "saf") == Smallest(None, 0, 0, True, smallest(relation, "saf").method)
    outcome = smallest(relation, switching="wormhole")
    assert outcome.proved
    assert outcome.configuration is not None
    assert complaints(relation, outcome.configuration) == []
    assert replay(relation, outcome.configuration).stuck
    outcome = smallest(lcfaa(mesh(5, 5)), switching="wormhole")
    assert outcome.proved
    assert size(outcome) == (4, 8)
    free = smallest(by_signs(mesh(3, 4), FREE_THREE_WIDE), switching="wormhole")
    assert free.proved
    assert free.configuration is None


def test_no_cycle_and_bad_arguments() -> None:
    assert smallest(dimension_order(mesh(3, 3)), switching="wormhole").configuration is None
    relation = fully_adaptive(mesh(2, 2))
    with pytest.raises(RelationError, match="time limit"):
        smallest(relation, time_limit=0, switching="wormhole")
    with pytest.raises(RelationError, match="buffer depth"):
        smallest(relation, buffer_depth=0, switching="wormhole")


def test_time_runs_out() -> None:
    """What is not proved is said not to be."""
    outcome = smallest(fully_adaptive(mesh(6, 6), 2), time_limit=0.05, switching="wormhole")
    assert not outcome.proved
    assert outcome.messages_bound >= 1


def test_counterexamples_are_legal_verdicts() -> None:
    from unknot.certificates import accept_verdict

    for switching in SWITCHINGS:
        relation = dimension_order(torus(4, 4), dateline="none")
        outcome = smallest(relation, switching)
        assert outcome.configuration is not None
        accept_verdict(
            relation, Verdict(False, switching, "smallest", "all", "", configuration=outcome.configuration)
        )
        assert replay(relation, outcome.configuration).stuck


def test_what_is_known_stays_when_nothing_better_is_found() -> None:
    relation = fully_adaptive(mesh(3, 3))
    outcome = smallest(relation, switching="wormhole").configuration
    assert outcome is not None
    assert outcome.reachability == "injected"
    assert (
        smallest(relation, known=replace(outcome, reachability="not-established"), switching="wormhole").configuration
        == outcome
    )
    assert smallest(relation, known=outcome, switching="wormhole").configuration is outcome
    assert (
        smallest(relation, known=replace(outcome, messages=outcome.messages * 2), switching="wormhole").configuration
        == outcome
    )


def test_as_few_messages_as_the_bound_but_more_held_is_no_proof() -> None:
    """A packet on VC 0 waits for VCs 1 and 2: one message holds both, where the walk of waiting needs but one.

    Two messages are the bound and the answer; that they hold three VCs, not two, is settled by the solver alone.
    """
    network = from_edges([(0, 1), (1, 1), (1, 0)], directed=True)
    table = {(3, 0): [0], (0, 0): [1, 2], (1, 0): [2], (2, 0): [EJECT]}
    table |= {(4, 1): [1], (1, 1): [2], (2, 1): [0], (0, 1): [EJECT]}
    relation = table_relation(network, 1, table)
    outcome = smallest(relation, "wormhole")
    assert size(outcome) == (2, 3) == fewest(relation, "wormhole")
    assert (outcome.messages_bound, outcome.held_bound) == (2, 3)
    assert outcome.proved
    assert "solving over all" in outcome.method


def test_a_bound_that_is_not_met_in_time_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver finds as few messages, and has no time to show that they hold the fewest VCs."""
    relation = fully_adaptive(mesh(3, 3))
    best = smallest(relation, "wormhole").configuration
    assert best is not None
    worms = [Worm(m.address, m.held, m.wanted) for m in best.messages]
    monkeypatch.setattr(smallest_module._SmallestSearch, "bound", lambda self: setattr(self, "messages", 4))
    monkeypatch.setattr(smallest_module, "fewest", lambda *args, **options: (worms, False))

    def endless(*_: object) -> list[frozenset[int]]:
        raise TimeUpError("circles", 0, 1)

    monkeypatch.setattr(smallest_module, "circles", endless)
    outcome = smallest(relation, "wormhole", time_limit=0.5)
    assert size(outcome) == (4, 4)
    assert (outcome.messages_bound, outcome.held_bound, outcome.proved) == (4, 1, False)
    assert outcome.method.startswith("time ran out")


@pytest.mark.parametrize(("answer", "proved"), [(False, True), (True, False)])
def test_what_the_solver_cannot_tell_is_open(answer: bool, proved: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where all that is left was searched, and in vain, there is no deadlock; else what is known stays."""
    relation = fully_adaptive(mesh(3, 3))
    known = smallest(relation, "wormhole").configuration
    asked: list[int] = []

    def solver(part: Remainder, *_: object, **__: object) -> tuple[bool, bool]:
        asked.append(part.input_vc.size)
        return answer, False

    monkeypatch.setattr(smallest_module, "fewest", solver)
    outcome = smallest(relation, "wormhole", known=known)
    assert asked == sorted(asked)
    assert len(asked) > 1
    assert (outcome.messages_bound, outcome.held_bound) == ((0, 0) if proved else (4, 0))
    assert (outcome.proved, outcome.configuration) == (proved, None if proved else known)
    assert outcome.method.startswith("no deadlock" if proved else "time ran out")
