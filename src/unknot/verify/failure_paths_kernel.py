# mypy: ignore-errors
"""How far routers can be from a destination after at most some number of failures."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.kernels.lazy_kernel import kernel
from unknot.routing.path_vector_kernel import graph_types

FAR = 62
"""Hops counted exactly are fewer than this; this number stands for itself and all larger ones.

Numbers of hops are bits of a word, which is then never negative.
"""


class Failures(NamedTuple):
    """Failures of which any may happen, up to some number.

    Attributes
    ----------
    link, own : int64 arrays, shape (channels,) and (routers,)
        The part of a channel and of a router; −1 if it cannot fail.
    kept : bool array, shape (parts,)
        Parts that do not fail.
    most : int
        Parts that fail at most.
    """

    link: npt.NDArray[np.int64]
    own: npt.NDArray[np.int64]
    kept: npt.NDArray[np.bool_]
    most: int


class Reach(NamedTuple):
    """How far routers can be from the present destination.

    Attributes
    ----------
    distance : int32 array, shape (routers,)
        Hops while no more fails; −1 without a path.
    bound : int64 array, shape (routers,)
        The most hops after failures; −1 where it was not sought yet.
    hops : int64 array, shape (routers,)
        Bits of the hops that each router can be away on a path of packets.
    """

    distance: npt.NDArray[np.int32]
    bound: npt.NDArray[np.int64]
    hops: npt.NDArray[np.int64]


class Search(NamedTuple):
    """Room for `farthest`.

    Attributes
    ----------
    seen : int32 array, shape ((FAR + 1) · routers,)
        The last call in which a router was entered with this number of hops left.
    used : int32 array, shape (parts + 1,)
        The last call that found a path over each part; at the end the number of calls.
    stack : int64 array
        The path, two words for each router on it: the router, and its next outgoing channel to try.
    """

    seen: npt.NDArray[np.int32]
    used: npt.NDArray[np.int32]
    stack: npt.NDArray[np.int64]


def failure_types(t):
    return t.NamedTuple((t.READ64, t.READ64, t.READ_BOOL, t.int64), Failures)


def reach_types(t):
    return t.NamedTuple((t.I32, t.I64, t.I64), Reach)


def search_types(t):
    return t.NamedTuple((t.I32, t.I32, t.I64), Search)


@kernel(lambda t: t.boolean(t.READ32, t.int64, t.int64, t.int64), allocates=False)
def leads(distance, router, hops, home):
    """Whether a router can be this number of hops from a destination after failures: no fewer than before."""
    if router == home:
        return hops == 0
    return hops >= 1 and 0 <= distance[router] <= hops


@kernel(
    lambda t: t.int64(
        graph_types(t), t.READ_BOOL, failure_types(t), t.READ32, t.int64, t.int64, t.int64, search_types(t)
    ),
    allocates=False,
)
def farthest(graph, alive, failures, distance, start, home, longer, search):
    """Return the most hops from a router to a destination after some failures; FAR if that is not bounded.

    More paths than failures that share no part which can fail bound it: one of them is left. They are sought the
    shortest first, up to `longer` hops longer than the shortest of all.
    """
    first_out, outgoing, target = graph.first_out, graph.outgoing, graph.target
    link, own, kept, most = failures
    seen, used, stack = search
    # A stamp of its own saves each call to clear `seen` and `used`.
    routers, paths, stamp = distance.size, 0, used[-1] + 1
    used[-1] = stamp
    for length in range(distance[start], min(distance[start] + longer, FAR - 1) + 1):
        # Paths of just this length, depth first, one after the other. What was entered in vain with as many hops left
        # need not be entered again: parts only come into use.
        while True:
            depth = 0
            stack[0], stack[1] = start, first_out[start]
            while depth >= 0:
                router, k, left = stack[2 * depth], stack[2 * depth + 1], length - depth
                if router == home:
                    break
                if k == first_out[router + 1]:
                    depth -= 1
                    continue
                stack[2 * depth + 1] = k + 1
                channel = outgoing[k]
                to = target[channel]
                part, inner = link[channel], own[to]
                if not alive[channel] or not leads(distance, to, left - 1, home):
                    continue
                if part >= 0 and not kept[part] and used[part] == stamp:
                    continue
                if to != home:
                    if inner >= 0 and not kept[inner] and used[inner] == stamp:
                        continue
                    if seen[(left - 1) * routers + to] == stamp:
                        continue
                    seen[(left - 1) * routers + to] = stamp
                depth += 1
                stack[2 * depth], stack[2 * depth + 1] = to, first_out[to]
            if depth < 0:
                break
            # No later path may take one of its parts that can fail. Its routers were not entered in vain: they count
            # as not seen.
            paths += 1
            can_fail = False
            for i in range(length):
                part, inner = link[outgoing[stack[2 * i + 1] - 1]], -1 if i == 0 else own[stack[2 * i]]
                if i > 0:
                    seen[(length - i) * routers + stack[2 * i]] = 0
                if part >= 0 and not kept[part]:
                    used[part], can_fail = stamp, True
                if inner >= 0 and not kept[inner]:
                    used[inner], can_fail = stamp, True
            if paths > most or not can_fail:
                return length
    return FAR


@kernel(lambda t: t.int64(reach_types(t), t.int64, t.int64, t.int64, t.int64), inline=True)
def can_be(reach, router, hops, far, home):
    """Whether a router can be this number of hops from a destination; −1: that takes a bound not yet known.

    The caller seeks it then, as most bounds are never wanted; what that takes would slow down all other calls.
    """
    distance, bound = reach.distance, reach.bound
    if router == home:
        return 1 if hops == 0 else 0
    if distance[router] < 0 or hops < 1 or (hops < far and hops < distance[router]):
        return 0
    if hops < far and hops == distance[router]:
        return 1
    if bound[router] < 0:
        return -1
    return 1 if hops <= bound[router] else 0
