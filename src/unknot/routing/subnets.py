"""Equal networks side by side, each with the same routing; deadlock-free where one of them is.

BookSim 2 calls them subnets: a terminal has a port in each, and its packets keep to the one that they are sent into.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.routing.relation import EJECT, VC_MASK, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels


def in_subnets(relation: Relation, subnets: int) -> Relation:
    """A routing once in each of several equal networks.

    Parameters
    ----------
    subnets : int
        Networks. Routers, channels and terminals of one follow those of another; address a of the routing, of
        terminal t, is ``(a // terminals * subnets + subnet) * terminals + t``. A terminal is meant to use those of
        its own subnet and of what `relation` lets it use; the relation does not say so.

    Raises
    ------
    RelationError
        If addresses do not repeat the terminals in order, or packets have direct addresses.

    Examples
    --------
    >>> from unknot.routing import dimension_order
    >>> from unknot.network.families import mesh
    >>> in_subnets(dimension_order(mesh(2, 2), 2), 3).network
    <Network 3 subnets of mesh(2, 2): 12 routers, 24 channels, 12 terminals>
    """
    base, vcs = relation.network, relation.vcs
    terminals, many, routers = base.num_terminals, relation.num_vcs, base.num_routers
    draws = relation.num_addresses // max(1, terminals)
    if not np.array_equal(relation.destination, np.tile(np.arange(terminals), draws)) or relation.direct is not None:
        raise RelationError(
            f"{relation.name}: subnets take addresses that repeat the terminals in order, without direct ones"
        )
    steps, wide, total = np.arange(subnets), subnets * terminals, subnets * many
    network = Network(
        f"{subnets} subnets of {base.name}",
        subnets * routers,
        (steps[:, None] * routers + base.source).reshape(-1),
        (steps[:, None] * routers + base.target).reshape(-1),
        latency=np.tile(base.latency, subnets),
        bandwidth=np.tile(base.bandwidth, subnets),
        inject=(steps[:, None] * routers + base.inject).reshape(-1),
        eject=(steps[:, None] * routers + base.eject).reshape(-1),
        router_labels=_labels([base.router_name(r) for r in range(routers)], subnets),
        terminal_labels=_labels([base.terminal_name(t) for t in range(terminals)], subnets),
    )
    ask = relation.rule

    def rule(at: int, address: int, out: Out) -> int:
        if at >= total:
            subnet, inner = (at - total) // terminals, many + (at - total) % terminals
        else:
            subnet, inner = at // many, at % many
        count = ask(inner, address // wide * terminals + address % terminals, out)
        for i in range(count):
            if out[i] & VC_MASK != EJECT:
                out[i] += subnet * many
        return count

    return replace(
        relation,
        network=network,
        vcs=VirtualChannels(network, np.tile(vcs.counts, subnets) if many else vcs.widest),
        rule=rule,
        destination=np.tile(np.arange(wide), draws),
        may_use=None,
        address_labels=None,
    )


def _labels(names: list[str], subnets: int) -> tuple[str, ...]:
    return tuple(f"{name} of subnet {k}" for k in range(subnets) for name in names)
