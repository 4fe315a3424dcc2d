"""Message classes on ranges of virtual channels (VCs), which may overlap.

Each class has a routing of its own, on VCs that follow one another; a VC in several ranges is taken by whichever
class comes first. A message keeps to its class. With ranges apart it is `in_classes`, and each class is a network for
itself; where ranges overlap, classes wait for each other, and what is proved of one does not hold of all. Deadlock-
free under each switching technique where the ranges are apart and each routing is; else the proof says. Such ranges
are what BookSim 2 has for reads and writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.routing.class_parts import checked_names, moved_to_class, once_for_each
from unknot.routing.relation import Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels

Numbered = Callable[[int, int, int, Out], int]


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
    names = checked_names([name for name, _, _ in ranges])
    virtual = VirtualChannels(network, vcs)
    one = ranges[0][2]
    unlike: list[Relation] = []
    inner = np.full((len(ranges), virtual.total), -1, dtype=np.int64)
    outer = np.zeros((len(ranges), max(relation.num_vcs for _, _, relation in ranges)), dtype=np.int64)
    entry = np.zeros(len(ranges), dtype=np.int64)
    which = np.zeros(len(ranges), dtype=np.int64)
    shown = []
    for k, (name, low, relation) in enumerate(ranges):
        _check(network, one, relation, name)
        wide = relation.vcs.each if network.num_channels else relation.vcs.widest
        if wide is None or not 0 <= low <= low + wide <= vcs:
            raise RelationError(f"{name}: {wide} VCs from VC {low} on are wanted of channels that have {vcs}")
        outer[k, : relation.num_vcs] = virtual.first[relation.vcs.channel] + low + relation.vcs.index
        inner[k, outer[k, : relation.num_vcs]] = np.arange(relation.num_vcs)
        entry[k] = relation.num_vcs
        if all(relation is not other for other in unlike):
            unlike.append(relation)
        which[k] = next(i for i, other in enumerate(unlike) if other is relation)
        shown.append(f"{name} (VCs {low}-{low + wide - 1})")
    ask, addresses, total = _by_number([relation.rule for relation in unlike]), one.num_addresses, virtual.total
    moved = moved_to_class

    def rule(at: int, address: int, out: Out) -> int:
        kind = address // addresses
        inner_at = entry[kind] + at - total
        if at < total:
            inner_at = inner[kind, at]
            if inner_at < 0:
                return 0
        return moved(out, ask(which[kind], inner_at, address % addresses, out), kind, outer)

    return Relation(
        network,
        virtual,
        rule,
        name=f"{one.name} for {' and '.join(shown)}",
        **once_for_each(one, names),
    )


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
    """One function of several rules, of which the first argument says which."""
    last = rules[-1]

    def only(number: int, at: int, address: int, out: Out) -> int:
        return last(at, address, out)

    ask: Numbered = only
    for k in range(len(rules) - 2, -1, -1):
        ask = _or_else(k, rules[k], ask)
    return ask


def _or_else(wanted: int, rule: Callable[[int, int, Out], int], others: Numbered) -> Numbered:
    def ask(number: int, at: int, address: int, out: Out) -> int:
        if number == wanted:
            return rule(at, address, out)
        return others(number, at, address, out)

    return ask
