"""Trees of next channels to one destination after the other, of which all turns together close no cycle: one lane.

They are grown in the complete channel dependency graph, as Nue does (J. Domke, T. Hoefler and S. Matsuoka, Routing on
the Dependency Graph, HPDC 2016). It is not Nue: weights are steep in the load, many beginnings are tried, and trees
are grown anew by simulated annealing. Where the turns that are left cut routers off, a tree lies within a spanning
tree, whose turns are kept free for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import IntArray, ranks
from unknot._base.deadline import clock
from unknot._base.errors import NetworkError, UnknotError
from unknot._base.progress import found
from unknot._base.work import spend
from unknot.lane_assignment.forced import climbing
from unknot.lane_assignment.path_set import Floats, Ints
from unknot.lane_assignment.starts import CALLS, MOST_STATES
from unknot.lane_assignment.tables import table_of
from unknot.network import Network, distances_from
from unknot.routing.named import routing
from unknot.routing.paths import lone_channel, tree_both_ways
from unknot.search.effort import ENOUGH, SearchEffort

STARTS, STARTING = 100, 0.3
"""Most beginnings, and the share of the time for them; the first is made whatever it takes."""
ROUNDS = 300
"""Times that every tree is grown anew, in the mean."""
AT_FIRST = 4.0
"""Load about which loads become steep in the first round, over the mean load if all routes had one hop."""
HEAT = (0.1, 0.001)
"""Temperatures at the beginning and at the end; a channel of highest load costs about 1."""
NOISE = 1.0
"""Share by which weights of channels are higher at most, at random, so that other trees are tried."""
GROWN = 5e-7
"""Seconds of work of growing a tree, for each channel."""
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


class TurnOrder(NamedTuple):
    """Turns in use, and an order of channels in which they climb.

    Attributes
    ----------
    uses : int32 array, shape (turns,)
        How many trees take a turn.
    rank, at : int64 arrays, shape (channels,)
        The place of each channel in the order, and the channel at each place.
    """

    uses: IntArray
    rank: Ints
    at: Ints


Spanned = tuple[TurnOrder, npt.NDArray[np.int8]]


class Trees(NamedTuple):
    """Trees of next channels, a tree for each row, and their loads.

    Attributes
    ----------
    home : int64 array, shape (rows,)
    rate : float64 array, shape (rows, routers)
        What each router sends.
    step : int64 array, shape (rows, routers)
        Next channels; −1 at home.
    order : int64 array, shape (rows, routers)
        Routers by rising distance along the tree.
    load : float64 array, shape (channels,)
        Flow over bandwidth.
    slow : float64 array, shape (channels,)
        One over the bandwidth.
    """

    home: Ints
    rate: Floats
    step: Ints
    order: Ints
    load: Floats
    slow: Floats


class TreeCosts(NamedTuple):
    """What decides between trees.

    Attributes
    ----------
    hop : float
        Cost of a hop.
    scale : float
        Load about which loads become steep.
    noise : float
        Share by which weights of channels are higher at most, at random.
    heat : float
        Temperature; 0: the rows have no trees yet.
    """

    hop: float
    scale: float
    noise: float
    heat: float


class Forest:
    """Trees of next channels, one for each row, and the order of channels in which all their routes climb.

    `spanned` has turns that are kept free for trees within a spanning tree, and its channels; see `spanning_order`.
    """

    def __init__(
        self, network: Network, net: Channels, spanned: Spanned, home: Ints, sent: Floats, random: np.random.Generator
    ) -> None:
        self.net, self.random = net, random
        self.turns, self.spanning = spanned
        self.trees = Trees(
            home,
            sent,
            step=np.full(sent.shape, -1),
            order=np.zeros(sent.shape, dtype=np.int64),
            load=np.zeros(network.num_channels),
            slow=1.0 / network.bandwidth,
        )
        self.scale = AT_FIRST * float(sent.sum() / max(1.0, network.bandwidth.sum())) or 1.0
        self.state = random.integers(2**63, size=1).astype(np.uint64)

    @property
    def highest(self) -> float:
        return float(self.trees.load.max(initial=0.0))

    def plant(self, step: Ints) -> None:
        """Take these trees, of which all turns climb."""
        from unknot.lane_assignment.trees_kernel import plant

        self.trees.step[:] = step
        plant(self.net, self.turns, self.trees)

    def grow(self, rows: Ints, heat: float) -> None:
        """Grow the trees of some rows; see `trees_kernel.route`."""
        from unknot.lane_assignment.trees_kernel import route

        costs = TreeCosts(HOP / self.scale, self.scale, NOISE * (heat > 0), heat)
        route(self.net, self.turns, self.spanning, rows, self.trees, costs, self.state)

    def annealed(self, effort: SearchEffort, rounds: int, floor: float) -> tuple[Ints, Floats]:
        """Grow trees again by simulated annealing, until the highest load is at the floor; the best of all."""
        now = self.trees
        best = now.step.copy(), now.load.copy(), self.highest
        moves = rounds * now.home.size if self.highest > floor * ENOUGH else 0
        with effort.until_interrupted():
            for step in effort.cooled(moves, HEAT, each=GROWN * now.load.size, words=now.load.size * WORK_OF_A_TREE):
                self.scale = CLOSER * self.highest
                self.grow(self.random.integers(now.home.size, size=step.moves), step.hot)
                if self.highest < best[2]:
                    best = now.step.copy(), now.load.copy(), self.highest
                    found(f"1 lane, highest load {self.highest:g}, at least {floor:.4g}")
                    if self.highest <= floor * ENOUGH:
                        break
        return best[:2]


def channels_of(network: Network) -> Channels:
    """The channels of a network and their turns."""
    source, target = network.source.astype(np.int64), network.target.astype(np.int64)
    turns, after = network.turns
    coming_first, coming = network.incoming
    return Channels(
        source, target, turns, after.astype(np.int64), ranks(source), coming_first, coming.astype(np.int64)
    )


def spanning_order(network: Network, net: Channels, root: int) -> Spanned:
    """The turns of a spanning tree in an order of channels, and which channels are the tree's.

    Channels up the tree come first, then those outside it, then those down, so all its routes climb.
    """
    if (single := lone_channel(network)) is not None:
        raise NetworkError(
            f"one lane on {network.name}: links that go both ways are needed, but there is no channel back along "
            f"{network.channel_name(single)}"
        )
    level = np.asarray(distances_from(network, root))
    if (level < 0).any():
        lost = network.router_name(int(np.argmin(level)))
        raise NetworkError(f"one lane on {network.name}: there is no way to router {lost}")
    up, down = np.zeros((2, net.source.size), dtype=bool)
    for own, channels in zip((up, down), tree_both_ways(network, root), strict=True):
        own[channels[channels >= 0]] = True
    key = np.where(up, -1.0 - level[net.source], np.where(down, 1.0 + level[net.target], 0.0))
    at = np.argsort(key, kind="stable")
    rank = np.argsort(at)
    before = network.turns.row
    back = net.target[net.after] == net.source[before]
    legal = (up[before] & (up | down)[net.after]) | (down[before] & down[net.after])
    return TurnOrder((legal & ~back).astype(np.int32), rank, at), (up | down).astype(np.int8)


def trees(
    network: Network, home: Ints, rate: Floats, effort: SearchEffort, rounds: int = ROUNDS, floor: float = 0.0
) -> tuple[Ints, Floats]:
    """Next channels to the home of each row, shape (rows, routers), −1 at home; and the load of each channel.

    Which turns are legal depends on the trees that were grown first, so several beginnings are tried, each with a
    spanning tree and a turn of rows of its own, and named routings; the best goes on.

    Parameters
    ----------
    rate : float64 array, shape (rows, routers)
        What each router sends. A row that nobody sends to has a tree too.
    floor : float
        A highest load at which the search ends, since none is lower.

    Raises
    ------
    NetworkError
        If a channel has none back, or some router has no way to another.
    """
    net, random = channels_of(network), np.random.default_rng(effort.seed)
    sent = np.where(np.arange(network.num_routers) == home[:, None], 0.0, rate)
    roots = np.argsort(-network.outgoing.width - random.random(network.num_routers))
    began, best = clock(), None
    for root in roots[np.arange(STARTS) % roots.size].tolist():
        if best is not None and (effort.over or clock() - began > STARTING * (effort.deadline - began)):
            break
        forest = Forest(network, net, spanning_order(network, net, root), home, sent, random)
        forest.grow(random.permutation(home.size), 0.0)
        spend(GROWN * home.size * forest.trees.load.size)
        if best is None or forest.highest < best.highest:
            best = forest
    assert best is not None
    named = named_forests(network, net, home, sent, random)
    return min([best, *named], key=lambda forest: forest.highest).annealed(effort, rounds, floor)


def order_of(step: Ints, target: Ints) -> Floats | None:
    """Keys of channels by which all routes of trees climb; None if there are none."""
    then = np.where(step >= 0, step[np.arange(len(step))[:, None], target[step]], -1)
    turns = np.unique(np.stack([step[then >= 0], then[then >= 0]], axis=1), axis=0)
    return climbing(turns.tolist(), target.size)


def named_forests(
    network: Network, net: Channels, home: Ints, sent: Floats, random: np.random.Generator
) -> Iterator[Forest]:
    """The trees of named routings of which all turns together close no cycle, if they are trees of all routers.

    No spanning tree is kept free beside them: a tree that is not grown whole stays as it was.
    """
    for name in CALLS if network.num_terminals * network.num_channels <= MOST_STATES else ():
        try:
            table = table_of(routing(network, name))
        except UnknotError:
            continue
        row = table.addresses.row
        rows = {end: cycle(row[table.home[row] == end].tolist()) for end in np.unique(table.home[row])}
        if not rows.keys() >= {*home.tolist()}:
            continue
        step = np.empty(sent.shape, dtype=np.int64)
        for i, end in enumerate(home.tolist()):
            then = table.next_channel[next(rows[end])]  # several terminals of a router in turn
            step[i] = np.where(np.arange(network.num_routers) == end, -1, then)
        if (np.count_nonzero(step < 0, axis=1) > 1).any():
            continue
        key = order_of(step, net.target)
        if key is not None:
            rank = key.astype(np.int64)
            free = TurnOrder(np.zeros(net.after.size, dtype=np.int32), rank, np.argsort(rank))
            forest = Forest(network, net, (free, np.zeros(rank.size, dtype=np.int8)), home, sent, random)
            forest.plant(step)
            yield forest
