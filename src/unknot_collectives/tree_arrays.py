"""Trees of parts as arrays, for the kernels that search them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints

Floats = npt.NDArray[np.float64]


class MemberWays(NamedTuple):
    """Paths from member to member: those of pair i are numbers ``first[i]`` to ``first[i + 1]``.

    Attributes
    ----------
    start, channel, begins, longer_by : arrays
        Channels of each way in compressed rows, when they begin to be used, and for how much longer than a part alone
        takes, by what a message costs.
    latency, rate : float64 arrays
        With what a message costs, and bandwidth of the slowest channel.
    """

    first: Ints
    start: Ints
    channel: Ints
    begins: Floats
    longer_by: Floats
    latency: Floats
    rate: Floats


class Parts(NamedTuple):
    """Parts with their trees; ``parent[part, side, member]``, side 0 up and side 1 down, is −1 where there is none.

    Attributes
    ----------
    many : int64 array, shape (1,)
    size, unit : float64 arrays
        Of the part, and of each of its units.
    way : int64 array
        Among the ways between both ends of an edge.
    bias : float64 array
        Added to the length of the chain after an edge, by which edges take turns.
    """

    many: Ints
    block: Ints
    units: Ints
    root: Ints
    leaf: Ints
    size: Floats
    unit: Floats
    parent: Ints
    way: Ints
    bias: Floats


class Uses(NamedTuple):
    """What passes channels: until when the last transfer, and the last exclusive one, and slower ones since then."""

    bandwidth: Floats
    last: Floats
    alone: Floats
    many: Ints
    shared: Floats


class EdgeRoom(NamedTuple):
    """Arrays of a listing by edge, and its order."""

    height: Floats
    ready: Floats
    missing: Ints
    state: Ints
    line: Ints
    order: Ints
    many: Ints


class TreeMoves(NamedTuple):
    """How trees may change: the side with trees, or −1 for both; whether roots are free; the work of all moves."""

    side: int
    free_roots: bool
    scale: float
    looks: int
    touched: Ints
