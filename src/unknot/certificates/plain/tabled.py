"""Nodes with state tables: steps with messages of an address, stalled and set aside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any, NamedTuple

from unknot.certificates.plain.expressions import Evaluated, evaluate, expression, names_in, number_of, set_of
from unknot.certificates.plain.reading import (
    KEPT_STATE,
    Rejected,
    at_most,
    field,
    number,
    pay,
    printable,
    word,
)

MOST_CACHES, MOST_KINDS = 3, 8
ASIDE = ""
"""The line of messages that were set aside."""
Row = tuple[Any, ...]
"""State of a node for an address, then values of what it remembers: numbers, and sets as sorted tuples."""


class Mail(NamedTuple):
    """A message: receiver, line, sender, name and carried values."""

    target: int
    line: str
    source: int
    name: str
    carried: Row


class Act(NamedTuple):
    """What a node may do: the answer, its row afterwards, messages sent; whether a condition was left out."""

    answer: str
    row: Row
    sent: tuple[Mail, ...]
    merged: bool


Address = tuple[tuple[Row, ...], tuple[Mail, ...]]
"""Rows of all nodes for one address, and its messages."""
Stand = tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]
"""Queues, by kind of node and network: those with messages that all could move, and those with a stalled head."""


def packed(value: Evaluated) -> Any:
    return value if isinstance(value, int) else tuple(sorted(value))


def other(row: Row, to: tuple[int, ...]) -> Row:
    """A row with other numbers of nodes."""
    return tuple(tuple(sorted(to[i] for i in one)) if isinstance(one, tuple) else one for one in row)


def sent_by(one: Mail, to: tuple[int, ...]) -> Mail:
    """A message with other numbers of nodes."""
    return Mail(to[one.target], one.line, to[one.source], one.name, other(one.carried, to))


ANSWERS = ("take", "stall", "set aside", "act")


def require_cell(rule: Any) -> None:
    """Check the form of a rule of a table."""
    for name in ("state", "event", "becomes", "guard"):
        field(rule, name, str)
    word(rule, "answer", ANSWERS)
    field(rule, "merged", bool)
    for one in field(rule, "does", list):
        for name in ("message", "to") if "message" in one else ("register", "value"):
            field(one, name, str)
        if "message" in one and not all(isinstance(text, str) for text in field(one, "carries", dict).values()):
            raise Rejected("carries: texts are expected")


class Controlled:
    """The nodes of one address: several caches, then a node of each other kind."""

    def __init__(self, claim: Any) -> None:
        kinds, self.caches = field(claim, "kinds", list), number(claim, "caches", 1, MOST_CACHES + 1)
        at_most(len(kinds), MOST_KINDS, "kinds of nodes")
        many = [kind for kind in kinds if field(kind, "many", bool)]
        if len(many) != 1:
            raise Rejected("one kind of nodes, and no other, is of many")
        self.nodes = many * self.caches + [kind for kind in kinds if kind is not many[0]]
        self.sorts = field(claim, "sorts", dict)
        networks, self.ordered = field(claim, "networks", dict), field(claim, "ordered", list)
        if ASIDE in networks.values():
            raise Rejected("a network has no name")
        self.cells: dict[tuple[str, str, str], list[Any]] = {}
        self.begun = [[*field(kind, "core", list), *field(kind, "timers", list)] for kind in self.nodes]
        self.network: dict[str, str] = {}
        self.fields: dict[str, set[str]] = {}
        self.registers: list[list[str]] = []
        for kind in kinds:
            for rule in field(kind, "rules", list):
                pay(KEPT_STATE)
                require_cell(rule)
                self.cells.setdefault((field(kind, "name", str), rule["state"], rule["event"]), []).append(rule)
                for one in rule["does"]:
                    if "message" in one:
                        self.network[one["message"]] = networks.get(one["message"], one["message"])
                        self.fields.setdefault(one["message"], {"requestor"}).update(one["carries"])
        needed = self.needed(claim)
        self.carried = {name: sorted(several & needed) for name, several in self.fields.items()}
        for kind in self.nodes:
            set_here = {one["register"] for rule in kind["rules"] for one in rule["does"] if "register" in one}
            self.registers.append(sorted(set_here & needed))
        self.constants: dict[str, Evaluated] = {"none": frozenset()}
        for kind in kinds:
            self.constants[kind["name"]] = frozenset(i for i, one in enumerate(self.nodes) if one is kind)
        self.known: dict[Any, list[Act]] = {}
        self.start: Address = (tuple(self.first(i) for i in range(len(self.nodes))), ())

    def needed(self, claim: Any) -> set[str]:
        """Names on which conditions or recipients depend."""
        rules = [rule for kind in claim["kinds"] for rule in kind["rules"]]
        does = [one for rule in rules for one in rule["does"]]
        needed = {name for rule in rules if rule["guard"] for name in names_in(rule["guard"])}
        needed |= {name for one in does if "to" in one for name in names_in(one["to"])}
        values = [(name, text) for one in does for name, text in one.get("carries", {}).items()]
        values += [(one["register"], one["value"]) for one in does if "register" in one]
        size = -1
        while size < len(needed):
            size = len(needed)
            needed.update(other for name, text in values if name in needed for other in names_in(text))
        return needed & {"requestor", *self.sorts}

    def empty(self, name: str) -> Evaluated:
        return 0 if self.sorts.get(name) == "number" else frozenset()

    def first(self, node: int) -> Row:
        return (field(self.nodes[node], "start", str), *(packed(self.empty(name)) for name in self.registers[node]))

    def acts(self, node: int, row: Row, event: str, source: int, carried: Row) -> list[Act]:
        """All that a node may do with a message, or a request of its core; nothing where the table has no cell."""
        asked = (node, row, event, source, carried)
        if asked not in self.known:
            pay(KEPT_STATE)
            names: dict[str, Evaluated] = {name: self.empty(name) for name in ("requestor", *self.sorts)}
            names |= {**self.constants, "self": frozenset((node,)), "sender": frozenset((source,))}
            held = [*zip(self.registers[node], row[1:], strict=True)]
            held += zip(self.carried[event], carried, strict=True) if carried else []
            names |= {name: frozenset(one) if isinstance(one, tuple) else one for name, one in held}
            if event in self.begun[node]:
                names["requestor"] = names["self"]
            self.known[asked] = [*self.made(node, row, event, names)]
        return self.known[asked]

    def made(self, node: int, row: Row, event: str, names: dict[str, Evaluated]) -> Iterator[Act]:
        merged = False
        for rule in self.cells.get((self.nodes[node]["name"], row[0], event), ()):
            if rule["guard"] and not number_of(expression(rule["guard"]), names):
                continue
            merged |= rule["merged"]
            if rule["answer"] == "stall":
                yield Act("stall", row, (), merged)
            else:
                yield self.carried_out(node, row, rule, names, merged)
            if not rule["merged"]:
                return

    def carried_out(self, node: int, row: Row, rule: Any, names: dict[str, Evaluated], merged: bool) -> Act:
        kept = dict(zip(self.registers[node], row[1:], strict=True))
        sent: list[Mail] = []
        for one in rule["does"]:
            if "message" not in one:
                if one["register"] in kept:
                    kept[one["register"]] = packed(self.value(one["register"], one["value"], names))
                continue
            carries = {"requestor": "requestor", **one["carries"]}
            values = [
                self.value(name, carries[name], names) if name in carries else self.empty(name)
                for name in self.carried[one["message"]]
            ]
            for to in set_of(expression(one["to"]), names):
                line = self.network[one["message"]]
                sent.append(Mail(to, line, node, one["message"], tuple(map(packed, values))))
        after = (rule["becomes"] or row[0], *(kept[name] for name in self.registers[node]))
        return Act(rule["answer"], after, tuple(sent), merged)

    def value(self, name: str, text: str, names: dict[str, Evaluated]) -> Evaluated:
        value = evaluate(expression(text), names)
        if isinstance(value, int) != isinstance(self.empty(name), int):
            raise Rejected(f"{printable(text)!r} is not of the sort of {printable(name)}")
        return value

    def met(self, rows: tuple[Row, ...], mail: Mail) -> list[Act]:
        return self.acts(mail.target, rows[mail.target], mail.name, mail.source, mail.carried)

    def arranged(self, mails: Iterable[Mail]) -> tuple[Mail, ...]:
        """Messages in the order of their lines, and on ordered lines of their age."""
        return tuple(sorted(mails, key=lambda one: one[:3] if one.line in self.ordered else one))

    def heads(self, mails: tuple[Mail, ...]) -> list[Mail]:
        """Messages, each once, that may be the next at their nodes."""
        first: dict[Any, Mail] = {}
        for one in mails:
            first.setdefault(one[:3] if one.line in self.ordered else one, one)
        return [*first.values()]

    def after(self, state: Address, node: int, act: Act, mail: Mail | None = None) -> Address:
        rows, mails = state[0], [*state[1], *act.sent]
        if mail is not None and act.answer != "act":
            mails.remove(mail)
            mails += [mail._replace(line=ASIDE)] if act.answer == "set aside" else []
        return (*rows[:node], act.row, *rows[node + 1 :]), self.arranged(mails)

    def onward(self, state: Address) -> list[Address]:
        """States after each step, up to names of caches; `Rejected` where the table lacks a cell."""
        rows, mails = state
        found: list[Address] = []
        for node, row in enumerate(rows):
            for event in self.begun[node]:
                acts = self.acts(node, row, event, node, ())
                found += [self.after(state, node, act) for act in acts if act.answer == "take"]
        for mail in self.heads(mails):
            acts = self.met(rows, mail)
            if not acts:
                raise Rejected(f"the table has no cell for {printable(mail.name)} in a state that is reached")
            found += [self.after(state, mail.target, act, mail) for act in acts if act.answer != "stall"]
        pay(len(found) * (KEPT_STATE + 2 * len(rows) + 3 * len(mails)))
        return [self.renamed(one) for one in found]

    def renamed(self, state: Address) -> Address:
        """The least state with other names of caches, in order of their states."""
        rows, mails = state
        return min(self.exchanged(rows, mails, to) for to in self.sorting([row[0] for row in rows]))

    def sorting(self, names: Sequence[Any]) -> list[tuple[int, ...]]:
        """New numbers of nodes with which caches are in order of their names."""
        best, rest = sorted(names[: self.caches]), range(self.caches, len(self.nodes))
        fit = [order for order in permutations(range(self.caches)) if [names[i] for i in order] == best]
        return [(*map(order.index, range(self.caches)), *rest) for order in fit]

    def exchanged(self, rows: tuple[Row, ...], mails: Iterable[Mail], to: tuple[int, ...]) -> Address:
        placed = sorted((to[node], other(row, to)) for node, row in enumerate(rows))
        return tuple(row for _, row in placed), self.arranged(sent_by(one, to) for one in mails)

    def idle(self, state: Address) -> bool:
        """Whether nothing moves by itself: no timer, and no message that was set aside."""
        for node, row in enumerate(state[0]):
            if any(self.acts(node, row, event, node, ()) for event in self.nodes[node]["timers"]):
                return False
        beside = [one for one in state[1] if one.line == ASIDE]
        return all(
            act.answer == "stall" or (act.answer == "set aside" and not act.sent and act.row == state[0][one.target])
            for one in beside
            for act in self.met(state[0], one)
        )

    def waits(self, state: Address) -> bool:
        """Whether a message is there, or a core whose requests are all stalled."""
        for node, row in enumerate(state[0]):
            asked = [self.acts(node, row, event, node, ()) for event in self.nodes[node]["core"]]
            answers = {act.answer for acts in asked for act in acts}
            if answers and "take" not in answers:
                return True
        return bool(state[1])

    def stand(self, state: Address) -> Stand | None:
        """Queues of a state in which something may wait for ever; None of any other."""
        if not self.idle(state) or not self.waits(state):
            return None
        queues = [(self.queue(one), one) for one in self.heads(state[1]) if one.line != ASIDE]
        still = {queue for queue, one in queues if any(act.answer == "stall" for act in self.met(state[0], one))}
        kinds: list[frozenset[tuple[str, str]]] = [
            frozenset((self.nodes[node]["name"], line) for node, line in several)
            for several in ({queue for queue, _ in queues} - still, still)
        ]
        return kinds[0], kinds[1]

    def queue(self, mail: Mail) -> tuple[int, str]:
        return mail.target, mail.line
