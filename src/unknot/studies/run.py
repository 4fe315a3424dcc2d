"""Running a study: proofs and runs in parallel, the same result whatever the order."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import suppress
from pathlib import Path

from unknot._base.deadline import NEVER, Deadline, NoAnswerError
from unknot._base.errors import UnknotError
from unknot._base.progress import Progress, with_bar
from unknot._base.threads import processors
from unknot.routing.own import is_code
from unknot.routing.relation import Relation
from unknot.routing.tabulate import FEW
from unknot.studies.load import load_study
from unknot.studies.result import StudyResult
from unknot.studies.store import Note, Store
from unknot.studies.study import Study, builder
from unknot.studies.sweep import Sweep
from unknot.studies.workers import workers
from unknot.traffic import Pattern

SMALL_POINTS = 64
"""Points of a study that one process computes, on threads; a process takes as long to start as a few of them."""
SMALL_CYCLES = 20_000
"""Measured cycles up to which a run takes tenths of a second, with up to `FEW` pairs of input VC and address."""


@with_bar
def run_study(
    study: Study | str | Path,
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    store: str | Path | None = None,
    note: Note | None = None,
    relations: Sequence[Relation] | None = None,
    traffic: Pattern | None = None,
    time_limit: float | Deadline = NEVER,
) -> StudyResult:
    """Prove and simulate every design of a study; points found in the store are not computed again.

    Parameters
    ----------
    study : Study or path
        The study, or its file.
    executor : concurrent.futures.Executor, optional
        Computes the points; by default a pool of processes that lives as long as this call, or of threads for a small
        study. In a script, processes need the usual ``if __name__ == "__main__":``.
    jobs : int, optional
        Points computed at a time; by default the number of cores.
    progress : callable, optional
        Called with what was done, points done, and points known to be needed; see `unknot._base.progress`.
    store : path, optional
        The SQLite file; by default the study's path with the suffix ``.sqlite``, and memory for a study without path.
    note : callable, optional
        Called with one sentence about damage found in the store, and about evidence in it that does not hold, whose
        points are computed again; by default the sentence is logged as a warning.
    relations : sequence of Relation, optional
        The relation of each design, where its texts do not say which.
    traffic : Pattern, optional
        The traffic of all designs, in place of what their texts say.
    time_limit : float
        Seconds for all of it; then points that are not done are left out, and `StudyResult.cut_short` says so.

    Returns
    -------
    StudyResult
        Does not depend on executor, jobs, order of completion, or on what was in the store. A design whose packets do
        not all arrive has no runs.

    Raises
    ------
    UnknotError
        If the study is wrong, the store is unusable, or a rule or run fails.
    KeyboardInterrupt
        When interrupted, by SIGINT or SIGTERM; processes of the default pool are stopped, finished points are in the
        store.

    Examples
    --------
    >>> from unknot.studies import Design, Simulation, Study
    >>> ring = Design(name="ring", network="ring(4)", routing="dimension_order", vcs=2)
    >>> study = Study(designs=(ring,), simulation=Simulation(loads=(0.1, 0.2), warmup=50, measure=100))
    >>> (outcome,) = run_study(study).designs
    >>> [(run.offered_load, run.stable) for run in outcome.runs]
    [(0.1, True), (0.2, True)]
    """
    study = study if isinstance(study, Study) else load_study(study)
    if jobs is not None and not (isinstance(jobs, int) and jobs >= 1):
        raise UnknotError(f"at least 1 job is needed, got {jobs!r}")
    jobs = jobs or processors()
    deadline = Deadline.of(time_limit, "study", UnknotError)
    if store is None and study.path is not None:
        store = default_store(study.path)
    if relations is None:
        relations = list(map(builder(study.folder, simulated=study.simulation is not None), study.designs))
    small = _is_small(study, relations)
    with Store(store, note=note) as kept:
        sweep = Sweep(study, relations, traffic, kept, progress, deadline)
        with suppress(NoAnswerError), workers(executor, jobs, threads=small) as pool:
            sweep.run(pool, jobs)
        return sweep.result()


def _is_small(study: Study, relations: Sequence[Relation]) -> bool:
    """Whether a study is done sooner than processes have started that help.

    Code of a user and runs to a precision, which may last, are left to processes, which can be stopped.
    """
    settings = study.simulation
    points = len(study.designs) * (1 if settings is None else 1 + len(settings.load_values()) * len(settings.seeds))
    short = settings is None or (settings.precision is None and (settings.measure or 0) <= SMALL_CYCLES)
    few = all(relation.vcs.router.size * relation.num_addresses <= FEW for relation in relations)
    return (
        points <= SMALL_POINTS
        and short
        and few
        and not any(is_code(text) for d in study.designs for text in (d.routing, d.switching))
    )


def default_store(path: str | Path) -> Path:
    """The store beside a study file."""
    return Path(path).with_suffix(".sqlite")
