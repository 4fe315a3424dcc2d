# mypy: ignore-errors
"""Paths that routers announce to one another for one destination, as BGP chooses them."""

from unknot._base.kernels.lazy_kernel import kernel

BITS = 62
"""Outgoing channels of a router in each word of its next hops."""


@kernel(lambda t: t.boolean(t.READ32, t.READ32, t.READ_BOOL, t.boolean, t.int64, t.int64))
def paths_differ(parent, systems, shared, all_of_them, one, other):
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
            # The destination is the same router.
            return False
        if systems[one] != systems[other]:
            return True
        one, other = parent[one], parent[other]


@kernel(
    lambda t: t.int64(
        t.Tuple((t.READ64, t.READ32, t.READ64, t.READ32, t.READ32, t.READ32, t.READ64)), t.READ_BOOL, t.READ32,
        t.READ_BOOL, t.int64, t.int64, t.READ32, t.int64, t.I64, t.I32, t.I32, t.I32, t.I64,
    )
)  # fmt: skip
def announce(graph, alive, systems, shared, limit, relax, preferred, home, hops, parent, distance, order, choices):
    """Spread the paths to a destination, the shortest first; return how many routers have one, listed in `order`.

    hops: for each router the words of its next hops, bits by position among its outgoing channels. parent: the
    neighbour whose path it announces: the preferred one if its path is among the best, else that of the lowest
    number. choices[0] counts the routers without a preferred one at which another neighbour's path could be announced
    that others may treat otherwise; choices[1] is the first of them in such a call.
    """
    first_in, incoming, first_out, outgoing, source, target, position = graph
    routers = distance.size
    words = hops.size // routers
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
                    if count > limit:
                        continue
                if distance[to] < 0:
                    distance[to] = distance[router] + 1
                    parent[to] = router
                    order[last] = to
                    last += 1
                elif router == preferred[to] or (router < parent[to] and parent[to] != preferred[to]):
                    parent[to] = router
                hops[to * words + position[channel] // BITS] |= 1 << (position[channel] % BITS)
        for i in range(end, last):
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
