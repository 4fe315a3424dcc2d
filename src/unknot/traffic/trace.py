"""Traces: given messages, each sent in its cycle and after those it needs, and the addresses they may carry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

import numpy as np

from unknot._base.arrays import Ints, Rows, grouped, offsets, row_of
from unknot._base.errors import RelationError, SimulationError
from unknot._base.numbers import is_whole
from unknot._base.shown import Brief
from unknot.routing.relation import Relation

COLUMNS = ("cycle", "source", "destination", "flits", "delay")
MOST = 2**40
"""The latest cycle and the longest delay."""


class TraceError(SimulationError):
    """A message that cannot be: who, and which of its attributes.

    Parameters
    ----------
    message : int
        By position in the trace.
    column : str
        The attribute at fault.
    """

    def __init__(self, words: str, message: int, column: str) -> None:
        self.words, self.message, self.column = words, message, column
        super().__init__(f"message {message} of the trace: {words}")


@dataclass(frozen=True)
class TracedMessage:
    """One message of a trace.

    Attributes
    ----------
    cycle : int
        It is not sent before.
    source, destination : int
        Terminals.
    flits : int
    needs : tuple of int
        Messages, by position in the trace, that must have arrived before it is sent.
    delay : int
        Cycles that must lie between the last of these arrivals and the sending; a message that needs none is ready
        in its cycle.
    message_class : str
        A word to count messages by, such as ``request``. Where the routing has message classes it must be one of
        them and says which virtual channels the message uses.

    Examples
    --------
    >>> message = TracedMessage(0, source=2, destination=0, flits=8, needs=(0,), delay=20)
    >>> message.flits, message.needs
    (8, (0,))
    """

    cycle: int
    source: int
    destination: int
    flits: int = 1
    needs: tuple[int, ...] = ()
    delay: int = 0
    message_class: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Trace(Brief):
    """Messages as arrays; `Trace.of` makes one of `TracedMessage` objects, and indexing gives them back.

    Attributes
    ----------
    cycle, source, destination, flits, delay : int64 arrays, shape (messages,)
    need_first : int64 array, shape (messages + 1,)
        What message i needs are the entries ``need_first[i]:need_first[i + 1]`` of the next array.
    needs : int64 array
    classes : tuple of str
        The class of each message, or nothing when there are none.
    names : tuple of str
        What the messages are called in a file, or nothing when they are numbered.

    Raises
    ------
    TraceError
        If a number makes no sense, or messages need each other in a cycle.
    SimulationError
        If the arrays do not belong together.

    Examples
    --------
    >>> trace = Trace.of([TracedMessage(0, 0, 3, flits=4), TracedMessage(0, 3, 0, needs=(0,))])
    >>> len(trace), trace.needs.tolist(), trace[1].destination
    (2, [0], 0)
    """

    cycle: Ints
    source: Ints
    destination: Ints
    flits: Ints
    delay: Ints
    need_first: Ints
    needs: Ints
    classes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (*COLUMNS, "need_first", "needs"):
            array = np.asarray(getattr(self, name))
            if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
                raise SimulationError(f"{name} of a trace must be one array of whole numbers")
            column = array.astype(np.int64)
            column.setflags(write=False)
            object.__setattr__(self, name, column)
        self._check_sizes()
        most = {"cycle": MOST, "delay": MOST, "flits": 1 << 20}
        for name in COLUMNS:
            column, least = getattr(self, name), int(name == "flits")
            bad = np.flatnonzero((column < least) | (column > most.get(name, MOST)))
            if bad.size:
                words = f"{name} must be a whole number from {least} to {most.get(name, MOST)}, got {column[bad[0]]}"
                raise TraceError(words, int(bad[0]), name)
        owner = row_of(self.need_first)
        lost = np.flatnonzero((self.needs < 0) | (self.needs >= len(self)))
        if lost.size:
            words = f"it needs message {self.needs[lost[0]]}; there are messages 0 to {len(self) - 1}"
            raise TraceError(words, int(owner[lost[0]]), "needs")
        if (self.needs >= owner).any():
            self._refuse_circle()

    @classmethod
    def of(cls, messages: Iterable[TracedMessage]) -> Trace:
        """A trace of messages, in their order."""
        listed = list(messages)
        for i, message in enumerate(listed):
            for name in COLUMNS:
                number = getattr(message, name)
                if not is_whole(number) or not -MOST <= number <= MOST:
                    raise TraceError(f"{name} must be a whole number, got {number!r}", i, name)
        named = any(message.message_class for message in listed)
        rows = np.array([[getattr(m, name) for name in COLUMNS] for m in listed], dtype=np.int64).reshape(-1, 5)
        cycle, source, destination, flits, delay = rows.T
        return cls(
            cycle, source, destination, flits, delay,
            need_first=offsets([len(message.needs) for message in listed]),
            needs=np.array([need for m in listed for need in m.needs], dtype=np.int64),
            classes=tuple(m.message_class for m in listed) if named else (),
        )  # fmt: skip

    def __len__(self) -> int:
        return self.cycle.size

    def __getitem__(self, i: int) -> TracedMessage:
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        i %= len(self)
        needs = Rows(self.need_first, self.needs).at(i)
        columns = {name: int(getattr(self, name)[i]) for name in COLUMNS}
        return TracedMessage(**columns, needs=tuple(needs), message_class=self.classes[i] if self.classes else "")

    def __iter__(self) -> Iterator[TracedMessage]:
        return (self[i] for i in range(len(self)))

    def name(self, i: int) -> str:
        """Return the name of a message."""
        return self.names[i] if self.names else str(i)

    def followers(self) -> list[list[int]]:
        """Return the messages that need each message."""
        first, needs = grouped(self.needs, len(self))
        return Rows(first, row_of(self.need_first)[needs]).lists()

    def _check_sizes(self) -> None:
        sizes = {name: getattr(self, name).size for name in COLUMNS}
        sizes |= {name: len(words) for name in ("classes", "names") if (words := getattr(self, name))}
        for name, size in sizes.items():
            if size != len(self):
                raise SimulationError(f"a trace of {len(self)} messages has {size} values of {name}")
        first = self.need_first
        if first.size != len(self) + 1 or first[0] or first[-1] != self.needs.size or (np.diff(first) < 0).any():
            raise SimulationError(
                f"need_first of a trace of {len(self)} messages with {self.needs.size} needs must ascend in "
                f"{len(self) + 1} values from 0 to {self.needs.size}"
            )

    def _refuse_circle(self) -> None:
        needs = self.needs.tolist()
        rows = {i: needs[a:b] for i, (a, b) in enumerate(pairwise(self.need_first.tolist()))}
        try:
            TopologicalSorter(rows).prepare()
        except CycleError as error:
            circle = error.args[1][::-1]
            circle_named = ", which needs ".join(self.name(i) for i in circle)
            raise TraceError(f"messages need each other in a cycle: {circle_named}", circle[0], "needs") from None


ANY = -1
"""Code that stands for every message class."""


def addresses_drawn(
    relation: Relation, source: Ints, destination: Ints, seed: int | None, kind: Ints | None = None
) -> Ints:
    """An address for each message: one of those its source may use for its destination, all alike; or the first.

    Where packets compare a direct way with a detour (UGAL), only detours are drawn, if there are any. With `kind`,
    only addresses of the message class of that number, or of all classes where it is `ANY`.
    """
    terminals = relation.network.num_terminals
    kind = np.full(source.size, ANY) if kind is None else kind
    keys, which = np.unique(((kind + 1) * terminals + source) * terminals + destination, return_inverse=True)
    usable = []
    for key in keys.tolist():
        start, end = key // terminals % terminals, key % terminals
        choices = addresses(relation, start, end, key // terminals**2 - 1)
        usable.append(_detours(relation, start, end, choices) if relation.compares_on_injection else choices)
    many = np.array([len(choices) for choices in usable], dtype=np.int64)
    first = np.cumsum(many) - many
    turn = 0 if seed is None else np.random.default_rng(seed).integers(0, many[which])
    flat = np.array([a for choices in usable for a in choices], dtype=np.int64)
    return np.asarray(flat[first[which] + turn] if source.size else flat, dtype=np.int64)


def addresses(relation: Relation, source: int, destination: int, kind: int = ANY) -> list[int]:
    """Addresses a terminal may use for another, of one message class or of all.

    Raises
    ------
    RelationError
        If there is none.
    """
    network = relation.network
    usable = np.flatnonzero(relation.destination == destination)
    if kind != ANY:
        usable = usable[usable * len(relation.classes) // relation.num_addresses == kind]
    if relation.may_use is not None:
        usable = usable[relation.may_use[source, usable]]
    if not usable.size:
        ends = f"{network.terminal_name(source)} has no address for {network.terminal_name(destination)}"
        raise RelationError(f"{relation.name}: {ends}{'' if kind == ANY else f' as {relation.classes[kind]}'}")
    return [int(a) for a in usable]


def _detours(relation: Relation, source: int, destination: int, usable: list[int]) -> list[int]:
    """The addresses by other waypoints than the source's own and the destination's own, or all if there are few."""
    own = {int(relation.direct_addresses(end, destination)) for end in (source, destination)}
    return [a for a in usable if a not in own] if len(usable) > 2 else usable


def kinds(relation: Relation, classes: Sequence[str]) -> Ints | None:
    """Number of the class of each message among those of a relation, `ANY` for one without; None without classes.

    Raises
    ------
    TraceError
        If a message is of a class that the relation does not have.
    """
    if not relation.classes or not classes:
        return None
    numbers = {"": ANY} | {name: k for k, name in enumerate(relation.classes)}
    for i, name in enumerate(classes):
        if name not in numbers:
            raise TraceError(unknown_class(name, relation.classes), i, "class")
    return np.array([numbers[name] for name in classes], dtype=np.int64)


def unknown_class(name: str, classes: Sequence[str]) -> str:
    """Return the error message for a message class that does not exist."""
    return f"there is no message class {name!r}; the routing has {', '.join(classes)}"
