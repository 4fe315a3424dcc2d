"""Records of entries and transactions, and fields of messages, as registers of a state table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from unknot.verify.controllers.expressions import Sort
from unknot.verify.controllers.slicc.grammar import Machine
from unknot.verify.controllers.slicc.paths import ARITHMETIC, FOLLOWED, OPAQUE, CodePath, Meant, constant, number


@dataclass
class Records:
    """Records and messages of a machine, for a state and a message or a request of its core.

    Attributes
    ----------
    machine : Machine
    kinds : sequence of str
        Names of all machines.
    sorts : dict
        Sorts of the registers and fields that were met, filled here.
    carriers : dict
        Name of a message by its out-port and type.
    state : str
    in_type : str
        Type of the message, or "" of a request of the core, of which nothing is known.
    structure : str
        Of which the message is.
    lost : dict
        Fields of messages that somebody sends with a value that is not followed.
    """

    machine: Machine
    kinds: Sequence[str]
    sorts: dict[str, Sort]
    carriers: dict[tuple[str, str], str]
    enumerations: dict[str, list[str]]
    structures: dict[str, dict[str, tuple[str, str]]]
    keeps_entries: bool = True
    lost: dict[str, None] = field(default_factory=dict)
    state: str = ""
    in_type: str = ""
    structure: str = ""

    def register(self, owner: str, name: str) -> str | None:
        """The register of a field of a structure."""
        sort = self.sort(self.machine.structures[owner].get(name, ("", ""))[0])
        if sort is None:
            return None
        register = f"{self.machine.name}_{owner}_{name}"
        self.sorts[register] = sort
        return register

    def sort(self, kind: str) -> Sort | None:
        """The sort of a type whose values are followed; enumerators have numbers."""
        return "number" if kind in self.enumerations else FOLLOWED.get(kind)

    @property
    def entry(self) -> str:
        """The structure of `cache_entry`."""
        known = [name for name, one in self.machine.interfaces.items() if one == "AbstractCacheEntry"]
        return "Entry" if "Entry" in known else known[0] if known else ""

    def record(self, structure: str) -> Meant:
        return Meant("record", structure) if structure in self.machine.structures else OPAQUE

    def flag(self, owner: str) -> str:
        register = f"{self.machine.name}_has_{owner}"
        self.sorts[register] = "number"
        return register

    def code(self, value: Meant) -> str:
        """A number for an enumerator."""
        kind, _, name = value.text.partition(":")
        return str(1 + self.enumerations[kind].index(name)) if name in self.enumerations.get(kind, ()) else "0"

    def carries(self, structure: str, fields: dict[str, Meant]) -> Iterator[tuple[str, str]]:
        """What a message carries, of fields that are followed."""
        for key, (kind, _) in self.structures.get(structure, {}).items():
            sort = self.sort(kind)
            if sort is not None and key not in ("Destination", "Type") and key in fields:
                self.sorts[f"{structure}_{key}"] = sort
                value = fields[key]
                if value.sort == "enum":
                    value = Meant("number", self.code(value))
                if value.sort == sort:
                    yield f"{structure}_{key}", value.text
                else:
                    self.lost[f"{structure}_{key}"] = None

    def named(self, name: str) -> Meant:
        if name in ("cache_entry", "tbe"):
            return self.record(self.entry if name == "cache_entry" else "TBE")
        for kind, parameter, _, value in self.machine.parameters:
            if parameter == name and kind in ("bool", "int") and value is not None:
                text = str(value[1]).lower()
                plain = {"true": 1, "false": 0}.get(text, int(text) if text.isdigit() else None)
                return OPAQUE if plain is None else number(plain)
        return OPAQUE

    def carried(self, name: str) -> Meant:
        """A field of the message."""
        if not self.in_type:
            return Meant("nodes", "self") if name == "Requestor" else OPAQUE
        kind = self.structures.get(self.structure, {}).get(name, ("", ""))[0]
        if name == "Type":
            return Meant("enum", f"{kind}:{self.in_type}")
        sort = self.sort(kind)
        if sort is None:
            return OPAQUE
        self.sorts[f"{self.structure}_{name}"] = sort
        return Meant(sort, f"{self.structure}_{name}")

    def remembered(self, record: Meant, name: str, path: CodePath) -> Meant:
        if record.sort != "record":
            return OPAQUE
        register = self.register(record.text, name)
        if register is None:
            kind = self.machine.structures[record.text].get(name, ("", ""))[0]
            return Meant("enum", f"State:{self.state}") if kind == "State" else OPAQUE
        known = path.values.get(register)
        return known if known is not None else Meant(self.sorts[register], register)

    def valid(self, record: Meant, wanted: bool, path: CodePath) -> Meant:
        """Whether there is an entry or a transaction."""
        if record.sort != "record":
            return OPAQUE
        if record.text == self.entry and not self.keeps_entries:
            return number(wanted)
        register = self.flag(record.text)
        known = path.values.get(register, Meant("number", register))
        truth = constant(known)
        if truth is not None:
            return number(truth == wanted)
        return Meant("number", f"({known.text} == {int(wanted)})")

    def cleared(self, owner: str, there: bool, path: CodePath) -> CodePath:
        """An entry or transaction is made anew, or given up."""
        for name, (_, default) in self.machine.structures.get(owner, {}).items():
            if (register := self.register(owner, name)) is not None:
                first = "none" if self.sorts[register] == "nodes" else str(int(default.lower() == "true"))
                counted = default.lstrip("-").isdigit() and self.sorts[register] == "number"
                path = path.set(register, Meant(self.sorts[register], default if counted else first))
        always = owner == self.entry and not self.keeps_entries
        return path if always or not owner else path.set(self.flag(owner), number(there))

    def both(self, op: str, first: Meant, second: Meant) -> Meant:
        """A value of two."""
        if first.sort == "enum" and second.sort == "enum" and op in ("==", "!="):
            return number((first.text == second.text) == (op == "=="))
        if "kind" in (first.sort, second.sort) and op in ("==", "!="):
            node, kind = (first, second) if first.sort == "kind" else (second, first)
            name = kind.text.partition(":")[2]
            if name in self.kinds:
                return Meant("number", f"({node.text} {'in' if op == '==' else 'not in'} {name})")
            return number(op == "!=")
        if "enum" in (first.sort, second.sort) and "number" in (first.sort, second.sort):
            plain = [Meant("number", self.code(one)) if one.sort == "enum" else one for one in (first, second)]
            first, second = plain
        if op in ("&&", "||"):
            for one, other in ((first, second), (second, first)):
                truth = constant(one)
                if truth is not None:
                    return other if truth == (op == "&&") else number(truth)
        if first.sort != second.sort or first.sort not in ("number", "nodes"):
            return OPAQUE
        words = {"&&": "and", "||": "or"}.get(op, op)
        if words not in ("and", "or", *ARITHMETIC):
            return OPAQUE
        numbers = [one.text.lstrip("-").isdigit() for one in (first, second)]
        if first.sort == "number" and all(numbers) and words not in ("and", "or"):
            return number(ARITHMETIC[words](int(first.text), int(second.text)))
        sort = first.sort if words in ("+", "-") else "number"
        return Meant(sort, f"({first.text} {words} {second.text})")
