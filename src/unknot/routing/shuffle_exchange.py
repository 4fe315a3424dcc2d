"""Routing on shuffle-exchange networks by simulating multi-root routing on de Bruijn networks.

A step of the de Bruijn network B(2, n) shifts a bit into the word from the right: a shuffle does so with the bit
that falls out on the left, and an exchange corrects it; so each step takes at most two hops (Leighton 1992, section
3.3). Bermond & Syska (1992, section 6) say that their technique carries over. It does, but not in every reading:

``simulates="UB"`` (shuffles in both directions) goes up the tree T_a by unshuffles and down by shuffles. 2 VCs, the
first for the way up; no cycle of dependencies, so no deadlock under any technique.

``simulates="B"`` uses shuffles one way only, up AT_a and down T_a. The trees of B(2, n) share no channel, but both
bits of a step begin with the same shuffle, so that AT_0 and AT_1 share channels here. On the 2 VCs of the de Bruijn
network the shuffles of a necklace (a word and its turns) then depend on each other in a circle; with 3, one for
each tree up and one for the way down, they do not. The claim is the paper's for both.

At most 4 n − 2 hops; not minimal, deterministic.
"""

from __future__ import annotations

import numpy as np

from unknot._base.errors import NetworkError, RelationError, require_known
from unknot.network import Network
from unknot.routing.contract import ACYCLIC
from unknot.routing.meshes import channels_to, shuffle_exchange_words
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels

SIMULATED = ("UB", "B")


@takes_network
def shuffle_exchange(network: Network, vcs: int | None = None, *, simulates: str | None = None) -> Relation:
    """De Bruijn routing simulated on a shuffle-exchange network whose routers are numbered by their words.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel: 2, or for B also 3, one for each tree on the way up; by default as many as are needed.
    simulates : {"UB", "B"}, optional
        The undirected or the directed network; by default UB where shuffles go both ways, else B.

    Raises
    ------
    RelationError
        If there are other numbers of VCs; `NetworkError` if the network is not a shuffle-exchange network.

    References
    ----------
    J.-C. Bermond, M. Syska: Routage « wormhole » et canaux virtuels. Algorithmique parallèle, Masson, 1992, 149–158.

    Examples
    --------
    >>> from unknot.network import families
    >>> shuffle_exchange(families.shuffle_exchange(4))
    <Relation shuffle_exchange (simulating UB) on shuffle_exchange(4), 84 VCs>
    """
    from unknot.routing.rules_kernel import depth, shifts

    words = shuffle_exchange_words(network, "shuffle_exchange")
    if simulates is None:
        simulates = "UB" if words.both_ways else "B"
    require_known("shuffle_exchange simulates UB or B, not", simulates, SIMULATED, RelationError)
    if simulates == "UB" and not words.both_ways:
        raise NetworkError(f"shuffle_exchange on {network.name}: to simulate UB it wants shuffles in both directions")
    if vcs is None:
        vcs = 2 if simulates == "UB" else 3
    if vcs not in ((2,) if simulates == "UB" else (2, 3)):
        most = "2" if simulates == "UB" else "2 or 3"
        raise RelationError(f"shuffle_exchange simulating {simulates} takes {most} VCs per channel, got {vcs}")
    routers, half = network.num_routers, network.num_routers // 2
    u = np.arange(routers)
    exchange = channels_to(network, u ^ 1)
    shuffle = channels_to(network, 2 * u % routers + u // half)
    unshuffle = channels_to(network, u // 2 + u % 2 * half)
    virtual = VirtualChannels(network, vcs)
    router, first, at_channel = virtual.router, virtual.first, virtual.channel
    home, num_vcs = network.eject, virtual.total
    shuffles = np.zeros(network.num_channels, dtype=bool)
    shuffles[shuffle[shuffle >= 0]] = True
    down, back = vcs - 1, simulates == "UB"

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        a = there // half
        root = a * (routers - 1)
        inside = at < num_vcs
        turned = here == root or (inside and at - first[at_channel[at]] == down)
        if here == there and (turned or not inside):
            out[0] = EJECT
        elif turned:
            # On the path of T_a a step is due; beside it the shuffle of a step is done and its exchange is due.
            beside = depth(here, a, 2, routers) + shifts(here, there, 2, routers) != depth(there, a, 2, routers)
            port = exchange[here] if beside or here == root else shuffle[here]
            out[0] = first[port] + down
        else:
            if back:
                port = unshuffle[here] if here % 2 == a else exchange[here]
            else:
                due = inside and shuffles[at_channel[at]] and here % 2 != a
                port = exchange[here] if due or shuffle[here] < 0 else shuffle[here]
            out[0] = first[port] + (a if vcs == 3 else 0)
        return 1

    return Relation(
        network,
        virtual,
        rule,
        name=f"shuffle_exchange (simulating {simulates})",
        claims=ACYCLIC,
        source="Bermond & Syska 1992",
    )
