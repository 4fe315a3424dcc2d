"""Every table is what `state.TABLES` says: fixed, saved by a roll-back, or of no use from one call to the next."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference.uniform_pairs import uniform
from tests.simulation.relations import random_relation
from unknot.network.families import mesh
from unknot.routing import ugal
from unknot.simulation import Router
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.setup import ENTRIES, FIRST_TABLE
from unknot.simulation.engine.sources import Sources
from unknot.simulation.engine.state import FIXED, SAVED, SCRATCH, TABLES
from unknot.traffic import Bursts

ROUTERS = {
    "default": Router(),
    "speculative": Router(speculative=True, iterations=2, hold_switch=True),
    "aged": Router(priority="age", allocator="separable_input_first", selection="most_credits", routing_delay=2),
}


def begun(router: Router, *, ways: bool = False) -> Engine:
    relation = ugal(mesh(3, 3)) if ways else random_relation(7)
    sources = Sources(0.2, uniform(relation), {1: 0.5, 3: 0.5}, Bursts(0.2, 0.3))
    engine = Engine(relation, "vct", sources, seed=3, router=router, buffer_depth=4)
    engine.measure(0, 10**9)
    engine.calls_from = 10**9
    engine.advance(90)
    return engine


def bits(engine: Engine, kinds: tuple[str, ...]) -> dict[str, bytes]:
    state = engine.state
    found = {name: state.tables[name].tobytes() for name, table in TABLES.items() if table.changes in kinds}
    return found | {"count": state.raw[ENTRIES:FIRST_TABLE].tobytes()}


@pytest.mark.parametrize("ways", [False, True])
@pytest.mark.parametrize("name", ROUTERS)
def test_fixed_tables_never_change(name: str, ways: bool) -> None:
    engine = begun(ROUTERS[name], ways=ways)
    before = bits(engine, (FIXED,))
    engine.advance(200)
    after = bits(engine, (FIXED,))
    assert before.pop("count") != after.pop("count")
    assert before == after


@pytest.mark.parametrize("ways", [False, True])
@pytest.mark.parametrize("name", ROUTERS)
def test_a_roll_back_restores_all_that_counts(name: str, ways: bool) -> None:
    """Scratch tables are filled with rubbish besides."""
    engine = begun(ROUTERS[name], ways=ways)
    saved = engine.state.saved()
    engine.advance(160)
    expected = bits(engine, (SAVED, FIXED))
    engine.state.restore(saved)
    assert engine.now == 90
    for table, kind in TABLES.items():
        if kind.changes == SCRATCH:
            engine.state.tables[table].view(np.uint8)[...] = 0x5A
    engine.advance(160)
    assert bits(engine, (SAVED, FIXED)) == expected
