"""Virtual channels: their number on each channel, and how they are numbered over a network."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from unknot._base import memory
from unknot._base.arrays import Ints, offsets
from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.network.model import IntArray

MAX_VCS = 1 << 27
"""Most virtual channels that are numbered, of all channels together."""
VC_BYTES = 64
"""Bytes of a virtual channel in the tables that every relation has, at the least."""


@dataclass(frozen=True, eq=False)
class VirtualChannels:
    """The numbering of virtual channels over a network.

    Parameters
    ----------
    network : Network
        The network whose channels have them.
    counts : int or array_like of int, shape (channels,)
        VCs of each physical channel, at least 1.

    Attributes
    ----------
    first : int64 array, shape (channels + 1,)
        ``first[c]`` is the first VC of channel c.
    channel : int32 array, shape (VCs,)
    router : int32 array, shape (VCs + terminals,)
        Router at which a header in each input VC, or injection port, stands.
    widest : int
        Most VCs of a channel; without channels the number that was given for all of them.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> vcs = VirtualChannels(ring(4), 2)
    >>> vcs.total, vcs.first[:3].tolist(), vcs.name(3)
    (16, [0, 2, 4], '(0)→(3) VC 1')
    """

    network: Network
    counts: Any
    widest: int = field(init=False)

    def __post_init__(self) -> None:
        stated = np.asarray(self.counts)
        channels = self.network.num_channels
        if stated.dtype.kind not in "iu" or stated.ndim > 1 or (stated.ndim == 1 and stated.shape != (channels,)):
            raise RelationError(
                f"virtual channels: a whole number, or one for each of the {channels} channels of "
                f"{self.network.name}, is needed; got {self.counts!r}"
            )
        if stated.size and stated.min() < 1:
            raise RelationError(f"virtual channels: every channel needs at least 1, got {int(stated.min())}")
        total = int(stated.sum(dtype=np.float64)) * (channels if stated.ndim == 0 else 1)
        if total > MAX_VCS:
            raise RelationError(
                f"virtual channels: {total} on the {channels} channels of {self.network.name} are too many; the "
                f"limit is {MAX_VCS}"
            )
        memory.require(f"{total} virtual channels on {self.network.name}", VC_BYTES * total)
        counts = np.array(np.broadcast_to(stated, (channels,)), dtype=np.int32)
        counts.setflags(write=False)
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "widest", int(stated.max(initial=1)))

    @cached_property
    def first(self) -> Ints:
        return offsets(self.counts)

    @property
    def total(self) -> int:
        """Number of virtual channels."""
        return int(self.first[-1])

    @property
    def each(self) -> int | None:
        """VCs of every channel; None where they differ, or there is no channel."""
        low, high = int(self.counts.min(initial=MAX_VCS)), int(self.counts.max(initial=0))
        return low if low == high else None

    @cached_property
    def channel(self) -> IntArray:
        return np.repeat(np.arange(self.counts.size, dtype=np.int32), self.counts)

    @cached_property
    def router(self) -> IntArray:
        return np.concatenate([self.network.target[self.channel], self.network.inject])

    @cached_property
    def index(self) -> IntArray:
        """Index of each VC within its channel: int32 array, shape (VCs,)."""
        return (np.arange(self.total) - self.first[self.channel]).astype(np.int32)

    def name(self, at: int) -> str:
        """Name of an input VC, a channel with the index of the VC; or of the injection port of a terminal."""
        if at >= self.total:
            return f"the injection port of {self.network.terminal_name(at - self.total)}"
        channel = int(self.channel[at])
        suffix = f" VC {at - int(self.first[channel])}" if self.counts[channel] > 1 else ""
        return self.network.channel_name(channel) + suffix


def enough_vcs(network: Network, vcs: int | None, least: int, name: str, why: str) -> int:
    """The number of VCs per channel of a routing, by default `least`; RelationError with the reason if less."""
    if vcs is not None and vcs < least:
        raise RelationError(f"{name} on {network.name}: {why}; got {vcs}")
    return least if vcs is None else vcs
