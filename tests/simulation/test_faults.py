"""Faults during a run: nothing of a lost packet is left, everything else goes on, and the books balance."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.simulation.relations import random_relation
from unknot.simulation import Fault, Router
from unknot.simulation.engine import Engine
from unknot.simulation.faults import FaultyEngine
from unknot.simulation.layout import (
    ARRIVED,
    ARRIVED_BITS,
    ATOMIC,
    CHANCE,
    CREATED_PACKETS,
    CREDIT_BITS,
    CREDIT_CELL,
    CREDITS,
    DEPTH,
    FLITS_IN,
    FLITS_OUT,
    FREE,
    HIGH,
    IN_CELL,
    OPEN,
    OUT,
    OWNER,
    PACKET,
    STORED,
    TECHNIQUE,
    State,
)
from unknot.simulation.losses import owns, residents
from unknot.simulation.traffic import uniform
from unknot.switching import SWITCHINGS
from unknot.testing import interpreted


def bits(state: State, column: int, cells: np.ndarray) -> np.ndarray:
    """How many bits there are of each cell in all inboxes."""
    boxes = state.inbox[:, column].reshape(-1, len(state.frames) - 1)
    return np.array([sum(int(box[c >> 6]) >> (c & 63) & 1 for box in boxes) for c in cells.tolist()])


def balance(engine: FaultyEngine) -> None:
    """Credits, stored flits, flits and credits on wires make up the depth; packets and VCs know of each other."""
    state, setup = engine.state, engine.state.setup
    up, down = state.outputs[state.out_row], state.inputs[state.in_row]
    flying = bits(state, ARRIVED_BITS, up[:, IN_CELL])
    back = bits(state, CREDIT_BITS, down[:, CREDIT_CELL])
    assert (up[:, CREDITS] + down[:, STORED] + flying + back == setup[DEPTH]).all()
    assert (down[:, STORED] >= 0).all()
    assert (up[:, CREDITS] >= 0).all()
    assert engine.count(FLITS_IN) - engine.count(FLITS_OUT) == down[:, STORED].sum() + flying.sum()
    _, packets = residents(state, state.in_row.astype(np.int64))
    inside = np.union1d(packets, state.terminals[state.terminals[:, PACKET] >= 0, PACKET])
    assert engine.count(CREATED_PACKETS) == engine.count(ARRIVED) + engine.lost_packets + inside.size
    free = state.free[: state.count[FREE]]
    assert np.unique(free).size == free.size == state.count[HIGH] - inside.size
    assert not np.isin(free, inside).any()
    num_vcs = engine.relation.num_vcs
    for buffer in range(num_vcs):
        owner = int(up[buffer, OWNER])
        assert owner < 0 or (owns(state, np.array([owner]))[0] and state.inputs[owner, OUT] == state.out_row[buffer])
        cell = int(down[buffer, CREDIT_CELL])
        opened = bool(int(state.masks[cell >> 6, OPEN]) >> (cell & 63) & 1)
        whole = setup[TECHNIQUE] != ATOMIC or up[buffer, CREDITS] == setup[DEPTH]
        assert opened == (owner < 0 and whole)
    owning = np.flatnonzero(owns(state, np.arange(len(state.inputs))))
    assert (state.outputs[state.inputs[owning, OUT], OWNER] == owning).all()


def buried(engine: FaultyEngine, dead: np.ndarray) -> None:
    """Nothing is in, on the way into, or owner of a dead VC."""
    state = engine.state
    vcs = np.flatnonzero(dead)
    assert not state.inputs[state.in_row[vcs], STORED].any()
    assert not bits(state, ARRIVED_BITS, state.outputs[state.out_row[vcs], IN_CELL]).any()
    assert (state.outputs[state.out_row[vcs], OWNER] < 0).all()
    assert residents(state, state.in_row[vcs].astype(np.int64))[0].size == 0


def step(engine: Engine) -> None:
    cycle = engine.now
    while engine.now == cycle:
        engine.advance(cycle + 1)


ROUTERS = (
    Router(), Router(routing_delay=0, speculative=True),
    Router(switch_allocation_delay=2, vc_allocation_delay=2, hold_switch=True), Router(routing_delay=3, iterations=2),
)  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_books_balance_in_every_cycle_after_faults(data: st.DataObject) -> None:
    relation = interpreted(random_relation(data.draw(st.integers(0, 10**6), label="relation")))
    network = relation.network
    flits = data.draw(st.integers(1, 6), label="flits")
    for switching in SWITCHINGS:
        depth = data.draw(st.integers(flits if switching in ("saf", "vct") else 1, 8), label="depth")
        faults = []
        for cycle in data.draw(st.lists(st.integers(0, 120), min_size=1, max_size=3), label="cycles"):
            channels = data.draw(st.lists(st.integers(0, network.num_channels - 1), max_size=2), label="channels")
            routers = data.draw(st.lists(st.integers(0, network.num_routers - 1), max_size=1), label="routers")
            other = data.draw(st.sampled_from([None, relation]), label="relation")
            if channels or routers or other:
                faults.append(Fault(cycle, channels, routers, other))
        engine = FaultyEngine(
            relation, switching, packet_length=flits, buffer_depth=depth,
            chance=data.draw(st.sampled_from([0.1, 0.5, 1.0]), label="load") / flits,
            seed=data.draw(st.integers(0, 99), label="seed"), pairs=uniform(relation), faults=faults,
            router=data.draw(st.sampled_from(ROUTERS), label="router"),
        )  # fmt: skip
        dead = np.zeros(network.num_channels, dtype=bool)
        for _ in range(180):
            now = engine.now
            step(engine)
            balance(engine)
            for fault in faults:
                if fault.cycle == now:
                    gone = np.isin(np.arange(network.num_routers), fault.routers)
                    dead |= gone[network.source] | gone[network.target]
                    dead[list(fault.channels)] = True
            buried(engine, dead[relation.vcs.channel])
        engine.state.terminals[:, CHANCE] = 0
        held = -1
        while held != engine.count(FLITS_OUT) + engine.lost_flits and engine.deadlock is None:
            held = engine.count(FLITS_OUT) + engine.lost_flits
            engine.run(600)
        assert engine.deadlock is not None or engine.count(FLITS_IN) == engine.count(FLITS_OUT)
