"""Tables for one lane of low load: a tree for each address, of which all turns together close no cycle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.compressed_rows import starts
from unknot._base.deadline import Deadline, clock
from unknot._base.errors import NetworkError
from unknot._base.shown import Brief
from unknot.lanes.effort import SearchEffort
from unknot.lanes.path_set import Floats, Ints, by_terminal, demand
from unknot.lanes.tables import Table, tabled
from unknot.network import Network, distances_from
from unknot.routing.paths import lone_channel
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network

STARTS, STARTING = 100, 0.3
"""Most beginnings, and the share of the time for them; the first is made whatever it takes."""
AT_FIRST = 4.0
"""Load about which loads become steep in the first round, over the mean load if all routes had one hop."""
ROUNDS = 300
"""Times that every tree is grown anew, in the mean."""
HEAT = (0.1, 0.001)
"""Temperatures at the beginning and at the end; a channel of highest load costs about 1."""
NOISE = 1.0
"""Share by which weights of channels are higher at most, at random, so that other trees are tried."""
WORK_OF_A_TREE = 64
"""Words that the growing of a tree is worth for each channel, between two looks at the clock."""
HOP = 0.5
"""Cost of a hop; the highest load of a channel costs 16 for as much flow."""
CLOSER = 0.97
"""Load, as a share of the highest one, about which loads become steep."""


class Channels(NamedTuple):
    """Channels of a network and their turns: that from c to e has the number first[c] + slot[e]."""

    source: Ints
    target: Ints
    first: Ints
    after: Ints
    slot: Ints
    coming_first: Ints
    coming: Ints


@dataclass(frozen=True, eq=False, repr=False)
class OneLane(Brief):
    """Tables whose routes cannot deadlock in one lane.

    Attributes
    ----------
    relation : Relation
    next_channel : int64 array, shape (rows, routers)
        −1 at the home of each row.
    load : float64 array, shape (channels,)
        Flow over bandwidth.
    mean_hops : float
        Of all flows.

    Examples
    --------
    >>> from unknot import check
    >>> from unknot.lanes import one_lane
    >>> routes = one_lane("torus(4, 4)")
    >>> check(routes.relation).deadlock_free, routes.relation.num_vcs == routes.load.size
    (True, True)
    """

    relation: Relation
    next_channel: Ints
    load: Floats
    mean_hops: float


@takes_network
def one_lane(
    network: Network, *, time_limit: float | Deadline = 60.0, rounds: int = ROUNDS, seed: int = 1
) -> OneLane:
    """Route by tables in one lane, on paths that may be longer than shortest ones, with a low highest load.

    Trees are grown to one destination after the other in the complete channel dependency graph, as Nue does (J.
    Domke, T. Hoefler and S. Matsuoka, Routing on the Dependency Graph, HPDC 2016). It is not Nue: weights are steep
    in the load, many beginnings are tried, and trees are grown anew by simulated annealing. Where the turns that are
    left cut routers off, a tree lies within a spanning tree, whose turns are kept free for that.

    Parameters
    ----------
    time_limit : float or Deadline
        Seconds. Every tree is grown once whatever it is.
    rounds : int
        Times that every tree is grown anew, in the mean.

    Raises
    ------
    NetworkError
        If a channel has none back, or some terminal has no way to another.

    Examples
    --------
    >>> from unknot.lanes import one_lane
    >>> one_lane("mesh(3, 3)").mean_hops
    2.0
    """
    traffic = by_terminal(demand(network))
    home = traffic.distances.homes.astype(np.int64)
    effort = SearchEffort(Deadline.of(time_limit, "lanes").end, seed)
    step, load = trees(network, home, traffic.rate.T, effort, rounds)
    labels = tuple(network.terminal_name(t) for t in range(network.num_terminals))
    sends = np.ones((network.num_terminals, network.num_terminals), dtype=bool)
    table = Table(
        network, step, home, traffic.wanted, traffic.rate, traffic.distances.column, np.arange(network.num_terminals),
        sends, labels, False,
    )  # fmt: skip
    made = tabled(table, np.where(traffic.wanted, 0, -1), 1, name="one lane")
    return OneLane(made, step, load, float((load * network.bandwidth).sum() / max(1.0, traffic.rate.sum())))


def trees(
    network: Network, home: Ints, rate: Floats, effort: SearchEffort, rounds: int = ROUNDS
) -> tuple[Ints, Floats]:
    """Next channels to the home of each row, shape (rows, routers), −1 at home; and the load of each channel.

    Which turns are legal depends on the trees that were grown first, so several beginnings are tried, each with a
    spanning tree and a turn of rows of its own; the best goes on.

    Parameters
    ----------
    rate : float64 array, shape (rows, routers)
        What each router sends. A row that nobody sends to has a tree too.

    Raises
    ------
    NetworkError
        If a channel has none back, or some router has no way to another.
    """
    net, random = channels_of(network), np.random.default_rng(effort.seed)
    sent = np.where(np.arange(network.num_routers) == home[:, None], 0.0, rate)
    roots = np.argsort(-np.bincount(net.source, minlength=network.num_routers) - random.random(network.num_routers))
    began, best = clock(), None
    for root in roots[np.arange(STARTS) % roots.size].tolist():
        if best is not None and (effort.over or clock() - began > STARTING * (effort.deadline - began)):
            break
        forest = Forest(network, net, root, home, sent, random)
        forest.grow(random.permutation(home.size), 0.0)
        if best is None or forest.highest < best.highest:
            best = forest
    assert best is not None
    return best.annealed(effort, rounds)


class Forest:
    """Trees of next channels, one for each row, and the order of channels in which all their routes climb."""

    def __init__(
        self, network: Network, net: Channels, root: int, home: Ints, sent: Floats, random: np.random.Generator
    ) -> None:
        self.net, self.home, self.sent, self.random = net, home, sent, random
        self.spanning = spanning_order(network, net, root)
        self.step, self.order = np.full(sent.shape, -1), np.zeros(sent.shape, dtype=np.int64)
        self.load, self.slow = np.zeros(network.num_channels), 1.0 / network.bandwidth
        self.scale = AT_FIRST * float(sent.sum() / max(1.0, network.bandwidth.sum())) or 1.0
        self.state = random.integers(2**63, size=1).astype(np.uint64)

    @property
    def highest(self) -> float:
        return float(self.load.max(initial=0.0))

    def grow(self, rows: Ints, heat: float) -> None:
        """Grow the trees of some rows; see `one_lane_kernel.route`."""
        from unknot.lanes.one_lane_kernel import route

        route(
            self.net, *self.spanning, rows, self.home, self.sent, self.step, self.order, self.load, self.slow,
            HOP / self.scale, self.scale, self.state, NOISE * (heat > 0), heat,
        )  # fmt: skip

    def annealed(self, effort: SearchEffort, rounds: int) -> tuple[Ints, Floats]:
        """Grow trees again by simulated annealing; the best of all."""
        best = self.step.copy(), self.load.copy(), self.highest
        moves = rounds * self.home.size if self.highest > 0 else 0
        try:
            for count, heat, _ in effort.cooled(moves, HEAT, words=self.load.size * WORK_OF_A_TREE):
                self.scale = CLOSER * self.highest
                self.grow(self.random.integers(self.home.size, size=count), heat)
                if self.highest < best[2]:
                    best = self.step.copy(), self.load.copy(), self.highest
                    effort.report(f"one lane, highest load {self.highest:g}")
        except KeyboardInterrupt:
            effort.interrupted = True
        return best[:2]


def channels_of(network: Network) -> Channels:
    """The channels of a network and their turns."""
    source, target = network.source.astype(np.int64), network.target.astype(np.int64)
    first, leaving = (part.astype(np.int64) for part in network.outgoing)
    many = np.diff(first)[target]
    turns = starts(np.repeat(np.arange(source.size), many), source.size)
    after = leaving[np.arange(turns[-1]) - np.repeat(turns[:-1] - first[target], many)]
    slot = np.empty(source.size, dtype=np.int64)
    slot[leaving] = np.arange(source.size) - first[source[leaving]]
    coming = np.argsort(target, kind="stable")
    return Channels(source, target, turns, after, slot, starts(target, network.num_routers), coming)


def spanning_order(
    network: Network, net: Channels, root: int
) -> tuple[npt.NDArray[np.int32], Ints, Ints, npt.NDArray[np.int8]]:
    """Uses of turns by a spanning tree; places of channels in an order, and the channel at each; the tree's channels.

    Channels up the tree come first, then those outside it, then those down, so all its routes climb.
    """
    if (single := lone_channel(network)) is not None:
        raise NetworkError(
            f"one lane on {network.name}: links that go both ways are wanted, but there is no channel back along "
            f"{network.channel_name(single)}"
        )
    level = np.asarray(distances_from(network, root))
    if (level < 0).any():
        lost = network.router_name(int(np.argmin(level)))
        raise NetworkError(f"one lane on {network.name}: there is no way to router {lost}")
    parent = np.full(network.num_routers, -1)
    rising = np.flatnonzero(level[net.target] == level[net.source] - 1)[::-1]
    parent[net.source[rising]] = net.target[rising]
    up = np.zeros(net.source.size, dtype=bool)
    up[np.unique(np.where(parent[net.source] == net.target, net.source, -1), return_index=True)[1]] = True
    up &= parent[net.source] == net.target
    down = np.zeros_like(up)
    down[[network.between(int(net.target[c]), int(net.source[c]))[0] for c in np.flatnonzero(up)]] = True
    key = np.where(up, -1.0 - level[net.source], np.where(down, 1.0 + level[net.target], 0.0))
    at = np.argsort(key, kind="stable")
    rank = np.empty_like(at)
    rank[at] = np.arange(at.size)
    before = np.repeat(np.arange(net.source.size), np.diff(net.first))
    back = net.target[net.after] == net.source[before]
    legal = (up[before] & (up | down)[net.after]) | (down[before] & down[net.after])
    return (legal & ~back).astype(np.int32), rank, at, (up | down).astype(np.int8)
