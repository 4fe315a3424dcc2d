"""Routing through levels and stages: nearest common ancestors of fat trees, and destination tags of delta networks.

Nearest common ancestor: a header goes up until some way down leads to its destination, then down. On the way up every
port that leads to a nearest such ancestor will do (``adaptive``), or one is picked by the number of the destination
(``modulo``, known as d-mod-k: Zahavi et al. 2010), so that the terminals of a subtree are spread over all roots.
Channels up come before channels down and those of a level before those of the next: there is no cycle of dependencies
under any switching technique, with any number of VCs (Petrini & Vanneschi 1997). Minimal on fat trees. Any network
with levels will do: terminals at the bottom, every channel from a level to the next, and from each terminal to each
other a way up and then down. So leaf–spine fabrics and fat trees with faults are taken, as long as they have such
ways. Where some channels lead elsewhere, as cables in wrong ports do, levels are recognised, and these are not used.

Destination tags: omega (Lawrie 1975), banyan, baseline, flip, indirect cube and butterfly networks are delta networks
(Patel 1981): every pair has one path, and the port to take at a stage, one digit of the destination, is the same from
wherever a message comes. Minimal, one VC will do. It cannot deadlock under any switching technique: channels lead
from each stage to the next, so that no wait can close a cycle. The papers do not speak of deadlock, so nothing is
claimed in their name.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints, grouped, offsets, ranks
from unknot._base.errors import NetworkError, RelationError, require_known
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.recognised import recognised
from unknot.network.stages import levels, stages
from unknot.routing.contract import ACYCLIC
from unknot.routing.parts import Preference
from unknot.routing.paths import MAX_DISTANCES, fill_hops, homes_of
from unknot.routing.relation import EJECT, Out, Relation, cited
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels

WAYS_UP = ("adaptive", "modulo")
NONE = 127
EVERY_UP, SEVERAL = -1, -2
"""Turns: by every port up, or by some of several ports on one side."""
MAX_STEPS = 500_000_000
"""Most steps of first switches towards terminals that are checked."""


@takes_network
def nca(network: Network, vcs: int = 1, *, up: str = "adaptive") -> Relation:
    """Nearest common ancestor on networks with levels.

    Tables take a byte for each router and each router that ejects, and up to six where the homes below a port have no
    numbers in a row.

    Parameters
    ----------
    up : {"adaptive", "modulo"}
        All ports up that lead to a nearest ancestor, of which runs by default select one at random; or the one whose
        position among them is ⌊d / W⌋ modulo their number, with d the number of the destination terminal and W the
        product of the ports up of the levels below.

    Raises
    ------
    RelationError
        If the option is unknown or the network is too large for the table; `NetworkError` if it has no levels, or
        there is no way up and then down between two terminals.

    References
    ----------
    F. Petrini, M. Vanneschi: k-ary n-trees: high performance networks for massively parallel architectures. IPPS
    1997, 87–93.

    Examples
    --------
    >>> from unknot.network.families import fat_tree
    >>> nca(fat_tree(2, 3))
    <Relation nca (adaptive) on fat_tree(2, 3), 32 VCs>
    """
    require_known("nca: unknown way up", up, WAYS_UP, RelationError)
    level, height = _levels_and_heights(network)
    rise = level[network.target] - level[network.source]
    rises, astray = rise == 1, np.abs(rise) != 1
    column = homes_of(network)[1]
    ports = np.bincount(network.source[rises], minlength=network.num_routers)
    most = [int(ports[level == i].max()) for i in range(int(level.max()) + 1)]
    below = np.cumprod([1, *(max(1, count) for count in most[:-1])], dtype=np.int64)[level]

    virtual = VirtualChannels(network, vcs)
    home = network.eject
    # The ports up of each router, then its ports down; of each the router ahead and its lowest VC.
    side = np.where(astray, 2 * network.num_routers, 2 * network.source + ~rises)
    begin, ports_of = grouped(side, 2 * network.num_routers + 1)
    ahead, lowest = network.target[ports_of], virtual.first[ports_of]
    adaptive, several = up == "adaptive", SEVERAL
    run, edge, turn = _turns(height, begin, ahead)
    # A table by channel takes less room in a cache than one by VC.
    ends, num_vcs, channels = np.concatenate([network.target, network.inject]), virtual.total, network.num_channels

    def rule(at: int, address: int, out: Out) -> int:
        here, there = ends[at // vcs if at < num_vcs else at - num_vcs + channels], column[address]
        if here == home[address]:
            out[0] = EJECT
            return 1
        # Heights, a large table, are looked at only where ports are neither all those up nor a single one down.
        k, last = run[here], run[here + 1] - 1
        while k < last:
            middle = (k + last) >> 1
            if edge[middle] <= there:
                k = middle + 1
            else:
                last = middle
        step = turn[k]
        side = 2 * here + (step >= 0 or (step == several and height[here, there] == 0))
        first, end = begin[side], begin[side + 1]
        if step >= 0:
            first, end = first + step, first + step + 1
        count = 0
        for k in range(first, end):
            if step != several or height[ahead[k], there] == max(height[here, there] - 1, 0):
                for v in range(vcs):
                    out[count] = lowest[k] + v
                    count += 1
        if count > vcs and not adaptive:
            chosen = address // below[here] % (count // vcs)
            for v in range(vcs):
                out[v] = out[chosen * vcs + v]
            count = vcs
        return count

    degrees = np.stack([ports, np.bincount(network.source[rise == -1], minlength=network.num_routers)], axis=1)
    regular = all(len(np.unique(degrees[level == i], axis=0)) == 1 for i in range(len(most)))
    return cited(
        virtual,
        rule,
        f"nca ({up})",
        ACYCLIC,
        minimal=True if regular else None,
        source="Petrini & Vanneschi 1997" if adaptive else "Zahavi, Johnson, Kerbyson & Lang 2010",
        preference=Preference(selection="random" if adaptive else None),
    )


def _turns(
    height: npt.NDArray[np.int8], begin: Ints, ahead: IntArray
) -> tuple[Ints, IntArray, npt.NDArray[np.int16]]:
    """Return where the runs of each router begin, the end of each run of homes, and what leads to all of these.

    That is the place of a port among those down, if there is one, or EVERY_UP, or SEVERAL.
    """
    runs, edges, turns = [], [], []
    for here, row in enumerate(height):
        up, down, end = begin[2 * here : 2 * here + 3]
        fits = height[ahead[up:end]] == np.maximum(row - 1, 0)
        turn = np.full(row.size, SEVERAL, dtype=np.int16)
        turn[(row > 0) & fits[: down - up].all(axis=0)] = EVERY_UP
        alone = np.flatnonzero((row == 0) & (fits[down - up :].sum(axis=0) == 1))
        turn[alone] = fits[down - up :, alone].argmax(axis=0) if alone.size else SEVERAL
        last = np.append(np.flatnonzero(np.diff(turn)), row.size - 1)
        runs.append(last.size)
        edges.append(last + 1)
        turns.append(turn[last])
    return offsets(runs), np.concatenate(edges).astype(np.int32), np.concatenate(turns)


def _levels_and_heights(network: Network) -> tuple[Ints, npt.NDArray[np.int8]]:
    """Return the level of each router, and the heights of ways; refuse networks without levels, or without ways."""
    level = levels(network)
    if level is None:
        built = recognised(network)
        level = built.level if built.kind == "fat tree" else None
    if level is None or not network.num_channels:
        raise NetworkError(
            f"nca on {network.name}: it needs a fat tree, with terminals at the bottom and channels between two "
            "neighbouring levels, as in fat_tree(4, 3); this network has no such levels"
        )
    homes = homes_of(network)[0]
    astray = np.flatnonzero(np.abs(level[network.source] - level[network.target]) != 1)
    height = _heights(network.without(channels=astray) if astray.size else network, level, homes)
    lost = np.argwhere(height[np.unique(network.inject)] == NONE)
    if lost.size:
        start, end = int(np.unique(network.inject)[lost[0, 0]]), int(homes[lost[0, 1]])
        raise NetworkError(
            f"nca on {network.name}: there is no way up and then down from router {network.router_name(start)} to "
            f"router {network.router_name(end)}"
        )
    return level, height


def _heights(network: Network, level: Ints, homes: Ints) -> npt.NDArray[np.int8]:
    """Return the height of each router's way to each home: 0 where there is a way down, NONE where there is none."""
    if network.num_routers * homes.size > 2 * MAX_DISTANCES:
        raise RelationError(
            f"nca on {network.name}: it needs a table of {network.num_routers} × {homes.size} heights; the limit is "
            f"{2 * MAX_DISTANCES}"
        )
    height = np.full((network.num_routers, homes.size), NONE, dtype=np.int8)
    height[homes, np.arange(homes.size)] = 0
    fill_hops(network, -level, height, NONE, up=False, cost=0)
    fill_hops(network, -level, height, NONE, up=True)
    return height


@takes_network
def destination_tag(network: Network, vcs: int = 1) -> Relation:
    """Routing by the digits of the destination.

    Raises
    ------
    RelationError
        If the network is no delta network, or too large to make sure of it; `NetworkError` if it has no stages.

    References
    ----------
    D. H. Lawrie: Access and alignment of data in an array processor. IEEE Transactions on Computers, C-24(12), 1975,
    1145–1155.

    Examples
    --------
    >>> from unknot.network.families import omega
    >>> destination_tag(omega(8))
    <Relation destination_tag on omega(8), 16 VCs>
    """
    from unknot.routing.rules_kernel import offered

    view = stages(network)
    last = view.count - 1
    ports = _ports(network)
    virtual = VirtualChannels(network, vcs)
    (leaving, channels), stage, home = network.outgoing, view.stage, network.eject
    router, first = virtual.router, virtual.first

    def rule(at: int, address: int, out: Out) -> int:
        here = router[at]
        if stage[here] == last:
            out[0] = EJECT
            return 1 if here == home[address] else 0
        channel = channels[leaving[here] + ports[stage[here], address]]
        return int(offered(out, 0, first[channel], vcs))

    return cited(virtual, rule, "destination_tag", source="Lawrie 1975; Patel 1981")


def _ports(network: Network) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
    """The port to take at each stage for each terminal, found from the first switch and checked from all others."""
    view = stages(network)
    hops = view.count - 1
    starts = np.unique(network.inject)
    if starts.size * network.num_terminals * max(hops, 1) > MAX_STEPS:
        raise RelationError(
            f"destination_tag on {network.name}: {starts.size} first switches and {network.num_terminals} terminals "
            f"are too many; use fully_adaptive"
        )
    leaving, channels = network.outgoing
    at = starts[:1].astype(np.int64)
    taken = np.empty((0, 1), dtype=np.int16)
    for _ in range(hops):
        following = network.outgoing.take(at)
        parent, port = following.row, ranks(following.row)
        at = network.target[following.entries].astype(np.int64)
        taken = np.concatenate([taken[:, parent], port[None].astype(np.int16)])
    order = np.argsort(at, kind="stable")
    which = np.searchsorted(at[order], network.eject)
    known = order[np.minimum(which, at.size - 1)]
    if np.unique(at).size < at.size or not np.array_equal(at[known], network.eject):
        raise RelationError(f"destination_tag on {network.name}: a delta network has one path for every pair")
    ports = np.ascontiguousarray(taken[:, known])
    here = np.repeat(starts.astype(np.int64)[:, None], network.num_terminals, axis=1)
    for hop in range(hops):
        there = leaving[here] + ports[hop]
        if (there >= leaving[here + 1]).any():
            raise RelationError(f"destination_tag on {network.name}: a switch of stage {hop} lacks a port")
        here = network.target[channels[there]].astype(np.int64)
    astray = np.argwhere(here != network.eject)
    if astray.size:
        a, d = astray[0].tolist()
        raise RelationError(
            f"destination_tag on {network.name}: this is no delta network; the ports that lead from "
            f"{network.router_name(int(starts[0]))} to {network.terminal_name(d)} do not lead there from "
            f"{network.router_name(int(starts[a]))}"
        )
    return ports
