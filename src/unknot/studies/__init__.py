"""Study files, sweeps, the store of results and the processes that compute them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unknot.studies.curves import curve
    from unknot.studies.design import network, routing
    from unknot.studies.load import StudyError, load_study
    from unknot.studies.result import DesignResult, StudyResult
    from unknot.studies.run import run_study
    from unknot.studies.study import Design, Proof, Ramp, Simulation, Study

_HOMES = {
    "unknot.studies.curves": ("curve",),
    "unknot.studies.design": ("network", "routing"),
    "unknot.studies.load": ("StudyError", "load_study"),
    "unknot.studies.result": ("DesignResult", "StudyResult"),
    "unknot.studies.run": ("run_study",),
    "unknot.studies.study": ("Design", "Proof", "Ramp", "Simulation", "Study"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Design",
    "DesignResult",
    "Proof",
    "Ramp",
    "Simulation",
    "Study",
    "StudyError",
    "StudyResult",
    "curve",
    "load_study",
    "network",
    "routing",
    "run_study",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: pydantic is not needed to build one network."""
    import importlib

    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'unknot.studies' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
