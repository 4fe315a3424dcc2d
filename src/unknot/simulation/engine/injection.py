"""How terminals create packets: of what lengths, and whether in bursts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unknot.errors import SimulationError

Lengths = int | Mapping[int, float]
"""Flits per packet: one number, or the share of each length among the packets."""


@dataclass(frozen=True)
class Bursts:
    """Terminals that are on or off; an off one creates nothing, an on one so much more that the load is as asked.

    Parameters
    ----------
    begin, end : float
        Probability in each cycle that an off terminal goes on, and that an on one goes off; above 0, at most 1. A
        burst lasts 1 / end cycles on average.
    """

    begin: float
    end: float

    def __post_init__(self) -> None:
        for name, value in (("begin", self.begin), ("end", self.end)):
            number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
            if not number or not 0 < value <= 1:
                raise SimulationError(f"bursts: {name} must be a probability above 0, got {value!r}")

    @property
    def share_on(self) -> float:
        """Part of the time that a terminal is on."""
        return self.begin / (self.begin + self.end)


def length_shares(lengths: Lengths) -> tuple[tuple[int, float], ...]:
    """Packet lengths, ascending, with their shares, which add up to 1.

    Raises
    ------
    SimulationError
        If a length is not a whole number of flits from 1 to 2²⁰, or shares are not numbers above 0.
    """
    given = lengths if isinstance(lengths, Mapping) else {lengths: 1.0}
    if not given:
        raise SimulationError("packet_length: at least one length is wanted")
    for length, share in given.items():
        whole = isinstance(length, (int, np.integer)) and not isinstance(length, bool)
        if not whole or not 1 <= length <= 1 << 20:
            raise SimulationError(f"packet_length must be a whole number from 1 to {1 << 20}, got {length!r}")
        number = isinstance(share, (int, float, np.integer, np.floating)) and not isinstance(share, bool)
        if not number or not math.isfinite(share) or share <= 0:
            raise SimulationError(f"packet_length: the share of length {length} must be above 0, got {share!r}")
    total = math.fsum(given.values())
    return tuple((int(length), float(share) / total) for length, share in sorted(given.items()))


def mean_length(shares: tuple[tuple[int, float], ...]) -> float:
    """Mean flits per packet."""
    return math.fsum(length * share for length, share in shares)
