# mypy: ignore-errors
"""Starts of the transfers of trees: the earliest of possible ones goes first, then that before the longest chain.

Edge `2 * members * part + members * side + member` brings a part to a member (side 1, down), or from it (side 0, up).
"""

import numpy as np

from unknot._base.kernels.types_kernel import called, inlined

SAME = 1e-9
LOOK = 50
"""Work of an edge in looks at a waiting one."""


@inlined
def way_of(ways, parts, members, edge):
    """The way of an edge, as a number in the table of ways."""
    part, side, member = edge // (2 * members), edge // members % 2, edge % members
    parent = parts.parent[part, side, member]
    ends = parent * members + member if side == 1 else member * members + parent
    return ways.first[ends] + parts.way[part, side, member]


@called
def free(uses, c, begins, lasts, rate):
    """The next time with possible room on a channel, or `begins` if there is room."""
    if uses.last[c] <= begins + SAME:
        return begins
    if rate + SAME >= uses.bandwidth[c]:
        return uses.last[c]
    if uses.alone[c] > begins + SAME:
        return uses.alone[c]
    many = uses.many[c]
    for i in range(-1, many):
        at = begins if i < 0 else uses.shared[c, i, 0]
        if i >= 0 and (at + SAME >= begins + lasts or uses.shared[c, i, 1] <= begins + SAME):
            continue
        total, ends = rate, np.inf
        for j in range(many):
            if uses.shared[c, j, 0] <= at + SAME and uses.shared[c, j, 1] > at + SAME:
                total += uses.shared[c, j, 2]
                ends = min(ends, uses.shared[c, j, 1])
        if total > uses.bandwidth[c] + SAME and ends > begins + SAME:
            return ends
    return begins


@called
def use(uses, c, begins, lasts, rate):
    """Note what passes a channel; where too much is beside each other, nothing begins before all has passed."""
    exclusive = rate + SAME >= uses.bandwidth[c]
    if exclusive or uses.last[c] <= begins + SAME:
        uses.alone[c] = begins + lasts if exclusive else uses.last[c]
        uses.many[c] = 0
    uses.last[c] = max(uses.last[c], begins + lasts)
    if exclusive:
        return
    if uses.many[c] == uses.shared.shape[1]:
        uses.alone[c], uses.many[c] = uses.last[c], 0
        return
    i = uses.many[c]
    uses.shared[c, i, 0], uses.shared[c, i, 1], uses.shared[c, i, 2] = begins, begins + lasts, rate
    uses.many[c] = i + 1


@called
def earliest(ways, uses, way, size, start):
    """The first time from `start` on at which a part of a size may set out on a way."""
    alone, rate = size / ways.rate[way], ways.rate[way]
    while True:
        later = start
        for k in range(ways.start[way], ways.start[way + 1]):
            begins = start + ways.begins[k]
            at = free(uses, ways.channel[k], begins, alone + ways.longer_by[k], rate)
            if at > begins:
                later = max(later, at - ways.begins[k])
        if later <= start + SAME:
            return start
        start = later


@called
def chains(ways, parts, room, members, part):
    """Note for each edge of a part the missing arrivals, and the longest chain of edges that begins there."""
    root, size, base = parts.root[part], parts.size[part], 2 * members * part
    below_root = 0.0
    for side in (1, 0):
        for v in range(members):
            e = base + side * members + v
            room.height[e], room.missing[e], room.ready[e], room.state[e] = 0.0, 0, 0.0, 0
        for v in range(members):
            if v == root or parts.parent[part, side, v] < 0:
                continue
            # Down: all edges above v are followed by the way from them to v. Up: v is followed by all that are above.
            total, at = 0.0 if side == 1 else below_root, v
            while at != root:
                e = base + side * members + at
                way = way_of(ways, parts, members, e)
                total += ways.latency[way] + size / ways.rate[way]
                if side == 1:
                    room.height[e] = max(room.height[e], total)
                at = parts.parent[part, side, at]
            if side == 1:
                below_root = max(below_root, total)
            else:
                room.height[base + v] = total


@called
def listed(ways, parts, uses, room):
    """The time of all parts; `room.order` has their edges by start."""
    members = parts.parent.shape[2]
    uses.last[:], uses.alone[:], uses.many[:] = 0.0, 0.0, 0
    for part in range(parts.many[0]):
        chains(ways, parts, room, members, part)
        root, base = parts.root[part], 2 * members * part
        for side in range(2):
            for v in range(members):
                parent = parts.parent[part, side, v]
                if v == root or parent < 0:
                    continue
                room.state[base + side * members + v] = 1
                room.height[base + side * members + v] += parts.bias[part, side, v]
                if side == 0 and parent != root:
                    room.missing[base + parent] += 1
                elif side == 0:
                    for w in range(members):  # what leaves the root waits for all that comes up to the root
                        room.missing[base + members + w] += parts.parent[part, 1, w] == root and w != root
                elif parent != root:
                    room.missing[base + members + v] += 1
    waiting = 0
    for e in range(2 * members * parts.many[0]):
        if room.state[e] == 1 and room.missing[e] == 0:
            room.line[waiting] = e
            waiting += 1
    done, last, looks = 0, 0.0, 0
    while waiting > 0:
        chosen, looks = 0, looks + LOOK + waiting
        for i in range(1, waiting):
            e, best = room.line[i], room.line[chosen]
            sooner = room.ready[best] - room.ready[e]
            above = room.height[e] - room.height[best]
            if sooner > SAME or (sooner > -SAME and (above > SAME or (above > -SAME and e < best))):
                chosen = i
        e = room.line[chosen]
        part = e // (2 * members)
        way = way_of(ways, parts, members, e)
        at = earliest(ways, uses, way, parts.size[part], room.ready[e])
        if at > room.ready[e] + SAME:
            room.ready[e] = at
            continue
        at = room.ready[e]
        waiting -= 1
        room.line[chosen] = room.line[waiting]
        room.order[done] = e
        done += 1
        alone, rate = parts.size[part] / ways.rate[way], ways.rate[way]
        for k in range(ways.start[way], ways.start[way + 1]):
            use(uses, ways.channel[k], at + ways.begins[k], alone + ways.longer_by[k], rate)
        arrives = at + ways.latency[way] + alone
        last = max(last, arrives)
        side, v, root, base = e // members % 2, e % members, parts.root[part], 2 * members * part
        up = side == 0 and parts.parent[part, 0, v] != root
        for w in range(members):
            follower = base + (0 if up else members) + w
            if up:
                follows = w == parts.parent[part, 0, v]
            else:
                follows = w != root and parts.parent[part, 1, w] == (root if side == 0 else v)
            if follows:
                room.ready[follower] = max(room.ready[follower], arrives)
                room.missing[follower] -= 1
                if room.missing[follower] == 0:
                    room.line[waiting] = follower
                    waiting += 1
    room.many[0], room.many[1] = done, looks
    return last
