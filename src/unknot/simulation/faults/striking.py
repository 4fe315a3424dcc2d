"""Faults as they come up in a run, and the packets that are lost to them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.errors import RelationError
from unknot._base.splitmix import STEP
from unknot.routing.relation import Relation
from unknot.simulation.engine.codes import BLOCKED, FRESH, NO_CYCLE
from unknot.simulation.engine.dropping import give_back, owns, readers, remove, residents
from unknot.simulation.engine.entries import entries_of, tiled_by
from unknot.simulation.engine.option_tables import hop_tables
from unknot.simulation.engine.sources import Sources
from unknot.simulation.engine.state_arrays import State
from unknot.simulation.faults.fault import Fault
from unknot.simulation.faults.fault_run import FaultRun
from unknot.simulation.faults.steps import FaultStep, steps
from unknot.simulation.run.scenario import Scenario
from unknot.traffic.trace import addresses as usable_addresses

OF_RELATION = ("commits", "compares", "cacheable", "count_hops", "block", "weight", "margin", "selection")
"""Entries of the setup that a relation determines."""


class Faults:
    """Faults of a run, coming and past.

    All routers know of a fault in its cycle, and what is lost is gone at once, with its credits back: the network is
    told of a failure in no time. A relation that comes later is a fault of its own.

    Attributes
    ----------
    coming : list of Step
    struck : list of Fault
    scenario : Scenario
        What goes on, with the relation of the last fault.
    lost : list of list of int
        Of each fault: packets lost, their flits that were in the network, and the packets that had no candidate.
    """

    def __init__(self, scenario: Scenario, sources: Sources) -> None:
        self.scenario, self.sources = scenario, sources
        self.coming = steps(scenario.relation, scenario.failing, sources.pairs)
        for step in self.coming:
            step.relation.compiled  # noqa: B018 what has to be compiled is compiled now
        self.struck, self._terminals = list[Fault](), scenario.relation.network.num_terminals
        self.lost: list[list[int]] = []
        self._offered = [(0, sum(sources.flits))]
        self._flits_lost: list[tuple[int, int]] = []
        self._marks: list[Ints] = [np.zeros(4, dtype=np.int64)]

    @property
    def next_cycle(self) -> int:
        """Cycle of the next fault."""
        return self.coming[0].fault.cycle if self.coming else NO_CYCLE

    def strike(self, part: State) -> State:
        """Let the next fault happen at the beginning of a cycle; return the part as it goes on."""
        step = self.coming.pop(0)
        self.struck.append(step.fault)
        self.lost.append([0, 0, 0])
        self._marks.append(_mark(part))
        self._lose(part, self._doomed(part, step))
        self._request_anew(part, step)
        return self._go_on(part, step)

    def strand(self, part: State) -> None:
        """Lose the packets whose headers found no candidate in the last cycle."""
        rows = part.lost[: part.count.lost]
        part.count.lost = 0
        packets = part.ring[rows * part.setup.ring + part.inputs.front[rows]].astype(np.int64)
        self._lose(part, packets)
        self.lost[-1][2] += packets.size

    def offered(self, begin: int, end: int) -> float:
        """Flits per terminal and cycle that can arrive in some cycles: without those not created, or lost."""
        starts, flits = zip(*self._offered, strict=True)
        cycles = np.diff(np.clip([*starts, NO_CYCLE], begin, end))
        lost = sum(flits for cycle, flits in self._flits_lost if begin <= cycle < end)
        return max(0.0, float(cycles @ flits) - lost) / (self._terminals * max(1, end - begin))

    def figures(self, part: State) -> tuple[FaultRun, ...]:
        """What each fault that came cost, at the end of a run."""
        times = []
        for cycles, out, latency, arrived in np.diff([*self._marks, _mark(part)], axis=0).tolist():
            mean = latency / arrived if arrived else None
            times.append((mean, out / (max(1, cycles) * self._terminals)))
        latencies, loads = zip(*times, strict=True)
        columns = self.struck, self.lost, latencies, latencies[1:], loads, loads[1:]
        return tuple(
            FaultRun(str(fault), lost[0], lost[1], lost[2], *around)
            for fault, lost, *around in zip(*columns, strict=False)
        )

    def _doomed(self, part: State, step: FaultStep) -> Ints:
        """Packets that are lost in the cycle of a fault; others get their address of the new relation."""
        index, packets = residents(part, np.arange(len(part.inputs)))
        waiting, old = part.terminals.packet, self.scenario.relation
        every = np.unique(np.append(packets, waiting[waiting >= 0]))
        address = _addresses(part, old, step.relation, every)
        doomed = (address < 0) | step.gone[old.destination[part.packets.address[every]]]
        doomed |= np.isin(every, packets[step.dead[part.buffer[index]]]) | np.isin(every, waiting[step.gone])
        part.packets.address[every[~doomed]] = address[~doomed]
        lost: Ints = every[doomed]
        return lost

    def _lose(self, part: State, packets: Ints) -> None:
        """Take packets out for good."""
        self._flits_lost.append((int(part.count.now), int(part.packets.length[packets].sum())))
        self.lost[-1][0] += packets.size
        self.lost[-1][1] += remove(part, packets, int(part.setup.routing_delay))
        injecting = np.isin(part.terminals.packet, packets)
        part.terminals.packet[injecting], part.terminals.vc[injecting], part.terminals.left[injecting] = -1, -1, 0
        count, setup, created = part.count, part.setup, part.packets.created[packets]
        count.measured_created -= ((created >= setup.measure_from) & (created < setup.measure_to)).sum()
        part.free[count.free : count.free + packets.size] = packets
        count.free += packets.size

    def _request_anew(self, part: State, step: FaultStep) -> None:
        """Let headers forget a choice that is dead, or of a replaced relation, unless flits were sent."""
        rows = np.arange(len(part.inputs))
        out = part.inputs.out
        reader = readers(part, out)
        is_dead = (reader >= 0) & step.dead[part.buffer[reader]]
        for row in rows[owns(part, rows) & is_dead & (part.inputs.sent == 0)].tolist():
            give_back(part, row)
        header = ((part.inputs.state == FRESH) | (part.inputs.state == BLOCKED)) & (part.inputs.stored > 0)
        # Of those `out` is the VC that they committed to, `num_vcs` of ejection, or −1.
        chosen = np.append(step.dead[: part.setup.num_vcs], [False, False])[np.where(header, out, -1)]
        again = header & (step.fault.relation is not None or chosen)
        part.inputs.out[again], part.inputs.state[again] = -1, FRESH
        part.wake()

    def _go_on(self, part: State, step: FaultStep) -> State:
        """Relation and traffic from now on."""
        relation, now = step.relation, int(part.count.now)
        self.scenario = replace(self.scenario, relation=relation, faults=())
        router, tables = self.scenario.selecting_router, dict[str, Any](cache=0)
        entries = entries_of(self.scenario)
        part.setup.write(**{name: entries[name] for name in OF_RELATION if name in entries})
        if step.fault.relation is not None:
            direct = np.array(() if relation.direct is None else relation.direct).reshape(-1)
            tables |= {"destination": relation.destination, "direct": direct}
            tables |= hop_tables(relation, router, part.out_row)
            part.setup.write(num_addresses=relation.num_addresses, tiled=tiled_by(relation), replaced=now)
        if step.pairs is not self.sources.pairs:
            sources = self.sources = replace(self.sources, pairs=step.pairs)
            tables |= sources.pairs.tables
            part.setup.everyone = sources.everyone
            _forget_ahead(part.terminals, part.random, now)
            part.terminals.chance[:] = sources.columns(part.random)["chance"]
            self._offered.append((now, sum(sources.flits)))
        part.count.last_move = now
        return part.replaced(**tables)


def _forget_ahead(terminals: Any, random: npt.NDArray[np.uint64], now: int) -> None:
    """Take back draws of terminals for cycles to come, a number for each: chances change now."""
    early = np.maximum(0, terminals.drawn - now)
    is_known = terminals.packet == -2  # a packet is created in the cycle `drawn`
    random -= STEP * (early + is_known).astype(np.uint64)
    terminals.drawn -= early
    terminals.packet[is_known] = -1


def _mark(part: State) -> Ints:
    return np.array([part.count.now, part.count.flits_out, part.count.latency, part.count.arrived])


def _addresses(part: State, old: Relation, new: Relation, packets: Ints) -> Ints:
    """The address of each packet from now on; −1 without one.

    It is its own, or if addresses mean other terminals now the first that its source may use for its destination.
    """
    own: Ints = part.packets.address[packets].copy()
    if np.array_equal(old.destination, new.destination):
        return own
    found = np.full(packets.size, -1, dtype=np.int64)
    for i, packet in enumerate(packets.tolist()):
        with suppress(RelationError):
            source, destination = int(part.packets.source[packet]), int(old.destination[own[i]])
            found[i] = usable_addresses(new, source, destination)[0]
    return found
