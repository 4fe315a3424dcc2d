"""Channels and routers that die while a network is simulated."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.errors import RelationError, SimulationError
from unknot.routing.relation import Relation
from unknot.simulation.engine.ends import hop_tables
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.mix import Mix
from unknot.simulation.engine.state import BLOCKED, FRESH
from unknot.simulation.engine.state_arrays import State
from unknot.simulation.engine.tables import write_relation
from unknot.simulation.faults.fault import Fault, Step, steps
from unknot.simulation.faults.losses import lose, owns, release, residents, wake
from unknot.traffic.trace import addresses as usable_addresses

Flags = npt.NDArray[np.bool_]


class FaultyEngine(Engine):
    """Engine with faults. Packets that have no candidate after the first fault are lost on the spot.

    Such a packet is noticed in the midst of a cycle. The state before is kept, and the run goes from there to the
    beginning of that cycle again, removes the packet, and goes on.

    Attributes
    ----------
    lost_packets, lost_flits : int
        Packets lost, and flits of them that were in the network.
    struck : list of Fault
        The faults that came so far.
    """

    def __init__(
        self,
        relation: Relation,
        *engine: Any,
        faults: Iterable[Fault],
        **options: Any,
    ) -> None:
        super().__init__(relation, *engine, **options)
        if len(self.parts) > 1:
            raise SimulationError(f"faults want one thread, got threads = {len(self.parts)}")
        if isinstance(self.sources, Mix):
            raise SimulationError("faults go with one source at each terminal; leave out classes")
        pairs = self.sources.pairs
        self._coming = steps(relation, faults, pairs)
        for step in self._coming:
            step.relation.compiled  # noqa: B018 what has to be compiled is compiled now
        self.lost_packets = self.lost_flits = 0
        self.struck: list[Fault] = []
        self._chance, self._pairs = self.state.terminals.chance.copy(), pairs
        self._shares: list[tuple[int, float]] = [(0, 1.0)]
        self._lost: list[tuple[int, int]] = []
        self._replaced_in = -1

    def run(self, cycles: int) -> bool:
        """Run as an `Engine` does. A knot that arises after a fault is not one that can be injected again."""
        free = super().run(cycles)
        if self.deadlock is not None and self.struck:
            self.deadlock = replace(self.deadlock, reachability="not-established")
        return free

    def _simulate(self, until: int) -> bool:
        while self._coming and self._coming[0].fault.cycle < until:
            cycle = self._coming[0].fault.cycle
            if self.now < cycle:
                quiet = self._simulate_until_lost(cycle)
                if self.now < cycle:
                    return quiet
            self._strike(self._coming.pop(0))
        return self._simulate_until_lost(until)

    def offered(self, load: float, begin: int, end: int) -> float:
        """Flits per terminal and cycle that can arrive of an offered load: without what is not created, or lost."""
        cycles = max(1, end - begin)
        stops = [*(cycle for cycle, _ in self._shares[1:]), end]
        share = sum(
            part * max(0, min(stop, end) - max(start, begin))
            for (start, part), stop in zip(self._shares, stops, strict=True)
        )
        lost = sum(flits for cycle, flits in self._lost if begin <= cycle < end)
        return max(0.0, (load * share - lost / self.relation.network.num_terminals) / cycles)

    @property
    def losses(self) -> dict[str, Any]:
        """Losses to faults, as attributes of a `Run`."""
        struck = tuple(str(fault) for fault in self.struck)
        return {"lost_packets": self.lost_packets, "lost_flits": self.lost_flits, "faults": struck}

    def _simulate_until_lost(self, until: int) -> bool:
        if not self.struck:
            return super()._simulate(until)
        while True:
            state = self.state
            before = state.saved()
            try:
                return super()._simulate(until)
            except _NoCandidate as stop:
                cycle, row = stop.cycle, stop.row
            self.parts[0] = state  # before it was replaced by one with more room
            state.restore(before)
            if self.now < cycle:
                super()._simulate(cycle)
            state = self.state
            packet = state.ring[row * state.setup.ring + state.inputs.front[row]]
            self._lose(np.array([packet], dtype=np.int64))

    def _explain(self, state: State, dead_end: bool) -> None:
        if not self.struck:
            super()._explain(state, dead_end)
        row = int(state.count.failed_at)
        packet = state.ring[row * state.setup.ring + state.inputs.front[row]]
        if dead_end or state.packets.created[packet] < self._replaced_in:
            raise _NoCandidate(self.now, row)
        super()._explain(state, dead_end)

    def _lose(self, packets: npt.NDArray[np.int64]) -> None:
        self.lost_packets += packets.size
        self._lost.append((self.now, int(self.state.packets.length[packets].sum())))
        self.lost_flits += lose(self.state, packets)

    def _strike(self, step: Step) -> None:
        """The network as it is at the beginning of the cycle of a fault."""
        state, relation, new = self.state, self.relation, step.relation
        rows = np.arange(len(state.inputs))
        index, packets = residents(state, rows)
        waiting = np.flatnonzero(state.terminals.packet >= 0)
        every = np.unique(np.concatenate([packets, state.terminals.packet[waiting]]))
        address = _addresses(state, relation, new, every)
        buried = np.zeros(rows.size, dtype=bool)
        buried[state.in_row] = np.concatenate([step.dead, np.repeat(step.buried, int(state.setup.local))])
        doomed = (address < 0) | step.gone[relation.destination[state.packets.address[every]]]
        doomed |= np.isin(every, packets[buried[index]])
        doomed |= np.isin(every, state.terminals.packet[waiting][step.gone[waiting]])
        self._lose(every[doomed])
        state.packets.address[every[~doomed]] = address[~doomed]
        self._request_anew(step)
        self._give(step)
        self.struck.append(step.fault)

    def _request_anew(self, step: Step) -> None:
        """Let headers not on their way forget their choice, if it is dead or the relation is replaced."""
        state = self.state
        rows = np.arange(len(state.inputs))
        owning = owns(state, rows)
        reader = state.outputs.reader[state.inputs.out[owning]]
        buffer = np.where(reader < 0, -1, state.buffer[reader])
        dead = np.append(step.dead, np.zeros(len(state.inputs) - step.dead.size + 1, dtype=bool))
        for row in rows[owning][dead[buffer] & (state.inputs.sent[owning] == 0)].tolist():
            release(state, row)
        owning = owns(state, rows)
        header = (state.inputs.stored > 0) & (state.inputs.out >= 0) & ~owning
        chosen = np.where(header, state.inputs.out, -1)
        again = header & dead[chosen]
        if step.fault.relation is not None:
            again = ~owning & ((state.inputs.state == FRESH) | (state.inputs.state == BLOCKED))
            self._replaced_in = self.now
        state.inputs.out[again], state.inputs.state[again] = -1, FRESH
        wake(state)

    def _give(self, step: Step) -> None:
        """Relation and traffic from now on."""
        relation, pairs, state = step.relation, step.pairs, self.state
        state.setup.everyone = pairs.everyone
        write_relation(state.setup, relation, self.router)
        rates = np.divide(pairs.rate, self._pairs.rate, out=np.zeros_like(pairs.rate), where=self._pairs.rate > 0)
        state.terminals.chance[:] = (self._chance * np.minimum(rates, 1.0)).astype(np.int64)
        self._shares.append((self.now, float(pairs.rate.sum() / max(self._pairs.rate.sum(), 1e-300))))
        self.parts[0] = state.replaced(
            destination=relation.destination,
            direct=np.array(() if relation.direct is None else relation.direct).reshape(-1),
            cache=0,
            **pairs.tables,
            **hop_tables(relation, self.router, state.out_row),
        )
        self.relation = relation
        self.calls_from = self.count("flit_hops")


class _NoCandidate(Exception):  # noqa: N818 it is always caught
    """Signal that the header in a row of `inputs` has no candidate in this cycle."""

    def __init__(self, cycle: int, row: int) -> None:
        super().__init__()
        self.cycle, self.row = cycle, row


def _addresses(state: State, old: Relation, new: Relation, packets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The address of each packet from now on: its own, or if addresses mean other terminals now the first that its
    source may use for its destination; −1 without one."""
    own: npt.NDArray[np.int64] = state.packets.address[packets].copy()
    if np.array_equal(old.destination, new.destination):
        return own
    addresses = np.full(packets.size, -1, dtype=np.int64)
    for i, packet in enumerate(packets.tolist()):
        with suppress(RelationError):
            source, destination = int(state.packets.source[packet]), int(old.destination[own[i]])
            addresses[i] = usable_addresses(new, source, destination)[0]
    return addresses
