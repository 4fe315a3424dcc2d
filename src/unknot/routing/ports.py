"""Terminals with several ports, each of which injects and takes in a flit in a cycle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unknot._base.errors import RelationError
from unknot.routing.relation import Out, Relation
from unknot.routing.virtual_channels import VirtualChannels


def with_ports(relation: Relation, width: int) -> Relation:
    """A routing where each terminal has as many ports.

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
        terminal_labels=tuple(base.terminal_name(t) for t in range(terminals)) * width,
    )
    ask = relation.rule

    def rule(at: int, address: int, out: Out) -> int:
        return ask(at if at < many else many + (at - many) % terminals, address, out)

    return replace(
        relation,
        network=network,
        vcs=VirtualChannels(network, relation.vcs.counts if many else relation.vcs.widest),
        rule=rule,
        may_use=None if relation.may_use is None else np.tile(relation.may_use, (width, 1)),
        address_labels=[relation.address_name(a) for a in range(relation.num_addresses)],
    )


def first_channels(relation: Relation, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Channel by which packets of a source and address leave their router; −1 where they have a choice, or none."""
    channel_of = dict[tuple[int, int], int]()
    for source, address in dict.fromkeys(pairs):
        options = relation.candidates(relation.num_vcs + source, address)
        channels = {-1 if one.vc is None else int(relation.vcs.channel[one.vc]) for one in options}
        channel_of[source, address] = channels.pop() if len(channels) == 1 else -1
    return [channel_of[pair] for pair in pairs]
