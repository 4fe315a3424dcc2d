"""Old import paths: they work for one release, with a warning that names the new place."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

MODULES = {
    "unknot.background": "unknot._base.deadline",
    "unknot.deadline": "unknot._base.deadline",
    "unknot.errors": "unknot._base.errors",
    "unknot.input": "unknot._base.input",
    "unknot.switching": "unknot._base.switching",
    "unknot.units": "unknot._base.units",
    "unknot.answers": "unknot.cli.answers",
    "unknot.topologies": "unknot.network.families",
    "unknot.tod": "unknot.network.tod",
    "unknot.testing": "unknot.verify.testing",
    "unknot.multicast": "unknot.traffic.collectives",
    "unknot.synthesis": "unknot.lanes",
    "unknot.synthesis.rules": "unknot.design",
    "unknot.synthesis.rules.judge": "unknot.design.decision",
    "unknot.itm": "unknot_papers.itm",
    "unknot.report.mesh_drawing": "unknot_papers.itm.escape_layer",
    "unknot.topologies.itm": "unknot_papers.itm.topology",
    "unknot.multistage": "unknot_papers.multistage",
    "unknot.verify.directions": "unknot_papers.bnr.table",
    "unknot.checker": "unknot.certificates",
    "unknot.verify.verdict": "unknot.certificates.verdict",
}
"""New modules of old ones that the docs named; the modules inside a package move with it."""
NAMES = {
    "unknot.report": {
        "draw_bnr": "unknot_papers.bnr.drawing",
        "draw_realisation": "unknot_papers.multistage.drawing",
    },
    "unknot.routing": {"itm_escape": "unknot_papers.itm", "rcbn_tags": "unknot_papers.rcbn"},
    "unknot.network.families": {
        "itm": "unknot_papers.itm",
        **dict.fromkeys(("rcbn", "composite_banyan", "augmented_composite_banyan"), "unknot_papers.rcbn"),
    },
    "unknot.simulation": dict.fromkeys(("Bursts", "Message", "TrafficClass"), "unknot.traffic"),
    "unknot.studies": {
        "curve": "unknot",
        "network": "unknot.fabrics.named",
        "routing": "unknot.routing.named",
        "Proof": "unknot.studies.study",
    },
    "unknot.verify": {
        **dict.fromkeys(("Bnr", "Conclusion", "bnr", "conclude"), "unknot_papers.bnr"),
        **dict.fromkeys(("Certificate", "Configuration", "Message", "Verdict"), "unknot.certificates"),
    },
}
"""New modules of names that packages exported."""
SPREAD = {
    "unknot.checker": {"accept": "unknot.certificates:accept_verdict"},
    "unknot.multicast": {"execute": "unknot.simulation:execute"},
    "unknot.synthesis.rules": {"judge": "unknot.design:decide", "Judged": "unknot.design:Decision"},
    "unknot.synthesis": {
        **{name: f"unknot.design:{name}" for name in ("Design", "Rule", "design", "every_size")},
        **{
            name: f"unknot.repair:{name}"
            for name in (
                *("ChangeBound", "Escaped", "PruneBound", "Pruned", "Relaned", "Remedy", "RepairedFault", "Rerouted"),
                *("Unprunable", "accept_changes", "accept_removed", "escaped", "relaned", "repair"),
                "repaired_faults",
            )
        },
        **{name: f"unknot.repair.{name}:{name}" for name in ("pruned", "rerouted")},
        "paths_of": "unknot.lanes.tables:paths_of",
        "entries": "unknot.report.export:entries",
        "export": "unknot.report.export:export",
    },
}
"""New places of what moved packages exported, where it is not in the new package under its old name."""


def new_place(module: str) -> str | None:
    """Return where a module is now; None if it was not moved.

    Examples
    --------
    >>> new_place("unknot.itm.recognise"), new_place("unknot.network")
    ('unknot_papers.itm.recognise', None)
    """
    package, inner = module, ""
    while package:
        if package in MODULES:
            return MODULES[package] + inner
        package, _, last = package.rpartition(".")
        inner = f".{last}{inner}"
    return None


class _Moved(ModuleType):
    """A module at its old place; called, it is the function of its name, which its package exported."""

    def __getattr__(self, name: str) -> Any:
        elsewhere = SPREAD.get(self.__name__, {}).get(name)
        return resolve_name(elsewhere) if elsewhere else getattr(import_module(new_place(self.__name__) or ""), name)

    def __call__(self, *values: Any, **options: Any) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])(*values, **options)


class Finder:
    """Importer that is asked last, for modules that nothing else finds."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        new = new_place(name)
        try:
            if new is None or find_spec(new) is None:
                return None
        except ModuleNotFoundError:
            return None
        import_module(new)
        warnings.warn(f"{name} is now {new}", DeprecationWarning, stacklevel=2)
        return ModuleSpec(name, Finder, is_package=True)  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        module = _Moved(spec.name)
        module.__path__ = []  # that of the new place would have its files loaded a second time, under old names
        return module

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Leave the module as it is: it looks everything up."""


def names_of(package: str, depth: int = 1) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package, for names that it has no more; or what that one calls, with depth 2."""

    def moved_name(name: str) -> Any:
        new = NAMES.get(package, {}).get(name)
        if new is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        warnings.warn(f"{package}.{name} is now {new}.{name}", DeprecationWarning, stacklevel=depth + 1)
        return getattr(import_module(new), name)

    return moved_name
