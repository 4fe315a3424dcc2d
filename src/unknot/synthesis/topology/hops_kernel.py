# mypy: ignore-errors
"""What the links of a network cost: the hops of all pairs, and pairs that a lost link would cut off.

A bit of a node is a source whose packets reach the node in so many hops; a level is one OR for each link. Under a
symmetry the sources are one node of each orbit.
"""

import numpy as np

from unknot._base.kernels.mask_kernel import how_many
from unknot._base.kernels.types_kernel import called


@called
def hops(space, scratch, links, most):
    """Cost of all pairs of a source and a node, or a number above `most` as soon as the cost is above.

    A pair costs 1 for each hop count that does not reach the node, and `late` from hop count `target` on.
    """
    reach, following = scratch.reach, scratch.following
    nodes, words = reach.shape
    reach[:] = 0
    for i in range(space.sources.size):
        reach[space.sources[i], i >> 6] |= np.int64(1) << np.int64(i & 63)
    pairs = space.sources.size * nodes
    missing, total, level = pairs - space.sources.size, np.int64(0), np.int64(0)
    while missing > 0:
        total += missing * (space.late if level >= space.target else 1)
        if total > most:
            return total
        left = pairs
        for v in range(nodes):
            for w in range(words):
                bits = reach[v, w]
                for j in range(links.entering[v]):
                    bits |= reach[links.before[v, j], w]
                following[v, w] = bits
                left -= how_many(bits)
        level += 1
        if left == missing:
            # As far away as a way through all nodes, so that whatever comes nearer counts.
            return total + missing * (nodes - level) * space.late
        missing = left
        reach, following = following, reach
    return total


@called
def is_lone(space, scratch, links, u, v):
    """Whether no way leads from u to v without the link between them."""
    seen, line = scratch.seen, scratch.line
    seen[:] = 0
    seen[u], line[0] = 1, u
    at, many = 0, 1
    while at < many:
        node = line[at]
        at += 1
        for j in range(links.leaving[node]):
            other = links.after[node, j]
            if seen[other] == 0 and not (node == u and other == v):
                if other == v:
                    return False
                seen[other], line[many] = 1, other
                many += 1
    return True


@called
def cost_of(space, scratch, links, most):
    """The cost of all pairs as `hops`, and of links without which pairs are cut off."""
    cost = hops(space, scratch, links, most)
    if space.survives and cost <= most:
        for u in space.sources:
            for j in range(links.leaving[u]):
                cost += space.leaving.size * is_lone(space, scratch, links, u, links.after[u, j])
    return cost
