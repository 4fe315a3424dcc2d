"""Rates of InfiniBand cables, by width and speed, as bandwidths of channels.

A channel has bandwidth 1 at the commonest rate of the cables between switches. A rate is lanes times the data rate of
one: 8b/10b coding takes a fifth of SDR, DDR and QDR, 64b/66b coding 2 in 66 of FDR.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

from unknot._base.phrases import few
from unknot.network.bandwidth import LARGEST, rounded

SPEEDS = {
    "SDR": Fraction(2), "DDR": Fraction(4), "QDR": Fraction(8), "FDR10": Fraction(10), "FDR": Fraction(150, 11),
    "EDR20": Fraction(20), "EDR": Fraction(25), "HDR": Fraction(50), "NDR": Fraction(100), "XDR": Fraction(200),
}  # fmt: skip
"""Gb/s of data of one lane."""
SIGNALLED = {
    "2.5": "SDR", "5": "DDR", "10": "QDR", "14": "FDR", "25": "EDR", "50": "HDR", "100": "NDR", "200": "XDR",
}  # fmt: skip
"""Names of speeds that link lists give as signals, in Gb/s of a lane."""
_WIDTH = re.compile(r"(1|2|4|8|12)x")


@dataclass(frozen=True)
class Rate:
    """Width and speed of a cable, each empty where a file does not give it, or nothing that is known.

    Examples
    --------
    >>> Rate.read("4x", "14"), str(Rate.read("1x", "HDR")), str(Rate.read("4x", "???"))
    (Rate(width='4x', speed='FDR'), '1xHDR', '4x')
    """

    width: str = ""
    speed: str = ""

    @classmethod
    @cache
    def read(cls, width: str | None, speed: str | None) -> Rate:
        """Return the rate of words of a file."""
        named = SIGNALLED.get(speed or "", speed or "")
        return cls(width if width and _WIDTH.fullmatch(width) else "", named if named in SPEEDS else "")

    @property
    def is_whole(self) -> bool:
        """Whether width and speed are known."""
        return bool(self.width and self.speed)

    @cached_property
    def data(self) -> Fraction:
        """Gb/s of data of a rate whose width and speed are known."""
        return int(self.width[:-1]) * SPEEDS[self.speed]

    def __str__(self) -> str:
        return f"{self.width}{self.speed}"

    @property
    def words(self) -> str:
        """A whole rate with its unit, such as ``200 Gb/s (4xHDR)``."""
        return f"{float(self.data):.4g} Gb/s ({self})" if self.is_whole else str(self)


def rate_of(text: str) -> Rate:
    """Return the rate that is written as ``4xHDR``."""
    width, times, speed = text.partition("x")
    return Rate.read(width + times, speed)


def counted(rates: Sequence[str]) -> list[str]:
    """Return the number of cables of each rate, the fastest first.

    Parameters
    ----------
    rates : sequence of str
        Of both channels of each cable, as in `Fabric.rates`.

    Examples
    --------
    >>> counted(["4xHDR", "4xHDR", "1xHDR", "1xHDR", "4xHDR", "4xHDR"])
    ['2 at 200 Gb/s (4xHDR)', '1 at 50 Gb/s (1xHDR)']
    """
    read = {text: rate_of(text) for text in rates}
    whole = sorted((text for text in read if read[text].is_whole), key=lambda text: -read[text].data)
    return [f"{rates.count(text) // 2:,} at {read[text].words}" for text in whole]


@dataclass(frozen=True)
class Rates:
    """Bandwidths of channels, with remarks on doubtful rates.

    Attributes
    ----------
    bandwidth : list of Fraction
    notes : list of str
        Cables of other rates than the commonest.
    assumed : list of str
        Rates that were put in for those that a file does not give.
    """

    bandwidth: list[Fraction]
    notes: list[str]
    assumed: list[str]


def rates(channels: Sequence[tuple[str, Rate]], hosts: Sequence[tuple[str, Rate]]) -> Rates:
    """Return bandwidths by the rates of channels, those of hosts' cables being named alone.

    Parameters
    ----------
    channels, hosts : sequence of (str, Rate)
        Names of the cables of channels, and of host ports.

    Examples
    --------
    >>> fast, slow = Rate("4x", "HDR"), Rate("1x", "HDR")
    >>> found = rates([("A – B", fast), ("A – C", slow), ("B – C", fast)], [])
    >>> list(map(str, found.bandwidth)), found.notes[0][22:]
    (['1', '1/4', '1'], 'commonest rate, 200 Gb/s (4xHDR), as bandwidth 1: A – C at 50 Gb/s (1xHDR), 1/4')
    """
    usual = _usual([rate for _, rate in channels] or [rate for _, rate in hosts])
    filled = [_filled(rate, usual) for _, rate in channels]
    shares = {rate: rounded(rate.data / usual.data) for rate in {*filled}}
    bandwidth = [shares[rate] for rate in filled]
    extreme = {rate for rate in shares if max(rate.data / usual.data, usual.data / rate.data) > LARGEST}
    notes, assumed = [], []
    named = zip(channels, filled, bandwidth, strict=True)
    other = {cable: f"{cable} at {rate.words}, {share}" for (cable, _), rate, share in named if share != 1}
    if other:
        notes.append(
            f"{_cables(len(other))} not of the commonest rate, {usual.words}, as bandwidth 1: "
            f"{few([*other.values()])}"
        )
    far = {
        cable: f"{cable} at {rate.words}"
        for (cable, _), rate in zip(channels, filled, strict=True)
        if rate in extreme
    }
    if far:
        assumed.append(
            f"{_cables(len(far))} over {LARGEST} times as fast or as slow as {usual.words}: {few([*far.values()])}; "
            f"loads and runs take {LARGEST} times"
        )
    slower = {cable: f"{cable} at {rate.words}" for cable, rate in hosts if rate.is_whole and rate.data != usual.data}
    if slower:
        assumed.append(
            f"{_cables(len(slower))} of hosts and of another rate than {usual.words}: {few([*slower.values()])}; "
            "loads and runs take hosts to send and receive at that of bandwidth 1"
        )
    gaps = {cable: f"{cable} ({rate})" if str(rate) else cable for cable, rate in channels if not rate.is_whole}
    if gaps:
        which = "" if any(rate.is_whole for _, rate in channels) else ", so all of one width count as equally fast"
        assumed.append(
            f"{_cables(len(gaps))} without a width or speed that is known: {few([*gaps.values()])}; what is missing "
            f"is taken from {usual.words}{which}"
        )
    return Rates(bandwidth, notes, assumed)


def _usual(known: Sequence[Rate]) -> Rate:
    """Return the commonest rate, of several the fastest; its parts where no rate is whole."""
    whole = Counter(rate for rate in known if rate.is_whole)
    if whole:
        return max(whole, key=lambda rate: (whole[rate], rate.data))
    width = Counter(rate.width for rate in known if rate.width).most_common(1)
    speed = Counter(rate.speed for rate in known if rate.speed).most_common(1)
    return Rate(width[0][0] if width else "4x", speed[0][0] if speed else "SDR")


def _filled(rate: Rate, usual: Rate) -> Rate:
    return Rate(rate.width or usual.width, rate.speed or usual.speed)


def _cables(count: int) -> str:
    return "1 cable is" if count == 1 else f"{count:,} cables are"
