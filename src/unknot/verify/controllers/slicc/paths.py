"""Values and paths of SLICC statements that are carried out on expressions."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from unknot.verify.controllers.expressions import Sort
from unknot.verify.controllers.slicc.trees import Tree

FOLLOWED: dict[str, Sort] = {
    "NetDest": "nodes", "MachineID": "nodes", "Set": "nodes", "int": "number", "bool": "number",
}  # fmt: skip
"""Types of fields whose values are followed."""
ARITHMETIC = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
    "+": operator.add, "-": operator.sub,
}  # fmt: skip
MOST_PATHS = 400


class Meant(NamedTuple):
    """A value: its sort, and an expression of a state table; constants are numbers and enumerators."""

    sort: str
    text: str = ""


OPAQUE = Meant("opaque")


@dataclass(frozen=True)
class CodePath:
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

    def put(self, name: str, value: Meant) -> CodePath:
        return replace(self, names={**self.names, name: value})

    def set(self, register: str, value: Meant) -> CodePath:
        return replace(self, values={**self.values, register: value})


class NotUnderstoodError(Exception):
    """Something that is not followed, and matters."""


def own_address(tree: Tree) -> bool:
    if tree[:2] == ("call", ("name", "makeLineAddress")):
        return own_address(tree[2][0])
    return tree == ("name", "address") or (tree[0] == "get" and tree[1] == ("name", "in_msg"))


def number(value: int | bool) -> Meant:
    return Meant("number", str(int(value)))


def constant(value: Meant) -> bool | None:
    plain = value.sort == "number" and value.text.lstrip("-").isdigit()
    return bool(int(value.text)) if plain else None


def negated(text: str) -> str:
    return text.removeprefix("not (").removesuffix(")") if text.startswith("not (") else f"not ({text})"


def written(tree: Tree) -> str:
    """A condition as it is written, in short."""
    match tree:
        case ("op", op, left, right):
            return f"{written(left)} {op} {written(right)}"
        case ("get", owner, name):
            return f"{written(owner)}.{name}"
        case ("call", function, _):
            return f"{written(function)}(…)"
        case ("not", inner):
            return f"!{written(inner)}"
        case ("enum", kind, name):
            return f"{kind}:{name}"
        case (_, value):
            return str(value)
    return "…"
