"""Large fabrics on one lane: hosts of a switch are routed alike, so one sender stands for all of them.

What the tables do with a packet depends on the switch and the LID, not on the host that sent it. So the dependencies
between channels, and whether packets arrive, are those of one sender at each switch; pairs are counted by weight.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from unknot.fabrics import Fabric
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.forwarding_table import Switchboard, destinations, forwarding_table, senders
from unknot.routing.relation import Relation

Counts = npt.NDArray[np.int32]


def merged_relation(fabric: Fabric, board: Switchboard, traffic: str) -> tuple[Relation, Counts]:
    """The relation with one terminal at each switch, and how many pairs each of its pairs stands for.

    Returns
    -------
    Relation
        Terminal r is at switch r; its addresses are those of `fabric_relation`.
    int32 array, shape (switches, LIDs)
        Ports of the kind that send, at each switch, other than the one that has the LID.
    """
    lids = destinations(fabric, traffic)
    home, counts = pairs_by_switch(fabric, board, traffic)
    relation = forwarding_table(
        one_sender_each(board.network),
        board.next_channel[:, lids],
        destination=home,
        may_use=counts > 0,
        address_labels=[fabric.lid_name(int(i)) for i in lids],
        name=f"{traffic} on the tables of {fabric.name}, one sender at each switch",
    )
    return relation, counts


def pairs_by_switch(fabric: Fabric, board: Switchboard, traffic: str) -> tuple[IntArray, Counts]:
    """Return the switch of each LID of a kind of traffic, and the pairs of a sender at each switch and each LID."""
    network, lids = board.network, destinations(fabric, traffic)
    sends = senders(fabric, traffic)
    at = np.bincount(network.inject[sends], minlength=network.num_routers).astype(np.int32)
    owner = fabric.owner[lids]
    home = network.eject[owner]
    counts = np.repeat(at[:, None], lids.size, axis=1)
    counts[home, np.arange(lids.size)] -= sends[owner]
    return home, counts


def one_sender_each(network: Network) -> Network:
    """Return the network with one terminal at each switch."""
    at = np.arange(network.num_routers, dtype=np.int32)
    names = tuple(f"a port of {network.router_name(r)}" for r in at.tolist())
    return replace(network, inject=at, eject=at, terminal_labels=names)
