"""What routers and terminals of the plain simulator are made of: packets, flits, wires, the two ends of a buffer."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass
class Packet:
    address: int
    length: int
    created: int
    source: int
    injected: int = -1
    hops: int = 0
    priority: int = 0
    decided: bool = False


@dataclass
class Flit:
    packet: Packet
    index: int

    @property
    def head(self) -> bool:
        return self.index == 0

    @property
    def tail(self) -> bool:
        return self.index == self.packet.length - 1


class Wire:
    """Delivers what is put on it in cycle s in cycle s + latency + 1."""

    def __init__(self, latency: int) -> None:
        self.latency = latency
        self.items: dict[int, list] = {}

    def put(self, cycle: int, item) -> None:
        self.items.setdefault(cycle + self.latency + 1, []).append(item)

    def read(self, cycle: int) -> list:
        return self.items.pop(cycle, [])

    def on_the_way(self) -> Iterator[tuple]:
        return ((cycle, item) for cycle, items in self.items.items() for item in items)


@dataclass(eq=False)
class OutputVC:
    """The upstream end of a buffer: who sends into it and how much room is known to be left.

    Of `depth` slots of its own; each of its `siblings`, itself included, adds `shared` ones for all of them, of which
    none takes more than `most`. What a VC has of these are its credits below 0.
    """

    credits: int
    depth: int
    endless: bool = False
    owner: InputVC | None = None
    grant: int = 0
    shared: int = 0
    most: float = float("inf")
    siblings: list[OutputVC] = field(default_factory=list)

    @property
    def has_credit(self) -> bool:
        if self.endless or self.credits > 0:
            return True
        taken = sum(max(0, -sibling.credits) for sibling in self.siblings)
        return taken < self.shared * len(self.siblings) and -self.credits < self.most

    def free_for(self, length: int, switching: str, claim: bool = False) -> bool:
        if self.owner is not None:
            return False
        if self.endless or switching == "wormhole-nonatomic":
            return self.has_credit or not claim
        if switching == "whole packet":
            return self.credits >= min(length, self.depth)
        return self.credits == self.depth if switching == "wormhole" else self.credits >= length


@dataclass(eq=False)
class InputVC:
    """The downstream end: the flits in it, and what the router does for the packet in front.

    The packet requests an output VC from cycle `routing_from`, and the switch, once it has one, from `active_from`;
    `idle_from` is when the packet before it was out of the way.
    """

    number: int
    at: int
    queue: deque[Flit] = field(default_factory=deque)
    idle_from: int = 0
    routing_from: int | None = None
    blocked: bool = False
    committed: object = None
    out: OutputVC | None = None
    active_from: int = 0
    accept: int = 0
    index: int = 0
    lesser: set[OutputVC] = field(default_factory=set)


@dataclass(eq=False)
class Port:
    """A physical channel into or out of a router, with its VCs on that side; `holder` keeps it from all others.

    Credits of an input port leave step by step.
    A flit leaves an output port in the cycle in which its `free_from` lies, and then that is 1 / `rate` later.
    `place` puts input ports in order: as their output channels to the same neighbours; -1 and 2 are terminals.
    `way` is the direction of a grid in which its other router lies.
    """

    vcs: list
    flits: Wire
    credits: Wire
    turns: list[int] = field(default_factory=list)
    free_from: Fraction = Fraction(0)
    holder: InputVC | None = None
    place: tuple[int, int] = (0, 0)
    behind: list[tuple[int, int]] = field(default_factory=list)
    ejects: bool = False
    rate: Fraction = Fraction(1)
    way: int | None = None
    credits_from: int = 0
    credit_tick: int = -1

    def waiting(self, tick: int, now: int) -> int:
        """Flits behind the switch; of each the step in which it has crossed and the cycle in which it leaves."""
        self.behind = [(over, leaves) for over, leaves in self.behind if leaves >= now]
        return sum(over < tick for over, _ in self.behind)


@dataclass(eq=False)
class Entry:
    """A part of an input port, with the VCs that send by it."""

    port: Port
    vcs: list[InputVC]
    turn: int = 0
    next_vc: int = 0
    holder: InputVC | None = None


class Node:
    """A router."""

    def __init__(self) -> None:
        self.inputs: list[Port] = []
        self.outputs: list[Port] = []
        self.entries: list[Entry] = []
        self.first_rows: tuple[int, ...] = ()
        self.of_vcs = True
        self.to_route: list[InputVC] = []
        self.let_go: set[object] = set()
        self.routing_until = 0
        self.crossing_from = self.crossing_until = -(10**6)
        self.crossed = 0
        self.whole_turn = {True: 0, False: 0}
        self.orders: dict[tuple[bool, bool, int], list[int]] = {}
        self.ways: set[int] = set()  # directions of the network

    def absent(self, port: Port | None, terminals_first: bool) -> int:
        """Directions before that of a port, of a terminal, or of all ports, in which there is no neighbour."""
        missing = self.ways - {one.way for one in self.outputs}
        if port is None or port.way is not None:
            return sum(port is None or way < port.way for way in missing)
        return 0 if terminals_first else len(missing)

    def order(self, of_input: bool, others: int):
        """Ranks of matrix arbiters: whoever was chosen longest ago comes first, at the beginning the highest."""

        def rank(end: int, other: int) -> int:
            key = self.of_vcs, of_input, end
            return self.orders.setdefault(key, list(range(others))[::-1]).index(other)

        return rank

    def chosen(self, i: int, o: int) -> None:
        for of_input, end, other in ((True, i, o), (False, o, i)):
            ranks = self.orders[self.of_vcs, of_input, end]
            ranks.remove(other)
            ranks.append(other)

    def divide(self, parts: int, exits: int) -> None:
        """Divide input and output ports into parts."""
        self.entries = [
            Entry(port, port.vcs[part::parts]) for port in self.inputs for part in range(min(parts, len(port.vcs)))
        ]
        for port in self.outputs:
            port.turns = [0] * exits

    def output_vcs(self, width: int) -> list[OutputVC]:
        """In the order of ports; of the ports of a terminal, which are next to one another, by turns."""
        ordered, at = [], 0
        while at < len(self.outputs):
            ports = self.outputs[at : at + (width if self.outputs[at].ejects else 1)]
            ordered += [vc for turn in zip(*(port.vcs for port in ports), strict=True) for vc in turn]
            at += len(ports)
        return ordered

    def exit(self, out: OutputVC) -> int:
        """Which output port a VC belongs to."""
        return next(o for o, port in enumerate(self.outputs) if out in port.vcs)
