# mypy: ignore-errors
"""Dependencies between buffers of an Ethernet fabric under one set of failures, and the pairs that are cut off."""

from unknot._base.kernels.lazy_kernel import kernel
from unknot.routing.path_vector_kernel import BITS, announce, graph_types, policy_types, route_types


@kernel(
    lambda t: t.int64(
        graph_types(t), t.READ_BOOL, policy_types(t), t.READ32, t.READ64, t.READ64, t.READ64, route_types(t),
        t.boolean[::1], t.I64, t.I64,
    ),
    allocates=False,
)  # fmt: skip
def dependencies(graph, alive, policy, preferred, homes, senders, receivers, routes, active, after, totals):
    """Write which channel waits for which, as words of bits for each channel; return the undelivered pairs.

    senders, receivers: terminals at each router, none at one that failed; active: room. totals[:2]: see `choices` of
    `announce`; totals[2:4]: the first router that is cut off, and from which destination.
    """
    first_out, outgoing, target, position = graph.first_out, graph.outgoing, graph.target, graph.position
    hops, _, distance, order = routes
    words = hops.size // distance.size
    after[:] = 0
    sending = senders.sum()
    undelivered = 0
    for home in homes:
        if receivers[home] == 0:
            continue
        reached = announce(graph, alive, policy, preferred, home, routes, totals)
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
