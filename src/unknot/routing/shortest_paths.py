"""Shortest-path routing on any network: all shortest paths, or one for each router and destination.

`fully_adaptive` takes any VC of any channel that brings a header nearer. It makes no claim about deadlock: with one
VC it deadlocks as soon as four routers form a square or a ring is long enough. It is the yardstick of adaptivity and
the textbook example of why routing functions are restricted.

Of `shortest_paths`, `choice` says which: ``first`` takes, at every router, the first channel (by number, or by
dimension on meshes and tori) that brings the header nearer; ``random`` takes one that depends on the router, the
destination and the seed; ``all`` offers every one and is `fully_adaptive`. A path chosen so is coherent: its part
from any router on is the path of that router. Nothing is claimed about deadlock, which depends on the network: an
incremental triangular mesh never deadlocks with shortest paths, a ring of five does.

`hop_number` takes the same paths, the i-th hop on the i-th VC. With as many VCs as the diameter D has hops, every
shortest path climbs from VC to VC, so the channel dependency graph has no cycle: no deadlock under any switching
technique, on any network (Bermond & Syska 1992, proposition 5.1). The paper takes one coherent shortest path for each
pair; as nothing in the argument needs that, ``choice="all"`` offers all of them and is fully adaptive. It is the
fallback for a network for which nothing better is known. All are minimal.
"""

from __future__ import annotations

from unknot._base.errors import RelationError, require_known
from unknot.network import Network
from unknot.network.grid import Grid, whole_grid
from unknot.routing.contract import ACYCLIC, towards_home
from unknot.routing.paths import Distances, distances_to_homes, require_ways
from unknot.routing.relation import Out, Relation, Rule, cited
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels, enough_vcs

CHOICES = ("first", "random", "all")


@takes_network
def shortest_paths(network: Network, vcs: int = 1, *, choice: str = "first", seed: int = 1) -> Relation:
    """One shortest path for each pair, or all of them.

    Parameters
    ----------
    choice : {"first", "random", "all"}
        Which of the channels that bring a header nearer it may take.
    seed : int
        Of the random choice, at least 1.

    Raises
    ------
    RelationError
        If the choice is unknown, or the network is too large for a table of distances; `NetworkError` if some
        terminal has no way to another.

    Examples
    --------
    >>> from unknot.network.families import irregular
    >>> shortest_paths(irregular(12, 4, 1), choice="first")
    <Relation shortest_paths (first) on irregular(12, 4, 1, seed=1), 46 VCs>
    """
    virtual = VirtualChannels(network, vcs)
    view = steps(network, "shortest_paths")
    rule = shortest_path_rule(network, virtual, view, pick=pick_of("shortest_paths", choice, seed), share=vcs)
    return cited(virtual, rule, f"shortest_paths ({choice})", minimal=True)


@takes_network
def fully_adaptive(network: Network, vcs: int = 1) -> Relation:
    """Every shortest path, on every VC.

    On whole products of lines and rings a step is judged by coordinates; on other networks by a table of distances, 2
    bytes for each router and each router that ejects.

    Raises
    ------
    RelationError
        If the network is no product of lines and rings and too large for a table.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> fully_adaptive(mesh(4, 4), 2)
    <Relation fully_adaptive on mesh(4, 4), 96 VCs>
    """
    virtual = VirtualChannels(network, vcs)
    view = whole_grid(network) or distances_to_homes(network, "fully_adaptive")
    rule = shortest_path_rule(network, virtual, view, share=vcs)
    return cited(virtual, rule, "fully_adaptive", minimal=True)


def pick_of(routing: str, choice: str, seed: int) -> int:
    """The number by which `shortest_path_rule` knows a choice."""
    require_known(f"{routing}: unknown choice", choice, CHOICES, RelationError)
    if isinstance(seed, bool) or not 1 <= seed <= 1_000_000:
        raise RelationError(f"{routing}: a seed is a number from 1 to 1000000, got {seed!r}")
    return {"all": -1, "first": 0}.get(choice, seed)


def steps(network: Network, needed_by: str) -> Grid | Distances:
    """Return what steps are judged by: the coordinates of a whole mesh or torus, or else a table of distances.

    Raises
    ------
    NetworkError
        If some terminal has no way to another.
    """
    product = whole_grid(network)
    if product is not None:
        return product
    distances = distances_to_homes(network, needed_by)
    require_ways(network, distances.table < 0, distances.homes, needed_by)
    return distances


def shortest_path_rule(
    network: Network,
    virtual: VirtualChannels,
    view: Grid | Distances,
    *,
    pick: int = -1,
    share: int = 1,
    climb: bool = False,
) -> Rule:
    """The rule that offers channels that bring a header nearer.

    Parameters
    ----------
    view : Grid or Distances
        What a step is judged by.
    pick : int
        −1 offers every such channel; 0 the first; any other number is the seed of a choice that depends on the
        router and the destination alone.
    share : int
        Candidate VCs of each channel.
    climb : bool
        Whether each hop offers the next `share` VCs; else every hop offers the first.
    """
    from unknot.routing.rules_kernel import offer, towards

    first, at_channel, num_vcs = virtual.first, virtual.channel, virtual.total

    if isinstance(view, Distances):
        table, column = view.table, view.column
        (leaving, channels), target = network.outgoing, network.target

        def by_table(at: int, address: int, here: int, there: int, out: Out) -> int:
            i, count = column[address], 0
            for k in range(leaving[here], leaving[here + 1]):
                if table[i, target[channels[k]]] == table[i, here] - 1 and table[i, here] > 0:
                    out[count] = channels[k]
                    count += 1
            index = ((at - first[at_channel[at]]) // share + 1) * share if climb and at < num_vcs else 0
            return int(offer(out, count, pick, here, there, first, index, share))

        return towards_home(virtual, by_table)

    coordinates, radices, wraps, channel = view.coordinates, view.radices, view.wraps, view.channel
    has, dimensions = view.directions, view.radices.size

    def by_coordinates(at: int, address: int, here: int, there: int, out: Out) -> int:
        count = 0
        for i in range(dimensions):
            directions = towards(coordinates[here, i], coordinates[there, i], radices[i], wraps[i], has[i])
            for sign in range(2):
                port = channel[here, 2 * i + sign]
                if directions & (1 << sign) and port >= 0:
                    out[count] = port
                    count += 1
        index = ((at - first[at_channel[at]]) // share + 1) * share if climb and at < num_vcs else 0
        return int(offer(out, count, pick, here, there, first, index, share))

    return towards_home(virtual, by_coordinates)


@takes_network
def hop_number(network: Network, vcs: int | None = None, *, choice: str = "first", seed: int = 1) -> Relation:
    """Shortest paths on any network with one VC per hop.

    On whole meshes, tori and hypercubes nothing is tabulated; elsewhere 2 bytes for each router and each router that
    ejects.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel: the diameter (the default), or a multiple of it, shared out evenly among the hops.
    choice : {"first", "random", "all"}
        One shortest path for each router and destination, or all of them: see `shortest_paths`.
    seed : int
        Of the random choice, at least 1.

    Raises
    ------
    RelationError
        If `vcs` is not a multiple of the diameter, or the network is too large for a table; `NetworkError` if some
        terminal has no way to another.

    References
    ----------
    J.-C. Bermond, M. Syska: Routage « wormhole » et canaux virtuels. Algorithmique parallèle, Masson, 1992, 149–158.
    K. D. Günther: Prevention of deadlocks in packet-switched data transport systems. IEEE Transactions on
    Communications, 29(4), 1981, 512–524.

    Examples
    --------
    >>> from unknot.network.families import petersen
    >>> hop_number(petersen())
    <Relation hop_number (first) on petersen(), 60 VCs>
    """
    pick = pick_of("hop_number", choice, seed)
    view = steps(network, "hop_number")
    if isinstance(view, Distances):
        diameter = int(view.table[:, network.inject].max(initial=0))
    else:
        both = view.wraps & (view.directions == 3)
        diameter = int((view.radices // 2)[both].sum() + (view.radices - 1)[~both].sum())
    hops = max(1, diameter)
    why = f"the longest shortest path has {diameter} hops, so {hops} VCs per channel or a multiple of it are needed"
    vcs = enough_vcs(network, vcs, hops, "hop_number", why)
    if vcs % hops:
        raise RelationError(f"hop_number on {network.name}: {why}; got {vcs}")
    virtual = VirtualChannels(network, vcs)
    rule = shortest_path_rule(network, virtual, view, pick=pick, share=vcs // hops, climb=True)
    return cited(virtual, rule, f"hop_number ({choice})", ACYCLIC, minimal=True, source="Bermond & Syska 1992")
