"""Study files, sweeps, the store of results and the processes that compute them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.exports import exports

if TYPE_CHECKING:
    from unknot.studies.load import StudyError as StudyError
    from unknot.studies.load import load_study as load_study
    from unknot.studies.load_curve import curve as curve
    from unknot.studies.result import DesignResult as DesignResult
    from unknot.studies.result import StudyResult as StudyResult
    from unknot.studies.run import run_study as run_study
    from unknot.studies.study import Design as Design
    from unknot.studies.study import Simulation as Simulation
    from unknot.studies.study import Study as Study

__getattr__, __dir__ = exports(__name__)
__all__ = __dir__()
