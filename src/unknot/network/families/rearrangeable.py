"""Multistage networks with several paths for a pair: Beneš, Clos, extra stages, data manipulator, dilated banyan.

Parameters
----------
terminals : int
    N, a power of two.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from unknot.network import Network
from unknot.network.families.delta import banyan
from unknot.network.families.links import (
    Numbers,
    affordable,
    digits,
    from_lines,
    powered,
    shuffle,
    staged,
    straight,
    unshuffle,
    whole,
)


def benes(terminals: int, *, latency: int = 1) -> Network:
    """The network of Beneš (1965): two of half the size between the outer of 2 log2 N − 1 stages of 2 × 2 switches.

    References
    ----------
    V. E. Beneš: Mathematical theory of connecting networks and telephone traffic. Academic Press, 1965.

    Examples
    --------
    >>> benes(8)
    <Network benes(8): 20 routers, 32 channels, 8 terminals>
    """
    name, n = powered("benes", terminals)
    dealt = [unshuffle(2, terminals >> i) for i in range(n - 1)]
    gathered = [shuffle(2, terminals >> i) for i in reversed(range(n - 1))]
    return from_lines(name, 2, terminals, [straight, *dealt, *gathered, straight], latency)


def extra_stage(terminals: int, extra: int = 1, *, latency: int = 1) -> Network:
    """An omega network with `extra` further shuffle-exchange stages: 2^extra paths for every pair.

    With `extra` = log2 N − 1 it has as many stages as Beneš's network.

    Parameters
    ----------
    extra : int
        Further stages.

    References
    ----------
    D. H. Lawrie: Access and alignment of data in an array processor. IEEE Transactions on Computers, C-24(12), 1975,
    1145–1155.

    Examples
    --------
    >>> extra_stage(8, 2)
    <Network extra_stage(8, 2): 20 routers, 32 channels, 8 terminals>
    """
    name = f"extra_stage({terminals})" if extra == 1 else f"extra_stage({terminals}, {extra})"
    n = digits(name, terminals, 2)
    whole(name, "the number of extra stages", extra, 0, 4 * n)
    return from_lines(name, 2, terminals, [shuffle(2, terminals)] * (n + extra) + [straight], latency)


def extra_stage_cube(terminals: int, *, latency: int = 1) -> Network:
    """The extra stage cube of Adams and Siegel (1982), its bypasses left out: a stage for bit 0 before bits n−1 … 0.

    Link stage 0 joins lines that agree but in bit 0, so switches keep their rows; each further stage i sets a bit of
    the row as in `butterfly(2, n)`. Two paths for every pair, disjoint but for the first and the last switch.

    References
    ----------
    G. B. Adams, H. J. Siegel: The extra stage cube: a fault-tolerant interconnection network for supersystems. IEEE
    Transactions on Computers, C-31(5), 1982, 443–454.

    Examples
    --------
    >>> extra_stage_cube(8)
    <Network extra_stage_cube(8): 16 routers, 24 channels, 8 terminals>
    """
    name, n = powered("extra_stage_cube", terminals, least=2)
    order = [0, *range(n - 1, -1, -1)]

    def targets(stage: int, row: Numbers) -> Any:
        bit, after = order[stage : stage + 2]
        line = row >> bit << (bit + 1) | row & ((1 << bit) - 1) | np.array([0, 1 << bit])
        return line >> (after + 1) << after | line & ((1 << after) - 1)

    return staged(name, [terminals // 2] * (n + 1), [2] * n, targets, terminals, latency)


def clos(m: int, n: int, r: int, *, latency: int = 1) -> Network:
    """The three-stage Clos network (1953): r switches of n × m, m switches of r × r, r switches of m × n.

    It realises every permutation, rearranging others, if and only if m ≥ n (Slepian, Duguid), and never has to
    rearrange if m ≥ 2 n − 1.

    Parameters
    ----------
    m : int
        Switches in the middle.
    n : int
        Terminals at each outer switch.
    r : int
        Switches on each side.

    References
    ----------
    C. Clos: A study of non-blocking switching networks. Bell System Technical Journal, 32(2), 1953, 406–424.
    doi:10.1002/j.1538-7305.1953.tb01433.x.

    Examples
    --------
    >>> clos(3, 2, 4)
    <Network clos(3, 2, 4): 11 routers, 24 channels, 8 terminals>
    """
    name = f"clos({m}, {n}, {r})"
    for what, number in (("m (middle switches)", m), ("n (terminals of a switch)", n), ("r (outer switches)", r)):
        whole(name, what, number, 1, math.inf)
    return staged(name, [r, m, r], [m, r], lambda stage, row: np.arange((m, r)[stage]), n * r, latency)


def data_manipulator(terminals: int, *, latency: int = 1) -> Network:
    """The data manipulator: log2 N link stages that add a power of two, subtract it, or leave the row alone.

    log2 N + 1 stages of N switches, one terminal each. Port 0 of link stage i leads to the same row, ports 1 and 2 to
    the row plus and minus 2^(n−1−i), modulo N; in the first link stage these two are parallel channels. Each switch
    is set by itself, as in the augmented data manipulator of Siegel; Feng sets those of a stage in two groups.

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
    name, n = powered("data_manipulator", terminals)

    def targets(stage: int, row: Numbers) -> Any:
        return (row + np.array([0, 1, -1]) * (1 << (n - 1 - stage))) % terminals

    return staged(name, [terminals] * (n + 1), [3] * n, targets, terminals, latency)


def dilated_banyan(terminals: int, dilation: int = 2, *, latency: int = 1) -> Network:
    """A banyan network each of whose links is several parallel channels.

    Parameters
    ----------
    dilation : int
        Channels of each link between switches; terminals have one.

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
    return replace(single, name=name, source=source, target=target, wires=replace(single.wires, latency=cycles))
