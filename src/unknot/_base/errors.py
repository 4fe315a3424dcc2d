"""Exceptions.

Every error a user can cause is an `UnknotError`; the command line prints its text and exits with 2.
"""

from __future__ import annotations

import difflib
import operator
import re
import traceback
from bisect import bisect_right
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Literal

ErrorCode = Literal["request", "text", "network", "routing", "simulation", "extension", "conformance"]
"""Kinds of errors of the user."""


class UnknotError(ValueError):
    """Base of all errors caused by a request of the user."""

    code: ClassVar[ErrorCode] = "request"
    """Kind of the error, in errors as data."""


class NetworkError(UnknotError):
    """A network that cannot be: a channel to nowhere, a terminal without a router, a bad size."""

    code = "network"


class RelationError(UnknotError):
    """A routing relation breaks its contract, or an algorithm is given a network or options outside its domain."""

    code = "routing"


class SimulationError(UnknotError):
    """A run that cannot be set up: a negative load, a packet that does not fit its buffer."""

    code = "simulation"


class ExtensionError(UnknotError):
    """A package that extends Unknot and cannot be used."""

    code = "extension"


class ConformanceError(UnknotError):
    """A network, a relation or a flow control that breaks its contract."""

    code = "conformance"


class TextError(UnknotError):
    """A place in a text or file that cannot be read; prints as ``file:line:column`` with a caret.

    Parameters
    ----------
    message : str
        What is wrong and what to do.
    where : str or Path
        File name, or a word such as ``<command line>``.
    line, column : int
        Both count from 1; column 0 means the whole line.
    text : str
        The offending line.
    """

    code = "text"

    def __init__(self, message: str, where: str | Path, line: int = 0, column: int = 0, text: str = "") -> None:
        self.message, self.where, self.line, self.column, self.text = message, str(where), line, column, text
        place = ":".join([self.where, *(str(n) for n in (line, column) if n)])
        shown = ""
        if text:
            start = max(0, column - 60) if column else 0
            piece = text.rstrip("\n")[start : start + 100].replace("\t", " ")
            shown = f"\n    {piece}"
            if column:
                shown += "\n    " + " " * (column - 1 - start) + "^"
        super().__init__(f"{place}: {message}{shown}")

    def __reduce__(self) -> tuple[type[TextError], tuple[Any, ...]]:
        return type(self), (self.message, self.where, self.line, self.column, self.text)


@dataclass(frozen=True, eq=False)
class Source:
    """A text and where it came from.

    Attributes
    ----------
    text : str
    where : str or Path
        File name, or a word such as ``<text>``.
    """

    text: str
    where: str | Path

    @cached_property
    def starts(self) -> list[int]:
        """Offsets at which lines begin."""
        return [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]

    def error(self, message: str, at: int) -> TextError:
        """An error with a caret under the character at offset `at`."""
        line = bisect_right(self.starts, at) - 1
        start = self.starts[line]
        end = self.text.find("\n", start)
        shown = self.text[start : len(self.text) if end < 0 else end].rstrip("\r")
        # What would not show, or would move the caret, is one character.
        shown = "".join(" " if c == "\t" else c if c.isprintable() else "?" for c in shown)
        return TextError(message, self.where, line + 1, at - start + 1, shown)


def raised(error: BaseException, file: str) -> str:
    """Describe an exception of a user's code in words, with the last line of the user's file on its traceback.

    Parameters
    ----------
    error : BaseException
        As it was caught.
    file : str
        Name of the file as Python knows it.
    """
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    lines = [
        f"{file}, line {line}, in {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == file
    ]
    return f"{what} ({lines[-1]})" if lines else what


EXTRAS = {
    "ortools": "solving",
    "pysat": "solving",
    "matplotlib": "plotting",
    "pyarrow": "parquet",
    "pandas": "data",
    "distributed": "dask",
    "dask_jobqueue": "slurm",
    "yaml": "labs",
}
"""Optional libraries, and the extras of the installation that bring them."""


def missing_extra(error: ImportError) -> str:
    """Return the name of the extra with a missing library, and the command to install it; empty if no
    extra has it.

    >>> missing_extra(ModuleNotFoundError(name="matplotlib.figure"))
    "matplotlib is not installed, and this needs it: pip install 'unknot[plotting]'"
    """
    library = (error.name or "").partition(".")[0]
    if library not in EXTRAS:
        return ""
    return f"{library} is not installed, and this needs it: pip install 'unknot[{EXTRAS[library]}]'"


def library(name: str) -> Any:
    """Import a library that an extra brings.

    Raises
    ------
    UnknotError
        If it is not installed; names the extra.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise UnknotError(missing_extra(error)) from None


def shown(value: object, most: int = 80) -> str:
    """A value as it would be written in Python, short however large it is."""
    if hasattr(value, "__index__") and not isinstance(value, bool):
        number = operator.index(value)
        huge = f"{'-' if number < 0 else ''}10^{int((abs(number).bit_length() - 1) * 0.30103)} or more"
        return str(number) if abs(number) < 10**40 else huge
    try:
        text = repr(value[: most + 1] if isinstance(value, (str, bytes, list, tuple)) else value)
    except ValueError:
        text = f"a {type(value).__name__} of very long numbers"
    return shortened(text, most)


def shortened(text: str, most: int) -> str:
    """The text, cut to a number of characters."""
    return text if len(text) <= most else text[: max(most - 1, 1)] + "…"


_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
"""Invisible: controls of both sets, marks of direction, zero width, lone surrogates, tags, no characters at all."""


def bare(message: str) -> str:
    """A message of pydantic, which checks options and files, without its kinds of errors and its "input".

    Examples
    --------
    >>> bare("Value error, 'upwards' is not one of 'none', 'any'")
    "'upwards' is not one of 'none', 'any'"
    >>> bare("Input should be a valid number")
    'this should be a valid number'
    """
    plain = message.replace("Value error, ", "").replace("Assertion failed, ", "")
    return plain.replace("Input should be", "this should be")


def visible(text: str, keep: str = "") -> str:
    r"""The text with everything that a terminal obeys or hides written out, but for the characters of `keep`.

    Examples
    --------
    >>> print(visible("a\x1b[31mb\u202ec"))
    a\x1b[31mb\u202ec
    """
    if text.isprintable():
        return text
    return _UNSEEN.sub(lambda match: match[0] if match[0] in keep else _written_out(match[0]), text)


def _written_out(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


USUAL = {
    "dor": "dimension_order", "xy": "dimension_order", "xy_yx": "o1turn", "ecube": "dimension_order",
    "e_cube": "dimension_order", "dim_order": "dimension_order", "min_adapt": "duato",
    "updown": "up_down", "updn": "up_down", "val": "valiant", "ecmp": "ospf", "isis": "ospf", "is_is": "ospf",
    "bitcomp": "bit_complement", "bitrev": "bit_reverse", "randperm": "permutation", "neighbor": "neighbour",
    "fly": "butterfly", "flatfly": "flattened_butterfly", "cmesh": "terminals", "fattree": "fat_tree",
    "cube": "torus", "qtree": "fat_tree", "tree4": "fat_tree",
}  # fmt: skip
"""Names in other tools and papers, and the names of the same things here."""
_USUALLY = {"cmesh": "terminals(mesh(4, 4), 4)"}


def near(name: str, names: Iterable[str]) -> str:
    """A phrase that lists the names close to `name`, or all of them when none is close."""
    known = sorted(names)
    usual = name.lower().replace("-", "_")
    if USUAL.get(usual) in known:
        return f"did you mean {_USUALLY.get(usual, USUAL[usual])}?"
    close = [one for one in known if one.lower() == name.lower()]
    close = close or difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(known)}"


def require_known(what: str, word: str, words: Collection[str], error: type[UnknotError] = UnknotError) -> None:
    """Refuse an unknown word, and name the known words near it."""
    if word not in words:
        raise error(f"{what} {word!r}; {near(str(word), words)}")
