"""The search for orders of channels, one for each lane, by which shortest paths serve all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from unknot.background import clock
from unknot.progress import Progress
from unknot.synthesis.ways import Floats, Ints

if TYPE_CHECKING:
    from unknot.synthesis.orders_kernel import Orders, Ways

Exact = Callable[[int], "Found | Literal[True] | None"]
Tables = Callable[[int], "tuple[Ints, float]"] | None
CHUNK = 1 << 14
"""Moves between two looks at the clock."""
HEATS = ((6.0, 0.7), (12.0, 1.5), (6.0, 0.7), (8.0, 0.4))
"""Temperatures at the beginning and at the end of a round, in turn."""
AIMED = 0.9
"""Share of moves that are aimed at a pair that is not served."""
QUICK, ROUND = 20, 100
"""Moves for each channel and lane: of a first, quick result; of the first round."""
FIRST_ROUNDS = 3
"""Rounds for one number of lanes before the next one is tried."""


@dataclass
class Effort:
    """Limits of a search, and what it spent and found so far.

    Attributes
    ----------
    deadline : float
        By `unknot.background.clock`, which stands still while Numba compiles.
    seed : int
    progress : callable, optional
        Called with what is being tried, see `unknot.progress`.
    moves : int
        Made so far.
    interrupted : bool
        By Ctrl-C: the best so far was kept.
    tried : dict
        For each number of lanes that was not enough the rounds spent, and the fewest pairs that were left.
    history : list of (float, int)
        Seconds after which orders of a number of lanes were found.
    began : float
        By `unknot.background.clock`, which stands still while Numba compiles.
    """

    deadline: float
    seed: int = 0
    progress: Progress | None = None
    moves: int = 0
    interrupted: bool = False
    tried: dict[int, tuple[int, int]] = field(default_factory=dict)
    history: list[tuple[float, int]] = field(default_factory=list)
    began: float = field(default_factory=clock)

    @property
    def over(self) -> bool:
        return clock() >= self.deadline

    def found(self, lanes: int) -> None:
        """Note that orders of a number of lanes were found."""
        self.history.append((clock() - self.began, lanes))
        self.say(f"{lanes} lane{'s' * (lanes > 1)} will do")

    def say(self, text: str) -> None:
        if self.progress is not None:
            self.progress(text, 0, 0)


@dataclass(frozen=True, eq=False)
class Found:
    """Orders that serve all pairs.

    Attributes
    ----------
    key : float64 array, shape (lanes, channels)
    taken : int64 array, shape (channels, words)
        The destinations to which each channel is taken, as bits.
    """

    key: Floats
    taken: Ints

    def __len__(self) -> int:
        return len(self.key)


def orders_of(ways: Ways, key: Floats, taken: Ints | None = None) -> tuple[Orders, int]:
    """Orders with these keys, worked out, and how many pairs they do not serve; by default every way may be taken."""
    from unknot.synthesis.orders_kernel import Orders, settle

    lanes, channels = key.shape
    words, routers = ways.nearer.shape[1], ways.wanted.shape[0]
    orders = Orders(
        np.ascontiguousarray(key, dtype=np.float64),
        ways.nearer if taken is None else taken,
        np.zeros((lanes, channels, words), dtype=np.int64),
        np.zeros((lanes, routers, words), dtype=np.int64),
        np.zeros(routers, dtype=np.int64),
    )
    return orders, int(settle(ways, orders))


def one_by_one(ways: Ways, effort: Effort, taken: Ints | None = None) -> Found:
    """Orders that serve all pairs, each found by a short search for what the ones before leave.

    The time limit does not end it.

    Always enough: a start that climbs serves at least one pair more.
    """
    channels = ways.source.size
    left = ways.wanted.copy()
    keys: list[Floats] = []
    while left.any():
        rest = ways._replace(wanted=left)
        orders, unserved = orders_of(rest, _climbing(rest, _random(effort, len(keys), 1, channels), taken), taken)
        effort.say(f"lane {len(keys) + 1}: {unserved} pairs left")
        hot = max(2.0, 20.0 * int(np.count_nonzero(left)) / int(np.count_nonzero(ways.wanted)))
        start = orders.key.copy()
        unserved, _ = _round(
            rest, orders, unserved, QUICK * channels, (hot, hot / 10), effort, len(keys), patient=True
        )
        if not (left & orders.cover[0]).any():
            orders, _ = orders_of(rest, start, taken)
        left = left & ~orders.cover[0]
        keys.append(orders.key[0])
    return Found(np.array(keys).reshape(-1, channels), ways.nearer if taken is None else taken)


def search(ways: Ways, lanes: int, effort: Effort, *, first: int, rounds: int, tables: Tables = None) -> Found | None:
    """Return orders of the lanes that serve all pairs, or None if `rounds` rounds of annealing found none.

    Parameters
    ----------
    first : int
        Number of the first round; each has twice the moves of the one before.
    tables : callable(int), optional
        Makes the table with which a round begins, of its number; by default every way may be taken.
    """
    channels = ways.source.size
    for number in range(first, first + rounds):
        taken, turned = (None, 0.0) if tables is None else tables(number)
        start = ways.base + _random(effort, 1000 * lanes + number, lanes, channels)
        orders, unserved = orders_of(ways, start, taken)
        moves = ROUND * channels * lanes << number
        unserved, least = _round(ways, orders, unserved, moves, HEATS[number % len(HEATS)], effort, lanes, turned)
        if unserved == 0:
            return Found(orders.key, orders.taken)
        done, best = effort.tried.get(lanes, (0, least))
        effort.tried[lanes] = (done + 1, min(best, least))
        if effort.over:
            break
    return None


def fewest(ways: Ways, least: int, effort: Effort, *, rounds: int, exact: Exact, tables: Tables = None) -> Found:
    """Orders that serve all pairs in as few lanes as are found.

    One quick result first; then fewer lanes by halving between `least` and what is known; then one lane less than
    that, exactly, and if that leaves it open by more rounds. At last those that are still open, exactly, from the
    fewest up.

    Parameters
    ----------
    least : int
        Fewer lanes are known to be impossible.
    rounds : int
        Most rounds for one number of lanes.
    exact : callable(int)
        Orders of the lanes, or True if they are impossible, or None.
    """
    best = one_by_one(ways, effort, None if tables is None else tables(0)[0])
    try:
        effort.found(len(best))
        for better in _fewer(ways, best, least, effort, rounds, exact, tables):
            best = better
            effort.found(len(best))
    except KeyboardInterrupt:
        effort.interrupted = True
    return best


def _fewer(
    ways: Ways, best: Found, least: int, effort: Effort, rounds: int, exact: Exact, tables: Tables
) -> Iterator[Found]:
    low = least
    while low < len(best) and not effort.over:
        lanes = (low + len(best)) // 2 if len(best) - low > 3 else low
        found = search(ways, lanes, effort, first=0, rounds=min(rounds, FIRST_ROUNDS), tables=tables)
        if found is None:
            low = lanes + 1
        else:
            best = found
            yield best
    spent = FIRST_ROUNDS
    while least < len(best) and spent < rounds and not effort.over:
        answer = exact(len(best) - 1) if spent == FIRST_ROUNDS else None
        if answer is True:
            return
        found = (
            search(ways, len(best) - 1, effort, first=spent, rounds=1, tables=tables) if answer is None else answer
        )
        if found is None:
            spent += 1
        else:
            best, spent = found, FIRST_ROUNDS
            yield best
    for lanes in range(least, len(best) - 1):
        answer = None if effort.over else exact(lanes)
        if answer is not True:
            if answer is not None:
                yield answer
            return


def _round(
    ways: Ways,
    orders: Orders,
    unserved: int,
    moves: int,
    heat: tuple[float, float],
    effort: Effort,
    stream: int,
    turned: float = 0.0,
    *,
    patient: bool = False,
) -> tuple[int, int]:
    """One annealing; how many pairs are not served at its end, and at its best."""
    from unknot.synthesis.orders_kernel import anneal

    state = np.array([_seed(effort, stream, moves)], dtype=np.uint64)
    (hot, cold), least, lanes = heat, unserved, len(orders.key)
    for done in range(0, moves, CHUNK):
        if unserved == 0 or (effort.over and not patient):
            break
        now, then = (hot * (cold / hot) ** min(1.0, m / moves) for m in (done, done + CHUNK))
        unserved, low, made = anneal(
            ways, orders, state, min(CHUNK, moves - done), now, then, AIMED, turned, unserved
        )
        effort.moves += int(made)
        least = min(least, int(low))
        effort.say(f"{lanes} lane{'s' * (lanes > 1)}: {unserved} pairs left")
    return int(unserved), least


def _random(effort: Effort, stream: int, lanes: int, channels: int) -> Floats:
    return np.random.default_rng([effort.seed, stream]).random((lanes, channels))


def _seed(effort: Effort, *stream: int) -> int:
    return int(np.random.default_rng([effort.seed, *stream]).integers(2**63))


def _climbing(ways: Ways, key: Floats, taken: Ints | None) -> Floats:
    """Keys changed so that a path of some wanted pair climbs."""
    taken = ways.nearer if taken is None else taken
    router = int(np.flatnonzero(ways.wanted.any(axis=1))[0])
    word = int(np.flatnonzero(ways.wanted[router])[0])
    bit = int(ways.wanted[router, word]) & -int(ways.wanted[router, word])
    height = 2.0
    while not _at(ways, router, word, bit):
        leaving = ways.leaving[ways.leaving_first[router] : ways.leaving_first[router + 1]]
        channel = int(next(c for c in leaving if int(taken[c, word]) & bit))
        key[0, channel] = height
        height += 1.0
        router = int(ways.target[channel])
    return key


def _at(ways: Ways, router: int, word: int, bit: int) -> bool:
    """Whether a router is the destination of a bit."""
    home: Ints = ways.home
    return int(home[64 * word + (bit & (2**64 - 1)).bit_length() - 1]) == router
