"""A routing on another network than its own: where terminals have several ports, or what faults leave of it.

Ports are on one network or on equal networks side by side, each with the same routing. Deadlock-free where that is.
BookSim 2 calls equal networks subnets: a terminal has a port in each, and its packets keep to the one that they are
sent into. Ports on one network each inject and take in a flit in a cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unknot._base.errors import NetworkError, RelationError
from unknot.network import Network, Places, Wires
from unknot.routing.parts import Addressing
from unknot.routing.relation import EJECT, VC_MASK, Out, Relation
from unknot.routing.table import Table, lookup
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
        wires=Wires(latency=np.tile(base.latency, subnets), bandwidth=np.tile(base.bandwidth, subnets)),
        inject=(steps[:, None] * routers + base.inject).reshape(-1),
        eject=(steps[:, None] * routers + base.eject).reshape(-1),
        places=Places(
            router_labels=_labels([base.router_name(r) for r in range(routers)], subnets),
            terminal_labels=_labels([base.terminal_name(t) for t in range(terminals)], subnets),
        ),
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
        addresses=replace(
            relation.addresses, destination=np.tile(np.arange(wide), draws), may_use=None, address_labels=None
        ),
    )


def _labels(names: list[str], subnets: int) -> tuple[str, ...]:
    return tuple(f"{name} of subnet {k}" for k in range(subnets) for name in names)


def with_ports(relation: Relation, width: int) -> Relation:
    """A routing where each terminal has several ports.

    Parameters
    ----------
    width : int
        Ports of a terminal. Each is a terminal of the network: number ``port * terminals + terminal``. Addresses and
        their destinations are those of `relation`, so that the first port stands for all as a destination.

    Raises
    ------
    RelationError
        If packets compare two addresses, which the ports of a terminal cannot do for one another.

    Examples
    --------
    >>> from unknot.routing import dimension_order
    >>> from unknot.network.families import mesh
    >>> with_ports(dimension_order(mesh(2, 2)), 4).network
    <Network mesh(2, 2): 4 routers, 8 channels, 16 terminals>
    """
    if width == 1:
        return relation
    if relation.direct is not None:
        raise RelationError(
            f"{relation.name}: its packets compare two addresses at their source, so its terminals have one port: "
            "terminal_width is 1"
        )
    base, many, terminals = relation.network, relation.num_vcs, relation.network.num_terminals
    network = replace(
        base,
        inject=np.tile(base.inject, width),
        eject=np.tile(base.eject, width),
        places=replace(base.places, terminal_labels=tuple(base.terminal_name(t) for t in range(terminals)) * width),
    )
    ask = relation.rule

    def rule(at: int, address: int, out: Out) -> int:
        return ask(at if at < many else many + (at - many) % terminals, address, out)

    return replace(
        relation,
        network=network,
        vcs=VirtualChannels(network, relation.vcs.counts if many else relation.vcs.widest),
        rule=rule,
        addresses=replace(
            relation.addresses,
            may_use=None if relation.may_use is None else np.tile(relation.may_use, (width, 1)),
            address_labels=[relation.address_name(a) for a in range(relation.num_addresses)],
        ),
    )


def restricted(relation: Relation, left: Network) -> Relation:
    """A relation by tables on the network after faults, without candidates on failed parts.

    Parameters
    ----------
    left : Network
        Made of the relation's network by `Network.without`.
    """
    table, vcs = relation.rule.table, relation.vcs  # type: ignore[attr-defined]
    if (origin := left.origin) is None:
        raise NetworkError(f"{left.name} is not what faults left of {relation.network.name}")
    kept = VirtualChannels(left, vcs.counts[origin.channels])
    number = np.full(vcs.total + relation.network.num_terminals, -1, dtype=np.int64)
    survives = np.isin(vcs.channel, origin.channels)
    number[: vcs.total][survives] = np.arange(kept.total)
    number[vcs.total + origin.terminals] = kept.total + np.arange(left.num_terminals)
    addresses = np.flatnonzero(np.isin(relation.destination, origin.terminals))
    answers: list[dict[int, list[int]]] = []
    for old in addresses.tolist():
        answers.append({})
        for state in range(table.first[old], table.first[old + 1]):
            if (at := number[table.input_vc[state]]) >= 0:
                offered = table.value[table.start[state] : table.start[state + 1]]
                to = np.where(
                    offered & VC_MASK == EJECT, EJECT, number[np.minimum(offered & VC_MASK, number.size - 1)]
                )
                answers[-1][int(at)] = (offered - (offered & VC_MASK) + to)[to >= 0].tolist()
    places = np.full(relation.network.num_terminals, -1)
    places[origin.terminals] = np.arange(left.num_terminals)
    return Relation(
        left,
        kept,
        lookup(Table.of(answers)),
        name=relation.name,
        commits=relation.commits,
        addresses=Addressing(
            destination=places[relation.destination[addresses]],
            may_use=None if relation.may_use is None else relation.may_use[origin.terminals][:, addresses],
            address_labels=tuple(relation.address_name(a) for a in addresses.tolist()),
        ),
    )


def first_channels(relation: Relation, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Channel by which packets of a source and address leave their router; −1 where they have a choice, or none."""
    channel_of = dict[tuple[int, int], int]()
    for source, address in dict.fromkeys(pairs):
        options = relation.candidates(relation.num_vcs + source, address)
        channels = {-1 if one.vc is None else int(relation.vcs.channel[one.vc]) for one in options}
        channel_of[source, address] = channels.pop() if len(channels) == 1 else -1
    return [channel_of[pair] for pair in pairs]
