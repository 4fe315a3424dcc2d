"""Public names of a package, imported when they are first asked for."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from os.path import exists
from types import ModuleType
from typing import TYPE_CHECKING, Any

from unknot._base.extensions import named

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


_NAME = re.compile(r"^    from (\S+) import (\w+) as \2$", re.M)
"""A public name, as a package imports it for type checkers alone."""


class _Package(ModuleType):
    """A package whose public names stay bound when a module of the same name is imported."""

    def __setattr__(self, name: str, part: Any) -> None:
        if not isinstance(part, ModuleType) or name not in self.__dict__.get("__all__", ()):
            super().__setattr__(name, part)


def exports(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package that imports its public names when they are first asked for.

    They are those that its source imports ``if TYPE_CHECKING``, each in a line ``from module import name as name``;
    others are looked for among entry points.

    Parameters
    ----------
    package : str
        Its `__name__`.

    Examples
    --------
    >>> load, names = exports("unknot.studies")
    >>> "run_study" in names(), load("run_study").__module__
    (True, 'unknot.studies.run')
    """
    module: Any = sys.modules[package]
    home = {name: source for source, name in _NAME.findall(module.__loader__.get_source(package) or "")}
    module.__class__ = _Package

    def load(name: str) -> Any:
        if name in home:
            loaded = getattr(import_module(home[name]), name)
        elif (point := _plugged(module, name)) is not None:
            loaded = point.load()
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module.__dict__[name] = loaded
        return loaded

    return load, lambda: sorted(home)


def _plugged(package: ModuleType, name: str) -> EntryPoint | None:
    """The entry point of a name; no metadata is read for what Python asks of every module, and for files here."""
    files = (f"{folder}/{name}{ending}" for folder in package.__path__ for ending in ("", ".py"))
    return None if name[0] == "_" or any(map(exists, files)) else named(f"{package.__name__}.{name}")
