"""Routing on de Bruijn networks B(d, D) and UB(d, D), on shuffle-exchange networks, and on cube-connected cycles.

For each letter a the channels that leave the words beginning with a make an out-tree T_a rooted at the word aa…a,
and the channels that enter the words ending with a an in-tree AT_a; the d trees of a kind share no channel.
``multi_root`` sends a message for (a, …) up AT_a to aa…a and then down T_a, shifting in letters all the way: at
most D hops up and D − 1 down, balanced over the roots when destinations are uniform, and no cycle of dependencies
under any switching technique, since the header is on VC 0 on its way up and on VC 1 on its way down (Bermond &
Syska 1992, section 6). A channel is in some AT_a and in some T_a, but is used on the way down only if it leads from
a word (a, a, …), so one in d channels has 2 VCs and the others 1.

UB(d, D) goes both ways, so the same tree serves twice, as proposition 5.2 allows: up T_a against its channels, then
down. No channel serves both, so 1 VC is enough.

``single_root`` is `two_trees` rooted at a loop, ``shortest`` is `hop_number` with D VCs. Only the latter is minimal.

`shuffle_exchange` simulates multi-root routing. A step of the de Bruijn network B(2, n) shifts a bit into the word
from the right: a shuffle does so with the bit that falls out on the left, and an exchange corrects it; so each step
takes at most two hops (Leighton 1992, section 3.3). Bermond & Syska (1992, section 6) say that their technique
carries over. It does, but not in every reading:

``simulates="UB"`` (shuffles in both directions) goes up the tree T_a by unshuffles and down by shuffles. 2 VCs, the
first for the way up; no cycle of dependencies, so no deadlock under any technique.

``simulates="B"`` uses shuffles one way only, up AT_a and down T_a. The trees of B(2, n) share no channel, but both
bits of a step begin with the same shuffle, so that AT_0 and AT_1 share channels here. On the 2 VCs of the de Bruijn
network the shuffles of a necklace (a word and its turns) then depend on each other in a cycle; with 3, one for
each tree up and one for the way down, they do not. The claim is the paper's for both.

At most 4 n − 2 hops; not minimal, deterministic. Routers of both are numbered by their words.

References
----------
J.-C. Bermond, M. Syska: Routage « wormhole » et canaux virtuels. Algorithmique parallèle, Masson, 1992, 149–158.
"""

from __future__ import annotations

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.errors import NetworkError, RelationError, require_known
from unknot.network import Network
from unknot.routing.contract import ACYCLIC
from unknot.routing.relation import EJECT, Out, Relation, by_steps, cited
from unknot.routing.shortest_paths import hop_number
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels
from unknot_papers.wormhole.two_trees import two_trees
from unknot_papers.wormhole.words import channels_to, de_bruijn_words, joined, pairs, shuffle_exchange_words

PATHS = ("multi_root", "single_root", "shortest")


@takes_network
def de_bruijn(network: Network, *, paths: str = "multi_root", letter: int = 0, bypass: bool = False) -> Relation:
    """Routing on a de Bruijn network whose routers are numbered in the order of their words.

    Multi-root routing computes with words and tabulates nothing: 4 d bytes for each router.

    Parameters
    ----------
    paths : {"multi_root", "single_root", "shortest"}
        Up and down the trees of d roots, or of one, or shortest paths with hop-number VCs.
    letter : int
        For ``single_root``: the letter a of the root aa…a.
    bypass : bool
        Whether a message turns round at the first word from which its destination lies below in the tree, instead
        of at the root.

    Raises
    ------
    RelationError
        If an option makes no sense; `NetworkError` if the network is not B(d, D) or UB(d, D).

    Examples
    --------
    >>> from unknot.network import families
    >>> de_bruijn(families.de_bruijn(2, 4))
    <Relation de_bruijn (multi_root) on de_bruijn(2, 4), 46 VCs>
    """
    from unknot.routing.rules_kernel import depth, shifts

    require_known("de_bruijn: unknown paths", paths, PATHS, RelationError)
    words = de_bruijn_words(network, "de_bruijn")
    letters, routers, ones = words.letters, network.num_routers, words.ones
    if not 0 <= letter < letters:
        raise RelationError(f"de_bruijn on {network.name}: the letters are 0 to {letters - 1}, got {letter!r}")
    if paths == "shortest":
        return hop_number(network)
    if paths == "single_root":
        return two_trees(network, root=letter * ones, bypass=bypass)
    u, power = np.arange(routers), routers // letters
    down = np.stack([channels_to(network, (u * letters + a) % routers) for a in range(letters)], axis=1)
    up = down
    if words.both_ways:
        up = np.stack([channels_to(network, a * power + u // letters, last=True) for a in range(letters)], axis=1)

    climbs, falls = np.zeros((2, network.num_channels), dtype=bool)
    climbs[up[up >= 0]] = True
    stays = u // power == u * letters // power % letters if words.length > 1 else u < 0
    below = down[stays]
    falls[below[below >= 0]] = True
    counts = np.where(climbs & falls, 2, 1)
    virtual = VirtualChannels(network, counts)
    router, first, home, num_vcs = virtual.router, virtual.first, network.eject, virtual.total
    descends = np.zeros(num_vcs + network.num_terminals, dtype=bool)
    descends[(first[1:] - 1)[falls]] = True

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        a = there // power
        left = shifts(here, there, letters, routers)
        turned = descends[at] or here == a * ones
        if bypass and not turned:
            turned = depth(here, a, letters, routers) + left == depth(there, a, letters, routers)
        if here == there and (turned or at >= num_vcs):
            out[0] = EJECT
        elif turned:
            out[0] = first[down[here, there // letters ** (left - 1) % letters] + 1] - 1
        else:
            out[0] = first[up[here, a]]
        return 1

    return cited(
        virtual,
        rule,
        "de_bruijn (multi_root)" + (", with bypass" if bypass else ""),
        ACYCLIC,
        source="Bermond & Syska 1992",
    )


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
        raise NetworkError(f"shuffle_exchange on {network.name}: to simulate UB it needs shuffles in both directions")
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

    return cited(virtual, rule, f"shuffle_exchange (simulating {simulates})", ACYCLIC, source="Bermond & Syska 1992")


@takes_network
def cube_connected_cycles(network: Network) -> Relation:
    """Round the ring, crossing where the corners differ, on 3 VCs.

    A header goes round its ring downward, position n − 1, …, 1, 0, n − 1, …; at position i it crosses dimension i
    when the corners differ there, and when all dimensions are right it goes on to the position of its destination. It
    begins on VC 0 and changes to the next VC whenever it passes from position 0 to n − 1. The pairs (VC, position)
    are passed in one order, so there is no cycle of dependencies under any switching technique. All dimensions are
    right after one turn, which ends on VC 1, and another part of a turn brings the header home, if need be on VC 2: 3
    VCs on the channels of the rings, 2 on those across. Bermond & Syska (section 5.4) quote the number 3 from Dally &
    Seitz. Neither minimal nor adaptive.

    Raises
    ------
    NetworkError
        If the network is not cube-connected cycles of at least 3 dimensions.

    References
    ----------
    W. J. Dally, C. L. Seitz: Deadlock-free message routing in multiprocessor interconnection networks. IEEE
    Transactions on Computers, C-36(5), 1987, 547–553. doi:10.1109/TC.1987.1676939.

    Examples
    --------
    >>> from unknot.network import families
    >>> cube_connected_cycles(families.cube_connected_cycles(3))
    <Relation cube_connected_cycles on cube_connected_cycles(3), 192 VCs>
    """
    corner, position, number = _corners(network)
    n = number.shape[1]
    around = channels_to(network, number[corner, (position - 1) % n])
    across = channels_to(network, number[corner ^ (1 << position), position])
    crosses = np.zeros(network.num_channels, dtype=bool)
    crosses[across] = True
    virtual = VirtualChannels(network, np.where(crosses, 2, 3))
    first, at_channel, num_vcs = virtual.first, virtual.channel, virtual.total

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
        i = position[here]
        lap = 0
        if at < num_vcs:
            lap = at - first[at_channel[at]]
            if not crosses[at_channel[at]] and i == n - 1:
                lap += 1
        port = across[here] if (corner[here] ^ corner[there]) >> i & 1 else around[here]
        out[0] = first[port] + lap
        return 1

    return by_steps(virtual, step, "cube_connected_cycles", ACYCLIC, source="Dally & Seitz 1987")


def _corners(network: Network) -> tuple[Ints, Ints, Ints]:
    """Corner and position of every router, and the router at each corner and position; or a refusal.

    The last coordinate is the position on a ring; those before are the bits of the corner, the lowest first, or the
    corner itself.
    """
    refusal = NetworkError(
        f"cube_connected_cycles on {network.name}: it needs a ring of n ≥ 3 routers at each corner of a hypercube "
        "of n dimensions, with coordinates for corner and position, such as cube_connected_cycles(4)"
    )
    if network.coordinates is None or len(network.radices) < 2:
        raise refusal
    n, bits = network.radices[-1], network.radices[:-1]
    if n < 3 or n > 25 or bits not in ((2,) * n, (2**n,)) or network.num_routers != n * 2**n:
        raise refusal
    weights: Ints = 1 << np.arange(len(bits), dtype=np.int64)
    corner = network.coordinates[:, :-1].astype(np.int64) @ weights
    position = network.coordinates[:, -1].astype(np.int64)
    routers = np.arange(network.num_routers)
    number = np.full((2**n, n), -1, dtype=np.int64)
    number[corner, position] = routers
    if (number < 0).any():
        raise refusal
    around = pairs(routers.size, routers, number[corner, (position + 1) % n], True)
    across = pairs(routers.size, routers, number[corner ^ (1 << position), position], True)
    if not np.array_equal(joined(network), np.union1d(around, across)):
        raise refusal
    return corner, position, number
