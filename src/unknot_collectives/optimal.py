"""The fastest schedules for large data: packed trees, and paths of the concurrent flow.

Broadcast and all-gather reach the worst cut where every switch has equal bandwidth in and out; elsewhere a linear
program shares the bandwidth so that it has. Reduce and reduce-scatter are those on the reversed platform. An
all-reduce either is reduce-scatter and all-gather one after the other, or its trees up and down share the channels at
the same time, with as much for each root as a linear program says. Scatter, gather and all-to-all follow a flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from unknot._base.errors import NetworkError
from unknot_collectives.cuts import worst_cut
from unknot_collectives.flows import flow_paths, share
from unknot_collectives.operation import Operation
from unknot_collectives.packing import packed
from unknot_collectives.platform import Platform
from unknot_collectives.schedule import Schedule
from unknot_collectives.trees import Tree, spread, up_and_down


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
    >>> from unknot_collectives.platform import platform_of
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
    shared = share(platform, tuple(parts), tuple(roots), up=False)
    if shared is None or not shared.groups:
        raise NetworkError(f"{platform.name}: how to share the bandwidth of its channels is not known")
    return [
        tree
        for part, one in zip(parts, shared.groups, strict=True)
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
    shared = share(platform, parts, None, up=True)
    if shared is not None and shared.groups:
        up, down = list[Tree](), list[Tree]()
        for part, one in zip(parts, shared.groups, strict=True):
            weights = {member: weight for member, weight in one.weights.items() if weight}
            up += packed(replace(turned, members=part), weights, one.up)
            down += packed(replace(platform, members=part), weights, one.down)
        candidates.append(up_and_down("optimal", platform, operation, up, down))
    if not candidates:
        raise NetworkError(f"{platform.name}: how to share the bandwidth of its channels is not known")
    return min(candidates, key=lambda one: one.busiest)
