"""Parts shared by routings for any network: tables of distances, and the middle of a network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Ints, starts
from unknot._base.errors import NetworkError, RelationError
from unknot._base.kernels.lazy_kernel import CHANNELS, is_small, plainly
from unknot.network import Network, components, distances_from
from unknot.network.graph import channels_between
from unknot.network.metrics import spread
from unknot.network.model import IntArray, Offsets

Table = npt.NDArray[np.int16]

MAX_DISTANCES = 250_000_000
"""Most distances (routers × routers with terminals) that are tabulated; 2 bytes each."""
MAX_STEPS = 4_000_000_000
"""Channel visits spent on the search for the best root; in larger networks not every router is tried."""


@dataclass(frozen=True, eq=False)
class Distances:
    """Hops from every router to every router that ejects.

    Attributes
    ----------
    homes : int64 array
        The routers that eject, ascending.
    column : int64 array, shape (terminals,)
        Position in `homes` of the router at which each terminal ejects.
    table : int16 array, shape (homes, routers)
        −1 where there is no way.
    """

    homes: Ints
    column: Ints
    table: Table


def distances_to_homes(network: Network, needed_by: str) -> Distances:
    """Tabulate hops to every router that ejects: a breadth-first search from each of them.

    Raises
    ------
    RelationError
        If the table would have more than `MAX_DISTANCES` entries; the message names the routing `needed_by`.
    """
    from unknot.network.graph_kernel import distances

    homes, column = homes_of(network)
    require_room(network, homes, needed_by)
    table = np.empty((homes.size, network.num_routers), dtype=np.int16)
    first, channels = network.incoming
    with plainly(is_small(homes.size * network.num_channels // CHANNELS, distances)):
        refuse_too_far(network, distances(first, network.source[channels], homes, table.reshape(-1)))
    table.setflags(write=False)
    return Distances(homes, column, table)


def homes_of(network: Network) -> tuple[Ints, Ints]:
    """The ejecting routers, ascending, and the position of each terminal's router among them."""
    homes, column = np.unique(network.eject, return_inverse=True)
    return homes.astype(np.int64), column.reshape(-1).astype(np.int64)


def require_room(network: Network, homes: Ints, needed_by: str) -> None:
    """Refuse a table of distances to the homes that is too large."""
    if network.num_routers * homes.size > MAX_DISTANCES:
        raise RelationError(
            f"{needed_by} on {network.name}: a network that is not a whole mesh, torus or hypercube needs a table of "
            f"distances, and {network.num_routers} × {homes.size} are more than {MAX_DISTANCES}"
        )


def refuse_too_far(network: Network, failed: int) -> None:
    """Raise for a kernel's word that some path has more hops than the tables can hold."""
    if failed:
        raise RelationError(f"{network.name}: a path of more than 32767 hops is too long for the tables")


def require_ways(network: Network, missing: Flags, homes: Ints, needed_by: str) -> None:
    """Refuse a network in which some terminal has no way to another, by a mask of shape (homes, routers)."""
    starts = np.unique(network.inject)
    lost = np.argwhere(missing[:, starts])
    if lost.size:
        end, start = int(homes[lost[0, 0]]), int(starts[lost[0, 1]])
        raise NetworkError(
            f"{needed_by} on {network.name}: there is no way from router {network.router_name(start)} to router "
            f"{network.router_name(end)}"
        )


def cut_of(network: Network) -> str:
    """Return why terminals cannot all reach one another, in words; an empty text if they can."""
    if not network.num_terminals:
        return "no terminal is left"
    part, _ = components(network)
    ends = part[[*network.inject, *network.eject]]
    if (ends == ends[0]).all():
        return ""
    for start in np.unique(network.inject).tolist():
        missed = np.flatnonzero(distances_from(network, start)[network.eject] < 0)
        if missed.size:
            end = int(network.eject[missed[0]])
            return f"there is no way from router {network.router_name(start)} to router {network.router_name(end)}"
    return ""


def best_root(network: Network) -> int:
    """The router with the least farthest distance to and from all terminals, ties broken by the mean.

    Searched breadth-first both ways from every router, or, where that would take more than `MAX_STEPS`, from as many
    evenly spread ones as it allows. `NetworkError` if none of them reaches every terminal and is reached by it.
    """
    tried = max(1, min(network.num_routers, MAX_STEPS // max(1, 2 * network.num_channels)))
    starts = np.unique(np.linspace(0, network.num_routers - 1, tried).astype(np.int64))
    sums = np.zeros((2, starts.size), dtype=np.int64)
    lost = np.zeros(starts.size, dtype=bool)
    for ports, reverse in ((network.eject, False), (network.inject, True)):
        distances = spread(network, starts, np.bincount(ports, minlength=network.num_routers) > 0, reverse=reverse)
        sums += distances
        lost |= distances[0] < 0
    order = np.lexsort((starts, sums[1], sums[0], lost))
    if lost[order[0]]:
        raise NetworkError(
            f"{network.name}: no router reaches every terminal and is reached by it, so none is a root"
        )
    return int(starts[order[0]])


def root_named(network: Network, root: int | str) -> int:
    """The router a root option names: ``best``, or a router by number, label or coordinates."""
    return best_root(network) if root == "best" else network.router(root)


def neighbours(source: IntArray, target: IntArray, routers: int) -> tuple[Offsets, IntArray]:
    """Targets by source, ascending, in compressed rows."""
    return starts(source, routers), target[np.lexsort((target, source))]


def preorder(source: IntArray, target: IntArray, routers: int, root: int) -> IntArray:
    """Preorder number of every router of a depth-first search, neighbours in order of number; −1 if not reached."""
    first, ends = (column.tolist() for column in neighbours(source, target, routers))
    rank = [-1] * routers
    todo, count = [root], 0
    while todo:
        router = todo.pop()
        if rank[router] < 0:
            rank[router], count = count, count + 1
            todo += ends[first[router] : first[router + 1]][::-1]
    return np.array(rank, dtype=np.int32)


def fill_hops(
    network: Network,
    height: npt.NDArray[np.integer],
    hops: npt.NDArray[np.integer],
    far: int,
    *,
    up: bool,
    cost: int = 1,
    shorter: bool = False,
) -> None:
    """Fill in missing routes by the shortest way that begins with channels up, or with channels down.

    O(channels × homes) time.

    Parameters
    ----------
    height : int array, shape (routers,)
        Numbers of the routers; a channel up leads to a lower number.
    hops : int array, shape (routers, homes)
        Hops to each home, changed in place; `far` where there is no way.
    up : bool
        Which channels are taken.
    cost : int
        What each of them counts.
    shorter : bool
        Whether it is filled in as well where the way that there is has more hops.
    """
    order = np.argsort(height, kind="stable")
    for r in (order if up else order[::-1]).tolist():
        ends = network.target[network.outgoing.of(r)]
        onward = hops[ends[(height[ends] < height[r]) == up]].min(axis=0, initial=far)
        better = onward < hops[r] - cost if shorter else (hops[r] == far) & (onward < far)
        np.copyto(hops[r], onward + cost, where=better)


def lone_channel(network: Network) -> int | None:
    """A channel without one back between the same routers."""
    alone = np.flatnonzero(channels_between(network, network.target, network.source) < 0)
    return int(alone[0]) if alone.size else None


def tree_both_ways(network: Network, root: int) -> tuple[Ints, Ints]:
    """The channel up a tree of shortest paths to a root, and the one back, of each router; −1 where there is none.

    Of the channels that lead nearer to the root, and have one back, it is the first.
    """
    level = distances_from(network, root)
    back = channels_between(network, network.target, network.source)
    rising = np.flatnonzero((level[network.target] == level[network.source] - 1) & (back >= 0))[::-1]
    up = np.full(network.num_routers, -1, dtype=np.int64)
    up[network.source[rising]] = rising  # of several for a router the first is written last
    return up, np.where(up >= 0, back[up], -1)
