"""Protocols: classes of messages, the queues of a terminal, and what a message is consumed for.

docs/protocols.md defines what waits for what. A `Protocol` is checked when it is made, so its names can be relied on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from unknot._base.errors import near
from unknot._base.numbers import is_whole
from unknot._base.toml_places import EntryError

Recipient = Literal["sender", "origin", "any"]
RECIPIENTS: tuple[Recipient, ...] = ("sender", "origin", "any")
"""To whom a follow-up goes: who sent the message, who began the transaction, or any other terminal."""
MOST_CLASSES, MOST_SLOTS, MOST_FOLLOWERS, NAME_LENGTH = 16, 1 << 20, 1000, 60


class ProtocolError(EntryError):
    """A protocol that cannot be."""


@dataclass(frozen=True)
class Follow:
    """Messages sent by a terminal when it consumes a message.

    Parameters
    ----------
    message : str
        Their class.
    to : {"sender", "origin", "any"}
        To whom: who sent the consumed message, who began the transaction, or any terminal but those two; where that
        is the terminal itself, nothing is sent.
    count : int
        How many.

    Examples
    --------
    >>> MessageClass("write", follows=(Follow("acknowledge", count=2),)).follows[0].to
    'sender'
    """

    message: str
    to: Recipient = "sender"
    count: int = 1


@dataclass(frozen=True)
class Queue:
    """Room of a queue in each terminal.

    Parameters
    ----------
    depth : int
        Messages of the greatest length that it holds.
    ordered : bool
        Whether its first message alone may leave.

    Examples
    --------
    >>> Queue(depth=4)
    Queue(depth=4, ordered=True)
    """

    depth: int = 1
    ordered: bool = True


@dataclass(frozen=True)
class MessageClass:
    """Messages of one kind.

    Parameters
    ----------
    name : str
        How it is called.
    follows : sequence of Follow
        What is sent when one is consumed; nothing: it is always consumed.
    send, receive : str
        Names of its queues; by default its own name. Classes with the same name share a queue.
    network : str
        Message class of the routing that carries it; by default its own name.
    at_once : bool
        Whether it is consumed when there is room for all that follows, or what follows is sent one by one.
    together : str
        Class of the message of the same transaction with which alone it is consumed.
    carries : str
        Class of the message that comes behind it in the same packet and is received after it.
    reserved : bool
        Whether the terminal reserved room for it before it began the transaction.

    Examples
    --------
    >>> reply = MessageClass("reply", receive="all", reserved=True)
    >>> reply.send, reply.receive
    ('reply', 'all')
    """

    name: str
    follows: tuple[Follow, ...] = ()
    send: str = ""
    receive: str = ""
    network: str = ""
    at_once: bool = True
    together: str = ""
    carries: str = ""
    reserved: bool = False

    def __post_init__(self) -> None:
        for key in ("send", "receive", "network"):
            object.__setattr__(self, key, getattr(self, key) or self.name)
        object.__setattr__(self, "follows", tuple(self.follows))


@dataclass(frozen=True)
class Protocol:
    """Message classes and the queues of every terminal.

    Parameters
    ----------
    name : str
        How it is called.
    classes : sequence of MessageClass
        Classes of messages.
    begins : sequence of sequence of str
        Transactions that terminals begin: the classes of their first messages, which go to one terminal.
    send : mapping of str to int
        Depth of each send queue; 1 where it is not named.
    receive : mapping of str to Queue
        Room of each receive queue; one message where it is not named.
    outstanding : int, optional
        Transactions of a terminal that may be under way, from their first message to the last that is consumed.
    assumes : sequence of str
        What else the protocol takes of terminals, in words, for answers.

    Raises
    ------
    ProtocolError
        If a class, queue or number cannot be; its `path` says where.

    Examples
    --------
    >>> request = MessageClass("request", follows=(Follow("reply"),))
    >>> Protocol("reads", (request, MessageClass("reply")), (("request",),)).networks
    ('request', 'reply')
    """

    name: str
    classes: tuple[MessageClass, ...]
    begins: tuple[tuple[str, ...], ...]
    send: Mapping[str, int] = field(default_factory=dict)
    receive: Mapping[str, Queue] = field(default_factory=dict)
    outstanding: int | None = None
    assumes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", tuple(self.classes))
        object.__setattr__(self, "begins", tuple(tuple(group) for group in self.begins))
        self._check_classes()
        self._check_queues()
        for one in self.classes:
            self._check_class(one)
        if not self.begins or not all(self.begins):
            message = 'transactions begin with at least one message: begins = [["request"]]'
            raise ProtocolError(message, ("begins", *([self.begins.index(())] if self.begins else [])))
        for i, group in enumerate(self.begins):
            for k, name in enumerate(group):
                self._require(name, ("begins", i, k))
            self._require_room(group, ("begins", i))
        if self.outstanding is not None:
            _require_number("outstanding", self.outstanding, ("outstanding",))

    def _check_classes(self) -> None:
        names = [one.name for one in self.classes]
        if not 1 <= len(names) <= MOST_CLASSES:
            raise ProtocolError(f"a protocol has 1 to {MOST_CLASSES} message classes, not {len(names)}", ("classes",))
        for name in names:
            if not name or len(name) > NAME_LENGTH or not name.isprintable():
                raise ProtocolError(f"{name[:NAME_LENGTH]!r} is no name of a message class", ("classes", name))
            if names.count(name) > 1:
                raise ProtocolError(f"two message classes are called {name!r}", ("classes", name))

    def _check_queues(self) -> None:
        for side, known in (("send", self.send_queues), ("receive", self.receive_queues)):
            for name, room in getattr(self, side).items():
                if name not in known:
                    message = f"no class has the {side} queue {name!r}; {near(name, known)}"
                    raise ProtocolError(message, (side, name), at_key=True)
                _require_number(f"depth of {name}", room.depth if isinstance(room, Queue) else room, (side, name))

    def _check_class(self, one: MessageClass) -> None:
        path = ("classes", one.name)
        for i, follow in enumerate(one.follows):
            self._require(follow.message, (*path, "follows", i, "class"))
            if follow.to not in RECIPIENTS:
                message = f"a message goes to one of {', '.join(RECIPIENTS)}, not {follow.to!r}"
                raise ProtocolError(message, (*path, "follows", i, "to"))
            _require_number("count", follow.count, (*path, "follows", i, "count"), MOST_FOLLOWERS)
        number = sum(follow.count for follow in one.follows) or 1
        _require_number(f"number of followers of {one.name}", number, (*path, "follows"), MOST_FOLLOWERS)
        if one.at_once:
            self._require_room([f.message for f in one.follows for _ in range(f.count)], (*path, "follows"))
        for key in ("together", "carries"):
            if other := getattr(one, key):
                self._require(other, (*path, key))
                if other == one.name:
                    raise ProtocolError(f"{key}: {one.name} cannot be its own other part", (*path, key))
        if one.carries and (self[one.carries].network != one.network or self[one.carries].carries):
            message = f'comes in the packet of {one.name}: give it network = "{one.network}", and nothing to carry'
            raise ProtocolError(f"{one.carries} {message}", (*path, "carries"))
        if one.together and (self[one.together].together or self[one.together].follows):
            message = f"{one.together} is consumed with {one.name}: what follows both is said of {one.name} alone"
            raise ProtocolError(message, (*path, "together"))
        companions = any(one.name in (other.together, other.carries) for other in self.classes)
        if one.reserved and (one.follows or one.together or one.carries or companions or self.outstanding is None):
            message = "reserved needs a limit, `outstanding`, and a message alone in its packet that nothing follows"
            raise ProtocolError(f"{one.name}: {message}", (*path, "reserved"))

    def _require(self, name: str, path: tuple[str | int, ...]) -> None:
        if name not in self._numbers:
            raise ProtocolError(f"unknown message class {name!r}; {near(name, list(self._numbers))}", path)

    def _require_room(self, messages: Iterable[str], path: tuple[str | int, ...]) -> None:
        """Refuse messages that are sent at once and never fit."""
        queues = [self[name].send for name in messages]
        for queue in queues:
            if queues.count(queue) > self.send_depth(queue):
                message = (
                    f"{queues.count(queue)} messages enter the send queue {queue!r} at once, which has room for "
                    f"{self.send_depth(queue)}; deepen it, or send them one by one (at_once = false)"
                )
                raise ProtocolError(message, path)

    def __getitem__(self, name: str) -> MessageClass:
        return self.classes[self._numbers[name]]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {one.name: i for i, one in enumerate(self.classes)}

    @cached_property
    def send_queues(self) -> tuple[str, ...]:
        """Names of the send queues of a terminal."""
        return tuple(dict.fromkeys(one.send for one in self.classes))

    @cached_property
    def receive_queues(self) -> tuple[str, ...]:
        """Names of the receive queues of a terminal."""
        return tuple(dict.fromkeys(one.receive for one in self.classes))

    @property
    def networks(self) -> tuple[str, ...]:
        """Message classes of a routing that keeps apart what the protocol keeps apart."""
        return tuple(dict.fromkeys(one.network for one in self.classes))

    def send_depth(self, queue: str) -> int:
        """Messages that a send queue holds."""
        return self.send.get(queue, 1)

    def room(self, queue: str) -> Queue:
        """Room of a receive queue."""
        return self.receive.get(queue, Queue())

    @property
    def depths(self) -> dict[str, int]:
        """Messages that each queue holds, "send NAME" or "receive NAME"."""
        depths = {f"send {name}": self.send_depth(name) for name in self.send_queues}
        return depths | {f"receive {name}": self.room(name).depth for name in self.receive_queues}

    def after(self, one: MessageClass) -> list[MessageClass]:
        """Classes of the messages that one of a class carries or leads to."""
        return [self[name] for name in (one.carries, *(follow.message for follow in one.follows)) if name]

    def partner(self, name: str) -> MessageClass | None:
        """The class with which a message is consumed, whichever of the two says so."""
        if self[name].together:
            return self[self[name].together]
        return next((one for one in self.classes if one.together == name), None)


def _require_number(what: str, number: int, path: tuple[str | int, ...], most: int = MOST_SLOTS) -> None:
    if not is_whole(number) or not 1 <= number <= most:
        raise ProtocolError(f"{what} is a whole number from 1 to {most}, not {number!r}", path)
