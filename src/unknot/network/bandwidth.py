"""Bandwidths of channels: flits per cycle, fractions of small whole numbers that are kept as floats."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError, shown

Bandwidth = int | float | Fraction | str
Bandwidths = npt.NDArray[np.float64]
LARGEST = 1000
"""Largest numerator and denominator of a bandwidth, which is a fraction: flits over cycles."""


def fraction(bandwidth: float) -> Fraction:
    """Return the bandwidth that a float of `Network.bandwidth` stands for.

    Examples
    --------
    >>> fraction(1 / 3)
    Fraction(1, 3)
    """
    return Fraction(bandwidth).limit_denominator(LARGEST)


def rounded(stated: Fraction) -> Fraction:
    """Return the bandwidth nearest to a number above 0 that a channel may have.

    Examples
    --------
    >>> rounded(Fraction("370.8")), rounded(Fraction("20.6"))
    (Fraction(371, 1), Fraction(103, 5))
    """
    stated = min(max(stated, Fraction(1, LARGEST)), Fraction(LARGEST))
    return stated.limit_denominator(min(LARGEST, int(LARGEST / stated)))


def written(bandwidth: float) -> int | str:
    """Return a bandwidth as files have it: a whole number, or a text such as ``1/4``."""
    exact = fraction(bandwidth)
    return exact.numerator if exact.denominator == 1 else str(exact)


def read(stated: Any, what: str) -> float:
    """Return a bandwidth from a number, a fraction, or a text such as ``2`` or ``1/4``.

    Raises
    ------
    NetworkError
        If it is none, or no fraction of whole numbers from 1 to `LARGEST`; the message begins with `what`.
    """
    try:
        stated_exactly = Fraction(stated.strip() if isinstance(stated, str) else stated)
        exact = stated_exactly.limit_denominator(LARGEST)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        exact = stated_exactly = Fraction(0)
    is_near = abs(exact - stated_exactly) * 10**9 <= stated_exactly
    if isinstance(stated, bool) or not is_near or not 1 <= exact.numerator <= LARGEST:
        raise NetworkError(
            f"{what} must be a number of flits per cycle, such as 2 or 1/4, a fraction of whole numbers from 1 to "
            f"{LARGEST}; got {shown(stated)}"
        )
    return exact.numerator / exact.denominator


def kept(network: str, channels: int, stated: Any) -> Bandwidths:
    """Return the bandwidth of each channel from one for all or one for each, checked; equal ones take no memory."""
    where = f"network {network!r}: a bandwidth"
    # Strides of 0: one bandwidth that was kept for all, maybe for another number of channels.
    if isinstance(stated, np.ndarray) and stated.strides == (0,):
        stated = float(stated[0]) if stated.size else 1.0
    if isinstance(stated, np.ndarray) and stated.ndim == 1 and stated.dtype.kind in "iuf":
        each, place = np.unique(stated, return_inverse=True)
        array = np.array([read(one, where) for one in each.tolist()])[place]
    elif np.ndim(stated) == 1:
        known = {one: read(one, where) for one in dict.fromkeys(stated)}
        array = np.array([known[one] for one in stated])
    else:
        array = np.full(channels, read(stated, where))
    if array.shape != (channels,):
        raise NetworkError(f"network {network!r}: {array.size} bandwidths for {channels} channels")
    if channels == 0 or (array == array[0]).all():
        return np.broadcast_to(np.float64(array[0] if channels else 1.0), (channels,))
    array.setflags(write=False)
    return array
