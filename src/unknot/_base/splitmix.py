"""SplitMix64 (Steele, Lea & Flood, Fast splittable pseudorandom number generators, OOPSLA 2014)."""

from __future__ import annotations

from typing import Any

import numpy as np

STEP = np.uint64(0x9E3779B97F4A7C15)
"""Difference between successive states of a stream."""


def mixed(word: Any) -> Any:
    """The output of a state: a bijection of 64-bit words, for kernels and for uint64 arrays."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def scramble(value: int) -> int:
    """Scramble a number modulo 2⁶⁴.

    >>> scramble(1)
    6238072747940578789
    """
    return int(mixed(np.array([value % 2**64], dtype=np.uint64))[0])
