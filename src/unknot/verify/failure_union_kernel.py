# mypy: ignore-errors
"""Dependencies between buffers on routes after one set of failures, and after all of at most some number at once."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.kernels.lazy_kernel import kernel
from unknot.routing.path_vector_kernel import BITS, announce, graph_types, policy_types, route_types
from unknot.verify.failure_paths_kernel import FAR, can_be, failure_types, farthest, reach_types, search_types


class Systems(NamedTuple):
    """Autonomous systems.

    Attributes
    ----------
    number : int32 array, shape (routers,)
    mixed : bool
        Whether some routers share one, so that paths can be refused.
    distinct : bool
        Whether a path never has one twice.
    """

    number: npt.NDArray[np.int32]
    mixed: bool
    distinct: bool


class Onward(NamedTuple):
    """Channels as words of bits, by position among the outgoing ones of their router.

    Attributes
    ----------
    channels : int64 array, shape (routers · (words + 1),)
        Channels on which a router may send on, then the round for which they were found.
    barred : int64 array, shape (channels · words,)
        Those that never follow a channel.
    after : int64 array, shape (channels · words,)
        Those that can follow a channel: the dependencies that are sought.
    """

    channels: npt.NDArray[np.int64]
    barred: npt.NDArray[np.int64]
    after: npt.NDArray[np.int64]


def system_types(t):
    return t.NamedTuple((t.READ32, t.boolean, t.boolean), Systems)


def onward_types(t):
    return t.NamedTuple((t.I64, t.I64, t.I64), Onward)


@kernel(
    lambda t: t.int64(
        graph_types(t), t.READ_BOOL, system_types(t), t.READ64, t.READ64, failure_types(t), t.int64, reach_types(t),
        search_types(t), onward_types(t), t.I64,
    ),
    allocates=False,
)  # fmt: skip
def possible(graph, alive, systems, homes, hosts, failures, longer, reach, search, onward, loose):
    """Write which channel can wait for which after at most some failures; return the pairs without a bound.

    homes, hosts: the destinations, and how many terminals each router has. longer: see `farthest`. loose: for each
    destination the router whose paths can grow most, and by how many hops; −1 if none can.
    """
    first_in, incoming, first_out, outgoing, source, target, position = graph
    number_of, mixed, distinct = systems
    distance, bound, hops = reach
    seen, _, stack = search
    channels, barred, after = onward
    routers = distance.size
    words = after.size // source.size
    after[:] = 0
    barred[:] = 0
    for channel in range(source.size):
        to = target[channel]
        for k in range(first_out[to], first_out[to + 1]):
            last = target[outgoing[k]]
            if last == source[channel] or (distinct and number_of[last] == number_of[source[channel]]):
                barred[channel * words + position[outgoing[k]] // BITS] |= 1 << (position[outgoing[k]] % BITS)
    channels[:] = 0
    unbounded, level = 0, 0
    for column in range(homes.size):
        home = homes[column]
        loose[2 * column], loose[2 * column + 1] = -1, 0
        hops[:] = 0
        if hosts[home] == 0:
            continue
        distance[:] = -1
        distance[home] = 0
        stack[0] = home
        end = 1
        begin = 0
        while begin < end:
            router = stack[begin]
            begin += 1
            for k in range(first_in[router], first_in[router + 1]):
                to = source[incoming[k]]
                if alive[incoming[k]] and distance[to] < 0:
                    distance[to] = distance[router] + 1
                    stack[end] = to
                    end += 1
        # On shortest paths nobody refuses anything if all routers of an AS are as far: none is behind another.
        steady = True
        if mixed:
            for i in range(routers):
                hops[i] = 1 if hosts[i] and distance[i] > 0 else 0
            for i in range(end - 1, 0, -1):
                router = stack[i]
                for k in range(first_out[router], first_out[router + 1]):
                    to = target[outgoing[k]]
                    if hops[router] and alive[outgoing[k]] and distance[to] == distance[router] - 1:
                        hops[to] = 1
            seen[:routers] = -1
            for router in range(routers):
                if hops[router]:
                    system = number_of[router]
                    steady = steady and (seen[system] == -1 or seen[system] == distance[router])
                    seen[system] = distance[router]
            hops[:] = 0
        # From `far` hops on all numbers allow the same. The router reached last is the farthest.
        far, top = min(FAR, distance[stack[end - 1]] + longer + 1), 0
        # Where paths may be refused nothing is known of routers on the way.
        bound[:] = FAR if mixed else -1
        for start in range(routers):
            if hosts[start] == 0 or distance[start] <= 0:
                continue
            bound[start] = FAR
            if steady:
                extra = 0 if mixed else longer
                bound[start] = farthest(graph, alive, failures, distance, start, home, extra, search)
            most, more = bound[start], bound[start] - distance[start]
            unbounded += most == FAR
            if more > loose[2 * column + 1]:
                loose[2 * column], loose[2 * column + 1] = start, more
            for left in range(min(distance[start], far), min(most, far) + 1):
                hops[start] |= 1 << left
            top = max(top, min(most, far))
        # From the farthest on: a router `left` hops away sends to one a hop nearer, which then can be on a path too.
        # From `far` hops on that may be as far again, so it is repeated until no router is new among them.
        left = top
        while left > 0:
            grown = False
            for then in range(left - 1, left + (left == far)):
                level += 1
                for router in range(routers):
                    if router == home or not hops[router] >> left & 1:
                        continue
                    for k in range(first_out[router], first_out[router + 1]):
                        channel = outgoing[k]
                        to = target[channel]
                        answer = can_be(reach, to, then, far, home) if alive[channel] else 0
                        if answer < 0:
                            bound[to] = farthest(graph, alive, failures, distance, to, home, longer, search)
                            answer = 1 if then <= bound[to] else 0
                        if answer == 0:
                            continue
                        grown = grown or (then == far and not hops[to] >> far & 1)
                        hops[to] |= 1 << then
                        if to == home:
                            continue
                        if channels[to * (words + 1) + words] != level:
                            # Onward channels of a router that is `then` hops away, found once for all before it.
                            channels[to * (words + 1) : to * (words + 1) + words] = 0
                            channels[to * (words + 1) + words] = level
                            for j in range(first_out[to], first_out[to + 1]):
                                last = target[outgoing[j]]
                                answer = 0
                                for fewer in range(then - 1, then + (then == far)):
                                    if alive[outgoing[j]] and answer == 0:
                                        answer = can_be(reach, last, fewer, far, home)
                                        if answer < 0:
                                            bound[last] = farthest(
                                                graph, alive, failures, distance, last, home, longer, search
                                            )
                                            answer = 1 if fewer <= bound[last] else 0
                                if answer:
                                    place = position[outgoing[j]]
                                    channels[to * (words + 1) + place // BITS] |= 1 << (place % BITS)
                        for word in range(words):
                            fresh = channels[to * (words + 1) + word] & ~barred[channel * words + word]
                            after[channel * words + word] |= fresh
            if not grown:
                left -= 1
    return unbounded


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
