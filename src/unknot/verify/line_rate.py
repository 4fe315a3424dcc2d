"""The share of line rate that a network's paths leave a job, when hashes choose among equal-cost next hops."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unknot._base.arrays import Floats, Ints, offsets
from unknot._base.errors import RelationError
from unknot._base.memory import require
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.contract import EJECT, TIER, VC_MASK
from unknot.routing.relation import Relation
from unknot.traffic.trace import addresses_drawn
from unknot.verify.hashed_flows_kernel import CRC, INDEPENDENT, SAME, draw
from unknot.verify.job_flows import Job

HASHES = {"independent": INDEPENDENT, "same": SAME, "crc32": CRC}
STEPS = 1_500_000_000
"""Steps of packets for which flows are drawn at most."""
MOST_DRAWS, LEAST_DRAWS = 10_000, 50
TRIED = 24
"""Seeds of all switches that a search tries."""


@dataclass(frozen=True, eq=False)
class EqualPaths:
    """Places of flows at routers, and the places and channels that may be next.

    Attributes
    ----------
    network : Network
    first : int64 array, shape (places + 1,)
    onward : int64 array
        Next places of each place.
    channel : int32 array
        The channel to each.
    router : int32 array, shape (places,)
    start : int64 array, shape (flows,)
        The first place of each flow.
    """

    network: Network
    first: Ints
    onward: Ints
    channel: IntArray
    router: IntArray
    start: Ints

    @cached_property
    def spread(self) -> tuple[Ints, Ints]:
        """Places from the start on, each after all before it, and how many choices each has."""
        many, missing = np.diff(self.first), np.bincount(self.onward, minlength=self.first.size - 1)
        order = np.flatnonzero(missing == 0).tolist()
        for place in order:
            for after in self.onward[self.first[place] : self.first[place + 1]].tolist():
                missing[after] -= 1
                if not missing[after]:
                    order.append(after)
        if len(order) < many.size:
            raise RelationError(f"{self.network.name}: packets circle, so flows have no paths")
        return np.array(order, dtype=np.int64), many

    def sprayed(self, rate: Floats) -> Floats:
        """Load of each channel where every switch spreads packets evenly: the mean of all hashes, too."""
        order, many = self.spread
        enters, load = np.bincount(self.start, rate, many.size), np.zeros(self.network.num_channels)
        for place in order.tolist():
            row = slice(self.first[place], self.first[place + 1])
            if many[place] and enters[place]:
                part = enters[place] / many[place]
                load[self.channel[row]] += part
                np.add.at(enters, self.onward[row], part)
        return load


def paths_of(relation: Relation, job: Job, down: frozenset[tuple[int, int]] = frozenset()) -> EqualPaths:
    """Return all paths that a routing leaves the flows of a job: next hops of the lowest tier.

    Parameters
    ----------
    relation : Relation
    job : Job
    down : frozenset of pairs of int
        Routers whose cables between them are down: next hops there, and those that then lead nowhere, are withdrawn.

    Raises
    ------
    RelationError
        If a flow has no way.
    """
    network, channel_of = relation.network, relation.vcs.channel
    ends = job.source * network.num_terminals + job.target
    pairs, which = np.unique(ends, return_inverse=True)
    sources, targets = pairs // network.num_terminals, pairs % network.num_terminals
    addresses = addresses_drawn(relation, sources, targets, None)
    dead = {c for c in range(network.num_channels) if _pair(network, c) in down} if down else set[int]()
    number, waiting = dict[tuple[int, int], int](), list[tuple[int, int]]()
    out = np.zeros(relation.max_candidates, dtype=np.int64)

    def place(at: int, address: int) -> int:
        key = (at, address)
        if key not in number:
            number[key] = len(number)
            waiting.append(key)
        return number[key]

    begin = [place(relation.num_vcs + s, a) for s, a in zip(sources.tolist(), addresses.tolist(), strict=True)]
    rows, router, lost = list[list[tuple[int, int]]](), list[int](), list[int]()
    while len(rows) < len(waiting):
        at, address = waiting[len(rows)]
        injected = at >= relation.num_vcs
        router.append(int(network.inject[at - relation.num_vcs] if injected else network.target[channel_of[at]]))
        candidates = out[: relation.rule(at, address, out)].tolist()
        lowest = min((one // TIER for one in candidates), default=0)
        hops = [one & VC_MASK for one in candidates if one // TIER == lowest]
        is_end = EJECT in hops
        left = [(vc, int(channel_of[vc])) for vc in hops if not is_end]
        rows.append([(place(vc, address), channel) for vc, channel in left if channel not in dead])
        lost += [] if is_end or rows[-1] else [len(rows) - 1]
    _withdraw(rows, lost)
    for one in {*lost} & {*begin}:
        at, address = waiting[one]
        here = network.router_name(router[one])
        raise RelationError(f"{relation.name}: {here} has no way to {relation.address_name(address)}")
    start = np.array(begin, dtype=np.int64)[which.reshape(-1)]
    flat = np.array([hop for row in rows for hop in row], dtype=np.int64).reshape(-1, 2)
    channel = np.ascontiguousarray(flat[:, 1], dtype=np.int32)
    onward, first = np.ascontiguousarray(flat[:, 0]), offsets([*map(len, rows)])
    return EqualPaths(network, first, onward, channel, np.array(router, dtype=np.int32), start)


def _withdraw(rows: list[list[tuple[int, int]]], lost: list[int]) -> None:
    """Strike places without a way on from the choices of others, and so on; these are added to `lost`."""
    before: defaultdict[int, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        for onward, _ in row if lost else ():
            before[onward].append(place)
    for place in lost:  # grows
        for one in before[place]:
            rows[one] = [hop for hop in rows[one] if hop[0] != place]
            if not rows[one]:
                lost.append(one)


def _pair(network: Network, channel: int) -> tuple[int, int]:
    ends = network.ends_of(channel)
    return min(ends), max(ends)


@dataclass(frozen=True)
class Hashing:
    """How switches choose: the kind of hash, queue pairs of each flow, and the seed and shift of each switch.

    Attributes
    ----------
    kind : {"independent", "same", "crc32"}
    qps : int
    seeds : tuple of int
        For crc32: the seed of each switch, plus 2³² times the bits that are shifted away; empty: 0 for all.
    """

    kind: str = "independent"
    qps: int = 1
    seeds: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class HashedLoads:
    """The load of the busiest cable in each draw, in line rates of a NIC over the rate of the cable.

    Attributes
    ----------
    peaks : float64 array, shape (draws,)
    busiest : int64 array, shape (channels,)
        Draws in which a channel was the busiest.
    """

    peaks: Floats
    busiest: Ints

    @property
    def shares(self) -> Floats:
        """The job's share of line rate in each draw: a ring goes on as its slowest flow does."""
        return np.asarray(1 / np.maximum(1.0, self.peaks))

    @property
    def error(self) -> float:
        """Standard error of the mean of the peaks."""
        return float(np.std(self.peaks) / np.sqrt(self.peaks.size))


def hashed_loads(
    paths: EqualPaths, job: Job, hashing: Hashing, slowness: Floats, seed: int = 1, draws: int | None = None
) -> HashedLoads:
    """Draw hashes, and return the load of the busiest cable in each draw.

    Parameters
    ----------
    paths : EqualPaths
    job : Job
    hashing : Hashing
    slowness : float64 array, shape (channels,)
        Line rate of a NIC over the rate of each channel.
    seed : int
    draws : int, optional
        By default 10,000, or fewer where flows take many steps.

    Raises
    ------
    SizeError
        If the draws take more memory than may be used.
    """
    steps = 4 * job.rate.size * hashing.qps
    many = draws or int(np.clip(STEPS // max(1, steps), LEAST_DRAWS, MOST_DRAWS))
    require(f"{many} draws of {job.rate.size} flows", 8 * (many + 8 * paths.onward.size))
    peaks, busiest = np.zeros(many), np.zeros(paths.network.num_channels, dtype=np.int64)
    seeds = np.array(hashing.seeds or [0] * paths.network.num_routers, dtype=np.int64)
    keys = np.ascontiguousarray(0x0A000000 + job.rank.reshape(-1))
    draw(
        paths.first, paths.onward, paths.channel, paths.router, paths.start, keys, job.rate, seeds,
        HASHES[hashing.kind], hashing.qps, many, seed << 32, slowness, peaks, np.zeros(busiest.size), busiest,
    )  # fmt: skip
    return HashedLoads(peaks, busiest)


def better_seeds(paths: EqualPaths, job: Job, hashing: Hashing, slowness: Floats, seed: int = 1) -> HashedLoads:
    """Return loads by the seeds and shifts of a CRC-32 at each switch with the highest share of those tried."""
    random, best = np.random.default_rng(seed), None
    for _ in range(TRIED):
        size = paths.network.num_routers
        seeds = random.integers(0, 1 << 32, size) + (random.integers(0, 16, size) << 32)
        one = replace(hashing, kind="crc32", seeds=tuple(seeds.tolist()))
        loads = hashed_loads(paths, job, one, slowness, seed, 100)
        if best is None or loads.shares.mean() > best[1].shares.mean():
            best = one, loads
    assert best is not None
    return hashed_loads(paths, job, best[0], slowness, seed + 1)
