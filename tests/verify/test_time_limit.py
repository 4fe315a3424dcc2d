"""Time that runs out leaves a question open and proves nothing; no solver is replaced here."""

from __future__ import annotations

import importlib
import itertools
import time
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.verify.constructions import FREE_THREE_WIDE, beside, by_signs
from unknot._base.deadline import NoAnswerError, clock
from unknot.certificates import Unchecked, accept_verdict
from unknot.network.families import mesh, torus
from unknot.routing import Relation, dimension_order, fully_adaptive
from unknot.verify import Smallest, check, dependencies, effort, exact, smallest
from unknot.verify.decision import TechniqueDecision
from unknot.verify.effort import Effort, TimeUpError
from unknot.verify.exact_model import Model, Worm, fewest
from unknot.verify.queued_cycle import _messages, queued_cycle
from unknot.verify.remainder import Remainder, on_cycles
from unknot.verify.states import Dependencies
from unknot.verify.waiting import drain, waiting
from unknot.verify.witness import configuration

HARD, EASY = by_signs(mesh(3, 10), FREE_THREE_WIDE), by_signs(mesh(3, 3), FREE_THREE_WIDE)


def left_over(relation: Relation) -> tuple[Dependencies, Remainder]:
    """What the fixpoints leave to the exact search."""
    graph = dependencies(relation)
    return graph, on_cycles(graph, "wormhole", drain(waiting(graph), spread=True).vcs)


@pytest.mark.parametrize("small", [exact.SMALL, 0, 10**6])
def test_an_exact_search_without_time_answers_nothing(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, and by windows."""
    monkeypatch.setattr(exact, "SMALL", small)
    graph, rest = left_over(HARD)
    assert rest.pruned().input_vc.size
    assert exact.find_worms(graph, rest, 1e-9) is None


def test_one_open_component_leaves_the_whole_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever of two components it is that takes too long."""
    graph, rest = left_over(beside(HARD, EASY))
    assert np.unique(graph.label[rest.pruned().input_vc]).size == 2
    assert exact.find_worms(graph, rest, 0.1) is None
    for open_ones in ([True, False], [False, True]):
        answers = iter(open_ones)
        monkeypatch.setattr(exact._Search, "worms", lambda _, answers=answers: next(answers))
        assert exact.find_worms(graph, rest, 0.1) is None


def test_the_proof_strikes_out_both_of_two_components() -> None:
    twice = beside(*[by_signs(mesh(3, 2), FREE_THREE_WIDE)] * 2)
    verdict = check(twice, "wormhole")
    assert verdict.certificate is not None
    assert verdict.certificate.kind == "exhausted"
    accept_verdict(twice, verdict)


def test_a_rule_that_never_answers_leaves_the_question_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def given_up(seconds: float, work: object) -> None:
        raise NoAnswerError

    monkeypatch.setattr(importlib.import_module("unknot._base.deadline"), "within", given_up)
    verdict = check(EASY, "vct", time_limit=7)
    assert (verdict.deadlock_free, verdict.method) == (None, "asking the rule")
    text = "undecided after 7 s: the rule gave no answer; does it loop for ever? (processor time: "
    assert verdict.established.startswith(text)
    assert 0 <= float(verdict.established.removeprefix(text).removesuffix(" s)")) < 60


def test_work_that_does_not_look_at_the_clock_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the rule, which has answered, is not to blame."""
    monkeypatch.setattr(TechniqueDecision, "verdict", lambda _: time.sleep(1.5))
    verdict = check(EASY, time_limit=0.3)
    assert verdict.method == "channel dependency graph"
    assert "VCs lie on cycles of dependencies; what follows did not end in time" in verdict.established


def test_a_solver_without_time_answers_true() -> None:
    """True says that time ran out; False would be a proof."""
    graph, rest = left_over(HARD)
    part = rest.pruned()
    assert Model(part).blocked(1e-9) is True
    model = Model(part)
    assert model.minimize(sum(model.stay), 1, 0.0, 1e-9) == (True, False)
    opened = part.cut(np.arange(part.input_vc.size), open_ends=True)
    assert exact._Search(graph.relation, part, 0.0).never_held(opened, np.unique(part.input_vc)).size == 0


def test_check_that_runs_out_of_time_is_open_at_every_limit() -> None:
    """From the first stage into the exact search: with ever more time it gets further, and never claims anything."""
    furthest = "greatest fixpoint of worms, then exact search (CP-SAT)"
    for limit in (1e-6, 0.003, 0.01, 0.03, 0.1, 0.2, 0.5, 2.0, 10.0):
        verdict = check(HARD, "wormhole", time_limit=limit)
        assert verdict.deadlock_free is None
        assert verdict.certificate is None
        assert verdict.configuration is None
        assert verdict.established.startswith(f"undecided after {limit:g} s: ")
        with pytest.raises(Unchecked, match="open question"):
            accept_verdict(HARD, verdict)
        if verdict.method == furthest:
            break
    assert verdict.method == furthest
    proved = check(EASY, time_limit=60)
    assert proved.deadlock_free
    accept_verdict(EASY, proved)


def test_a_deadlock_found_too_late_is_graded_no_further() -> None:
    """The worms are there, but no time is left to lead them back: the grade says that it is open."""
    relation = dimension_order(torus(4, 4), 2, dateline="none")
    found = check(relation, "vct")
    assert found.configuration is not None
    assert found.configuration.reachability == "scheduled"
    worms = [Worm(m.address, m.held, m.wanted) for m in found.configuration.messages]
    late = configuration(relation, worms, "vct", 8, end=clock() - 1.0)
    assert late.limited
    assert late.reachability == "not-established"
    assert "a limit left open" in late.summary
    accept_verdict(relation, replace(found, deadlock_free=None, configuration=late))


def test_a_cycle_without_time_to_lead_packets_to_it() -> None:
    """A deadlock that is known but cannot be shown is not claimed."""
    graph = dependencies(dimension_order(torus(6, 6)))
    with pytest.raises(TimeUpError, match="ways to cycles: 0 of 36"):
        queued_cycle(graph, 8, Effort(end=clock() - 1.0))
    with pytest.raises(TimeUpError, match="packets on the cycle: 0 of 36"):
        _messages(graph, [0], 1, 1, Effort(end=clock() - 1.0))


def test_the_smallest_deadlock_without_time_is_open() -> None:
    relation = dimension_order(torus(6, 6))
    found = smallest(relation, "vct", time_limit=1e-9)
    assert found == Smallest(None, 1, 0, False, "time ran out before all states were visited")
    known = check(relation, "vct").configuration
    assert smallest(relation, "vct", time_limit=1e-9, known=known).configuration is known


def test_the_last_second_is_used_to_prefer_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that stands: all that is left of the time is given to the search from terminals, at most 5 s."""
    now, given = clock() + 100.0, list[float]()

    def watched(part: Remainder, seconds: float, **how: Any) -> Any:
        given.extend([seconds] if "injected" in how else [])
        return fewest(part, seconds, **how)

    module = importlib.import_module("unknot.verify.smallest")
    monkeypatch.setattr(module, "clock", lambda: now)
    monkeypatch.setattr(importlib.import_module("unknot._base.deadline"), "clock", lambda: now)
    monkeypatch.setattr(module, "fewest", watched)
    for limit in (0.9, 9.0):
        assert smallest(fully_adaptive(torus(3, 3)), "vct", time_limit=limit).proved
    assert given == pytest.approx([0.9, 5.0])


def test_the_smallest_deadlock_at_every_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever time runs out, by a clock that counts the looks at it, the bounds are right and nothing is claimed."""
    relation = fully_adaptive(torus(3, 3))
    best = smallest(relation, "wormhole")
    monkeypatch.setattr(effort, "BLOCK", 100)
    said: Counter[str] = Counter()
    ticks = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(ticks)))
    for limit in range(1, 60):
        found = smallest(relation, "wormhole", time_limit=limit)
        said[found.method] += 1
        if found.method == "time ran out before all states were visited":
            assert (found.messages_bound, found.held_bound) == (1, 0)
        assert (1, 0) <= (found.messages_bound, found.held_bound) <= (best.messages_bound, best.held_bound)
        assert found.proved == (found.configuration is not None)
        assert found.proved or "time ran out" in found.method
        if found.proved:
            break
    assert found == best
    assert said["time ran out before all states were visited"] > 1
    assert said["time ran out before any configuration was found"]
