# mypy: ignore-errors
"""Distance from injection at which each dependency between virtual channels arises."""

from numba import types

from unknot._base.kernels.types_kernel import READ32, READ64, kept
from unknot.routing.contract import EJECT, VC_MASK

I64 = types.int64[::1]


@kept(types.void(types.int64, READ64, READ64, READ64, READ64, READ32, I64, I64), nogil=True)
def nearest(ports, order, first, candidates, edge, target, depth, least):
    """Lower least[e] to the depth of the states of one address at which dependency e arises.

    The first `ports` states are injection ports, the others follow breadth first; ``edge[u]`` to ``edge[u + 1]``
    number the dependencies of VC u, which lead to `target`. `depth`, one entry per VC, is work space.
    """
    for i in range(ports, order.size):
        depth[order[i]] = -1
    for i in range(order.size):
        at = order[i]
        here = depth[at] if i >= ports else 0
        for k in range(first[i], first[i + 1]):
            vc = candidates[k] & VC_MASK
            if vc == EJECT:
                continue
            # Breadth first, whoever offers a VC first is nearest to injection.
            if depth[vc] < 0:
                depth[vc] = here + 1
            if i >= ports:
                for e in range(edge[at], edge[at + 1]):
                    if target[e] == vc:
                        least[e] = min(least[e], here)
                        break
