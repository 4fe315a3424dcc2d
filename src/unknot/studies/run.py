"""Running a study: proofs and runs in parallel, kept as they finish, the same result whatever the order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from threading import TIMEOUT_MAX
from typing import Any

from unknot._base.background import NoAnswerError
from unknot._base.deadline import NEVER, Deadline
from unknot._base.errors import UnknotError
from unknot._base.progress import Progress, with_bar
from unknot._base.threads import processors
from unknot.routing.own import is_code
from unknot.routing.relation import Relation
from unknot.routing.tabulate import FEW
from unknot.simulation.run.run import Run
from unknot.studies.load import load_study
from unknot.studies.points import Point, Proven, checked, compute, proof_point, read, run_point
from unknot.studies.result import DesignResult, StudyResult
from unknot.studies.store import Note, Store
from unknot.studies.study import Builder, Study
from unknot.studies.workers import workers
from unknot.traffic import Pattern
from unknot.verify import check
from unknot.verify.delivery import NOT_FOLLOWED

SMALL_POINTS = 64
"""Points of a study that one process computes, on threads; a process takes as long to start as a few of them."""
SMALL_CYCLES = 20_000
"""Measured cycles up to which a run takes tenths of a second, with up to `FEW` pairs of input VC and address."""
Slot = tuple[int, int, int]
"""Load, design and seed of a point by position in the study; load −1 is the proof of the design."""


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
    """
    study = study if isinstance(study, Study) else load_study(study)
    if jobs is not None and not (isinstance(jobs, int) and jobs >= 1):
        raise UnknotError(f"at least 1 job is needed, got {jobs!r}")
    jobs = jobs or processors()
    deadline = Deadline.of(time_limit, "study", UnknotError)
    if store is None and study.path is not None:
        store = default_store(study.path)
    if relations is None:
        relations = list(map(Builder(study.folder, simulated=study.simulation is not None), study.designs))
    small = _is_small(study, relations)
    with Store(store, note=note) as kept:
        sweep = _Sweep(study, relations, traffic, kept, progress, deadline)
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
    return points <= SMALL_POINTS and short and few and not any(is_code(d.routing) for d in study.designs)


def default_store(path: str | Path) -> Path:
    """The store beside a study file."""
    return Path(path).with_suffix(".sqlite")


class _Sweep:
    """The state of one run of a study."""

    def __init__(
        self,
        study: Study,
        relations: Sequence[Relation],
        traffic: Pattern | None,
        store: Store,
        progress: Progress | None,
        deadline: Deadline,
    ) -> None:
        self.study, self.relations, self.store, self.progress = study, relations, store, progress
        self.deadline = deadline
        self.traffic = traffic
        settings = study.simulation
        self.loads = settings.load_values() if settings else ()
        self.seeds = settings.seeds if settings else ()
        self.cycles = (settings.warmup, settings.measure, settings.precision) if settings else (None, None, None)
        self.stops = settings is not None and settings.stop_at_saturation
        self.done: dict[Slot, Any] = {}
        self.last = [len(self.loads) - 1] * len(relations)

    def run(self, workers: Executor, jobs: int) -> None:
        """Compute what the store does not hold, lowest loads first, a few points at a time.

        Raises
        ------
        NoAnswerError
            When the deadline is over and points are missing.
        """
        todo = sorted(self._slots())
        pending: dict[Future[str], Slot] = {}
        try:
            while todo or pending:
                if self.deadline.over:
                    raise NoAnswerError
                while len(pending) <= jobs and (slot := next(filter(self._ready, todo), None)):
                    todo.remove(slot)
                    if not self._found(slot):
                        pending[workers.submit(compute, self._point(slot))] = slot
                todo = [slot for slot in todo if self._wanted(slot)]
                left = min(self.deadline.left, TIMEOUT_MAX)
                for future in wait(pending, left, return_when=FIRST_COMPLETED).done if pending else ():
                    if not future.cancelled():
                        self._keep(pending[future], future.result())
                    elif self._wanted(pending[future]):
                        raise UnknotError(
                            "the cluster that computes points is gone (was its scheduler killed?); finished points "
                            "are kept: start it again, or leave out --dask, and give the same command"
                        )
                    del pending[future]  # not before it is kept: what interrupts that finds it below
                for future, slot in pending.items():
                    if not self._wanted(slot):
                        future.cancel()
        except BrokenProcessPool as error:
            raise UnknotError(
                "a worker process was killed (out of memory?); finished points are kept: give the same command, "
                "perhaps with fewer --jobs"
            ) from error
        finally:
            for future, slot in pending.items():
                if not future.cancel() and future.done() and future.exception() is None:
                    self._keep(slot, future.result())

    def result(self) -> StudyResult:
        """What was computed; of each design up to the first load that was not."""
        late = [slot for slot in self._slots() if self._wanted(slot) and slot not in self.done]
        for load, index, _ in late:
            self.last[index] = min(self.last[index], load - 1)
        return StudyResult(self.study, tuple(map(self._result, range(len(self.relations)))), bool(late))

    def _wanted(self, slot: Slot) -> bool:
        """Whether a slot is not past the last load of its design."""
        return slot[0] <= self.last[slot[1]]

    def _ready(self, slot: Slot) -> bool:
        """Whether a slot may be computed now: runs wait for the proof, which says whether packets arrive at all."""
        return self._wanted(slot) and (slot[0] < 0 or (-1, slot[1], 0) in self.done)

    def _slots(self) -> Iterator[Slot]:
        for design in range(len(self.relations)):
            yield -1, design, 0
            for load in range(len(self.loads)):
                for seed in range(len(self.seeds)):
                    yield load, design, seed

    def _point(self, slot: Slot) -> Point:
        load, index, seed = slot
        design, relation, folder = self.study.designs[index], self.relations[index], self.study.folder
        if load < 0:
            return proof_point(design, relation, folder, self.study.proof.time_limit)
        what = self.loads[load], self.seeds[seed], *self.cycles
        return run_point(design, relation, folder, *what, traffic=self.traffic)

    def _found(self, slot: Slot) -> bool:
        """Take a point from the store, if it is there, can be read, and its evidence holds."""
        point = self._point(slot)
        text = self.store.get(point.key)
        if text is None:
            return False
        try:
            result = checked(point, self.relations[slot[1]], text)
        except UnknotError as error:
            self.store.drop(point.key, str(error))
            return False
        self._finish(slot, result, "kept from before")
        return True

    def _keep(self, slot: Slot, text: str) -> None:
        """Store a point that was computed, and commit it."""
        point = self._point(slot)
        self.store.put(point.key, point.text, text)
        self._finish(slot, read(point, text), "done")

    def _finish(self, slot: Slot, result: Proven | Run, how: str) -> None:
        load, index, _ = slot
        self.done[slot] = result
        if isinstance(result, Proven):
            if not result.delivery.delivered:
                self.last[index] = -1
        elif not (result.stable or result.undecided) and self.stops:
            self.last[index] = min(self.last[index], load)
        if self.progress is not None:
            what = "proof" if load < 0 else f"load {self.loads[load]:g}"
            total = len(self.last) + sum(last + 1 for last in self.last) * len(self.seeds)
            counted = sum(self._wanted(done) for done in self.done)
            self.progress(f"{self.study.designs[index].name}, {what}: {how}", counted, total)

    def _result(self, index: int) -> DesignResult:
        proven: Proven = self.done.get((-1, index, 0)) or self._open(index)
        runs = [
            self.done[load, index, seed] for load in range(self.last[index] + 1) for seed in range(len(self.seeds))
        ]
        return DesignResult(
            design=self.study.designs[index],
            relation=self.relations[index],
            verdict=proven.verdict,
            delivery=proven.delivery,
            certificate_holds=proven.certificate_holds,
            replay=proven.replay,
            runs=tuple(runs),
        )

    def _open(self, index: int) -> Proven:
        """What is known of a design whose proof was not done in time."""
        over = Deadline(self.deadline.seconds, 0.0)
        verdict = check(self.relations[index], self.study.designs[index].switching, time_limit=over)
        return Proven(verdict, NOT_FOLLOWED, None, None)
