"""Texts of options and rows of tables, piece by piece, and calls in them, which are never evaluated."""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from unknot._base.errors import TextError, UnknotError, near, shown

_NAME = re.compile(r"\s*([^\W\d][\w-]*)\s*")
_LONGEST = 100_000
_T = TypeVar("_T")


@dataclass(frozen=True)
class Piece:
    """A part of a text, without blanks around it, and its place.

    Parameters
    ----------
    text : str
    where : str or Path
        File name, or the name of an option, such as ``<router>``.
    column : int
        Of the first character, from 1.
    whole : str
        The line it is a part of; by default the text.
    line : int
        From 1.

    Examples
    --------
    >>> for piece in Piece("1:0.5,  hotspot(1, 2)", "<text>").split(","):
    ...     print(piece.column, piece.text)
    ...
    1 1:0.5
    9 hotspot(1, 2)
    """

    text: str
    where: str | Path
    column: int = 1
    whole: str | None = None
    line: int = 1

    def error(self, message: str) -> TextError:
        """An error with a caret under the piece."""
        return TextError(message, self.where, self.line, self.column, self.text if self.whole is None else self.whole)

    def part(self, start: int, stop: int | None = None) -> Piece:
        """The piece from one offset to another, without blanks around it."""
        text = self.text[start:stop]
        column = self.column + start + len(text) - len(text.lstrip())
        return replace(self, text=text.strip(), column=column, whole=self.text if self.whole is None else self.whole)

    def split(self, separator: str) -> Iterator[Piece]:
        """The pieces between separators that are not in parentheses, none in an empty text.

        Raises
        ------
        TextError
            Where one is missing; where blanks are separators too, those that are empty are left out.
        """
        cuts = [m.end() for m in re.finditer(rf"\([^()]*\)|[{separator}]", self.text) if m[0][0] != "("]
        for start, stop in pairwise([0, *cuts, len(self.text) + 1] if self.text.strip() else []):
            piece = self.part(start, stop - 1)
            if piece.text:
                yield piece
            elif len(separator.strip()) == 1:
                raise piece.error(f"expected something before and behind each {separator!r}")

    def pair(self, separator: str) -> tuple[Piece, Piece] | None:
        """The pieces before and behind a separator; None if it is not there."""
        at = self.text.find(separator)
        return None if at < 0 else (self.part(0, at), self.part(at + len(separator)))

    def read(self, make: Callable[[], _T]) -> _T:
        """Return the result of `make`, or raise its error with its place in the text."""
        try:
            return make()
        except TextError as error:
            within = replace(self, column=self.column + max(error.column, 1) - 1)
            raise within.error(error.message) from None
        except UnknotError as error:
            raise self.error(str(error)) from None


def cell_column(line: str, index: int) -> int:
    """Column, from 1, at which a cell of a CSV line begins, by its number from 0."""
    quoted = False
    for at, letter in enumerate(line):
        if index == 0:
            return at + 1 + len(line[at:]) - len(line[at:].lstrip())
        quoted ^= letter == '"'
        index -= letter == "," and not quoted
    return len(line) + 1


@dataclass(frozen=True)
class Call:
    """A call as it was written.

    Attributes
    ----------
    name : str
        Name of what is called, ``-`` replaced by ``_``.
    args : tuple
        Positional values: numbers, texts, True, False, None and lists (as tuples) of these.
    options : mapping of str to value
        Values given by keyword.
    text : str
        The text it was read from.
    where : str
        Where the text came from, for messages.
    columns : mapping of str to int
        Column, counted from 1, of the name (key ``""``), of each option and of each positional value (``"0"``, …).
    """

    name: str
    args: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    where: str = "<call>"
    columns: Mapping[str, int] = field(default_factory=dict)

    def error(self, message: str, part: str = "") -> TextError:
        """An error with a caret under a part of the call."""
        return TextError(message, self.where, 1, self.columns.get(part, self.columns.get("", 1)), self.text)


def parse_call(text: str, where: str | Path = "<call>") -> Call:
    """Read a name, or a name with values in parentheses.

    Raises
    ------
    TextError
        With the column at which the text stops being such a call.
    """
    line = Piece(text.replace("\n", " ").replace("\r", " "), where)
    match = _NAME.match(line.text)
    if match is None or len(line.text) > _LONGEST or "\0" in line.text:
        raise replace(line, text=line.text[:200]).error(
            "expected a name or a call such as duato() or dimension_order(order=[1, 0])"
        )
    name, rest = match.group(1), line.text[match.end() :]
    columns = {"": match.start(1) + 1}
    if not rest:
        return Call(name.replace("-", "_"), text=line.text, where=str(where), columns=columns)
    if not rest.startswith("("):
        raise line.part(match.end()).error(
            f"expected nothing or ( after {name}; a call looks like dimension_order(order=[1, 0])"
        )
    node = _tree(line, match.end())
    args, options = [], {}
    for position, item in enumerate(node.args):
        columns[str(position)] = _part(line, item).column
        args.append(_value(item, line))
    for option in node.keywords:
        part = _part(line, option)
        if option.arg is None:
            raise part.error("** cannot stand here; write option=value")
        if option.arg in options:
            raise part.error(f"{option.arg} is given twice")
        columns[option.arg] = part.column
        options[option.arg] = _value(option.value, line)
    return Call(name.replace("-", "_"), tuple(args), options, line.text, str(where), columns)


def chosen(
    call: Call, functions: Mapping[str, Callable[..., _T]], kind: str, also: Iterable[str] = ()
) -> Callable[..., _T]:
    """Return the function that a call names; an unknown name raises an error with near names from `functions` and
    `also`.
    """
    if call.name not in functions:
        raise call.error(f"unknown {kind} {call.name!r}; {near(call.name, [*functions, *also])}")
    return functions[call.name]


def apply(call: Call, function: Callable[..., _T], *first: Any, **more: Any) -> _T:
    """Call `function` with `first`, then the values of the call, and `more` by keyword.

    Raises
    ------
    TextError
        If the values do not fit the function's parameters; its text shows them.
    """
    signature = inspect.signature(function)
    known = [
        p.name
        for p in list(signature.parameters.values())[len(first) :]
        if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    for option in call.options:
        if option not in known:
            raise call.error(f"{call.name} has no option {option!r}; {near(option, known)}", option)
        if option in more:
            raise call.error(f"{option} is given twice, here and beside the call", option)
    try:
        bound = signature.bind(*first, *call.args, **call.options, **more)
    except TypeError as error:
        expected = ", ".join(str(p).split(":")[0] for p in list(signature.parameters.values())[len(first) :])
        raise call.error(f"{error}; expected {call.name}({expected})") from error
    _check_kinds(call, signature, known)
    try:
        return function(*bound.args, **bound.kwargs)
    except UnknotError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise call.error(f"{call.name}: {error}") from error


_KINDS: dict[str, tuple[str, str, tuple[type, ...]]] = {
    "int": ("a whole number", "whole numbers", (int,)),
    "float": ("a number", "numbers", (int, float)),
    "str": ("a text", "texts", (str,)),
    "bool": ("True or False", "True and False", (bool,)),
    "None": ("None", "None", (type(None),)),
}
"""Annotations of parameters: one value in words, several values in words, and the types of the values."""


def _check_kinds(call: Call, signature: inspect.Signature, known: list[str]) -> None:
    """Refuse values of another kind than a parameter's annotation names; annotations of other forms say nothing."""
    arguments = [(name, str(i), value) for i, (name, value) in enumerate(zip(known, call.args, strict=False))]
    for name, part, value in [*arguments, *((key, key, value) for key, value in call.options.items())]:
        kinds_allowed = str(signature.parameters[name].annotation).split(" | ")
        if all(map(_in_words, kinds_allowed)) and not any(_is_of(value, kind) for kind in kinds_allowed):
            kinds = " or ".join(map(_in_words, kinds_allowed))
            raise call.error(f"{call.name}: {name} is {kinds}, not {shown(value)}", part)


def _in_words(kind: str) -> str:
    """Describe the values that an annotation wants; empty for an unknown annotation."""
    item = kind.removeprefix("Sequence[").removesuffix("]")
    if item in _KINDS:
        return _KINDS[kind][0] if kind == item else f"a list of {_KINDS[item][1]}"
    return "" if kind in ("Any", "object") or not kind.isidentifier() else f"a {kind}, from Python only"


def _is_of(value: Any, kind: str) -> bool:
    if kind in _KINDS:
        return isinstance(value, _KINDS[kind][2]) and (kind == "bool" or not isinstance(value, bool))
    item = kind.removeprefix("Sequence[").removesuffix("]")
    return item in _KINDS and isinstance(value, tuple) and all(_is_of(each, item) for each in value)


def _tree(line: Piece, start: int) -> ast.Call:
    """The syntax tree of the call whose parenthesis opens at `start`, with columns of `line`."""
    source = "_" * start + line.text[start:]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            node = ast.parse(source.rstrip(), mode="eval").body
    except SyntaxError as error:
        column = min(max(error.offset or 1, start + 1), len(line.text) + 1)
        raise replace(line, column=column).error(
            f"this is not a call such as duato() or dimension_order(order=[1, 0]): {error.msg}"
        ) from error
    except (RecursionError, MemoryError) as error:
        raise line.part(start).error("this is nested too deeply") from error
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise line.part(start).error("expected one name with one pair of parentheses")
    return node


def _value(node: ast.expr, line: Piece) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str, type(None))):
        return node.value
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(_value(item, line) for item in node.elts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        number = node.operand.value
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            return -number
    raise _part(line, node).error('a value here is a number, a "text", True, False, None or a list of these')


def _part(line: Piece, node: ast.expr | ast.keyword) -> Piece:
    """The line from a node on; the tree counts bytes of the line whose name was blanked out."""
    name = _NAME.match(line.text)
    start = name.end() if name else 0
    source = ("_" * start + line.text[start:]).encode()
    return line.part(len(source[: node.col_offset].decode(errors="ignore")))
