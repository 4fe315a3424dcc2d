"""Channels and routers that die while a network is simulated."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.errors import NetworkError, SimulationError, TextError
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.simulation.detours import surviving, thinned, translated, ways
from unknot.simulation.engine import Engine
from unknot.simulation.layout import (
    ADDRESS,
    BLOCKED,
    CHANCE,
    COMMITS,
    COMPARES,
    CREATED,
    EVERYONE,
    FRESH,
    LENGTH,
    LOCAL,
    OUT,
    PACKET,
    PLAIN,
    READ,
    READER,
    RING,
    SENT,
    SIMPLE,
    SOURCE,
    STATE,
    STORED,
    WHERE,
    State,
)
from unknot.simulation.losses import lose, owns, release, residents, wake
from unknot.simulation.router import Router
from unknot.simulation.series import Recorder
from unknot.simulation.tables import replaced
from unknot.simulation.traffic import Pairs

Flags = npt.NDArray[np.bool_]
MUTABLE = (
    "inputs", "outputs", "ring", "sending", "receiving", "inbox", "masks", "packets", "free", "terminals", "random",
    "best",
)  # fmt: skip
"""Tables that cycles change and that are looked at again."""


@dataclass(frozen=True)
class Fault:
    """What dies at the beginning of a cycle, and how packets are routed from then on.

    Parameters
    ----------
    cycle : int
    channels : sequence of int or str
        Numbers of directed channels, or texts: ``(1,1)->(1,2)`` for all channels from one router to another,
        ``(1,1)<->(1,2)`` for those in both directions, the name of a channel.
    routers : sequence of int or str
        Their channels and terminals die with them.
    relation : Relation or str, optional
        Takes the place of the relation: on the same network with the same VCs, or on what is left of it
        (``network.without(…)``); or the name of a routing, which is made on what is left. By default the relation
        stays, without the candidates that are dead.
    """

    cycle: int
    channels: Sequence[int | str] = ()
    routers: Sequence[int | str] = ()
    relation: Relation | str | None = None

    def __post_init__(self) -> None:
        whole = isinstance(self.cycle, (int, np.integer)) and not isinstance(self.cycle, bool)
        if not whole or self.cycle < 0:
            raise SimulationError(f"fault: cycle must be a whole number of at least 0, got {self.cycle!r}")
        for key in ("channels", "routers"):
            given = getattr(self, key)
            object.__setattr__(self, key, (given,) if isinstance(given, (int, str)) else tuple(given))
        if not self.channels and not self.routers and self.relation is None:
            raise SimulationError(f"fault in cycle {self.cycle}: nothing dies, and there is no new relation")

    def __str__(self) -> str:
        dead = [*(str(c) for c in self.channels), *(f"router {r}" for r in self.routers)]
        new = self.relation.name if isinstance(self.relation, Relation) else self.relation
        return f"{self.cycle}: " + "; ".join(dead + ([] if new is None else [f"routing {new}"]))


def fault_of(text: str, where: str = "<fault>") -> Fault:
    """The fault that a text such as ``2000: (1,1)->(1,2); router (2,2); routing up_down`` describes.

    Raises
    ------
    TextError
        At the place that is wrong.
    """
    cycle, colon, rest = text.partition(":")
    if not colon or not cycle.strip().isdigit():
        raise TextError("expected a cycle and what dies, such as 2000: (1,1)->(1,2)", where, 1, 1, text)
    channels: list[int | str] = []
    routers: list[int | str] = []
    routing: str | None = None
    for found in re.finditer(r"[^;]+", rest):
        piece = found.group().strip()
        word, _, name = piece.partition(" ")
        if word == "router" and name:
            routers.append(name.strip())
        elif word == "routing" and name:
            routing = name.strip()
        elif re.search("→|->", piece):
            channels.append(piece)
        else:
            column = len(cycle) + 2 + found.start() + len(found.group()) - len(found.group().lstrip())
            wanted = "a channel such as (1,1)->(1,2), router (2,2), or routing up_down"
            raise TextError(f"expected {wanted}", where, 1, column, text)
    if not channels and not routers and routing is None:
        raise TextError("expected what dies after the cycle, such as (1,1)->(1,2)", where, 1, len(cycle) + 2, text)
    return Fault(int(cycle), channels, routers, routing)


def channels_of(network: Network, channel: int | str) -> list[int]:
    """The channels that a number or a text names.

    Raises
    ------
    NetworkError
        If there are none.
    """
    if isinstance(channel, (int, np.integer)):
        if not 0 <= channel < network.num_channels:
            raise NetworkError(
                f"network {network.name!r} has no channel {channel}: they are 0 to {network.num_channels - 1}"
            )
        return [int(channel)]
    ends = re.split(r"\s*(<->|↔|->|→)\s*", channel.strip())
    if len(ends) != 3:
        raise NetworkError(f"{channel!r} is no channel; name it by its routers, such as (1,1)->(1,2)")
    start, arrow, stop = ends
    exact = [c for c in range(network.num_channels) if re.search(r"[#\[]", stop) and _same(network, c, start, stop)]
    if exact and arrow in ("->", "→"):
        return exact
    a, b = network.router(start), network.router(stop)
    found = network.between(a, b) + (network.between(b, a) if arrow in ("<->", "↔") else [])
    if not found:
        raise NetworkError(
            f"network {network.name!r} has no channel from {network.router_name(a)} to {network.router_name(b)}"
        )
    return found


def _same(network: Network, channel: int, start: str, stop: str) -> bool:
    return network.channel_name(channel).replace(" ", "") == f"{start}→{stop}".replace(" ", "")


@dataclass(frozen=True, eq=False)
class _Step:
    """What a fault comes to: dead VCs, terminals that are gone, those of them whose injection buffers are, and the
    relation and traffic from then on."""

    fault: Fault
    dead: Flags
    gone: Flags
    buried: Flags
    relation: Relation
    pairs: Pairs


def _steps(relation: Relation, faults: Iterable[Fault], pairs: Pairs) -> list[_Step]:
    from unknot.routing.interpreter_kernel import interpreted, is_interpreted

    network, current = relation.network, relation
    routers, channels = np.zeros(network.num_routers, dtype=bool), np.zeros(network.num_channels, dtype=bool)
    plain, before = is_interpreted(relation), ways(relation, np.zeros(network.num_terminals, dtype=bool))
    found = []
    for fault in sorted(faults, key=lambda fault: fault.cycle):
        for router in fault.routers:
            routers[network.router(router)] = True
        for channel in fault.channels:
            channels[channels_of(network, channel)] = True
        channels |= routers[network.source] | routers[network.target]
        gone = routers[network.inject] | routers[network.eject]
        if fault.relation is not None:
            current = translated(_made(fault.relation, relation, routers, channels), relation)
        dead = channels[relation.vcs.channel]
        left = surviving(current, dead, gone)
        if plain:
            interpreted(left, remember=True)
        may, traffic = ways(left, gone), pairs
        if not np.array_equal(left.destination, relation.destination) or (may != before).any():
            traffic = thinned(pairs, relation.destination, left, may)
        found.append(_Step(fault, dead, gone, routers[network.inject], left, traffic))
    return found


def _made(wanted: Relation | str, base: Relation, routers: Flags, channels: Flags) -> Relation:
    """A relation, or the one that a routing makes on what is left, with as many VCs as there are if it takes them."""
    if isinstance(wanted, Relation):
        return wanted
    from unknot.routing.named import routing, routing_named

    left = base.network.without(np.flatnonzero(routers).tolist(), np.flatnonzero(channels).tolist())
    takes = "vcs" in inspect.signature(routing_named(wanted, "fault")).parameters and "vcs" not in wanted
    return routing(left, wanted, int(base.vcs.counts.min()) if takes else None, where="fault")


class FaultyEngine(Engine):
    """An engine in which things die. Packets that have no candidate after the first fault are lost on the spot.

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
        self, relation: Relation, *given: Any, faults: Iterable[Fault], pairs: Pairs, threads: int = 1, **options: Any
    ) -> None:
        if threads != 1:
            raise SimulationError(f"faults want one thread, got threads = {threads}")
        super().__init__(relation, *given, pairs=pairs, **options)
        self._coming = _steps(relation, faults, pairs)
        for step in self._coming:
            step.relation.compiled  # noqa: B018 what has to be compiled is compiled now
        self.lost_packets = self.lost_flits = 0
        self.struck: list[Fault] = []
        self._chance, self._pairs = self.state.terminals[:, CHANCE].copy(), pairs
        self._shares: list[tuple[int, float]] = [(0, 1.0)]
        self._lost: list[tuple[int, int]] = []
        self._replaced_in = -1

    def run(self, cycles: int) -> bool:
        """As for an `Engine`. A knot that arises after a fault is not one that can be injected again."""
        free = super().run(cycles)
        if self.deadlock is not None and self.struck:
            self.deadlock = replace(self.deadlock, reachability="not-established")
        return free

    def advance(self, until: int) -> bool:
        """As for an `Engine`."""
        while self._coming and self._coming[0].fault.cycle < until:
            cycle = self._coming[0].fault.cycle
            if self.now < cycle:
                quiet = self._advance(cycle)
                if self.now < cycle:
                    return quiet
            self._strike(self._coming.pop(0))
        return self._advance(until)

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

    def toll(self) -> dict[str, Any]:
        """What faults did, as attributes of a `Run`."""
        struck = tuple(str(fault) for fault in self.struck)
        return {"lost_packets": self.lost_packets, "lost_flits": self.lost_flits, "faults": struck}

    def _advance(self, until: int) -> bool:
        if not self.struck:
            return super().advance(until)
        while True:
            before = {name: getattr(self.state, name).copy() for name in (*MUTABLE, "count")}
            try:
                return super().advance(until)
            except _NoWay as stop:
                cycle, row = stop.cycle, stop.row
            for name, table in before.items():
                getattr(self.state, name)[...] = table
            if self.now < cycle:
                super().advance(cycle)
            state = self.state
            packet = state.ring[row * state.setup[RING] + state.inputs[row, READ]]
            self._lose(np.array([packet], dtype=np.int64))

    def _explain(self, state: State, dead_end: bool) -> None:
        if not self.struck:
            super()._explain(state, dead_end)
        row = int(state.count[WHERE])
        packet = state.ring[row * state.setup[RING] + state.inputs[row, READ]]
        if dead_end or state.packets[packet, CREATED] < self._replaced_in:
            raise _NoWay(self.now, row)
        super()._explain(state, dead_end)

    def _lose(self, packets: npt.NDArray[np.int64]) -> None:
        self.lost_packets += packets.size
        self._lost.append((self.now, int(self.state.packets[packets, LENGTH].sum())))
        self.lost_flits += lose(self.state, packets)

    def _strike(self, step: _Step) -> None:
        """The network as it is at the beginning of the cycle of a fault."""
        state, relation, new = self.state, self.relation, step.relation
        rows = np.arange(len(state.inputs))
        index, packets = residents(state, rows)
        waiting = np.flatnonzero(state.terminals[:, PACKET] >= 0)
        every = np.unique(np.concatenate([packets, state.terminals[waiting, PACKET]]))
        address = _addresses(state, relation, new, every)
        there = _buried(state, step)
        doomed = (address < 0) | step.gone[relation.destination[state.packets[every, ADDRESS]]]
        doomed |= np.isin(every, packets[there[index]])
        doomed |= np.isin(every, state.terminals[waiting, PACKET][step.gone[waiting]])
        self._lose(every[doomed])
        state.packets[every[~doomed], ADDRESS] = address[~doomed]
        self._ask_anew(step)
        self._give(step)
        self.struck.append(step.fault)

    def _ask_anew(self, step: _Step) -> None:
        """Headers that are not on their way forget what they chose, if it is dead or the relation is replaced."""
        state = self.state
        rows = np.arange(len(state.inputs))
        owning = owns(state, rows)
        reader = state.outputs[state.inputs[owning, OUT], READER]
        buffer = np.where(reader < 0, -1, state.buffer[reader])
        dead = np.append(step.dead, np.zeros(len(state.inputs) - step.dead.size + 1, dtype=bool))
        for row in rows[owning][dead[buffer] & (state.inputs[owning, SENT] == 0)].tolist():
            release(state, row)
        owning = owns(state, rows)
        header = (state.inputs[:, STORED] > 0) & (state.inputs[:, OUT] >= 0) & ~owning
        chosen = np.where(header, state.inputs[:, OUT], -1)
        again = header & dead[chosen]
        if step.fault.relation is not None:
            again = ~owning & ((state.inputs[:, STATE] == FRESH) | (state.inputs[:, STATE] == BLOCKED))
            self._replaced_in = self.now
        state.inputs[again, OUT], state.inputs[again, STATE] = -1, FRESH
        wake(state)

    def _give(self, step: _Step) -> None:
        """Relation and traffic from now on."""
        relation, pairs, state = step.relation, step.pairs, self.state
        setup = state.setup
        setup[[EVERYONE, COMMITS, COMPARES]] = pairs.everyone, relation.commits, relation.direct is not None
        setup[SIMPLE] = setup[PLAIN] and self.router == Router() and not relation.commits
        rates = np.divide(pairs.rate, self._pairs.rate, out=np.zeros_like(pairs.rate), where=self._pairs.rate > 0)
        state.terminals[:, CHANCE] = (self._chance * np.minimum(rates, 1.0)).astype(np.int64)
        self._shares.append((self.now, float(pairs.rate.sum() / max(self._pairs.rate.sum(), 1e-300))))
        self.state = replaced(
            state,
            destination=relation.destination,
            direct=np.array(() if relation.direct is None else relation.direct).reshape(-1),
            pair_first=pairs.pair_first,
            address_range=pairs.address_range,
            addresses=pairs.addresses,
            keep=pairs.keep,
            other=pairs.other,
        )
        self.relation = relation


class FaultyRecorder(Recorder, FaultyEngine):
    """An engine in which things die and that looks at itself."""


class _NoWay(Exception):  # noqa: N818 it is always caught
    """The header in a row of `inputs` has no candidate in this cycle."""

    def __init__(self, cycle: int, row: int) -> None:
        super().__init__()
        self.cycle, self.row = cycle, row


def _buried(state: State, step: _Step) -> Flags:
    """Rows of `inputs` that die: buffers of dead channels, and injection buffers of dead routers."""
    rows = np.zeros(len(state.inputs), dtype=bool)
    rows[state.in_row] = np.concatenate([step.dead, np.repeat(step.buried, int(state.setup[LOCAL]))])
    return rows


def _addresses(state: State, old: Relation, new: Relation, packets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The address of each packet from now on: its own, or if addresses mean other terminals now the first that its
    source may use for its destination; −1 without one."""
    own: npt.NDArray[np.int64] = state.packets[packets, ADDRESS].copy()
    if np.array_equal(old.destination, new.destination):
        return own
    found = np.full(packets.size, -1, dtype=np.int64)
    for i, packet in enumerate(packets.tolist()):
        fits = new.destination == old.destination[own[i]]
        if new.may_use is not None:
            fits = fits & new.may_use[state.packets[packet, SOURCE]]
        usable = np.flatnonzero(fits)
        if usable.size:
            found[i] = usable[0]
    return found
