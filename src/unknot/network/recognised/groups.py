"""Dragonflies: groups whose routers, or whose leaves and spines, are all joined, and cables between the groups.

Two routers of a group have common neighbours, those of two groups next to none. Which router of a group has the cable
to another is not prescribed, so cables between groups are counted for each pair of groups, and for each router.
"""

from __future__ import annotations

import numpy as np

from unknot._base.arrays import Floats, Ints
from unknot._base.phrases import count
from unknot.network.recognised.links import CableCounts, usual
from unknot.network.recognised.structure import NONE, WORST, Difference, Structure, differences, wrong
from unknot.network.recognised.tiers import FULL, blocks_between, levels_by_cables

FEWEST = 3
"""Groups of a dragonfly."""
WITHIN, BETWEEN = "within groups", "between groups"


def dragonfly_of(links: CableCounts) -> Structure:
    """Recognise a dragonfly, whose groups are fully joined."""
    if not links.near.size:
        return NONE
    shared = links.shared
    close = shared > 0.5 * np.quantile(shared, 0.9)
    group = _settled(links, _joined(links.routers, links.near[close], links.far[close]))
    sizes = np.bincount(group)
    size, share = usual(sizes)
    if sizes.size < FEWEST or size < FEWEST or share < FULL:
        return NONE
    members = [np.flatnonzero(group == number) for number in range(sizes.size)]
    near = np.concatenate([one[np.triu_indices(one.size, 1)[0]] for one in members])
    far = np.concatenate([one[np.triu_indices(one.size, 1)[1]] for one in members])
    inside = links.among(group)
    if inside.near.size < FULL * near.size:
        return NONE
    words = f"dragonfly of {sizes.size} groups of {size} routers"
    return _structure(links, "dragonfly", words, group, (near, far), inside)


def dragonfly_plus_of(links: CableCounts) -> Structure:
    """Recognise a dragonfly+ (Megafly): groups of leaves and spines, every two joined, and cables between spines."""
    level = levels_by_cables(links)
    if level is None:
        return NONE
    level = np.minimum(level, 1)
    leaves, spines = np.flatnonzero(level == 0), np.flatnonzero(level == 1)
    if not spines.size:
        return NONE
    blocks = blocks_between(links, leaves, spines)
    if blocks is None or not blocks.per_pair or blocks.number < FEWEST:
        return NONE
    group = np.zeros(links.routers, dtype=np.int64)
    group[leaves], group[spines] = blocks.of_low, blocks.of_high
    low, high = blocks.pairs
    ends = leaves[low], spines[high]
    below, above = usual(np.bincount(blocks.of_low))[0], usual(np.bincount(blocks.of_high))[0]
    words = f"dragonfly+ of {blocks.number} groups of {below} leaves and {above} spines"
    pairs = np.minimum(*ends), np.maximum(*ends)
    return _structure(links, "dragonfly+", words, group, pairs, links.among(group), level)


def _structure(
    links: CableCounts,
    kind: str,
    words: str,
    group: Ints,
    pairs: tuple[Ints, Ints],
    inside: CableCounts,
    level: Ints | None = None,
) -> Structure:
    """Compare the cables within groups with those of all `pairs`, and between groups with what most have."""
    key = {
        (a, b): n for a, b, n in zip(inside.near.tolist(), inside.far.tolist(), inside.count.tolist(), strict=True)
    }
    counts = np.array([key.get(pair, 0) for pair in zip(*(end.tolist() for end in pairs), strict=True)])
    per_pair, share = usual(counts)
    if not per_pair or share < FULL:
        return NONE
    local = differences(inside, *pairs, np.full(pairs[0].size, per_pair), [WITHIN] * pairs[0].size)
    across, odd = _across(links, group, level)
    table = _between(across, group)
    upper = np.triu_indices(table.shape[0], 1)
    most, share = usual(table[upper])
    if not most:
        return NONE
    others = usual(table[upper][table[upper] != most])[1] * (1 - share)
    even = share >= 0.5 and share >= 2 * others
    found = (*local, *odd, *(_global(across, group, level, table, most) if even else ()))
    if wrong(found, links) > WORST:
        return NONE
    parts = {WITHIN: per_pair * pairs[0].size, BETWEEN: most * upper[0].size if even else int(table[upper].sum())}
    cables = count(most, "cable") if even else "differing numbers of cables"
    remarks = () if even else ("pairs of groups have differing numbers of cables, so missing ones are not told",)
    words = f"{words}; {cables} between every two groups"
    return Structure(kind, words, found, parts, level, group, remarks=remarks)  # type: ignore[arg-type]


def _joined(routers: int, near: Ints, far: Ints) -> Ints:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    matrix = csr_array((np.ones(near.size), (near, far)), shape=(routers, routers))
    return np.asarray(connected_components(matrix, directed=False)[1], dtype=np.int64)


def _settled(links: CableCounts, group: Ints) -> Ints:
    """Give each router the group of most of its neighbours, which puts strays where they belong."""
    adjacent = links.adjacent
    for _ in range(3):
        member: Floats = np.zeros((group.size, int(group.max()) + 1))
        member[np.arange(group.size), group] = 1
        votes = adjacent @ member
        own = votes[np.arange(group.size), group]
        better = votes.argmax(axis=1)
        group = np.where(votes.max(axis=1) > own, better, group)
    return np.asarray(np.unique(group, return_inverse=True)[1], dtype=np.int64)


def _across(links: CableCounts, group: Ints, level: Ints | None) -> tuple[CableCounts, tuple[Difference, ...]]:
    """Cables between groups, and apart from these the cables that end at leaves, in a wrong place."""
    across = group[links.near] != group[links.far]
    strays = across & (False if level is None else (level[links.near] == 0) | (level[links.far] == 0))
    kept = across & ~strays
    rows = zip(links.near[strays].tolist(), links.far[strays].tolist(), links.count[strays].tolist(), strict=True)
    odd = tuple(Difference((a,), (b,), -count) for a, b, count in rows)
    return CableCounts(links.routers, links.near[kept], links.far[kept], links.count[kept], links.seats), odd


def _between(links: CableCounts, group: Ints) -> Ints:
    """Cables between every two groups."""
    table = np.zeros((int(group.max()) + 1,) * 2, dtype=np.int64)
    ends = group[links.near], group[links.far]
    for a, b in (ends, ends[::-1]):
        np.add.at(table, (a, b), links.count)
    np.fill_diagonal(table, 0)
    return table


def _global(links: CableCounts, group: Ints, level: Ints | None, table: Ints, across: int) -> tuple[Difference, ...]:
    """Cables between groups that are missing or too many, with the routers that come into question.

    Those with fewest cables to other groups are named first.
    """
    outward = links.degree
    spines = np.ones(group.size, dtype=bool) if level is None else level > 0
    ends_of = {number: np.flatnonzero((group == number) & spines) for number in range(table.shape[0])}
    scarce = {number: members[np.argsort(outward[members], kind="stable")] for number, members in ends_of.items()}
    joined: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for a, b in zip(links.near.tolist(), links.far.tolist(), strict=True):
        pair = (a, b) if group[a] < group[b] else (b, a)
        joined.setdefault((int(group[pair[0]]), int(group[pair[1]])), set()).add(pair)
    found = []
    for a, b in np.argwhere(np.triu(table != across, 1)).tolist():
        lacks = across - int(table[a, b])
        ends = [tuple(scarce[number].tolist()) for number in (a, b)]
        if lacks < 0:
            some = joined[a, b]
            ends = [tuple(sorted({pair[0] for pair in some})), tuple(sorted({pair[1] for pair in some}))]
        found.append(Difference(ends[0], ends[1], lacks, BETWEEN if lacks > 0 else "", by_group=True))
    return tuple(found)
