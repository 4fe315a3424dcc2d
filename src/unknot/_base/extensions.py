"""Extensions: what installed packages bring by their entry points, found and loaded when it is used.

A package declares them in groups ``unknot.KIND``, one for each of `KINDS`. Reading the metadata of all installed
packages takes longer than a small proof, so nothing is read before a name is asked for that the core has not.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module, util
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from unknot._base.errors import ExtensionError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

KINDS = (
    "topologies",
    "routings",
    "flow_controls",
    "formats",
    "patterns",
    "orders",
    "commands",
    "answers",
    "claims",
    "runs",
    "names",
    "checkers",
    "routing_files",
    "defaults",
)
T = TypeVar("T")

DESIGNERS: dict[str, Callable[[], Callable[..., Any]]] = {}
"""Routings that a search designs, by name, each with what loads it; `unknot/__init__.py` enters them."""


class Catalogue(Mapping[str, T]):
    """Parts of the core by name, then parts of extensions; each extension is loaded on first use.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    core : mapping of str to object
        They win over extensions of the same name, which are named in a warning.
    of : type
        What an entry point must lead to.
    """

    def __init__(self, kind: str, core: Mapping[str, T], of: Any = Callable) -> None:
        self.kind, self.core, self.of = kind, core, of

    def __getitem__(self, name: str) -> T:
        if name in self.core:
            return self.core[name]
        first, *others = self.extensions()[name]
        try:
            if others:
                raise ImportError(f"{described(others[0])} has the same name: uninstall one of them")
            part = first.load()
            if not isinstance(part, self.of):
                raise TypeError(f"it leads to {part!r:.80}, which cannot be one of the {self.kind}")
        except (Exception, SystemExit) as error:
            raise ExtensionError(f"{described(first)} is of no use: {type(error).__name__}: {error}") from error
        loaded: T = part
        return loaded

    def __contains__(self, name: object) -> bool:
        return name in self.core or name in self.extensions()

    def __iter__(self) -> Iterator[str]:
        yield from self.core
        yield from self.extensions()

    def __len__(self) -> int:
        return len(self.core) + len(self.extensions())

    def usable(self) -> Iterator[tuple[str, T]]:
        """Names and parts, for listings: a warning names an extension that cannot be loaded."""
        for name in self:
            try:
                yield name, self[name]
            except ExtensionError as error:
                warnings.warn(str(error), stacklevel=2)

    def extensions(self) -> dict[str, list[EntryPoint]]:
        """The entry points of names that the core has not; more than one where packages clash."""
        points = _installed(self.kind)
        for name in points.keys() & self.core.keys():
            taken = described(points[name][0])
            warnings.warn(f"{taken} is not used: Unknot itself has this name; choose another", stacklevel=2)
        return {name: every for name, every in points.items() if name not in self.core}


@cache
def _points() -> Any:
    from importlib.metadata import entry_points

    return entry_points()


@cache
def _installed(kind: str) -> dict[str, list[EntryPoint]]:
    points: dict[str, list[EntryPoint]] = {}
    for point in sorted(_points().select(group=f"unknot.{kind}"), key=lambda point: (point.name, point.value)):
        points.setdefault(point.name, []).append(point)
    return points


def named(name: str) -> EntryPoint | None:
    """The entry point of a documented name, as ``unknot.simulation.execute``; None where nobody has it."""
    points = _installed("names").get(name.removeprefix("unknot.")) if name.startswith("unknot.") else None
    return points[0] if points else None


def described(point: EntryPoint) -> str:
    """An entry point and the package that declares it."""
    package = point.dist.name if point.dist is not None else point.value
    return f"extension {package}: entry point {point.name} = {point.value} of {point.group}"


def heading(point: EntryPoint) -> str:
    """The first line of the docstring of the package that an entry point leads to, or its name."""
    root = point.value.partition(":")[0].partition(".")[0]
    return (import_module(root).__doc__ or root).strip().splitlines()[0].rstrip(".")


def folders() -> list[Path]:
    """The folders of all packages with extensions, for digests of their code."""
    points = (point for kind in KINDS for every in _installed(kind).values() for point in every)
    specs = (util.find_spec(root) for root in sorted({point.module.partition(".")[0] for point in points}))
    return [Path(place) for spec in specs if spec for place in spec.submodule_search_locations or ()]


def author_of(error: BaseException) -> str:
    """Return whose code raised an error: Unknot's, or an extension's with its description."""
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        root = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if root == "unknot":
            break
        for kind in KINDS:
            for point in (point for every in _installed(kind).values() for point in every):
                if point.module.partition(".")[0] == root and point.dist and point.dist.name != "unknot":
                    return f"the {described(point)}"
    return "Unknot"
