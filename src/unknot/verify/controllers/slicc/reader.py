"""State tables from the files of a protocol in SLICC, gem5's language.

What is followed: states, events, the tests of in-ports, transitions, sets of nodes, counts, and what actions send,
take and set aside. What is not, such as data, is left out; the table lists each test on it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path as File

from unknot._base.errors import UnknotError
from unknot._base.input import read_text
from unknot.verify.controllers.cells import Kind, Send, TableCell
from unknot.verify.controllers.expressions import TableError
from unknot.verify.controllers.slicc.grammar import Machine, Written, parse
from unknot.verify.controllers.slicc.machine_cells import TIMER, MachineCells, Noted
from unknot.verify.controllers.slicc.meaning import Meaning
from unknot.verify.controllers.table import StateTable

KINDS = ("L1Cache", "L2Cache", "Directory", "DMA")
"""Machines of which it is known how many there are: several of the first, one of each other for an address."""
MEMORY = "Memory"
MEMORY_FIELDS = {
    "Type": ("MemoryRequestType", ""), "Sender": ("MachineID", ""), "OriginalRequestorMachId": ("MachineID", ""),
    "ReadX": ("bool", ""),
}  # fmt: skip
"""Fields of messages to and from memory; answers carry the origin, and of all others the default."""
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
        self.name, self.written, self.noted = name, written, Noted()
        self.machines = [one for kind in KINDS for one in written.machines if one.name == kind]
        self.networks: dict[str, str] = {}

    def table(self) -> StateTable:
        """The table of all machines and their memories."""
        kinds = [self.kind(machine) for machine in self.machines]
        buffers = {buffer for machine in self.machines for _, buffer in machine.out_ports.values()}
        if any(kind.many for kind in kinds) and TO_MEMORY in buffers:
            kinds.append(self.memory())
        sent = {one.message for kind in kinds for rule in kind.rules for one in rule.does if isinstance(one, Send)}
        networks = {message: name for message, name in self.networks.items() if message in sent}
        inside = {name for name in networks.values() if not name.isdigit()}
        ordered, noted = tuple(sorted({*networks.values()})), self.noted
        try:
            table = StateTable(
                self.name, tuple(kinds), noted.sorts, networks, ordered, tuple(sorted(inside)), tuple(noted.merged)
            )
            needed = {name for names in (*table.remembered.values(), *table.carried.values()) for name in names}
            values = [f"the value of {name}" for name in noted.opaque if name in needed]
            return replace(table, unknown=(*noted.unknown, *values))
        except TableError as error:
            return _undecided(self.name, str(error))

    def memory(self) -> Kind:
        """Memory answers each request."""
        origin = {"MemoryMsg_OriginalRequestorMachId": "MemoryMsg_Sender"}
        self.noted.sorts.update(dict.fromkeys((*origin, *origin.values()), "nodes"))
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
            machine,
            kinds,
            self.noted.sorts,
            carriers,
            self.written.enumerations,
            structures,
            keeps,
            self.noted.opaque,
        )
        start = machine.default or machine.states[0]
        cells = MachineCells(self.noted, machine, meaning)
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


def _calls(tree: object, name: str) -> bool:
    """Whether a function is called somewhere in statements."""
    if isinstance(tree, (tuple, list)):
        called = tuple(tree[:2]) == ("call", ("name", name)) if isinstance(tree, tuple) else False
        return called or any(_calls(part, name) for part in tree)
    return False
