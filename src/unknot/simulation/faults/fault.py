"""Faults during a simulation: their names and texts, and the effect of each."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from unknot._base.errors import SimulationError
from unknot._base.numbers import require_whole
from unknot._base.pieces import Piece
from unknot.network import Network
from unknot.network.faults import channels_of
from unknot.routing.named import routing, routing_named
from unknot.routing.relation import Relation
from unknot.simulation.engine.sources import Pairs
from unknot.simulation.faults.detours import surviving, thinned, translated, usable_addresses

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Fault:
    """Channels and routers that die at the beginning of a cycle, and the routing of packets from then on.

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

    Examples
    --------
    >>> from unknot import simulate
    >>> fault = Fault(100, channels=["(1,1)<->(1,2)"], relation="up_down")
    >>> run = simulate("mesh(4, 4)", 0.1, routing="up_down", faults=[fault], warmup=50, measure=200)
    >>> run.faults, run.deadlock
    (('100: (1,1)<->(1,2); routing up_down',), None)
    """

    cycle: int
    channels: Sequence[int | str] = ()
    routers: Sequence[int | str] = ()
    relation: Relation | str | None = None

    def __post_init__(self) -> None:
        require_whole("fault: cycle", self.cycle, 0, error=SimulationError)
        for key in ("channels", "routers"):
            names = getattr(self, key)
            object.__setattr__(self, key, (names,) if isinstance(names, (int, str)) else tuple(names))
        if not self.channels and not self.routers and self.relation is None:
            raise SimulationError(f"fault in cycle {self.cycle}: nothing dies, and there is no new relation")

    def __str__(self) -> str:
        dead = [*(str(c) for c in self.channels), *(f"router {r}" for r in self.routers)]
        new = self.relation.name if isinstance(self.relation, Relation) else self.relation
        return f"{self.cycle}: " + "; ".join(dead + ([] if new is None else [f"routing {new}"]))


def fault_of(text: str, network: Network, where: str = "<fault>") -> Fault:
    """The fault that a text such as ``2000: (1,1)->(1,2); router (2,2); routing up_down`` describes.

    Raises
    ------
    TextError
        At the place that is wrong, a router or channel that the network does not have among them.
    """
    whole = Piece(text, where)
    pair = whole.pair(":")
    if pair is None or not re.fullmatch(r"[0-9]{1,18}", pair[0].text):
        raise whole.error("expected a cycle and what dies, such as 2000: (1,1)->(1,2)")
    channels: list[int | str] = []
    routers: list[int | str] = []
    routing: str | None = None
    for piece in pair[1].split(";"):
        word, name = piece.pair(" ") or (piece, None)
        if name and word.text == "router":
            name.read(partial(network.router, name.text))
            routers.append(name.text)
        elif name and word.text == "routing":
            name.read(partial(routing_named, name.text))
            routing = name.text
        elif re.search("→|->", piece.text):
            piece.read(partial(channels_of, network, piece.text))
            channels.append(piece.text)
        else:
            raise piece.error("expected a channel such as (1,1)->(1,2), router (2,2), or routing up_down")
    if not channels and not routers and routing is None:
        raise pair[1].error("expected what dies after the cycle, such as (1,1)->(1,2)")
    return Fault(int(pair[0].text), channels, routers, routing)


@dataclass(frozen=True, eq=False)
class Step:
    """Effect of a fault: dead VCs, gone terminals, lost injection buffers; relation and traffic from then on."""

    fault: Fault
    dead: Flags
    gone: Flags
    buried: Flags
    relation: Relation
    pairs: Pairs


def steps(relation: Relation, faults: Iterable[Fault], pairs: Pairs) -> list[Step]:
    """Return the effect of each fault, in the order of their cycles."""
    network, current = relation.network, relation
    routers, channels = np.zeros(network.num_routers, dtype=bool), np.zeros(network.num_channels, dtype=bool)
    before = usable_addresses(relation, np.zeros(network.num_terminals, dtype=bool))
    effects = []
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
        may, traffic = usable_addresses(left, gone), pairs
        if not np.array_equal(left.destination, relation.destination) or (may != before).any():
            traffic = thinned(pairs, relation.destination, left, may)
        effects.append(Step(fault, dead, gone, routers[network.inject], left, traffic))
    return effects


def _made(replacement: Relation | str, base: Relation, routers: Flags, channels: Flags) -> Relation:
    """A relation, or the one that a routing makes on what is left, with as many VCs as there are if it takes them."""
    if isinstance(replacement, Relation):
        return replacement
    left = base.network.without(np.flatnonzero(routers).tolist(), np.flatnonzero(channels).tolist())
    takes = "vcs" in inspect.signature(routing_named(replacement, "fault")).parameters and "vcs" not in replacement
    return routing(left, replacement, int(base.vcs.counts.min()) if takes else None, where="fault")
