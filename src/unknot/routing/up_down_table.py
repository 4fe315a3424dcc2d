"""Up*/Down* that fits forwarding tables: the next channel depends on the router and the destination alone.

Where a way exists that goes down all along, the shortest such way is taken, else the best way up. So no packet goes
up after it went down, whatever port it came in by, and one virtual lane is safe. Routes may be longer than those of
Up*/Down* that knows the input port (Schroeder et al., Autonet, IEEE J. Sel. Areas Commun. 9(8), 1991).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot._base.errors import RelationError
from unknot.network import Network, distances_from
from unknot.network.model import IntArray
from unknot.routing.forwarding_table import DROP, EJECT_HERE

FAR = 1 << 30


def up_down_table(network: Network, home: npt.ArrayLike, root: int | None = None) -> IntArray:
    """Next channels by Up*/Down*; of equally long ways the one whose channel has the fewest destinations so far.

    O(destinations × channels) time.

    Parameters
    ----------
    home : array_like of int, shape (addresses,)
        Router of each address; −1 for one that nobody answers to.
    root : int, optional
        Router at the top; by default the one with the shortest way to all others.

    Returns
    -------
    int32 array, shape (routers, addresses)
        As `forwarding_table` wants it.

    Raises
    ------
    RelationError
        If a router cannot reach the root, or be reached from it.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> up_down_table(ring(4), [2])[:, 0].tolist()
    [0, 2, -1, 5]
    """
    routers = network.num_routers
    if root is None:
        reach = [distances_from(network, r).astype(np.int64) for r in range(routers)]
        root = min(
            range(routers), key=lambda r: (int(np.where(reach[r] < 0, FAR, reach[r]).max()), int(reach[r].sum()))
        )
    level = distances_from(network, root, reverse=True).astype(np.int64)
    lost = np.flatnonzero((level < 0) | (distances_from(network, root) < 0))
    if lost.size:
        raise RelationError(
            f"Up*/Down* on {network.name}: no way between {network.router_name(int(lost[0]))} and "
            f"{network.router_name(root)}, the root"
        )
    height = np.empty(routers, dtype=np.int64)
    height[np.lexsort((np.arange(routers), level))] = np.arange(routers)
    first, leaving = network.outgoing
    candidates = [leaving[first[r] : first[r + 1]].tolist() for r in range(routers)]
    target = network.target.tolist()
    rank = height.tolist()
    up = [[c for c in candidates[r] if rank[target[c]] < rank[r]] for r in range(routers)]
    down = [[c for c in candidates[r] if rank[target[c]] > rank[r]] for r in range(routers)]
    ascending = np.argsort(height).tolist()
    homes = np.asarray(home)
    table = np.full((routers, homes.size), DROP, dtype=np.int32)
    carried = [0] * network.num_channels
    known: dict[int, list[list[int]]] = {}
    for address, end in enumerate(homes.tolist()):
        if end < 0:
            continue
        if end not in known:
            known[end] = _shortest(end, up, down, target, ascending)
        for r, options in enumerate(known[end]):
            if r == end:
                table[r, address] = EJECT_HERE
                continue
            taken = min(options, key=carried.__getitem__)
            carried[taken] += 1
            table[r, address] = taken
    return table


def _shortest(
    end: int, up: list[list[int]], down: list[list[int]], target: list[int], ascending: list[int]
) -> list[list[int]]:
    """Return for each router the channels that begin a shortest way down to `end`, or else up and then down."""
    hops = [FAR] * len(up)
    hops[end] = 0
    options: list[list[int]] = [[] for _ in up]
    for r in reversed(ascending):
        if r != end:
            _best(r, down[r], target, hops, options)
    for r in ascending:
        if hops[r] == FAR:
            _best(r, up[r], target, hops, options)
    return options


def _best(r: int, candidates: list[int], target: list[int], hops: list[int], options: list[list[int]]) -> None:
    least = min((hops[target[c]] for c in candidates), default=FAR)
    if least < FAR:
        hops[r] = least + 1
        options[r] = [c for c in candidates if hops[target[c]] == least]
