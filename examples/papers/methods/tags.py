"""Primary and alternate tags of RCBN by the paper's operations, and tags that avoid what is dead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from unknot._base.errors import UnknotError
from unknot.network import Network
from unknot.network.stages import stages
from unknot_papers.multistage import Marks
from unknot_papers.rcbn import Tags
from unknot_papers.rcbn.topology import high_bit, size_of_rcbn

Numbers = npt.NDArray[np.int64]
CASES = (1, 2, 3, 4, 5)
MAX_TAGS = 1_000_000
"""Most alternate tags that are listed at once."""

# The pairs of values that may stand for each other. Cases 1 to 3: (p_j, p_i) of a symmetric pair, j the front digit;
# cases 4 and 5: two neighbouring digits of the front and of the back half. 2 stands for 1̄.
_SYMMETRIC = {
    1: [(0, 0), (1, 2), (2, 1)],
    2: [(0, 1), (2, 0)],
    -2: [(1, 0), (0, 2)],
    3: [(1, 1), (2, 2)],
}
_NEIGHBOURS = {4: [[(0, 0), (2, 2)], [(2, 0), (0, 2)]], 5: [[(0, 0), (1, 1)], [(1, 0), (0, 1)]]}


def primary_tags(sources: npt.ArrayLike, destinations: npt.ArrayLike, n: int) -> Tags:
    """The primary tag of each pair by the paper's binary operations, level by level from the outside in.

    Parameters
    ----------
    sources, destinations : array_like of int
        Numbers of terminals; they are broadcast against each other.
    n : int
        log2 N, at least 3.

    Examples
    --------
    >>> primary_tags(0b0000, 0b1111, 4).texts()
    ['1101']
    """
    s, d = (np.array(a, dtype=np.int64) for a in np.broadcast_arrays(sources, destinations))
    if n < 3 or (s.size and (min(s.min(), d.min()) < 0 or max(s.max(), d.max()) >= 1 << n)):
        raise UnknotError(f"primary tags: terminals are numbered 0 to {(1 << n) - 1} and n is at least 3")
    length = 2 * n - 4
    ones = np.zeros_like(s)
    for level in range(n - 2):
        top = n - 1 - level
        t = s ^ d
        ones |= (t >> top & 1) << (length - 1 - level)
        ones |= (t >> 1 & 1) << level
        s ^= t & (1 << top)
        d ^= t & 2
        s &= (1 << top) - 1
        d &= (1 << top) - 1
    return Tags(length, ones, np.zeros_like(ones))


def equivalents(tags: Tags, cases: Sequence[int] = CASES) -> tuple[Numbers, Tags]:
    """Return the tags that one application of one of the paper's cases makes of each tag.

    Returns
    -------
    from_tag : int64 array
        Which of the given tags each new one was made of.
    made : Tags
    """
    length, ones, bars = tags.digits, tags.ones.ravel(), tags.bars.ravel()
    origin, new_ones, new_bars = [], [], []
    for i, j, rules in _rules(length, cases):
        pair = tags.digit(j).ravel() * 3 + tags.digit(i).ravel()
        for group in rules:
            for a, b in group:
                at = np.flatnonzero(pair == 3 * a + b)
                for c, e in group:
                    if at.size and (c, e) != (a, b):
                        cleared = ~np.int64((1 << i) | (1 << j))
                        origin.append(at)
                        new_ones.append(ones[at] & cleared | (c == 1) << j | (e == 1) << i)
                        new_bars.append(bars[at] & cleared | (c == 2) << j | (e == 2) << i)
    none = np.empty(0, dtype=np.int64)
    return (
        np.concatenate([*origin, none]),
        Tags(length, np.concatenate([*new_ones, none]), np.concatenate([*new_bars, none])),
    )


def _rules(length: int, cases: Sequence[int]) -> Iterator[tuple[int, int, list[list[tuple[int, int]]]]]:
    """Positions i < j and the groups of values (p_j, p_i) that may stand for each other."""
    half = length // 2
    for i in range(half):
        yield i, length - 1 - i, [group for case, group in _SYMMETRIC.items() if abs(case) in cases]
    for case, low in ((5, 0), (4, half)):
        if case in cases:
            for i in range(low, low + half - 1):
                yield i, i + 1, _NEIGHBOURS[case]


def alternate_tags(
    sources: npt.ArrayLike, destinations: npt.ArrayLike, n: int, cases: Sequence[int] = CASES
) -> tuple[Numbers, Tags]:
    """Every tag that the cases make of the primary tag of each pair, the primary tag first.

    Returns
    -------
    pair : int64 array
        To which pair, in order, each tag belongs; ascending.
    tags : Tags

    Raises
    ------
    UnknotError
        If there are more than `MAX_TAGS`.

    Notes
    -----
    A tag belongs to all pairs of the same difference of rows, so the closure is made once for each primary tag.
    """
    primary = primary_tags(sources, destinations, n)
    first, which = np.unique(primary.ones.ravel(), return_inverse=True)
    length = primary.digits
    expected = _expected(first, n, bool({4, 5} & set(cases)))
    if int(expected[which].sum()) > MAX_TAGS:
        raise UnknotError(
            f"{which.size} pairs may have {int(expected[which].sum())} tags; at most {MAX_TAGS} are listed"
        )
    known = fresh = np.arange(first.size) << 2 * length | first << length
    while fresh.size:
        low = (1 << length) - 1
        at, made = equivalents(Tags(length, fresh >> length & low, fresh & low), cases)
        reached = np.unique(fresh[at] >> 2 * length << 2 * length | made.ones << length | made.bars)
        fresh = np.setdiff1d(reached, known, assume_unique=True)
        known = np.union1d(known, fresh)
    start = np.searchsorted(known >> 2 * length, np.arange(first.size + 1))
    known &= (1 << 2 * length) - 1
    for k in range(first.size):
        rows = known[start[k] : start[k + 1]]
        rows[:] = np.concatenate([[first[k] << length], rows[rows != first[k] << length]])
    count = np.diff(start)[which]
    pair = np.repeat(np.arange(which.size), count)
    within = np.arange(pair.size) - np.repeat(np.cumsum(count) - count, count)
    value = known[start[which][pair] + within]
    return pair, Tags(length, value >> length, value & ((1 << length) - 1))


def _expected(primary: Numbers, n: int, all_cases: bool) -> Numbers:
    """At most how many tags the cases make of each primary tag: all paths, or 3 or 2 pairs of digits a level."""
    front = np.bitwise_count(primary >> (n - 2)).astype(np.int64)
    if all_cases:
        rest = np.asarray(5.0 ** (n - 2 - front) * 4.0**front / 2 + 1)
    else:
        rest = np.asarray(3.0 ** (n - 2 - front) * 2.0**front)
    return np.asarray(np.minimum(rest, 2.0**40), dtype=np.int64)


def rows_of(row: npt.ArrayLike, tags: Tags) -> Numbers:
    """The rows that messages pass which start at the switches `row` of stage 0 and follow the tags.

    Returns
    -------
    int64 array, shape (…, stages)
    """
    n = tags.digits // 2 + 2
    here, _ = np.broadcast_arrays(np.asarray(row, dtype=np.int64), tags.ones)
    passed = [here]
    for k in range(tags.digits):
        digit = tags.digit(tags.digits - 1 - k)
        high = np.int64(1) << high_bit(k, n)
        one, bar = (high, 1) if k < n - 2 else (1, high)
        here = here ^ np.where(digit == 1, one, np.where(digit == 2, bar, 0))
        passed.append(here)
    return np.stack(passed, axis=-1)


def number_of_paths(sources: npt.ArrayLike, destinations: npt.ArrayLike, n: int) -> Numbers:
    """Paths of each pair of RCBN(2^n) in closed form.

    Where z of the bits 1 … n−2 of the rows agree and w = n − 2 − z differ, a level without a change has 5 pairs
    of digits, of which 3 leave bit 0 as it is, and one with a change has 4, of which 2 do. So there are 5^z 4^w
    / 2 paths for w > 0, (5^z + 1) / 2 between a switch and itself and (5^z − 1) / 2 between neighbours that
    differ in bit 0.
    """
    difference = (np.asarray(sources, dtype=np.int64) ^ np.asarray(destinations, dtype=np.int64)) >> 1
    changed = np.bitwise_count(difference >> 1).astype(np.int64)
    product = 5 ** (n - 2 - changed) * 4**changed
    return np.asarray((product + np.where(changed == 0, 1 - 2 * (difference & 1), 0)) // 2)


def tags_avoiding(
    network: Network,
    marks: Marks,
    sources: npt.ArrayLike,
    destinations: npt.ArrayLike,
    cases: Sequence[int] = CASES,
) -> tuple[npt.NDArray[np.bool_], Tags]:
    """Return for each pair of an RCBN the primary tag, or else an alternate one, that avoids everything dead.

    Of several the one is taken that differs from the primary tag in the fewest digits.

    Returns
    -------
    found : bool array
        False where every tag meets something dead; the tag is then the primary one.
    tags : Tags
    """
    n = size_of_rcbn(network)
    s, d = (np.array(ends, dtype=np.int64).ravel() for ends in np.broadcast_arrays(sources, destinations))
    pair, tags = alternate_tags(s, d, n, cases)
    rows = rows_of(s[pair] >> 1, tags)
    view = stages(network)
    dead = np.zeros(network.radices, dtype=bool)
    where = np.array(marks.switches, dtype=np.int64)
    dead[view.stage[where], view.row[where]] = True
    meets: npt.NDArray[np.bool_] = np.asarray(dead[np.arange(view.count), rows].any(axis=1))
    for link in marks.links:
        stage = view.stage[network.source[link]]
        meets |= (rows[:, stage] == view.row[network.source[link]]) & (
            rows[:, stage + 1] == view.row[network.target[link]]
        )
    first = np.searchsorted(pair, np.arange(s.size))
    ones, bars = tags.ones[first][pair], tags.bars[first][pair]
    changed = np.bitwise_count((tags.ones ^ ones) | (tags.bars ^ bars)).astype(np.int64)
    order = np.lexsort((np.arange(pair.size), changed, meets, pair))
    best = order[np.searchsorted(pair[order], np.arange(s.size))]
    avoids = ~meets[best]
    best = np.where(avoids, best, first)
    return avoids, Tags(tags.digits, tags.ones[best], tags.bars[best])
