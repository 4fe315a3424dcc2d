"""Limits of a search, and annealing within them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from unknot._base.deadline import Deadline, clock
from unknot._base.progress import Progress
from unknot._base.work import spend

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import Orders, PathSet
    from unknot.lanes.path_set import Ints

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
AIMED = 0.9
"""Share of moves that are aimed at a pair that is not served."""
STEPS = 4
"""Steps of halves in which each channel of each lane is moved once."""
MOVE, WORD = 1e-6, 4e-9
"""Seconds of work of a move of orders, and more of it for each word of the channels' destinations."""
CLOSE = 32
"""Cost up to which lanes are not annealed in halves: each half would serve the last pairs at once, give up pairs that
the other gives up too, and end its step there, again and again."""
SHARE = 0.5
"""Share of the time that is left, in which a round has to end."""
LP_SHARE, LP_SECONDS = 0.4, 20.0
"""Share of the time that is left, and the most seconds, for the linear program of a bound on the load."""
ENOUGH = 1 + 1e-9
"""Highest load over its lower bound at which a search ends."""


class Step(NamedTuple):
    """A step of an annealing: its moves, and the temperatures at its beginning and at its end."""

    moves: int
    hot: float
    cold: float


class Aims(NamedTuple):
    """How moves of orders are drawn, and what they cost beside pairs that are no longer served.

    Attributes
    ----------
    aimed : float
        Share of moves that are aimed at a pair that is not served.
    turned : float
        Share of those that change the table; 0: it is no table, or it is given.
    spare : float
        Cost when a pair loses its last lane but one, in pairs that lose their last lane; its square when it loses the
        one before. Without effect where both directions share a lane.
    """

    aimed: float = AIMED
    turned: float = 0.0
    spare: float = 0.0


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
    hurried: bool = False
    interrupted: bool = False
    tried: dict[int, tuple[int, int]] = field(default_factory=dict)
    disagreements: list[str] = field(default_factory=list)
    history: list[tuple[float, int]] = field(default_factory=list)
    began: float = field(default_factory=clock)

    @property
    def over(self) -> bool:
        return clock() >= self.deadline

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
        """A part of the search, of another deadline or seed; what it spends counts here too."""
        part = replace(self, **changes)
        try:
            yield part
        finally:
            self.moves, self.interrupted = part.moves, part.interrupted
            self.hurried |= part.hurried or part.over

    @contextmanager
    def until_interrupted(self) -> Iterator[None]:
        """Let Ctrl-C end work that keeps what it has so far."""
        try:
            yield
        except KeyboardInterrupt:
            self.interrupted = True

    def insist(self, work: Callable[[], T]) -> T:
        """Do work that a result needs; if Ctrl-C interrupts it, once more with a deadline that is soon."""
        try:
            return work()
        except KeyboardInterrupt:
            self.interrupted = True
            self.finish_by(self.deadline)
            return work()

    def reached(self, lanes: int) -> None:
        """Note that orders of a number of lanes were found."""
        self.history.append((clock() - self.began, lanes))
        self.report(f"{lanes} lane{'s' * (lanes > 1)} will do")

    def report(self, text: str) -> None:
        if self.progress is not None:
            self.progress(text, 0, 0)

    def cooled(
        self, moves: int, heat: tuple[float, float], *, each: float = MOVE, share: float = 1.0, words: int = 1
    ) -> Iterator[Step]:
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
        chunk = max(256, min(CHUNK, WORK // max(1, words)))
        began = clock()
        time, spent = share * max(1e-9, self.deadline - began), 0.0
        for done in range(0, moves, chunk):
            slow = spent > max(PAUSE, done / moves)
            self.hurried |= slow
            if spent >= 1.0:
                return
            spent = spent if slow else 0.0
            now, then = (hot * (cold / hot) ** min(1.0, max(spent, m / moves)) for m in (done, done + chunk))
            step = Step(min(chunk, moves - done), now, then)
            yield step
            spend(step.moves * each)
            spent = (clock() - began) / time


def annealed(
    paths: PathSet,
    orders: Orders,
    moves: int,
    heat: tuple[float, float],
    effort: SearchEffort,
    seed: list[int] | None = None,
    *,
    aims: Aims = Aims(),  # noqa: B008
    share: float = SHARE,
    halved: bool = False,
    text: str = "",
) -> Iterator[tuple[int, int]]:
    """Anneal orders in steps until their cost is 0; yield the cost, and the least so far, before each and at the end.

    The cost is the weights of pairs that are not served.

    Parameters
    ----------
    heat : (float, float)
        Temperatures at the beginning and at the end.
    share : float
        Of the time that is left; the annealing ends by then.
    halved : bool
        Each half of the lanes is annealed in a thread of its own. Pairs weigh 1, and directions share no lane.
    text : str
        What is reported, with a place for the cost; by default the number of lanes and of pairs that are left.
    """
    from unknot.lanes.anneal_kernel import anneal

    lanes = len(orders.key)
    text = text or f"{lanes} lane{'s' * (lanes > 1)}: {{}} pairs left"
    seed = [effort.seed, lanes, moves] if seed is None else seed
    state = np.random.default_rng(seed).integers(2**63, size=2).astype(np.uint64)[:, None]
    halved = halved and lanes > 1
    words = STEPS * WORK // orders.key.size if halved else paths.nearer.size
    each = MOVE + WORD * paths.nearer.size
    cost = least = orders.unserved
    with ThreadPoolExecutor(2) as threads:
        for step in effort.cooled(moves, heat, each=each, share=share, words=words):
            effort.report(text.format(cost))
            yield cost, least
            if cost == 0:
                return
            if halved and cost > CLOSE:
                low, made = _halves(threads, paths, orders, state, step, aims)
            else:
                low, made = anneal(paths, orders, state[0], step, aims)
            cost, least = orders.unserved, min(least, int(low))
            effort.moves += int(made)
    yield cost, least


def _halves(
    threads: ThreadPoolExecutor,
    paths: PathSet,
    orders: Orders,
    state: npt.NDArray[np.uint64],
    step: Step,
    aims: Aims,
) -> tuple[int, int]:
    """Anneal each half of the lanes by itself for a step; the cost then, and moves made.

    Each half counts on what the other serves at the beginning. So both may give up a pair that each leaves to the
    other; steps are short, and the next one sees it. One thread comes to the same as two.
    """
    from unknot.lanes.anneal_kernel import anneal

    middle = len(orders.key) // 2
    parts = slice(0, middle), slice(middle, len(orders.key))
    left = [paths.wanted & ~np.bitwise_or.reduce(orders.cover[part], axis=0) for part in parts]

    def half(number: int) -> int:
        own = {name: getattr(orders, name)[parts[number]] for name in ("key", "reach", "cover")}
        moves = step.moves * len(own["key"]) // len(orders.key)
        rest = paths._replace(wanted=left[1 - number])
        lanes = orders._replace(missed=bits_in(left[0] & left[1]), **own)
        return int(anneal(rest, lanes, state[number], step._replace(moves=moves), aims._replace(turned=0.0))[1])

    made = sum(threads.map(half, range(2)))
    orders.missed[:] = bits_in(paths.wanted & ~np.bitwise_or.reduce(orders.cover, axis=0))
    return orders.unserved, made


def bits_in(left: Ints) -> Ints:
    """Number of bits in each row."""
    # Of a negative number it counts the bits of its absolute value.
    count: Ints = np.bitwise_count(left.view(np.uint64)).sum(axis=1, dtype=np.int64)
    return count
