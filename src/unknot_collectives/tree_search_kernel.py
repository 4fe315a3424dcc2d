# mypy: ignore-errors
"""Annealing of the trees of parts: parents, ways, roots, units and turns change as long as the time falls."""

from unknot._base.kernels.types_kernel import alone, called, inlined
from unknot.search.random_kernel import below, unit
from unknot_collectives.tree_listing_kernel import LOOK, listed

SLACK = 0.03
"""Share of the time by which it may rise at the beginning; none in the second half."""


@called
def copied(parts, i, to, j):
    """Copy part i to place j of other parts."""
    to.block[j], to.units[j], to.root[j] = parts.block[i], parts.units[i], parts.root[i]
    to.leaf[j], to.size[j], to.unit[j] = parts.leaf[i], parts.size[i], parts.unit[i]
    for side in range(2):
        for v in range(parts.parent.shape[2]):
            to.parent[j, side, v], to.way[j, side, v] = parts.parent[i, side, v], parts.way[i, side, v]
            to.bias[j, side, v] = parts.bias[i, side, v]


@inlined
def resize(parts, i, units):
    parts.units[i] = units
    parts.size[i] = units * parts.unit[i]


@inlined
def many_ways(ways, members, side, parent, child):
    ends = parent * members + child if side == 1 else child * members + parent
    return ways.first[ends + 1] - ways.first[ends]


@called
def moved(ways, parts, i, side, state):
    """Give a member another parent, or another way; return whether something changed."""
    members, root = parts.parent.shape[2], parts.root[i]
    child = below(state, members)
    if child == root or parts.parent[i, side, child] < 0:
        return False
    parent = below(state, members)
    at = parent
    while at != root and at != child and parts.parent[i, side, at] >= 0:
        at = parts.parent[i, side, at]
    if at == child:
        return False
    if at != root:  # a member that a chain does not pass yet
        count = many_ways(ways, members, side, root, parent)
        if parts.leaf[i] < 0 or count == 0:
            return False
        parts.parent[i, side, parent], parts.way[i, side, parent] = root, below(state, count)
    count = many_ways(ways, members, side, parent, child)
    if count == 0:
        return False
    way, before = below(state, count), parts.parent[i, side, child]
    if before == parent and parts.way[i, side, child] == way:
        return False
    parts.parent[i, side, child], parts.way[i, side, child] = parent, way
    if parts.leaf[i] >= 0:  # members that the chain passes no longer
        at = before
        while at != root:
            before = parts.parent[i, side, at]
            for v in range(members):
                if parts.parent[i, side, v] == at:
                    return True
            parts.parent[i, side, at] = -1
            at = before
    return True


@called
def rooted(ways, parts, i, root):
    """Turn the trees of a part round, with another root; return whether there are ways."""
    members = parts.parent.shape[2]
    for side in range(2):
        at, parent, way = root, parts.parent[i, side, root], 0
        while at != parts.root[i]:
            if many_ways(ways, members, side, at, parent) == 0:
                return False
            following = parts.parent[i, side, parent]
            parts.parent[i, side, parent], parts.way[i, side, parent] = at, way
            at, parent = parent, following
        parts.parent[i, side, root] = -1
    parts.root[i] = root
    return True


@called
def star(ways, parts, i):
    """Let all edges of a part be between its root and a member."""
    members, root = parts.parent.shape[2], parts.root[i]
    for side in range(2):
        for v in range(members):
            if parts.parent[i, side, v] >= 0:
                if many_ways(ways, members, side, root, v) == 0:
                    return False
                parts.parent[i, side, v], parts.way[i, side, v] = root, 0
    return True


@called
def changed(ways, parts, search, state):
    """Change a part or two, after a copy behind all parts; return whether something changed.

    `search.touched` has the two, or −1.
    """
    members, many, spare = parts.parent.shape[2], parts.many[0], parts.block.size - 2
    i, kind = below(state, many), below(state, 100)
    search.touched[0], search.touched[1], search.touched[2] = i, -1, many
    copied(parts, i, parts, spare)
    side = below(state, 2) if search.side < 0 else search.side
    if kind < 12:
        e = below(state, members)
        parts.bias[i, side, e] = (2 * unit(state) - 1) * search.scale if below(state, 3) else 0.0
        return True
    if kind < 20 and many < spare and parts.units[i] > 1:  # a part of its own for some units
        units = 1 + below(state, parts.units[i] - 1)
        copied(parts, i, parts, many)
        resize(parts, many, units)
        resize(parts, i, parts.units[i] - units)
        parts.many[0] = many + 1
        return moved(ways, parts, many, side, state)
    if kind < 34:
        j = below(state, many)
        if j == i or parts.block[i] != parts.block[j]:
            return False
        search.touched[1] = j
        copied(parts, j, parts, spare + 1)
        if kind < 24:  # the trees of another part
            units = parts.units[i]
            copied(parts, j, parts, i)
            resize(parts, i, units)
            return True
        units = 1 + below(state, parts.units[i])
        resize(parts, j, parts.units[j] + units)
        resize(parts, i, parts.units[i] - units)
        if parts.units[i] == 0:
            copied(parts, many - 1, parts, i)
            parts.many[0] = many - 1
        return True
    if kind < 40 and parts.leaf[i] < 0:
        if search.free_roots:
            root = below(state, members)
            if root != parts.root[i] and not rooted(ways, parts, i, root):
                return False
            return kind < 38 or star(ways, parts, i)
        return star(ways, parts, i)
    return moved(ways, parts, i, side, state)


@called
def taken_back(parts, search):
    """Undo a change."""
    i, j, many, spare = search.touched[0], search.touched[1], search.touched[2], parts.block.size - 2
    if parts.many[0] < many:
        copied(parts, i, parts, many - 1)
    parts.many[0] = many
    copied(parts, spare, parts, i)
    if j >= 0:
        copied(parts, spare + 1, parts, j)


@called
def kept(parts, best):
    best.many[0] = parts.many[0]
    for i in range(parts.many[0]):
        copied(parts, i, best, i)


@alone
def anneal(ways, parts, best, uses, room, search, state):
    """Search for trees of least time.

    Parameters
    ----------
    ways : MemberWays
    parts : Parts
        To begin with; two rows are spare.
    best : Parts
        Receives the parts of least time, and `room.order` their edges by start.
    uses : Uses
    room : EdgeRoom
    search : TreeMoves
    state : uint64 array, shape (1,)
        Of the random numbers.

    Returns
    -------
    float
        The least time.
    """
    now = listed(ways, parts, uses, room)
    least, looks = now, 0
    kept(parts, best)
    while looks < search.looks:
        looks += LOOK + room.many[1]
        if not changed(ways, parts, search, state):
            taken_back(parts, search)
            continue
        made = listed(ways, parts, uses, room)
        heat = max(0.0, 1.0 - 2.0 * looks / search.looks)
        if made > now * (1 + SLACK * heat * unit(state)) + 1e-12:
            taken_back(parts, search)
            continue
        now = made
        if now < least - 1e-9:
            least = now
            kept(parts, best)
    return listed(ways, best, uses, room)
