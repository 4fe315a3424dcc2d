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
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unknot._base.calls import Call, parse_call
from unknot._base.errors import NetworkError, RelationError, TextError, UnknotError, near, raised, shown
from unknot._base.extensions import DESIGNERS, Catalogue
from unknot._base.input import read_json, read_text
from unknot.network import Network
from unknot.routing.parts import Addressing
from unknot.routing.path_lists import ENDING, read_paths
from unknot.routing.relation import EJECT, VC_MASK, Candidate, Relation
from unknot.routing.table import Table, encode, lookup
from unknot.routing.virtual_channels import VirtualChannels

OTHER_TABLES = (".csv", ".v")
"""Files of routes that can be written, but hold too little to be read."""
ROUTING_FILES: Catalogue[Callable[[Network, Path], Relation]] = Catalogue("routing_files", {})
"""Readers of extensions by the ending, without its dot, of files that bring a routing for a network."""
_CODE = re.compile(r"\s*([^:()]+\.py):(.+)", re.DOTALL)


def _reader(text: str) -> tuple[str, str]:
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
    kind, _ = _reader(text)
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


def own_function(text: str, where: str, takes: str = "network") -> tuple[Callable[..., Any], Call]:
    """Run the file and return the function that the text names, with the call.

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
        If there is no such file or function, or the file raises an error. The function that is returned raises it
        as well, for every exception of its own; the message names the line of the file.
    """
    match = _CODE.fullmatch(text)
    if match is None:
        raise RelationError(f"{where}: expected FILE.py:FUNCTION, got {text!r}")
    path, call = Path(match[1].strip()), parse_call(match[2], where)
    read_text(path)
    names = _blamed(path, str(path), runpy.run_path)(str(path), run_name=path.stem)
    function = names.get(call.name)
    if not callable(function) or call.name.startswith("_"):
        raise RelationError(f"{path} has no function {call.name!r}; {_near(call.name, path)}")
    if inspect.isfunction(function) and not inspect.signature(function).parameters:
        raise RelationError(f"{path}: {call.name}() must take the {takes} first")
    return _blamed(path, f"{path}: {call.name}()", function), call


def require_function(text: str, where: str) -> None:
    """Refuse the name of a Python file alone.

    Raises
    ------
    RelationError
        Names the functions that the file makes; it is not run.
    """
    path = Path(text.strip())
    if path.suffix == ".py" and "(" not in text:
        raise RelationError(f"{where}: name the function in {path} as well, as {path}:FUNCTION; {_near('', path)}")


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
        _, named = _reader(text)
        path = Path(folder, named).resolve()
        if confined and not path.is_relative_to(Path(folder).resolve()):
            raise RelationError(f"{text!r} is outside the folder of this file; allow it with --outside-files")
        return f"{text.strip().removesuffix(named)}{path}"
    match = _CODE.fullmatch(text)
    return text if match is None else f"{Path(folder, match[1].strip()).resolve()}:{match[2]}"


def read_routes(network: Network, path: str | Path) -> Relation:
    """Read the routes that `unknot.report.export` wrote as JSON, or a plain list of paths.

    Raises
    ------
    RelationError
        If the file is of another form or for another network, naming what this one has not, or its routes break the
        contract of relations; TextError if it cannot be read or is not JSON.
    """
    if Path(path).suffix.lower() == ENDING:
        return read_paths(network, path)
    kind, named = _reader(str(path))
    if kind in ROUTING_FILES:
        return ROUTING_FILES[kind](network, Path(named))
    if Path(path).suffix.lower() in OTHER_TABLES:
        raise RelationError(f"{path}: this form of tables lacks addresses and cannot be read; write routes as .json")
    content = read_json(path, growth=100)
    try:
        return _RoutesFile(network, Path(path).name, content).relation()
    except UnknotError as error:
        raise RelationError(f"{path}: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        what = f"{shown(error.args[0])} is missing" if isinstance(error, KeyError) else str(error)
        if isinstance(content, dict) and "conclusion" in content:
            what = "this is an answer as --out writes; --export writes its routes"
        raise RelationError(
            f"{path}: these are no routes as `unknot export`, `lanes --export` and `repair --export` write: {what}"
        ) from None


@dataclass(frozen=True)
class _RoutesFile:
    """A file of routes and the network they are for."""

    network: Network
    file: str
    content: Any

    def relation(self) -> Relation:
        network, content = self.network, self.content
        counts, tables, addresses = content["vcs"], content["routers"], content["addresses"]
        if len(counts) != network.num_channels:
            raise self._other(f"it has {network.num_channels} channels, and they are for {len(counts)}")
        vcs = VirtualChannels(network, np.array(counts, dtype=np.int64))
        channels = _numbers(map(network.channel_name, range(network.num_channels)))
        terminals = _numbers(map(network.terminal_name, range(network.num_terminals)))

        def place(kind: str, names: dict[str, int], name: str) -> int:
            if name not in names:
                raise self._other(f"there is no {kind} {shown(name)}")
            return names[name]

        def vc(entry: Any, channel: str) -> int:
            number, index = place("channel", channels, channel), entry["vc"]
            if not 0 <= index < counts[number]:
                raise self._other(f"{channel} has no VC {shown(index)}")
            return int(vcs.first[number]) + int(index)

        answers: list[dict[int, list[int]]] = [{} for _ in addresses]
        for entry in (entry for table in tables for entry in table["entries"]):
            at = (
                vcs.total + place("terminal", terminals, entry["terminal"])
                if entry["input"] == "inject"
                else vc(entry, entry["input"])
            )
            values = [
                encode(
                    Candidate(
                        None if each["output"] == "eject" else vc(each, each["output"]),
                        each.get("tier", 0),
                        each.get("waits", True),
                    )
                )
                for each in entry["candidates"]
            ]
            if not 0 <= entry["address"] < len(addresses):
                raise ValueError(f"an entry has address {shown(entry['address'])} of {len(addresses)}")
            if answers[entry["address"]].setdefault(at, values) is not values:
                raise ValueError(f"address {entry['address']} has two entries at {vcs.name(at)}")
        uses = [each["sources"] for each in addresses]
        may_use = np.ones((network.num_terminals, len(addresses)), dtype=bool)
        for address, sources in enumerate(uses):
            if sources is not None:
                may_use[:, address] = False
                may_use[[place("terminal", terminals, name) for name in sources], address] = True
        relation = Relation(
            network,
            vcs,
            lookup(Table.of(answers)),
            name=f"{content['routing']} of {self.file}",
            commits=bool(content.get("commits", False)),
            addresses=Addressing(
                destination=np.array(
                    [place("terminal", terminals, each["destination"]) for each in addresses], np.int32
                ),
                may_use=None if all(sources is None for sources in uses) else may_use,
                address_labels=tuple(str(each["name"]) for each in addresses),
            ),
        )
        _check(relation)
        return relation

    def _other(self, what: str) -> RelationError:
        meant = self.content.get("network")
        return RelationError(f"its routes, which are for {meant}, do not fit {self.network.name}: {what}")


def _numbers(names: Iterable[str]) -> dict[str, int]:
    """Numbers of names.

    Raises
    ------
    NetworkError
        If two are the same.
    """
    number_of: dict[str, int] = {}
    for number, name in enumerate(names):
        if number_of.setdefault(name, number) != number:
            raise NetworkError(
                f"two channels or terminals are called {name!r}, so that no routes can be read by name"
            )
    return number_of


def _check(relation: Relation) -> None:
    """Refuse candidates that do not leave their router, and ejection elsewhere than at home, by the first state."""
    table, vcs, network = relation.rule.table, relation.vcs, relation.network  # type: ignore[attr-defined]
    state = np.repeat(np.arange(table.input_vc.size), np.diff(table.start))
    address = np.searchsorted(table.first, np.arange(table.input_vc.size), side="right") - 1
    router, taken = vcs.router[table.input_vc[state]], table.value & VC_MASK
    ejects = taken == EJECT
    leaves = network.source[vcs.channel[np.where(ejects, 0, taken)]] if vcs.total else router
    home = network.eject[relation.destination[address[state]]]
    for wrong in state[np.where(ejects, home, leaves) != router][:1].tolist():
        relation.candidates(int(table.input_vc[wrong]), int(address[wrong]))
