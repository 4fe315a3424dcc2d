"""Texts of routings that name a file: of routes, or a user's Python file, as ``my_routing.py:greedy``.

The function of such a file is called with the network, with ``vcs`` if a number was given, and with the options in
parentheses; it returns a `Relation`. Naming a file runs it, so that texts found in files of others are refused
(`is_code`). Files of routes are the JSON that `unknot export`, `lanes --export` and `repair --export` write
(`unknot.report.export`), plain lists of paths, and what extensions read (`ROUTING_FILES`).
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unknot._base.calls import Call, parse_call
from unknot._base.errors import RelationError, TextError, UnknotError, near, raised
from unknot._base.extensions import DESIGNERS, Catalogue
from unknot._base.input import read_text
from unknot.network import Network
from unknot.routing.path_lists import ENDING
from unknot.routing.relation import Relation

OTHER_TABLES = (".csv", ".v")
"""Files of routes that can be written, but hold too little to be read."""
ROUTING_FILES: Catalogue[Callable[[Network, Path], Relation]] = Catalogue("routing_files", {})
"""Readers of extensions by the ending, without its dot, of files that bring a routing for a network."""
_CODE = re.compile(r"\s*([^:()]+\.py):(.+)", re.DOTALL)


def reader_of(text: str) -> tuple[str, str]:
    """The kind of a file of routes, by its prefix or its ending, and the path."""
    prefix, _, path = text.strip().partition(":")
    if path and prefix in ROUTING_FILES:
        return prefix, path
    return Path(text.strip()).suffix.lower()[1:], text.strip()


def is_file(text: str) -> bool:
    """Whether a text names a file of routes.

    Examples
    --------
    >>> is_file("routes.json"), is_file("lanes")
    (True, False)
    """
    kind, _ = reader_of(text)
    known = f".{kind}" in (".json", ENDING, *OTHER_TABLES)
    return bool(kind) and (known or kind in ROUTING_FILES)


def is_designed(text: str) -> bool:
    """Whether a text names routes that a search or a file holds, and no algorithm that anyone can run again."""
    return is_file(text) or text.partition("(")[0].strip() in DESIGNERS


def is_code(text: str) -> bool:
    """Whether a text names a function in a Python file, which would be run.

    Examples
    --------
    >>> is_code("my_routing.py:greedy"), is_code("dimension_order")
    (True, False)
    """
    return _CODE.fullmatch(text) is not None


def own_function(text: str, where: str, takes: str = "network") -> tuple[Callable[..., Any], Call] | None:
    """Run the Python file that a text names, and return its function with the call; None: the text names no file.

    Parameters
    ----------
    text : str
        Such as ``my_routing.py:greedy(turns=2)``.
    where : str
        Where the text came from, for messages.
    takes : str
        What the function is called with first, for messages.

    Raises
    ------
    RelationError
        If there is no such file or function, the text names a file alone, or the file raises an error. The function
        that is returned raises it as well, for every exception of its own; the message names the line of the file.
    """
    match = _CODE.fullmatch(text)
    if match is None:
        path = Path(text.strip())
        if path.suffix == ".py" and "(" not in text:
            wanted = f"name the function in {path} as well, as {path}:FUNCTION"
            raise RelationError(f"{where}: {wanted}; {_near('', path)}")
        return None
    path, call = Path(match[1].strip()), parse_call(match[2], where)
    read_text(path)
    names = _blamed(path, str(path), runpy.run_path)(str(path), run_name=path.stem)
    function = names.get(call.name)
    if not callable(function) or call.name.startswith("_"):
        raise RelationError(f"{path} has no function {call.name!r}; {_near(call.name, path)}")
    if inspect.isfunction(function) and not inspect.signature(function).parameters:
        raise RelationError(f"{path}: {call.name}() must take the {takes} first")
    return _blamed(path, f"{path}: {call.name}()", function), call


def _near(name: str, path: Path) -> str:
    """A phrase with the functions defined in a file itself, without imported ones."""
    try:
        body = ast.parse(read_text(path)).body
    except (SyntaxError, ValueError) as error:
        return f"it cannot be read: {error}"
    names = [node.name for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    return near(name, names) if names else "it makes none"


def _blamed(path: Path, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of which every exception but those of Unknot is an error of the user's file."""

    @functools.wraps(function)
    def called(*values: Any, **options: Any) -> Any:
        try:
            return function(*values, **options)
        except (UnknotError, MemoryError):
            raise
        except SyntaxError as error:
            if error.filename != str(path):
                raise RelationError(f"{what} raised {raised(error, str(path))}") from error
            place = TextError(error.msg, path, error.lineno or 0, error.offset or 0, error.text or "")
            raise RelationError(str(place)) from error
        except (Exception, SystemExit) as error:
            raise RelationError(f"{what} raised {raised(error, str(path))}") from error

    return called


def code_of(text: str, folder: str | Path = ".") -> str:
    """A hash of the file that a text names; empty for the name of a routing."""
    match = _CODE.fullmatch(text)
    return "" if match is None else hashlib.sha256(Path(folder, match[1].strip()).read_bytes()).hexdigest()


def rooted(text: str, folder: str | Path, *, confined: bool = False) -> str:
    """Return the text with the absolute path of its file.

    Raises
    ------
    RelationError
        If it is to be `confined` to the folder, and names a file of routes elsewhere.
    """
    if is_file(text):
        _, named = reader_of(text)
        path = Path(folder, named).resolve()
        if confined and not path.is_relative_to(Path(folder).resolve()):
            raise RelationError(f"{text!r} is outside the folder of this file; allow it with --outside-files")
        return f"{text.strip().removesuffix(named)}{path}"
    match = _CODE.fullmatch(text)
    return text if match is None else f"{Path(folder, match[1].strip()).resolve()}:{match[2]}"
