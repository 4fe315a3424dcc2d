"""Progress of a study: which points are computed next, kept as they finish, and left out beyond saturation."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from itertools import chain
from threading import TIMEOUT_MAX
from typing import Any

from unknot._base.deadline import Deadline, NoAnswerError
from unknot._base.errors import UnknotError
from unknot._base.progress import Progress, found
from unknot.routing.relation import Relation
from unknot.simulation.run.run import Run, in_brief
from unknot.simulation.run.scenario import Measurement
from unknot.studies.bisection import between
from unknot.studies.packed_results import PackedResults, packed
from unknot.studies.points import (
    Computed,
    Point,
    checked,
    compute,
    compute_in_turn,
    open_proof,
    proof_point,
    read,
    run_point,
)
from unknot.studies.result import DesignResult, Proven, StudyResult
from unknot.studies.store import Store
from unknot.studies.study import Study
from unknot.studies.workers import Calls
from unknot.traffic import Pattern

BATCH_SECONDS = 0.25
"""Time for which a process is given points at once: to send and to keep one takes a few milliseconds."""
Slot = tuple[int, int, int]
"""Load, design and seed of a point by position in the study; load −1 is the proof of the design."""
Batch = dict[Slot, Point]
"""Points that one process computes in turn."""


class Sweep:
    """The state of one run of a study.

    Attributes
    ----------
    done : dict of Slot to Proven or bytes
        Proofs, and texts of runs, `packed` beside that of the first run of their design.
    first : dict of int to bytes
        That text, by design.
    unstable, unsure : set of Slot
        Runs beyond which a search does not go, and those too short to tell.
    last : list of int
        Position of the highest load that each design is to be run at.
    tried : list of list of int
        Positions of the loads at which each design runs, as far as they are known.
    bracket : list of (int, int)
        In a search for saturation, the highest load of each design known as stable, and the lowest known not to be.
    confirmed : list of set of int
        In such a search, loads of each design that run with all seeds; others do with the first.
    spare : list of int
        In such a search, runs of each design that are counted as needed and not begun.
    todo : heap of Slot
        Points that may be computed now, lowest load first.
    seconds : dict of int to float
        How long a run of each design took, the last time.
    counted, needed : int
        Points that are done, and points known to be needed.
    """

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
        self.deadline, self.traffic = deadline, traffic
        settings = study.simulation
        self.flows = [each.flow(own, study.folder) for each, own in zip(study.designs, relations, strict=True)]
        self.loads = settings.load_values() if settings else ()
        self.seeds = settings.seeds if settings else ()
        self.measurement = (
            Measurement(settings.warmup, settings.measure, settings.precision, energy=settings.energy)
            if settings
            else Measurement()
        )
        self.stops = settings is not None and settings.stop_at_saturation
        self.bisects = settings is not None and settings.search == "saturation"
        self.done: dict[Slot, Any] = {}
        self.first: dict[int, bytes] = {}
        self.unstable: set[Slot] = set()
        self.unsure: set[Slot] = set()
        self.last = [len(self.loads) - 1] * len(relations)
        # A run waits for the proof of its design, which says whether packets arrive at all.
        self.todo: list[Slot] = [(-1, index, 0) for index in range(len(relations))]
        self.bracket = [(-1, len(self.loads)) for _ in relations]
        self.tried: list[list[int]] = [[] for _ in relations]
        self.seconds: dict[int, float] = {}
        self.confirmed: list[set[int]] = [set() for _ in relations]
        # Bisection among n loads takes about as many steps as n has binary digits; then come the other seeds at one.
        runs = len(self.loads) * len(self.seeds)
        if self.bisects:
            runs = len(self.loads).bit_length() + len(self.seeds) - 1
        self.spare = [runs for _ in relations]
        self.counted, self.needed = 0, len(relations) * (1 + runs)

    def run(self, workers: Executor, jobs: int) -> None:
        """Compute what the store does not hold, lowest loads first, a few points at a time.

        Raises
        ------
        NoAnswerError
            When the deadline is over and points are missing.
        """
        pending: dict[Future[Computed], Batch] = {}
        calls = Calls(workers)
        try:
            while self.todo or pending:
                if self.deadline.over:
                    raise NoAnswerError
                while len(pending) <= jobs and (batch := self._next_batch()):
                    pending[calls.submit(compute_in_turn, compute, list(batch.values()))] = batch
                done = calls.ended(min(self.deadline.left, TIMEOUT_MAX)) if pending else []
                if any(future.cancelled() and any(map(self._is_needed, pending[future])) for future in done):
                    raise UnknotError(
                        "the cluster that computes points is gone (was its scheduler killed?); finished points "
                        "are kept: start it again, or leave out --dask, and give the same command"
                    )
                self._keep([(pending[future], future.result()) for future in done if not future.cancelled()])
                for future in done:  # not before they are kept: what interrupts that finds them below
                    del pending[future]
                calls.cancel(future for future, batch in pending.items() if not any(map(self._is_needed, batch)))
        except BrokenProcessPool as error:
            raise UnknotError(
                "a worker process was killed (out of memory?); finished points are kept: give the same command, "
                "perhaps with fewer --jobs"
            ) from error
        finally:
            kept = [future for future in pending if not future.cancel() and future.done()]
            self._keep([(pending[future], future.result()) for future in kept if future.exception() is None])

    def result(self) -> StudyResult:
        """What was computed; of each design up to the first load that was not."""
        proofs = ((-1, index, 0) for index in range(len(self.relations)))
        runs = chain.from_iterable(map(self._runs, range(len(self.relations))))
        late = [slot for slot in chain(proofs, runs) if slot not in self.done]
        for load, index, _ in late:
            if self.bisects and load >= 0:
                self.tried[index] = [known for known in self.tried[index] if known != load]
            else:
                self.last[index] = min(self.last[index], load - 1)
        return StudyResult(self.study, tuple(map(self._result, range(len(self.relations)))), bool(late))

    def _is_needed(self, slot: Slot) -> bool:
        """Whether a slot is not past the last load of its design."""
        return slot[0] <= self.last[slot[1]]

    def _next_batch(self) -> Batch:
        """Take the next points that the store does not hold, as many as a process computes in `BATCH_SECONDS`."""
        batch: Batch = {}
        seconds = 0.0
        while self.todo and seconds < BATCH_SECONDS:
            slot = heapq.heappop(self.todo)
            if self._is_needed(slot):
                point = self._point(slot)
                if not self._is_kept(slot, point):
                    batch[slot] = point
                    seconds += self.seconds.get(slot[1], BATCH_SECONDS)
        return batch

    def _runs(self, index: int) -> Iterator[Slot]:
        """Runs of a design at the loads that were tried, lowest first, up to its last."""
        for load in sorted(self.tried[index]):
            if load <= self.last[index]:
                yield from self._slots(index, load)

    def _slots(self, index: int, load: int) -> list[Slot]:
        """The runs at a load; in a search, further seeds only where the load may be the highest stable one."""
        alone = self.bisects and load not in self.confirmed[index]
        return [(load, index, seed) for seed in range(1 if alone else len(self.seeds))]

    def _point(self, slot: Slot) -> Point:
        load, index, seed = slot
        design, relation, folder = self.study.designs[index], self.relations[index], self.study.folder
        if load < 0:
            return proof_point(design, relation, folder, self.study.proof.time_limit, self.flows[index])
        what = self.loads[load], self.seeds[seed], self.measurement
        return run_point(design, relation, folder, *what, self.traffic, self.flows[index])

    def _is_kept(self, slot: Slot, point: Point) -> bool:
        """Take a point from the store, if it is there, can be read, and its evidence holds."""
        text = self.store.get(point.key, point.text)
        if text is None:
            return False
        try:
            outcome = checked(point, self.relations[slot[1]], text)
        except UnknotError as error:
            self.store.drop(point.key, str(error))
            return False
        self._finish(slot, outcome, text, "kept from before")
        return True

    def _keep(self, finished: Sequence[tuple[Batch, Computed]]) -> None:
        """Store computed points in a single commit, because a commit takes as long as some points.

        Raises
        ------
        UnknotError
            What the next point of a batch raised.
        """
        texts = [
            (slot, batch[slot], text) for batch, own in finished for slot, text in zip(batch, own.texts, strict=False)
        ]
        self.store.put_all((point.key, point.text, text) for _, point, text in texts)
        for slot, point, text in texts:
            self._finish(slot, read(point, text), text, "done")
        for batch, own in finished:
            self.seconds |= {index: own.seconds for load, index, _ in batch if load >= 0}
            if own.error is not None:
                raise own.error

    def _finish(self, slot: Slot, outcome: Proven | Run, text: str, how: str) -> None:
        load, index, _ = slot
        if isinstance(outcome, Proven):
            self.done[slot] = outcome
        else:
            self.done[slot] = packed(text, self.first.setdefault(index, text.encode()))
            if not (outcome.stable or outcome.undecided):  # one too short to tell does not end higher loads
                self.unstable.add(slot)
            if outcome.undecided:
                self.unsure.add(slot)
        self.counted += self._is_needed(slot)
        if isinstance(outcome, Proven):
            if not outcome.delivery.delivered:
                self._end_at(index, -1)
            elif self.bisects:
                self._bisect(index)
            else:
                self._try(index, range(len(self.loads)))
        elif self.bisects:
            self._narrow(index, load)
        elif self.stops and slot in self.unstable:
            self._end_at(index, load)
        if self.progress is not None:
            words = in_brief(outcome) if isinstance(outcome, Run) else str(outcome.verdict.established)
            found(f"latest: {words}")
            what = "proof" if load < 0 else f"load {self.loads[load]:g}"
            self.progress(f"{self.study.designs[index].name}, {what}: {how}", self.counted, self.needed)

    def _try(self, index: int, loads: Sequence[int]) -> None:
        """Let a design run at more loads."""
        self.tried[index] += loads
        for load in loads:
            for slot in self._slots(index, load):
                heapq.heappush(self.todo, slot)

    def _bisect(self, index: int) -> None:
        """Try the next load; where there is none, the other seeds."""
        low, high = self.bracket[index]
        before = len(self.todo)
        done = [at for at in self.tried[index] if at < high and (at, index, 0) in self.done]
        load = between(low, high, {at: (at, index, 0) in self.unsure for at in done})
        if load is not None:
            self._try(index, [load])
        elif low >= 0 and low not in self.confirmed[index]:
            self.confirmed[index].add(low)
            for slot in self._slots(index, low)[1:]:
                heapq.heappush(self.todo, slot)
        more = len(self.todo) - before
        self.spare[index] -= more
        # Runs beyond those that were counted are added as they come; at the end those not needed are taken off.
        if more == 0 or self.spare[index] < 0:
            self.needed -= self.spare[index]
            self.spare[index] = 0

    def _narrow(self, index: int, load: int) -> None:
        """Continue the search above a load if all tried seeds are stable, else below."""
        low, high = self.bracket[index]
        slots = self._slots(index, load)
        if any(slot not in self.done for slot in slots):
            return
        if self.unstable.isdisjoint(slots):
            low = max(low, load)
        else:
            below = (at for at in self.tried[index] if at < load and (at, index, 0) not in self.unstable)
            low, high = max(below, default=-1), load
        self.bracket[index] = low, high
        self._bisect(index)

    def _end_at(self, index: int, load: int) -> None:
        """Leave out the loads of a design above one."""
        if load >= self.last[index]:
            return
        self.needed -= self.spare[index] if self.bisects else (self.last[index] - load) * len(self.seeds)
        for above in range(load + 1, self.last[index] + 1):
            self.counted -= sum((above, index, seed) in self.done for seed in range(len(self.seeds)))
        self.last[index] = load

    def _result(self, index: int) -> DesignResult:
        design, relation = self.study.designs[index], self.relations[index]
        done = (-1, index, 0) in self.done
        opened = (design, relation, self.deadline.seconds, self.flows[index])
        proven: Proven = self.done[-1, index, 0] if done else open_proof(*opened)
        runs = PackedResults(Run, [self.done[slot] for slot in self._runs(index)], self.first.get(index, b""))
        return DesignResult(design=design, relation=relation, runs=runs, **vars(proven))
