"""Grammar of SLICC, the language of gem5's coherence protocols, as far as controllers need it.

Expressions and statements are tuples whose first part is their kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from unknot._base.errors import Source, TextError

Tree = tuple[Any, ...]
_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<number>0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?)|(?P<name>[A-Za-z_]\w*(?:::\w+)*)
    |(?P<mark>:=|==|!=|<=|>=|&&|\|\||<<|>>|->|[^\s])""",
    re.VERBOSE | re.DOTALL,
)
LEVELS = (("||",), ("&&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))
"""Operators from the loosest to the tightest."""
DEEPEST = 60


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


class Parser:
    """Reads the declarations of a file into what was read before."""

    def __init__(self, text: str, where: str, written: Written) -> None:
        self.source, self.written = Source(text, where), written
        self.tokens = [
            (str(m.lastgroup), m.group(), m.start()) for m in _TOKEN.finditer(text) if m.lastgroup != "space"
        ]
        self.at, self.depth = 0, 0

    def error(self, message: str) -> TextError:
        place = self.tokens[min(self.at, len(self.tokens) - 1)][2] if self.tokens else 0
        return self.source.error(message, place)

    @property
    def word(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def peeked(self, by: int = 1) -> str:
        return self.tokens[self.at + by][1] if self.at + by < len(self.tokens) else ""

    def take(self, word: str = "") -> str:
        if not self.word or (word and self.word != word):
            raise self.error(f"expected {word or 'more'!r} in a SLICC file, found {self.word or 'its end'!r}")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def taken(self, word: str) -> bool:
        if self.word != word:
            return False
        self.at += 1
        return True

    def skip(self, opening: str, closing: str) -> None:
        """Pass over a pair of brackets."""
        depth = 0
        while True:
            word = self.take()
            depth += (word == opening) - (word == closing)
            if not depth:
                return

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
            machine.objects[name] = kind
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

    def block(self) -> list[Tree]:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"blocks more than {DEEPEST} deep")
        self.take("{")
        statements = []
        while not self.taken("}"):
            statements.append(self.statement())
        self.depth -= 1
        return statements

    def statement(self) -> Tree:
        """Read a statement."""
        if self.word == "if" and self.peeked() == "(":
            return self.condition()
        if self.word in ("peek", "enqueue") and self.peeked() == "(":
            what = self.take()
            self.take("(")
            port = self.take()
            self.take(",")
            kind = self.take()
            while self.taken(","):
                if self.peeked() == "=":
                    self.take()
                    self.take("=")
                self.expression()
            self.take(")")
            return (what, port, kind, self.block())
        if self.taken("return"):
            value = None if self.word == ";" else self.expression()
            self.take(";")
            return ("return", value)
        if self.kind == "name" and self.tokens[self.at + (2 if self.peeked() == "*" else 1)][0] == "name":
            kind = self.take()
            self.taken("*")
            name = self.take()
            first = self.expression() if self.taken(":=") else None
            self.take(";")
            return ("let", kind, name, first)
        target = self.expression()
        if self.taken(":=") or self.taken("="):
            value = self.expression()
            self.take(";")
            return ("set", target, value)
        self.take(";")
        return ("do", target)

    def condition(self) -> Tree:
        self.take("if")
        self.take("(")
        test = self.expression()
        self.take(")")
        then = self.block()
        other: list[Tree] = []
        if self.taken("else"):
            other = [self.condition()] if self.word == "if" else self.block()
        return ("if", test, then, other)

    def expression(self, level: int = 0) -> Tree:
        """Read an expression."""
        if level == len(LEVELS):
            return self.unary()
        left = self.expression(level + 1)
        while self.word in LEVELS[level]:
            op = self.take()
            left = ("op", op, left, self.expression(level + 1))
        return left

    def unary(self) -> Tree:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"brackets more than {DEEPEST} deep")
        if self.taken("!"):
            tree: Tree = ("not", self.unary())
        elif self.taken("-"):
            tree = ("op", "-", ("number", 0), self.unary())
        else:
            tree = self.primary()
        self.depth -= 1
        return tree

    def primary(self) -> Tree:
        kind, word = self.kind, self.take()
        if word == "(":
            tree = self.expression()
            self.take(")")
        elif word in ("new", "static_cast") and kind == "name":
            tree = ("opaque", word)
            if word == "new":
                self.take()
            else:
                self.take("(")
                self.take()
                self.take(",")
                self.take()
                self.take(",")
                tree = self.expression()
                self.take(")")
        elif kind == "number":
            tree = ("number", int(word, 0)) if "." not in word else ("opaque", word)
        elif kind == "text":
            tree = ("text", word.strip("\"'"))
        elif word in ("true", "false"):
            tree = ("number", int(word == "true"))
        elif self.word == ":" and self.tokens[self.at + 1][0] == "name":
            self.take()
            tree = ("enum", word, self.take())
        else:
            tree = ("name", word)
        return self.behind(tree)

    def behind(self, tree: Tree) -> Tree:
        """Members, calls and indices behind an expression."""
        while self.word in (".", "->", "(", "["):
            mark = self.take()
            if mark in (".", "->"):
                tree = ("get", tree, self.take())
                continue
            closing = ")" if mark == "(" else "]"
            arguments = []
            while not self.taken(closing):
                arguments.append(self.expression())
                self.taken(",")
            tree = ("call" if mark == "(" else "index", tree, arguments)
        return tree


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
