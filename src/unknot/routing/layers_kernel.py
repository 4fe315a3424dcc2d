# mypy: ignore-errors
"""Routes towards many routers, and their distribution over layers whose channel dependency graphs have no cycle.

A route is a source router and a row of a table of next channels; tables are passed row after row. Dependencies are
numbered by pairs of channels that may follow each other: ``line_first[c] + place[d]`` for channel c followed by d,
where place counts the channels that leave a router.

Layers, and lanes, stay free of cycles by a topological order of a graph to which edges are added, with the algorithm
of Marchetti-Spaccamela, Nanni & Rohnert: Maintaining a topological order under edge insertions, Information
Processing Letters 1996.
"""

import numpy as np

from unknot._base.kernels.lazy_kernel import I8, I16, I32, READ32, READ64, helper, kernel

MOST_LAYERS = 64


@helper
def by_distance(hops, count, order):
    """Write the routers by distance into `order`, which takes a second less to compile than `argsort`."""
    for k in range(count.size):
        count[k] = 0
    for router in range(hops.size):
        count[hops[router] + 2] += 1  # −1: there is no way
    for k in range(1, count.size):
        count[k] += count[k - 1]
    for router in range(hops.size):
        order[count[hops[router] + 1]] = router
        count[hops[router] + 1] += 1


@kernel
def balanced_channels(
    first: READ64,
    channel: READ32,
    target: READ32,
    distance: I16,
    column: READ64,
    sinks: READ64,
    sending: READ64,
    table: I32,
) -> None:
    """Shortest paths by weights that grow with every route (SSSP): row by row the lightest of the shortest paths.

    Row i leads to the home of column[i]; `sinks` gives the rows in the order they are routed, `sending` the terminals
    at each router. The weight of a channel is the number of terminals whose routes so far use it.
    """
    routers = first.size - 1
    weight = np.zeros(channel.size, np.int64)
    cost, flow = np.empty(routers, np.int64), np.empty(routers, np.int64)
    count, order = np.empty(routers + 2, np.int64), np.empty(routers, np.int64)
    for i in sinks:
        begin = i * routers
        hops = distance[column[i] * routers : (column[i] + 1) * routers]
        by_distance(hops, count, order)
        for router in range(routers):
            flow[router], cost[router], table[begin + router] = sending[router], 0, -1
        for router in order:
            if hops[router] > 0:
                for k in range(first[router], first[router + 1]):
                    c = channel[k]
                    if hops[target[c]] == hops[router] - 1:
                        total = cost[target[c]] + weight[c]
                        if table[begin + router] < 0 or total < cost[router]:
                            table[begin + router] = c
                            cost[router] = total
        # Farthest first, so that all that flows through a router is known when its channel is charged.
        for router in order[::-1]:
            c = table[begin + router]
            if c >= 0:
                weight[c] += flow[router]
                flow[target[c]] += flow[router]


@kernel
def first_fit(
    table: READ32,
    home: READ64,
    sources: READ64,
    target: READ32,
    line_first: READ64,
    after: READ32,
    place: READ32,
    layer: I8,
) -> int:
    """Put every route into the first layer in which it closes no cycle (LASH): layer[row, source]; how many layers,
    or −1 when MOST_LAYERS do not suffice."""
    channels, lines, routers = place.size, after.size, table.size // max(1, home.size)
    active = np.zeros((MOST_LAYERS, lines), np.bool_)
    barred = np.zeros((MOST_LAYERS, lines), np.bool_)
    rank, at = np.empty((MOST_LAYERS, channels), np.int64), np.empty((MOST_LAYERS, channels), np.int64)
    for j in range(MOST_LAYERS):
        for c in range(channels):
            rank[j, c] = at[j, c] = c
    mark = np.zeros(channels, np.bool_)
    stack, added = np.empty(channels, np.int64), np.empty(channels, np.int64)
    used = 0
    for s in sources:
        for i in range(home.size):
            if s == home[i] or table[i * routers + s] < 0:
                continue
            reached = -1
            for j in range(MOST_LAYERS):
                c, count, fits = table[i * routers + s], 0, True
                while fits and target[c] != home[i]:
                    d = table[i * routers + target[c]]
                    e = line_first[c] + place[d]
                    if not active[j, e]:
                        fits = not barred[j, e] and climb(
                            line_first, after, active[j], rank[j], at[j], mark, stack, c, d
                        )
                        if fits:
                            active[j, e], added[count] = True, e
                            count += 1
                        elif count == 0:
                            # Nothing of this route was in the way, and a layer only gains dependencies.
                            barred[j, e] = True
                    c = d
                if fits:
                    reached = j
                    break
                # The order stays: it fits fewer dependencies, too.
                for k in range(count):
                    active[j, added[k]] = False
            if reached < 0:
                return -1
            layer[i * routers + s] = reached
            used = max(used, reached + 1)
    return used


@kernel
def break_cycles(
    table: READ32,
    home: READ64,
    sources: READ64,
    sending: READ64,
    target: READ32,
    line_first: READ64,
    after: READ32,
    place: READ32,
    layer: I8,
    current: int,
) -> int:
    """Search the routes of layer `current` for cycles and move those of the dependency of each that has the fewest to
    the next layer (DFSSSP); how many were moved."""
    channels, lines, rows, routers = place.size, after.size, home.size, sending.size
    count, first = np.zeros(lines, np.int64), np.zeros(lines + 1, np.int64)
    for fill in range(2):
        if fill:
            for line in range(lines):
                first[line + 1] += first[line]
            path = np.empty(first[lines], np.int64)
            room = first[:lines].copy()
        for s in sources:
            for i in range(rows):
                if layer[i * routers + s] == current and table[i * routers + s] >= 0:
                    c = table[i * routers + s]
                    while target[c] != home[i]:
                        d = table[i * routers + target[c]]
                        e = line_first[c] + place[d]
                        if fill:
                            path[room[e]] = s * rows + i
                            room[e] += 1
                            count[e] += sending[s]
                        else:
                            first[e + 1] += 1
                        c = d
    colour = np.zeros(channels, np.int8)
    stack, edge = np.empty(channels, np.int64), np.empty(channels, np.int64)
    moved = 0
    for start in range(channels):
        while colour[start] == 0:
            size = 1
            stack[0], edge[0], colour[start] = start, line_first[start], 1
            while size:
                c = stack[size - 1]
                e = edge[size - 1]
                if e == line_first[c + 1]:
                    colour[c] = 2
                    size -= 1
                    continue
                to = after[e]
                if count[e] == 0 or colour[to] == 2:
                    edge[size - 1] += 1
                elif colour[to] == 0:
                    stack[size], edge[size], colour[to] = to, line_first[to], 1
                    size += 1
                else:
                    # `to` is on the stack: the cycle is what stands above it there, closed by e.
                    chosen, k = e, size - 1
                    while stack[k] != to:
                        k -= 1
                        chosen = edge[k] if count[edge[k]] < count[chosen] else chosen
                    for k in range(first[chosen], first[chosen + 1]):
                        s, i = path[k] // rows, path[k] % rows
                        if layer[i * routers + s] != current:
                            continue
                        layer[i * routers + s] = current + 1
                        moved += 1
                        c = table[i * routers + s]
                        while target[c] != home[i]:
                            d = table[i * routers + target[c]]
                            count[line_first[c] + place[d]] -= sending[s]
                            c = d
                    # Colour 2 stays: from there no cycle could be reached, and routes that leave make none.
                    for k in range(size):
                        colour[stack[k]] = 0
                    size = 0
    return moved


@helper
def climb(first, after, uses, rank, at, mark, stack, c, e):
    """Move nodes up in an order so that the edge from c to e climbs; whether no cycle forbids it.

    ``after[first[c]:first[c + 1]]`` are the nodes behind c, and an edge counts if its entry of `uses` is above 0.
    Edges that count and fall are left out, since each is made to climb in its turn. `rank` is the place of each node
    in the order, `at` the node at each place; `mark` is False everywhere, before and after.
    """
    low, high = rank[e], rank[c]
    if low > high:
        return True
    mark[e], stack[0], size, free = True, e, 1, True
    while size > 0 and free:
        size -= 1
        x = stack[size]
        for j in range(first[x], first[x + 1]):
            y = after[j]
            if uses[j] > 0 and not mark[y] and rank[x] < rank[y] <= high:
                if y == c:
                    free = False
                    break
                mark[y] = True
                stack[size] = y
                size += 1
    # What e leads to within the range moves to its end, the rest to its beginning, each in the order it had: no edge
    # that climbed falls, since whatever a moved node leads to there is moved too, or stands above.
    place, moved = low, 0
    for p in range(low, high + 1):
        x = at[p]
        if mark[x]:
            mark[x] = False
            stack[moved] = x
            moved += 1
        elif free:
            at[place], rank[x] = x, place
            place += 1
    for i in range(moved if free else 0):
        at[place + i], rank[stack[i]] = stack[i], place + i
    return free
