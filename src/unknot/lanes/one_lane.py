"""Tables for one lane of low load: a tree for each address, of which all turns together close no cycle.

Trees are grown to one destination after the other in the complete channel dependency graph, as Nue does (J. Domke,
T. Hoefler and S. Matsuoka, Routing on the Dependency Graph, HPDC 2016). It is not Nue: weights are steep in the load,
many beginnings are tried, and trees are grown anew by simulated annealing. Where the turns that are left cut routers
off, a tree lies within a spanning tree, whose turns are kept free for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

import numpy as np

from unknot._base.deadline import clock
from unknot._base.errors import UnknotError
from unknot.lanes.effort import SearchEffort
from unknot.lanes.forced import climbing
from unknot.lanes.forest import Channels, Forest, TurnOrder, channels_of, spanning_order
from unknot.lanes.path_set import Floats, Ints
from unknot.lanes.starts import CALLS, MOST_STATES
from unknot.lanes.tables import table_of
from unknot.network import Network
from unknot.routing.named import routing

STARTS, STARTING = 100, 0.3
"""Most beginnings, and the share of the time for them; the first is made whatever it takes."""
ROUNDS = 300
"""Times that every tree is grown anew, in the mean."""


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
    roots = np.argsort(-np.bincount(net.source, minlength=network.num_routers) - random.random(network.num_routers))
    began, best = clock(), None
    for root in roots[np.arange(STARTS) % roots.size].tolist():
        if best is not None and (effort.over or clock() - began > STARTING * (effort.deadline - began)):
            break
        forest = Forest(network, net, spanning_order(network, net, root), home, sent, random)
        forest.grow(random.permutation(home.size), 0.0)
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
