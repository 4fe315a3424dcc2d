"""Routings from users' Python files: ``my_routing.py:greedy`` where the name of a routing is taken.

The function is called with the network, with ``vcs`` if a number was given, and with the options in parentheses; it
returns a `Relation`. Naming a file runs it, so that texts found in files of others are refused (`is_code`).
"""

from __future__ import annotations

import functools
import hashlib
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unknot.calls import Call, parse_call
from unknot.errors import RelationError, UnknotError, near, raised
from unknot.input import read_text

_CODE = re.compile(r"\s*([^:()]+\.py):(.+)", re.DOTALL)


def is_code(text: str) -> bool:
    """Whether a text names a function in a Python file, which would be run.

    Examples
    --------
    >>> is_code("my_routing.py:greedy"), is_code("dimension_order")
    (True, False)
    """
    return _CODE.fullmatch(text) is not None


def own_function(text: str, where: str) -> tuple[Callable[..., Any], Call]:
    """Run the file and return the function that the text names, with the call.

    Parameters
    ----------
    text : str
        Such as ``my_routing.py:greedy(turns=2)``.
    where : str
        Where the text came from, for messages.

    Raises
    ------
    RelationError
        If there is no such file or function, or the file raises an error. The function that is returned raises it
        as well, for every exception of its own; the message names the line of the file.
    """
    found = _CODE.fullmatch(text)
    if found is None:
        raise RelationError(f"{where}: expected FILE.py:FUNCTION, got {text!r}")
    path, call = Path(found[1].strip()), parse_call(found[2], where)
    read_text(path)
    names = _blamed(path, str(path), runpy.run_path)(str(path), run_name=path.stem)
    functions = {name: value for name, value in names.items() if callable(value) and not name.startswith("_")}
    if call.name not in functions:
        raise RelationError(f"{path} has no function {call.name!r}; {near(call.name, functions)}")
    return _blamed(path, f"{path}: {call.name}()", functions[call.name]), call


def _blamed(path: Path, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of which every exception but those of Unknot is an error of the user's file."""

    @functools.wraps(function)
    def called(*values: Any, **options: Any) -> Any:
        try:
            return function(*values, **options)
        except (UnknotError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            raise RelationError(f"{what} raised {raised(error, str(path))}") from error

    return called


def code_of(text: str, folder: str | Path = ".") -> str:
    """A hash of the file that a text names; empty for the name of a routing."""
    found = _CODE.fullmatch(text)
    return "" if found is None else hashlib.sha256(Path(folder, found[1].strip()).read_bytes()).hexdigest()


def rooted(text: str, folder: str | Path) -> str:
    """Return the text with the absolute path of its file."""
    found = _CODE.fullmatch(text)
    return text if found is None else f"{Path(folder, found[1].strip()).resolve()}:{found[2]}"
