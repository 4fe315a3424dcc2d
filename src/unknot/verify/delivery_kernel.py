# mypy: ignore-errors
"""Delivery of one address after the other: dead ends, loops, lengths of routes."""

import numpy as np

from unknot._base.kernels.lazy_kernel import kernel
from unknot.network.distance_kernel import bfs
from unknot.routing.candidate import EJECT, VC_MASK
from unknot.verify.states_kernel import explore


@kernel(
    lambda t: t.int64(t.RULE, t.MAP, t.READ64, t.READ32, t.READ32, t.READ32, t.int64, t.int64, t.I32, *[t.I64] * 7)
)
def judge(rule, layout, in_first, in_channel, source, target_router, start, stop, seen, order, first, value, out,
          facts, dead, loops):  # fmt: skip
    """Judge the addresses from `start` to `stop`.

    Adds to facts: pairs, undelivered pairs, dead ends, loops, whether some state lies on a cycle, whether some step
    is not on a shortest path; keeps the longest route with its source and address. `dead` and `loops` take (input VC,
    address) of the first dead ends and of the first states on or before cycles that cannot reach ejection. Returns
    −1, or the address of a broken state with its input VC in facts[9].
    """
    router, tail, eject, destination = layout[0], layout[1], layout[2], layout[3]
    vcs = len(tail)
    input_vcs = len(router)
    slot = np.empty(input_vcs, np.int64)
    delivers = np.zeros(input_vcs, np.bool_)
    length = np.zeros(input_vcs, np.int64)
    left = np.zeros(input_vcs, np.int64)
    stack = np.empty(input_vcs, np.int64)
    distance = np.empty(len(in_first) - 1, np.int32)
    queue = np.empty(len(in_first) - 1, np.int32)
    for address in range(start, stop):
        count = explore(rule, address, layout, seen, address + 1, order, first, value, out)
        if count < 0:
            facts[9] = order[-1 - count]
            return address
        home = eject[destination[address]]
        bfs(in_first, in_channel, source, home, distance, queue)
        for i in range(count):
            slot[order[i]] = i
        back_first = np.zeros(count + 1, np.int64)
        for i in range(count):
            left[i] = 0
            delivers[i] = False
            length[i] = 0
            here = router[order[i]]
            for k in range(first[i], first[i + 1]):
                vc = value[k] & VC_MASK
                if vc == EJECT:
                    delivers[i] = True
                else:
                    back_first[slot[vc] + 1] += 1
                    left[i] += 1
                    if distance[target_router[vc]] != distance[here] - 1:
                        facts[5] = 1
        for i in range(count):
            back_first[i + 1] += back_first[i]
        back = np.empty(back_first[count], np.int64)
        cursor = back_first[:count].copy()
        for i in range(count):
            for k in range(first[i], first[i + 1]):
                vc = value[k] & VC_MASK
                if vc != EJECT:
                    back[cursor[slot[vc]]] = i
                    cursor[slot[vc]] += 1
        # Longest route: states whose successors are all done, in that order; the others lie on or before a cycle.
        size = 0
        done = 0
        for i in range(count):
            if left[i] == 0:
                stack[size] = i
                size += 1
        while done < size:
            i = stack[done]
            done += 1
            for k in range(back_first[i], back_first[i + 1]):
                p = back[k]
                length[p] = max(length[p], length[i] + 1)
                left[p] -= 1
                if left[p] == 0:
                    stack[size] = p
                    size += 1
        if done < count:
            facts[4] = 1
        # Which states can still reach ejection.
        size = 0
        for i in range(count):
            if delivers[i]:
                stack[size] = i
                size += 1
        while size:
            size -= 1
            i = stack[size]
            for k in range(back_first[i], back_first[i + 1]):
                p = back[k]
                if not delivers[p]:
                    delivers[p] = True
                    stack[size] = p
                    size += 1
        # A pair is undelivered when a state without a way to ejection can be reached from its source.
        size = 0
        for i in range(count):
            at = order[i]
            unused = at >= vcs and first[i] == first[i + 1] and at - vcs == destination[address]
            if first[i] == first[i + 1] and not unused:
                if 2 * facts[2] + 1 < dead.size:
                    dead[2 * facts[2]] = at
                    dead[2 * facts[2] + 1] = address
                facts[2] += 1
            if not delivers[i] and not unused:
                if left[i] > 0:
                    if 2 * facts[3] + 1 < loops.size:
                        loops[2 * facts[3]] = at
                        loops[2 * facts[3] + 1] = address
                    facts[3] += 1
                stack[size] = i
                size += 1
            left[i] = 0 if delivers[i] or unused else 1
        while size:
            size -= 1
            i = stack[size]
            for k in range(back_first[i], back_first[i + 1]):
                p = back[k]
                if left[p] == 0:
                    left[p] = 1
                    stack[size] = p
                    size += 1
        for i in range(count):
            at = order[i]
            if at < vcs:
                continue
            terminal = at - vcs
            if first[i] < first[i + 1] and (facts[7] < 0 or length[i] > facts[6]):
                facts[6] = length[i]
                facts[7] = terminal
                facts[8] = address
            if terminal != destination[address]:
                facts[0] += 1
                facts[1] += left[i]
            elif left[i] and first[i] < first[i + 1]:
                facts[1] += 1
                facts[0] += 1
    return -1
