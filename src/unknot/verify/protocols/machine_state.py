"""Messages, states and moves of a protocol's machine."""

from __future__ import annotations

from typing import Literal, NamedTuple

from unknot.verify.protocols.system import EJECT, Sent

ANY = -2
"""Chosen place of a header that waits for all its candidates. None would have another hash in each process."""


class MachineMessage(NamedTuple):
    """A message in a state.

    Attributes
    ----------
    kind, source, address : int
        Class, terminal that sent it, and what its header carries.
    origin, transaction : int
        Terminal that began its transaction, and number of the transaction there.
    sent : int
        Follow-ups already sent, where they are sent one by one.
    tail : tuple of int
        Places that it holds behind its header, tail first.
    whole : bool
        Whether its tail has left its terminal.
    chosen : int
        Place for which alone its header waits, or `ANY`.
    """

    kind: int
    source: int
    address: int
    origin: int
    transaction: int
    sent: int = 0
    tail: tuple[int, ...] = ()
    whole: bool = True
    chosen: int = ANY


TAILS = ("follows", "stays", "parts")
"""What becomes of the tail of a message that moves; evidence has the position."""


class Event(NamedTuple):
    """One move of a system.

    Attributes
    ----------
    act : {"begin", "move", "choose", "consume"}
        A terminal begins a transaction; a message moves to a VC, or is received, or will wait for that alone; it is
        consumed, or sends one more of what follows it.
    place, position : int
        Of the message, or of its header, and in its queue; of "begin" the terminal.
    to : int
        VC to which it moves, or `EJECT`; within a queue of two places `EJECT` too.
    tail : {"follows", "stays", "parts"}
        What becomes of its tail; "parts": the second message of its packet stays behind, as another worm.
    sends : tuple of (class, address)
        Messages that enter send queues.
    """

    act: Literal["begin", "move", "choose", "consume"]
    place: int
    position: int = 0
    to: int = EJECT
    tail: Literal["follows", "stays", "parts"] = "follows"
    sends: tuple[Sent, ...] = ()


State = dict[int, tuple[MachineMessage, ...]]
"""Messages whose headers are in each place, first one first; places without any are left out."""
