"""Rows and masks say the same: whoever looks at a run in between does not change it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reference.uniform_pairs import uniform
from tests.simulation.engines import engine_of
from tests.simulation.relations import random_relation
from unknot._base.switching import SWITCHINGS
from unknot.simulation import Router
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.setup import ENTRIES, FIRST_TABLE
from unknot.simulation.engine.sources import Sources
from unknot.simulation.engine.state import TABLES
from unknot.traffic.workload import Bursts

CACHE = {"input_class", "cache", "first_answer", "answers"}
UNUSED = {"latencies", "free", "packets"} | CACHE
"""Tables that have more rows than are in use, or that may be made sooner or later."""
SCRATCH = {
    "planes", "quiet", "candidates", "vc_masks", "lesser", "headers", "winners", "claims", "requests", "cells",
    "pairing", "wants", "asked", "contest",
}  # fmt: skip
"""Tables of which nothing is looked at in a later call."""
KEPT = sorted(TABLES.keys() - SCRATCH - UNUSED)


@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 10**6),
    switching=st.sampled_from(SWITCHINGS),
    depth=st.integers(3, 17),
    chance=st.sampled_from([0.003, 0.1, 0.5]),
    bursts=st.sampled_from([None, Bursts(0.1, 0.2)]),
    looks=st.lists(st.integers(1, 60), min_size=1, max_size=12),
)
def test_looking_changes_nothing(
    seed: int, switching: str, depth: int, chance: float, bursts: Bursts | None, looks: list[int]
) -> None:
    relation = random_relation(seed)

    def begun() -> Engine:
        engine = engine_of(
            relation,
            switching,
            Sources(chance, uniform(relation), {1: 0.5, 3: 0.5}, bursts),
            buffer_depth=depth,
            seed=seed,
        )
        engine.parts[0].setup.span = 1  # else the rows that packets have depend on where calls begin
        return engine

    looked_at, left_alone = begun(), begun()
    for cycles in looks:
        until = looked_at.now + cycles
        while looked_at.now < until:
            looked_at.advance(until)
        rows = looked_at.state.terminals
        assert (rows.drawn <= looked_at.now).all()
        assert (rows.packet >= -1).all()
    while left_alone.now < looked_at.now:
        left_alone.advance(looked_at.now)
    one, other = looked_at.state, left_alone.state
    assert one.count.packed == other.count.packed == 0
    counts = slice(ENTRIES, FIRST_TABLE)
    assert one.raw[counts].tolist() == other.raw[counts].tolist()
    known = ["created", "address", "length", "hops", "source"]
    assert one.packets[: one.count.high][known].tolist() == other.packets[: one.count.high][known].tolist()
    for name in KEPT:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def test_rows_are_as_they_were_when_nothing_was_simulated() -> None:
    relation = random_relation(7)
    engine = engine_of(relation, "wormhole", Sources(0.3, uniform(relation), 3), buffer_depth=4, seed=1)
    engine.advance(40)
    before = {name: getattr(engine.state, name).copy() for name in TABLES}
    engine.advance(engine.now)
    assert engine.parts[0].count.packed == 1
    state = engine.state
    for name in KEPT:
        np.testing.assert_array_equal(getattr(state, name), before[name], err_msg=name)


ROUTERS = {
    "default": Router(),
    "speculative": Router(speculative=True, iterations=2, hold_switch=True),
    "aged": Router(priority="age", allocator="separable_input_first", selection="most_credits", routing_delay=2),
    "wavefront": Router(allocator="wavefront", switch_allocator="wavefront"),
}


@pytest.mark.parametrize("name", ROUTERS)
def test_rubbish_in_scratch_tables_changes_nothing(name: str) -> None:
    relation = random_relation(7)
    sources = Sources(0.2, uniform(relation), {1: 0.5, 3: 0.5}, Bursts(0.2, 0.3))
    clean, soiled = (
        engine_of(relation, "vct", sources, seed=3, router=ROUTERS[name], buffer_depth=4) for _ in range(2)
    )
    for until in (90, 120, 250):
        for table in SCRATCH:
            soiled.state.tables[table].view(np.uint8)[...] = 0x5A
        for engine in (clean, soiled):
            engine.advance(until)
    counts = [engine.state.raw[ENTRIES:FIRST_TABLE] for engine in (clean, soiled)]
    np.testing.assert_array_equal(*counts)
    for table in KEPT:
        np.testing.assert_array_equal(soiled.state.tables[table], clean.state.tables[table], err_msg=table)
