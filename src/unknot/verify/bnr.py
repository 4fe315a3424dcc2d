"""Best networks for routing (BNRs): which classes of messages of a mesh may take every shortest path."""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass
from math import prod

import numpy as np

from unknot.errors import NetworkError, RelationError
from unknot.network.grid import Grid
from unknot.network.model import IntArray
from unknot.routing.meshes import mesh_grid
from unknot.routing.relation import Relation
from unknot.verify.delivery import Delivery
from unknot.verify.minimal_paths import Destinations, ForbiddenPath, Progress, forbidden_path
from unknot.verify.verdict import Verdict


@dataclass(frozen=True)
class Refusal:
    """A header that has lost a shortest path by what it chose before.

    Attributes
    ----------
    source, address : int
        Terminal and address of the message.
    walk : tuple of int
        VCs it has taken, each on a shortest path; the header stands in the last, or at its terminal if there is none.
    channel : int
        A channel that would bring it nearer and that it is not offered.
    """

    source: int
    address: int
    walk: tuple[int, ...]
    channel: int

    def tell(self, relation: Relation) -> str:
        """Where it has come from and what it is refused, by names."""
        name = relation.vcs.name
        way = ", ".join(name(vc) for vc in self.walk)
        after = f"after {way}" if way else f"at {name(relation.num_vcs + self.source)}"
        towards = relation.network.channel_name(self.channel)
        return f"bound for {relation.address_name(self.address)}, {after}: {towards} is not offered"

    def named(self, relation: Relation) -> dict[str, object]:
        """Terminal, address, VCs and channel by names."""
        return {
            "source": relation.network.terminal_name(self.source),
            "address": relation.address_name(self.address),
            "walk": [relation.vcs.name(vc) for vc in self.walk],
            "channel": relation.network.channel_name(self.channel),
        }


@dataclass(frozen=True)
class Bnr:
    """One class of messages and its best network for routing.

    Attributes
    ----------
    signs : tuple of int
        Direction, +1 or −1, in each dimension; a message that need not move in a dimension counts as +1 there.
    pairs : int
        Source and destination terminals of the class, at different routers.
    full_pairs : int
        Pairs of which every shortest path is permitted.
    provided : bool
        Every message of the class may follow every shortest path: some choice of virtual channels follows it.
    forbidden : ForbiddenPath or None
        A shortest path that is not permitted, as short as may be.
    kept : bool
        More than provided: whatever a header has chosen so far, also among virtual channels, every shortest way on is
        still offered.
    refusal : Refusal or None
        The earliest state that has lost one.
    """

    signs: tuple[int, ...]
    pairs: int
    full_pairs: int
    provided: bool
    forbidden: ForbiddenPath | None
    kept: bool
    refusal: Refusal | None

    @property
    def name(self) -> str:
        """The signs, dimension 0 first: such as ``+−``."""
        return "".join("+" if sign > 0 else "−" for sign in self.signs)


def bnr(relation: Relation, *, progress: Progress | None = None) -> tuple[Bnr, ...]:
    """The table of the 2^n best networks for routing of an n-dimensional mesh (Deng & Yang).

    The BNR of a class holds all channels that lead in the directions of the class; it is provided when every message
    of the class may follow every shortest path, judged path by path. Exact at any size; time is that of `adaptivity`,
    and another pass over the states of every class.

    Parameters
    ----------
    relation : Relation
        On a complete mesh of any dimension, sides as they are.
    progress : callable, optional
        Called with (destinations done, destinations).

    Returns
    -------
    tuple of Bnr
        From all directions up to all down, dimension 0 changing fastest.

    Raises
    ------
    RelationError
        If the network has wrap links, or a reachable state breaks the relation's contract; `NetworkError` if it is
        not a complete mesh.
    """
    network = relation.network
    product = complete_mesh(relation)
    dimensions = product.radices.size
    classes = 2**dimensions
    at = product.coordinates
    pairs, full = np.zeros(classes, dtype=np.int64), np.zeros(classes, dtype=np.int64)
    nearest: list[tuple[int, int, int] | None] = [None] * classes
    lost: list[tuple[int, int, int] | None] = [None] * classes
    space = Destinations(relation)
    weights = 1 << np.arange(dimensions)
    for home in range(network.num_terminals):
        space.turn_to(home)
        group = ((at[network.inject] > at[network.eject[home]]) @ weights).astype(np.int32)
        counts = space.counts()
        kind, complete = group[counts.sources], counts.complete
        pairs += np.bincount(kind, minlength=classes)
        full += np.bincount(kind[complete], minlength=classes)
        for i in np.flatnonzero(~complete).tolist():
            best, hops = nearest[kind[i]], int(counts.distance[i])
            if best is None or hops < best[0]:
                nearest[kind[i]] = hops, int(counts.sources[i]), home
        for k, found in enumerate(space.refusals(group, classes)):
            earlier = lost[k]
            if found is not None and (earlier is None or found[0] < earlier[0]):
                lost[k] = found[0], found[1], home
        if progress is not None:
            progress(home + 1, network.num_terminals)
    table = []
    for k, order in enumerate(itertools.product((1, -1), repeat=dimensions)):
        near, gone = nearest[k], lost[k]
        table.append(
            Bnr(
                signs=order[::-1],
                pairs=int(pairs[k]),
                full_pairs=int(full[k]),
                provided=near is None,
                forbidden=None if near is None else forbidden_path(relation, near[1], near[2]),
                kept=gone is None,
                refusal=None if gone is None else _refusal(relation, product, order[::-1], gone[1]),
            )
        )
    return tuple(table)


def complete_mesh(relation: Relation) -> Grid:
    """The mesh a relation routes on.

    Raises
    ------
    RelationError
        If it has wrap links; `NetworkError` if it has no dimensions, or routers or channels are missing.
    """
    product = mesh_grid(relation.network, "the BNR table")
    if not product.complete:
        raise NetworkError(
            f"the BNR table wants a complete mesh; {relation.network.name} has {product.coordinates.shape[0]} of the "
            f"{prod(product.radices.tolist())} routers of one with its sides and {relation.network.num_channels} of "
            f"the {_channels(product)} channels"
        )
    return product


def _channels(product: Grid) -> int:
    routers = prod(product.radices.tolist())
    return sum(2 * routers // k * (k - 1) for k in product.radices.tolist())


def _refusal(relation: Relation, product: Grid, signs: tuple[int, ...], address: int) -> Refusal:
    """The state met first, from the sources of a class, that is not offered every channel that brings it nearer."""
    network, vcs, at = relation.network, relation.vcs, product.coordinates
    home = at[network.eject[relation.destination[address]]]
    negative = np.array(signs) < 0
    before: dict[int, int | None] = {}
    todo: deque[int] = deque()
    for t in relation.sources(address).tolist():
        here = at[network.inject[t]]
        if ((here > home) == negative).all() and (here != home).any():
            before[relation.num_vcs + t] = None
            todo.append(relation.num_vcs + t)
    while todo:
        place = todo.popleft()
        nearer = _nearer(product, int(vcs.router[place]), home)
        offered = {int(vcs.channel[c.vc]): 0 for c in relation.candidates(place, address) if c.vc is not None}
        for channel in nearer:
            if channel not in offered:
                walk, end = [], place
                while (previous := before[end]) is not None:
                    walk.append(end)
                    end = previous
                return Refusal(end - relation.num_vcs, address, tuple(walk[::-1]), channel)
        for candidate in relation.candidates(place, address):
            vc = candidate.vc
            if vc is not None and vc not in before and vcs.channel[vc] in nearer:
                before[vc] = place
                todo.append(vc)
    raise RelationError(f"{relation.name}: its answers change from one question to the next")


def _nearer(product: Grid, router: int, home: IntArray) -> list[int]:
    """Channels of a router that bring nearer, by dimension."""
    here = product.coordinates[router]
    return [
        int(product.channel[router, 2 * i + (b < a)])
        for i, (a, b) in enumerate(zip(here.tolist(), home.tolist(), strict=True))
        if a != b
    ]


@dataclass(frozen=True, eq=False)
class Conclusion:
    """Whether a routing is minimal, deadlock-free and fully adaptive under one switching technique.

    Attributes
    ----------
    verdict : Verdict
    delivery : Delivery
    table : tuple of Bnr
    holds : bool or None
        None when the verdict is open and nothing else fails.
    reasons : tuple of str
        What fails or is open, each in a few words.
    """

    verdict: Verdict
    delivery: Delivery
    table: tuple[Bnr, ...]
    holds: bool | None
    reasons: tuple[str, ...]


def conclude(verdict: Verdict, delivery: Delivery, table: tuple[Bnr, ...]) -> Conclusion:
    """Draw conclusion 1 of Deng & Yang: deadlock-free and every BNR provided.

    They take for granted that a routing is minimal and delivers; both are asked for here, since a routing may well
    permit every shortest path and longer ones too.
    """
    reasons = []
    if verdict.deadlock_free is False:
        reasons.append(f"it can deadlock under {verdict.switching}")
    missing = [row.name for row in table if not row.provided]
    if missing:
        reasons.append(f"{len(missing)} of {len(table)} BNRs are not provided: {', '.join(missing)}")
    if not delivery.delivered:
        reasons.append(f"{delivery.undelivered_pairs} of {delivery.pairs} pairs may not be delivered")
    if not delivery.minimal:
        reasons.append("it is not minimal")
    failed = bool(reasons)
    if verdict.deadlock_free is None:
        reasons.append(f"whether it can deadlock under {verdict.switching} is open")
    return Conclusion(verdict, delivery, table, False if failed else None if reasons else True, tuple(reasons))
