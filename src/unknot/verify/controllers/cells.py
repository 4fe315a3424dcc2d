"""Cells of state tables, and kinds of nodes with their cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

Answer = Literal["take", "stall", "set aside", "act"]
"""What happens to a message: it is consumed, stays at the head of its queue, or waits beside the queue; or the node
acts and leaves it at the head."""


@dataclass(frozen=True)
class Send:
    """Messages sent to a set of nodes.

    Parameters
    ----------
    message : str
        Their name.
    to : str
        Expression of the recipients.
    carries : mapping of str to str
        Expressions of what they carry; `requestor` is passed on where nothing is said.

    Examples
    --------
    >>> Send("Data", "requestor", {"acks": "count(sharers)"}).to
    'requestor'
    """

    message: str
    to: str
    carries: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Assign:
    """A new value of a register.

    Parameters
    ----------
    register, value : str
        Its name, and an expression.

    Examples
    --------
    >>> Assign("owner", "requestor").value
    'requestor'
    """

    register: str
    value: str


@dataclass(frozen=True)
class TableCell:
    """What a node does in a state with a message, or with a request of its core.

    Parameters
    ----------
    state, event : str
        The state, and the message or request.
    answer : {"take", "stall", "set aside", "act"}
        What happens to the message.
    does : sequence of Send or Assign
        What is done in turn.
    becomes : str
        The next state; the same where it is empty.
    guard : str
        Condition under which the rule holds; always where it is empty. Rules of a cell are tried in turn.
    merged : bool
        Whether a condition was left out that could not be said: the rule may hold, and so may those after it.

    Examples
    --------
    >>> TableCell("I", "load", does=(Send("GetS", "directory"),), becomes="IS").answer
    'take'
    """

    state: str
    event: str
    answer: Answer = "take"
    does: tuple[Send | Assign, ...] = ()
    becomes: str = ""
    guard: str = ""
    merged: bool = False


@dataclass(frozen=True)
class Kind:
    """Nodes of one kind.

    Parameters
    ----------
    name : str
        How it is called; in expressions, all its nodes.
    start : str
        State in which nodes begin.
    rules : sequence of TableCell
        Its table.
    core : sequence of str
        Requests of its core, which may come at any time.
    timers : sequence of str
        Events that come by themselves in the states that have a cell for them.
    many : bool
        Whether there are several nodes, as of caches, or one for an address, as its home.
    entries : sequence of str
        States that take an entry of the node's table of transactions (MSHR, TBE).
    at : sequence of int
        Terminals of a network at which its nodes are, those of one address after the other; the next free ones
        where nothing is said.

    Examples
    --------
    >>> Kind("directory", "I", (TableCell("I", "GetM", becomes="M"),)).many
    False
    """

    name: str
    start: str
    rules: tuple[TableCell, ...]
    core: tuple[str, ...] = ()
    timers: tuple[str, ...] = ()
    many: bool = False
    entries: tuple[str, ...] = ()
    at: tuple[int, ...] = ()

    @property
    def begun(self) -> tuple[str, ...]:
        """Events without a message."""
        return (*self.core, *self.timers)

    @property
    def states(self) -> list[str]:
        """Its states, in order of the rows."""
        return list(dict.fromkeys(name for rule in self.rules for name in (rule.state, rule.becomes) if name))

    @cached_property
    def registers(self) -> list[str]:
        """What a node remembers of an address beside its state."""
        return sorted({one.register for rule in self.rules for one in rule.does if isinstance(one, Assign)})
