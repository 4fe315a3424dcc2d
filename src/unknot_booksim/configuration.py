"""The keys of BookSim 2 (commit 28f43299), and what a configuration sets them to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path

from unknot._base.calls import Piece
from unknot._base.errors import UnknotError
from unknot.simulation.energy.gates import KEYS as POWER_KEYS
from unknot_booksim.gpgpusim import as_booksim
from unknot_booksim.keys import IDLE_OF_FORKS, KEYS, OLD_NAMES, unknown, why_idle
from unknot_booksim.parse import OVERRIDE, Assignment, statements

LARGEST = 2**31 - 1
_WHOLE = re.compile(r"-?\d+")
_NUMBER = re.compile(r"-?(\d*\.)?\d+([eE][+-]?\d+)?")


class Configuration:
    """The values of all keys, and which of them were read.

    Parameters
    ----------
    assignments : sequence of Assignment
        In the order in which they were written; the last one of a key holds.
    folder : path
        Where the configuration stands.
    faithful : bool
        Whether to do what BookSim does where that is known to be wrong.

    Attributes
    ----------
    assignments : dict of str to Assignment
        The last one of each key.
    warnings : list of str
        What is said before anything runs.
    confined : bool
        Whether the file names only files of its own folder.

    Raises
    ------
    TextError
        For a key that BookSim does not have, or a value of another type.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from unknot_booksim import read_configuration
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mesh")
    ...     _ = path.write_text("topology = mesh; k = 4; n = 2;")
    ...     settings = read_configuration(path, ["num_vcs=2"])
    >>> settings.whole("k"), settings.whole("num_vcs"), settings.warnings
    (4, 2, [])
    """

    def __init__(self, assignments: Sequence[Assignment], folder: str | Path = ".", faithful: bool = False) -> None:
        self.folder, self.faithful = Path(folder), faithful
        self.assignments: dict[str, Assignment] = {}
        self.warnings: list[str] = []
        self._read: set[str] = set()
        self.klass: int | None = None
        self.confined = True
        idle = {one: why_idle(one.key.text, one.value.text) for one in assignments if one.key.text not in KEYS}
        self._foreign = dict.fromkeys(one.key.text for one, reason in idle.items() if not reason)
        for assignment in assignments:
            if reason := idle.get(assignment, ""):
                place = f"{assignment.key.where}:{assignment.key.line}"
                self.warnings.append(f"{place}: {assignment.key.text}: {reason}")
                continue
            self._check(assignment)
            self._take(assignment)

    def _take(self, assignment: Assignment) -> None:
        """Take in an assignment; say so if the key is of a fork and changes nothing, or of BookSim 1."""
        key, now = assignment.key.text, OLD_NAMES.get(assignment.key.text)
        if now is not None:
            assignment = Assignment(replace(assignment.key, text=now), assignment.value)
        self.assignments[now or key] = assignment
        if now is not None:
            self.warn(now, f"{key} of BookSim 1 is taken for it")
        elif key in IDLE_OF_FORKS and assignment.value.text != KEYS[key].default:
            self.warn(key, f"a key of a fork of BookSim, without effect here: {KEYS[key].words}")

    def _check(self, assignment: Assignment) -> None:
        key, value = assignment.key.text, assignment.value.text
        if key not in KEYS:
            if key in POWER_KEYS:
                raise assignment.key.error(f"{key} belongs into the file that `tech_file` names")
            raise assignment.key.error(unknown(key, self._foreign))
        kind = KEYS[key].kind
        whole, number = _WHOLE.fullmatch(value), _NUMBER.fullmatch(value)
        if whole and (len(value) > 11 or abs(int(value)) > LARGEST):
            raise assignment.value.error(f"{key}: {value[:40]} is too large a number; the limit is {LARGEST}")
        if kind == "int" and not whole and not (key == "k" and value.startswith("{")):
            raise assignment.value.error(f"{key} is a whole number, not {value[:40]}")
        if kind == "float" and not number:
            raise assignment.value.error(f"{key} is a number, not {value[:40]}")
        if kind == "ints" and number and not whole:
            raise assignment.value.error(f"{key} is a whole number, or a list of some, not {value[:40]}")
        if kind in ("str", "strs") and number and not KEYS[key].default.lstrip("-").isdigit():
            raise assignment.value.error(f"{key} is a word, not the number {value[:40]}")

    def changed(self, key: str, setting: str) -> Configuration:
        """Return the configuration with another value of one key, as if given on the command line."""
        whole = Piece(f"{key}={setting}", OVERRIDE)
        assignment = Assignment(whole.part(0, len(key)), whole.part(len(key) + 1))
        configuration = Configuration([*self.assignments.values(), assignment], self.folder, self.faithful)
        configuration.confined = self.confined
        return configuration

    def of_class(self, k: int) -> Configuration:
        """Return the configuration as one of several traffic classes sees it."""
        view = copy(self)
        view.klass = k
        return view

    def __contains__(self, key: str) -> bool:
        return key in self.assignments

    def error(self, key: str, message: str) -> UnknotError:
        """An error at the place where a key is set, or without a place when it is not."""
        if key in self.assignments:
            return self.assignments[key].value.error(f"{key}: {message}")
        return UnknotError(f"{key} = {KEYS[key].default} (BookSim's default): {message}")

    def warn(self, key: str, message: str) -> None:
        """Say something about a key that is set."""
        assignment = self.assignments.get(key)
        place = f"{assignment.key.where}:{assignment.key.line}: " if assignment else ""
        words = f"{place}{key}: {message}"
        if words not in self.warnings:
            self.warnings.append(words)

    def text(self, key: str) -> str:
        """The value as it was written."""
        self._read.add(key)
        return self.assignments[key].value.text if key in self.assignments else KEYS[key].default

    def whole(self, key: str, least: int | None = None, most: int = LARGEST) -> int:
        """The value of a key as a whole number; from a list, the number of the current traffic class."""
        text = self.one(key) if KEYS[key].kind == "ints" else self.text(key)
        if not _WHOLE.fullmatch(text) or len(text) > 11:
            raise self.error(key, f"a whole number is needed, not {text[:40]}")
        number = int(text)
        if least is not None and not least <= number <= most:
            limit = f" to {most}" if most < LARGEST else ""
            raise self.error(key, f"a whole number from {least}{limit or ' on'} is needed, not {number}")
        return number

    def on(self, key: str) -> bool:
        """Whether a key that switches something is above 0."""
        return self.whole(key) > 0

    def number(self, key: str) -> float:
        """The value of a key that is a number."""
        text = self.one(key)
        if not _NUMBER.fullmatch(text):
            raise self.error(key, f"a number is needed, not {text[:40]}")
        return float(text)

    def values(self, key: str) -> tuple[str, ...]:
        """The values of a key: a list in braces, or a single value without braces."""
        return split(self.text(key))

    def one(self, key: str) -> str:
        """The value of a key for this traffic class; the last one goes for all further classes."""
        values = self.values(key)
        if not values:
            raise self.error(key, "this list is empty")
        if self.klass is not None:
            return values[min(self.klass, len(values) - 1)]
        if len(values) > 1:
            self.warn(key, f"only the first of {len(values)} values counts: there is one traffic class")
        return values[0]

    def file(self, key: str, name: str | None = None) -> Path:
        """The file that a key names, in all of its text or in a part: in the folder of the configuration, or
        anywhere if allowed or said beside it.

        Raises
        ------
        UnknotError
            If the key names none, or one outside that folder.
        """
        name = self.text(key) if name is None else name
        if not name:
            raise self.error(key, "the name of a file is needed")
        beside = self.folder / name
        # Files of BookSim name others as seen from where it is started, often a folder above theirs.
        places = [beside, Path(name), *(folder / name for folder in self.folder.resolve().parents)]
        found = next((place for place in places if place.exists()), Path(name))
        if self.assignments[key].key.where == OVERRIDE or not self.confined:
            return found
        if not beside.resolve().is_relative_to(self.folder.resolve()) or (found.exists() and found != beside):
            raise self.error(key, f"{name!r} is outside the folder of this file; allow it with --outside-files")
        return beside

    def require(self, key: str, *allowed: str) -> None:
        """Refuse any value of a key but its default and equivalent spellings."""
        if self.text(key) not in (KEYS[key].default, *allowed):
            raise self.error(key, f"{self.text(key)} is not built: {KEYS[key].words}")

    def idle(self) -> list[str]:
        """The keys that are set to something else than their default and never read: they change nothing."""
        return [
            key
            for key, assignment in self.assignments.items()
            if key not in self._read | IDLE_OF_FORKS and assignment.value.text != KEYS[key].default
        ]


def split(text: str) -> tuple[str, ...]:
    """The members of a list in braces, which may be lists themselves; any other text is its only member."""
    if not text.startswith("{"):
        return (text,) if text else ()
    members, depth, start = [], 0, 1
    for i in range(1, len(text)):
        if text[i] == "{":
            depth += 1
        elif text[i] == "}" and depth:
            depth -= 1
        elif text[i] in ",}" and not depth:
            if i > start:
                members.append(text[start:i])
            start = i + 1
    return tuple(members)


def read_configuration(path: str | Path, overrides: Sequence[str] = (), *, faithful: bool = False) -> Configuration:
    """Read a configuration file of BookSim 2, and what is given beside it.

    Parameters
    ----------
    path : str or Path
        The file.
    overrides : sequence of str
        ``key=value``, which take the place of what stands in the file.
    faithful : bool
        Whether to do what BookSim does where that is known to be wrong.

    Returns
    -------
    Configuration
        The settings.

    Raises
    ------
    TextError
        With file, line and column of what cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mesh")
    ...     _ = path.write_text("k = 4; k = 8;")
    ...     read_configuration(path).whole("k")
    8
    """
    assignments, warnings = as_booksim(statements(path, overrides))
    configuration = Configuration(assignments, Path(path).parent, faithful)
    configuration.warnings += warnings
    return configuration
