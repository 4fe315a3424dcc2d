# mypy: ignore-errors
"""Topological order of a graph to which edges are added: by it layers and lanes stay free of cycles.

The algorithm is that of Marchetti-Spaccamela, Nanni & Rohnert: Maintaining a topological order under edge insertions,
Information Processing Letters 1996.
"""

from unknot._base.kernels.lazy_kernel import helper


@helper()
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
