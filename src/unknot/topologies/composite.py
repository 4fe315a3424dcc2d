"""Multistage networks of 3 × 3 switches: the composite banyan and the recursively constructed composite banyan.

The output ports of a switch are called by tag digits and stand in the order 0 (straight on), 1 and 1̄.
"""

from __future__ import annotations

import numpy as np

from unknot.network import Network
from unknot.topologies.staged import digits, staged


def composite_banyan(terminals: int, *, latency: int = 1) -> Network:
    """A banyan and a reverse banyan network laid over each other (Seo & Feng 1995).

    log2 N stages of N/2 switches. Link stage i joins switch K to K (tag 0), K ⊕ 2^(n−2−i) (tag 1, reverse banyan) and
    K ⊕ 2^i (tag 1̄, banyan), n = log2 N. For even n the last two are parallel channels in the middle.

    Examples
    --------
    >>> composite_banyan(16)
    <Network composite_banyan(16): 32 routers, 72 channels, 16 terminals>
    """
    name = f"composite_banyan({terminals})"
    n = digits(name, terminals, 2, least=2)
    return _switched(name, n, [(1 << (n - 2 - i), 1 << i) for i in range(n - 1)], latency)


def rcbn(terminals: int, *, latency: int = 1) -> Network:
    """The recursively constructed composite banyan network (Ren, Gu, Pan & Liu 2003).

    First and last link stage by the rule of the composite banyan, two networks of half the size between, down to the
    8 × 8 composite banyan: 2 log2 N − 3 stages of N/2 switches. With l = 2 log2 N − 4 link stages, tag 1 of link
    stage k leads from switch K to K ⊕ 2^(l/2−k) and tag 1̄ to K ⊕ 1 in the first half; in the second half tag 1 leads
    to K ⊕ 1 and tag 1̄ to K ⊕ 2^(k−l/2+1).

    Examples
    --------
    >>> rcbn(16)
    <Network rcbn(16): 40 routers, 96 channels, 16 terminals>
    """
    name = f"rcbn({terminals})"
    n = digits(name, terminals, 2, least=3)
    half = n - 2
    front = [(1 << (half - k), 1) for k in range(half)]
    back = [(1, 1 << (k - half + 1)) for k in range(half, 2 * half)]
    return _switched(name, n, front + back, latency)


def _switched(name: str, n: int, flips: list[tuple[int, int]], latency: int) -> Network:
    """Stages in which port 0 leads to the same row and ports 1 and 2 to the row ⊕ the given numbers."""
    row = np.arange(1 << (n - 1), dtype=np.int64)[:, None]
    targets = [row ^ np.array([0, one, bar]) for one, bar in flips]
    ends = np.arange(1 << n, dtype=np.int64) // 2
    return staged(name, [row.size] * (len(flips) + 1), targets, ends, ends, latency)
