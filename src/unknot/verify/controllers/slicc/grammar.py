"""Grammar of SLICC, the language of gem5's coherence protocols, as far as controllers need it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from unknot._base.errors import Source
from unknot.verify.controllers.slicc.trees import TreeReader


@dataclass
class Machine:
    """Parts of a machine as they are written."""

    name: str
    parameters: list[tuple[str, str, dict[str, str], Any]] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    default: str = ""
    structures: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    interfaces: dict[str, str] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)
    """By name, the structure of which a table has many, or the type."""
    functions: dict[str, tuple[str, list[str], Any]] = field(default_factory=dict)
    out_ports: dict[str, tuple[str, str]] = field(default_factory=dict)
    in_ports: list[tuple[str, str, str, Any]] = field(default_factory=list)
    actions: dict[str, Any] = field(default_factory=dict)
    transitions: list[tuple[list[str], list[str], str, list[str]]] = field(default_factory=list)


@dataclass
class Written:
    """What stands in the files of a protocol."""

    machines: list[Machine] = field(default_factory=list)
    enumerations: dict[str, list[str]] = field(default_factory=dict)
    structures: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)


class Parser(TreeReader):
    """Reads the declarations of a file into what was read before."""

    def __init__(self, text: str, where: str, written: Written) -> None:
        super().__init__(text, where)
        self.written = written

    def file(self) -> None:
        """Read all of a file."""
        while self.word:
            if self.word == "machine":
                self.machine()
            elif self.word in ("enumeration", "state_declaration"):
                name, values, _ = self.enumeration()
                self.written.enumerations[name] = values
            elif self.word == "structure":
                name, fields, _ = self.structure()
                self.written.structures[name] = fields
            else:
                self.declaration(Machine(""))

    def pairs(self) -> dict[str, str]:
        """Attributes behind commas, as in ``, desc="…", network="To"``."""
        found = {}
        while self.taken(","):
            name = self.take()
            found[name] = self.take().strip("\"'") if self.taken("=") else ""
        return found

    def name(self) -> str:
        """A name, with the type in front of it where it is an enumerator."""
        first = self.take()
        return self.take() if self.taken(":") else first

    def enumeration(self) -> tuple[str, list[str], dict[str, str]]:
        self.take()
        self.take("(")
        name, said = self.take(), self.pairs()
        self.take(")")
        self.take("{")
        values = []
        while not self.taken("}"):
            values.append(self.take())
            while not self.taken(";"):
                self.take()
        return name, values, said

    def structure(self) -> tuple[str, dict[str, tuple[str, str]], dict[str, str]]:
        self.take()
        self.take("(")
        name, said = self.take(), self.pairs()
        self.take(")")
        fields: dict[str, tuple[str, str]] = {}
        self.take("{")
        while not self.taken("}"):
            kind = self.take()
            self.taken("*")
            field_name = self.take()
            if self.word == "(":
                self.skip("(", ")")
                self.pairs()
                if not self.taken(";"):
                    self.skip("{", "}")
                continue
            fields[field_name] = (kind, self.pairs().get("default", ""))
            while not self.taken(";"):
                self.take()
        self.taken(";")
        return name, fields, said

    def machine(self) -> None:
        self.take()
        self.take("(")
        machine = Machine(self.name())
        while not self.taken(")"):
            self.take()
        self.take(":")
        while not self.taken("{"):
            kind = self.take()
            self.taken("*")
            name = self.take()
            said = self.pairs()
            value = self.expression() if self.taken(":=") else None
            self.pairs()
            machine.parameters.append((kind, name, said, value))
            self.take(";")
        while not self.taken("}"):
            self.declaration(machine)
        self.written.machines.append(machine)

    def declaration(self, machine: Machine) -> None:
        """Read a declaration of a machine."""
        read: dict[str, Callable[[Machine], None]] = {
            "in_port": self.in_port, "out_port": self.out_port, "action": self.action, "transition": self.transition,
        }  # fmt: skip
        if self.word == "state_declaration":
            _, machine.states, said = self.enumeration()
            machine.default = said.get("default", "").rpartition("_State_")[2]
        elif self.word == "enumeration":
            name, values, _ = self.enumeration()
            self.written.enumerations[name] = values
        elif self.word == "structure":
            name, fields, said = self.structure()
            machine.structures[name], machine.interfaces[name] = fields, said.get("interface", "")
        elif self.word in read and self.peeked() == "(":
            read[self.word](machine)
        elif self.word in ("external_type", "include", "protocol"):
            while self.word not in (";", "{"):
                self.take()
            if not self.taken(";"):
                self.skip("{", "}")
                self.taken(";")
        else:
            self.variable(machine)

    def variable(self, machine: Machine) -> None:
        """A function or an object."""
        kind = self.take()
        self.taken("*")
        name = self.take()
        if self.word != "(":
            template = self.pairs().get("template", "")
            machine.objects[name] = template.strip("<>").removeprefix(f"{machine.name}_") or kind
            while not self.taken(";"):
                self.take()
            return
        self.take("(")
        names: list[str] = []
        while not self.taken(")"):
            last = self.take()
            if self.word in (",", ")"):
                names.append(last)
                self.taken(",")
        self.pairs()
        body = None if self.taken(";") else self.block()
        if body is not None or name not in machine.functions:
            machine.functions[name] = (kind, names, body)

    def out_port(self, machine: Machine) -> None:
        self.take()
        self.take("(")
        name = self.take()
        self.take(",")
        kind = self.take()
        self.take(",")
        machine.out_ports[name] = (kind, self.take())
        while not self.taken(";"):
            self.take()

    def in_port(self, machine: Machine) -> None:
        self.take()
        self.take("(")
        name = self.take()
        self.take(",")
        kind = self.take()
        self.take(",")
        buffer = self.take()
        self.pairs()
        self.take(")")
        machine.in_ports.append((name, kind, buffer, self.block()))

    def action(self, machine: Machine) -> None:
        self.take()
        self.take("(")
        name = self.take()
        while not self.taken(")"):
            self.take()
        machine.actions[name] = self.block()

    def transition(self, machine: Machine) -> None:
        self.take()
        self.take("(")
        states = self.names()
        self.take(",")
        events = self.names()
        after = self.take() if self.taken(",") else ""
        self.pairs()
        self.take(")")
        actions = self.listed()
        if self.word == "{":
            actions = self.listed()
        machine.transitions.append((states, events, after, actions))

    def names(self) -> list[str]:
        if not self.taken("{"):
            return [self.take()]
        found = []
        while not self.taken("}"):
            found.append(self.take())
            self.taken(",")
        return found

    def listed(self) -> list[str]:
        """Actions of a transition, or the resources in front of them."""
        self.take("{")
        found = []
        while not self.taken("}"):
            found.append(self.take())
            if not self.taken(";"):
                self.taken(",")
        return found


def parse(text: str, where: str, written: Written) -> None:
    """Read a file of a protocol into what was read before.

    Raises
    ------
    TextError
        With the place of what is no SLICC.
    """
    try:
        Parser(text, where, written).file()
    except IndexError:
        raise Source(text, where).error("the file ends in the middle of something", max(0, len(text) - 1)) from None
