"""Traffic classes: what several sources of each terminal send, requests that are answered among it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unknot._base.errors import SimulationError
from unknot.simulation.engine.state import HIGHEST
from unknot.simulation.engine.traffic import Bursts, length_shares
from unknot.traffic import Traffic


@dataclass(frozen=True)
class Message:
    """One form of the messages of a traffic class.

    Parameters
    ----------
    flits : int
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
    """

    flits: int = 1
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
    name : str
        What it is called in results.

    Examples
    --------
    >>> import unknot
    >>> from unknot.simulation import Message, TrafficClass
    >>> reads = TrafficClass(messages=(Message(1, reply=4),), name="reads")
    >>> run = unknot.simulate("mesh(4, 4)", 0.1, routing="message_classes", classes=[reads], measure=2000)
    >>> run.classes[0].name, run.stable
    ('reads', True)
    """

    share: float = 1.0
    traffic: Traffic = "uniform"
    messages: int | Mapping[int, float] | Sequence[Message] = 1
    priority: int = 0
    bursts: Bursts | None = None
    name: str = ""

    def __post_init__(self) -> None:
        number = isinstance(self.share, (int, float, np.integer, np.floating)) and not isinstance(self.share, bool)
        if not number or not 0 < self.share < float("inf"):
            raise SimulationError(f"traffic class: share must be a number above 0, such as 0.5, got {self.share!r}")
        whole = isinstance(self.priority, (int, np.integer)) and not isinstance(self.priority, bool)
        if not whole or not 0 <= self.priority <= HIGHEST:
            raise SimulationError(
                f"traffic class: priority must be a whole number from 0 to {HIGHEST}, got {self.priority!r}"
            )
        if not self.forms:
            raise SimulationError("traffic class: at least one form of messages is wanted")

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
