"""Numbers with their nouns, and lists, as in sentences."""

from __future__ import annotations

from collections.abc import Sequence

NAMED = 3
"""Things of a kind that a note names."""


def count(number: int, noun: str) -> str:
    """A number and its noun.

    Examples
    --------
    >>> count(1, "flit"), count(1200, "flit"), count(2, "switch"), count(3, "dependency")
    ('1 flit', '1,200 flits', '2 switches', '3 dependencies')
    """
    many = f"{noun[:-1]}ies" if noun.endswith("cy") else f"{noun}es" if noun.endswith(("ch", "ss")) else f"{noun}s"
    return f"{number:,} {noun if number == 1 else many}"


def capital(words: str) -> str:
    """Words as a sentence begins."""
    return words[:1].upper() + words[1:]


def listed(words: Sequence[str], joint: str = "and") -> str:
    """Words joined as in a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {joint} {words[-1]}"


def few(names: Sequence[object], most: int = NAMED) -> str:
    """Return the first names in words, and how many more there are.

    Examples
    --------
    >>> few(["S0", "S1", "S2", "S3", "S4"])
    'S0, S1, S2 and 2 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(str, names[:most])) + more
