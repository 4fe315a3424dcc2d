"""Meaning of SLICC statements for a state and a message: what is tested, sent, remembered, and done with the message.

Statements are carried out on expressions in place of values. A test on an expression forks the path; on a value that
is not followed, such as data, both ways are taken, which is noted unless they come to the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from unknot.verify.controllers.slicc.paths import (
    OPAQUE,
    CodePath,
    Meant,
    NotUnderstoodError,
    constant,
    negated,
    number,
    own_address,
    written,
)
from unknot.verify.controllers.slicc.records import Records
from unknot.verify.controllers.slicc.trees import Tree

Values = Iterator[tuple[CodePath, Meant]]
"""Values of an expression, each with the path after it."""


class Meaning(Records):
    """Statements of a machine."""

    def run(self, statements: Sequence[Tree], path: CodePath) -> Iterator[CodePath]:
        """All ways through statements."""
        if path.ended or not statements:
            yield path
            return
        for after in self.one(statements[0], path):
            yield from self.run(statements[1:], after)

    def one(self, statement: Tree, path: CodePath) -> Iterator[CodePath]:
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

    def fork(self, test: Tree, then: Sequence[Tree], other: Sequence[Tree], path: CodePath) -> Iterator[CodePath]:
        for after, value in self.value(test, path):
            truth = constant(value)
            if truth is not None:
                yield from self.run(then if truth else other, after)
            elif value.sort == "number":
                for body, guard in ((then, value.text), (other, negated(value.text))):
                    if negated(guard) not in after.guard:
                        known = guard in after.guard
                        yield from self.run(body, after if known else replace(after, guard=(*after.guard, guard)))
            else:
                ways = [[*self.run(body, after)] for body in (then, other)]
                if {*map(self.told, ways[0])} == {*map(self.told, ways[1])}:
                    yield from ways[0]
                elif any(all(one.elsewhere for one in way) for way in ways):
                    yield from (*ways[0], *ways[1])  # there is always room, and another address may go at any time
                else:
                    note = f"{self.machine.name}: {written(test)}"
                    for one in (*ways[0], *ways[1]):
                        yield replace(one, merged=(*one.merged, note))

    def told(self, path: CodePath) -> object:
        """The outcome of a path, its local names of known meaning, and the known fields of the message being made."""
        fields = {
            name for members in self.structures.values() for name, (kind, _) in members.items() if self.sort(kind)
        }
        names = {
            name: value
            for name, value in path.names.items()
            if (name[4:] in {"Type", *fields} if name.startswith("out.") else value != OPAQUE)
        }
        return path.outcome(), tuple(sorted(names.items()))

    def assign(self, target: Tree, value: Meant, path: CodePath) -> Iterator[CodePath]:
        match target:
            case ("name", name):
                yield path.put(name, value)
            case ("get", ("name", "out_msg"), name):
                yield path.put(f"out.{name}", value)
            case ("get", owner, name):
                for after, record in self.value(owner, path):
                    register = self.register(record.text, name) if record.sort == "record" else None
                    if register is None or value.sort == "opaque":
                        yield after if register is None else after.set(register, OPAQUE)
                    elif value.sort == "enum":
                        yield after.set(register, Meant("number", self.code(value)))
                    else:
                        yield after.set(register, value)
            case _:
                yield path

    def sent(self, port: str, path: CodePath) -> Iterator[CodePath]:
        """A message is sent; a type in a register is tested."""
        fields = {key.removeprefix("out."): value for key, value in path.names.items() if key.startswith("out.")}
        path = replace(path, names={key: one for key, one in path.names.items() if not key.startswith("out.")})
        if path.ended:
            yield path
            return
        own = self.carriers.get((port, "*"))
        to = Meant("nodes", own) if own is not None else fields.get("Destination", Meant("nodes", "none"))
        if to.sort != "nodes":
            raise NotUnderstoodError(f"{self.machine.name}: to whom a message on {port} goes")
        for key, value in fields.items():
            if value.sort == "kind":
                for name in self.kinds:
                    known = {f"out.{other}": one for other, one in fields.items()}
                    known[f"out.{key}"] = Meant("enum", f"MachineType:{name}")
                    guard = (*path.guard, f"{value.text} in {name}")
                    yield from self.sent(port, replace(path, names={**path.names, **known}, guard=guard))
                return
        structure = self.machine.out_ports.get(port, ("", ""))[0]
        kind_of = self.structures.get(structure, {}).get("Type", ("", ""))[0]
        kind = fields.get("Type", OPAQUE)
        carries = tuple(self.carries(structure, fields))
        if kind.sort == "enum":
            tests = {kind.text.partition(":")[2]: ""}
        elif kind.sort == "number":
            names = self.enumerations.get(kind_of, ())
            tests = {name: f"{kind.text} == {self.code(Meant('enum', f'{kind_of}:{name}'))}" for name in names}
        else:
            tests = {}
        found = [(self.carriers[port, name], test) for name, test in tests.items() if (port, name) in self.carriers]
        if not found:
            raise NotUnderstoodError(f"{self.machine.name}: the type of a message on {port}")
        for name, test in found:
            after = replace(path, sends=(*path.sends, (name, to.text, carries)))
            yield replace(after, guard=(*path.guard, test)) if test else after

    def value(self, tree: Tree, path: CodePath) -> Values:
        """The value of an expression, and the path after it: functions may test and assign."""
        match tree:
            case ("number", plain):
                yield path, Meant("number", str(plain))
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
                    truth = constant(one)
                    other = Meant("number", negated(one.text)) if one.sort == "number" else OPAQUE
                    yield after, other if truth is None else number(not truth)
            case ("op", op, left, right):
                for middle, first in self.value(left, path):
                    if op in ("&&", "||") and constant(first) == (op == "||"):
                        yield middle, number(op == "||")
                        continue
                    for after, second in self.value(right, middle):
                        yield after, self.both(op, first, second)
            case ("call", function, arguments):
                yield from self.call(function, arguments, path)
            case ("index", ("name", name), _):
                yield path, self.record(self.machine.objects.get(name, ""))
            case _:
                yield path, OPAQUE

    def call(self, function: Tree, arguments: Sequence[Tree], path: CodePath) -> Values:
        """The value of a function or of what an object does, and the path after it."""
        if function[0] == "name":
            name = function[1]
            if name == "trigger":
                for after, event in self.value(arguments[0], path):
                    elsewhere = len(arguments) > 1 and not own_address(arguments[1])
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
                yield self.cleared(self.entry, name.startswith("set"), path), OPAQUE
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

    def of_nodes(self, name: str, arguments: Sequence[Tree], path: CodePath) -> Values:
        if name.startswith("map"):
            kind = next((one[2] for one in arguments if one[0] == "enum"), "Directory")
            yield path, Meant("nodes", kind) if kind in self.kinds else OPAQUE
            return
        for after, value in self.value(arguments[0], path):
            if name == "machineCount":
                kind = value.text.partition(":")[2]
                yield after, Meant("number", f"count({kind})") if kind in self.kinds else number(0)
            elif value.sort != "nodes":
                yield after, OPAQUE
            else:
                yield after, Meant("kind", value.text) if name == "machineIDToMachineType" else value

    def function(self, name: str, arguments: Sequence[Tree], path: CodePath) -> Values:
        """A function of the machine, whose body is carried out."""
        kind, parameters, body = self.machine.functions.get(name, ("", [], None))
        if kind in self.machine.structures:
            yield path, self.record(kind)
            return
        if body is None or len(parameters) != len(arguments) or name.startswith(("functional", "set", "getAccess")):
            yield path, OPAQUE
            return
        before = [(path, dict(path.names))]
        for parameter, tree in zip(parameters, arguments, strict=True):
            before = [
                (after, {**names, parameter: value})
                for one, names in before
                for after, value in self.value(tree, one)
            ]
        for one, names in before:
            for after in self.run(body, replace(one, names=names)):
                ended = "" if after.ended == "return" else after.ended
                result = after.result if after.ended == "return" else OPAQUE
                yield replace(after, names=path.names, ended=ended, result=OPAQUE), result

    def member(self, owner: Tree, name: str, arguments: Sequence[Tree], path: CodePath) -> Values:
        """What an object does: a queue, a table, or a set of nodes."""
        ports = {port for port, *_ in self.machine.in_ports}
        if owner[0] == "name" and owner[1] in ports:
            answer = {"dequeue": "take", "recycle": "set aside"}.get(name)
            yield (replace(path, answer=answer) if answer else path), number(1) if name == "isReady" else OPAQUE
        elif owner[0] == "name" and self.machine.objects.get(owner[1]) in self.machine.structures:
            structure = self.machine.objects[owner[1]]
            if name in ("allocate", "deallocate"):
                yield self.cleared(structure, name == "allocate", path), OPAQUE
            elif name in ("isPresent", "isTagPresent"):
                yield path, self.valid(self.record(structure), True, path)
            else:
                yield path, self.record(structure) if name == "lookup" else OPAQUE
        else:
            for after, nodes in self.value(owner, path):
                yield from self.of_set(owner, nodes, name, arguments, after)

    def of_set(self, owner: Tree, nodes: Meant, name: str, arguments: Sequence[Tree], path: CodePath) -> Values:
        """What a set of nodes does."""
        if nodes.sort != "nodes":
            yield path, OPAQUE
            return
        for after, one in self.value(arguments[-1], path) if arguments else [(path, OPAQUE)]:
            added = Meant("nodes", one.text.partition(":")[2]) if one.sort == "enum" else one
            followed = added.sort == "nodes"
            if name in ("count", "isEmpty"):
                size = f"count({nodes.text})"
                yield after, Meant("number", f"({size} == 0)" if name == "isEmpty" else size)
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


ADDED, REMOVED = "({} + {})", "({} - {})"
CHANGES = dict.fromkeys(("add", "addNetDest", "broadcast", "setNetDest"), ADDED)
CHANGES |= {"clear": "none", "remove": REMOVED, "removeNetDest": REMOVED}
"""How a set of nodes is changed."""
