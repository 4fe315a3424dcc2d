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
from unknot.traffic.collectives.flows import NEAR, flow_paths
from unknot.traffic.collectives.operation import Operation
from unknot.traffic.collectives.packing import packed
from unknot.traffic.collectives.platform import Platform
from unknot.traffic.collectives.schedule import Schedule
from unknot.traffic.collectives.trees import Tree, spread, up_and_down

MOST_FLOWS = 100_000
"""Variables of the largest linear program that is tried."""


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
        return spread("optimal", platform, operation, flow_paths(platform, members, members))
    if kind in ("scatter", "gather"):
        assert operation.root is not None
        others = tuple(member for member in members if member != operation.root)
        trees = flow_paths(turned if kind == "gather" else platform, (operation.root,), others)
        return spread("optimal", platform, operation, trees)
    if kind == "all_reduce":
        return _all_reduce(platform, operation)
    roots = members if operation.root is None else (operation.root,)
    up = kind in ("reduce", "reduce_scatter")
    return spread(
        "optimal", platform, operation, _trees(turned if up else platform, dict.fromkeys(roots, Fraction(1)))
    )


def _trees(platform: Platform, weights: Mapping[int, Fraction]) -> list[Tree]:
    """Return trees out of roots with weights that are all 1."""
    if _is_balanced(platform):
        time, _ = worst_cut(platform, tuple(weights), platform.members)
        return packed(platform, weights, [channel.bandwidth * time for channel in platform.channels])
    shared = _share(platform, weights, up=False)
    if shared is None:
        raise NetworkError(
            f"{platform.name}: switches have unequal bandwidth in and out, and how to share it is not known"
        )
    return packed(platform, weights, shared.down)


def _is_balanced(platform: Platform) -> bool:
    left = [Fraction(0)] * platform.num_nodes
    for channel in platform.channels:
        left[channel.source] -= channel.bandwidth
        left[channel.target] += channel.bandwidth
    return not any(left[node] for node in set(range(platform.num_nodes)) - set(platform.members))


def _all_reduce(platform: Platform, operation: Operation) -> Schedule:
    members = platform.members
    each = Fraction(1, len(members))
    turned = platform.reversed()
    candidates = []
    if _is_balanced(platform):
        down, up = (_trees(one, dict.fromkeys(members, Fraction(1))) for one in (platform, turned))
        down, up = ([replace(tree, share=tree.share * each) for tree in trees] for trees in (down, up))
        candidates.append(up_and_down("optimal", platform, operation, up, down))
    if (shared := _share(platform, None, up=True)) is not None:
        weights = {member: weight for member, weight in shared.weights.items() if weight}
        trees = packed(turned, weights, shared.up), packed(platform, weights, shared.down)
        candidates.append(up_and_down("optimal", platform, operation, *trees))
    if not candidates:
        raise NetworkError(f"{platform.name}: how to share bandwidth that is unequal at switches is not known")
    return min(candidates, key=lambda one: one.busiest)


@dataclass(frozen=True)
class _Shares:
    """What each root sends, and what each channel carries on the way up and down."""

    weights: Mapping[int, Fraction]
    up: Sequence[Fraction]
    down: Sequence[Fraction]


def _share(platform: Platform, weights: Mapping[int, Fraction] | None, *, up: bool) -> _Shares | None:
    """Share the bandwidth between trees down, and up if there are any, in the least time; by a linear program.

    Each member must be reached by a flow of all weights from the roots, within what the channels carry down, and send
    one to the roots within what they carry up; switches pass on as much as they get. Free weights have the sum 1.
    None: too large, or the solution is not made of fractions with small denominators.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    members, channels, nodes = platform.members, platform.channels, platform.num_nodes
    signs, count = ((1, -1) if up else (1,)), len(channels)
    if len(members) * count * len(signs) > MOST_FLOWS:
        return None
    roots = members if weights is None else tuple(weights)
    total = 1 if weights is None else int(sum(weights.values()))
    amounts = 1 + len(roots)  # after the time and the weights: amounts of each direction, then the flows
    equal, most = _Rows(), _Rows()
    equal.add({1 + i: 1.0 for i in range(len(roots))}, total)
    for d, sign in enumerate(signs):
        first = amounts + d * count
        for node in sorted(set(range(nodes)) - set(members)):
            ends = [(c, (one.target == node) - (one.source == node)) for c, one in enumerate(channels)]
            equal.add({first + c: float(end) for c, end in ends if end}, 0)
        for m, member in enumerate(members):
            flow = amounts + len(signs) * count + (d * len(members) + m) * count
            rows: list[dict[int, float]] = [{} for _ in range(nodes)]
            for c, channel in enumerate(channels):
                rows[channel.target][flow + c] = rows[channel.target].get(flow + c, 0) + sign
                rows[channel.source][flow + c] = rows[channel.source].get(flow + c, 0) - sign
                most.add({flow + c: 1.0, first + c: -1.0}, 0)
            for i, root in enumerate(roots):
                rows[root][1 + i] = 1.0
            for node, row in enumerate(rows):
                equal.add(row, total * (node == member))
    fastest = float(max(channel.bandwidth for channel in channels))
    for c, channel in enumerate(channels):
        both = {amounts + d * count + c: 1.0 for d in range(len(signs))}
        most.add({**both, 0: -float(channel.bandwidth) / fastest}, 0)
    width = amounts + len(signs) * count * (1 + len(members))
    limits = [(0, None)] + [(0, None) if weights is None else (1, 1)] * len(roots) + [(0, None)] * (width - amounts)
    cost = np.zeros(width)
    cost[0] = 1
    made = [coo_array((r.factor, (r.row, r.column)), shape=(len(r.right), width)) for r in (most, equal)]
    solved = linprog(cost, made[0], most.right, made[1], equal.right, limits, method="highs")
    if not solved.success:
        return None
    exact = [Fraction(x).limit_denominator(1000) for x in solved.x[: amounts + len(signs) * count].tolist()]
    if max(abs(float(x) - y) for x, y in zip(exact, solved.x.tolist(), strict=False)) > NEAR:
        return None
    down, above = exact[amounts : amounts + count], exact[amounts + count : amounts + 2 * count]
    return _Shares(dict(zip(roots, exact[1:amounts], strict=True)), above, down)


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
