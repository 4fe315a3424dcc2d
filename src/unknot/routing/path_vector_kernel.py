# mypy: ignore-errors
"""Paths that routers announce to one another for one destination, as BGP chooses them."""

from typing import NamedTuple

from unknot._base.kernels.lazy_kernel import I32, I64, READ32, READ64, READ_BOOL, kernel

BITS = 62
"""Outgoing channels of a router in each word of its next hops; a word is then never negative."""


class ChannelGraph(NamedTuple):
    """A network's channels.

    Attributes
    ----------
    first_in, incoming, first_out, outgoing : arrays
        Channels into and out of each router, in compressed rows.
    source, target : int32 arrays, shape (channels,)
    position : int64 array, shape (channels,)
        Of each channel among the outgoing ones of its router.
    """

    first_in: READ64
    incoming: READ32
    first_out: READ64
    outgoing: READ32
    source: READ32
    target: READ32
    position: READ64


class Policy(NamedTuple):
    """Which paths routers accept, and which share the load; as the attributes of `PathVector`."""

    systems: READ32
    shared: READ_BOOL
    limits: READ32
    relax: int


class VectorRoutes(NamedTuple):
    """Routes to one destination, as `announce` writes them.

    Attributes
    ----------
    hops : int64 array
        For each router the words of its next hops, bits by position among its outgoing channels.
    parent : int32 array, shape (routers,)
        The neighbour whose path a router announces.
    distance : int32 array, shape (routers,)
        Hops; −1 without a path.
    order : int32 array, shape (routers,)
        Routers with a path, nearest first.
    """

    hops: I64
    parent: I32
    distance: I32
    order: I32


@kernel(allocates=False)
def paths_differ(parent: READ32, systems: READ32, shared: READ_BOOL, all_of_them: bool, one: int, other: int) -> bool:
    """Whether two announced paths differ: in their ASes, or in those of several routers alone."""
    while True:
        while parent[one] != one and not (all_of_them or shared[one]):
            one = parent[one]
        while parent[other] != other and not (all_of_them or shared[other]):
            other = parent[other]
        ends = parent[one] == one
        if ends != (parent[other] == other):
            return True
        if ends:
            # Both paths end at the one router that announces, and all before was alike.
            return False
        if systems[one] != systems[other]:
            return True
        one, other = parent[one], parent[other]


@kernel(allocates=False)
def announce(
    graph: ChannelGraph,
    alive: READ_BOOL,
    policy: Policy,
    preferred: READ32,
    home: int,
    routes: VectorRoutes,
    choices: I64,
) -> int:
    """Spread the paths to a destination, the shortest first; return how many routers have one, listed in `order`.

    A router announces the path of its preferred neighbour if that is among the best, else that of the lowest number.
    choices[0] counts the routers without a preferred one at which another neighbour's path could be announced that
    others may treat otherwise; choices[1] is the first of them in such a call.
    """
    systems, shared, limits, relax = policy
    hops, parent, distance, order = routes
    first_in, incoming, first_out, outgoing, source, target, position = graph
    routers = distance.size
    words = hops.size // routers
    # Else paths of one length differ for nobody.
    choosing = not relax or shared.any()
    hops[:] = 0
    distance[:] = -1
    distance[home] = 0
    parent[home] = home
    order[0] = home
    begin, end = 0, 1
    while begin < end:
        last = end
        for i in range(begin, end):
            router = order[i]
            for k in range(first_in[router], first_in[router + 1]):
                channel = incoming[k]
                to = source[channel]
                if not alive[channel] or (0 <= distance[to] <= distance[router]) or systems[to] == systems[router]:
                    continue
                if shared[to]:
                    count, at = 0, router
                    while True:
                        if systems[at] == systems[to]:
                            count += 1
                        if at == home:
                            break
                        at = parent[at]
                    if count > limits[channel]:
                        continue
                if distance[to] < 0:
                    distance[to] = distance[router] + 1
                    parent[to] = router
                    order[last] = to
                    last += 1
                elif router == preferred[to] or (router < parent[to] and parent[to] != preferred[to]):
                    parent[to] = router
                hops[to * words + position[channel] // BITS] |= 1 << (position[channel] % BITS)
        for i in range(end, last if choosing else end):
            router = order[i]
            best, several = parent[router], False
            for k in range(first_out[router], first_out[router + 1]):
                channel = outgoing[k]
                word, bit = router * words + position[channel] // BITS, 1 << (position[channel] % BITS)
                to = target[channel]
                if hops[word] & bit and to != best:
                    if not relax and systems[to] != systems[best]:
                        hops[word] &= ~bit
                        several = True
                    elif not several and paths_differ(parent, systems, shared, not relax, to, best):
                        several = True
            if several and preferred[router] < 0:
                if choices[0] == 0:
                    choices[1] = router
                choices[0] += 1
        begin, end = end, last
    return end
