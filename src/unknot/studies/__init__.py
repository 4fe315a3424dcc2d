"""Study files, sweeps, the store of results and the processes that compute them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.later import exports

if TYPE_CHECKING:
    from unknot.studies.curves import curve as curve
    from unknot.studies.design import network as network
    from unknot.studies.design import routing as routing
    from unknot.studies.load import StudyError as StudyError
    from unknot.studies.load import load_study as load_study
    from unknot.studies.result import DesignResult as DesignResult
    from unknot.studies.result import StudyResult as StudyResult
    from unknot.studies.run import run_study as run_study
    from unknot.studies.study import Design as Design
    from unknot.studies.study import Proof as Proof
    from unknot.studies.study import Ramp as Ramp
    from unknot.studies.study import Simulation as Simulation
    from unknot.studies.study import Study as Study

__getattr__, __dir__ = exports(
    __name__,
    {
        "curves": ("curve",),
        "design": ("network", "routing"),
        "load": ("StudyError", "load_study"),
        "result": ("DesignResult", "StudyResult"),
        "run": ("run_study",),
        "study": ("Design", "Proof", "Ramp", "Simulation", "Study"),
    },
)
__all__ = __dir__()
