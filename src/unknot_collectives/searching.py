"""Schedules of small platforms by search: trees in whole units change as long as the time falls."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, pairwise
from typing import Any

from unknot._base.errors import NetworkError
from unknot_collectives.parts import UNITS, BlockPart, parts_of, tree_of_part
from unknot_collectives.platform import Operation, Platform
from unknot_collectives.schedule import Schedule
from unknot_collectives.timing import StartOrder, order_of_starts
from unknot_collectives.trees import UPWARD, spread, up_and_down

MOST_MEMBERS = 8
"""Members up to which schedules are searched."""
PATHS = 4
"""Paths between two members that are tried: those of least latency."""
MOST_EDGES = 10_000
"""Edges that are timed, over all changes."""
MOST_CHUNKS = 12
"""Trees with which a search begins, at most, for each block."""
STARTS = 4
"""Schedules from which others are searched for, the fastest first."""
FRESH = 0.93
"""Share of changes that do not begin a tree anew."""


def searched(start: Schedule) -> StartOrder:
    """Return the schedule of least time found from one that goes along trees, in whole units of size.

    Shares of trees are rounded to whole units first. Then a member gets its data from another one or over another
    path, units go from one tree to another, or a tree is parted; a change stays unless the time rises, and some that
    let the time rise a little stay at the beginning. The answer is the same each time.

    Parameters
    ----------
    start : Schedule
        Of one group on `MOST_MEMBERS` members at most, without parts that members exchange in a step.

    Raises
    ------
    NetworkError
        If the schedule is not of trees, or members are too many.
    """
    return _TreeSearch(start).best()


def searched_from(starts: Iterable[StartOrder]) -> StartOrder:
    """Return the fastest schedule that is found from the fastest of some along trees.

    Raises
    ------
    NetworkError
        If none of them goes along trees.
    """
    found, why = list[StartOrder](), "there is no schedule along trees to search from"
    for one in sorted(starts, key=lambda one: one.time):
        try:
            found.append(searched(one.schedule))
        except NetworkError as error:
            why = str(error)
        if len(found) == STARTS:
            break
    if not found:
        raise NetworkError(why)
    return min(found, key=lambda one: one.time)


def require_searchable(operation: Operation) -> None:
    """Refuse operations that are not searched.

    Raises
    ------
    NetworkError
    """
    if len(operation.members) > MOST_MEMBERS or operation.groups or operation.kind == "barrier":
        raise NetworkError(f"schedules are searched for one group of {MOST_MEMBERS} members at most, and no barrier")


class _TreeSearch:
    def __init__(self, start: Schedule) -> None:
        self.start, self.operation = start, start.operation
        require_searchable(self.operation)
        self.draw = random.Random(1)
        self.platform = replace(start.platform, members=self.operation.members)
        self.turned = self.platform.reversed()
        self.ups = self.operation.kind in UPWARD
        self.whole = max(1, min(UNITS, int(self.operation.size)))
        self.paths = {up: _paths(self.turned if up else self.platform) for up in (False, True)}

    def best(self) -> StartOrder:
        parts = self.rounded(list(parts_of(self.start)))
        now = self.timed(parts)
        chosen, edges = now, sum(len(one.up) + len(one.down) for one in parts)
        tries = MOST_EDGES // max(1, edges)
        for turn in range(tries):
            changed = self.changed(parts)
            if changed is None:
                continue
            made = self.timed(changed)
            slack = 1 + 0.03 * max(0.0, 1 - 2 * turn / tries) * self.draw.random()
            if made.time <= now.time * slack + 1e-12:
                parts, now = changed, made
                if now.time < chosen.time:
                    chosen = now
        return chosen

    def rounded(self, parts: list[BlockPart]) -> list[BlockPart]:
        """Return parts whose shares, in size units of 1 / `UNITS`², are whole units; of a block the largest parts."""
        blocks = defaultdict[tuple[Any, ...], list[BlockPart]](list)
        for one in parts:
            blocks[self.block(one)].append(one)
        kept = list[BlockPart]()
        for some in blocks.values():
            some = sorted(some, key=lambda one: -one.units)[:MOST_CHUNKS]
            total, whole = sum(one.units for one in some), self.whole_of(some[0])
            left, before = Fraction(0), 0
            for one in some:
                left += Fraction(one.units * whole, total)
                units = round(left) - before
                before += units
                kept += [replace(one, units=units)] * (units > 0)
        return kept

    def block(self, one: BlockPart) -> tuple[Any, ...]:
        return () if self.operation.kind == "all_reduce" else (one.root, one.leaf)

    def whole_of(self, one: BlockPart) -> int:
        """Return the units of the block of a part."""
        if not self.operation.blocks:
            return self.whole
        amount = self.operation.amounts[one.root, one.leaf or 0]
        return max(1, round(self.whole * amount))

    def timed(self, parts: Sequence[BlockPart]) -> StartOrder:
        """Return the order of starts of the schedule of parts."""
        trees = [
            [tree_of_part(one, one.up if up else one.down, self.share(one)) for one in parts] for up in (True, False)
        ]
        if self.operation.kind == "all_reduce":
            made = up_and_down("searched", self.platform, self.operation, *trees)
        else:
            made = spread("searched", self.platform, self.operation, trees[1])
        return order_of_starts(made)

    def share(self, one: BlockPart) -> Fraction:
        if self.operation.blocks:
            return self.operation.amounts[one.root, one.leaf or 0] * Fraction(one.units, self.whole_of(one))
        return Fraction(one.units, self.whole)

    def changed(self, parts: Sequence[BlockPart]) -> list[BlockPart] | None:
        """Return parts with a random change, or None where the change is impossible."""
        i, made = self.draw.randrange(len(parts)), list(parts)
        one, kind = parts[i], self.draw.random()
        if kind < 0.2 and len(parts) < 40:  # a part of its own for some units, with a change of its trees
            others = [j for j, other in enumerate(parts) if j != i and self.block(other) == self.block(one)]
            if others and (self.draw.random() < 0.7 or one.units < 2):
                j, units = self.draw.choice(others), self.draw.randint(1, one.units)
                made[j] = replace(parts[j], units=parts[j].units + units)
                made[i] = replace(one, units=one.units - units)
                return [each for each in made if each.units]
            if one.units < 2:
                return None
            units = self.draw.randint(1, one.units - 1)
            moved = self.moved(replace(one, units=units))
            made[i] = replace(one, units=one.units - units)
            return None if moved is None else [*made, moved]
        moved = self.fresh(one) if kind > FRESH and one.leaf is None else self.moved(one)
        if moved is None:
            return None
        made[i] = moved
        return made

    def moved(self, one: BlockPart) -> BlockPart | None:
        """Return a part in which a member has another parent, or another path from it."""
        up = bool(one.up) and (not one.down or self.draw.random() < 0.5)
        edges = dict(one.up if up else one.down)
        child = self.draw.choice(list(edges))
        if one.leaf is not None:
            options = [(one.root, path) for path in self.paths[self.ups][one.root, child]]
        else:
            below, grown = {child}, True
            while grown:
                more = {c for c, (parent, _, _) in edges.items() if parent in below}
                grown, below = not more <= below, below | more
            parents = [member for member in self.operation.members if member not in below]
            side = up or (self.ups and self.operation.kind != "all_reduce")
            options = [(parent, path) for parent in parents for path in self.paths[side][parent, child]]
        parent, path = self.draw.choice(options)
        if (parent, child, path) == edges[child]:
            return None
        edges[child] = (parent, child, path)
        return replace(one, up=edges) if up else replace(one, down=edges)

    def fresh(self, one: BlockPart) -> BlockPart:
        """Return a part with stars in place of its trees; that of an all-reduce may have another root."""
        root = self.draw.choice(self.operation.members) if self.operation.kind == "all_reduce" else one.root
        turned = self.ups and self.operation.kind != "all_reduce"
        stars = (
            {m: (root, m, self.paths[side][root, m][0]) for m in self.operation.members if m != root}
            for side in (True, turned)
        )
        up, down = stars
        return replace(one, root=root, up=up if one.up else {}, down=down)


def _paths(platform: Platform) -> dict[tuple[int, int], list[tuple[int, ...]]]:
    """Return the first paths of least latency, then of the widest channels, between each two members."""
    import networkx as nx

    graph: Any = nx.DiGraph()
    for number, c in enumerate(platform.channels):
        weight = float(c.latency) + float(1 / c.bandwidth)
        if not graph.has_edge(c.source, c.target) or weight < graph.edges[c.source, c.target]["weight"]:
            graph.add_edge(c.source, c.target, weight=weight, number=number)
    found = {}
    for one in platform.members:
        for other in platform.members:
            if one != other:
                ways = islice(nx.shortest_simple_paths(graph, one, other, weight="weight"), PATHS)
                found[one, other] = [tuple(graph.edges[pair]["number"] for pair in pairwise(w)) for w in ways]
    return found
