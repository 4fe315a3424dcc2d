"""Schedules of small platforms by search: trees in whole units change as long as the time falls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, pairwise
from typing import Any

import numpy as np

from unknot._base.errors import NetworkError
from unknot_collectives.operation import Operation
from unknot_collectives.parts import BlockPart, parts_of
from unknot_collectives.platform import Platform, passage
from unknot_collectives.schedule import Schedule
from unknot_collectives.timing import StartOrder
from unknot_collectives.tree_arrays import EdgeRoom, MemberWays, Parts, TreeMoves, Uses
from unknot_collectives.trees import UPWARD, spread, up_and_down

MOST_MEMBERS = 8
"""Members up to which schedules are searched."""
PATHS = 4
"""Paths between two members that are tried: those of least latency."""
MOST_LOOKS = 300_000_000
"""Looks at waiting edges, over all changes: half a second."""
MOST_PARTS = 96
"""Parts of all blocks together; where blocks are many, two for each."""
MOST_BEGUN = 48
"""Parts with which a search begins, but one for each block."""
STARTS = 3
"""Schedules from which others are searched for, the fastest first."""
FAR = 1.1
"""Times its bound above which the search goes on from the fastest schedule found."""
LONGER = (3, 7)
"""Work of each such search, in looks of the first ones."""
BESIDE = 24
"""Transfers that pass a channel beside each other, at most."""

WaysOf = Mapping[tuple[int, int], Sequence[tuple[int, ...]]]
"""Paths from member to member, by their channels."""


def searched(start: Schedule, ways: WaysOf | None = None, longer: int = 1) -> StartOrder:
    """Return the schedule of least time found from one that goes along trees, in whole units of size.

    Shares of trees are rounded to whole units first. Then a member gets its data from another one or over another
    path, units go from one tree to another, or a tree is parted; a change stays unless the time rises, and some that
    let the time rise a little stay at the beginning. The answer is the same each time.

    Parameters
    ----------
    start : Schedule
        Of one group on `MOST_MEMBERS` members at most, without parts that members exchange in a step.
    ways : mapping from pairs of members to paths, optional
        Permitted ones, beside those of the start; by default the `PATHS` of least latency.
    longer : int
        Times `MOST_LOOKS`, the work of the search.

    Raises
    ------
    NetworkError
        If the schedule is not of trees, or members are too many.
    """
    require_searchable(start.operation)
    ways = ways_between(start.platform, start.operation.members) if ways is None else ways
    return _TreeSearch(start, ways).best(longer * MOST_LOOKS)


def searched_from(starts: Iterable[StartOrder], floor: float, ways: WaysOf | None = None) -> StartOrder:
    """Return the fastest schedule that is found from the fastest of some along trees.

    While the schedule takes more than `FAR` times a lower bound, the search goes on from there, as `LONGER` says.

    Raises
    ------
    NetworkError
        If none of them goes along trees.
    """
    found, why = list[StartOrder](), "there is no schedule along trees to search from"
    for one in sorted(starts, key=lambda one: one.time):
        try:
            found.append(searched(one.schedule, ways))
        except NetworkError as error:
            why = str(error)
        if len(found) == STARTS:
            break
    if not found:
        raise NetworkError(why)
    fastest = min(found, key=lambda one: one.time)
    for longer in LONGER:
        if fastest.time > FAR * floor:
            fastest = min(fastest, searched(fastest.schedule, ways, longer), key=lambda one: one.time)
    return fastest


def require_searchable(operation: Operation) -> None:
    """Refuse operations that are not searched.

    Raises
    ------
    NetworkError
    """
    if len(operation.members) > MOST_MEMBERS or operation.groups or operation.kind == "barrier":
        raise NetworkError(f"schedules are searched for one group of {MOST_MEMBERS} members at most, and no barrier")


@dataclass(frozen=True)
class _WholePart:
    """A part of a block with its whole number of units."""

    part: BlockPart
    units: int


class _TreeSearch:
    def __init__(self, start: Schedule, ways: WaysOf) -> None:
        self.start, self.operation = start, start.operation
        self.platform = replace(start.platform, members=self.operation.members)
        self.place = {member: i for i, member in enumerate(self.operation.members)}
        self.both, self.ups = self.operation.kind == "all_reduce", self.operation.kind in UPWARD
        self.whole = max(1, int(self.operation.size))
        self.parts = self.rounded(list(parts_of(start)))
        self.paths = {pair: list(some) for pair, some in ways.items()}
        for one in self.parts:
            for up, tree in ((True, one.part.up), (False, one.part.down)):
                for child, (parent, path) in tree.items():
                    known = self.paths.setdefault((child, parent) if up else (parent, child), [])
                    known += [path] * (path not in known)

    def best(self, looks: int) -> StartOrder:
        from unknot_collectives.tree_search_kernel import anneal

        parts = self.arrays()
        best, platform, edges = Parts._make(one.copy() for one in parts), self.platform, parts.parent.size
        count, members = len(platform.channels), len(self.place)
        bandwidth = np.array([float(c.bandwidth) for c in platform.channels])
        uses = Uses(
            bandwidth, np.zeros(count), np.zeros(count), np.zeros(count, dtype=np.int64), np.zeros((count, BESIDE, 3))
        )
        ints = [np.zeros(edges, dtype=np.int64) for _ in range(4)]
        room = EdgeRoom._make([np.zeros(edges), np.zeros(edges), *ints, np.zeros(2, dtype=np.int64)])
        side = -1 if self.both else 1 - self.ups
        moves = TreeMoves(side, self.both, float(self.start.time), looks, np.zeros(3, dtype=np.int64))
        time = anneal(self.ways(), parts, best, uses, room, moves, np.ones(1, dtype=np.uint64))
        return self.order(best, room.order[: room.many[0]].tolist(), float(time), members)

    def ways(self) -> MemberWays:
        first, start, channel = [0], [0], list[int]()
        begins, longer_by, latency, rate = (list[float]() for _ in range(4))
        for one in self.place:
            for other in self.place:
                for path in self.paths.get((one, other), ()):
                    empty = passage(self.platform, Fraction(0), path)
                    for number, at, lasts in empty.over(path):
                        channel.append(number)
                        begins.append(float(at))
                        longer_by.append(float(lasts))
                    start.append(len(channel))
                    latency.append(float(empty.arrives))
                    rate.append(float(empty.rate))
                first.append(len(latency))
        ints = [np.array(some, dtype=np.int64) for some in (first, start, channel)]
        return MemberWays._make([*ints, *map(np.array, (begins, longer_by, latency, rate))])

    def arrays(self) -> Parts:
        members, blocks = len(self.place), list(dict.fromkeys(self.block(one.part) for one in self.parts))
        rows = max(MOST_PARTS, 2 * len(blocks)) + 2
        shape, ints = (rows, 2, members), [np.zeros(rows, dtype=np.int64) for _ in range(4)]
        trees = np.full(shape, -1, dtype=np.int64), np.zeros(shape, dtype=np.int64), np.zeros(shape)
        made = Parts._make([np.array([len(self.parts)]), *ints, np.zeros(rows), np.zeros(rows), *trees])
        for i, one in enumerate(self.parts):
            part = one.part
            made.block[i], made.units[i] = blocks.index(self.block(part)), one.units
            made.root[i], made.leaf[i] = self.place[part.root], -1 if part.leaf is None else self.place[part.leaf]
            made.unit[i] = float(self.operation.size * self.unit(part))
            made.size[i] = one.units * made.unit[i]
            for side, tree in enumerate((part.up, part.down)):
                for child, (parent, path) in tree.items():
                    made.parent[i, side, self.place[child]] = self.place[parent]
                    ends = (parent, child) if side else (child, parent)
                    made.way[i, side, self.place[child]] = self.paths[ends].index(path)
        return made

    def order(self, found: Parts, edges: Sequence[int], time: float, members: int) -> StartOrder:
        """Return the schedule of parts with its order of starts, given by edges."""
        many, row = int(found.many[0]), self.operation.members
        made = list[BlockPart]()
        for i in range(many):
            trees = list[dict[int, tuple[int, tuple[int, ...]]]]()
            for side in range(2):
                there = {
                    row[v]: row[found.parent[i, side, v]] for v in range(members) if found.parent[i, side, v] >= 0
                }
                ways = {row[v]: found.way[i, side, v] for v in range(members)}
                trees.append({
                    child: (parent, self.paths[(parent, child) if side else (child, parent)][ways[child]])
                    for child, parent in there.items()
                })  # fmt: skip
            leaf = None if found.leaf[i] < 0 else row[found.leaf[i]]
            part = BlockPart(row[found.root[i]], leaf, Fraction(0), *trees)
            made.append(replace(part, share=int(found.units[i]) * self.unit(part)))
        if self.both:  # chunks are numbered root by root
            roots = list(dict.fromkeys(one.root for one in made))
            turns = sorted(range(many), key=lambda i: roots.index(made[i].root))
            up, down = ([made[i].tree(up=side) for i in turns] for side in (True, False))
            schedule = up_and_down("searched", self.platform, self.operation, up, down)
        else:
            turns = list(range(many))
            schedule = spread("searched", self.platform, self.operation, [one.tree(up=self.ups) for one in made])
        chunk = {part: number for number, part in enumerate(turns)}
        number = {
            (sent.chunk, sent.source if sent.reduces or self.ups else sent.target, sent.reduces or self.ups): i
            for i, sent in enumerate(schedule.transfers)
        }
        keys = ((chunk[e // (2 * members)], row[e % members], e // members % 2 == 0) for e in edges)
        return StartOrder(schedule, time, [number[key] for key in keys])

    def rounded(self, parts: list[BlockPart]) -> list[_WholePart]:
        """Return parts in whole units: of a block the largest ones, as many as there is room for."""
        blocks = defaultdict[tuple[Any, ...], list[BlockPart]](list)
        for one in parts:
            blocks[self.block(one)].append(one)
        kept, most = list[_WholePart](), max(1, MOST_BEGUN // len(blocks))
        for some in blocks.values():
            some = sorted(some, key=lambda one: -one.share)[:most]
            total, whole, left, before = sum(one.share for one in some), self.whole_of(some[0]), Fraction(0), 0
            for one in some:
                left += one.share * whole / total
                units = round(left) - before
                before += units
                kept += [_WholePart(one, units)] * (units > 0)
        return kept

    def block(self, one: BlockPart) -> tuple[Any, ...]:
        return () if self.both else (one.root, one.leaf)

    def amount(self, one: BlockPart) -> Fraction:
        return self.operation.amounts[one.root, one.leaf or 0] if self.operation.blocks else Fraction(1)

    def whole_of(self, one: BlockPart) -> int:
        """Return the units of the block of a part."""
        return max(1, round(self.whole * self.amount(one)))

    def unit(self, one: BlockPart) -> Fraction:
        """Return the share of a unit in the size of the operation."""
        return self.amount(one) / self.whole_of(one)


def ways_between(platform: Platform, members: Sequence[int]) -> WaysOf:
    """Return the first paths of least latency, then of the widest channels, between each two members."""
    import networkx as nx

    graph: Any = nx.DiGraph()
    for number, c in enumerate(platform.channels):
        weight = float(c.latency) + float(1 / c.bandwidth)
        if not graph.has_edge(c.source, c.target) or weight < graph.edges[c.source, c.target]["weight"]:
            graph.add_edge(c.source, c.target, weight=weight, number=number)
    found = {}
    for one in members:
        for other in members:
            if one != other:
                ways = islice(nx.shortest_simple_paths(graph, one, other, weight="weight"), PATHS)
                found[one, other] = [tuple(graph.edges[pair]["number"] for pair in pairwise(w)) for w in ways]
    return found
