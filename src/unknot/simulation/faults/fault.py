"""Faults during a run: what dies in a cycle, and the text of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from unknot._base.calls import Piece
from unknot._base.errors import SimulationError
from unknot._base.numbers import require_whole
from unknot.network import Network
from unknot.routing.named import routing_named
from unknot.routing.relation import Relation


@dataclass(frozen=True)
class Fault:
    """Channels and routers that die at the beginning of a cycle, and the routing of packets from then on.

    Parameters
    ----------
    cycle : int
        Cycle at whose beginning they die.
    channels : sequence of int or str
        Numbers of directed channels, or texts: ``(1,1)->(1,2)`` for all channels from one router to another,
        ``(1,1)<->(1,2)`` for those in both directions, the name of a channel.
    routers : sequence of int or str
        Their channels and terminals die with them.
    relation : Relation or str, optional
        Takes the place of the relation: on the same network with the same VCs, or on what is left of it
        (``network.without(…)``); or the name of a routing, which is made on what is left. By default the relation
        stays, without the candidates that are dead.

    Raises
    ------
    SimulationError
        If the cycle is none, or nothing happens in it.

    Notes
    -----
    A packet is lost if it has crossed a dead channel in part, if it is in a dead router or on its way to a dead
    terminal, or if a dead terminal was still sending it. The flits of lost packets vanish; virtual channels
    (VCs) and credits are free in the same cycle. A header that was granted a dead VC, but has not used the VC,
    requests another. A header without a candidate to wait for is stranded: its packet is lost at the end of the
    cycle.

    A new relation routes all headers without a VC. Where addresses of the new relation mean other terminals,
    packets take the first address of their destination. Sources create no packets without a candidate, and
    other packets as often as before. Lost packets and packets never created do not count for `stable`; lost
    measured packets count neither as arrived nor as missing.

    Examples
    --------
    >>> from unknot.simulation import simulate
    >>> faults = [Fault(100, channels=["(1,1)<->(1,2)"]), Fault(150, relation="up_down")]
    >>> run = simulate("mesh(4, 4)", 0.1, routing="up_down", faults=faults, warmup=50, measure=200)
    >>> [each.fault for each in run.faults]
    ['100: (1,1)<->(1,2)', '150: routing up_down']
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
            if routing is not None:
                raise piece.error("one routing takes the place of another; a second one needs a fault of its own")
            name.read(partial(routing_named, name.text))
            routing = name.text
        elif re.search("→|->|↔", piece.text):
            piece.read(partial(network.channels_named, piece.text))
            channels.append(piece.text)
        else:
            raise piece.error("expected a channel such as (1,1)->(1,2), router (2,2), or routing up_down")
    if not channels and not routers and routing is None:
        raise pair[1].error("expected what dies after the cycle, such as (1,1)->(1,2)")
    return Fault(int(pair[0].text), channels, routers, routing)
