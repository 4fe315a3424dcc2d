"""The fewest ports to take out of groups of adaptive switches so that packets cannot deadlock."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from unknot._base.errors import UnknotError
from unknot._base.switching import DEFAULT_SWITCHING
from unknot.fabrics.fabric import Fabric
from unknot.remedies.pruned import Pruned, pruned
from unknot.routing.adaptive_fabric import Member, adaptive_routing
from unknot.routing.relation import Relation
from unknot.search.effort import SearchEffort

MOST_STATES = 3_000_000
"""Most VCs × addresses of an adaptive fabric that is repaired: some 3 GB and five minutes."""
BYTES, SECONDS = 1_000, 1e-4
"""Memory and time of each."""


@dataclass(frozen=True, eq=False)
class ShorterGroups:
    """A fabric without some ports of groups.

    Attributes
    ----------
    fabric : Fabric
    taken : tuple of (int, int, int)
        Router, number of a group, and port that is taken out of it, ascending.
    change : Pruned
        The same as removed candidates, with the proof that fewer ports are not enough.
    """

    fabric: Fabric
    taken: tuple[Member, ...]
    change: Pruned


def shorter_groups(fabric: Fabric, effort: SearchEffort) -> ShorterGroups:
    """Take few ports out of groups; what is left cannot deadlock, however its packets wait.

    The port of static routing stays a candidate, and no packet is turned back by the port of its arrival that had
    another. Where levels are known, recipients also answer at the level of the request.

    Raises
    ------
    UnknotError
        If the static ports alone can deadlock or lose packets, nothing can deadlock, no set of ports was found in
        time, entries are unknown, or the fabric is too large.
    """
    routing = adaptive_routing(fabric, replies=fabric.levels is not None, by_group=True)
    relation = routing.waits
    if routing.unknown:
        raise UnknotError(f"{routing.unknown[0]}, so what its packets choose from is not known")
    require_states(fabric, relation)
    found = pruned(relation, effort, switching=DEFAULT_SWITCHING, unit=routing.member)
    if not isinstance(found, Pruned):
        raise UnknotError(
            "no ports to take out of groups were found in the time given"
            if found is None
            else "whatever ports are taken out of groups, those of static routing close a loop or lose packets"
        )
    if not found.removed:
        raise UnknotError("packets between hosts cannot deadlock as they are, so no port is taken out of a group")
    taken = sorted(one for entry in found.removed if (one := routing.member(*entry)) is not None)
    return ShorterGroups(shortened(fabric, taken), tuple(taken), found)


def require_states(fabric: Fabric, relation: Relation) -> None:
    """Refuse a fabric that is too large to be repaired, with what the repair would take."""
    states = relation.num_vcs * relation.num_addresses
    if states > MOST_STATES:
        raise UnknotError(
            f"{fabric.name} has {relation.num_vcs:,} VCs × {relation.num_addresses:,} addresses that are routed "
            f"apart; adaptive fabrics are repaired up to {MOST_STATES:,} of both, and this one would take about "
            f"{states * BYTES / 1e9:,.0f} GB and {states * SECONDS / 60:,.0f} minutes"
        )


def shortened(fabric: Fabric, taken: Iterable[Member]) -> Fabric:
    """The fabric without some ports of groups: router, number of the group, and port."""
    gone, groups = {*taken}, dict(fabric.groups or {})
    for guid, router in fabric.router_of.items():
        if guid in groups:
            rows = groups[guid].groups.items()
            kept = {key: tuple(p for p in ports if (router, key[0], p) not in gone) for key, ports in rows}
            groups[guid] = replace(groups[guid], groups=kept)
    return replace(fabric, groups=groups)
