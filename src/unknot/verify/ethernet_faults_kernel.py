# mypy: ignore-errors
"""Dependencies between buffers of an Ethernet fabric under one set of failures, and the pairs that are cut off."""

from unknot._base.kernels.lazy_kernel import kernel
from unknot.routing.path_vector_kernel import BITS, announce


@kernel(
    lambda t: t.int64(
        t.Tuple((t.READ64, t.READ32, t.READ64, t.READ32, t.READ32, t.READ32, t.READ64)), t.READ_BOOL, t.READ32,
        t.READ_BOOL, t.int64, t.int64, t.READ32, t.READ64, t.READ64, t.READ64, t.I64, t.I32, t.I32, t.I32,
        t.boolean[::1], t.I64, t.I64,
    )
)  # fmt: skip
def dependencies(
    graph, alive, systems, shared, limit, relax, preferred, homes, senders, receivers, hops, parent, distance, order,
    active, after, totals
):  # fmt: skip
    """Write which channel waits for which, as words of bits for each channel; return the undelivered pairs.

    senders, receivers: terminals at each router, none at one that failed. totals[:2]: see `choices` of `announce`;
    totals[2:4]: the first router that is cut off, and from which destination.
    """
    first_out, outgoing, target, position = graph[2], graph[3], graph[5], graph[6]
    words = hops.size // distance.size
    after[:] = 0
    sending = senders.sum()
    undelivered = 0
    for home in homes:
        if receivers[home] == 0:
            continue
        reached = announce(
            graph, alive, systems, shared, limit, relax, preferred, home, hops, parent, distance, order, totals
        )  # fmt: skip
        active[:] = False
        served = 0
        # The farthest first: whoever sends to a router is farther.
        for i in range(reached - 1, -1, -1):
            router = order[i]
            served += senders[router]
            if i == 0 or (senders[router] == 0 and not active[router]):
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
                if senders[router] and distance[router] < 0:
                    totals[2] = router
                    break
        undelivered += (sending - served) * receivers[home]
    return undelivered
