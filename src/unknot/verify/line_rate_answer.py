"""What a job gets of line rate on a network, on which cables that depends, and what would change it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from unknot._base.arrays import Floats
from unknot._base.phrases import count
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.verify.job_flows import Job, JobRanks
from unknot.verify.line_rate import EqualPaths, HashedLoads, Hashing, better_seeds, hashed_loads, paths_of

SHOWN = 5
STEPS, MOST, LEAST = 200_000_000, 1000, 50
"""Steps and draws for each thing that may be changed."""
QPS = (1, 2, 4, 8, 16, 32)
BOUND = (
    "upper bound by the network: NICs, hosts, the library and congestion control are not modelled; every flow sends "
    "at line rate until its busiest cable holds it back, and an operation goes on as its slowest flow does"
)
REORDERED = "packets of a flow spread evenly over next hops, if NICs and software accept packets out of order"

ALIGNED = "rail-aligned ranks: NICs of each host in the order of their switches"
NEAR = "hosts at the same switches one after another, rail-aligned"


@dataclass(frozen=True)
class CableLoad:
    """Load of a cable in one direction.

    Attributes
    ----------
    cable : str
        From router to router.
    busiest : float
        Part of the draws in which the cable was the busiest.
    mean_load : float
        In line rates, over the rate of the cable; exact.
    """

    cable: str
    busiest: float
    mean_load: float


@dataclass(frozen=True)
class ChangedShare:
    """Share of line rate after a change.

    Attributes
    ----------
    change : str
    changed_share : float
        The mean.
    """

    change: str
    changed_share: float


@dataclass(frozen=True, eq=False)
class LineRate:
    """The share of line rate that a network leaves a job.

    Attributes
    ----------
    relation : Relation
    operation : str
    members : int
        NICs.
    flows : int
        Flows between hosts, each of several queue pairs.
    hashing : Hashing
    planes : int
        Ports of each NIC, in as many planes.
    rails : int
        Switches, or sets of switches, at which each host has NICs; 1 where hosts differ.
    rail_aligned : bool or None
        Whether NICs of the same place in hosts are at the same switch, so that rings stay there; None: one rail.
    rate : str
        Line rate of a NIC, or of its port in each plane.
    loads : HashedLoads
    sprayed_load : float
        Of the busiest cable where switches spread packets evenly.
    busiest : tuple of CableLoad
        Cables that were the busiest most often.
    thin : tuple of str
        Where cables are missing, even if packets are spread evenly.
    changes : tuple of ChangedShare
        The highest share first.
    unread : tuple of str
        What files hold and the model leaves out.
    """

    relation: Relation
    operation: str
    members: int
    flows: int
    planes: int
    rails: int
    rail_aligned: bool | None
    hashing: Hashing
    rate: str
    loads: HashedLoads
    sprayed_load: float
    busiest: tuple[CableLoad, ...]
    thin: tuple[str, ...]
    changes: tuple[ChangedShare, ...]
    unread: tuple[str, ...] = ()

    @property
    def network(self) -> Network:
        """The network of the routes."""
        return self.relation.network

    @property
    def share(self) -> float:
        """Mean share of line rate."""
        return float(self.loads.shares.mean())

    @property
    def share_error(self) -> float:
        """Standard error of that mean."""
        shares = self.loads.shares
        return float(np.std(shares) / math.sqrt(shares.size))

    @property
    def share_quantiles(self) -> tuple[float, ...]:
        """Share in the worst twentieth of hashes, the median, and the best twentieth."""
        return tuple(np.quantile(self.loads.shares, [0.05, 0.5, 0.95]).tolist())

    @property
    def load(self) -> float:
        """Mean load of the busiest cable, in line rates over the rate of the cable."""
        return float(self.loads.peaks.mean())

    @property
    def load_error(self) -> float:
        """Standard error of that mean."""
        return self.loads.error

    @property
    def load_quantiles(self) -> tuple[float, ...]:
        """Load of the busiest cable: 5 %, half and 95 % of hashes are at or below."""
        return tuple(np.quantile(self.loads.peaks, [0.05, 0.5, 0.95]).tolist())

    @property
    def assumption(self) -> str:
        """What the share is of, and what is left out."""
        return BOUND

    @property
    def draws(self) -> int:
        """Hashes that were drawn."""
        return int(self.loads.peaks.size)


def line_rate(
    relation: Relation,
    ranks: JobRanks,
    hashing: Hashing,
    slowness: Floats,
    rate: str,
    *,
    down: frozenset[tuple[int, int]] = frozenset(),
    seed: int = 1,
    draws: int | None = None,
    unread: tuple[str, ...] = (),
) -> LineRate:
    """Return the share of line rate that a routing leaves a job.

    Parameters
    ----------
    relation : Relation
        The routing; a hash chooses among candidates of the lowest tier.
    ranks : JobRanks
    hashing : Hashing
    slowness : float64 array, shape (channels,)
        Line rate of a NIC over the rate of each channel.
    rate : str
        Line rate, in words.
    down : frozenset of pairs of int
        Routers whose cables between them are down.
    seed : int
    draws : int, optional
    unread : tuple of str
        What files hold and the model leaves out.

    Raises
    ------
    RelationError
        If a flow has no way.
    SizeError
        If the draws take more memory than may be used.
    """
    job = ranks.job
    paths = paths_of(relation, job, down)
    loads = hashed_loads(paths, job, hashing, slowness, seed, draws)
    mean = paths.sprayed(job.rate) * slowness
    network = relation.network
    often = np.argsort(-loads.busiest, kind="stable")[:SHOWN].tolist()
    busiest = tuple(
        CableLoad(network.channel_name(c), loads.busiest[c] / loads.peaks.size, float(mean[c]))
        for c in often if loads.busiest[c]
    )  # fmt: skip
    peak = float(mean.max(initial=0.0))
    switch, given = network.inject, ranks
    changes = _changes(paths, job, hashing, slowness, peak, seed)
    for words, other in ((ALIGNED, ranks.aligned(switch)), (NEAR, ranks.by_switches(switch))):
        if ranks.operation != "all_to_all" and other != given:
            its = hashed_loads(paths_of(relation, other.job, down), other.job, hashing, slowness, seed + 1, draws)
            changes += (ChangedShare(words, float(its.shares.mean())),)
        given = other
    rails = ranks.rails(switch)
    return LineRate(
        relation, ranks.operation, len(ranks.nics), int(np.count_nonzero(job.source != job.target)), ranks.planes,
        rails, ranks.is_aligned(switch) if rails > 1 else None, hashing, rate, loads, peak, busiest,
        _thin(network, mean), tuple(sorted(changes, key=lambda row: -row.changed_share)), unread,
    )  # fmt: skip


def _thin(network: Network, mean: Floats) -> tuple[str, ...]:
    """Pairs of routers between which even evenly spread packets are more than the cables carry."""
    rows: dict[tuple[int, int], list[float]] = {}
    for channel in np.flatnonzero(mean > 1 + 1e-9).tolist():
        pair = network.ends_of(channel)
        rows.setdefault(pair, []).append(float(mean[channel]))
    name, worst = network.router_name, sorted(rows.items(), key=lambda row: -max(row[1]))
    texts = [
        f"{name(a)} to {name(b)}: {len(loads)} full cables, {math.ceil(sum(loads) - 1e-9)} needed"
        for (a, b), loads in worst[:SHOWN]
    ]
    return (*texts, f"and {len(worst) - SHOWN} more pairs") if len(worst) > SHOWN else tuple(texts)


def _changes(
    paths: EqualPaths, job: Job, hashing: Hashing, slowness: Floats, sprayed: float, seed: int
) -> tuple[ChangedShare, ...]:
    """What other queue pairs, hashes and spraying would give."""
    if int(np.diff(paths.first).max(initial=0)) < 2:
        return ()  # a table without choices

    def mean_share(one: Hashing) -> float:
        steps = 4 * job.rate.size * one.qps
        draws = int(np.clip(STEPS // steps, LEAST, MOST))
        return float(hashed_loads(paths, job, one, slowness, seed + 1, draws).shares.mean())

    rows = [
        ChangedShare(f"{count(qps, 'queue pair')} a flow", mean_share(replace(hashing, qps=qps)))
        for qps in QPS if qps != hashing.qps
    ]  # fmt: skip
    if hashing.kind != "independent":
        rows.append(
            ChangedShare("an independent hash at each switch", mean_share(replace(hashing, kind="independent")))
        )
        found = float(better_seeds(paths, job, hashing, slowness, seed).shares.mean())
        rows.append(ChangedShare("CRC-32, the best seeds and shifts that were tried", found))
    rows.append(ChangedShare(REORDERED, 1 / max(1.0, sprayed)))
    return tuple(rows)
