"""Multistage networks with several paths for a pair: data manipulator, dilated banyan."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot.network import Network
from unknot.network.families.delta import banyan
from unknot.network.families.links import affordable, whole
from unknot.network.families.staged import digits, staged


def data_manipulator(terminals: int, *, latency: int = 1) -> Network:
    """The data manipulator: log2 N link stages that add a power of two, subtract it, or leave the row alone.

    log2 N + 1 stages of N switches, one terminal each. Port 0 of link stage i leads to the same row, ports 1 and 2 to
    the row plus and minus 2^(n−1−i), modulo N; in the first link stage these two are parallel channels. Each switch
    is set by itself, as in the augmented data manipulator of Siegel; Feng sets those of a stage in two groups.

    Parameters
    ----------
    terminals : int
        N, a power of two.
    latency : int
        Cycles of every channel.

    Raises
    ------
    NetworkError
        If N is no power of two.

    References
    ----------
    T. Feng: Data manipulating functions in parallel processors and their implementations. IEEE Transactions on
    Computers, C-23(3), 1974, 309–318.

    Examples
    --------
    >>> data_manipulator(8)
    <Network data_manipulator(8): 32 routers, 72 channels, 8 terminals>
    """
    name = f"data_manipulator({terminals})"
    n = digits(name, terminals, 2)
    affordable(name, (n + 1) * terminals, 3 * n * terminals, terminals, 2)
    row = np.arange(terminals, dtype=np.int64)
    targets = [(row[:, None] + np.array([0, 1, -1]) * (1 << (n - 1 - i))) % terminals for i in range(n)]
    return staged(name, [terminals] * (n + 1), targets, row, row, latency)


def dilated_banyan(terminals: int, dilation: int = 2, *, latency: int = 1) -> Network:
    """A banyan network each of whose links is several parallel channels.

    Parameters
    ----------
    terminals : int
        N, a power of two.
    dilation : int
        Channels of each link between switches; terminals have one.
    latency : int
        Cycles of every channel.

    Raises
    ------
    NetworkError
        If N is no power of two, or the dilation no whole number of at least 1.

    References
    ----------
    C. P. Kruskal, M. Snir: The performance of multistage interconnection networks for multiprocessors. IEEE
    Transactions on Computers, C-32(12), 1983, 1091–1098.

    Examples
    --------
    >>> dilated_banyan(8, 2)
    <Network dilated_banyan(8, 2): 12 routers, 32 channels, 8 terminals>
    """
    name = f"dilated_banyan({terminals}, {dilation})"
    times = whole(name, "the dilation", dilation, 1)
    n = digits(name, terminals, 2)
    affordable(name, n * terminals // 2, (n - 1) * terminals * times, terminals, 2)
    single = banyan(terminals, latency=latency)
    source, target, cycles = (np.repeat(ends, times) for ends in (single.source, single.target, single.latency))
    return replace(single, name=name, source=source, target=target, latency=cycles)
