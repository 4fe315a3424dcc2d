"""The routing cache of a run: when it pays, and how it is filled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot.routing.pointer import Remembered
from unknot.simulation.engine import kernels
from unknot.simulation.engine.codes import MOST_ANSWERS, NO_CYCLE
from unknot.simulation.engine.tables import MOST_STATES

if TYPE_CHECKING:
    from unknot.simulation.engine.engine import Engine

COMPILED, ASKED = 50_000_000, 2_000_000
"""Calls of a rule that take about half as long as compiling what fills the cache: of a compiled rule, and of one that
Python answers, where a call takes half a microsecond."""


def fill(engine: Engine) -> None:
    """Fill the routing cache once the rule was called about as often as filling it takes."""
    part = engine.parts[0]
    if part.setup.cacheable == 0 or len(part.cache):
        return
    calls = 2 * (engine.count("flit_hops") - engine.calls_from)
    if calls < engine.looks_again:
        return
    relation, many = engine.relation, engine.relation.num_addresses
    local = int(part.setup.local) if part.setup.ejection == 1 else 1
    states = (relation.num_vcs + local * relation.network.num_terminals) * many
    enough = ASKED if isinstance(relation.compiled, Remembered) else COMPILED
    if calls < states:
        engine.looks_again = states
        return
    if calls < enough and not kernels.fill_cache.ready:
        engine.looks_again = 2 * calls  # each time it looks for a file
        return
    if states > MOST_STATES:
        engine.calls_from = NO_CYCLE
        return
    words = len(part.words) - 1
    draft = part.replaced(
        input_class=len(part.inputs), cache=states, first_answer=words + 1, answers=(MOST_ANSWERS + 1) * words
    )
    classes = kernels.fill_cache(relation.compiled.address, draft.raw)
    kept = {
        "input_class": draft.input_class,
        "cache": draft.cache[: classes * many],
        "first_answer": draft.first_answer,
        "answers": draft.answers[: draft.first_answer[-1]],
    }
    engine.parts = [part.replaced(**kept) for part in engine.parts]
