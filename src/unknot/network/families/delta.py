"""Multistage networks with one path for every pair: banyan, butterfly, omega, flip, baseline, indirect cube.

All of them are delta networks (Patel 1981): at every stage the output port to take is one digit of the destination.
With the same k and n they are isomorphic (Wu & Feng 1980).

Parameters
----------
terminals : int
    Number of terminals.
k : int
    Ports on each side of a switch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unknot._base.errors import shown
from unknot.network import Network
from unknot.network.families.links import (
    Numbers,
    Wiring,
    from_lines,
    powered,
    shuffle,
    staged,
    straight,
    unshuffle,
    whole,
)


def omega(terminals: int, k: int = 2, *, latency: int = 1) -> Network:
    """The omega network of Lawrie (1975): a perfect shuffle before each of log_k N stages of k × k switches.

    References
    ----------
    D. H. Lawrie: Access and alignment of data in an array processor. IEEE Transactions on Computers, C-24(12), 1975,
    1145–1155.

    Examples
    --------
    >>> omega(8)
    <Network omega(8): 12 routers, 16 channels, 8 terminals>
    """
    name, n = powered("omega", terminals, k)
    return from_lines(name, k, terminals, [shuffle(k, terminals)] * n + [straight], latency)


def flip_network(terminals: int, k: int = 2, *, latency: int = 1) -> Network:
    """The flip network of Batcher (1976), the inverse omega: an unshuffle after each of log_k N stages.

    References
    ----------
    K. E. Batcher: The flip network in STARAN. ICPP 1976.

    Examples
    --------
    >>> flip_network(8)
    <Network flip_network(8): 12 routers, 16 channels, 8 terminals>
    """
    name, n = powered("flip_network", terminals, k)
    return from_lines(name, k, terminals, [straight] + [unshuffle(k, terminals)] * n, latency)


def baseline(terminals: int, k: int = 2, *, latency: int = 1) -> Network:
    """Wu and Feng's baseline network (1980): each stage deals the lines out to k networks of 1/k the size.

    References
    ----------
    C. Wu, T. Feng: On a class of multistage interconnection networks. IEEE Transactions on Computers, C-29(8), 1980,
    694–702.

    Examples
    --------
    >>> baseline(8)
    <Network baseline(8): 12 routers, 16 channels, 8 terminals>
    """
    name, n = powered("baseline", terminals, k)
    dealt = [unshuffle(k, terminals // k**i) for i in range(n - 1)]
    return from_lines(name, k, terminals, [straight, *dealt, straight], latency)


def indirect_cube(terminals: int, k: int = 2, *, latency: int = 1) -> Network:
    """The indirect k-ary n-cube of Pease (1977): stage i joins the k lines whose numbers differ in digit i only.

    References
    ----------
    M. C. Pease: The indirect binary n-cube microprocessor array. IEEE Transactions on Computers, C-26(5), 1977,
    458–473.

    Examples
    --------
    >>> indirect_cube(8)
    <Network indirect_cube(8): 12 routers, 16 channels, 8 terminals>
    """
    name, n = powered("indirect_cube", terminals, k)
    wirings = [straight, *(_digit_last(k, i, i + 1) for i in range(n - 1)), _digit_last(k, n - 1, None)]
    return from_lines(name, k, terminals, wirings, latency)


def banyan(terminals: int, *, latency: int = 1) -> Network:
    """The banyan network as Seo and Feng (1995) draw it: link stage i joins switch K to K and K ⊕ 2^i.

    References
    ----------
    S. W. Seo, T. Feng: The composite banyan network. IEEE Transactions on Parallel and Distributed Systems, 6(10),
    1995, 1043–1054.

    Examples
    --------
    >>> banyan(8)
    <Network banyan(8): 12 routers, 16 channels, 8 terminals>
    """
    name, n = powered("banyan", terminals)
    return _rows(name, 2, n, range(n - 1), latency)


def butterfly(k: int, n: int, *, latency: int = 1) -> Network:
    """The k-ary n-fly: n stages of k^(n−1) switches; link stage i sets digit n−2−i of the row.

    Parameters
    ----------
    n : int
        Number of stages.

    References
    ----------
    W. J. Dally, B. Towles: Principles and practices of interconnection networks. Morgan Kaufmann, 2004.

    Examples
    --------
    >>> butterfly(4, 3)
    <Network butterfly(4, 3): 48 routers, 128 channels, 64 terminals>
    """
    name = f"butterfly({shown(k)}, {shown(n)})"
    whole(name, "the size of a switch", k, 2)
    whole(name, "the number of stages", n, 1, 64)
    return _rows(name, int(k), int(n), range(n - 2, -1, -1), latency)


def _rows(name: str, k: int, n: int, order: range, latency: int) -> Network:
    """Stages in which port p sets one digit of the row to p, in the order of `order`; the last ports eject."""

    def targets(stage: int, row: Numbers) -> Any:
        weight = k ** order[stage]
        return row + (np.arange(k) - row // weight % k) * weight

    return staged(name, [k ** (n - 1)] * n, [k] * (n - 1), targets, k**n, latency)


def _digit_last(k: int, before: int, after: int | None) -> Wiring:
    """Lines that stand with digit `before` of their number last are put with digit `after` last (None: in order)."""

    def wiring(line: Numbers) -> Numbers:
        low = k**before
        rest, digit = line // k, line % k
        number = rest % low + digit * low + rest // low * low * k
        if after is None:
            return np.asarray(number, dtype=np.int64)
        low = k**after
        kept = number % low * k + number // low % k + number // (low * k) * low * k
        return np.asarray(kept, dtype=np.int64)

    return wiring
