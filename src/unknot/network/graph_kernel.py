# mypy: ignore-errors
"""Graphs in compressed rows: breadth-first distances and strongly connected components."""

import numpy as np

from unknot._base.kernels.lazy_kernel import FLAGS, I16, I32, I64, READ32, READ64, READ_BOOL, kernel


@kernel
def strong_components(first: READ64, target: READ32, label: I32, cyclic: FLAGS) -> int:
    """Label every node with its component, numbered so that edges between components lead to lower labels (Tarjan).

    cyclic[n] says whether node n lies on a cycle. Returns the number of components.
    """
    nodes = first.size - 1
    index = np.zeros(nodes, np.int32)
    low = np.zeros(nodes, np.int32)
    stack = np.empty(nodes, np.int32)
    path = np.empty(nodes, np.int32)
    cursor = first[:-1].copy()
    label[:] = -1
    cyclic[:] = False
    height, depth, counter, components = 0, 0, 0, 0
    for root in range(nodes):
        if index[root]:
            continue
        # `path` and `cursor` stand in for recursion, which would be as deep as the longest path.
        path[0] = root
        depth = 1
        while depth:
            node = path[depth - 1]
            if index[node] == 0:
                counter += 1
                index[node] = low[node] = counter
                stack[height] = node
                height += 1
            descended = False
            while cursor[node] < first[node + 1]:
                to = target[cursor[node]]
                cursor[node] += 1
                if to == node:
                    cyclic[node] = True
                if index[to] == 0:
                    path[depth] = to
                    depth += 1
                    descended = True
                    break
                # Labelled nodes are of components that are complete, from which there is no way back.
                if label[to] < 0:
                    low[node] = min(low[node], index[to])
            if descended:
                continue
            depth -= 1
            if depth:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[node])
            if low[node] == index[node]:
                alone = stack[height - 1] == node
                while True:
                    height -= 1
                    member = stack[height]
                    label[member] = components
                    if not alone:
                        cyclic[member] = True
                    if member == node:
                        break
                components += 1
    return components


@kernel
def bfs(first: READ64, neighbour: READ32, start: int, distance: I32, queue: I32) -> int:
    """Write hops from `start` along `neighbour` into `distance`, −1 where there is no way; how many are reached.

    The reached routers are queue[0:result] in the order of their distance.
    """
    distance[:] = -1
    distance[start] = 0
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        router = queue[head]
        head += 1
        for k in range(first[router], first[router + 1]):
            to = neighbour[k]
            if distance[to] < 0:
                distance[to] = distance[router] + 1
                queue[tail] = to
                tail += 1
    return tail


@kernel
def spreads(
    first: READ64, neighbour: READ32, starts: READ64, marked: READ_BOOL, count: int, farthest: I64, total: I64
) -> None:
    """Write greatest distance and sum of distances from each start to the `count` marked routers, −1 where some is
    not reached."""
    queue, distance = np.empty(first.size - 1, np.int32), np.empty(first.size - 1, np.int32)
    for i in range(starts.size):
        met, farthest[i], total[i] = 0, 0, 0
        # The queue is in the order of distance, so the last one that is marked is the farthest.
        for k in range(bfs(first, neighbour, starts[i], distance, queue)):
            if marked[queue[k]]:
                met += 1
                total[i] += distance[queue[k]]
                farthest[i] = distance[queue[k]]
        if met < count:
            farthest[i] = total[i] = -1


@kernel
def distances(first: READ64, neighbour: READ32, starts: READ64, table: I16) -> int:
    """Write hops from each start to every router, row by row; −1 − i when one is too far from start i, else 0."""
    routers = first.size - 1
    queue, distance = np.empty(routers, np.int32), np.empty(routers, np.int32)
    for i in range(starts.size):
        count = bfs(first, neighbour, starts[i], distance, queue)
        if distance[queue[count - 1]] > 32767:
            return -1 - i
        for router in range(routers):
            table[i * routers + router] = distance[router]
    return 0
