"""Statements of a BookSim configuration, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from lark import Lark, UnexpectedCharacters, UnexpectedToken

from unknot._base.calls import Piece
from unknot._base.errors import TextError
from unknot._base.input import read_text

LONGEST = 1_000_000
"""Most characters of a configuration."""
OVERRIDE = "<command line>"
"""Place that errors name in an override on the command line."""
_COMMENT = re.compile(r"//[^\n]*")
_STUDY = re.compile(r"^\s*\[", re.M)
_EXPECTED = {"EQUAL": "=", "SEMICOLON": ";", "WORD": "a key"}


@dataclass(frozen=True)
class Assignment:
    """One `key = value;` as it was written; a list keeps its braces."""

    key: Piece
    value: Piece


def is_configuration(path: str | Path, overrides: Sequence[str] = ()) -> bool:
    """Whether a file is a BookSim configuration rather than a study file: no table stands in it, but a statement.

    With overrides it may be empty, comments apart.

    Parameters
    ----------
    path : str or Path
        The file.
    overrides : Sequence[str]
        Assignments such as ``"k=4"``, as on the command line.

    Returns
    -------
    bool
        Whether it is one.

    Examples
    --------
    >>> is_configuration("examples/torus.toml")
    False
    """
    if str(path).endswith(".toml"):
        return False
    text = _COMMENT.sub("", read_text(path))
    return not _STUDY.search(text) and (";" in text or (bool(overrides) and not text.strip()))


def statements(path: str | Path, overrides: Sequence[str] = ()) -> list[Assignment]:
    """The statements of a configuration file, then those of the overrides, in order.

    Parameters
    ----------
    overrides : sequence of str
        ``key=value``, as BookSim takes them on its command line.

    Raises
    ------
    TextError
        With file, line and column of what is no statement.
    """
    text = read_text(path)
    if len(text) > LONGEST:
        raise TextError(f"the file has {len(text)} characters; the limit is {LONGEST}", path)
    assignments = list(_parsed(text, str(path)))
    if not assignments and not overrides:
        raise TextError("no statement such as `topology = mesh;` in this file", path)
    for override in overrides:
        assignments += _parsed(override if override.rstrip().endswith(";") else override + ";", OVERRIDE)
    return assignments


def _parsed(text: str, where: str) -> Iterator[Assignment]:
    lines = text.split("\n")

    def shown(line: int) -> str:
        return lines[line - 1].rstrip("\r") if 0 < line <= len(lines) else ""

    def error(message: str, line: int, column: int) -> TextError:
        return TextError(message, where, max(line, 0), max(column, 0), shown(line))

    try:
        tree: Any = _grammar().parse(text)
    except UnexpectedCharacters as problem:
        token = text[problem.pos_in_stream or 0 : (problem.pos_in_stream or 0) + 1]
        what = "this is neither a number nor a word" if token.isdigit() else f"{token!a} means nothing here"
        raise error(f"{what}; a statement is `key = value;`", problem.line, problem.column) from None
    except UnexpectedToken as problem:
        names = problem.accepts or problem.expected
        expected = (
            ["a value"] if "NUMBER" in names else sorted(_EXPECTED[name] for name in names if name in _EXPECTED)
        )
        token = "the file ends here" if problem.token.type == "$END" else f"{str(problem.token)[:40]!r} stands here"
        if problem.token.type == "$END":
            line = text.rstrip().count("\n") + 1
            column = len(lines[line - 1].rstrip()) + 1
        else:
            line, column = problem.line, problem.column
        raise error(f"{token}; expected {' or '.join(expected)}", line, column) from None
    for statement in tree.children:
        yield Assignment(
            *(Piece(str(part), where, part.column, shown(part.line), part.line) for part in statement.children)
        )


@cache
def _grammar() -> Lark:
    text = files("unknot_booksim").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="basic", start="start", propagate_positions=True)
