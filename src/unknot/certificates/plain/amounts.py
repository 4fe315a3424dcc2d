"""Exact numbers, and sums of them along ways."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import isfinite, lcm
from typing import Any

from unknot.certificates.plain.reading import KEPT_STATE, N, Rejected, integers, pay

LONGEST = 64
"""Most bits of the inverse of a common unit."""


def paid(value: N) -> N:
    """Pay for arithmetic by the length of its result: fractions added up grow with their denominators."""
    bits = value.numerator.bit_length() + value.denominator.bit_length()
    pay(8 + (bits * bits >> 16))
    return value


def in_units(values: Sequence[Fraction]) -> tuple[list[Any], Fraction]:
    """Return fractions as whole multiples of a common unit, and the unit.

    Where the inverse of the unit has more than `LONGEST` bits, the fractions are unchanged and the unit is 1.
    """
    scale = 1
    for value in values:
        scale = lcm(scale, value.denominator)
        pay(1)
        if scale.bit_length() > LONGEST:
            return [*values], Fraction(1)
    return [value.numerator * (scale // value.denominator) for value in values], Fraction(1, scale)


def pay_sorting(numbers: Sequence[Any]) -> None:
    """Pay for sorting n numbers: each is compared with about log₂ n others."""
    many = len(numbers).bit_length()
    for one in numbers:
        bits = one.numerator.bit_length() + one.denominator.bit_length()
        pay(many * ((1 if type(one) is int else 8) + (bits * bits >> 16)))


def exact(entries: Any, what: str, length: int | None = None) -> list[Fraction]:
    """A list of positive numbers, exactly."""
    if not isinstance(entries, list) or (length is not None and len(entries) != length):
        raise Rejected(f"{what}: a list of {'' if length is None else f'{length} '}numbers is expected")
    for entry in entries:
        if isinstance(entry, bool) or not isinstance(entry, (int, float)) or not entry > 0 or not isfinite(entry):
            raise Rejected(f"{what}: positive numbers are expected, not {entry!r:.40}")
    return [Fraction(entry) for entry in entries]


def fraction(parts: Any, what: str, least: int = 1) -> Fraction:
    """A fraction from a list: a numerator from `least` on and a positive denominator."""
    above, below = integers(parts, what, least, 2**1000, 2)
    return Fraction(above, *integers([below], what, 1, 2**1000))


def nearest(starts: Iterable[Any], steps: Callable[[int], Iterable[tuple[int, N]]]) -> dict[int, N]:
    """The least sums of lengths from some starts to each other node, by steps to a node over a length: Dijkstra's."""
    least: dict[int, N] = {}
    heap: list[tuple[Any, int]] = [(0, start) for start in starts]
    while heap:
        length, node = heapq.heappop(heap)
        pay(1)
        if node not in least:
            least[node] = paid(length)
            for other, more in steps(node):
                pay(1)
                if other not in least:
                    pay(KEPT_STATE)
                    heapq.heappush(heap, (length + more, other))
    return least


def added(values: Iterable[Fraction]) -> Fraction:
    """The sum of some fractions, paid for one by one."""
    total = Fraction(0)
    for value in values:
        total = paid(total + value)
    return total
