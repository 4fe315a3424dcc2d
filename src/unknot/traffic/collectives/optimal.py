"""The fastest schedules for large data: packed trees, and paths of the concurrent flow.

Broadcast and all-gather reach the worst cut where every switch has equal bandwidth in and out; elsewhere a linear
program shares the bandwidth so that it has. Reduce and reduce-scatter are those on the reversed platform. An
all-reduce either is reduce-scatter and all-gather one after the other, or its trees up and down share the channels at
the same time, with as much for each root as a linear program says. Scatter, gather and all-to-all follow a flow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from unknot._base.errors import NetworkError
from unknot.traffic.collectives.bounds import worst_cut
from unknot.traffic.collectives.flows import MOST_FLOWS, NEAR, flow_paths
from unknot.traffic.collectives.operation import Operation
from unknot.traffic.collectives.packing import packed
from unknot.traffic.collectives.platform import Platform
from unknot.traffic.collectives.schedule import Schedule
from unknot.traffic.collectives.trees import Tree, spread, up_and_down


def optimal(platform: Platform, operation: Operation) -> Schedule:
    """Return a schedule whose busiest channel is as little busy as this module knows how.

    Cut into many pieces its time comes near that of the busiest channel. That is the optimum for all operations but
    all_reduce.

    Parameters
    ----------
    platform : Platform
        Channels with their bandwidths, and members.
    operation : Operation
        What is to be done, and on how much.

    Returns
    -------
    Schedule
        The schedule.

    Raises
    ------
    NetworkError
        If a member cannot reach another one, or the bandwidths are too fine or the platform too large.

    Examples
    --------
    >>> from unknot.network.families import torus
    >>> from unknot.traffic.collectives.platform import platform_of
    >>> platform = platform_of(torus(3), terminal=Fraction(4))
    >>> schedule = optimal(platform, Operation("all_gather", platform.members, Fraction(6)))
    >>> schedule.busiest
    Fraction(6, 1)
    """
    kind, members = operation.kind, operation.members
    platform = replace(platform, members=members)
    turned = platform.reversed()
    if kind == "all_to_all":
        return spread("optimal", platform, operation, flow_paths(platform, operation.amounts))
    if kind in ("scatter", "gather"):
        demands = {(operation.root or 0, member): Fraction(1) for member in members if member != operation.root}
        trees = flow_paths(turned if kind == "gather" else platform, demands)
        return spread("optimal", platform, operation, trees)
    if kind == "barrier":
        raise NetworkError("the messages of a barrier are not cut; textbook algorithms make it")
    if kind == "all_reduce":
        return _all_reduce(platform, operation)
    parts = operation.parts if operation.root is None else ((operation.root,),)
    up = kind in ("reduce", "reduce_scatter")
    return spread("optimal", platform, operation, _trees(turned if up else platform, operation.parts, parts))


def _trees(platform: Platform, parts: Sequence[Sequence[int]], roots: Sequence[Sequence[int]]) -> list[Tree]:
    """Return trees out of the roots of each group to its members, of weight 1 each."""
    if len(parts) == 1 and _is_balanced(platform):
        time, _ = worst_cut(platform, tuple(roots[0]), platform.members)
        whole = [channel.bandwidth * time for channel in platform.channels]
        return packed(platform, dict.fromkeys(roots[0], Fraction(1)), whole)
    shared = _share(platform, parts, roots, up=False)
    if shared is None:
        raise NetworkError(f"{platform.name}: how to share the bandwidth of its channels is not known")
    return [
        tree
        for part, one in zip(parts, shared, strict=True)
        for tree in packed(replace(platform, members=tuple(part)), one.weights, one.down)
    ]


def _is_balanced(platform: Platform) -> bool:
    left = [Fraction(0)] * platform.num_nodes
    for channel in platform.channels:
        left[channel.source] -= channel.bandwidth
        left[channel.target] += channel.bandwidth
    return not any(left[node] for node in set(range(platform.num_nodes)) - set(platform.members))


def _all_reduce(platform: Platform, operation: Operation) -> Schedule:
    parts, turned = operation.parts, platform.reversed()
    candidates = []
    if len(parts) == 1 and _is_balanced(platform):
        each = Fraction(1, len(platform.members))
        down, up = (_trees(one, parts, parts) for one in (platform, turned))
        down, up = ([replace(tree, share=tree.share * each) for tree in trees] for trees in (down, up))
        candidates.append(up_and_down("optimal", platform, operation, up, down))
    if (shared := _share(platform, parts, None, up=True)) is not None:
        up, down = list[Tree](), list[Tree]()
        for part, one in zip(parts, shared, strict=True):
            weights = {member: weight for member, weight in one.weights.items() if weight}
            up += packed(replace(turned, members=part), weights, one.up)
            down += packed(replace(platform, members=part), weights, one.down)
        candidates.append(up_and_down("optimal", platform, operation, up, down))
    if not candidates:
        raise NetworkError(f"{platform.name}: how to share the bandwidth of its channels is not known")
    return min(candidates, key=lambda one: one.busiest)


@dataclass(frozen=True)
class _Shares:
    """What each root of a group sends, and what each channel carries for the group on the way up and down."""

    weights: Mapping[int, Fraction]
    up: Sequence[Fraction]
    down: Sequence[Fraction]


def _share(
    platform: Platform, parts: Sequence[Sequence[int]], roots: Sequence[Sequence[int]] | None, *, up: bool
) -> list[_Shares] | None:
    """Share the bandwidth between groups, and between trees down and, if there are any, up, in the least time.

    By a linear program: each member of a group must be reached by a flow of all weights of its roots, within what the
    channels carry down for the group, and send one to the roots within what they carry up; other nodes pass on as
    much as they get. Weights of roots are 1; without roots those of all members are free, and have the sum 1.
    None: too large, or the solution is not made of fractions with small denominators.
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
    shares = []
    for first, sources in weights:
        solution = solved.x[first : first + len(sources) + len(signs) * count].tolist()
        exact = [Fraction(x).limit_denominator(1000) for x in solution]
        if max(abs(float(x) - y) for x, y in zip(exact, solution, strict=True)) > NEAR:
            return None
        down, above = exact[len(sources) :][:count], exact[len(sources) + count :]
        shares.append(_Shares(dict(zip(sources, exact, strict=False)), above, down))
    return shares


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
