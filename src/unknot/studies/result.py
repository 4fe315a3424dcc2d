"""Results of a study: what was proved of each design, and its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unknot._base.frames import Tabular
from unknot._base.shown import Shown, curves
from unknot._base.three_valued import ThreeValued, all_hold
from unknot.certificates.verdict import Verdict
from unknot.routing.relation import Relation
from unknot.simulation.run.backlog import CARRIED, TOO_SHORT
from unknot.simulation.run.difference import LatencyDifference
from unknot.simulation.run.run import Run
from unknot.simulation.traces.replay import Replay
from unknot.verify.delivery import Delivery

if TYPE_CHECKING:
    from unknot._base.units import Units
    from unknot.report.picture import Drawing
    from unknot.studies.study import Design, Study


@dataclass(frozen=True)
class Proven(ThreeValued, asks="holds"):
    """What was proved of a design, as it is stored.

    Attributes
    ----------
    verdict : Verdict
    delivery : Delivery
    certificate_holds : bool or None
        Whether the separate checker accepts the verdict; None when it had nothing to check, or too much.
    replay : Replay or None
        The counterexample replayed in the simulator, when there is one.
    """

    verdict: Verdict
    delivery: Delivery
    certificate_holds: bool | None
    replay: Replay | None

    @property
    def holds(self) -> bool | None:
        """Whether the design is deadlock-free, the proof holds, and every pair is delivered; None: open."""
        return all_hold((self.verdict.deadlock_free, self.certificate_holds is not False, self.delivery.delivered))


@dataclass(frozen=True, eq=False, repr=False)
class DesignResult(Proven, Tabular, Shown):
    """A design of a study: its relation, its proof and its runs.

    Attributes
    ----------
    verdict, delivery, certificate_holds, replay :
        As of `Proven`.
    design : Design
        The validated entry of the study file.
    relation : Relation
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
    runs: Sequence[Run]

    def __repr__(self) -> str:
        return f"<DesignResult {self.design.name}: {self.verdict!r}, {len(self.runs)} runs>"

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """Each run in plain values, the name of the design and its verdict in front."""
        head: dict[str, Any] = {"design": self.design.name, "deadlock_free": self.verdict.deadlock_free}
        return tuple(head | run for each in self.runs for run in each.rows)

    @property
    def saturation(self) -> tuple[float, float] | None:
        """The loads between which the design saturates, a 95 % interval; None if no run is surely not carried.

        It goes from the highest load at which all runs are stable, less `CARRIED`, to the lowest that is not carried.
        """
        runs = [(run.offered_load, run.outcome) for run in self.runs]
        upper = min((load for load, outcome in runs if outcome not in ("stable", TOO_SHORT)), default=None)
        if upper is None:
            return None
        doubt = {load for load, outcome in runs if outcome != "stable"}
        stable = max((load for load, _ in runs if load < upper and load not in doubt), default=0.0)
        return stable / (1 + CARRIED), upper

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
    differences : tuple of LatencyDifference
        By how much the designs of a curve differ from the first, at each load that both carry, where that was asked.

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
    differences: tuple[LatencyDifference, ...] = ()

    def __repr__(self) -> str:
        runs = sum(len(each.runs) for each in self.designs)
        return f"<StudyResult {self.study.title or 'study'}: {len(self.designs)} designs, {runs} runs>"

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """The rows of all designs, in file order."""
        return tuple(row for each in self.designs for row in each.rows)

    def plot(self, *, units: Units | str | None = None) -> Drawing:
        """Latency and accepted load against offered load, as `unknot.report.draw_curves` draws them."""
        drawn: Drawing = curves({each.design.name: each.runs for each in self.designs if each.runs}, units=units)
        return drawn
