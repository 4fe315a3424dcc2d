"""Meaning of SLICC statements for a state and a message: what is tested, sent, remembered, and done with the message.

Statements are carried out on expressions in place of values. A test on an expression forks the path; on a value that
is not followed, such as data, both ways are taken, which is noted unless they come to the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from unknot.verify.controllers.expressions import Sort
from unknot.verify.controllers.slicc.grammar import Machine, Tree

FOLLOWED: dict[str, Sort] = {"NetDest": "nodes", "MachineID": "nodes", "Set": "nodes", "int": "number", "bool": "number"}
"""Types of fields whose values are followed."""
MOST_PATHS = 400


class Meant(NamedTuple):
    """A value: its sort, and an expression of a state table; constants are numbers and enumerators."""

    sort: str
    text: str = ""


OPAQUE, ENTRY, TBE = Meant("opaque"), Meant("entry"), Meant("tbe")


@dataclass(frozen=True)
class Path:
    """What has happened on a way through statements.

    Attributes
    ----------
    names : dict
        Local names and fields of the message that is made.
    values : dict
        Registers and their expressions.
    guard : tuple of str
        Conditions on values before the first statement.
    sends : tuple
        Messages: name, recipients, fields.
    answer : str
        "take", "set aside", or "" where the message stays.
    ended : str
        "event", "return" or "error", where the statements ended.
    result : Meant
        The event that was triggered, or the value that was returned.
    merged : tuple of str
        Tests on values that are not followed.
    """

    names: dict[str, Meant] = field(default_factory=dict)
    values: dict[str, Meant] = field(default_factory=dict)
    guard: tuple[str, ...] = ()
    sends: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = ()
    answer: str = ""
    ended: str = ""
    result: Meant = OPAQUE
    elsewhere: bool = False
    merged: tuple[str, ...] = ()

    def outcome(self) -> object:
        """What tells paths apart that differ in tests alone."""
        values = tuple(sorted(self.values.items()))
        return values, self.guard, self.sends, self.answer, self.ended, self.result, self.elsewhere

    def put(self, name: str, value: Meant) -> Path:
        return replace(self, names={**self.names, name: value})

    def set(self, register: str, value: Meant) -> Path:
        return replace(self, values={**self.values, register: value})


class NotUnderstood(Exception):
    """Something that is not followed, and matters."""


@dataclass
class Meaning:
    """Statements of a machine, for a state and a message or a request of its core.

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
    """

    machine: Machine
    kinds: Sequence[str]
    sorts: dict[str, Sort]
    carriers: dict[tuple[str, str], str]
    enumerations: dict[str, list[str]]
    structures: dict[str, dict[str, tuple[str, str]]]
    keeps_entries: bool = True
    state: str = ""
    in_type: str = ""
    structure: str = ""

    def register(self, owner: str, name: str) -> str | None:
        """The register of a field of an entry or a transaction, whose default is noted."""
        kind = self.field(owner, name)[0]
        if kind in FOLLOWED or kind in self.enumerations:
            register = f"{self.machine.name}_{owner}_{name}"
            self.sorts[register] = FOLLOWED.get(kind, "number")
            return register
        return None

    def field(self, owner: str, name: str) -> tuple[str, str]:
        for structure, fields in self.machine.structures.items():
            is_entry = structure != "TBE"
            if name in fields and is_entry == (owner == "entry"):
                return fields[name]
        return "", ""

    def flag(self, owner: str) -> str:
        register = f"{self.machine.name}_has_{owner}"
        self.sorts[register] = "number"
        return register

    def code(self, value: Meant) -> str:
        """A number for an enumerator."""
        kind, _, name = value.text.partition(":")
        return str(1 + self.enumerations[kind].index(name)) if name in self.enumerations.get(kind, ()) else "0"

    # statements

    def run(self, statements: Sequence[Tree], path: Path) -> Iterator[Path]:
        """All ways through statements."""
        if path.ended or not statements:
            yield path
            return
        for after in self.one(statements[0], path):
            yield from self.run(statements[1:], after)

    def one(self, statement: Tree, path: Path) -> Iterator[Path]:
        match statement:
            case ("let", _, name, None):
                yield path.put(name, OPAQUE)
            case ("let", _, name, tree):
                for after, value in self.value(tree, path):
                    yield after.put(name, value)
            case ("set", target, tree):
                for after, value in self.value(tree, path):
                    yield from self.assign(target, value, after)
            case ("if", test, then, other):
                yield from self.fork(test, then, other, path)
            case ("peek", _, _, body):
                yield from self.run(body, path)
            case ("enqueue", port, _, body):
                for after in self.run(body, path):
                    yield from self.sent(port, after)
            case ("return", tree):
                for after, value in self.value(tree, path) if tree else [(path, OPAQUE)]:
                    yield replace(after, ended="return", result=value)
            case ("do", tree):
                for after, _ in self.value(tree, path):
                    yield after

    def fork(self, test: Tree, then: Sequence[Tree], other: Sequence[Tree], path: Path) -> Iterator[Path]:
        for after, value in self.value(test, path):
            truth = _constant(value)
            if truth is not None:
                yield from self.run(then if truth else other, after)
            elif value.sort == "number":
                for body, guard, denied in ((then, value.text, _not(value.text)), (other, _not(value.text), value.text)):
                    if denied not in after.guard:
                        known = guard in after.guard
                        yield from self.run(body, after if known else replace(after, guard=(*after.guard, guard)))
            else:
                ways = [[*self.run(body, after)] for body in (then, other)]
                if {one.outcome() for one in ways[0]} == {one.outcome() for one in ways[1]}:
                    yield from ways[0]
                else:
                    note = f"{self.machine.name}: {_written(test)}"
                    for one in (*ways[0], *ways[1]):
                        yield replace(one, merged=(*one.merged, note))

    def assign(self, target: Tree, value: Meant, path: Path) -> Iterator[Path]:
        match target:
            case ("name", name):
                yield path.put(name, value)
            case ("get", ("name", "out_msg"), name):
                yield path.put(f"out.{name}", value)
            case ("get", owner, name):
                for after, record in self.value(owner, path):
                    register = self.register(record.sort, name) if record.sort in ("entry", "tbe") else None
                    if register is None or value.sort == "opaque":
                        yield after if register is None else after.set(register, OPAQUE)
                    elif value.sort == "enum":
                        yield after.set(register, Meant("number", self.code(value)))
                    else:
                        yield after.set(register, value)
            case _:
                yield path

    def sent(self, port: str, path: Path) -> Iterator[Path]:
        """A message is sent; a type in a register is tested."""
        fields = {key.removeprefix("out."): value for key, value in path.names.items() if key.startswith("out.")}
        path = replace(path, names={key: one for key, one in path.names.items() if not key.startswith("out.")})
        if path.ended:
            yield path
            return
        own = self.carriers.get((port, "*"))
        to = Meant("nodes", own) if own is not None else fields.get("Destination", Meant("nodes", "none"))
        if to.sort != "nodes":
            raise NotUnderstood(f"{self.machine.name}: to whom a message on {port} goes")
        structure = self.machine.out_ports.get(port, ("", ""))[0]
        kind_of = self.structures.get(structure, {}).get("Type", ("", ""))[0]
        kind = fields.get("Type", OPAQUE)
        carries = tuple(self.carries(structure, fields))
        if kind.sort == "enum":
            kinds = {kind.text.partition(":")[2]: ""}
        elif kind.sort == "number":
            names = self.enumerations.get(kind_of, ())
            kinds = {name: f"{kind.text} == {self.code(Meant('enum', f'{kind_of}:{name}'))}" for name in names}
        else:
            kinds = {}
        known = [(self.carriers[port, name], guard) for name, guard in kinds.items() if (port, name) in self.carriers]
        if not known:
            raise NotUnderstood(f"{self.machine.name}: the type of a message on {port}")
        for name, guard in known:
            after = replace(path, sends=(*path.sends, (name, to.text, carries)))
            yield replace(after, guard=(*path.guard, guard)) if guard else after

    def carries(self, structure: str, fields: dict[str, Meant]) -> Iterator[tuple[str, str]]:
        """What a message carries, of fields that are followed."""
        for key, (kind, _) in self.structures.get(structure, {}).items():
            if kind in FOLLOWED and key != "Destination" and key in fields:
                self.sorts[f"{structure}_{key}"] = FOLLOWED[kind]
                if fields[key].sort == FOLLOWED[kind]:
                    yield f"{structure}_{key}", fields[key].text

    # expressions

    def value(self, tree: Tree, path: Path) -> Iterator[tuple[Path, Meant]]:
        """The value of an expression, and the path after it: functions may test and assign."""
        match tree:
            case ("number", number):
                yield path, Meant("number", str(number))
            case ("enum", kind, name):
                yield path, Meant("enum", f"{kind}:{name}")
            case ("name", "machineID"):
                yield path, Meant("nodes", "self")
            case ("name", name):
                yield path, path.names.get(name) or self.named(name)
            case ("get", ("name", "in_msg"), name):
                yield path, self.carried(name)
            case ("get", ("name", "out_msg"), name):
                empty = Meant("nodes", "none") if name == "Destination" else OPAQUE
                yield path, path.names.get(f"out.{name}", empty)
            case ("get", owner, name):
                for after, record in self.value(owner, path):
                    yield after, self.remembered(record, name, after)
            case ("not", inner):
                for after, one in self.value(inner, path):
                    truth = _constant(one)
                    plain = Meant("number", _not(one.text)) if one.sort == "number" else OPAQUE
                    yield after, plain if truth is None else _number(not truth)
            case ("op", op, left, right):
                for middle, first in self.value(left, path):
                    if op in ("&&", "||") and _constant(first) == (op == "||"):
                        yield middle, _number(op == "||")
                        continue
                    for after, second in self.value(right, middle):
                        yield after, self.both(op, first, second)
            case ("call", function, arguments):
                yield from self.call(function, arguments, path)
            case ("index", ("name", name), _):
                yield path, TBE if self.machine.objects.get(name) == "TBETable" else ENTRY
            case _:
                yield path, OPAQUE

    def named(self, name: str) -> Meant:
        if name in ("cache_entry", "tbe"):
            return ENTRY if name == "cache_entry" else TBE
        for kind, parameter, said, value in self.machine.parameters:
            if parameter == name and kind in ("bool", "int") and value is not None:
                text = str(value[1]).lower()
                plain = {"true": 1, "false": 0}.get(text, int(text) if text.isdigit() else None)
                return OPAQUE if plain is None else _number(plain)
            del said
        return OPAQUE

    def carried(self, name: str) -> Meant:
        """A field of the message."""
        if not self.in_type:
            return Meant("nodes", "self") if name == "Requestor" else OPAQUE
        kind = self.structures.get(self.structure, {}).get(name, ("", ""))[0]
        if name == "Type":
            return Meant("enum", f"{kind}:{self.in_type}")
        if kind in FOLLOWED:
            self.sorts[f"{self.structure}_{name}"] = FOLLOWED[kind]
            return Meant(FOLLOWED[kind], f"{self.structure}_{name}")
        return OPAQUE

    def remembered(self, record: Meant, name: str, path: Path) -> Meant:
        if record.sort not in ("entry", "tbe"):
            return OPAQUE
        register = self.register(record.sort, name)
        if register is None:
            kind = self.field(record.sort, name)[0]
            return Meant("enum", f"State:{self.state}") if kind == "State" else OPAQUE
        known = path.values.get(register)
        return known if known is not None else Meant(self.sorts[register], register)

    def both(self, op: str, first: Meant, second: Meant) -> Meant:
        """A value of two."""
        if first.sort == "enum" and second.sort == "enum" and op in ("==", "!="):
            return _number((first.text == second.text) == (op == "=="))
        if "kind" in (first.sort, second.sort) and op in ("==", "!="):
            node, kind = (first, second) if first.sort == "kind" else (second, first)
            name = kind.text.partition(":")[2]
            if name in self.kinds:
                return Meant("number", f"{node.text} {'in' if op == '==' else 'not in'} {name}")
            return _number(op == "!=")
        if "enum" in (first.sort, second.sort) and "number" in (first.sort, second.sort):
            first, second = (Meant("number", self.code(one)) if one.sort == "enum" else one for one in (first, second))
        if op in ("&&", "||"):
            for one, other in ((first, second), (second, first)):
                truth = _constant(one)
                if truth is not None:
                    return other if truth == (op == "&&") else _number(truth)
        if first.sort != second.sort or first.sort not in ("number", "nodes"):
            return OPAQUE
        words = {"&&": "and", "||": "or"}.get(op, op)
        if words not in ("and", "or", "==", "!=", "<", ">", "<=", ">=", "+", "-"):
            return OPAQUE
        numbers = [one.text.lstrip("-").isdigit() for one in (first, second)]
        if first.sort == "number" and all(numbers) and words not in ("and", "or"):
            one, other = int(first.text), int(second.text)
            return _number({"==": one == other, "!=": one != other, "<": one < other, ">": one > other,
                            "<=": one <= other, ">=": one >= other, "+": one + other, "-": one - other}[words])  # fmt: skip
        sort = first.sort if words in ("+", "-") else "number"
        return Meant(sort, f"({first.text} {words} {second.text})")

    def call(self, function: Tree, arguments: Sequence[Tree], path: Path) -> Iterator[tuple[Path, Meant]]:
        """The value of a function or of what an object does, and the path after it."""
        if function[0] == "name":
            name = function[1]
            if name == "trigger":
                for after, event in self.value(arguments[0], path):
                    elsewhere = len(arguments) > 1 and not _own_address(arguments[1])
                    yield replace(after, ended=after.ended or "event", result=event, elsewhere=elsewhere), OPAQUE
                return
            if name == "error":
                yield replace(path, ended="error"), OPAQUE
                return
            if name in ("stall_and_wait", "dequeueMemRespQueue"):
                yield replace(path, answer="take" if name[0] == "d" else "set aside"), OPAQUE
                return
            if name in ("is_valid", "is_invalid"):
                for after, record in self.value(arguments[0], path):
                    yield after, self.valid(record, name == "is_valid", after)
                return
            if name in ("set_cache_entry", "unset_cache_entry"):
                yield self.cleared("entry", name.startswith("set"), path), OPAQUE
                return
            if name == "getState":
                yield path, Meant("enum", f"State:{self.state}")
                return
            if name in ("machineCount", "machineIDToMachineType", "machineIDToNodeID", "mapAddressToMachine",
                        "mapAddressToRange", "map_Address_to_Directory"):  # fmt: skip
                yield from self.of_nodes(name, arguments, path)
                return
            yield from self.function(name, arguments, path)
        elif function[0] == "get":
            yield from self.member(function[1], function[2], arguments, path)
        else:
            yield path, OPAQUE

    def of_nodes(self, name: str, arguments: Sequence[Tree], path: Path) -> Iterator[tuple[Path, Meant]]:
        if name.startswith("map"):
            kind = next((one[2] for one in arguments if one[0] == "enum"), "Directory")
            yield path, Meant("nodes", kind) if kind in self.kinds else OPAQUE
            return
        for after, value in self.value(arguments[0], path):
            if name == "machineCount":
                kind = value.text.partition(":")[2]
                yield after, Meant("number", f"count({kind})") if kind in self.kinds else _number(0)
            elif value.sort != "nodes":
                yield after, OPAQUE
            else:
                yield after, Meant("kind", value.text) if name == "machineIDToMachineType" else value

    def function(self, name: str, arguments: Sequence[Tree], path: Path) -> Iterator[tuple[Path, Meant]]:
        """A function of the machine, whose body is carried out."""
        kind, parameters, body = self.machine.functions.get(name, ("", [], None))
        if kind in self.machine.interfaces and kind != "TBE":
            yield path, ENTRY
            return
        if kind == "TBE":
            yield path, TBE
            return
        if body is None or len(parameters) != len(arguments) or name.startswith(("functional", "set", "getAccess")):
            yield path, OPAQUE
            return
        before = [(path, dict(path.names))]
        for parameter, tree in zip(parameters, arguments, strict=True):
            before = [
                (after, {**names, parameter: value}) for one, names in before for after, value in self.value(tree, one)
            ]
        for one, names in before:
            for after in self.run(body, replace(one, names=names)):
                ended = "" if after.ended == "return" else after.ended
                result = after.result if after.ended == "return" else OPAQUE
                yield replace(after, names=path.names, ended=ended, result=OPAQUE), result

    def valid(self, record: Meant, wanted: bool, path: Path) -> Meant:
        """Whether there is an entry or a transaction."""
        if record.sort not in ("entry", "tbe"):
            return OPAQUE
        if record.sort == "entry" and not self.keeps_entries:
            return _number(wanted)
        register = self.flag(record.sort)
        known = path.values.get(register, Meant("number", register))
        truth = _constant(known)
        if truth is not None:
            return _number(truth == wanted)
        return Meant("number", f"{known.text} == {int(wanted)}")

    def cleared(self, owner: str, there: bool, path: Path) -> Path:
        """An entry or transaction is made anew, or given up."""
        for structure, fields in self.machine.structures.items():
            for name, (_, default) in fields.items() if (structure == "TBE") == (owner == "tbe") else ():
                if (register := self.register(owner, name)) is not None:
                    first = "none" if self.sorts[register] == "nodes" else str(int(default.lower() == "true"))
                    number = default if default.lstrip("-").isdigit() else first
                    path = path.set(register, Meant(self.sorts[register], number))
        return path.set(self.flag(owner), _number(there)) if owner == "tbe" or self.keeps_entries else path

    def member(
        self, owner: Tree, name: str, arguments: Sequence[Tree], path: Path
    ) -> Iterator[tuple[Path, Meant]]:
        """What an object does: a queue, a table, or a set of nodes."""
        ports = {port for port, *_ in self.machine.in_ports}
        if owner[0] == "name" and owner[1] in ports:
            answer = {"dequeue": "take", "recycle": "set aside"}.get(name)
            yield (replace(path, answer=answer) if answer else path), _number(1) if name == "isReady" else OPAQUE
        elif owner[0] == "name" and self.machine.objects.get(owner[1]) == "TBETable":
            if name in ("allocate", "deallocate"):
                yield self.cleared("tbe", name == "allocate", path), OPAQUE
            else:
                known = {"isPresent": self.valid(TBE, True, path), "lookup": TBE, "areNSlotsAvailable": _number(1)}
                yield path, known.get(name, OPAQUE)
        else:
            for after, nodes in self.value(owner, path):
                yield from self.of_set(owner, nodes, name, arguments, after)

    def of_set(
        self, owner: Tree, nodes: Meant, name: str, arguments: Sequence[Tree], path: Path
    ) -> Iterator[tuple[Path, Meant]]:
        """What a set of nodes does."""
        if nodes.sort != "nodes":
            yield path, OPAQUE
            return
        for after, one in self.value(arguments[-1], path) if arguments else [(path, OPAQUE)]:
            added = Meant("nodes", one.text.partition(":")[2]) if one.sort == "enum" else one
            followed = added.sort == "nodes"
            if name in ("count", "isEmpty"):
                yield after, Meant("number", f"count({nodes.text})" + (" == 0" if name == "isEmpty" else ""))
            elif name in ("isElement", "intersectionIsNotEmpty"):
                yield after, Meant("number", f"({one.text} in {nodes.text})") if followed else OPAQUE
            elif name in ("smallestElement", "clone"):
                yield after, nodes
            elif name in CHANGES:
                changed = "none" if name == "clear" else CHANGES[name].format(nodes.text, added.text)
                value = Meant("nodes", changed) if followed or name == "clear" else OPAQUE
                for end in self.assign(owner, value, after):
                    yield end, OPAQUE
            else:
                yield after, OPAQUE


CHANGES = {
    "clear": "none", "add": "({} + {})", "addNetDest": "({} + {})", "broadcast": "({} + {})", "setNetDest": "({} + {})",
    "remove": "({} - {})", "removeNetDest": "({} - {})",
}  # fmt: skip
"""How a set of nodes is changed."""


def _own_address(tree: Tree) -> bool:
    return tree == ("name", "address") or (tree[0] == "get" and tree[1] == ("name", "in_msg"))


def _number(value: int | bool) -> Meant:
    return Meant("number", str(int(value)))


def _constant(value: Meant) -> bool | None:
    plain = value.sort == "number" and value.text.lstrip("-").isdigit()
    return bool(int(value.text)) if plain else None


def _not(text: str) -> str:
    return text.removeprefix("not (").removesuffix(")") if text.startswith("not (") else f"not ({text})"


def _written(tree: Tree) -> str:
    """A condition as it is written, in short."""
    match tree:
        case ("op", op, left, right):
            return f"{_written(left)} {op} {_written(right)}"
        case ("get", owner, name):
            return f"{_written(owner)}.{name}"
        case ("call", function, _):
            return f"{_written(function)}(…)"
        case ("not", inner):
            return f"!{_written(inner)}"
        case ("enum", kind, name):
            return f"{kind}:{name}"
        case (_, value):
            return str(value)
    return "…"
