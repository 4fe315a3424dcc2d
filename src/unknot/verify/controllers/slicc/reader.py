"""State tables from the files of a protocol in SLICC, gem5's language.

What is followed: states, events, the tests of in-ports, transitions, sets of nodes, counts, and what actions send,
take and set aside. What is not, such as data, is left out; the table lists each test on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path as File

from unknot._base.errors import UnknotError
from unknot._base.input import read_text
from unknot.verify.controllers.cells import Answer, Assign, Kind, Send, TableCell
from unknot.verify.controllers.expressions import Sort, TableError
from unknot.verify.controllers.slicc.grammar import Machine, Written, parse
from unknot.verify.controllers.slicc.meaning import Meaning
from unknot.verify.controllers.slicc.paths import MOST_PATHS, OPAQUE, CodePath, Meant, NotUnderstoodError
from unknot.verify.controllers.slicc.trees import Tree
from unknot.verify.controllers.table import StateTable

KINDS = ("L1Cache", "L2Cache", "Directory", "DMA")
"""Machines of which it is known how many there are: several of the first, one of each other for an address."""
TIMER = "Addr"
"""What in-ports of timers read in place of messages."""
MEMORY = "Memory"
MEMORY_FIELDS = {
    "Type": ("MemoryRequestType", ""), "Sender": ("MachineID", ""), "OriginalRequestorMachId": ("MachineID", ""),
}  # fmt: skip
MEMORY_TYPES = ["MEMORY_READ", "MEMORY_WB"]
TO_MEMORY, FROM_MEMORY = "requestToMemory", "responseFromMemory"
_INCLUDE = re.compile(r'^\s*include\s+"([^"]+)"\s*;', re.MULTILINE)


def load_slicc(text: str) -> StateTable:
    """Read the state tables of a protocol in SLICC.

    Parameters
    ----------
    text : str
        A `.slicc` file that lists others, or names of `.sm` files with commas between them.

    Returns
    -------
    StateTable
        The table. `unknown` says what was not understood.

    Raises
    ------
    UnknotError
        If a file cannot be read, or is no SLICC.

    Examples
    --------
    >>> load_slicc("examples/controllers/turns.slicc").messages
    ('ASK.0', 'BACK.2', 'GIVE.1')
    """
    files = [File(one.strip()) for one in text.split(",")]
    if files[0].suffix == ".slicc":
        lists = _INCLUDE.findall(read_text(files[0], what="a list of SLICC files"))
        files = [files[0].parent / File(one).name for one in lists if not one.startswith("RubySlicc_")]
    enumerations = {"MemoryRequestType": MEMORY_TYPES, "MachineType": list(KINDS)}
    written = Written(structures={"MemoryMsg": dict(MEMORY_FIELDS)}, enumerations=enumerations)
    for file in files:
        parse(read_text(file, what="a SLICC file"), str(file), written)
    name = File(text.split(",")[0].strip()).stem
    if others := [one.name for one in written.machines if one.name not in KINDS]:
        return _undecided(name, f"how many nodes {', '.join(others)} stands for, and which belong together")
    if not written.machines:
        raise UnknotError(f"{text}: no machine is here; give all .sm files of a protocol, or its .slicc file")
    return Reader(name, written).table()


def _undecided(name: str, reason: str) -> StateTable:
    kind = Kind("none_read", "none", (TableCell("none", "nothing"),), ("nothing",), many=True)
    return StateTable(name, (kind,), unknown=(reason,))


class Reader:
    """Makes a table of what is written."""

    def __init__(self, name: str, written: Written) -> None:
        self.name, self.written = name, written
        self.machines = [one for kind in KINDS for one in written.machines if one.name == kind]
        self.sorts: dict[str, Sort] = {}
        self.unknown: dict[str, None] = {}
        self.opaque: dict[str, None] = {}
        self.merged: dict[str, None] = {}
        self.networks: dict[str, str] = {}

    def table(self) -> StateTable:
        """The table of all machines and their memories."""
        kinds = [self.kind(machine) for machine in self.machines]
        if any(kind.many for kind in kinds) and any(self.remembering(one) for one in self.machines):
            kinds.append(self.memory())
        sent = {one.message for kind in kinds for rule in kind.rules for one in rule.does if isinstance(one, Send)}
        networks = {message: name for message, name in self.networks.items() if message in sent}
        inside = {name for name in networks.values() if not name.isdigit()}
        ordered = tuple(sorted({*networks.values()}))
        try:
            table = StateTable(
                self.name, tuple(kinds), self.sorts, networks, ordered, tuple(sorted(inside)), tuple(self.merged)
            )
            needed = {name for names in (*table.remembered.values(), *table.carried.values()) for name in names}
            values = [f"the value of {name}" for name in self.opaque if name in needed]
            return replace(table, unknown=(*self.unknown, *values))
        except TableError as error:
            return _undecided(self.name, str(error))

    def remembering(self, machine: Machine) -> bool:
        return any(buffer == TO_MEMORY for _, buffer in machine.out_ports.values())

    def memory(self) -> Kind:
        """Memory answers each request."""
        origin = {"MemoryMsg_OriginalRequestorMachId": "MemoryMsg_Sender"}
        self.sorts.update(dict.fromkeys((*origin, *origin.values()), "nodes"))
        rules = []
        for kind in MEMORY_TYPES:
            send = Send(self.message(kind, FROM_MEMORY), "sender", origin)
            rules.append(TableCell("ready", self.message(kind, TO_MEMORY), does=(send,)))
        return Kind(MEMORY, "ready", tuple(rules))

    def message(self, kind: str, network: str) -> str:
        name = f"{kind}.{network}"
        self.networks[name] = network
        return name

    def kind(self, machine: Machine) -> Kind:
        """The table of a machine."""
        buffers = {name: said for kind, name, said, _ in machine.parameters if kind == "MessageBuffer"}
        filled = {buffer for _, buffer in machine.out_ports.values()}
        local = {buffer for _, _, buffer, _ in machine.in_ports if buffer in filled}
        carriers: dict[tuple[str, str], str] = {}
        for port, (structure, buffer) in machine.out_ports.items():
            said = buffers.get(buffer, {})
            for kind in self.types(machine, structure):
                if said.get("network") == "To":
                    carriers[port, kind] = self.message(kind, said.get("virtual_network", ""))
                elif said.get("network") == "From":
                    carriers[port, kind] = self.message(kind, said.get("virtual_network", ""))
                    carriers[port, "*"] = "self"
                elif buffer in local:
                    carriers[port, kind] = self.message(kind, f"{machine.name} {buffer}")
                    carriers[port, "*"] = "self"
                elif buffer == TO_MEMORY:
                    carriers[port, kind] = self.message(kind, TO_MEMORY)
                    carriers[port, "*"] = MEMORY
        kinds = [one.name for one in self.machines]
        keeps = any(_calls(body, "set_cache_entry") for body in machine.actions.values())
        structures = {**self.written.structures, **machine.structures}
        meaning = Meaning(
            machine, kinds, self.sorts, carriers, self.written.enumerations, structures, keeps, self.opaque
        )
        start = machine.default or machine.states[0]
        cells = MachineCells(self, machine, meaning)
        rules: list[TableCell] = []
        requests: dict[str, None] = {}
        timers: dict[str, None] = {}
        for _, structure, buffer, body in machine.in_ports:
            said = buffers.get(buffer, {})
            if said.get("network") == "From":
                network = said.get("virtual_network", "")
            elif buffer in local:
                network = f"{machine.name} {buffer}"
            elif buffer == FROM_MEMORY:
                network = buffer
            else:
                network = ""
            if not self.types(machine, structure):
                network = ""
            for kind in self.types(machine, structure) if network else [""]:
                event = self.message(kind, network) if network else ""
                for rule in cells.rules(body, structure, kind, event):
                    rules.append(rule)
                    if not kind:
                        (timers if structure == TIMER else requests)[rule.event] = None
        for rule in cells.replaced():
            rules.append(rule)
            requests[rule.event] = None
        ordered = [rule for rule in rules if rule.state == start] + [rule for rule in rules if rule.state != start]
        return Kind(machine.name, start, tuple(ordered), tuple(requests), tuple(timers), machine.name == KINDS[0])

    def types(self, machine: Machine, structure: str) -> list[str]:
        """Types of the messages of a structure."""
        fields = machine.structures.get(structure) or self.written.structures.get(structure, {})
        return self.written.enumerations.get(fields.get("Type", ("", ""))[0], [])


class MachineCells:
    """Rules of a machine, from its in-ports and transitions."""

    def __init__(self, reader: Reader, machine: Machine, meaning: Meaning) -> None:
        self.reader, self.machine, self.meaning = reader, machine, meaning
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
                self.reader.unknown[str(error)] = None

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
                    self.reader.unknown[str(error)] = None

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
            self.reader.merged.update(dict.fromkeys(end.merged))
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
            self.reader.opaque[register] = None
            return Assign(register, "none" if self.reader.sorts[register] == "nodes" else "0")
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


def _calls(tree: object, name: str) -> bool:
    """Whether a function is called somewhere in statements."""
    if isinstance(tree, (tuple, list)):
        called = tuple(tree[:2]) == ("call", ("name", name)) if isinstance(tree, tuple) else False
        return called or any(_calls(part, name) for part in tree)
    return False
