"""Routing on dragonflies: minimal, Valiant's by groups, and UGAL (Kim, Dally, Scott & Abts 2008).

Minimal: a local hop to a router with a link to the destination's group, if need be, that global link, and a local hop
to the destination. It takes one global link, so where a shorter way leads over two global links through a third group
it is not the shortest path, although it is called minimal. Valiant's: in the same manner first to a group drawn at
random and from there to the destination; the address is the pair of both.

Any arrangement of global links will do. The VCs are those of the paper: class 0 on the way to the drawn group, class
1 from there (or, directly, from the source) up to the destination's group, class 2 in it. Local and global VCs are
thus passed in the order l0, g0, l1, g1, l2, and so there is no cycle of dependencies under any switching technique.
Minimal routing needs l1, g1, l2 only, 2 VCs on local and 1 on global channels; the others 3 and 2.

UGAL is Valiant's routing, or the direct way where the queues say that it is faster: as in `ugal`, the simulation
compares the direct way, here through the source's own group, with one through a drawn group when a packet is
injected. Its variants differ in the queues that are compared. Credits cannot be held back, so UGAL-L_CR is not among
them, nor is UGAL-G, which knows the queues of other routers.

References
----------
J. Kim, W. J. Dally, S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology. ISCA 2008, 77–88.
doi:10.1109/ISCA.2008.19.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Ints
from unknot.network import Network
from unknot.network.grid import Groups, groups_of
from unknot.network.model import IntArray
from unknot.routing.contract import ACYCLIC, PairNames
from unknot.routing.parts import Published
from unknot.routing.relation import EJECT, Out, Relation, Rule
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels, enough_vcs


@takes_network
def dragonfly_minimal(network: Network, vcs: int | None = None) -> Relation:
    """Local, global, local; of several global links those on the least hops.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, at least 2, shared out among the classes; by default one for each class.

    Raises
    ------
    RelationError
        If there are too few VCs; `NetworkError` if the network is not a dragonfly.

    Examples
    --------
    >>> from unknot.network.families import dragonfly
    >>> dragonfly_minimal(dragonfly(4))
    <Relation dragonfly_minimal on dragonfly(4, 2, 2), 288 VCs>
    """
    return _routing(network, vcs, 1, "dragonfly_minimal")


@takes_network
def dragonfly_valiant(network: Network, vcs: int | None = None) -> Relation:
    """Minimally to any group, then minimally to the destination; at least 3 VCs, otherwise as `dragonfly_minimal`.

    Parameters
    ----------
    vcs : int or None
        VCs per channel.

    Examples
    --------
    >>> from unknot.network.families import dragonfly
    >>> dragonfly_valiant(dragonfly(4))
    <Relation dragonfly_valiant on dragonfly(4, 2, 2), 468 VCs>
    """
    return _routing(network, vcs, 0, "dragonfly_valiant")


@takes_network
def dragonfly_ugal(network: Network, vcs: int | None = None, *, variant: str = "UGAL-L_VCH") -> Relation:
    """UGAL on a dragonfly: Valiant's routing by groups, or directly where queues are short.

    Parameters
    ----------
    vcs : int, optional
        As for `dragonfly_valiant`.
    variant : {"UGAL-L_VCH", "UGAL-L_VC", "UGAL-L"}
        Queues that are compared: of whole ports (UGAL-L), of the VCs that the packet may take (UGAL-L_VC), or of VCs
        only where both ways begin with the same port (UGAL-L_VCH).

    Raises
    ------
    RelationError
        If there is no such variant, or as for `dragonfly_valiant`.

    Examples
    --------
    >>> from unknot.network.families import dragonfly
    >>> dragonfly_ugal(dragonfly(4), variant="UGAL-L")
    <Relation dragonfly_ugal on dragonfly(4, 2, 2), 468 VCs>
    """
    whole = dragonfly_valiant(network, vcs)
    own = groups_of(network, "dragonfly_ugal").group[network.inject]
    return replace(
        whole,
        name="dragonfly_ugal",
        preference=replace(whole.preference, direct=(own * network.num_terminals).astype(np.int32), compares=variant),
    )


class _Gates(NamedTuple):
    """The global channels between groups that have one alone."""

    start: Ints
    """Where it begins, by its groups: a coordinate in the first one; −1 where there are several."""
    end: Ints
    """Where it ends, a coordinate in the second one."""
    vc: IntArray
    """Its lowest VC."""


def _gates(network: Network, view: Groups, first: Ints) -> _Gates:
    """Return the gates of each group: arrays of shape (groups, groups)."""
    groups = len(view.names)
    is_only = np.diff(view.first) == 1
    channel = np.full((groups, groups), -1)
    channel.reshape(-1)[is_only] = view.between[view.first[:-1][is_only]]
    start, end = (np.where(channel < 0, -1, view.index[ends[channel]]) for ends in (network.source, network.target))
    return _Gates(_narrow(start), _narrow(end), first[channel].astype(np.int32))


def _narrow(numbers: npt.NDArray[Any]) -> Ints:
    """Return numbers in fewer bytes: the tables of large dragonflies do not fit in a cache."""
    kind = np.int16 if max(numbers.size, numbers.max(initial=0)) < 2**15 else np.int32
    return numbers.astype(kind)


def _routing(network: Network, vcs: int | None, least: int, name: str) -> Relation:
    """The routing whose classes begin at `least`: 1 for minimal, 0 for Valiant's."""
    from unknot.routing.rules_kernel import offered

    view = groups_of(network, name)
    local, between, pair = view.local, view.between, view.first
    classes = 3 - least
    enough_vcs(network, vcs, classes, name, f"local channels need a VC for each of {classes} classes")
    across = view.group[network.source] != view.group[network.target]
    virtual = VirtualChannels(network, np.where(across, classes - 1, classes) if vcs is None else vcs)
    share, share_across, now_at = _classes(virtual, across, vcs, classes)
    total, terminals, groups = virtual.total, network.num_terminals, len(view.names)
    # Tables that headers look at are few and of small numbers: large dragonflies do not fit in a cache.
    place = virtual.router * classes + np.append(now_at, np.zeros(terminals, dtype=np.int64))
    place, home = _narrow(place), _narrow(network.eject)
    group, index = _narrow(view.group), _narrow(view.index)
    gates, target, source = _gates(network, view, virtual.first), network.target, network.source
    start, gate_vc, first = gates.start, gates.vc, virtual.first.astype(np.int32)
    inward = first[local]

    def rule(at: int, address: int, out: Out) -> int:
        here, now, there = place[at] // classes, place[at] % classes, home[address % terminals]
        here_group, goal = int(group[here]), int(group[there])
        direct = least == 1 or now > 0 or address // terminals == here_group
        if not direct:
            goal = address // terminals
        elif here == there:
            out[0] = EJECT
            return 1
        elif least == 0 and at >= total:
            now = 1
        count = 0
        if goal == here_group:
            low = inward[here, index[there]]
            return int(offered(out, 0, low + share[now], share[now + 1] - share[now]))
        gate = start[here_group, goal]
        if gate >= 0:
            if gate != index[here]:
                return int(offered(out, 0, inward[here, gate] + share[now], share[now + 1] - share[now]))
            if now == classes - 1:
                return 0
            low = gate_vc[here_group, goal]
            return int(offered(out, 0, low + share_across[now], share_across[now + 1] - share_across[now]))
        begin, end = pair[here_group * groups + goal], pair[here_group * groups + goal + 1]
        # Local hops before the global channel and, on the way to the destination's group, after it.
        fewest = 2
        for k in range(begin, end):
            hops = int(source[between[k]] != here) + int(direct and target[between[k]] != there)
            fewest = min(fewest, hops)
        last = here
        for k in range(begin, end):
            c = between[k]
            if int(source[c] != here) + int(direct and target[c] != there) > fewest:
                continue
            if source[c] == here and now < classes - 1:
                low = share_across[now]
                count = offered(out, count, first[c] + low, share_across[now + 1] - low)
            elif source[c] != last:
                last = source[c]
                low = inward[here, index[last]]
                count = offered(out, count, low + share[now], share[now + 1] - share[now])
        return count

    has_single_gates = least == 0 and np.count_nonzero(start < 0) == groups
    hops = _hops(place // classes, home, group, index, gates) if has_single_gates else None
    made = Relation(
        network, virtual, rule, name=name, published=Published(source="Kim, Dally, Scott & Abts 2008", claims=ACYCLIC)
    )
    if least:
        return replace(made, published=replace(made.published, claims_minimal=True if groups > 1 else None))
    every = np.tile(made.destination, groups)
    minimal, names = False if groups > 1 else None, _names(network, view.names)
    return replace(
        made,
        published=replace(made.published, claims_minimal=minimal),
        addresses=replace(made.addresses, destination=every, address_labels=names),
        preference=replace(made.preference, hops=hops),
    )


def _classes(
    virtual: VirtualChannels, across: Flags, vcs: int | None, classes: int
) -> tuple[Ints, Ints, npt.NDArray[Any]]:
    """Return the shares of classes in local and in global channels, and the class of each VC.

    Class k has the VCs share[k] … share[k + 1] − 1 of a local channel, share_across[k] … of a global one.
    """
    share = np.arange(classes + 1) * (vcs or classes) // classes
    share_across = np.arange(classes) * (vcs or classes - 1) // (classes - 1)
    now_at = np.where(
        across[virtual.channel],
        np.searchsorted(share_across[1:], virtual.index, side="right") + 1,
        np.searchsorted(share[1:], virtual.index, side="right"),
    )
    return share, share_across, now_at


def _hops(router: npt.NDArray[Any], home: Ints, group: Ints, index: Ints, gates: _Gates) -> Rule:
    """Return the rule of the number of hops by way of a group, where each two groups have one global channel.

    Parameters
    ----------
    router : int array, shape (input VCs,)
        The router at each.
    home : int array, shape (terminals,)
        The router at which each ejects.
    group, index : int arrays, shape (routers,)
    gates : _Gates
    """
    terminals, start, landing = home.size, gates.start, gates.end

    def hops(at: int, address: int, out: Out) -> int:
        here, there, via = router[at], home[address % terminals], address // terminals
        here_group, position, goal, count = int(group[here]), int(index[here]), int(group[there]), 0
        if via != here_group:
            count = 1 + int(start[here_group, via] != position)
            here_group, position = via, int(landing[here_group, via])
        if goal != here_group:
            count += 1 + int(start[here_group, goal] != position)
            position = int(landing[here_group, goal])
        return count + int(position != index[there])

    return hops


def _names(network: Network, groups: tuple[str, ...]) -> PairNames:
    """Names of the addresses that are a group and a destination."""
    return PairNames(len(groups), network.num_terminals, partial(_name, network, groups))


def _name(network: Network, groups: tuple[str, ...], group: int, to: int) -> str:
    return f"{network.terminal_name(to)} via group {groups[group]}"
