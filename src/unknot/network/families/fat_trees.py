"""Fat trees of switches with terminals at the leaves: extended generalised fat trees and k-ary n-trees.

Parameters
----------
latency : int or sequence of int
    Cycles of all links between switches, or of those above each level from the leaves upward.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.families.links import affordable, latencies, linked, whole


def fat_tree(k: int, n: int, *, latency: int | Sequence[int] = 1) -> Network:
    """The k-ary n-tree: n levels of k^(n−1) switches with k ports down and k up, k^n terminals.

    The tree of Petrini & Vanneschi (1997), ``xgft([k] * n, [1] + [k] * (n − 1))``; `fat_tree(k, 2)` is a leaf–spine
    network of k leaves and k spines.

    Parameters
    ----------
    k : int
        Ports up, and ports down, of a switch.
    n : int
        Number of levels.

    References
    ----------
    F. Petrini, M. Vanneschi: k-ary n-trees: high performance networks for massively parallel architectures. IPPS
    1997, 87–93.

    Examples
    --------
    >>> fat_tree(2, 3)
    <Network fat_tree(2, 3): 12 routers, 32 channels, 8 terminals>
    """
    whole("fat_tree", "the number of ports k", k, 1)
    whole("fat_tree", "the number of levels n", n, 1, 64)
    return xgft([k] * n, [1] + [k] * (n - 1), latency=latency, _name=f"fat_tree({k}, {n})")


def xgft(
    children: Sequence[int], parents: Sequence[int], *, latency: int | Sequence[int] = 1, _name: str = ""
) -> Network:
    """The extended generalised fat tree XGFT(h; m_1, …, m_h; w_1, …, w_h) of Öhring, Ibel, Das & Kumar (1995).

    A node of level i has m_i children and one of level i − 1 has w_i parents. The nodes of level 0 are the terminals,
    so w_1 is 1; levels 1 … h are switches, here ``level`` 0 … h − 1. Two switches of neighbouring levels are linked
    when their digits agree but for the one of the upper level: coordinates are the level and the digits
    ``d2`` … ``dh``, of which digit i counts children above its level and parents from there on. A leaf–spine network
    of 8 leaves with 16 terminals each and 4 spines is ``xgft([16, 8], [1, 4])``.

    Parameters
    ----------
    children, parents : sequence of int
        Numbers m_1 … m_h and w_1 … w_h, all at least 1.
    _name : str
        Name of the network, where another family calls this one.

    References
    ----------
    S. R. Öhring, M. Ibel, S. K. Das, M. J. Kumar: On generalized fat trees. IPPS 1995, 37–44.

    Examples
    --------
    >>> xgft([4, 4], [1, 2])
    <Network xgft([4, 4], [1, 2]): 6 routers, 16 channels, 16 terminals>
    """
    m, w = _checked("children", children), _checked("parents", parents)
    name = _name or f"xgft([{', '.join(map(str, m))}], [{', '.join(map(str, w))}])"
    levels = len(m)
    if len(w) != levels or not levels:
        raise NetworkError(
            f"{name}: as many numbers of parents as of children are needed, at least one; got {len(w)} and {levels}"
        )
    if w[0] != 1:
        raise NetworkError(f"{name}: a terminal has one switch, so the first number of parents is 1, got {w[0]}")
    sizes = [math.prod(m[i + 1 :]) * math.prod(w[: i + 1]) for i in range(levels)]
    channels = 2 * sum(sizes[i] * w[i + 1] for i in range(levels - 1))
    affordable(name, sum(sizes), channels, m[0] * sizes[0], levels)
    first = [sum(sizes[:i]) for i in range(levels)]
    ends: list[tuple[np.ndarray, np.ndarray]] = []
    coordinates = np.zeros((sum(sizes), levels), dtype=np.int32)
    for i in range(levels):
        # Digits of a switch of level i, the lowest first: w_2 … w_i+1 below its level, m_i+2 … m_h above.
        radix = [*w[1 : i + 1], *m[i + 1 :]]
        number = np.arange(sizes[i])
        strides = np.cumprod([1, *radix], dtype=np.int64)
        rows = coordinates[first[i] : first[i] + sizes[i]]
        rows[:, 0] = i
        for digit, size in enumerate(radix):
            rows[:, 1 + digit] = number // strides[digit] % size
        if i + 1 < levels:
            stride, size, above = int(strides[i]), m[i + 1], w[i + 1]
            low, high = number % stride, number // (stride * size)
            parent = low[:, None] + stride * (np.arange(above) + above * high[:, None])
            ends.append((first[i] + np.repeat(number, above), first[i + 1] + parent.ravel()))
    return linked(
        name,
        sum(sizes),
        *ends,
        latency=latencies(name, latency, levels - 1, "from the leaves upward"),
        inject=np.repeat(np.arange(sizes[0]), m[0]),
        coordinates=coordinates,
        radices=(levels, *(max(pair) for pair in zip(m[1:], w[1:], strict=True))),
        dimensions=("level", *(f"d{i}" for i in range(2, levels + 1))),
    )


def _checked(what: str, values: Sequence[int]) -> list[int]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise NetworkError(f"xgft: {what} is a list of numbers, one for each level, as in [4, 4]; got {values!r}")
    return [whole("xgft", f"each of the {what}", size, 1) for size in values]
