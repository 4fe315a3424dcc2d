"""Time that runs out leaves a question open and proves nothing; no clock and no solver is replaced here."""

from __future__ import annotations

import numpy as np
import pytest

from tests.verify.constructions import FREE_THREE_WIDE, beside, by_signs
from unknot.checker import Unchecked, accept
from unknot.routing import Relation
from unknot.topologies import mesh
from unknot.verify import check, dependencies, exact
from unknot.verify.exact_model import Model, find
from unknot.verify.states import Core, core
from unknot.verify.waiting import drain, waiting

HARD, EASY = by_signs(mesh(3, 10), FREE_THREE_WIDE), by_signs(mesh(3, 3), FREE_THREE_WIDE)


def left_over(relation: Relation) -> Core:
    """What the fixpoints leave to the exact search."""
    graph = dependencies(relation)
    return core(graph, drain(waiting(graph), spread=True).vcs)


@pytest.mark.parametrize("small", [exact.SMALL, 0, 10**6])
def test_an_exact_search_without_time_answers_nothing(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, and by windows."""
    monkeypatch.setattr(exact, "SMALL", small)
    rest = left_over(HARD)
    assert rest.leading().any()
    assert exact.find_worms(rest, rest.leading(), 1e-9) is None


def test_one_open_component_leaves_the_whole_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever of two components it is that takes too long."""
    rest = left_over(beside(HARD, EASY))
    label = rest.dependencies.label[rest.place]
    assert np.unique(label[rest.leading()]).size == 2
    assert exact.find_worms(rest, rest.leading(), 0.1) is None
    for open_ones in ([True, False], [False, True]):
        answers = iter(open_ones)
        monkeypatch.setattr(exact._Search, "worms", lambda _, answers=answers: next(answers))
        assert exact.find_worms(rest, rest.leading(), 0.1) is None


def test_a_solver_without_time_answers_true() -> None:
    """True says that time ran out; False would be a proof."""
    rest = left_over(HARD)
    part = exact.remainder.of(rest, np.flatnonzero(rest.leading())).pruned()
    assert find(part, 1e-9) is True
    model = Model(part)
    assert model.minimize(sum(model.stay), 1, 0.0, 1e-9) == (True, False)
    never = exact._never_held(part.cut(np.arange(part.place.size), open_ends=True), np.unique(part.place), 0.0)
    assert never.size == 0


def test_check_that_runs_out_of_time_is_open_at_every_limit() -> None:
    """From the first stage into the exact search: with ever more time it gets further, and never claims anything."""
    methods = set()
    for limit in (1e-6, 0.003, 0.01, 0.03, 0.1, 0.2):
        verdict = check(HARD, time_limit=limit)
        assert verdict.deadlock_free is None
        assert verdict.certificate is None
        assert verdict.configuration is None
        assert verdict.established.startswith(f"undecided after {limit:g} s: ")
        with pytest.raises(Unchecked, match="open question"):
            accept(HARD, verdict)
        methods.add(verdict.method)
    assert "greatest fixpoint of worms, then exact search (CP-SAT)" in methods
    proved = check(EASY, time_limit=60)
    assert proved.deadlock_free
    accept(EASY, proved)
