"""Steps of the controllers of one address: requests of cores, and messages that are taken.

A state is a pair. Its nodes are tuples of a state's number and the values of registers. Its channels are pairs of a
`MessageLine` and its messages, in the order in which they were sent, or sorted where the network keeps no order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from unknot.verify.controllers.cells import Answer, Kind, Send, TableCell
from unknot.verify.controllers.expressions import CellNames, Sort, TableError, Value, compiled
from unknot.verify.controllers.table import IMPLIED, StateTable

Message = tuple[int, ...]
"""Number of its name, and what it carries."""
Node = tuple[int, ...]


class MessageLine(NamedTuple):
    """Messages on their way from a node to another on a network; those set aside have the network `ASIDE`."""

    target: int
    group: int
    source: int


ASIDE = -1
State = tuple[tuple[Node, ...], tuple[tuple[MessageLine, tuple[Message, ...]], ...]]


class ControllerStep(NamedTuple):
    """A request of a node's core, or the message that a node takes, sets aside, or acts on and leaves."""

    node: int
    event: str
    channel: MessageLine | None = None
    message: Message = ()
    merged: bool = False
    leaves: bool = False


class Outcome(NamedTuple):
    """Step of a node: the answer, the row afterwards, messages sent, and whether a left-out condition decided."""

    answer: Answer
    row: Node
    sends: tuple[tuple[MessageLine, Message], ...]
    merged: bool
    acts: bool = False


@dataclass(frozen=True)
class _Put:
    """A compiled register or message."""

    value: Value
    register: int = -1
    message: int = -1
    group: int = 0
    carries: tuple[Value, ...] = ()


@dataclass(frozen=True)
class _Cell:
    """A compiled rule."""

    rule: TableCell
    guard: Value | None
    puts: tuple[_Put, ...]
    becomes: int


class Controllers:
    """The nodes of one address: several caches, and a node of each other kind.

    Parameters
    ----------
    table : StateTable
        What they do.
    caches : int
        Nodes of the kind with several.
    """

    def __init__(self, table: StateTable, caches: int) -> None:
        self.table, self.caches = table, caches
        self.messages = {name: i for i, name in enumerate(table.messages)}
        self.groups = {name: i for i, name in enumerate(table.groups)}
        self.group_of = [self.groups[table.group(name)] for name in table.messages]
        self.ordered = [name in table.ordered for name in table.groups]
        kinds = sorted(table.kinds, key=lambda kind: not kind.many)
        self.kinds = [kind for kind in kinds for _ in range(caches if kind.many else 1)]
        self.constants = {
            kind.name: sum(1 << i for i, one in enumerate(self.kinds) if one is kind) for kind in table.kinds
        }
        self.states = {kind.name: kind.states for kind in kinds}
        self.cells = {kind.name: self._compiled(kind) for kind in kinds}
        self._known: dict[tuple[int, Node, str, int, Message], list[Outcome]] = {}
        self.start: State = (tuple(self._first(kind) for kind in self.kinds), ())

    def _first(self, kind: Kind) -> Node:
        return (self.states[kind.name].index(kind.start), *(0 for _ in self.table.remembered[kind.name]))

    def _compiled(self, kind: Kind) -> dict[tuple[int, str], list[_Cell]]:
        number = {name: i for i, name in enumerate(self.states[kind.name])}
        cells: dict[tuple[int, str], list[_Cell]] = {}
        for rule in kind.rules:
            if rule.event not in (*kind.begun, *self.messages):
                continue  # nobody ever sends it
            try:
                cell = self._cell(kind, rule, number)
            except TableError as error:
                raise TableError(str(error), (kind.name, rule.state, rule.event)) from None
            cells.setdefault((number[rule.state], rule.event), []).append(cell)
        return cells

    def _cell(self, kind: Kind, rule: TableCell, number: dict[str, int]) -> _Cell:
        remembered, carried = self.table.remembered[kind.name], self.table.carried.get(rule.event, ())
        listed = [*IMPLIED, *remembered, *carried]
        sorts: dict[str, Sort] = {name: self.table.sorts.get(name, "nodes") for name in listed}
        if both := sorted({*remembered} & {*carried}):
            raise TableError(f"{both[0]!r} is carried by {rule.event} and a register of {kind.name}: name them apart")
        places = {name: i for i, name in enumerate(listed)}
        if rule.event in kind.begun:
            places["requestor"], sorts["requestor"] = places["self"], "nodes"
        names = CellNames(places, sorts, self.constants)
        puts, sorts_of = [], self.table.sorts
        for one in rule.does:
            if isinstance(one, Send):
                carries = {"requestor": "requestor"} | dict(one.carries)
                fields = self.table.carried[one.message]
                empty = {"nodes": "none", "number": "0"}
                values = tuple(compiled(carries.get(f, empty[sorts_of[f]]), names, sorts_of[f]) for f in fields)
                message = self.messages[one.message]
                to = compiled(one.to, names, "nodes")
                puts.append(_Put(to, message=message, group=self.group_of[message], carries=values))
            elif one.register in remembered:
                register = remembered.index(one.register)
                puts.append(_Put(compiled(one.value, names, self.table.sorts[one.register]), register=register))
        guard = compiled(rule.guard, names, "number") if rule.guard else None
        return _Cell(rule, guard, tuple(puts), number[rule.becomes or rule.state])

    def outcomes(self, node: int, row: Node, event: str, source: int, message: Message) -> list[Outcome]:
        """All that a node may do with a request of its core or a message; nothing where the table has no cell."""
        asked = (node, row, event, source, message)
        if asked not in self._known:
            self._known[asked] = self._outcomes(*asked)
        return self._known[asked]

    def _outcomes(self, node: int, row: Node, event: str, source: int, message: Message) -> list[Outcome]:
        done: list[Outcome] = []
        for cell in self.cells[self.kinds[node].name].get((row[0], event), ()):
            values = [1 << node, 1 << source, *row[1:], *message[1:]]
            if cell.guard is not None and not cell.guard(values):
                continue
            merged = cell.rule.merged
            if cell.rule.answer == "stall":
                done.append(Outcome("stall", row, (), merged))
            else:
                sends: list[tuple[MessageLine, Message]] = []
                after = list(row[1:])
                for put in cell.puts:
                    value = int(put.value(values))
                    if put.register >= 0:
                        after[put.register] = value
                    else:
                        packed = (put.message, *(int(one(values)) for one in put.carries))
                        sends += [(MessageLine(to, put.group, node), packed) for to in members(value)]
                changed = (cell.becomes, *after)
                done.append(Outcome(cell.rule.answer, changed, tuple(sends), merged or bool(done), changed != row))
            if not merged:
                break
        return done

    @cached_property
    def names(self) -> list[str]:
        """Names of the nodes."""
        return [f"{kind.name} {i + 1}" if kind.many else kind.name for i, kind in enumerate(self.kinds)]

    def heads(self, state: State) -> Iterator[tuple[MessageLine, Message]]:
        """Messages that may come to the head of the queue at their target next."""
        for channel, messages in state[1]:
            first = channel.group != ASIDE and self.ordered[channel.group]
            for message in messages[:1] if first else dict.fromkeys(messages):
                yield channel, message

    def offered(self, state: State) -> Iterator[tuple[ControllerStep, Outcome | None]]:
        """Steps of cores and of messages at the heads of networks; None where the table lacks a cell."""
        nodes = state[0]
        for node, row in enumerate(nodes):
            for event in self.kinds[node].begun:
                for outcome in self.outcomes(node, row, event, node, ()):
                    if outcome.answer == "take" and (outcome.sends or outcome.row != row):
                        yield ControllerStep(node, event, merged=outcome.merged), outcome
        for channel, message in self.heads(state):
            node, event = channel.target, self.table.messages[message[0]]
            outcomes = self.outcomes(node, nodes[node], event, channel.source, message)
            for outcome in outcomes:
                yield ControllerStep(node, event, channel, message, outcome.merged, outcome.answer == "act"), outcome
            if not outcomes:
                yield ControllerStep(node, event, channel, message), None

    def after(self, state: State, step: ControllerStep, outcome: Outcome) -> State:
        """The state after a step."""
        nodes = list(state[0])
        nodes[step.node] = outcome.row
        channels = dict(state[1])
        if step.channel is not None and outcome.answer != "act":
            rest = list(channels.pop(step.channel))
            rest.remove(step.message)
            if rest:
                channels[step.channel] = tuple(rest)
        sends = outcome.sends
        if outcome.answer == "set aside" and step.channel is not None:
            sends = (*sends, (step.channel._replace(group=ASIDE), step.message))
        for channel, message in sends:
            before = (*channels.get(channel, ()), message)
            first = channel.group != ASIDE and self.ordered[channel.group]
            channels[channel] = before if first else tuple(sorted(before))
        return tuple(nodes), tuple(sorted(channels.items()))


def moves(step: ControllerStep, outcome: Outcome | None) -> bool:
    """Whether a step changes anything: what was set aside is not set aside again without acting."""
    if outcome is None or outcome.answer == "stall":
        return False
    again = outcome.answer == "set aside" and step.channel is not None and step.channel.group == ASIDE
    return not again or bool(outcome.sends) or outcome.acts


def members(mask: int) -> Iterator[int]:
    """The numbers of the bits of a mask."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
