"""Loads of traffic between hosts on the forwarding tables of a fabric, over what each cable carries."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from unknot._base.arrays import Floats
from unknot._base.quantities import DataRate
from unknot._base.shown import Brief
from unknot.fabrics import Fabric
from unknot.fabrics.diagnosis import Finding
from unknot.fabrics.rates import rate_of
from unknot.routing.forwarding_table import route_lengths
from unknot.routing.switchboard import destinations, switchboard
from unknot.traffic.pattern import TrafficError
from unknot.traffic.patterns import PatternLike, pattern
from unknot.verify.audit_merged import cables_of, followed, pairs_by_switch
from unknot.verify.job_flows import OPERATIONS, job_of

SHOWN = 3
"""Busiest cables that are named."""


@dataclass(frozen=True, repr=False)
class Capacity(Brief):
    """How much of their line rate all hosts get at once on the forwarding tables.

    Attributes
    ----------
    traffic : str
        Pattern, or collective operation of all hosts.
    highest_load : float
        Load of the busiest cable over what it carries, while the busiest host sends at line rate.
    share : float
        Part of the line rate that the busiest host can send: 1 over the highest load of a cable or a receiving host.
    gbps : float or None
        The same in Gb/s of data; None where the files do not tell the rates of cables.
    busiest : tuple of str
        The busiest cables.

    Examples
    --------
    >>> from unknot.fabrics import read_fabric
    >>> capacity_of(read_fabric("examples/fabrics/opensm-leafspine-degraded-ftree"))[0].gbps
    3.506173
    """

    traffic: str
    highest_load: float
    share: float
    gbps: DataRate | None
    busiest: tuple[str, ...]


def capacity_of(fabric: Fabric, traffic: PatternLike = "uniform_others") -> tuple[Capacity, Floats]:
    """Return how much of their line rate hosts get, and the load of each channel over what the channel carries.

    Time is linear in switches × LIDs × hops.

    Parameters
    ----------
    fabric : Fabric
        With tables. Traffic to several LIDs of a port is shared evenly.
    traffic : str, array or callable
        A pattern or matrix as for `unknot.traffic.pattern`, or ``all_reduce``, ``all_gather``, ``reduce_scatter`` or
        ``all_to_all`` of all hosts in order.

    Raises
    ------
    UnknotError
        If the fabric has no tables.
    TextError, TrafficError
        If there is no such pattern, or it does not fit.
    """
    sent, received = _sent(fabric, traffic)
    board, lids = switchboard(fabric), destinations(fabric, "host-to-host")
    next_channel, line = board.next_channel[:, lids], _line_rate(fabric)
    flow = followed(board.network, next_channel, route_lengths(board.network, next_channel), sent)
    load = flow / (board.network.bandwidth / (line[1] if line else 1))
    highest = float(load.max(initial=0.0))
    share = 1 / max(highest, received, 1.0)
    names = {channel: name for name, ends in cables_of(fabric) for channel in ends}
    top = [channel for channel in np.argsort(-load, kind="stable")[:SHOWN].tolist() if load[channel] > 0]
    busiest = tuple(dict.fromkeys(names[channel] for channel in top))
    gbps = round(line[0] * share, 6) if line else None
    name = traffic if isinstance(traffic, str) else "matrix"
    return Capacity(name, round(highest, 6), round(share, 6), gbps, busiest), load


def _sent(fabric: Fabric, traffic: PatternLike) -> tuple[Floats, float]:
    """What the hosts of each switch send to each LID, and most that a host receives, in line rates."""
    lids, network = destinations(fabric, "host-to-host"), fabric.network
    owner = fabric.owner[lids]
    share = 1 / np.bincount(owner)[owner]
    talking = np.unique(owner)
    if isinstance(traffic, str) and traffic in ("uniform_others", "all_to_all"):
        pairs = pairs_by_switch(fabric, switchboard(fabric), "host-to-host")[1]
        return pairs * share / max(1, talking.size - 1), 1.0
    amount = np.zeros((network.num_terminals, network.num_terminals))
    if isinstance(traffic, str) and traffic in OPERATIONS:
        job = job_of(talking.tolist(), traffic)
        np.add.at(amount, (job.source, job.target), job.rate)
    else:
        chosen = pattern(network, traffic, where="--traffic", also=OPERATIONS)
        if chosen.weight is not None:
            amount += chosen.weight
        elif chosen.destination is not None:
            sends = np.flatnonzero(chosen.destination >= 0)
            amount[sends, chosen.destination[sends]] = 1
        else:
            amount += 1
        np.fill_diagonal(amount, 0)
        if not amount.any():
            raise TrafficError("traffic: all rates are 0, so no host sends; give the rates of some pair")
        amount /= amount.sum(axis=1).max()
    sent = np.zeros((network.num_routers, lids.size))
    np.add.at(sent, network.inject, amount[:, owner] * share)
    return sent, float(amount.sum(axis=0).max(initial=0.0))


def _line_rate(fabric: Fabric) -> tuple[float, float] | None:
    """Gb/s of data of most hosts, and the same as bandwidth; None where the files do not tell."""
    parts = {text: rate_of(text) for text in {*fabric.rates}}
    hosts = Counter(text for text in fabric.host_rates if text) or Counter(text for text in fabric.rates if text)
    known = next(
        (channel for channel, text in enumerate(fabric.rates) if text in parts and parts[text].is_whole), None
    )
    if known is None or not hosts:
        return None
    host = rate_of(hosts.most_common(1)[0][0])
    if not host.is_whole:
        return None
    usual = float(parts[fabric.rates[known]].data) / float(fabric.network.bandwidth[known])
    return float(host.data), float(host.data) / usual


def with_routed_loads(fabric: Fabric, findings: tuple[Finding, ...], load: Floats) -> tuple[Finding, ...]:
    """Add to each slow cable how many times as high it makes the highest load on the tables.

    Parameters
    ----------
    load : float64 array, shape (channels,)
        As `capacity_of` gives it.
    """
    ends, highest = dict(cables_of(fabric)), float(load.max(initial=0.0))
    done = []
    for one in findings:
        if one.fault == "slow cable" and highest:
            mended = load.copy()
            for channel in (channel for name in one.cables for channel in ends.get(name, ())):
                mended[channel] *= min(1.0, float(fabric.network.bandwidth[channel]))
            one = replace(one, routed_load=round(highest / float(mended.max()), 4))
        done.append(one)
    return tuple(done)
