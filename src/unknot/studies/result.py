"""What a finished study holds; the report is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unknot.routing.relation import Relation
from unknot.simulation.run.run import Run
from unknot.simulation.traces.replay import Replay
from unknot.verify.delivery import Delivery
from unknot.verify.verdict import Verdict

if TYPE_CHECKING:
    from unknot.studies.study import Design, Study


@dataclass(frozen=True, eq=False)
class DesignResult:
    """One design of a study: its relation, what was proved of it and how it ran.

    Attributes
    ----------
    design : Design
        The validated entry of the study file.
    relation : Relation
    verdict : Verdict
    delivery : Delivery
    certificate_holds : bool or None
        Whether the separate checker accepts the verdict; None when it had nothing to check, or too much.
    replay : Replay or None
        The counterexample replayed in the simulator, when there is one.
    runs : tuple of Run
        Ordered by load, then seed.
    """

    design: Design
    relation: Relation
    verdict: Verdict
    delivery: Delivery
    certificate_holds: bool | None
    replay: Replay | None
    runs: tuple[Run, ...]


@dataclass(frozen=True, eq=False)
class StudyResult:
    """A finished study: the file it was asked in and the result of each design, in file order."""

    study: Study
    designs: tuple[DesignResult, ...]
