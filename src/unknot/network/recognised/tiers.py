"""Fat trees: levels above the terminals, and blocks of two neighbouring levels in which every two are joined.

A level is that of most cables of a router, so that a host on a spine or a cable in the wrong place changes none. The
routers of two levels fall into blocks, since those of one block share nearly all of their neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unknot._base.arrays import Flags, Ints
from unknot._base.phrases import count as count_of
from unknot._base.phrases import listed
from unknot.network.recognised.links import CableCounts, usual
from unknot.network.recognised.structure import NONE, WORST, Difference, Structure, differences, wrong

LEADS_DOWN = 0.2
"""Least share of its cables that a router has to the level below."""
ALIKE = 0.45
"""Least share of common neighbours of two routers of a block among all that either has."""
MOST_SIDEWAYS = 0.15
"""Share of cables that may leave a level otherwise than to the next, in a fat tree."""
FULL = 0.7
"""Share of the pairs of a block that are joined where every two are meant to be."""


def levels_by_cables(links: CableCounts) -> Ints | None:
    """Return the level of each router by most of its cables; None where routers with terminals join one another."""
    bottom = _with_terminals(links)
    if bottom.all() or not bottom.any():
        return None
    level = np.where(bottom, 0, -1)
    height = 0
    degree = np.maximum(links.degree, 1)
    while (level < 0).any():
        share = links.towards(level == height) / degree
        several = links.adjacent @ (level == height) > 1
        above = (level < 0) & ((share >= LEADS_DOWN) | (several & (share >= 0.5 * LEADS_DOWN)))
        if not above.any():
            rest = level < 0
            level[rest] = _levels_of_rest(links, level, np.flatnonzero(rest))
            break
        height += 1
        level[above] = height
    level[_leaves_without_terminals(links, level)] = 0
    return level


def _settled(links: CableCounts, level: Ints) -> Ints:
    """Move routers to the level from which most of their cables lead to the next, the upper of two, worst first."""
    from scipy.sparse import csr_array

    ends = np.concatenate([links.near, links.far]), np.concatenate([links.far, links.near])
    cables = csr_array((np.tile(links.count, 2), ends), shape=(links.routers,) * 2)
    heights = int(level.max()) + 1
    level = level.copy()
    for _ in range(3):
        astray = np.abs(level[ends[0]] - level[ends[1]]) != 1
        misfit = np.bincount(ends[0][astray], np.tile(links.count, 2)[astray], links.routers) / links.degree.clip(1)
        moved = False
        for router in np.argsort(-misfit, kind="stable")[: np.count_nonzero(misfit)].tolist():
            row = slice(cables.indptr[router], cables.indptr[router + 1])
            to_level = np.bincount(level[cables.indices[row]] + 1, cables.data[row], heights + 2)
            fits = to_level[:-2] + to_level[2:]
            better = heights - 1 - int(fits[::-1].argmax())
            if fits[better] > fits[level[router]]:
                level[router], moved = better, True
        if not moved:
            break
    return np.asarray(np.unique(level, return_inverse=True)[1], dtype=np.int64)


def _with_terminals(links: CableCounts) -> Flags:
    """Routers with many terminals, without spines, whose cables lead to leaves alone."""
    typical = np.median(links.seats[links.seats > 0]) if (links.seats > 0).any() else 0
    bottom = links.seats > 0.25 * typical
    for _ in range(3):
        share = links.towards(bottom) / np.maximum(links.degree, 1)
        if not bottom.any() or np.median(share[bottom]) > 0.4:
            break
        spines = bottom & (share >= 0.6)
        if not spines.any():
            break
        bottom &= ~spines
    scarce = bottom & (links.seats <= max(1, 0.3 * typical))
    full = {router: links.neighbours[router] for router in np.flatnonzero(bottom & ~scarce).tolist()}
    for router in np.flatnonzero(scarce).tolist():
        own = links.neighbours[router]
        near = {leaf for other in own for leaf in links.neighbours[other] if leaf in full}
        bottom[router] = any(likeness(own, full[leaf]) >= ALIKE for leaf in near)
    return bottom


def _levels_of_rest(links: CableCounts, level: Ints, rest: Ints) -> Ints:
    """Levels of routers with few cables down: above the commonest level of the neighbours, else the top."""
    found = []
    for router in rest.tolist():
        below = [int(level[other]) for other in links.neighbours[router] if level[other] >= 0]
        found.append(usual(np.array(below, dtype=np.int64))[0] + 1 if below else int(level.max()))
    return np.array(found, dtype=np.int64)


def _leaves_without_terminals(links: CableCounts, level: Ints) -> list[int]:
    """Routers of level 2 and more whose neighbours are those of a leaf."""
    leaves = np.flatnonzero(level == 0)
    found = []
    for router in np.flatnonzero(level >= 2).tolist():
        own = links.neighbours[router]
        near = {leaf for other in own for leaf in links.neighbours[other] if level[leaf] == 0}
        if any(likeness(own, links.neighbours[leaf]) >= 0.5 for leaf in near & set(leaves.tolist())):
            found.append(router)
    return found


def likeness(one: set[int], other: set[int]) -> float:
    """Return common members of two sets as a share of all."""
    both = len(one & other)
    return both / max(len(one) + len(other) - both, 1)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of two levels, and the cables that a pair in a block is meant to have.

    Attributes
    ----------
    low, high : int64 array
        Routers of the lower and the upper level.
    of_low, of_high : int64 array
        Number of the block of each.
    per_pair : int
        Cables of a pair; 0 where they differ by design.
    """

    low: Ints
    high: Ints
    of_low: Ints
    of_high: Ints
    per_pair: int

    @property
    def number(self) -> int:
        return int(self.of_low.max()) + 1

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """Positions in `low` and `high` of all pairs of the blocks."""
        return tuple(np.nonzero(self.of_low[:, None] == self.of_high[None, :]))  # type: ignore[return-value]


def blocks_between(links: CableCounts, low: Ints, high: Ints) -> Blocks | None:
    """Divide two levels into blocks; None where they have none, since pairs are joined otherwise."""
    count = _table(links, low, high)
    joined = (count > 0).astype(np.float64)
    if not joined.any():
        return None
    common = joined @ joined.T
    size = np.diag(common)
    either = size[:, None] + size[None, :] - common
    of_low = _stars((common >= ALIKE * np.maximum(either, 1)) & (size > 0)[:, None])
    for _ in range(3):
        of_high = _most(joined.T, of_low)
        of_low = _most(joined, of_high)
    _, labels = np.unique(np.concatenate([of_low, of_high]), return_inverse=True)
    of_low, of_high = labels[: low.size], labels[low.size :]
    inside = of_low[:, None] == of_high[None, :]
    if joined[inside].mean() < FULL:
        return None
    per_pair, share = usual(count[inside])
    return Blocks(low, high, of_low, of_high, per_pair if share >= FULL and per_pair else 0)


def _table(links: CableCounts, low: Ints, high: Ints) -> Ints:
    """Cables of each router of one level to each of the other."""
    place = np.full(links.routers, -1)
    place[low], column = np.arange(low.size), np.full(links.routers, -1)
    column[high] = np.arange(high.size)
    table = np.zeros((low.size, high.size), dtype=np.int64)
    for a, b in ((links.near, links.far), (links.far, links.near)):
        kept = (place[a] >= 0) & (column[b] >= 0)
        np.add.at(table, (place[a[kept]], column[b[kept]]), links.count[kept])
    return table


def _stars(alike: Flags) -> Ints:
    """Clusters of routers, each around a centre to which all members are alike; likeness is not passed on."""
    label = np.full(len(alike), -1)
    for number, centre in enumerate(np.argsort(-alike.sum(axis=1), kind="stable").tolist()):
        if label[centre] < 0:
            label[alike[centre] & (label < 0)] = number
            label[centre] = number
    return label


def _most(joined: np.ndarray[tuple[int, int], np.dtype[np.float64]], label: Ints) -> Ints:
    """The label of most neighbours of each router, of several that of the larger block."""
    member = np.zeros((label.size, int(label.max()) + 1))
    member[np.arange(label.size), label] = 1
    votes = joined @ member
    return np.asarray((votes + 1e-6 * member.sum(axis=0)).argmax(axis=1))


def fat_tree_of(links: CableCounts) -> Structure:
    """Recognise a fat tree."""
    level = levels_by_cables(links)
    if level is None or level.max() < 1:
        return NONE
    level = _settled(links, level)
    across = np.abs(level[links.near] - level[links.far]) != 1
    if links.count[across].sum() > MOST_SIDEWAYS * links.total:
        return NONE
    parts: dict[str, int] = {}
    expected: list[tuple[Ints, Ints, Ints]] = []
    named: list[str] = []
    remarks: list[str] = []
    loose: list[Difference] = []
    per_pair: list[str] = []
    pod = np.full(links.routers, -1)
    known = 0
    for height in range(int(level.max())):
        part = f"levels {height} and {height + 1}"
        low, high = np.flatnonzero(level == height), np.flatnonzero(level == height + 1)
        blocks = blocks_between(links, low, high)
        table = _table(links, low, high)
        a, b = np.nonzero(table) if blocks is None or not blocks.per_pair else blocks.pairs
        counts = table[a, b] if blocks is None or not blocks.per_pair else np.full(a.size, blocks.per_pair)
        if blocks is None or not blocks.per_pair:
            loose += _by_degree(links, table, low, high, part)
            per_pair.append("differing numbers of cables")
        else:
            known += 1
            per_pair.append(f"{count_of(blocks.per_pair, 'cable')} a pair in {_blocks(blocks)}")
            remarks += _odd_blocks(blocks, part)
            if height == 0:
                pod[low], pod[high] = blocks.of_low, blocks.of_high
        parts[part] = int(counts.sum()) + sum(one.count for one in loose if one.part == part and one.count > 0)
        ends = low[a], high[b]
        expected.append((np.minimum(*ends), np.maximum(*ends), counts))
        named += [part] * a.size
    near, far, count = (np.concatenate(column) for column in zip(*expected, strict=True))
    found = (*differences(links, near, far, count, named), *loose)
    sizes = listed([f"{size:,}" for size in np.bincount(level).tolist()])
    if not known or wrong(found, links) > WORST:
        words = f"levels of {sizes} switches from the terminals up, whose pairs are joined in no regular way"
        return Structure("none", words, level=level)
    words = f"fat tree of {level.max() + 1} levels: {sizes} switches from the leaves up; {listed(per_pair)}"
    return Structure("fat tree", words, found, parts, level, pod, remarks=tuple(remarks))


def _blocks(blocks: Blocks) -> str:
    if blocks.number == 1:
        return f"one block of {blocks.low.size} × {blocks.high.size}"
    low, high = usual(np.bincount(blocks.of_low))[0], usual(np.bincount(blocks.of_high))[0]
    return f"{blocks.number} blocks of {low} × {high}"


def _odd_blocks(blocks: Blocks, part: str) -> list[str]:
    """Name blocks with fewer routers above than most have, from which one may be missing."""
    size = np.bincount(blocks.of_high, minlength=blocks.number)
    most, share = usual(size)
    small = np.flatnonzero(size < most)
    if not small.size or share < FULL or blocks.number < 3:
        return []
    return [f"{small.size} of {blocks.number} blocks of {part} have fewer than {most} switches above"]


def _by_degree(links: CableCounts, table: Ints, low: Ints, high: Ints, part: str) -> list[Difference]:
    """Cables missing by the numbers that routers have in all, where pairs differ by design.

    The routers of a level that have fewer than most lack cables; the two ends are named together where both levels
    lack as many.
    """
    up, down = table.sum(axis=1), table.sum(axis=0)
    (most_up, share_up), (most_down, share_down) = usual(up), usual(down)
    if min(share_up, share_down) < FULL:
        return []
    lower, upper = np.flatnonzero(up < most_up), np.flatnonzero(down < most_down)
    lacks = int((most_up - up[lower]).sum()), int((most_down - down[upper]).sum())
    if not lacks[0] or lacks[0] != lacks[1]:
        return []
    if lower.size == 1 or upper.size == 1:
        return [
            Difference((int(low[i]),), (int(high[j]),), int(min(most_up - up[i], most_down - down[j])), part)
            for i in lower.tolist()
            for j in upper.tolist()
        ]
    return [Difference(tuple(low[lower].tolist()), tuple(high[upper].tolist()), lacks[0], part)]
