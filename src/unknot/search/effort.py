"""Limits of a search, and annealing within them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from unknot._base.deadline import Deadline, clock
from unknot._base.phrases import count
from unknot._base.progress import Progress, found
from unknot._base.work import spend

T = TypeVar("T")
CHUNK = 1 << 14
"""Most moves between two looks at the clock."""
WORK = 1 << 26
"""Most words that are worked out between two looks at the clock, if every move changes all."""
PAUSE = 0.1
"""Share of its time that an annealing may be late before it cools faster."""
SEEDS = 1000
"""Distance of the seeds of orders that are drawn anew."""
SEARCHING = 0.7
"""Share of the time that is for the search; the rest is for the choice of routes of low load."""
CHOOSING = 8e-8
"""Seconds for each hop of all routes together, to choose them."""
LAST = 0.5
"""Seconds for that choice after Ctrl-C."""
MOVE = 1e-6
"""Seconds of work of a move, if nothing else is said."""
LP_SHARE, LP_SECONDS = 0.4, 20.0
"""Share of the time that is left, and the most seconds, for the linear program of a bound on the load."""
ENOUGH = 1 + 1e-9
"""Highest load over its lower bound at which a search ends."""


def random_state(*seed: int, streams: int = 1) -> npt.NDArray[np.uint64]:
    """Begin streams of random numbers of kernels."""
    return np.random.default_rng(seed).integers(2**63, size=streams).astype(np.uint64)


class AnnealingStep(NamedTuple):
    """A step of an annealing: its moves, and the temperatures at its beginning and at its end."""

    moves: int
    hot: float
    cold: float


@dataclass
class SearchEffort:
    """Limits of a search, and what it spent and found so far.

    Attributes
    ----------
    deadline : float
        By `unknot._base.deadline.clock`, which stands still for a while when Numba compiles.
    seed : int
    progress : callable, optional
        Called with what is being tried, see `unknot._base.progress`.
    moves : int
        Made so far.
    most_moves : float
        Moves that may be made.
    hurried : bool
        Something ended or cooled sooner than without a time limit.
    interrupted : bool
        By Ctrl-C: the best so far was kept.
    tried : dict
        For each number of lanes that was not enough the rounds spent, and the fewest pairs that were left.
    disagreements : list of str
        Questions to which search and checker have different answers.
    history : list of (float, int)
        Seconds after which orders of a number of lanes were found.
    began : float
        By `unknot._base.deadline.clock`, which stands still for a while when Numba compiles.
    """

    deadline: float = float("inf")
    seed: int = 0
    progress: Progress | None = None
    moves: int = 0
    most_moves: float = float("inf")
    hurried: bool = False
    interrupted: bool = False
    tried: dict[int, tuple[int, int]] = field(default_factory=dict)
    disagreements: list[str] = field(default_factory=list)
    history: list[tuple[float, int]] = field(default_factory=list)
    began: float = field(default_factory=clock)

    @property
    def over(self) -> bool:
        return clock() >= self.deadline

    def each(self, planned: int, walkers: int) -> int:
        """Moves of each walker in a round: as planned, or a share of what is left."""
        return int(min(planned, max(0.0, self.most_moves - self.moves) // walkers))

    @property
    def stopped(self) -> bool:
        """Whether the time is over, or Ctrl-C ended the search."""
        return self.over or self.interrupted

    @property
    def limit(self) -> Deadline:
        """The same deadline for work that is no part of the search."""
        return Deadline(self.deadline - self.began, self.deadline)

    @property
    def bounding(self) -> float:
        """Seconds for the linear program of a bound on the load."""
        return min(LP_SECONDS, LP_SHARE * self.limit.left)

    @property
    def complete(self) -> bool:
        """Whether all ended by itself, not by the time limit or Ctrl-C."""
        return not (self.hurried or self.over or self.interrupted)

    def finish_by(self, deadline: float) -> None:
        """Set the deadline of what comes after the search; soon, after Ctrl-C."""
        self.hurried |= self.over
        self.deadline = min(deadline, clock() + LAST) if self.interrupted else deadline

    @contextmanager
    def part(self, **changes: Any) -> Iterator[SearchEffort]:
        """A part of the search with another deadline or seed; its spending counts for the whole search."""
        part = replace(self, **changes)
        try:
            yield part
        finally:
            self.moves, self.interrupted = part.moves, part.interrupted
            self.hurried |= part.hurried or part.over

    @contextmanager
    def until_interrupted(self) -> Iterator[None]:
        """Let Ctrl-C end work that keeps its results so far."""
        try:
            yield
        except KeyboardInterrupt:
            self.interrupted = True

    def insist(self, work: Callable[[], T]) -> T:
        """Do work that a result needs; after Ctrl-C repeat it once with a short deadline."""
        try:
            return work()
        except KeyboardInterrupt:
            self.interrupted = True
            self.finish_by(self.deadline)
            return work()

    def reached(self, lanes: int) -> None:
        """Note that orders of a number of lanes were found."""
        self.history.append((clock() - self.began, lanes))
        found(words := f"{count(lanes, 'lane')} will do")
        self.report(words)

    def report(self, text: str) -> None:
        if self.progress is not None:
            self.progress(text, 0, 0)

    def cooled(
        self, moves: int, heat: tuple[float, float], *, each: float = MOVE, share: float = 1.0, words: int = 1
    ) -> Iterator[AnnealingStep]:
        """Steps of an annealing.

        Between two steps the clock is read. If there is no time for all moves they are fewer and cool faster.

        Parameters
        ----------
        moves : int
        heat : (float, float)
            Temperatures at the beginning and at the end.
        each : float
            Seconds of work of a move.
        share : float
            Of the time that is left; the annealing ends by then.
        words : int
            What a move may change; the more, the shorter are the steps.
        """
        hot, cold = heat
        chunk = max(1, min(CHUNK, WORK // max(1, words)))
        began = clock()
        time, spent = share * max(1e-9, self.deadline - began), 0.0
        for done in range(0, moves, chunk):
            slow = spent > max(PAUSE, done / moves)
            self.hurried |= slow
            if spent >= 1.0:
                return
            spent = spent if slow else 0.0
            now, then = (hot * (cold / hot) ** min(1.0, max(spent, m / moves)) for m in (done, done + chunk))
            step = AnnealingStep(min(chunk, moves - done), now, then)
            yield step
            spend(step.moves * each)
            spent = (clock() - began) / time
