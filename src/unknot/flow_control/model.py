"""The record of a flow control: what a packet holds, when a header enters a buffer, whether it may choose again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Holds = Literal["buffer", "row"]
Enters = Literal["packet", "empty", "tail"]


@dataclass(frozen=True)
class FlowControl:
    """How packets take and give back the buffers of virtual channels (VCs).

    Attributes
    ----------
    name : str
        Name of the technique, as ``--switching`` takes it.
    holds : {"buffer", "row"}
        Buffers of a blocked packet: the one buffer that its header stands in, or a row of buffers back to its tail.
    enters : {"packet", "empty", "tail"}
        When a header may be granted a VC: there is room for the whole packet; the buffer is empty; the tail of the
        last packet granted the VC has come in, whatever the room.
    keeps : bool
        Whether a header keeps the candidate that it was first granted. Otherwise a blocked header chooses again in
        every cycle, and waits until any of its candidates can be entered.
    complete : bool
        Whether a packet goes on only when all its flits have arrived.
    holding : str
        The same in words, for reports: the buffers of a blocked packet, and the event that ends its wait.

    Examples
    --------
    >>> from unknot.flow_control import technique
    >>> technique("vct").holds, technique("wormhole").enters, technique("wormhole-nonatomic").keeps
    ('buffer', 'empty', True)
    """

    name: str
    holds: Holds
    enters: Enters
    keeps: bool
    complete: bool
    holding: str

    @property
    def alone(self) -> bool:
        """Whether a blocked packet holds no buffer but that of its header."""
        return self.holds == "buffer"

    @property
    def whole(self) -> bool:
        """Whether buffers are granted to whole packets, so that each must have room for the longest."""
        return self.enters == "packet"

    @property
    def exclusive(self) -> bool:
        """Whether a buffer holds flits of one packet at a time."""
        return self.enters == "empty"

    @property
    def queueing(self) -> bool:
        """Whether headers queue behind tails and keep the VC granted, so that every cycle of VCs is a deadlock."""
        return self.enters == "tail" and self.keeps

    @property
    def waiting(self) -> tuple[Holds, Enters, bool]:
        """Properties that decide about deadlock; techniques with equal properties have equal verdicts."""
        return self.holds, self.enters, self.keeps
