"""Sources of packets: when terminals create them, how long they are, and the random numbers that decide it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.splitmix import STEP, mixed, scramble
from unknot.simulation.engine.pairs import Pairs
from unknot.traffic.workload import PACKET_LENGTH, Bursts, Lengths, Shares, length_shares, mean_length


def thresholds(shares: Sequence[float], total: float = 1.0) -> npt.NDArray[np.int64]:
    """End of each share, of those up to it together, × 2⁵³."""
    ends = np.round(np.cumsum(shares) / total * 2.0**53).astype(np.int64)
    ends[-1] = 2**53
    return ends


def streams(seed: int, terminals: int) -> npt.NDArray[np.uint64]:
    """Start values of the random numbers (SplitMix64) of each terminal, all different for every seed."""
    base = np.uint64(scramble(seed + int(STEP)))
    starts: npt.NDArray[np.uint64] = mixed(
        base + np.arange(terminals, dtype=np.uint64) * np.uint64(0xD1342543DE82EF95)
    )
    return starts


@dataclass(frozen=True, eq=False)
class Sources:
    """One source of packets at each terminal; `mix.Mix` is several, and has the same attributes.

    Attributes
    ----------
    chance : float
        Probability that a terminal that sends at full rate creates a packet in a cycle, on average.
    pairs : Pairs
        Who sends to whom.
    packet_length : int or mapping of int to float
    bursts : Bursts, optional
    queues, subnets : int
        Source queues of each terminal, and networks side by side.
    """

    chance: float
    pairs: Pairs
    packet_length: Lengths = PACKET_LENGTH
    bursts: Bursts | None = None
    queues = subnets = 1

    @cached_property
    def lengths(self) -> Shares:
        """Packet lengths and their shares."""
        return length_shares(self.packet_length)

    @property
    def everyone(self) -> int:
        """As of `Pairs`."""
        return self.pairs.everyone

    @property
    def packets(self) -> float:
        """Packets created in a cycle in the whole network."""
        return self.chance * float(self.pairs.rate.sum())

    @property
    def flits(self) -> tuple[float, ...]:
        """Flits created in a cycle in the whole network, by each source of a terminal."""
        return (self.packets * self.mean_length,)

    @property
    def mean_length(self) -> float:
        """Mean flits of a packet."""
        return mean_length(self.lengths)

    def tables(self, starts: npt.NDArray[np.uint64], local: int, slots: int) -> dict[str, Any]:
        """Tables of `state` on what terminals send.

        Parameters
        ----------
        starts : uint64 array, shape (queues × terminals,)
            First random numbers.
        local : int
            VCs of an injection port.
        slots : int
            Packets there is room for.
        """
        return {"terminals": self.columns(starts), **self.pairs.tables}

    def columns(self, starts: npt.NDArray[np.uint64]) -> dict[str, Any]:
        """Columns of `terminals`: the chance of a packet in a cycle, and what they are about to send."""
        share = 1.0 if self.bursts is None else self.bursts.share_on
        on = 0 if self.bursts is None else mixed(starts + np.uint64(1)) >> np.uint64(11) < int(share * 2**53)
        rate = (self.chance * self.pairs.rate / share * 2**53).astype(np.int64)
        return {"packet": -1, "vc": -1, "last_vc": -1, "chance": rate, "on": on}

    @property
    def burst_chances(self) -> tuple[int, int]:
        """Chances of a burst to begin and to end in a cycle × 2⁵³; −1 without bursts."""
        bursts = self.bursts
        return (-1, -1) if bursts is None else (int(bursts.begin * 2**53), int(bursts.end * 2**53))
