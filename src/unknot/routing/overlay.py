"""VNOF, the virtual network overlay framework: adaptive virtual networks laid over one that cannot deadlock.

The VCs of every channel are shared out among virtual networks. The first is routed by a deadlock-free minimal base
algorithm, the others by adaptive ones; a message may go from any overlaid network into any other network, since a
header that enters one is treated as if it were injected there. Overlaid VCs are tried first; a blocked header waits
for all that it may take. Whether a message may come back from the base is left open by the sources: `returns` says.
Minimal if all parts are. The framework (Liu & Yang 1999, as described by Deng & Yang) claims that a base that cannot
deadlock is all that deadlock freedom takes. Under wormhole switching Duato's theorem asks for more where messages
come back: a detour through an overlaid network joins base channels that the base alone never uses one after the
other. The prover says for which bases it matters.

PBFAA is the instance on meshes with two networks: the first VC of every channel for a partially adaptive base, all
others fully adaptive. The accounts of it name no base. Liu & Yang, as Deng & Yang report, claim it fully adaptive and
deadlock-free: the second network provides every path and the base avoids deadlock.

References
----------
Y. Liu, X. Yang: Virtual network overlay, a framework for adaptive routing algorithms (in Chinese). Journal of
Computer Research and Development, 1999, no. 4, as cited by Deng & Yang.
B. Deng, X. Yang: BNR: the tool to analyse and design the minimal deadlock-free fully adaptive routing algorithm.
Computer Engineering & Science.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.meshes import mesh_grid
from unknot.routing.named import routing
from unknot.routing.relation import EJECT, TIER, VC_MASK, Out, Relation, Rule, cited
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels

CLAIMED = ("saf", "vct", "wormhole")


@takes_network
def overlay(
    network: Network,
    vcs: int | None = None,
    *,
    base: str = "dimension_order",
    over: str | Sequence[str] = "fully_adaptive",
    returns: bool = True,
) -> Relation:
    """A base routing and adaptive virtual networks over it.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel in all; those that the others leave go to the last overlaid network. By default every part has
        the VCs it takes by itself.
    base : str
        Name of the base routing, with options if needed.
    over : str or sequence of str
        Names of the overlaid routings, one for each virtual network.
    returns : bool
        Whether a message that has entered the base may go back to the overlaid networks.

    Raises
    ------
    RelationError
        If a part cannot be used on the network or with these VCs, commits to its choices, gives terminals several
        addresses, or some router has no terminal at which a header could enter a part.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> overlay(mesh(4, 4), base="west_first")
    <Relation overlay of fully_adaptive on west_first on mesh(4, 4), 96 VCs>
    """
    names = [base, over] if isinstance(over, str) else [base, *over]
    if len(names) < 2:
        raise RelationError("overlay needs at least one routing to lay over its base")
    parts = [routing(network, text, where="overlay") for text in (names[:-1] if vcs is not None else names)]
    if vcs is not None:
        parts.append(_with_the_rest(network, parts, names[-1], vcs))
    for part in parts:
        if part.commits or part.may_use is not None or part.num_addresses != network.num_terminals:
            raise RelationError(
                f"overlay cannot use {part.name}: its parts must choose anew at every router, and have one address "
                "for each terminal"
            )
    counts = np.stack([part.vcs.counts for part in parts]).astype(np.int64)
    virtual, seat = VirtualChannels(network, counts.sum(axis=0)), _ports(network)
    starts = np.cumsum(counts, axis=0) - counts
    layers = [Layer(virtual, part, start) for part, start in zip(parts, starts, strict=True)]
    rules = [_anywhere(layers, k, seat, virtual.router, returns=returns) for k in range(len(parts))]
    rule = rules[0]
    for over_it in rules[1:]:
        rule = _after(over_it, rule)
    sound = parts[0].claims_minimal is True
    return cited(
        virtual,
        rule,
        f"overlay of {', '.join(part.name for part in parts[1:])} on {parts[0].name}",
        {technique: True for technique in CLAIMED if sound and parts[0].claims.get(technique)},
        minimal=all(part.claims_minimal for part in parts) or None,
        source="Liu & Yang 1999",
    )


@takes_network
def pbfaa(network: Network, vcs: int = 2, *, base: str = "negative_first", returns: bool = True) -> Relation:
    """Fully adaptive routing over a partially adaptive base.

    Parameters
    ----------
    vcs : int
        VCs per channel: those of the base, all others fully adaptive.
    base : str
        As for `overlay`.
    returns : bool
        Whether a message that has entered the base may go back to the fully adaptive network.

    Raises
    ------
    RelationError
        If the network is not a mesh or hypercube, or `base` cannot be used; `NetworkError` if it has no coordinates.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> pbfaa(mesh(4, 4))
    <Relation pbfaa on mesh(4, 4), 96 VCs>
    """
    mesh_grid(network, "pbfaa")
    relation = overlay(network, vcs, base=base, returns=returns)
    return replace(
        relation,
        name="pbfaa",
        published=replace(relation.published, claims=dict.fromkeys(CLAIMED, True), source="Liu & Yang 1999"),
    )


def _with_the_rest(network: Network, parts: list[Relation], text: str, vcs: int) -> Relation:
    taken = np.sum([part.vcs.counts for part in parts], axis=0)
    fewest, most = int(taken.min(initial=vcs)), int(taken.max(initial=0))
    if most >= vcs or fewest < most:
        raise RelationError(
            f"overlay: {', '.join(part.name for part in parts)} take {fewest} to {most} VCs of each channel, so "
            f"{vcs} cannot be shared out with {text}"
        )
    return routing(network, text, vcs - most, where="overlay")


class Layer:
    """A layer of an overlay: the VCs of a relation begin at some index of each channel.

    Attributes
    ----------
    outer : int64 array, shape (VCs of the relation,)
        The number of each VC in the whole.
    inner : int64 array, shape (VCs of the whole,)
        The number of each VC in the relation; −1 for those of others.
    """

    def __init__(self, virtual: VirtualChannels, relation: Relation, start: npt.ArrayLike = 0) -> None:
        own = relation.vcs
        self.relation = relation
        self.outer = virtual.first[own.channel] + np.broadcast_to(start, own.counts.shape)[own.channel] + own.index
        self.inner = np.full(virtual.total, -1, dtype=np.int64)
        self.inner[self.outer] = np.arange(own.total)

    @property
    def rule(self) -> Rule:
        """The rule in numbers of the whole, for headers in VCs of the relation and at injection ports."""
        outer, inner, ask = self.outer, self.inner, self.relation.rule
        total, entry = inner.size, outer.size

        def rule(at: int, address: int, out: Out) -> int:
            count = ask(inner[at] if at < total else entry + at - total, address, out)
            for i in range(count):
                vc = out[i] & VC_MASK
                if vc != EJECT:
                    out[i] += outer[vc] - vc
            return count

        return rule


def _ports(network: Network) -> Ints:
    """A terminal of each router, −1 where there is none."""
    seat = np.full(network.num_routers, -1, dtype=np.int64)
    seat[network.inject] = np.arange(network.num_terminals)
    empty = np.flatnonzero(seat[network.target] < 0)
    if empty.size:
        raise RelationError(
            f"overlay on {network.name}: a header enters a virtual network as if it were injected, but router "
            f"{network.router_name(int(network.target[empty[0]]))} has no terminal"
        )
    return seat


def _anywhere(layers: list[Layer], k: int, seat: Ints, router: IntArray, *, returns: bool) -> Rule:
    """The rule of layer k for a header anywhere in the network."""
    inner, base, ask = layers[k].inner, layers[0].inner, layers[k].rule
    total, tier, closed = inner.size, TIER if k == 0 else 0, k > 0 and not returns

    def rule(at: int, address: int, out: Out) -> int:
        if at < total and closed and base[at] >= 0:
            return 0
        own, entered = k == 0, at
        if at < total:
            own = inner[at] >= 0
            entered = at if own else total + seat[router[at]]
        count = 0
        for i in range(ask(entered, address, out)):
            if out[i] & VC_MASK != EJECT:
                out[count] = out[i] + tier
                count += 1
            elif own:
                out[count] = EJECT
                count += 1
        return count

    return rule


def _after(first: Rule, second: Rule) -> Rule:
    """Candidates of one rule, then those of another."""

    def rule(at: int, address: int, out: Out) -> int:
        count = first(at, address, out)
        return count + second(at, address, out[count:])

    return rule
