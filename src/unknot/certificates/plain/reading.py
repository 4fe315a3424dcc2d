"""What checking costs, and how documents are read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from contextvars import ContextVar
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeVar

T = TypeVar("T")
N = TypeVar("N", int, Fraction)
EJECT = -1
"""The candidate "leave the network here"."""
FORMAT, QUESTION, VERSION = "unknot evidence", "unknot question", 1
MOST_BYTES = 2**30
"""Largest file that is read."""
MOST_LANES = 64
"""Lanes up to which a refutation is checked."""
MOST_STATES = 20_000
"""States of a system with end points that are explored; about half a minute."""
MOST_VCS = 2**22
"""VCs of a relation that is read."""
ALLOWANCE, EACH = 8_000_000, 20
"""Units that checking a document may cost: the first number, and the second for each of its entries.

A unit is about a third of a microsecond, or 25 bytes kept. Files of 1 MB so end within about 6 s and 400 MB.
"""
LOOK = 2
"""Units for a look at one entry of a network or a table, which every claim about them pays."""
KEPT_STATE = 5
"""Units for something that is remembered while others are visited."""


class Rejected(Exception):  # noqa: N818
    """Evidence that does not show its claim; the text names the place, with the beginning of the offending entry."""

    word, status = "REJECTED", 1

    def __init__(self, text: str) -> None:
        super().__init__(printable(text, 1000))


class Unchecked(Rejected):
    """The evidence is too large to be checked here."""

    word, status = "not checked", 3


class Purse:
    """What is left of the units that a document pays for."""

    def __init__(self, document: Any, effort: int) -> None:
        self.entries = entries_of(document)
        self.whole = self.left = effort * (ALLOWANCE + EACH * self.entries)


PURSE: ContextVar[Purse | None] = ContextVar("PURSE", default=None)
"""The purse of the document that is checked; None where functions of this file are called for themselves."""


def entries_of(document: Any) -> int:
    """The number of entries of all lists and objects of a document."""
    count, left = 0, [document]
    while left:
        part = left.pop()
        if isinstance(part, (dict, list)):
            count += len(part)
            left += [
                inner for inner in (part.values() if isinstance(part, dict) else part)
                if isinstance(inner, (dict, list))
            ]  # fmt: skip
    return count


def pay(cost: int) -> None:
    """Pay for work before it is done; `Unchecked` where the document does not pay for so much.

    The size of work follows from numbers that a hostile hand wrote. So whatever takes more than a look at each entry
    of a claim pays: visits, searches in lists, copies, and what is kept.
    """
    purse = PURSE.get()
    if purse is not None:
        purse.left -= cost
        if purse.left < 0:
            raise Unchecked(
                f"a document of {purse.entries} entries pays for {purse.whole} units of work, and this takes more "
                "(--effort allows for more)"
            )


def field(document: Any, name: str, kind: type) -> Any:
    """The entry of a JSON object, of one type; `Rejected` if it is missing or of another."""
    if not isinstance(document, dict) or name not in document:
        raise Rejected(f"{name!r} is missing")
    entry = document[name]
    if not isinstance(entry, kind) or (kind is int and isinstance(entry, bool)):
        raise Rejected(f"{name!r} is {type(entry).__name__}, where {kind.__name__} is expected")
    return entry


def integers(entries: Any, what: str, low: int, high: int, length: int | None = None) -> list[int]:
    """Check a list of whole numbers from `low` up to, and without, `high`."""
    if not isinstance(entries, list) or (length is not None and len(entries) != length):
        raise Rejected(f"{what}: a list{'' if length is None else f' of {length}'} whole numbers is expected")
    for entry in entries:
        if type(entry) is not int or not low <= entry < high:
            shown = str(entry)[:40] if type(entry) is int else f"a {type(entry).__name__}"
            raise Rejected(f"{what}: {shown} is no whole number from {low} to {high - 1}")
    return entries


def numbers(document: Any, name: str, low: int, high: int, length: int | None = None) -> list[int]:
    """The entry of a JSON object that is a list of whole numbers."""
    return integers(field(document, name, list), name, low, high, length)


def number(document: Any, name: str, low: int, high: int = 2**1000) -> int:
    """The entry of a JSON object that is a whole number from `low` up to, and without, `high`."""
    return integers([field(document, name, int)], name, low, high)[0]


def lists(entries: Any, what: str, width: int) -> list[list[Any]]:
    """Check a list of lists of one length."""
    if not isinstance(entries, list) or any(not isinstance(one, list) or len(one) != width for one in entries):
        raise Rejected(f"{what}: lists of {width} entries are expected")
    return entries


def word(document: Any, name: str, words: Collection[str]) -> str:
    """The entry of a JSON object that is one of some words."""
    entry: str = field(document, name, str)
    if entry not in words:
        raise Rejected(f"{name}: {entry!r:.40} is none of {', '.join(words)}")
    return entry


def at_most(count: int, most: int, what: str) -> None:
    """Raise `Unchecked` where there is too much to be checked here."""
    if count > most:
        shown = count if count < 2**64 else "more than 10¹⁹"
        raise Unchecked(f"{shown} {what} are more than the {most} that are checked here")


def printable(text: str, most: int = 80) -> str:
    """The beginning of a text, without what a terminal would obey."""
    return "".join(c if c.isprintable() else "?" for c in text[:most])


def found(entry: Any, entries: Sequence[Any]) -> bool:
    """Whether a list has an entry, one after the other of which is compared."""
    pay(1 + (len(entries) >> 3))
    return entry in entries


def digest(data: Any) -> str:
    """SHA-256 of plain data."""
    return hashlib.sha256(json.dumps(data, separators=(",", ":")).encode()).hexdigest()


def around(circle: Sequence[T]) -> list[tuple[T, T]]:
    """Each entry of a cycle with the next one, the last with the first."""
    return [*pairwise([*circle, *circle[:1]])]


Pair = tuple[int, int]
"""A router that sends, and the router to which it sends."""
Clause = tuple[int, ...]
"""Literals: a variable, or its negative for "not"."""
