"""Destination-tag routing of delta networks: the output port at each stage is one digit of the destination.

Omega (Lawrie 1975), banyan, baseline, flip, indirect cube and butterfly networks are delta networks (Patel 1981):
every pair has one path, and the port to take at a stage is the same from wherever a message comes. Minimal, one VC
will do. It cannot deadlock under any switching technique: channels lead from each stage to the next, so that no
wait can close a circle. The papers do not speak of deadlock, so nothing is claimed in their name.
"""

from __future__ import annotations

import numpy as np

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.network.stages import stages
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels

MAX_STEPS = 500_000_000
"""Most steps of first switches towards terminals that are checked."""


@takes_network
def destination_tag(network: Network, vcs: int = 1) -> Relation:
    """Routing by the digits of the destination.

    Raises
    ------
    RelationError
        If the network is no delta network, or too large to make sure of it; `NetworkError` if it has no stages.

    References
    ----------
    D. H. Lawrie: Access and alignment of data in an array processor. IEEE Transactions on Computers, C-24(12), 1975,
    1145–1155.

    Examples
    --------
    >>> from unknot.network.families import omega
    >>> destination_tag(omega(8))
    <Relation destination_tag on omega(8), 16 VCs>
    """
    from unknot.routing.rules_kernel import offered

    view = stages(network)
    last = view.count - 1
    ports = _ports(network)
    virtual = VirtualChannels(network, vcs)
    (leaving, channels), stage, home = network.outgoing, view.stage, network.eject
    router, first = virtual.router, virtual.first

    def rule(at: int, address: int, out: Out) -> int:
        here = router[at]
        if stage[here] == last:
            out[0] = EJECT
            return 1 if here == home[address] else 0
        channel = channels[leaving[here] + ports[stage[here], address]]
        return int(offered(out, 0, first[channel], vcs))

    return Relation(network, virtual, rule, name="destination_tag", source="Lawrie 1975; Patel 1981")


def _ports(network: Network) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
    """The port to take at each stage for each terminal, found from the first switch and checked from all others."""
    view = stages(network)
    hops = view.count - 1
    starts = np.unique(network.inject)
    if starts.size * network.num_terminals * max(hops, 1) > MAX_STEPS:
        raise RelationError(
            f"destination_tag on {network.name}: {starts.size} first switches and {network.num_terminals} terminals "
            f"are too many; use fully_adaptive"
        )
    leaving, channels = network.outgoing
    at = starts[:1].astype(np.int64)
    taken = np.empty((0, 1), dtype=np.int16)
    for _ in range(hops):
        count = leaving[at + 1] - leaving[at]
        parent = np.repeat(np.arange(at.size), count)
        port = np.arange(parent.size) - np.repeat(np.cumsum(count) - count, count)
        at = network.target[channels[leaving[at][parent] + port]].astype(np.int64)
        taken = np.concatenate([taken[:, parent], port[None].astype(np.int16)])
    order = np.argsort(at, kind="stable")
    which = np.searchsorted(at[order], network.eject)
    known = order[np.minimum(which, at.size - 1)]
    if np.unique(at).size < at.size or not np.array_equal(at[known], network.eject):
        raise RelationError(f"destination_tag on {network.name}: a delta network has one path for every pair")
    ports = np.ascontiguousarray(taken[:, known])
    here = np.repeat(starts.astype(np.int64)[:, None], network.num_terminals, axis=1)
    for hop in range(hops):
        there = leaving[here] + ports[hop]
        if (there >= leaving[here + 1]).any():
            raise RelationError(f"destination_tag on {network.name}: a switch of stage {hop} lacks a port")
        here = network.target[channels[there]].astype(np.int64)
    astray = np.argwhere(here != network.eject)
    if astray.size:
        a, d = astray[0].tolist()
        raise RelationError(
            f"destination_tag on {network.name}: this is no delta network; the ports that lead from "
            f"{network.router_name(int(starts[0]))} to {network.terminal_name(d)} do not lead there from "
            f"{network.router_name(int(starts[a]))}"
        )
    return ports
