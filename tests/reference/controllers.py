"""Naive twin of `unknot.verify.controllers`: all states of several addresses together, with the queues of nodes.

A message arrives at the queue of its network at its node, where it is taken, set aside, or stands. Nothing is shared
with the library but the records of a table: expressions are Python's own, on sets of numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from unknot.verify.controllers import Assign, Send, StateTable, TableCell


class Nodes(frozenset):  # type: ignore[type-arg]
    """A set of nodes: + is the union, and `in` asks for a common node."""

    def __add__(self, other: Any) -> Nodes:
        return Nodes(self | other)

    def __sub__(self, other: Any) -> Nodes:
        return Nodes(frozenset(self) - other)

    def __and__(self, other: Any) -> Nodes:
        return Nodes(frozenset(self) & other)

    def __contains__(self, other: Any) -> bool:
        return bool(frozenset(self) & other)


class TooLargeError(Exception):
    """More states than are looked at."""


class Twin:
    """All states of some addresses; `shared` addresses have one home."""

    def __init__(self, table: StateTable, caches: int, addresses: int, *, shared: bool, most: int) -> None:
        self.table, self.most, self.addresses = table, most, addresses
        self.nodes = [(kind, i) for kind in table.kinds for i in range(caches if kind.many else 1)]
        self.shared = shared
        self.states = 0

    def place(self, node: int, address: int) -> tuple[int, int]:
        return node, 0 if self.shared or self.nodes[node][0].many else address

    def first(self) -> Any:
        """Rows of all nodes for an address at the start."""
        return tuple(
            (kind.start, tuple((r, Nodes() if self.table.sorts[r] == "nodes" else 0) for r in kind.registers))
            for kind, _ in self.nodes
        )

    def deadlock(self) -> Any:
        """The first state found in which messages wait and nothing moves, or None."""
        rows = self.first()
        first = (tuple(rows for _ in range(self.addresses)), (), (), ())
        seen, left = {first}, [first]
        while left:
            state = left.pop()
            moved = False
            for after, counts in self.steps(state):
                moved |= counts
                if after is not None and after not in seen:
                    seen.add(after)
                    left.append(after)
            self.states = len(seen)
            if len(seen) > self.most:
                raise TooLargeError
            if not moved and self.waits(state):
                return state
        return None

    def waits(self, state: Any) -> bool:
        rows, lines, heads, aside = state
        if lines or heads or aside:
            return True
        for address in range(self.addresses):
            for node, (kind, _) in enumerate(self.nodes):
                answers = [one[0].answer for e in kind.core for one in self.cells(rows, address, node, e, {})]
                if answers and "take" not in answers:
                    return True
        return False

    def cells(
        self, rows: Any, address: int, node: int, event: str, message: dict[str, Any]
    ) -> list[tuple[TableCell, Any]]:
        kind = self.nodes[node][0]
        state, registers = rows[address][node]
        values = {"self": Nodes([node]), "none": Nodes(), "count": len, **message, **dict(registers)}
        for other in self.table.kinds:
            values[other.name] = Nodes(i for i, (one, _) in enumerate(self.nodes) if one is other)
        found = []
        for rule in kind.rules:
            if rule.state == state and rule.event == event and (not rule.guard or eval(rule.guard, {}, dict(values))):
                found.append((rule, dict(values)))
                if not rule.merged:
                    break
        return found

    def taken(self, state: Any, address: int, node: int, rule: TableCell, values: dict[str, Any]) -> Any:
        """The state after a rule is carried out."""
        rows, lines, heads, aside = state
        name, registers = rows[address][node]
        kept = dict(registers)
        lines = list(lines)
        for one in rule.does:
            if isinstance(one, Assign):
                values[one.register] = kept[one.register] = _plain(eval(one.value, {}, dict(values)))
            elif isinstance(one, Send):
                fields = {"requestor": values.get("requestor", Nodes())}
                fields |= {f: _plain(eval(text, {}, dict(values))) for f, text in one.carries.items()}
                for to in sorted(eval(one.to, {}, dict(values))):
                    lines.append((address, one.message, node, to, tuple(sorted(fields.items(), key=repr))))
        row = (rule.becomes or name, tuple(sorted(kept.items())))
        nodes = rows[address]
        changed = (*nodes[:node], row, *nodes[node + 1 :])
        return (*rows[:address], changed, *rows[address + 1 :]), self.lines(lines), heads, aside

    def lines(self, lines: Any) -> Any:
        """Messages under way: the order matters within a line of an ordered network alone."""
        return tuple(sorted(lines, key=lambda one: repr(self.line(one))))

    def line(self, message: Any) -> Any:
        address, name, source, target, fields = message
        group = self.table.group(name)
        if group in self.table.ordered:
            return self.place(source, address), self.place(target, address), group
        return (self.place(source, address), self.place(target, address), group, address, name, fields)

    def steps(self, state: Any) -> Iterator[tuple[Any, bool]]:
        """States after a step, and whether the step counts as movement; None where the table has no cell."""
        rows, lines, heads, aside = state
        for address in range(self.addresses):
            for node, (kind, _) in enumerate(self.nodes):
                for event in kind.core:
                    own = {"requestor": Nodes([node]), "sender": Nodes([node])}
                    for rule, values in self.cells(rows, address, node, event, own):
                        after = self.taken(state, address, node, rule, values) if rule.answer == "take" else None
                        if after is not None and self.fits(state, after):
                            yield after, False
        busy = {where for where, _ in heads}
        gone: set[Any] = set()
        for i, message in enumerate(lines):
            line, where = self.line(message), self.queue(message)
            if line in gone:
                continue
            gone.add(line)
            if where not in busy:
                arrived = tuple(sorted((*heads, (where, message)), key=repr))
                yield (rows, (*lines[:i], *lines[i + 1 :]), arrived, aside), True
        for i, (_, message) in enumerate(heads):
            rest = (rows, lines, (*heads[:i], *heads[i + 1 :]), aside)
            found = list(self.met(state, message))
            if not found:
                yield None, True
            for rule, values in found:
                if rule.answer == "take" and self.fits(
                    state, self.taken(rest, message[0], message[3], rule, dict(values))
                ):
                    yield (
                        self.taken(rest, message[0], message[3], rule, values),
                        not any(other.answer == "stall" for other, _ in found),
                    )
                elif rule.answer == "set aside":
                    beside = tuple(sorted((*aside, message), key=repr))
                    yield (rows, lines, rest[2], beside), True
        for i, message in enumerate(aside):
            rest = (rows, lines, heads, (*aside[:i], *aside[i + 1 :]))
            for rule, values in self.met(state, message):
                if rule.answer == "take":
                    after = self.taken(rest, message[0], message[3], rule, values)
                    if self.fits(state, after):
                        yield after, True

    def fits(self, before: Any, after: Any) -> bool:
        """Whether queues have room for all messages, and nodes entries for all states that take one."""
        full: Counter[Any] = Counter(map(self.queue, (*after[1], *(m for _, m in after[2]), *after[3])))
        were, are = Counter(before[1]), Counter(after[1])
        grown = {self.queue(one) for one in are if are[one] > were[one]}
        if any(full[queue] > self.table.rooms.get(queue[1], full[queue]) for queue in grown):
            return False
        for place in {self.place(node, a) for node in range(len(self.nodes)) for a in range(self.addresses)}:
            limit = self.table.limits.get(self.nodes[place[0]][0].name, 99)
            if self.held(after, place) > max(limit, self.held(before, place)):
                return False
        return True

    def held(self, state: Any, place: Any) -> int:
        """Entries that a node has in use."""
        return sum(
            state[0][address][node][0] in kind.entries
            for address in range(self.addresses)
            for node, (kind, _) in enumerate(self.nodes)
            if self.place(node, address) == place
        )

    def met(self, state: Any, message: Any) -> list[tuple[TableCell, Any]]:
        address, name, source, target, fields = message
        return self.cells(state[0], address, target, name, {"sender": Nodes([source]), **dict(fields)})

    def queue(self, message: Any) -> Any:
        address, name, _, target, _ = message
        return self.place(target, address), self.table.network(name)


def _plain(value: Any) -> Any:
    return value if isinstance(value, Nodes) else int(value)


def replayed(table: StateTable, caches: int, deadlock: Any) -> bool:
    """Whether each step of a run is one of the table, and all queues with messages stand still after it.

    A message is taken only where it may be the first of its line.
    """
    count = len(deadlock.states)
    twin = Twin(table, caches, count, shared=deadlock.homes == 1, most=0)
    numbers = sorted(range(len(twin.nodes)), key=lambda i: not twin.nodes[i][0].many)
    state = (tuple(twin.first() for _ in range(count)), (), (), ())
    for move in deadlock.moves:
        node, step = numbers[move.step.node], move.step
        if step.channel is None:
            own = {"requestor": Nodes([node]), "sender": Nodes([node])}
            found = twin.cells(state[0], move.address, node, step.event, own)
            (rule, values), *_ = found
        else:
            source, lines = numbers[step.channel.source], state[1]
            firsts = {twin.line(one): i for i, one in reversed(list(enumerate(lines)))}.values()
            at = next(i for i in firsts if lines[i][:4] == (move.address, step.event, source, node))
            (rule, values), *_ = twin.met(state, lines[at])
            state = (state[0], (*lines[:at], *lines[at + 1 :]), state[2], state[3])
            if rule.answer == "set aside":
                state = (*state[:3], (*state[3], lines[at]))
                continue
        if rule.answer != "take":
            return False
        state = twin.taken(state, move.address, node, rule, values)
    full = {twin.queue(message) for message in state[1]}
    firsts = {twin.line(message): message for message in reversed(state[1])}.values()
    still = {twin.queue(one) for one in firsts if any(rule.answer == "stall" for rule, _ in twin.met(state, one))}
    return full == still and twin.waits(state)
