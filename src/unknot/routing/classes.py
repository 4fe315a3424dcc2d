"""Message classes: one routing several times over, for each class of messages on virtual channels (VCs) of its own.

Requests and replies that share VCs can wait for each other at the terminals: where a terminal stops taking in
requests until its replies have left, neither a proof of the network nor a run in which terminals take in everything
knows of that wait. With VCs of its own each class is a network apart, proved by itself, and what is left to show is
that the terminals always take in the last class. Any base routing will do; it needs its VCs once for each class. A
message has as many addresses for a destination as there are classes, and keeps to the one it got. Minimal, adaptive
and deadlock-free, under each switching technique, just where the base is: a message never waits for a VC of another
class. The claims are therefore those of the base. Classes on VCs of their own are old practice, in the router of the
Alpha 21364 for one (Mukherjee et al. 2002).

`in_ranges` gives each class a routing of its own on VCs that follow one another; a VC in several ranges is taken by
whichever class comes first. Where ranges overlap, classes wait for each other, and what is proved of one does not
hold of all: deadlock-free under each switching technique where the ranges are apart and each routing is; else the
proof says. Such ranges are what BookSim 2 has for reads and writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.routing.contract import PairNames
from unknot.routing.named import routing
from unknot.routing.overlay import Layer
from unknot.routing.parts import Addressing, Preference
from unknot.routing.relation import EJECT, VC_MASK, Out, Relation, cited
from unknot.routing.taking import takes_network, takes_relation
from unknot.routing.virtual_channels import VirtualChannels

Numbered = Callable[[int, int, int, Out], int]
BOTH = ("request", "reply")
"""The classes of a closed loop."""


@takes_network
def message_classes(
    network: Network, vcs: int | None = None, *, base: str = "dimension_order", names: Sequence[str] = BOTH
) -> Relation:
    """A routing by name, once for each class of messages.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel in all, shared out equally; by default those that the base takes by itself, for each class.
    base : str
        Name of the routing, with options if needed.
    names : sequence of str
        Names of the classes.

    Raises
    ------
    RelationError
        If the VCs cannot be shared out equally, or the base cannot be used.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> message_classes(mesh(4, 4), base="west_first")
    <Relation west_first for request and reply on mesh(4, 4), 96 VCs>
    """
    return in_classes(routing(network, base, share(vcs, names), where="message_classes"), names)


def share(vcs: int | None, names: Sequence[str]) -> int | None:
    """VCs per channel for each class, of the given number in all; None of None.

    Raises
    ------
    RelationError
        If they cannot be shared out equally.
    """
    if vcs is None:
        return None
    known = _checked_names(names)
    if vcs < len(known) or vcs % len(known):
        raise RelationError(f"{vcs} VCs per channel cannot be shared out equally among {' and '.join(known)}")
    return vcs // len(known)


@takes_relation
def in_classes(relation: Relation, names: Sequence[str] = BOTH) -> Relation:
    """Return a relation several times over, on VCs of its own for each class.

    On every channel the VCs of the first class come first. Address a of the base is address
    ``k · relation.num_addresses + a`` of class k, and `Relation.classes` has the names, so that traces and closed
    loops give messages the addresses of their class. Other traffic draws among all classes.

    Parameters
    ----------
    names : sequence of str
        Names of the classes, no two alike.

    Returns
    -------
    Relation
        The routing.

    Raises
    ------
    RelationError
        If the names are not texts that differ, the relation has classes already, or its packets choose between two
        addresses on injection (UGAL), since one of them would be of another class.

    Examples
    --------
    >>> from unknot.routing import dimension_order
    >>> from unknot.network.families import mesh
    >>> in_classes(dimension_order(mesh(4, 4)))
    <Relation dimension_order for request and reply on mesh(4, 4), 96 VCs>
    """
    known = _checked_names(names)
    if relation.classes:
        raise RelationError(f"{relation.name} has message classes already: {', '.join(relation.classes)}")
    if relation.direct is not None:
        raise RelationError(
            f"{relation.name}: its packets compare their address with one direct address for each pair of terminals, "
            "which can be of one message class only; use a routing that does not"
        )
    counts = relation.vcs.counts.astype(np.int64)
    parts = [(relation, k * counts) for k in range(len(known))]
    name = f"{relation.name} for {' and '.join(known)}"
    virtual = VirtualChannels(relation.network, counts * len(known))
    made = _side_by_side(virtual, parts, known, name, relation.claims, relation.commits)
    made.__dict__["_base"] = relation
    return made


def base_of(relation: Relation) -> Relation | None:
    """The relation without message classes: what `in_classes` was given; None where it is not known."""
    base: Relation | None = relation.__dict__.get("_base") if relation.classes else relation
    return base


@takes_network
def in_ranges(network: Network, vcs: int, ranges: Sequence[tuple[str, int, Relation]]) -> Relation:
    """One routing of several message classes on ranges of VCs.

    Parameters
    ----------
    vcs : int
        VCs of each channel in all.
    ranges : sequence of (name, first VC, relation)
        The relation of a class has the same number of VCs on every channel: they are its range, from the first VC on.
        All have the same addresses.

    Raises
    ------
    RelationError
        If names are alike, a range does not fit, or the relations differ in more than their VCs.

    Examples
    --------
    >>> from unknot.routing import dimension_order
    >>> from unknot.network.families import mesh
    >>> net = mesh(4, 4)
    >>> in_ranges(net, 3, [("request", 0, dimension_order(net, 2)), ("reply", 1, dimension_order(net, 2))])
    <Relation dimension_order for request (VCs 0-1) and reply (VCs 1-2) on mesh(4, 4), 144 VCs>
    """
    names = _checked_names([name for name, _, _ in ranges])
    one = ranges[0][2]
    shown = []
    for name, low, relation in ranges:
        _check(network, one, relation, name)
        wide = relation.vcs.each if network.num_channels else relation.vcs.widest
        if wide is None or not 0 <= low <= low + wide <= vcs:
            raise RelationError(f"{name}: {wide} VCs from VC {low} on are needed of channels that have {vcs}")
        shown.append(f"{name} (VCs {low}-{low + wide - 1})")
    parts = [(relation, np.full(network.num_channels, low)) for _, low, relation in ranges]
    return _side_by_side(VirtualChannels(network, vcs), parts, names, f"{one.name} for {' and '.join(shown)}")


def _side_by_side(
    virtual: VirtualChannels,
    parts: Sequence[tuple[Relation, Ints]],
    names: tuple[str, ...],
    name: str,
    claims: Mapping[str, bool] | None = None,
    commits: bool = False,
) -> Relation:
    """The routing of several classes, each by a relation on the VCs from some VC of every channel on."""
    one = parts[0][0]
    unlike = list(dict.fromkeys(relation for relation, _ in parts))
    which = np.array([unlike.index(relation) for relation, _ in parts])
    inner = np.zeros((len(parts), virtual.total), dtype=np.int64)
    outer = np.zeros((len(parts), max(relation.num_vcs for relation, _ in parts)), dtype=np.int64)
    entry = np.array([relation.num_vcs for relation, _ in parts], dtype=np.int64)
    for k, (relation, low) in enumerate(parts):
        layer = Layer(virtual, relation, low)
        outer[k, : relation.num_vcs], inner[k] = layer.outer, layer.inner
    ask, addresses, total = _by_number([relation.rule for relation in unlike]), one.num_addresses, virtual.total

    def rule(at: int, address: int, out: Out) -> int:
        kind = address // addresses
        inner_at = entry[kind] + at - total
        if at < total:
            inner_at = inner[kind, at]
            if inner_at < 0:
                return 0
        count = ask(which[kind], inner_at, address % addresses, out)
        for k in range(count):
            vc = out[k] & VC_MASK
            if vc != EJECT:
                out[k] += outer[kind, vc] - vc
        return count

    return cited(
        virtual,
        rule,
        name,
        claims,
        minimal=one.claims_minimal,
        source=one.source,
        commits=commits,
        addresses=Addressing(
            destination=np.tile(one.destination, len(names)),
            may_use=None if one.may_use is None else np.tile(one.may_use, len(names)),
            address_labels=PairNames(len(names), addresses, partial(_name, one, names)),
            classes=names,
        ),
        preference=Preference(
            selection=one.selection, direct=None if one.decides is None else one.direct, decides=one.decides
        ),
    )


def _checked_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of message classes; RelationError if there are none, two are alike, or one is no text."""
    known = () if isinstance(names, str) else tuple(names)
    if not known or len(set(known)) < len(known) or not all(isinstance(name, str) and name.strip() for name in known):
        raise RelationError(f"message classes are names, at least one and no two alike; got {names!r}")
    return known


def _check(network: Network, one: Relation, relation: Relation, name: str) -> None:
    """Refuse a relation that cannot be one of several."""
    if relation.network is not network:
        raise RelationError(f"{name}: {relation.name} belongs to another network")
    if relation.classes or relation.compares_on_injection or relation.commits:
        raise RelationError(
            f"{name}: {relation.name} has message classes, compares two ways, or commits; a class takes a "
            "routing that does not"
        )
    alike = np.array_equal(one.destination, relation.destination)
    uses = (one.may_use is None) == (relation.may_use is None) and (
        one.may_use is None or np.array_equal(one.may_use, relation.may_use)  # type: ignore[arg-type]
    )
    if not alike or not uses:
        raise RelationError(f"{name}: {relation.name} has other addresses than {one.name}")


def _by_number(rules: Sequence[Callable[[int, int, Out], int]]) -> Numbered:
    """A single function of several rules, selected by the first argument."""
    last = rules[-1]

    def only(number: int, at: int, address: int, out: Out) -> int:
        return last(at, address, out)

    ask: Numbered = only
    for k in range(len(rules) - 2, -1, -1):
        ask = _or_else(k, rules[k], ask)
    return ask


def _or_else(own: int, rule: Callable[[int, int, Out], int], others: Numbered) -> Numbered:
    def ask(number: int, at: int, address: int, out: Out) -> int:
        if number == own:
            return rule(at, address, out)
        return others(number, at, address, out)

    return ask


def _name(relation: Relation, names: tuple[str, ...], kind: int, address: int) -> str:
    return f"{relation.address_name(address)} ({names[kind]})"
