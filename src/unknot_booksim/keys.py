"""Keys of BookSim 2 (commit 28f43299) and of forks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from importlib.resources import files
from typing import Literal, NamedTuple, cast

Kind = Literal["int", "float", "str", "ints", "floats", "strs"]


class BookSimKey(NamedTuple):
    """Type and default of a key, and its counterpart.

    Attributes
    ----------
    kind : str
        Of its value; the plurals also take a list in braces, one value for each traffic class.
    default : str
        As it would be written in a file.
    words : str
        The counterpart here, or why there is none.
    """

    kind: Kind
    default: str
    words: str


KEYS_PAGE = files("unknot_booksim").joinpath("keys.md").read_text(encoding="utf-8")
"""The page of the docs that has all keys: a row of a table for each."""
KEYS: dict[str, BookSimKey] = {}
IDLE_OF_FORKS: set[str] = set()
"""Keys of forks that change nothing here."""
_of_forks = False
for _row in KEYS_PAGE.splitlines():
    _of_forks |= _row.startswith("## Keys of forks")
    if _row.startswith("| `"):
        _key, _kind, _default, _here, _words = _row.strip("| ").split(" | ")
        KEYS[_key.strip("`")] = BookSimKey(cast(Kind, _kind), _default.strip(" `"), _words)
        IDLE_OF_FORKS |= {_key.strip("`")} if _of_forks and _here == "inert" else set()
OLD_NAMES = {"const_flits_per_packet": "packet_size"}
"""Keys of BookSim 1, and what they are now."""

FORKS: dict[str, tuple[str, str]] = {}
"""Keys that are not built of forks: the fork in which a key was met, empty if unknown, and its default there."""
for _row in files("unknot_booksim").joinpath("forks.tsv").read_text(encoding="utf-8").splitlines()[1:]:
    _fork, _key, _default = _row.split("\t")
    FORKS[_key] = _fork, _default
_PRINTS = re.compile(r"(print|watch|dump)_\w+|\w+_(out|debug)")
_OFF = ("0", "-1", "")


def why_idle(key: str, setting: str) -> str:
    """Return why a key of no BookSim 2 changes nothing with this value; empty if it may change something."""
    fork, default = FORKS.get(key, ("", ""))
    if key not in FORKS and get_close_matches(key, KEYS, 1, 0.8):
        return ""
    of = f"a key of {fork or 'a fork of BookSim'}"
    if _PRINTS.fullmatch(key):
        return f"{of}, without effect here: its name says what is printed or written"
    if default == "*":
        return f"{of}, without effect here: no value changes what is simulated"
    if key in FORKS and fork and setting == default and setting in _OFF:
        return f"{of}, without effect here: this is the value with which the fork simulates what BookSim does"
    return ""


def unknown(key: str, foreign: Iterable[str]) -> str:
    """Return the error about a key of no BookSim 2, beside the other foreign keys of a file."""
    close = get_close_matches(key, KEYS, 1, 0.8)
    if close and key not in FORKS:
        return f"BookSim 2 has no key {key!r}; did you mean {close[0]}?"
    names = [key, *(other for other in foreign if other != key)]
    listed = f"{', '.join(names[:-1])} and {names[-1]} are keys" if names[1:] else f"{key} is a key"
    lines = "these lines" if names[1:] else "this line"
    forks = list(dict.fromkeys(FORKS[name][0] for name in names if name in FORKS and FORKS[name][0]))
    known = f" (met in {' and '.join(forks[:3])})" if forks else ""
    return f"{listed} of a fork of BookSim{known}, which is not built; without {lines} BookSim 2 is simulated"
