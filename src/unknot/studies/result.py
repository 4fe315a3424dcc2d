"""Results of a finished study, from which the report is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unknot._base.output import Row, Tabular
from unknot._base.shown import Shown, curves
from unknot.certificates.verdict import Verdict
from unknot.routing.relation import Relation
from unknot.simulation.run.run import Run
from unknot.simulation.traces.replay import Replay
from unknot.verify.delivery import Delivery

if TYPE_CHECKING:
    from unknot._base.units import Units
    from unknot.report.picture import Drawing
    from unknot.studies.study import Design, Study


@dataclass(frozen=True, eq=False, repr=False)
class DesignResult(Tabular, Shown):
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
    runs : sequence of Run
        Ordered by load, then seed; each is made anew whenever it is looked at.

    Examples
    --------
    >>> from unknot.studies import Design, Study, run_study
    >>> ring = Design(name="ring", network="ring(4)", routing="dimension_order", vcs=1)
    >>> (outcome,) = run_study(Study(designs=(ring,))).designs
    >>> outcome.verdict.deadlock_free, outcome.certificate_holds, outcome.replay.stuck
    (False, True, True)
    """

    design: Design
    relation: Relation
    verdict: Verdict
    delivery: Delivery
    certificate_holds: bool | None
    replay: Replay | None
    runs: Sequence[Run]

    def __repr__(self) -> str:
        return f"<DesignResult {self.design.name}: {self.verdict!r}, {len(self.runs)} runs>"

    @property
    def rows(self) -> tuple[Row, ...]:
        """Each run in plain values, the name of the design and its verdict in front."""
        head: Row = {"design": self.design.name, "deadlock_free": self.verdict.deadlock_free}
        return tuple(head | run for each in self.runs for run in each.rows)

    @property
    def stable_up_to(self) -> float | None:
        """Highest load at which all runs are stable; None if there is none."""
        stable: dict[float, bool] = {}
        for run in self.runs:
            stable[run.offered_load] = run.stable and stable.get(run.offered_load, True)
        return max((load for load, every in stable.items() if every), default=None)


@dataclass(frozen=True, eq=False, repr=False)
class StudyResult(Tabular, Shown):
    """A study and the result of each of its designs.

    Attributes
    ----------
    study : Study
    designs : tuple of DesignResult
        In file order.
    cut_short : bool
        Whether a time limit ended it.

    Examples
    --------
    >>> from unknot.studies import Design, Study, run_study
    >>> ring = Design(name="ring", network="ring(4)", routing="dimension_order", vcs=2)
    >>> outcome = run_study(Study(designs=(ring,)))
    >>> [design.verdict.deadlock_free for design in outcome.designs], outcome.cut_short
    ([True], False)
    """

    study: Study
    designs: tuple[DesignResult, ...]
    cut_short: bool = False

    def __repr__(self) -> str:
        runs = sum(len(each.runs) for each in self.designs)
        return f"<StudyResult {self.study.title or 'study'}: {len(self.designs)} designs, {runs} runs>"

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of all designs, in file order."""
        return tuple(row for each in self.designs for row in each.rows)

    def plot(self, *, units: Units | str | None = None) -> Drawing:
        """Latency and accepted load against offered load, as `unknot.report.draw_curves` draws them."""
        drawn: Drawing = curves({each.design.name: each.runs for each in self.designs if each.runs}, units=units)
        return drawn
