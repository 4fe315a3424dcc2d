"""Trees of next channels to one row of tables after the other, of which all turns together close no cycle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.compressed_rows import ranks, starts
from unknot._base.errors import NetworkError
from unknot.lanes.effort import ENOUGH, SearchEffort
from unknot.lanes.path_set import Floats, Ints
from unknot.network import Network, distances_from
from unknot.routing.paths import lone_channel, tree_both_ways

AT_FIRST = 4.0
"""Load about which loads become steep in the first round, over the mean load if all routes had one hop."""
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


class TurnOrder(NamedTuple):
    """Turns in use, and an order of channels in which they climb.

    Attributes
    ----------
    uses : int32 array, shape (turns,)
        How many trees take a turn.
    rank, at : int64 arrays, shape (channels,)
        The place of each channel in the order, and the channel at each place.
    """

    uses: npt.NDArray[np.int32]
    rank: Ints
    at: Ints


Spanned = tuple[TurnOrder, npt.NDArray[np.int8]]


class Trees(NamedTuple):
    """Trees of next channels, one for each row, and what they carry.

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


class Costs(NamedTuple):
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
        from unknot.lanes.one_lane_kernel import plant

        self.trees.step[:] = step
        plant(self.net, self.turns, self.trees)

    def grow(self, rows: Ints, heat: float) -> None:
        """Grow the trees of some rows; see `one_lane_kernel.route`."""
        from unknot.lanes.one_lane_kernel import route

        costs = Costs(HOP / self.scale, self.scale, NOISE * (heat > 0), heat)
        route(self.net, self.turns, self.spanning, rows, self.trees, costs, self.state)

    def annealed(self, effort: SearchEffort, rounds: int, floor: float) -> tuple[Ints, Floats]:
        """Grow trees again by simulated annealing, until the highest load is at the floor; the best of all."""
        now = self.trees
        best = now.step.copy(), now.load.copy(), self.highest
        moves = rounds * now.home.size if self.highest > floor * ENOUGH else 0
        try:
            for count, heat, _ in effort.cooled(moves, HEAT, words=now.load.size * WORK_OF_A_TREE):
                self.scale = CLOSER * self.highest
                self.grow(self.random.integers(now.home.size, size=count), heat)
                if self.highest < best[2]:
                    best = now.step.copy(), now.load.copy(), self.highest
                    effort.report(f"one lane, highest load {self.highest:g}, at least {floor:.4g}")
                    if self.highest <= floor * ENOUGH:
                        break
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
    coming = np.argsort(target, kind="stable")
    return Channels(source, target, turns, after, ranks(source), starts(target, network.num_routers), coming)


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
    before = np.repeat(np.arange(net.source.size), np.diff(net.first))
    back = net.target[net.after] == net.source[before]
    legal = (up[before] & (up | down)[net.after]) | (down[before] & down[net.after])
    return TurnOrder((legal & ~back).astype(np.int32), rank, at), (up | down).astype(np.int8)
