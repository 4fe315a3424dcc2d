# mypy: ignore-errors
"""Dependencies between buffers on routes after at most some number of failures, for all of them at once."""

from unknot._base.kernels.lazy_kernel import kernel
from unknot.routing.path_vector_kernel import BITS

FAR = 62
"""Hops counted exactly are fewer than this; this number stands for itself and all larger ones."""


@kernel(lambda t: t.boolean(t.READ32, t.int64, t.int64, t.int64))
def leads(distance, router, hops, home):
    """Whether a router can be this number of hops from a destination after failures: no fewer than before."""
    if router == home:
        return hops == 0
    return hops >= 1 and 0 <= distance[router] <= hops


@kernel(
    lambda t: t.int64(
        t.Tuple((t.READ64, t.READ32, t.READ64, t.READ32, t.READ32, t.READ32, t.READ64)), t.READ_BOOL, t.READ64,
        t.READ64, t.READ_BOOL, t.READ32, t.int64, t.int64, t.int64, t.int64, t.I32, t.I32, t.I64,
    )
)  # fmt: skip
def farthest(
    graph, alive, link, own, kept, distance, start, home, failures, longer, seen, used, stack
):  # fmt: skip
    """Return the most hops from a router to a destination after some failures; FAR if that is not bounded.

    More paths than failures that share no part which can fail bound it: one of them is left. They are sought the
    shortest first, up to `longer` hops longer than the shortest of all. link, own: the part of a channel and of a
    router, -1 if it cannot fail; kept: parts that do not fail. used[-1] counts the calls.
    """
    first_out, outgoing, target = graph[2], graph[3], graph[5]
    routers, found, stamp = distance.size, 0, used[-1] + 1
    used[-1] = stamp
    for length in range(distance[start], min(distance[start] + longer, FAR - 1) + 1):
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
            found += 1
            can_fail = False
            for i in range(length):
                part, inner = link[outgoing[stack[2 * i + 1] - 1]], -1 if i == 0 else own[stack[2 * i]]
                if i > 0:
                    seen[(length - i) * routers + stack[2 * i]] = 0
                if part >= 0 and not kept[part]:
                    used[part], can_fail = stamp, True
                if inner >= 0 and not kept[inner]:
                    used[inner], can_fail = stamp, True
            if found > failures or not can_fail:
                return length
    return FAR


@kernel(lambda t: t.int64(t.READ32, t.I64, t.int64, t.int64, t.int64, t.int64), inline=True)
def can_be(distance, bound, router, hops, far, home):
    """Whether a router can be this number of hops from a destination; -1: that takes a bound not yet known."""
    if router == home:
        return 1 if hops == 0 else 0
    if distance[router] < 0 or hops < 1 or (hops < far and hops < distance[router]):
        return 0
    if hops < far and hops == distance[router]:
        return 1
    if bound[router] < 0:
        return -1
    return 1 if hops <= bound[router] else 0


@kernel(
    lambda t: t.int64(
        t.Tuple((t.READ64, t.READ32, t.READ64, t.READ32, t.READ32, t.READ32, t.READ64)), t.READ_BOOL, t.READ32,
        t.boolean, t.boolean, t.READ64, t.READ64, t.READ64, t.READ64, t.READ_BOOL, t.int64, t.int64, t.I32, t.I64,
        t.I32, t.I32, t.I64, t.I64, t.I64, t.I64, t.I64, t.I64,
    )
)  # fmt: skip
def possible(
    graph, alive, systems, mixed, distinct, homes, hosts, link, own, kept, failures, longer, distance, hops, seen,
    used, stack, bound, onward, barred, after, loose
):  # fmt: skip
    """Write which channel can wait for which after at most some failures; return the pairs without a bound.

    mixed: whether some routers share an AS, so that paths can be refused; distinct: whether a path never has an AS
    twice. hops: for each router bits of the hops that it can be from the present destination on a path of packets.
    bound: the most hops of each router, -1 where it was not sought yet. onward: words of bits of the channels onward
    of each router, and the round for which they were found; barred: of those that never follow a channel.
    loose: for each destination the router whose paths can grow most, and by how many hops; -1 if none can.
    """
    first_in, incoming, first_out, outgoing, source, target, position = graph
    routers = distance.size
    words = after.size // source.size
    after[:] = 0
    barred[:] = 0
    for channel in range(source.size):
        to = target[channel]
        for k in range(first_out[to], first_out[to + 1]):
            last = target[outgoing[k]]
            if last == source[channel] or (distinct and systems[last] == systems[source[channel]]):
                barred[channel * words + position[outgoing[k]] // BITS] |= 1 << (position[outgoing[k]] % BITS)
    onward[:] = 0
    unbounded, level = 0, 0
    for number in range(homes.size):
        home = homes[number]
        loose[2 * number], loose[2 * number + 1] = -1, 0
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
                    steady = steady and (seen[systems[router]] == -1 or seen[systems[router]] == distance[router])
                    seen[systems[router]] = distance[router]
            hops[:] = 0
        # From `far` hops on all numbers allow the same.
        far, top = min(FAR, distance.max() + longer + 1), 0
        # Where paths may be refused nothing is known of routers on the way.
        bound[:] = FAR if mixed else -1
        for start in range(routers):
            if hosts[start] == 0 or distance[start] <= 0:
                continue
            bound[start] = FAR
            if steady:
                extra = 0 if mixed else longer
                bound[start] = farthest(
                    graph, alive, link, own, kept, distance, start, home, failures, extra, seen, used, stack
                )
            most, more = bound[start], bound[start] - distance[start]
            unbounded += most == FAR
            if more > loose[2 * number + 1]:
                loose[2 * number], loose[2 * number + 1] = start, more
            for left in range(min(distance[start], far), min(most, far) + 1):
                hops[start] |= 1 << left
            top = max(top, min(most, far))
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
                        answer = can_be(distance, bound, to, then, far, home) if alive[channel] else 0
                        if answer < 0:
                            bound[to] = farthest(
                                graph, alive, link, own, kept, distance, to, home, failures, longer, seen, used, stack
                            )
                            answer = 1 if then <= bound[to] else 0
                        if answer == 0:
                            continue
                        grown = grown or (then == far and not hops[to] >> far & 1)
                        hops[to] |= 1 << then
                        if to == home:
                            continue
                        if onward[to * (words + 1) + words] != level:
                            # Onward channels of a router that is `then` hops away.
                            onward[to * (words + 1) : to * (words + 1) + words] = 0
                            onward[to * (words + 1) + words] = level
                            for j in range(first_out[to], first_out[to + 1]):
                                last = target[outgoing[j]]
                                answer = 0
                                for fewer in range(then - 1, then + (then == far)):
                                    if alive[outgoing[j]] and answer == 0:
                                        answer = can_be(distance, bound, last, fewer, far, home)
                                        if answer < 0:
                                            bound[last] = farthest(
                                                graph, alive, link, own, kept, distance, last, home, failures, longer,
                                                seen, used, stack,
                                            )  # fmt: skip
                                            answer = 1 if fewer <= bound[last] else 0
                                if answer:
                                    place = position[outgoing[j]]
                                    onward[to * (words + 1) + place // BITS] |= 1 << (place % BITS)
                        for word in range(words):
                            fresh = onward[to * (words + 1) + word] & ~barred[channel * words + word]
                            after[channel * words + word] |= fresh
            if not grown:
                left -= 1
    return unbounded
