"""Proved lower bounds on the highest load of any choice of paths: weights of channels.

However paths are chosen, the weighted mean load of the channels is at least what all flows would add up to on their
lightest paths, so some channel carries as much. The best weights are the dual of a linear program, whose solution is
rounded: any weights prove a bound, which `unknot.certificates.plain` works out exactly.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any

import numpy as np

from unknot._base.deadline import NoAnswerError, within
from unknot._base.work import spend, work_done
from unknot.certificates import plain
from unknot.certificates.claims import load_claim
from unknot.certificates.documents import network_of
from unknot.lane_assignment.path_set import Demand, Floats, Ints
from unknot.search.bound import Bound

MOST_FLOWS = 100_000
"""Most channels × destinations for which weights are sought by linear programming; about 5 s of a processor."""
PER_FLOW = 5e-5
"""Seconds of work of the linear program for each of these."""
PARTS = 10**6
"""The largest weight, where they are no small whole numbers."""
NEAR = 1e-6
"""Distance from a whole number that is an error of the solver."""


def load_bound(traffic: Demand, *, time_limit: float = 0.0, longer: bool = False, pieces: int = 1) -> Bound:
    """The best lower bound on the highest load that is found within a time; by equal weights if there is none.

    Parameters
    ----------
    time_limit : float
        Seconds for linear programming; 0: none.
    longer : bool
        Whether paths may be longer than shortest ones.
    pieces : int
        Equal pieces of each flow, with a path each.
    """
    network = traffic.network
    flows = None
    if traffic.flows is not None:
        pairs = np.argwhere(traffic.flows > 0)
        flows = [[int(s), int(t), float(traffic.flows[s, t])] for s, t in pairs]
    limits = None if (network.bandwidth == 1).all() else network.bandwidth.tolist()
    about = plain.Network(network_of(network))
    shown_by = partial(plain.load_shown, about, flows, limits, shortest=not longer, pieces=pieces)
    equal = np.ones(network.num_channels, dtype=np.int64)
    if flows is None and limits is None:
        # What the checker would add up, for minutes on 1,024 routers; these are whole numbers, so the sum is exact.
        total = int((traffic.rate * traffic.distances.table.T)[traffic.wanted].sum())
        shown = [(Fraction(-(-total * pieces // max(1, equal.size)), pieces), equal)]
    else:
        shown = [(shown_by(equal.tolist()), equal)]
    counted = work_done() is not None
    program = PER_FLOW * network.num_channels * traffic.distances.homes.size
    if time_limit > program * counted and is_programmed(traffic):
        spend(program)
        with suppress(NoAnswerError):
            tried = _rounded(within(time_limit, lambda: _weights(traffic, inf if counted else time_limit, longer)))
            shown += [(shown_by(weights.tolist()), weights) for weights in tried]
    least, weights = max(shown, key=lambda one: one[0])
    about_paths: dict[str, Any] = ({"paths": "any"} if longer else {}) | ({"pieces": pieces} if pieces > 1 else {})
    return Bound(load_claim(least, flows, limits, {"weights": weights.tolist()}, **about_paths))


def is_programmed(traffic: Demand) -> bool:
    """Whether weights are sought by linear programming."""
    return traffic.network.num_channels * traffic.distances.homes.size <= MOST_FLOWS


def _rounded(weights: Floats) -> list[Ints]:
    """Whole numbers in about the proportions of weights: small ones if they fit, and large ones."""
    if not weights.any():
        return []
    parts = [np.rint(weights * (PARTS / weights.max())).astype(np.int64)]
    small = weights / weights[weights > NEAR * weights.max()].min()
    if small.max() < PARTS and np.abs(small - np.rint(small)).max() < NEAR * small.max():
        parts.append(np.rint(small).astype(np.int64))
    return parts


def _weights(traffic: Demand, time_limit: float, longer: bool) -> Floats:
    """Weights of channels, such that Σ rate × lightest path / Σ weight × bandwidth is greatest; or zeros.

    Unknown are the weights and how far every router is from every home by them. Time grows with channels × homes.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    network, hops = traffic.network, traffic.distances.table.T.astype(np.int64)
    channels, (routers, homes) = network.num_channels, traffic.wanted.shape
    nearer = (hops[network.source] == hops[network.target] + 1) | longer
    channel, home = np.nonzero(nearer & (hops[network.target] >= 0))
    here = channels + network.source[channel].astype(np.int64) * homes + home
    there = channels + network.target[channel].astype(np.int64) * homes + home
    steps, size = np.arange(channel.size), channels + routers * homes
    farther = coo_array(
        (np.repeat([1.0, -1.0, -1.0], steps.size), (np.tile(steps, 3), np.concatenate([here, there, channel]))),
        shape=(steps.size, size),
    )
    total = coo_array((network.bandwidth, (np.zeros(channels, dtype=np.int64), np.arange(channels))), shape=(1, size))
    most = np.full(size, np.inf)
    most[channels + traffic.distances.homes * homes + np.arange(homes)] = 0.0
    gain = np.concatenate([np.zeros(channels), np.where(traffic.wanted, traffic.rate, 0.0).reshape(-1)])
    answer = linprog(
        -gain, farther.tocsr(), np.zeros(steps.size), total.tocsr(), [float(network.bandwidth.mean())],
        bounds=np.column_stack([np.zeros(size), most]), method="highs-ipm", options={"time_limit": time_limit},
    )  # fmt: skip
    return np.zeros(channels) if answer.x is None else np.maximum(answer.x[:channels], 0.0)
