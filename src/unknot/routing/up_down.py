"""Up*/down* routing (Autonet) on any network whose links go both ways.

The routers are numbered from a root, and of the two channels of a link one leads up, to the lower number, the other
down. A route goes up zero or more channels, then down zero or more; it never goes up after it has gone down. Which
phase a header is in follows from the channel it came by, so 1 VC is enough. Channels that lead up have no cycle, nor
have those that lead down, and no route comes back from down to up: there is no cycle of dependencies under any
switching technique (Schroeder et al. 1991).

The numbers come from breadth-first levels, ties broken by the number of the router, as in Autonet, or from the
preorder of a depth-first search, which tends to give more choice (Sancho, Robles & Duato 2000). Not minimal in
general: the shortest legal path may be longer than the shortest path, and traffic gathers near the root.

For forwarding tables, in which the next channel depends on the router and the destination alone, the shortest way
down is taken where one exists, else the best way up. So no packet goes up after it went down, whatever port it came
in by, and one virtual lane is safe; routes may be longer than where the input port is known.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.errors import NetworkError, RelationError, require_known
from unknot.network import Network, distances_from
from unknot.network.metrics import spread
from unknot.network.model import IntArray
from unknot.routing.contract import ACYCLIC
from unknot.routing.forwarding_table import DROP, EJECT_HERE
from unknot.routing.paths import (
    Table,
    fill_hops,
    homes_of,
    lone_channel,
    preorder,
    refuse_too_far,
    require_room,
    require_ways,
    root_named,
)
from unknot.routing.relation import Out, Relation, by_steps
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels

FAR = 32767
"""Hops where there is no way."""
CHOICES = ("first", "shortest", "any")
LEVELS = ("bfs", "dfs")


@takes_network
def up_down(
    network: Network, vcs: int = 1, *, root: int | str = "best", levels: str = "bfs", choice: str = "first"
) -> Relation:
    """Up*/down* routing from a root.

    Two tables of distances, 4 bytes in all for each router and each router that ejects.

    Parameters
    ----------
    root : int or str
        A router, by number or name; ``best`` takes one that is least far from all terminals and they from it.
    levels : {"bfs", "dfs"}
        Breadth-first levels, or the preorder of a depth-first search that tries neighbours in order of number.
    choice : {"first", "shortest", "any"}
        The first channel that lies on a shortest legal path (deterministic), all of them, or every channel from
        which a legal path leads on.

    Raises
    ------
    RelationError
        If an option is unknown or the network too large for the tables; `NetworkError` if some link goes one way
        only, there is no such root, or it does not reach every terminal.

    References
    ----------
    M. D. Schroeder and others: Autonet: a high-speed, self-configuring local area network using point-to-point links.
    IEEE Journal on Selected Areas in Communications, 9(8), 1991, 1318–1335. doi:10.1109/49.105178.
    J. C. Sancho, A. Robles, J. Duato: A new methodology to compute deadlock-free routing tables for irregular
    networks. CANPC 2000.

    Examples
    --------
    >>> from unknot.network.families import irregular
    >>> up_down(irregular(12, 4, 1), root=0, choice="shortest")
    <Relation up_down from r0, bfs levels, shortest on irregular(12, 4, 1, seed=1), 46 VCs>
    """
    from unknot.routing.rules_kernel import offered

    for word, option, known in (("choice", choice, CHOICES), ("levels", levels, LEVELS)):
        require_known(f"up_down: unknown {word}", option, known, RelationError)
    single = lone_channel(network)
    if single is not None:
        raise NetworkError(
            f"up_down on {network.name}: it needs links that go both ways, but there is no channel back along "
            f"{network.channel_name(single)}; for channels that go one way use hop_number"
        )
    homes, column = homes_of(network)
    # Before the best root is searched for, which takes routers × channels.
    require_room(network, homes, "up_down")
    top = root_named(network, root)
    rank = _ranks(network, top, levels)
    kind = np.sign(rank[network.target] - rank[network.source]).astype(np.int8)
    falling, legal = _hops(network, rank, homes, shorter=True)
    require_ways(network, (legal == FAR).T, homes, f"up_down from {network.router_name(top)}")

    virtual = VirtualChannels(network, vcs)
    first, at_channel, num_vcs = virtual.first, virtual.channel, virtual.total
    (leaving, channels), target = network.outgoing, network.target
    every, one, far = choice == "any", choice == "first", FAR

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
        i, count = column[address], 0
        fell = at < num_vcs and kind[at_channel[at]] > 0
        left = falling[here, i] if fell else legal[here, i]
        for k in range(leaving[here], leaving[here + 1]):
            c = channels[k]
            if kind[c] > 0:
                onward = falling[target[c], i]
            elif kind[c] < 0 and not fell:
                onward = legal[target[c], i]
            else:
                onward = far
            if onward < far if every else onward == left - 1:
                count = offered(out, count, first[c], vcs)
                if one:
                    break
        return count

    return by_steps(
        virtual,
        step,
        f"up_down from {network.router_name(top)}, {levels} levels, {choice}",
        ACYCLIC,
        source="Schroeder et al. 1991" if levels == "bfs" else "Sancho, Robles & Duato 2000",
    )


def _ranks(network: Network, top: int, levels: str) -> IntArray:
    """The number of every router, 0 for the root; routers without a way to it come last."""
    depth = distances_from(network, top)
    if levels == "dfs":
        depth = preorder(network.source, network.target, network.num_routers, top)
    depth = np.where(depth < 0, network.num_routers, depth)
    return np.argsort(np.argsort(depth, kind="stable")).astype(np.int32)


def _hops(network: Network, rank: npt.NDArray[np.integer], homes: Ints, *, shorter: bool) -> tuple[Table, Table]:
    """Hops to each home by channels down alone, and by channels up first where no way down is there or is shorter."""
    hops = np.full((network.num_routers, homes.size), FAR, dtype=np.int16)
    hops[homes, np.arange(homes.size)] = 0
    fill_hops(network, rank, hops, FAR, up=False)
    falling = hops.copy()
    fill_hops(network, rank, hops, FAR, up=True, shorter=shorter)
    refuse_too_far(network, (hops == FAR - 1).any())
    return falling, hops


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
        As `forwarding_table` takes it.

    Raises
    ------
    RelationError
        If a router cannot reach the root, or be reached from it.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> up_down_table(ring(4), [2])[:, 0].tolist()
    [0, 2, -1, 7]
    """
    routers = network.num_routers
    if root is None:
        farthest, total = spread(network, np.arange(routers), np.ones(routers, dtype=bool))
        root = int(np.lexsort((total, farthest, farthest < 0))[0])
    level = distances_from(network, root, reverse=True).astype(np.int64)
    lost = np.flatnonzero((level < 0) | (distances_from(network, root) < 0))
    if lost.size:
        raise RelationError(
            f"Up*/Down* on {network.name}: no way between {network.router_name(int(lost[0]))} and "
            f"{network.router_name(root)}, the root"
        )
    height = np.argsort(np.argsort(level, kind="stable"))
    homes, column = np.unique(np.asarray(home), return_inverse=True)
    falling, hops = _hops(network, height, homes, shorter=False)
    channels = network.outgoing[1]
    source, target = network.source[channels], network.target[channels]
    rises = height[target] < height[source]
    table = np.full((routers, column.size), DROP, dtype=np.int32)
    carried = np.zeros(channels.size, dtype=np.int64)
    for address, end in enumerate(column.tolist()):
        if homes[end] < 0:
            continue
        fell, left = falling[:, end], hops[:, end]
        shortest = np.where(rises, left[target] + 1 == left[source], fell[target] + 1 == fell[source])
        usable = np.flatnonzero(shortest & (rises == (fell[source] == FAR)))
        if usable.size:
            begin = np.flatnonzero(np.diff(source[usable], prepend=-1))
            least = np.minimum.reduceat(carried[usable] * channels.size + usable, begin) % channels.size
            carried[least] += 1
            table[source[least], address] = channels[least]
        table[homes[end], address] = EJECT_HERE
    return table
