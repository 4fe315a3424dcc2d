"""Documented names below `unknot` whose packages stand beside the core: entry points of the group ``unknot.names``.

Users import ``unknot.traffic.collectives`` or call ``unknot.simulation.execute`` wherever the code is.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any

from unknot._base.extensions import named


class _Alias(Loader):
    """Gives a module a second name: the same object, no copy."""

    def __init__(self, real: str) -> None:
        self.real = real

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self.real)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec


class Inside:
    """Finds modules inside a package that has a second name; stands first, or Python would load them twice."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """Return the spec of ``unknot.traffic.collectives.msccl`` and the like."""
        parent, _, last = name.rpartition(".")
        real = sys.modules[parent].__name__ if parent.startswith("unknot") else parent
        return None if real == parent else spec_from_loader(name, _Alias(f"{real}.{last}"))


class Plugged:
    """Finds packages by entry points; stands last, as metadata is read for what nobody else has."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """Return the spec of ``unknot.traffic.collectives`` and the like."""
        point = named(name)
        return None if point is None or point.attr else spec_from_loader(name, _Alias(point.module))


def find_names() -> None:
    """Let Python find these modules."""
    sys.meta_path.insert(0, Inside)
    sys.meta_path.append(Plugged)
