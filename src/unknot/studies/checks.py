"""Files of checks: routings with the answer that is expected of each, for pull requests."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from unknot._base.deadline import Deadline
from unknot._base.errors import TextError, UnknotError
from unknot._base.input import read_text
from unknot._base.phrases import count
from unknot._base.switching import DEFAULT_SWITCHING
from unknot._base.three_valued import all_hold
from unknot._base.toml_places import (
    NUMBER,
    TEXT,
    EntryError,
    KeyPath,
    Reader,
    Toml,
    list_of,
    read_toml,
    record,
)
from unknot.fabrics.named import network as network_named
from unknot.routing.flow_controls.named import flow_given
from unknot.routing.named import routing as routing_from
from unknot.routing.own import is_code, rooted
from unknot.studies.entries import VALUE
from unknot.verify.examination import Examination, FurtherAnswers, examine

Answer = Literal["yes", "no", "open"]
_WORDS: dict[bool | None, Answer] = {True: "yes", False: "no", None: "open"}


@dataclass(frozen=True)
class Check:
    """A routing, and the answer that is expected of it.

    Attributes
    ----------
    network, routing, switching : str
        As on the command line.
    vcs : int or None
        Virtual channels per channel.
    expect : str
        "yes", free of deadlock and every packet arrives, or "no".
    answer : str
        The answer found: "yes", "no" or "open".
    file : str
        File of the rule, or the file of checks where the routing has none.
    line : int
        Line of the rule's `def` there, or of the check.
    message : str
        The finding in a sentence; empty where the answer is the expected one.
    """

    network: str
    routing: str
    vcs: int | None = None
    switching: str = DEFAULT_SWITCHING
    expect: Literal["yes", "no"] = "yes"
    answer: Answer = "open"
    file: str = ""
    line: int = 1
    message: str = ""

    @property
    def as_expected(self) -> bool | None:
        """Whether the answer is the expected one; None: it is open."""
        return None if self.answer == "open" else self.answer == self.expect


@dataclass(frozen=True)
class Checks:
    """A file of checks that was read.

    Attributes
    ----------
    toml : Toml
    checks : tuple of Check
    confined : bool
        Whether its networks and routes must lie in its folder.
    """

    toml: Toml
    checks: tuple[Check, ...]
    confined: bool

    @property
    def folder(self) -> Path:
        """Folder where relative paths start."""
        return Path(self.toml.where).parent

    def touched(self, changed: Collection[Path]) -> Checks:
        """The checks in whose files something changed: the rule, its imports, its network, or the file of checks."""
        files = {file.resolve() for file in changed}
        if Path(self.toml.where).resolve() in files:
            return self
        return replace(self, checks=tuple(check for check in self.checks if files & {*self._files(check)}))

    def _files(self, check: Check) -> Iterator[Path]:
        for text in (check.network, check.routing, check.switching):
            name = text.partition(".py:")[0] + ".py" if is_code(text) else text
            file = Path(self.folder, name.strip()).resolve()
            yield file
            yield from imported(file) if is_code(text) else ()

    def answered(self, check: Check, deadline: Deadline) -> Check:
        """Prove or refute the routing of a check."""
        place: KeyPath = ("check", self.checks.index(check))
        with _placed(self.toml, (*place, "network")):
            network = network_named(check.network, folder=self.folder, where=VALUE, confined=self.confined)
        with _placed(self.toml, (*place, "routing"), unless=is_code(check.routing)):
            routing = rooted(check.routing, self.folder, confined=self.confined)
            relation = routing_from(network, routing, check.vcs, where=VALUE)
        with _placed(self.toml, (*place, "switching"), unless=is_code(check.switching)):
            technique, flow = flow_given(relation, rooted(check.switching, self.folder), where=VALUE)
        examined = examine(relation, technique, FurtherAnswers(flow=flow), deadline=deadline)
        answer = _WORDS[all_hold((examined.verdict.deadlock_free, examined.delivery.delivered))]
        message = "" if answer == check.expect else f"{_said(check)} {_finding(examined, answer)}"
        return replace(check, answer=answer, message=message)


def load_checks(path: Path, *, outside_files: bool = False, allow_code: bool = False) -> Checks:
    """Read a file of checks.

    Parameters
    ----------
    path : Path
        TOML with a table [[check]] for each.
    outside_files : bool
        Whether networks and routes may lie outside its folder.
    allow_code : bool
        Whether routings may be functions in Python files, which are run.

    Raises
    ------
    UnknotError
        Names the place.
    """
    with read_toml(path, "a file of checks") as toml:
        entries = _READ(toml.document, ())["check"]
        checks = []
        for number, entry in enumerate(entries):
            for key in ("routing", "switching") if not allow_code else ():
                if is_code(entry.get(key, "")):
                    words = f"{entry[key]!r} runs a Python file; look at it, then allow it with --allow-code"
                    raise EntryError(words, ("check", number, key))
            checks.append(_located(Check(**entry), toml, number))
    return Checks(toml, tuple(checks), not outside_files)


def _expected(entry: Any, path: KeyPath) -> Any:
    if entry not in ("yes", "no"):
        raise EntryError(f'expect is "yes" or "no", got {entry!r}', path)
    return entry


_KEYS: dict[str, Reader] = {"network": TEXT, "routing": TEXT, "vcs": NUMBER, "switching": TEXT, "expect": _expected}
_READ = record({"check": list_of(record(_KEYS, "network", "routing"))}, "check")


def _located(check: Check, toml: Toml, number: int) -> Check:
    """A check with the place of its findings: the `def` of its rule, else its routing in the file of checks."""
    if is_code(check.routing):
        name, _, call = check.routing.partition(".py:")
        file = Path(Path(toml.where).parent, f"{name.strip()}.py")
        lines = _definitions(file)
        return replace(check, file=str(file), line=lines.get(call.partition("(")[0].strip(), 1))
    return replace(check, file=str(toml.where), line=toml.error(("check", number, "routing"), "").line)


def _definitions(file: Path) -> dict[str, int]:
    """Lines of the functions of a file by name; none of a file that is no Python."""
    return {node.name: node.lineno for node in _parsed(file) if isinstance(node, ast.FunctionDef)}


def _parsed(file: Path) -> list[ast.AST]:
    try:
        return [*ast.walk(ast.parse(read_text(file)))]
    except (UnknotError, SyntaxError, ValueError):
        return []


def imported(file: Path) -> set[Path]:
    """Return the files of a file's folder that it imports, directly or not."""
    found: set[Path] = set()
    left = [file]
    while left:
        one = left.pop()
        names = {name for node in _parsed(one) for name in _names(node)}
        fresh = {path for name in names if (path := Path(file.parent, f"{name.replace('.', '/')}.py")).is_file()}
        left += fresh - found
        found |= fresh
    return found


def _names(node: ast.AST) -> Iterator[str]:
    """Names of modules that a statement may import."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield node.module or ""
        yield from (f"{node.module}.{alias.name}" if node.module else alias.name for alias in node.names)


@contextmanager
def _placed(toml: Toml, path: KeyPath, *, unless: bool = False) -> Iterator[None]:
    """Show errors about a text in the file of checks, unless they have a place of their own."""
    try:
        yield
    except TextError as error:
        if error.where != VALUE:
            raise
        raise toml.error(path, error.message, inner=error.column) from None
    except UnknotError as error:
        if unless:
            raise
        raise toml.error(path, str(error)) from None


def _said(check: Check) -> str:
    vcs = "" if check.vcs is None else f" with {count(check.vcs, 'VC')}"
    return f"{check.routing} on {check.network}{vcs}, {check.switching}:"


def _finding(examined: Examination, answer: Answer) -> str:
    """The end of a sentence about an answer that was not expected."""
    if answer == "yes":
        return "free of deadlock, and every packet arrives, but expect is no"
    if answer == "open":
        return "undecided in the time given"
    knot = examined.verdict.configuration
    if examined.verdict.deadlock_free is False:
        return f"deadlock of {len(knot.messages)} packets" if knot else "deadlock"
    return "free of deadlock, but not every packet arrives"
