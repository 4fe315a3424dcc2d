"""Workload of a simulation: who sends to whom, packets of which lengths, in bursts or not, in which classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unknot._base.errors import SimulationError
from unknot._base.numbers import is_number, require_whole
from unknot.traffic.patterns import PatternLike

Lengths = int | Mapping[int, float]
"""Flits per packet: one number, or the share of each length among the packets."""
Shares = tuple[tuple[int, float], ...]
"""Packet lengths, ascending, with their shares, which add up to 1."""
PATTERN = "uniform"
"""Pattern unless another one is given."""
PACKET_LENGTH = 1
"""Flits per packet unless others are given."""
LONGEST_PACKET = 1 << 20
HIGHEST_PRIORITY = 1 << 30
MOST_SUBNETS = 64


def length_shares(lengths: Lengths) -> Shares:
    """Packet lengths, ascending, with their shares, which add up to 1.

    Raises
    ------
    SimulationError
        If a length is not a whole number of flits from 1 to 2²⁰, or shares are not numbers above 0.
    """
    share_of = lengths if isinstance(lengths, Mapping) else {lengths: 1.0}
    if not share_of:
        raise SimulationError("packet_length: at least one length is needed")
    for length, share in share_of.items():
        require_whole("packet_length", length, 1, LONGEST_PACKET, error=SimulationError)
        if not is_number(share) or share <= 0:
            raise SimulationError(f"packet_length: the share of length {length} must be above 0, got {share!r}")
    total = math.fsum(share_of.values())
    return tuple((int(length), float(share) / total) for length, share in sorted(share_of.items()))


def mean_length(shares: Shares) -> float:
    """Mean flits per packet."""
    return math.fsum(length * share for length, share in shares)


@dataclass(frozen=True)
class Bursts:
    """Terminals in bursts: off, a terminal creates nothing; on, more than the load, so that the mean is the load.

    Parameters
    ----------
    begin, end : float
        Probability in each cycle that an off terminal goes on, and that an on one goes off; above 0, at most 1. A
        burst lasts 1 / end cycles on average.

    Examples
    --------
    >>> from unknot.simulation import simulate
    >>> bursts = Bursts(begin=0.05, end=0.2)
    >>> run = simulate("mesh(4, 4)", 0.1, routing="dimension_order", bursts=bursts, warmup=100, measure=200)
    >>> run.bursts
    Bursts(begin=0.05, end=0.2)
    """

    begin: float
    end: float

    def __post_init__(self) -> None:
        for name, probability in (("begin", self.begin), ("end", self.end)):
            if not is_number(probability) or not 0 < probability <= 1:
                raise SimulationError(f"bursts: {name} must be a probability above 0, got {probability!r}")

    @property
    def share_on(self) -> float:
        """Part of the time that a terminal is on."""
        return self.begin / (self.begin + self.end)


@dataclass(frozen=True)
class Message:
    """One form of the messages of a traffic class.

    Parameters
    ----------
    flits : int
        Length of the message.
    share : float
        Share among the messages that the class creates; they need not add up to 1.
    kind : str
        Message class of the relation (`Relation.classes`) whose addresses it has; by default the first one.
    reply : int
        Flits of the reply that its destination sends when it has arrived; 0: none.
    reply_kind : str
        Message class of the reply; by default the last one.
    vcs, reply_vcs : tuple of two int, optional
        First VC of the injection port that it may take, and the last one. By default all; of a relation with message
        classes the equal share of its kind.
    subnet, reply_subnet : int
        Of several networks side by side (``simulate(subnets=…)``) the one it is sent into.

    Examples
    --------
    >>> from unknot.simulation import simulate
    >>> reads = TrafficClass(messages=(Message(1, reply=4),), name="reads")
    >>> run = simulate("mesh(4, 4)", 0.1, routing="message_classes", classes=[reads], warmup=50, measure=200)
    >>> run.classes[0].packets > 0
    True
    """

    flits: int = PACKET_LENGTH
    share: float = 1.0
    kind: str = ""
    reply: int = 0
    reply_kind: str = ""
    vcs: tuple[int, int] | None = None
    reply_vcs: tuple[int, int] | None = None
    subnet: int = 0
    reply_subnet: int = 0

    def __post_init__(self) -> None:
        length_shares({self.flits: self.share})
        if self.reply:
            length_shares(self.reply)


@dataclass(frozen=True)
class TrafficClass:
    """Traffic of one source at every terminal; each source has its own queue, and those of a terminal take turns.

    Parameters
    ----------
    share : float
        Of the load, replies included; shares of several classes need not add up to 1.
    traffic : str, sequence of int, array, callable or Pattern
        As for `simulate`.
    messages : int, mapping of int to float, or sequence of Message
        Flits of a packet, the share of each length, or forms of messages.
    priority : int
        Where terminals and, with ``Router(priority="class")``, routers choose, the highest first.
    bursts : Bursts, optional
        When terminals send; all the time by default.
    name : str
        What it is called in results.

    Examples
    --------
    >>> import unknot
    >>> from unknot.traffic import Message, TrafficClass
    >>> reads = TrafficClass(messages=(Message(1, reply=4),), name="reads")
    >>> run = unknot.simulation.simulate("mesh(4, 4)", 0.1, routing="message_classes", classes=[reads], measure=2000)
    >>> run.classes[0].name, run.stable
    ('reads', True)
    """

    share: float = 1.0
    traffic: PatternLike = PATTERN
    messages: Lengths | Sequence[Message] = PACKET_LENGTH
    priority: int = 0
    bursts: Bursts | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if not is_number(self.share) or self.share <= 0:
            raise SimulationError(f"traffic class: share must be a number above 0, such as 0.5, got {self.share!r}")
        require_whole("traffic class: priority", self.priority, 0, HIGHEST_PRIORITY, error=SimulationError)
        if not self.forms:
            raise SimulationError("traffic class: at least one form of messages is needed")

    @property
    def forms(self) -> tuple[Message, ...]:
        """The forms of its messages."""
        if isinstance(self.messages, (int, np.integer, Mapping)):
            return tuple(Message(length, share) for length, share in length_shares(self.messages))
        return tuple(self.messages)

    @property
    def mean_length(self) -> float:
        """Mean flits of a message and its reply."""
        return sum(form.share * (form.flits + form.reply) for form in self.forms) / self.total_share

    @property
    def mean_packets(self) -> float:
        """Mean packets of a message: itself, and its reply if it has one."""
        return 1 + sum(form.share for form in self.forms if form.reply) / self.total_share

    @property
    def total_share(self) -> float:
        """Sum of the shares of its forms."""
        return sum(form.share for form in self.forms)


@dataclass(frozen=True, eq=False)
class Traffic:
    """Workload of a run; it fits any network that its patterns fit.

    Parameters
    ----------
    pattern : str, sequence of int, array, callable or Pattern
        Who sends to whom, as `unknot.traffic.pattern` reads it.
    packet_length : int or mapping of int to float
        Flits per packet, or the share of each length among the packets.
    bursts : Bursts, optional
        Terminals are on or off, instead of creating packets with the same chance in every cycle.
    classes : sequence of TrafficClass
        Several sources of each terminal, in place of the three above: each with its share of the load, pattern,
        messages and replies to them, and priority. `Run.classes` has what was found of each.
    subnets : int
        Equal networks side by side: each terminal has a port in each, and each `Message` says which it is sent into.
        A terminal injects a flit in a cycle into each, a class one in all; loads are of all subnets together.

    Raises
    ------
    SimulationError
        If a part makes no sense, or does not go with the others.

    Examples
    --------
    >>> Traffic(pattern="transpose", packet_length={1: 0.5, 4: 0.5})
    Traffic(pattern='transpose', packet_length={1: 0.5, 4: 0.5}, bursts=None, classes=(), subnets=1)
    """

    pattern: PatternLike = PATTERN
    packet_length: Lengths = PACKET_LENGTH
    bursts: Bursts | None = None
    classes: Sequence[TrafficClass] = ()
    subnets: int = 1

    def __post_init__(self) -> None:
        if self.bursts is not None and not isinstance(self.bursts, Bursts):
            raise SimulationError(
                f"bursts must be None or Bursts, such as Bursts(begin=0.01, end=0.1), got {self.bursts!r}"
            )
        object.__setattr__(self, "classes", tuple(self.classes))
        if not all(isinstance(one, TrafficClass) for one in self.classes):
            raise SimulationError("classes: at least one TrafficClass is needed")
        if self.classes:
            for name, differs in (
                ("bursts", self.bursts is not None),
                ("traffic", not isinstance(self.pattern, str) or self.pattern != PATTERN),
                ("packet_length", self.packet_length != PACKET_LENGTH),
            ):
                if differs:
                    raise SimulationError(f"classes: each class has its own {name}; leave out {name} beside them")
        require_whole("subnets", self.subnets, 1, MOST_SUBNETS, error=SimulationError)
        if self.subnets > 1 and not self.classes:
            raise SimulationError("subnets: several go with traffic classes only; give classes")
        self.lengths  # noqa: B018 lengths that make no sense are refused at once

    @cached_property
    def lengths(self) -> Shares:
        """Packet lengths that occur, replies included, with their shares."""
        if not self.classes:
            return length_shares(self.packet_length)
        shares: dict[int, float] = {}
        for one in self.classes:
            for form in one.forms:
                for flits in (form.flits, form.reply):
                    if flits:
                        shares[flits] = shares.get(flits, 0.0) + one.share * form.share
        return length_shares(shares)

    @property
    def pattern_name(self) -> str:
        """The pattern by its name, as far as it has one."""
        return self.pattern if isinstance(self.pattern, str) else getattr(self.pattern, "name", "traffic")

    @property
    def longest(self) -> int:
        """Flits of the longest packet."""
        return self.lengths[-1][0]
