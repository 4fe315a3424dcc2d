"""Answers of a rule that are kept are those it gives, and a run with them is the run without."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reference.uniform_pairs import uniform
from tests.simulation.engines import engine_of
from tests.simulation.relations import random_relation
from unknot._base.switching import SWITCHINGS
from unknot.network import Network
from unknot.network.families import fat_tree, mesh, torus
from unknot.routing import EJECT, Relation, VirtualChannels, dimension_order, duato, nca, up_down
from unknot.routing.parts import Addressing
from unknot.routing.pointer import Pointer, Remembered
from unknot.simulation.engine import kernels, routing_cache
from unknot.simulation.engine.dropping import readers
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.router import Router
from unknot.simulation.engine.sources import Sources
from unknot.simulation.player import run

ALWAYS, NEVER = -(10**12), 10**12


def begun(relation: Relation, *, calls_from: int = ALWAYS, switching: str = "wormhole-nonatomic") -> Engine:
    engine = engine_of(relation, switching, Sources(0.15, uniform(relation), 2), buffer_depth=4, seed=3)
    engine.calls_from = calls_from
    engine.advance(0)
    return engine


def kept(engine: Engine, at: int, address: int) -> list[set[int]] | None:
    """The VCs of each tier that are kept for a place and an address, −1 for ejection."""
    state, relation = engine.state, engine.relation
    first_end = relation.num_vcs + (at - relation.num_vcs) * (
        (len(state.inputs) - relation.num_vcs) // relation.network.num_terminals
    )
    row = state.in_row[at if at < relation.num_vcs else first_end]
    number = int(state.cache[state.input_class[row] * relation.num_addresses + address])
    if number == 0:
        return None
    word = int(state.first_word[relation.vcs.router[at]])
    found = []
    for mask in state.answers[state.first_answer[word] + number - 1].tolist():
        rows = state.words.first_output[word] + np.flatnonzero([mask >> cell & 1 for cell in range(64)])
        found.append({int(state.buffer[r]) if r >= 0 else -1 for r in readers(state, rows)})
    return [vcs for vcs in found if vcs]


@pytest.mark.parametrize(
    "relation",
    [dimension_order(mesh(4, 3), 2), dimension_order(torus(4, 3), 2), duato(torus(4, 3)), up_down(mesh(3, 3)),
     *(random_relation(seed) for seed in range(12))],
    ids=str,
)  # fmt: skip
def test_what_is_kept_is_what_the_rule_says(relation: Relation) -> None:
    engine = begun(relation)
    if not (engine.state.setup.packable and engine.state.setup.cacheable):
        assert not engine.state.cache.size
        return
    for at in range(relation.num_vcs + relation.network.num_terminals):
        for address in range(relation.num_addresses):
            candidates = relation.candidates(at, address)
            tiers = sorted({c.tier for c in candidates})
            expected = [{-1 if c.vc is None else c.vc for c in candidates if c.tier == tier} for tier in tiers]
            if not 1 <= len(tiers) <= 2 or any(not c.waits for c in candidates):
                assert kept(engine, at, address) is None
            else:
                assert kept(engine, at, address) == expected


@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**6), switching=st.sampled_from(SWITCHINGS))
def test_a_run_is_the_same_with_them(seed: int, switching: str) -> None:
    relation = random_relation(seed)
    figures = []
    for calls_from in (ALWAYS, 0, NEVER):
        engine = begun(relation, calls_from=calls_from, switching=switching)
        engine.measure(0, 10**9)
        for _ in range(6):
            run(engine, 50)
        rows = engine.state
        figures.append(
            [
                engine.count("flit_hops"),
                sorted(engine.latencies().tolist()),
                rows.inputs.tolist(),
                rows.outputs.tolist(),
            ]
        )
    assert figures[0] == figures[1] == figures[2]


@pytest.mark.parametrize("own_slots", [0, 1])
@pytest.mark.parametrize("general", [False, True])
def test_ports_are_drawn_alike_of_answers_that_are_kept(own_slots: int, general: bool) -> None:
    relation, router = nca(fat_tree(3, 2), 3), Router(selection="better_of_two", own_slots=own_slots)
    figures = []
    for calls_from in (ALWAYS, NEVER):
        engine = engine_of(
            relation,
            "wormhole",
            Sources(0.3, uniform(relation), 2),
            buffer_depth=3,
            seed=3,
            router=router,
            general=general,
        )
        engine.calls_from = calls_from
        engine.measure(0, 10**9)
        for _ in range(4):
            run(engine, 100)
        assert engine.state.cache.any() == (calls_from == ALWAYS)
        figures.append((sorted(engine.latencies().tolist()), engine.carried().tolist(), engine.state.inputs.tolist()))
    assert figures[0] == figures[1]


def test_many_decisions_and_answers_that_are_none() -> None:
    # The centre of a star has more sets of candidates than are kept, and none at all for address 7.
    network = Network("star", 9, [0] * 8, list(range(1, 9)), inject=[0], eject=[0])
    vcs = VirtualChannels(network, 6)

    def rule(at: int, address: int, out: np.ndarray) -> int:
        if address == 7:
            return 0
        count = 0
        for v in range(8):
            if (address >> v) & 1:
                out[count] = 6 * v
                count += 1
        if count == 0:
            out[0] = EJECT
            count = 1
        return count

    relation = Relation(network, vcs, rule, name="many", addresses=Addressing(np.zeros(200, dtype=np.int64)))
    engine = begun(relation)
    numbers = np.unique(engine.state.cache)
    assert numbers.min() == 0
    assert numbers.max() == 127
    assert kept(engine, relation.num_vcs, 7) is None
    assert kept(engine, relation.num_vcs, 5) == [{0, 12}]
    assert kept(engine, relation.num_vcs, 199) is None


@pytest.mark.parametrize("by_python", [True, False])
def test_a_rule_that_python_answers_waits_less_for_code(monkeypatch: pytest.MonkeyPatch, by_python: bool) -> None:
    class Cold:
        """What fills the cache, as if it were not compiled yet."""

        ready = False

        def __call__(self, *arguments: Any) -> int:
            return kernels.fill_cache(*arguments)

    monkeypatch.setattr(routing_cache, "kernels", SimpleNamespace(fill_cache=Cold()))
    relation = dimension_order(mesh(3, 3), 2)
    assert isinstance(relation.compiled, Remembered)
    if not by_python:
        vars(relation)["compiled"] = Pointer(relation.compiled.address, relation.compiled)
    enough = routing_cache.ASKED if by_python else routing_cache.COMPILED
    assert not begun(relation, calls_from=1 - enough // 2).state.cache.size
    assert begun(relation, calls_from=-enough // 2).state.cache.size
