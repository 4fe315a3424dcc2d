"""Reasons why packets of a run do not arrive, deadlock apart: livelock, starvation, or too much load."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot.network import distances_from
from unknot.simulation.engine.detector import front
from unknot.simulation.engine.engine import Engine

LONGER = 10
"""Multiple of the hops a packet needs; with that many and 20 more it is said to go round."""
WATCHED = 2_000, 10_000
"""Fewest and most cycles in which an input VC is watched before its packet is said to starve."""
LOOKS = 400
"""Looks in that time at which packets got which virtual channels."""

Numbers = npt.NDArray[np.int64]
Fronts = dict[int, tuple[int, ...]]
"""Packet in front of each buffer that holds flits: its columns CREATED and HOPS, and its flits that left."""


def diagnosis(engine: Engine, measured: int) -> str:
    """Livelock or starvation, in words, at the end of a run that is not stable; empty if it is neither.

    Livelock is seen by a packet that has made far more hops than any way without detours has. For starvation the
    run goes on under load, for as many cycles as were measured within `WATCHED`: a buffer, of a channel or of an
    injection port, whose first flit has not moved in all of them starves if more others went where it may go than in
    two turns of all buffers of its router. Under round robin a packet that is free to go never waits for longer, but
    what it waits for can be busy, or too full for it, whenever its turn comes.

    Parameters
    ----------
    engine : Engine
        It goes on, and may come to a deadlock.
    measured : int
        Cycles that were measured.
    """
    before = _fronts(engine)
    words = _livelock(engine, before)
    if words:
        return words
    cycles = min(max(measured, WATCHED[0]), WATCHED[1]) // LOOKS * LOOKS
    taken = np.zeros(engine.relation.num_vcs, dtype=np.int64)
    last = _owners(engine)
    for _ in range(LOOKS):
        if not engine.run(cycles // LOOKS):
            return ""
        now = _owners(engine)
        taken += (now != last).any(axis=1)
        last = now
    return _starvation(engine, before, taken, cycles)


def _owners(engine: Engine) -> Numbers:
    """Return for each VC its owner and where its next packet will be noted: both stay while nobody gets the VC."""
    rows = engine.state.outputs[engine.state.out_row[: engine.relation.num_vcs]]
    return np.stack([rows.owner, rows.back], axis=1).astype(np.int64)


def _fronts(engine: Engine) -> Fronts:
    state = engine.state
    fronts: Fronts = {}
    for buffer in (state.inputs.stored[state.in_row] > 0).nonzero()[0].tolist():
        packet = front(state, buffer)
        row = state.packets[packet]
        fronts[buffer] = (packet, int(row.created), int(row.hops), int(state.inputs.sent[state.in_row[buffer]]))
    return fronts


def _livelock(engine: Engine, fronts: Fronts) -> str:
    """The packet that has made the most hops, if those are far more than it needs."""
    if not fronts:
        return ""
    network = engine.relation.network
    packet, created, hops, _ = max(fronts.values(), key=lambda front: front[2])
    source, destination, words = _packet(engine, packet)
    needed = int(distances_from(network, int(network.inject[source]))[network.eject[destination]])
    if hops <= LONGER * needed + 20:
        return ""
    age = engine.now - created
    return f"livelock: a packet {words} has made {hops} hops in {age} cycles where {needed} would do, and goes on"


def _starvation(engine: Engine, before: Fronts, taken: Numbers, cycles: int) -> str:
    """The input VC in which the oldest packet stands while others got through far more often than in turn.

    `taken` says how often each VC was seen to go to another packet.
    """
    relation, state = engine.relation, engine.state
    network, num_vcs = relation.network, relation.num_vcs
    local = int(state.setup.local)
    inputs = np.bincount(network.target[relation.vcs.channel], minlength=network.num_routers)
    inputs += local * np.bincount(network.inject, minlength=network.num_routers)

    def overtaken(router: int, vcs: list[int]) -> int:
        """Packets that got these VCs, if they are more than two for each buffer of the router."""
        passed = int(taken[sorted(set(vcs))].sum())
        return passed if passed > 2 * inputs[router] else 0

    now, oldest, reason = _fronts(engine), -1, ""
    for buffer, was in before.items():
        waited = engine.now - was[1]
        if now.get(buffer) != was or waited <= oldest:
            continue
        inside, terminal = buffer < num_vcs, (buffer - num_vcs) // local
        router = int(network.target[relation.vcs.channel[buffer]] if inside else network.inject[terminal])
        row = state.packets[was[0]]
        candidates = relation.candidates(buffer if inside else num_vcs + terminal, int(row.address))
        if passed := overtaken(router, [candidate.vc for candidate in candidates if candidate.vc is not None]):
            oldest = waited
            place = (
                relation.vcs.name(buffer) if inside else f"the injection port of {network.terminal_name(terminal)}"
            )
            *_, words = _packet(engine, was[0])
            reason = (
                f"starvation: a packet {words}, created {waited} cycles ago, has not moved on {place} for {cycles} "
                f"cycles, in which {passed} others at least went where it may go"
            )
    return reason


def _packet(engine: Engine, packet: int) -> tuple[int, int, str]:
    """Source and destination of a packet, and both in words."""
    relation, row = engine.relation, engine.state.packets[packet]
    source, address = int(row.source), int(row.address)
    words = f"from {relation.network.terminal_name(source)} to {relation.address_name(address)}"
    return source, int(relation.destination[address]), words
