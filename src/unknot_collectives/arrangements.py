"""The order of members along the trees and exchanges of an algorithm that takes the least time."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, permutations
from typing import Any

import numpy as np

from unknot._base.arrays import Ints
from unknot_collectives.operation import Operation
from unknot_collectives.orders import Group
from unknot_collectives.path_table import path_table
from unknot_collectives.platform import Channel, Platform
from unknot_collectives.rings import ALL_TRIED, TRIES
from unknot_collectives.textbook import textbook

ARRANGED = ("double_tree", "binomial", "recursive_doubling", "rabenseifner", "bruck", "dissemination")
"""Algorithms whose steps depend on places in a row; rings and chains follow `ring_order`."""
MOST_ARRANGED = 64
"""Members up to which an order is looked for."""
FREE = (("all_reduce", "double_tree"), ("all_reduce", "binomial"), ("all_gather", "binomial"),
        ("reduce_scatter", "binomial"), ("barrier", "binomial"))  # fmt: skip
"""Operations and algorithms with a root that may be any member; in other ones all places are alike."""
AT_A_TIME = 2000
"""Orders whose costs are computed together."""


def arranged(platform: Platform, operation: Operation, name: str, group: Group) -> Group:
    """Return members with the row in which an algorithm takes the least time, along one shortest path for each pair.

    The times of the busiest channels of all steps count, then latencies, then the time of all channels together. Up
    to `ALL_TRIED` members every order is tried; beyond, members change places and parts are reversed as long as that
    helps. The order given stays unless another is better. A root stays the first.

    Parameters
    ----------
    platform : Platform
        Nodes and channels.
    operation : Operation
        The operation; members of each of its groups are ordered apart.
    name : str
        An algorithm; those that are not of `ARRANGED` keep the order.
    group : Group
        The members in an order.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot_collectives.platform import platform_of
    >>> platform = platform_of(mesh(2, 3))
    >>> gather = Operation("all_gather", platform.members)
    >>> [member - 6 for member in arranged(platform, gather, "bruck", Group(platform.members)).row]
    [0, 1, 2, 5, 4, 3]
    """
    if name not in ARRANGED:
        return group
    rows = [_row(platform, operation, name, group.only(part)) for part in operation.parts]
    return replace(group, circle=group.around, row=tuple(member for row in rows for member in row))


def _row(platform: Platform, operation: Operation, name: str, group: Group) -> tuple[int, ...]:
    row, many = group.row, len(group.row)
    if not 2 < many <= MOST_ARRANGED:
        return row
    if group.root is not None:
        at = row.index(group.root)
        row = (*row[at:], *row[:at])
    costs, start = _OrderCosts(platform, operation, name, row), np.arange(many)
    fixed = operation.root is not None or (operation.kind, name) not in FREE
    best = _of_all(costs, fixed) if many <= ALL_TRIED else _improved(costs, start, fixed)
    if not costs.of(best[None])[0] < costs.of(start[None])[0]:
        return group.row
    return tuple(row[i] for i in best.tolist())


class _OrderCosts:
    """Costs of orders of members, by number, along the transfers of an algorithm between places."""

    def __init__(self, platform: Platform, operation: Operation, name: str, row: Sequence[int]) -> None:
        self.path, self.slowness = path_table(platform, row)
        late = np.array([*(float(c.latency) for c in platform.channels), 0.0])
        self.late, self.channels = late[self.path].sum(axis=2), self.slowness.size
        sends = _between_places(operation, name, len(row))
        self.steps = sends.steps
        self.step, self.source, self.target = (
            np.array([getattr(one, part) for one in sends.transfers]) for part in ("step", "source", "target")
        )
        self.size = np.array([float(sends.chunks[one.chunk].size) for one in sends.transfers])

    def of(self, orders: Ints) -> list[tuple[float, float, float]]:
        """Return the costs of orders, a row each."""
        number = np.arange(len(orders))[:, None]
        ends = orders[:, self.source], orders[:, self.target]
        key = (number * self.steps + self.step)[..., None] * self.channels + self.path[ends]
        weight = np.broadcast_to(self.size[:, None], key.shape[1:])
        count = len(orders) * self.steps * self.channels
        busy = np.bincount(key.ravel(), np.broadcast_to(weight, key.shape).ravel(), count)
        times = busy.reshape(len(orders), self.steps, self.channels) * self.slowness
        late = np.zeros((len(orders), self.steps))
        np.maximum.at(late, (np.broadcast_to(number, ends[0].shape), np.broadcast_to(self.step, ends[0].shape)),
                      self.late[ends])  # fmt: skip
        columns = times.max(axis=2).sum(axis=1), late.sum(axis=1), times.sum(axis=(1, 2))
        return list(zip(*(column.round(9).tolist() for column in columns), strict=True))


def _between_places(operation: Operation, name: str, many: int) -> Any:
    """Return the schedule of an algorithm among places 0, 1, …, which are joined by a switch."""
    one = Fraction(1)
    ends = [Channel(a, many, one) for a in range(many)] + [Channel(many, a, one) for a in range(many)]
    places = tuple(range(many))
    among = Operation(operation.kind, places, one, None if operation.root is None else 0)
    return textbook(Platform("places", many + 1, tuple(ends), places), among, name, Group(places, among.root))


def _of_all(costs: _OrderCosts, fixed: bool) -> Ints:
    """Return the best of all orders, those with the first member in front where it is `fixed`."""
    many = len(costs.path)
    rest: Iterator[tuple[int, ...]] = permutations(range(fixed, many))
    best, least = np.arange(many), costs.of(np.arange(many)[None])[0]
    while some := list(islice(rest, AT_A_TIME)):
        orders = np.array([(*range(fixed), *row) for row in some])
        tried = costs.of(orders)
        if (low := min(tried)) < least:
            best, least = orders[tried.index(low)], low
    return best


def _improved(costs: _OrderCosts, order: Ints, fixed: bool) -> Ints:
    """Return an order after random swaps of two members, and reversals; a change stays unless the cost rises."""
    draw, many, least = random.Random(1), order.size, costs.of(order[None])[0]
    for _ in range(TRIES * many):
        i, j = sorted(draw.sample(range(int(fixed), many), 2))
        other = order.copy()
        if draw.random() < 0.5:
            other[[i, j]] = order[[j, i]]
        else:
            other[i : j + 1] = order[i : j + 1][::-1]
        if (cost := costs.of(other[None])[0]) <= least:
            order, least = other, cost
    return order
