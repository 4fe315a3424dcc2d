# mypy: ignore-errors
"""Dependencies between buffers on routes after failures, and the pairs of routers that more failures move apart."""

from typing import NamedTuple

from unknot._base.kernels.lazy_kernel import FLAGS, I32, I64, READ32, READ64, READ_BOOL, kernel
from unknot.network.graph_kernel import bfs
from unknot.routing.path_vector_kernel import BITS, ChannelGraph, Policy, VectorRoutes, announce


class PossibleFailures(NamedTuple):
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

    link: READ64
    own: READ64
    kept: READ_BOOL
    most: int


class FailureSearch(NamedTuple):
    """Room for `is_fixed` and `loose_pairs`.

    Attributes
    ----------
    distance : int32 array, shape (routers,)
        Hops to the present destination; −1 without a path.
    seen : int32 array, shape (routers,)
        The last call in which a router was entered.
    used : int32 array, shape (parts + 1,)
        The last call that took a path over each part; at the end the number of calls.
    stack : int64 array, shape (2 · (routers + 1),)
        The path, two words for each router on it: the router, and its next outgoing channel to try.
    queue : int32 array, shape (routers,)
        Routers with a path to the present destination, the nearest first.
    on_way : bool array, shape (routers,)
        Routers on shortest paths from terminals to the present destination.
    """

    distance: I32
    seen: I32
    used: I32
    stack: I64
    queue: I32
    on_way: FLAGS


@kernel(allocates=False)
def is_fixed(
    graph: ChannelGraph, alive: READ_BOOL, failures: PossibleFailures, start: int, home: int, search: FailureSearch
) -> bool:
    """Whether disjoint shortest paths outnumber the failures, so that at least one path survives."""
    first_out, outgoing, target = graph.first_out, graph.outgoing, graph.target
    link, own, kept, most = failures
    distance, seen, used, stack, _, _ = search
    # A stamp of its own saves each call to clear `seen` and `used`.
    paths, stamp = 0, used[-1] + 1
    used[-1] = stamp
    # Paths, depth first, one after the other. What was entered in vain need not be entered again: parts only come
    # into use.
    while True:
        depth = 0
        stack[0], stack[1] = start, first_out[start]
        while depth >= 0:
            router, k = stack[2 * depth], stack[2 * depth + 1]
            if router == home:
                break
            if k == first_out[router + 1]:
                depth -= 1
                continue
            stack[2 * depth + 1] = k + 1
            channel = outgoing[k]
            to = target[channel]
            part, inner = link[channel], own[to]
            if not alive[channel] or distance[to] < 0 or distance[to] != distance[router] - 1:
                continue
            # A part of an earlier path is no longer free: paths that share one would fail together.
            if part >= 0 and not kept[part] and used[part] == stamp:
                continue
            if to != home:
                if seen[to] == stamp or (inner >= 0 and not kept[inner] and used[inner] == stamp):
                    continue
                seen[to] = stamp
            depth += 1
            stack[2 * depth], stack[2 * depth + 1] = to, first_out[to]
        if depth < 0:
            return False
        # No later path may take one of its parts that can fail. Its routers were not entered in vain: they count as
        # not seen.
        paths += 1
        can_fail = False
        for i in range(depth):
            part, inner = link[outgoing[stack[2 * i + 1] - 1]], -1 if i == 0 else own[stack[2 * i]]
            if i > 0:
                seen[stack[2 * i]] = 0
            if part >= 0 and not kept[part]:
                used[part], can_fail = stamp, True
            if inner >= 0 and not kept[inner]:
                used[inner], can_fail = stamp, True
        if paths > most or not can_fail:
            return True


@kernel(allocates=False)
def loose_pairs(
    graph: ChannelGraph,
    alive: READ_BOOL,
    entering: tuple[READ64, READ32],
    systems: READ32,
    homes: READ64,
    hosts: READ64,
    failures: PossibleFailures,
    search: FailureSearch,
    pairs: I64,
) -> int:
    """Write the pairs of routers with terminals of which failures may break all shortest paths; return their number.

    −1: some router could refuse a shortest path, or has none. If all routers of an AS are as far from the destination
    on shortest paths from terminals, nobody refuses one: none is behind another. entering: rows of the routers with a
    channel to each that is alive. systems: the AS of each router, or nothing where none share one.
    pairs: room for start and destination of each; where it is full the search ends.
    """
    first_out, outgoing, target = graph.first_out, graph.outgoing, graph.target
    first_before, before = entering
    distance, seen, _, _, queue, on_way = search
    count = 0
    for home in homes:
        if hosts[home] == 0:
            continue
        reached = bfs(first_before, before, home, distance, queue)
        if systems.size:
            for router in range(distance.size):
                on_way[router] = hosts[router] > 0
            for i in range(reached - 1, 0, -1):
                router = queue[i]
                # Whoever sends over a router is farther, so that it is marked by now.
                for k in range(first_out[router], first_out[router + 1]):
                    to = target[outgoing[k]]
                    if on_way[router] and alive[outgoing[k]] and distance[to] == distance[router] - 1:
                        on_way[to] = True
            # Hops of the ASes, counted from 1, in the room of what was seen.
            seen[:] = 0
            for i in range(reached):
                router = queue[i]
                if on_way[router]:
                    if seen[systems[router]] > 0 and seen[systems[router]] != distance[router] + 1:
                        return -1
                    seen[systems[router]] = distance[router] + 1
            seen[:] = 0
        for start in range(distance.size):
            if hosts[start] == 0 or start == home:
                continue
            if distance[start] < 0:
                return -1
            if not is_fixed(graph, alive, failures, start, home, search):
                if 2 * count == pairs.size:
                    return count
                pairs[2 * count], pairs[2 * count + 1] = start, home
                count += 1
    return count


@kernel(allocates=False)
def dependencies(
    graph: ChannelGraph,
    alive: READ_BOOL,
    policy: Policy,
    preferred: READ32,
    homes: READ64,
    hosts: READ64,
    routes: VectorRoutes,
    active: FLAGS,
    after: I64,
    totals: I64,
) -> int:
    """Write which channel waits for which, as words of bits for each channel; return the undelivered pairs.

    hosts: terminals at each router, none at one that failed; active: room. totals[:2]: see `choices` of
    `announce`; totals[2:4]: the first router that is cut off, and from which destination.
    """
    first_out, outgoing, target, position = graph.first_out, graph.outgoing, graph.target, graph.position
    hops, _, distance, order = routes
    words = hops.size // distance.size
    after[:] = 0
    sending = hosts.sum()
    undelivered = 0
    for home in homes:
        if hosts[home] == 0:
            continue
        reached = announce(graph, alive, policy, preferred, home, routes, totals)
        active[:] = False
        served = 0
        # The farthest first: whoever sends to a router is farther.
        for i in range(reached - 1, -1, -1):
            router = order[i]
            served += hosts[router]
            if i == 0 or (hosts[router] == 0 and not active[router]):
                continue
            for k in range(first_out[router], first_out[router + 1]):
                channel = outgoing[k]
                if hops[router * words + position[channel] // BITS] >> (position[channel] % BITS) & 1:
                    to = target[channel]
                    active[to] = True
                    if to != home:
                        for word in range(words):
                            after[channel * words + word] |= hops[to * words + word]
        if served < sending and undelivered == 0:
            totals[3] = home
            for router in range(distance.size):
                if hosts[router] and distance[router] < 0:
                    totals[2] = router
                    break
        undelivered += (sending - served) * hosts[home]
    return undelivered
