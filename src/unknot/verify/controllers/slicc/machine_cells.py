"""Rules of a machine of SLICC, from what its in-ports trigger and its transitions do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from unknot.verify.controllers.cells import Answer, Assign, Send, TableCell
from unknot.verify.controllers.expressions import Sort
from unknot.verify.controllers.slicc.grammar import Machine
from unknot.verify.controllers.slicc.meaning import Meaning
from unknot.verify.controllers.slicc.paths import MOST_PATHS, OPAQUE, CodePath, Meant, NotUnderstoodError
from unknot.verify.controllers.slicc.trees import Tree

TIMER = "Addr"
"""What in-ports of timers read in place of messages."""


@dataclass
class Noted:
    """What was met while machines were read.

    Attributes
    ----------
    sorts : dict
        Sorts of registers and fields.
    unknown, merged : dict
        What was not understood, and tests on values that are not followed, in words.
    opaque : dict
        Registers with a new value that is not followed.
    """

    sorts: dict[str, Sort] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    merged: dict[str, None] = field(default_factory=dict)
    opaque: dict[str, None] = field(default_factory=dict)


class MachineCells:
    """Rules of a machine, from its in-ports and transitions."""

    def __init__(self, noted: Noted, machine: Machine, meaning: Meaning) -> None:
        self.noted, self.machine, self.meaning = noted, machine, meaning
        self.elsewhere: dict[str, None] = {}
        self.cells = {
            (state, event): (after or state, actions)
            for states, events, after, actions in machine.transitions
            for state in states
            for event in events
        }

    def rules(self, body: list[Tree], structure: str, kind: str, event: str) -> Iterator[TableCell]:
        """Rules of an in-port for a type of messages, or for requests of the core, in each state."""
        meaning = self.meaning
        meaning.in_type, meaning.structure = kind, structure
        for state in self.machine.states:
            meaning.state = state
            try:
                paths = _few(meaning.run(body, CodePath()), requested=not event)
                for path in paths:
                    name = path.result.text.partition(":")[2]
                    if path.elsewhere and path.ended == "event" and structure != TIMER:
                        self.elsewhere[name] = None
                    elif path.ended == "event" and path.result is not OPAQUE:
                        yield from self.carried_out(state, name, event, path)
                    elif path.ended == "event":
                        raise NotUnderstoodError(f"{self.machine.name}: which event a message triggers")
                    elif path.ended != "error" and event:
                        yield TableCell(state, event, "stall", guard=_all(path.guard), merged=bool(path.merged))
            except NotUnderstoodError as error:
                self.noted.unknown[str(error)] = None

    def replaced(self) -> Iterator[TableCell]:
        """Rules of events that in-ports trigger for another address, as of its replacement."""
        self.meaning.in_type = ""
        for name in self.elsewhere:
            for state in self.machine.states:
                self.meaning.state = state
                first = CodePath()
                if self.meaning.keeps_entries and self.meaning.entry:
                    first = replace(first, guard=(f"{self.meaning.flag(self.meaning.entry)} == 1",))
                try:
                    yield from self.carried_out(state, name, "", first)
                except NotUnderstoodError as error:
                    self.noted.unknown[str(error)] = None

    def carried_out(self, state: str, name: str, event: str, path: CodePath) -> Iterator[TableCell]:
        """Rules of a transition; of a request of the core if there is no message."""
        if (state, name) not in self.cells:
            return
        after, actions = self.cells[state, name]
        begun = replace(path, ended="", result=OPAQUE, names={}, elsewhere=False)
        labels: dict[str, int] = {}
        for end in _few(self.acted(actions, begun), requested=not event):
            if end.ended == "error":
                continue
            self.noted.merged.update(dict.fromkeys(end.merged))
            guard = _all(end.guard)
            labels[guard] = labels.get(guard, 0) + 1
            label = name if labels[guard] == 1 else f"{name} ({labels[guard]})"
            rule = TableCell(state, event or label, guard=guard, merged=bool(end.merged))
            sends = tuple(Send(message, to, dict(fields)) for message, to, fields in end.sends)
            changes = tuple(self.assigned(register, one) for register, one in end.values.items())
            becomes = after if after != state else ""
            acts = bool(sends or becomes)
            if end.answer or acts:
                answer: Answer = "act"
                if not event or end.answer:
                    answer = "set aside" if end.answer == "set aside" else "take"
                yield replace(rule, answer=answer, does=(*sends, *changes), becomes=becomes)
            elif event or not changes:
                yield replace(rule, answer="stall")
            else:
                yield replace(rule, does=changes)

    def assigned(self, register: str, value: Meant) -> Assign:
        """A new value of a register; a value without meaning is noted, since the register may be needed."""
        if value.sort == "opaque":
            self.noted.opaque[register] = None
            return Assign(register, "none" if self.noted.sorts[register] == "nodes" else "0")
        return Assign(register, value.text)

    def acted(self, actions: list[str], path: CodePath) -> Iterator[CodePath]:
        if not actions:
            yield path
            return
        for after in self.meaning.run(self.machine.actions.get(actions[0], []), path):
            ended = "" if after.ended == "return" else after.ended
            yield from self.acted(actions[1:], replace(after, ended=ended, names={}))


def _few(paths: Iterable[CodePath], *, requested: bool = False) -> list[CodePath]:
    """Different paths; a machine has few. What a core requests is its own choice, whatever tests say."""
    found: dict[object, CodePath] = {}
    for way in paths:
        path = replace(way, merged=()) if requested else way
        found.setdefault((path.outcome(), path.merged), path)
        if len(found) > MOST_PATHS:
            raise NotUnderstoodError("a transition with very many ways")
    return list(found.values())


def _all(guard: tuple[str, ...]) -> str:
    return " and ".join(f"({one})" for one in guard)
