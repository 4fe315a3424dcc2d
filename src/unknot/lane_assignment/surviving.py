"""Orders of lanes in which every pair keeps a climbing path, longer if need be, after each single failure.

Each failure has destinations of its own in the search, to which no failed channel may be taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.arrays import row_of
from unknot._base.errors import RelationError
from unknot._base.memory import require
from unknot._base.phrases import count
from unknot.lane_assignment.annealing import annealed
from unknot.lane_assignment.exact import ExactSearch
from unknot.lane_assignment.path_set import Flags, Floats, Ints, following, packed, unpacked
from unknot.lane_assignment.question import Question
from unknot.lane_assignment.rooted import around, orders_of
from unknot.search.effort import SearchEffort
from unknot.verify.failures import Parts, left_after, parts_of

if TYPE_CHECKING:
    from unknot.lane_assignment.carried_kernel import Carried
    from unknot.lane_assignment.orders_kernel import PathSet

ROUNDS = 4
"""Rounds of annealing for each number of lanes."""
MOVES = 100
"""Moves for each channel and lane of the first round; each round has twice as many as the one before."""
LEAST_MOVES = 1 << 15
"""Of the first round in small networks."""
HEATS = ((1.0, 0.3), (4.0, 0.5))
"""Temperatures at the beginning and at the end of a round, in turn: most pairs are served from the first."""
SHARE = 0.25
"""Share of the time that is left for a round."""
ROOTS = 8
"""Roots around which a lane that is added may be ordered."""
MORE = 8
"""Most lanes more than without failures that are tried."""
BYTES = 60
"""Bytes for each lane, each channel and each 64 destinations."""


def surviving(
    exact: ExactSearch, now: Carried, kind: Parts, effort: SearchEffort, limit: int | None = None
) -> tuple[Floats, PathSet]:
    """Orders that serve all pairs by shortest paths, and after each single failure by any remaining path.

    Parameters
    ----------
    exact : ExactSearch
        Of the question, which shows where fewer lanes are impossible.
    now : Carried
        Routes of the question. If their orders do not survive, others are sought near them, then in more lanes.
    kind : {"links", "channels", "routers", "any"}
        What fails.
    limit : int, optional
        Most lanes.

    Returns
    -------
    key : float64 array, shape (lanes, channels)
    paths : PathSet
        The paths after all failures: of their turns any that climbs may be needed.

    Raises
    ------
    RelationError
        If no such orders are found in at most `limit` lanes, or `MORE` more than there are.
    """
    key, question = now.rank / now.rank.shape[1], exact.question
    most = len(key) + MORE if limit is None else limit
    failures = list(_failures(question, kind))
    paths, network = _after_failures(question, failures, most), question.network
    gone = tuple(tuple(np.flatnonzero(~channels).tolist()) for _, channels in failures)
    random = np.random.default_rng([effort.seed, 3])
    while True:
        near, left = _near(paths, key, effort)
        if left == 0:
            return near, paths
        if (keys := exact.surviving(len(key), gone)) is not None:
            return keys, paths
        if len(key) >= most:
            raise RelationError(
                f"lanes on {network.name}: in {most} lanes no orders were found in which every pair keeps a path "
                f"after each single failure of {kind}; {left} pairs after a failure were left over"
            )
        roots = random.permutation(network.num_routers)[:ROOTS].tolist()
        wider = [np.vstack([key, around(paths, [root])]) for root in roots]
        key = min(wider, key=lambda more: orders_of(paths, more).unserved)


def _near(paths: PathSet, key: Floats, effort: SearchEffort) -> tuple[Floats, int]:
    """Orders near given orders, by annealing, and the number of unserved pairs."""
    text = f"{count(len(key), 'lane')} after each single failure: {{}} pairs left"
    for number in range(ROUNDS):
        now = orders_of(paths, key.copy())
        heat, seed = HEATS[number % len(HEATS)], [effort.seed, 4, number]
        moves = max(LEAST_MOVES, MOVES * key.size) << number
        *_, (left, _) = annealed(paths, now, moves, heat, effort, seed, share=SHARE, text=text)
        if left == 0 or effort.over:
            break
    return now.key, left


def _after_failures(question: Question, failures: list[tuple[Flags, Flags]], lanes: int) -> PathSet:
    """The paths of a question, and beside its destinations those after each failure."""
    network, own, traffic = question.network, question.path_set, question.demand
    assert traffic is not None
    homes, sources = own.home.size, network.num_routers
    require(
        f"orders on {network.name} for {len(failures)} failures",
        BYTES * lanes * network.num_channels * homes * (1 + len(failures)) // 64 + sources * homes * len(failures),
    )
    allowed, pairs = [unpacked(own.nearer, homes)], [traffic.wanted]
    for alive, channels in failures:
        allowed.append(channels[:, None] & (network.source[:, None] != own.home))
        pairs.append(traffic.wanted & alive[:, None] & alive[own.home])
    home = np.tile(own.home, 1 + len(failures))
    return following(network, packed(np.hstack(allowed)), packed(np.hstack(pairs)), home, back=False)


def _failures(question: Question, kind: Parts) -> Iterator[tuple[Flags, Flags]]:
    """The routers and the channels that each failure leaves, if all terminals that are left are connected."""
    network = question.network
    for _, numbers in parts_of(network, kind):
        left = left_after(network, kind, numbers)
        if not isinstance(left, str):
            assert left.origin is not None
            alive, channels = np.zeros(network.num_routers, dtype=bool), np.zeros(network.num_channels, dtype=bool)
            alive[left.origin.routers] = channels[left.origin.channels] = True
            yield alive, channels


def climbing_turns(paths: PathSet, key: Floats) -> Ints:
    """1 for turns that climb in a lane, else 0: shape (lanes, turns)."""
    return (key[:, paths.after] > key[:, row_of(paths.after_first)]).astype(np.int64)
