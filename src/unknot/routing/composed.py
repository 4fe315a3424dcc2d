"""Routing in networks made of parts: by a routing of its own inside each, and by chosen links from one to the next.

Meshes joined into pods, and pods into clusters, are built so. Parts may each be free of deadlock and not so together:
a packet that leaves its part waits for room in the next one, among packets that wait to leave that one. It depends on
which links are taken, and on what shares virtual channels (VCs). The parts of a packet's way are its legs. With a set
of VCs for each leg, packets wait only for packets of their own leg in their own part, and of later legs. So as many
legs as the longest way has are always enough, if the parts are free of deadlock.

Parts are the routers with the same coordinate in one dimension, the last by default, as in
``(mesh(4, 4) * {0, 1}) | {(3, 3, 0) -- (0, 0, 1)}``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot._base.arrays import Flags, Ints
from unknot._base.errors import RelationError, require_known
from unknot._base.numbers import require_whole
from unknot.network import Network
from unknot.network.graph import components, reached_from, survivors
from unknot.routing.named import routing
from unknot.routing.relation import EJECT, VC_MASK, Out, Relation, Rule
from unknot.routing.table import lookup
from unknot.routing.tabulate import tabulate
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels

EXITS = ("first", "last", "spread")
NOWHERE = -1


@takes_network
def composed(
    network: Network,
    vcs: int | None = None,
    *,
    inside: str | Sequence[str] = "dimension_order",
    exits: str | npt.ArrayLike = "first",
    legs: int = 1,
    dimension: str | None = None,
) -> Relation:
    """A routing inside each part, and links from part to part.

    A packet goes to the router at which its exit begins as if that were its destination, over the exit, and on from
    there as if it were injected. Between parts it takes as few links as possible.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, shared out evenly among the legs; by default as many as `inside` takes for each leg.
    inside : str or sequence of str
        Routing of all parts, or of each.
    exits : {"first", "last", "spread"} or array_like of int, shape (parts, parts)
        Of several links to the next part, the one with the lowest number, with the highest, or one that changes with
        the destination terminal; or the channel by which packets leave each part for each other part.
    legs : int
        Sets of VCs: a packet takes the next one when it comes into a part, and keeps the last.
    dimension : str, optional
        Name of the coordinate that says which part a router is of; by default the last.

    Raises
    ------
    RelationError
        If the network has no such coordinate, a part cannot be reached or is not connected, a routing cannot be used
        inside one, or a router where packets enter or leave a part has no terminal.

    Examples
    --------
    >>> from unknot.verify import check
    >>> from unknot.network.tod import network
    >>> ring_of_pods = network(
    ...     "(mesh(2, 2) * {0, 1, 2, 3}) | {(1, 1, i) -- (0, 0, (i + 1) % 4) for i in 4}"
    ... )
    >>> check(composed(ring_of_pods)).deadlock_free, check(composed(ring_of_pods, legs=3)).deadlock_free
    (False, True)
    """
    number, names = _parts_of(network, dimension)
    count = len(names)
    texts = [inside] * count if isinstance(inside, str) else [*inside]
    if len(texts) != count:
        raise RelationError(f"composed: {network.name} has {count} parts, and {len(texts)} routings are given")
    require_whole("composed: legs", legs, 1, error=RelationError)
    if vcs is not None and vcs % legs:
        raise RelationError(f"composed: {vcs} VCs cannot be shared out evenly among {legs} legs")
    parts = [_part(network, number == p, names[p], texts[p], vcs and vcs // legs) for p in range(count)]
    each = {int(vc_count) for part in parts for vc_count in part.relation.vcs.counts}
    if len(each) > 1:
        raise RelationError(f"composed: the routings of the parts take {sorted(each)} VCs per channel; give --vcs")
    leg = max(each, default=1)
    memory.require(f"composed on {network.name}", 40 * network.num_terminals * network.num_channels * legs)
    leave = _exits(network, number, names, exits)
    virtual = VirtualChannels(network, leg * legs)
    title = ", ".join(dict.fromkeys(texts))
    name = f"composed of {title} in {count} parts" + (f", {legs} legs" if legs > 1 else "")
    made = Relation(network, virtual, _rule(virtual, number, parts, leave, legs), name=name)
    try:
        return replace(made, rule=lookup(tabulate(made)))
    except RelationError as error:  # where it says in which state, its cause says what is wrong
        raise (error.__cause__ if isinstance(error.__cause__, RelationError) else error) from None


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of a network, with its routing.

    Attributes
    ----------
    relation : Relation
        On the network of the part alone.
    channel, terminal : int64 arrays
        Numbers in the whole network of the channels and terminals of the part.
    seat : dict of int to int
        A terminal of the part at each of its routers, by their numbers in the whole.
    """

    relation: Relation
    channel: Ints
    terminal: Ints
    seat: dict[int, int]


def _parts_of(network: Network, dimension: str | None) -> tuple[Ints, list[str]]:
    """The part of each router, counted from 0, and their names."""
    if network.coordinates is None or len(network.dimensions) < 2:
        raise RelationError(
            f"composed on {network.name}: it needs routers whose last coordinate says which part they are of, as in "
            "(mesh(4, 4) * {0, 1}) | {(3, 3, 0) -- (0, 0, 1)}"
        )
    if dimension is not None:
        require_known("composed: unknown dimension", dimension, network.dimensions, RelationError)
    axis = network.dimensions.index(dimension or network.dimensions[-1])
    names, number = np.unique(network.coordinates[:, axis], return_inverse=True)
    return number.astype(np.int64), [f"part {network.dimensions[axis]} = {name}" for name in names]


def _part(network: Network, inner: Flags, name: str, text: str, vcs: int | None) -> _Part:
    """The network of some routers, and a routing on it."""
    left = network.without(routers=np.flatnonzero(~inner).tolist())
    kept = survivors(network, left)
    channel, terminal = kept.channels.astype(np.int64), kept.terminals.astype(np.int64)
    assert left.coordinates is not None
    varies = [i for i in range(len(network.dimensions)) if np.unique(left.coordinates[:, i]).size > 1]
    part = replace(
        left,
        name=f"{name} of {network.name}",
        wires=replace(left.wires, ports=None),
        places=replace(
            left.places,
            coordinates=left.coordinates[:, varies],
            radices=tuple(network.radices[i] for i in varies),
            dimensions=tuple(network.dimensions[i] for i in varies),
            router_labels=tuple(map(network.router_name, kept.routers.tolist())),
            terminal_labels=None,
            origin=None,
        ),
    )
    if components(part)[1] > 1:
        raise RelationError(
            f"composed on {network.name}: its {name} is not connected, so a packet cannot stay inside"
        )
    relation = routing(part, text, vcs, where="composed")
    if relation.commits or relation.may_use is not None or relation.num_addresses != terminal.size:
        raise RelationError(
            f"composed cannot use {relation.name} inside {name}: headers must choose anew at every router, and there "
            "must be one address for each terminal"
        )
    seat = {int(network.inject[t]): i for i, t in enumerate(terminal)}
    return _Part(relation, channel, terminal, seat)


def _exits(network: Network, number: Ints, names: list[str], exits: str | npt.ArrayLike) -> Ints:
    """The channel by which packets leave each part for each destination terminal; −1 in its own part."""
    count, owner = len(names), number[network.eject]
    if not isinstance(exits, str):
        table = np.asarray(exits)
        if table.shape != (count, count) or table.dtype.kind not in "iu":
            raise RelationError(f"composed: exits must be a table of channels, {count} × {count}")
        for p, q in np.argwhere(~np.eye(count, dtype=bool)).tolist():
            c = int(table[p, q])
            if not 0 <= c < network.num_channels or number[network.source[c]] != p or number[network.target[c]] == p:
                raise RelationError(f"composed: exits: {c} is no channel that leaves {names[p]}, for {names[q]}")
        return np.where(np.arange(count)[:, None] == owner, NOWHERE, table[:, owner]).astype(np.int64)
    require_known("composed: unknown exits", exits, EXITS, RelationError)
    crossing = np.flatnonzero(number[network.source] != number[network.target])
    leaving: dict[tuple[int, int], list[int]] = {}
    for c in crossing.tolist():
        leaving.setdefault((int(number[network.source[c]]), int(number[network.target[c]])), []).append(c)
    leave = np.full((count, network.num_terminals), NOWHERE, dtype=np.int64)
    for q in range(count):
        following = reached_from([q], lambda nearer: [p for p in range(count) if (p, nearer) in leaving])
        lone = next((p for p in range(count) if p not in following), None)
        if lone is not None:
            raise RelationError(f"composed on {network.name}: no links lead from {names[lone]} to {names[q]}")
        for terminal in np.flatnonzero(owner == q).tolist():
            for p in set(range(count)) - {q}:
                links = leaving[p, following[p]]
                leave[p, terminal] = links[{"first": 0, "last": -1}.get(exits, terminal % len(links))]
    return leave


def _rule(
    virtual: VirtualChannels,
    number: Ints,
    parts: list[_Part],
    leave: Ints,
    legs: int,
) -> Rule:
    """The rule of the whole network: the rule of a part, in its numbering, or the exit to the next part."""
    network, width, router = virtual.network, virtual.widest // legs, virtual.router.tolist()
    part_of = [number[network.source], number[network.target]]
    inner = {int(t): i for part in parts for i, t in enumerate(part.terminal)}
    outer = [virtual.first[part.channel[part.relation.vcs.channel]] + part.relation.vcs.index for part in parts]

    def seat(p: int, router: int) -> int:
        """A terminal of a part at a router, in whose place a header is injected or ejected."""
        if router not in parts[p].seat:
            raise RelationError(
                f"composed on {network.name}: packets enter or leave a part at router {network.router_name(router)}, "
                "which has no terminal"
            )
        return parts[p].seat[router]

    def rule(at: int, address: int, out: Out) -> int:
        p, leg = int(number[router[at]]), 0
        own = parts[p].relation.vcs
        if at >= virtual.total:
            place = own.total + int(np.searchsorted(parts[p].terminal, at - virtual.total))
        else:
            channel, (leg, index) = virtual.channel[at], divmod(int(virtual.index[at]), width)
            if part_of[0][channel] != p:  # it has come in
                place, leg = own.total + seat(p, router[at]), min(leg + 1, legs - 1)
            else:
                place = int(own.first[np.searchsorted(parts[p].channel, channel)]) + index
        home = number[network.eject[address]] == p
        link = leave[p, address]
        if not home and router[at] == network.source[link]:
            out[:width] = virtual.first[link] + leg * width + np.arange(width)
            return width
        count = parts[p].relation.rule(place, inner[address] if home else seat(p, int(network.source[link])), out)
        for i in range(count):
            vc = out[i] & VC_MASK
            if vc != EJECT:
                out[i] += outer[p][vc] + leg * width - vc
        return count

    return rule
