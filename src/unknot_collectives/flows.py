"""Flows between members, and what they are bounded by.

The concurrent flow from each sender to each receiver, and its paths; and a linear program by which groups share the
bandwidth of channels, and trees up and down, with its prices.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from unknot._base.errors import NetworkError
from unknot_collectives.platform import Platform
from unknot_collectives.trees import Tree, TreeEdge

PARTS = 1000
"""Largest denominator of the shares of paths."""
NEAR = 1e-7
MOST_FLOWS = 100_000
"""Variables of the largest linear program that is tried."""


Demands = Mapping[tuple[int, int], Fraction]
"""What each sender has for each receiver, in any unit."""


@dataclass(frozen=True)
class ConcurrentFlow:
    """A concurrent flow: the same share of all demands at a time, as large as channels allow.

    Attributes
    ----------
    rate : float
        What is sent at a time for the largest demand, in bandwidths of the fastest channel.
    carried : mapping from sender to float array, shape (channels,)
    prices : float array, shape (channels,)
        Of the bandwidth of each channel, by the dual.
    """

    rate: float
    carried: Mapping[int, np.ndarray[Any, np.dtype[np.float64]]]
    prices: np.ndarray[Any, np.dtype[np.float64]]


def concurrent_flow(platform: Platform, demands: Demands) -> ConcurrentFlow:
    """Return the flow that serves all demands at the same, highest rate.

    The linear program has a variable for each sender and channel, the last is the rate, and bandwidths are parts of
    the fastest. It has a row for each channel, and one for each sender and node.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    channels, nodes, largest = platform.channels, platform.num_nodes, max(demands.values())
    senders = {sender: s for s, sender in enumerate(dict.fromkeys(one for one, _ in demands))}
    count = len(senders) * len(channels)
    entries: list[tuple[int, int, float]] = []
    for sender, s in senders.items():
        for c, channel in enumerate(channels):
            entries += [(s * nodes + channel.target, s * len(channels) + c, 1.0)] * (channel.target != sender)
            entries += [(s * nodes + channel.source, s * len(channels) + c, -1.0)] * (channel.source != sender)
    entries += [(senders[a] * nodes + b, count, -float(amount / largest)) for (a, b), amount in demands.items()]
    row, column, factor = zip(*entries, strict=True)
    kept = coo_array((factor, (row, column)), shape=(len(senders) * nodes, count + 1))
    used = coo_array(([1.0] * count, ([i % len(channels) for i in range(count)], range(count))))
    used = coo_array((used.data, used.coords), shape=(len(channels), count + 1))
    fastest = max((c.bandwidth for c in channels), default=Fraction(1))
    limits = [float(c.bandwidth / fastest) for c in channels]
    flow = linprog([0.0] * count + [-1.0], used, limits, kept, [0.0] * (len(senders) * nodes), method="highs")
    if not flow.success or flow.x[-1] <= 0:
        raise NetworkError(f"{platform.name}: there is no flow from each member to each other one: {flow.message}")
    carried = flow.x[:-1].reshape(len(senders), len(channels))
    return ConcurrentFlow(
        float(flow.x[-1]), dict(zip(senders, carried, strict=True)), np.maximum(0.0, -flow.ineqlin.marginals)
    )


def flow_paths(platform: Platform, demands: Demands) -> list[Tree]:
    """Return the paths of the flow that serves all demands at the same, highest rate, with what each carries."""
    flow, largest = concurrent_flow(platform, demands), max(demands.values())
    left_over = {sender: carried.tolist() for sender, carried in flow.carried.items()}
    trees = []
    for (sender, receiver), amount in demands.items():
        carried, rate = left_over[sender], flow.rate * float(amount / largest)
        kept, left = dict[tuple[int, ...], float](), rate
        while left > NEAR * rate:
            path = _widest(platform, carried, sender, receiver)
            used = min(left, *(carried[c] for c in path)) if path else 0.0
            if used <= NEAR * rate / len(carried):
                break
            kept[path] = kept.get(path, 0.0) + used
            left -= used
            for c in path:
                carried[c] -= used
        if left > rate / PARTS:
            raise NetworkError(f"{platform.name}: the flow from {sender} to {receiver} is not followed to its end")
        shares = [Fraction(used / rate).limit_denominator(PARTS) for used in kept.values()]
        shares[shares.index(max(shares))] += 1 - sum(shares)
        for path, share in zip(kept, shares, strict=True):
            if share > 0:
                trees.append(Tree(sender, _legs(platform, path), share * amount, leaf=receiver))
    return trees


def _legs(platform: Platform, path: Sequence[int]) -> tuple[TreeEdge, ...]:
    """Return the edges of a path from member to member: each takes in a chunk before it sends it on."""
    edges, begun = list[TreeEdge](), 0
    for place, number in enumerate(path):
        if platform.channels[number].target in platform.members:
            one, other = platform.channels[path[begun]].source, platform.channels[number].target
            edges.append(TreeEdge(len(edges), one, other, tuple(path[begun : place + 1])))
            begun = place + 1
    return tuple(edges)


def _widest(platform: Platform, carried: Sequence[float], source: int, target: int) -> tuple[int, ...]:
    """Return a path of fewest channels that carry something, the fuller ones first."""
    leaving: defaultdict[int, list[int]] = defaultdict(list)
    for c in sorted(range(len(carried)), key=lambda c: -carried[c]):
        if carried[c] > NEAR**2:
            leaving[platform.channels[c].source].append(c)
    onto: dict[int, int | None] = {source: None}
    queue = deque([source])
    while queue and target not in onto:
        for c in leaving[queue.popleft()]:
            if platform.channels[c].target not in onto:
                onto[platform.channels[c].target] = c
                queue.append(platform.channels[c].target)
    path, at = list[int](), target
    while (last := onto.get(at)) is not None:
        path.insert(0, last)
        at = platform.channels[last].source
    return tuple(path)


Groups = tuple[tuple[int, ...], ...]
"""Members of each group."""


@dataclass(frozen=True)
class Shares:
    """What each root of a group sends, and what each channel carries for the group on the way up and down."""

    weights: Mapping[int, Fraction]
    up: Sequence[Fraction]
    down: Sequence[Fraction]


@dataclass(frozen=True)
class Sharing:
    """How groups share a platform.

    Attributes
    ----------
    groups : list of Shares
        Empty: the solution is not made of fractions with small denominators.
    prices : float array, shape (channels,)
        Of the bandwidth of each channel, by the dual.
    """

    groups: list[Shares]
    prices: np.ndarray[Any, np.dtype[np.float64]]


@lru_cache(maxsize=4)
def share(platform: Platform, parts: Groups, roots: Groups | None, *, up: bool) -> Sharing | None:
    """Share the bandwidth between groups, and between trees down and, if there are any, up, in the least time.

    By a linear program: each member of a group must be reached by a flow of all weights of its roots, within what the
    channels carry down for the group, and send one to the roots within what they carry up; other nodes pass on as
    much as they get. Weights of roots are 1; without roots those of all members are free, and have the sum 1.
    None: too large.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    channels, nodes, signs = platform.channels, platform.num_nodes, (1, -1) if up else (1,)
    count = len(channels)
    if sum(map(len, parts)) * count * len(signs) > MOST_FLOWS:
        return None
    equal, most, busy = _Rows(), _Rows(), [dict[int, float]() for _ in channels]
    limits: list[tuple[float, float | None]] = [(0.0, None)]
    begin = 1  # variable 0 is the time; then come, group by group, weights, amounts of each direction, and flows
    weights = []
    for number, part in enumerate(parts):
        sources = part if roots is None else roots[number]
        total = 1 if roots is None else len(sources)
        weights.append((begin, sources))
        amounts = begin + len(sources)
        equal.add({begin + i: 1.0 for i in range(len(sources))}, total)  # where 1 is the most, each is 1
        for d, sign in enumerate(signs):
            first = amounts + d * count
            for c in range(count):
                busy[c][first + c] = 1.0
            for node in sorted(set(range(nodes)) - set(part)):
                ends = [(c, (one.target == node) - (one.source == node)) for c, one in enumerate(channels)]
                equal.add({first + c: float(end) for c, end in ends if end}, 0)
            for m, member in enumerate(part):
                flow = amounts + len(signs) * count + (d * len(part) + m) * count
                rows: list[dict[int, float]] = [{} for _ in range(nodes)]
                for c, channel in enumerate(channels):
                    rows[channel.target][flow + c] = rows[channel.target].get(flow + c, 0) + sign
                    rows[channel.source][flow + c] = rows[channel.source].get(flow + c, 0) - sign
                    most.add({flow + c: 1.0, first + c: -1.0}, 0)
                for i, root in enumerate(sources):
                    rows[root][begin + i] = 1.0
                for node, row in enumerate(rows):
                    equal.add(row, total * (node == member))
        limits += [(0.0, None if roots is None else 1.0)] * len(sources)
        limits += [(0.0, None)] * (len(signs) * count * (1 + len(part)))
        begin = len(limits)
    fastest = float(max(channel.bandwidth for channel in channels))
    for c, channel in enumerate(channels):
        most.add({**busy[c], 0: -float(channel.bandwidth) / fastest}, 0)
    cost = np.zeros(begin)
    cost[0] = 1
    matrices = [coo_array((r.factor, (r.row, r.column)), shape=(len(r.right), begin)) for r in (most, equal)]
    solved = linprog(cost, matrices[0], most.right, matrices[1], equal.right, limits, method="highs")
    if not solved.success:
        return None
    shares, prices = [], np.maximum(0.0, -solved.ineqlin.marginals[-count:])
    for first, sources in weights:
        solution = solved.x[first : first + len(sources) + len(signs) * count].tolist()
        exact = [Fraction(x).limit_denominator(1000) for x in solution]
        if max(abs(float(x) - y) for x, y in zip(exact, solution, strict=True)) > NEAR:
            return Sharing([], prices)
        down, above = exact[len(sources) :][:count], exact[len(sources) + count :]
        shares.append(Shares(dict(zip(sources, exact, strict=False)), above, down))
    return Sharing(shares, prices)


class _Rows:
    """Rows of a linear program."""

    def __init__(self) -> None:
        self.row: list[int] = []
        self.column: list[int] = []
        self.factor: list[float] = []
        self.right: list[float] = []

    def add(self, factors: Mapping[int, float], right: float) -> None:
        self.row += [len(self.right)] * len(factors)
        self.column += factors
        self.factor += factors.values()
        self.right.append(right)
