"""Best networks for routing (BNRs): which classes of messages may take every shortest path."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from unknot._base.progress import Progress, reported, with_bar
from unknot._base.quantities import AddressNumber, ChannelNumber, TerminalNumber, VcNumber
from unknot._base.shown import Brief
from unknot._base.three_valued import ThreeValued
from unknot.certificates.verdict import Verdict
from unknot.network import Network
from unknot.network.grid import Grid, whole_grid
from unknot.network.model import IntArray
from unknot.routing.relation import EJECT, VC_MASK, Relation
from unknot.routing.taking import takes_relation
from unknot.verify.delivery import Delivery
from unknot.verify.minimal_paths import Destinations, ForbiddenPath, forbidden_path


@dataclass(frozen=True)
class Refusal:
    """A header that has lost a shortest path by an earlier choice.

    Attributes
    ----------
    source, address : int
        Terminal and address of the message.
    walk : tuple of int
        VCs it has taken, each on a shortest path; the header stands in the last, or at its terminal if there is none.
    channel : int
        A channel that would bring it nearer and that it is not offered.
    """

    source: TerminalNumber
    address: AddressNumber
    walk: tuple[VcNumber, ...]
    channel: ChannelNumber

    def describe(self, relation: Relation) -> str:
        """Describe by names the way of the packet and the channel that it is refused."""
        name = relation.vcs.name
        way = ", ".join(name(vc) for vc in self.walk)
        after = f"after {way}" if way else f"at {name(relation.num_vcs + self.source)}"
        towards = relation.network.channel_name(self.channel)
        return f"bound for {relation.address_name(self.address)}, {after}: {towards} is not offered"


@dataclass(frozen=True)
class Bnr:
    """One class of messages and its best network for routing.

    Attributes
    ----------
    signs : tuple of int
        Direction, +1 or −1, in each dimension; a message that need not move in a dimension counts as +1 there. On a
        ring 0 stands for messages that have as far either way round. Empty: all messages.
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
        """The signs, dimension 0 first: such as ``+−``, or ``±`` for either way round; or ``all``."""
        return "".join("±+−"[sign] for sign in self.signs) or "all"


@takes_relation
@with_bar
def bnr(relation: Relation, *, progress: Progress | None = None) -> tuple[Bnr, ...]:
    """The table of best networks for routing, 2^n of them on an n-dimensional mesh (Deng & Yang).

    The BNR of a class of messages holds all channels of their shortest paths; it is provided when every message of
    the class may follow every shortest path, judged path by path. On a mesh, those are the channels that lead in the
    directions of the class. On a torus the classes are made in the same manner; where both ways round a ring are
    equally short both belong to the BNR. On any other network all messages are one class, whose BNR is provided when
    the routing is fully adaptive. Exact at any size; time is that of `adaptivity`, and another pass over the states
    of every class.

    Parameters
    ----------
    relation : Relation
        On any network.
    progress : callable, optional
        Called with the destinations done, see `unknot._base.progress`.

    Returns
    -------
    tuple of Bnr
        From all directions up to all down, dimension 0 changing fastest.

    Raises
    ------
    RelationError
        If a reachable state breaks the relation's contract.
    """
    network = relation.network
    kinds = directions(network)
    classes = len(kinds.signs)
    pairs, full = np.zeros(classes, dtype=np.int64), np.zeros(classes, dtype=np.int64)
    nearest: list[tuple[int, int, int] | None] = [None] * classes
    refusals: list[Refusal | None] = [None] * classes
    destinations = Destinations(relation)
    each = map(destinations.counts, range(network.num_terminals))
    for counts in reported(each, network.num_terminals, progress, lambda _: "destinations"):
        group = kinds.of_sources(counts.home)
        kind, complete = group[counts.sources], counts.complete
        pairs += np.bincount(kind, minlength=classes)
        full += np.bincount(kind[complete], minlength=classes)
        for i in np.flatnonzero(~complete).tolist():
            best, hops = nearest[kind[i]], int(counts.distance[i])
            if best is None or hops < best[0]:
                nearest[kind[i]] = hops, int(counts.sources[i]), counts.home
        for address in destinations.mine.tolist():
            _refuse(relation, destinations, address, group, refusals)
    paths = [None if near is None else forbidden_path(relation, near[1], near[2]) for near in nearest]
    rows = zip(kinds.signs, pairs.tolist(), full.tolist(), paths, refusals, strict=True)
    return tuple(
        Bnr(signs, count, whole, path is None, path, refusal is None, refusal)
        for signs, count, whole, path, refusal in rows
    )


def _refuse(
    relation: Relation, paths: Destinations, address: int, group: IntArray, refusals: list[Refusal | None]
) -> None:
    """Write down the first refusal of each class at an address, where it takes fewer steps than the one known."""
    network, vcs, left = relation.network, relation.vcs, paths.distance
    nearer = (left[network.target] == left[network.source] - 1) & (left[network.source] > 0)
    order, first, answers = paths.explorer.visit(address)
    state, vc = np.repeat(np.arange(order.size), np.diff(first)), answers & VC_MASK
    state, vc = state[vc != EJECT], vc[vc != EJECT]
    state, vc = state[nearer[vcs.channel[vc]]], vc[nearer[vcs.channel[vc]]]
    offered = np.bincount(np.unique(np.stack([state, vcs.channel[vc]]), axis=1)[0], minlength=order.size)
    refused = offered < np.bincount(network.source[nearer], minlength=network.num_routers)[vcs.router[order]]
    if not refused.any():
        return
    steps = dict(zip(order.tolist(), np.split(vc, np.searchsorted(state, np.arange(1, order.size))), strict=True))
    ends = set(order[refused].tolist())
    for k, known in enumerate(refusals):
        walks = {
            relation.num_vcs + t: (relation.num_vcs + t,) for t in relation.sources(address).tolist() if group[t] == k
        }
        todo = list(walks)
        for at in todo:
            if known is not None and len(walks[at]) > len(known.walk):
                break
            if at in ends:
                lacking = set(np.flatnonzero(nearer & (network.source == vcs.router[at])).tolist())
                channel = min(lacking.difference(vcs.channel[steps[at]].tolist()))
                refusals[k] = Refusal(walks[at][0] - relation.num_vcs, address, walks[at][1:], channel)
                break
            fresh = {after: (*walks[at], after) for after in steps[at].tolist() if after not in walks}
            walks |= fresh
            todo += fresh


@dataclass(frozen=True, eq=False, repr=False)
class Conclusion(ThreeValued, Brief, asks="holds"):
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


Signs = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Directions:
    """The classes of messages of a network.

    Attributes
    ----------
    network : Network
    product : Grid or None
        The network as a product of lines and rings with nothing missing; None if it is none: one class for all.
    choices : tuple of tuple of int
        For each dimension the directions that a class may have there: +1, −1, or 0 for either way round a ring.
    """

    network: Network
    product: Grid | None
    choices: tuple[Signs, ...]

    @property
    def signs(self) -> list[Signs]:
        """The classes, dimension 0 changing fastest; the empty tuple if all messages are one class."""
        return [order[::-1] for order in itertools.product(*self.choices[::-1])]

    def of_sources(self, home: int) -> IntArray:
        """Class of the messages of each terminal to one of them, by position: int32 array, shape (terminals,)."""
        classes = np.zeros(self.network.num_terminals, dtype=np.int32)
        if self.product is None:
            return classes
        at, weight = self.product.coordinates, 1
        for i, signs in enumerate(self.choices):
            up = at[self.network.eject[home], i] - at[self.network.inject, i]
            k = int(self.product.radices[i])
            if self.product.wraps[i]:
                up = up % k
                up = np.where(2 * up == k, k, np.where(2 * up > k, up - k, up))
            sign = np.where(up == k, 0, np.where(up < 0, -1, 1)) if len(signs) > 1 else np.full(up.size, signs[0])
            classes += (weight * np.argmax(sign[:, None] == np.array(signs), axis=1)).astype(np.int32)
            weight *= len(signs)
        return classes


def directions(network: Network) -> Directions:
    """Classify messages by the directions of their shortest paths.

    On a line a message that need not move counts as going up (Deng & Yang). On a ring both ways round may be equally
    short, which is a direction of its own. A network without dimensions, or one that lacks routers or channels of a
    product of lines and rings, has one class.

    Examples
    --------
    >>> from unknot.network.families import mesh, torus
    >>> directions(mesh(3, 3)).signs
    [(1, 1), (-1, 1), (1, -1), (-1, -1)]
    >>> len(directions(torus(4, 3)).signs)
    6
    """
    product = whole_grid(network)
    if product is None:
        return Directions(network, None, ())
    choices: list[Signs] = []
    for k, wraps, open_directions in zip(
        product.radices.tolist(), product.wraps, product.directions.tolist(), strict=True
    ):
        if not wraps:
            choices.append((1, -1))
        elif open_directions != 3:
            choices.append((1,) if open_directions == 1 else (-1,))
        elif k == 2:
            choices.append((1, 0))
        else:
            choices.append((1, -1, 0) if k % 2 == 0 else (1, -1))
    return Directions(network, product, tuple(choices))
