"""Pairs of ends with a cable too many or too few, joined to swapped and misplaced cables.

Two cables whose far ends are exchanged differ in four pairs: two have a cable too many, two one too few. A cable in
the wrong port differs in two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

Pair = tuple[Hashable, Hashable]
"""Two ends of a cable."""


@dataclass(frozen=True)
class Joined:
    """Cables too many and too few that are one fault.

    Attributes
    ----------
    strays, lacks : tuple of pair
        Two of each: swapped cables; one of each: a cable in a wrong place; one: a cable too many, or a missing one.
    count : int
        Cables of a fault of one pair.
    """

    strays: tuple[Pair, ...] = ()
    lacks: tuple[Pair, ...] = ()
    count: int = 1


def joined(strays: Counter[Pair], lacks: Counter[Pair]) -> Iterator[Joined]:
    """Join cables too many and too few, swaps first.

    Examples
    --------
    >>> strays, lacks = Counter({("a", "y"): 1, ("x", "b"): 1}), Counter({("a", "b"): 1, ("x", "y"): 1})
    >>> [(len(one.strays), len(one.lacks)) for one in joined(strays, lacks)]
    [(2, 2)]
    """
    strays, lacks = +strays, +lacks
    for stray in list(strays):
        while strays[stray] and (swap := _swap(strays, lacks, stray)):
            strays -= Counter(swap.strays)
            lacks -= Counter(swap.lacks)
            yield swap
    for stray in list(strays):
        while strays[stray] and (lack := next((pair for end in stray for pair, _ in _at(lacks, end)), None)):
            strays -= Counter([stray])
            lacks -= Counter([lack])
            yield Joined((stray,), (lack,))
    yield from (Joined((pair,), (), count) for pair, count in strays.items())
    yield from (Joined((), (pair,), count) for pair, count in lacks.items())


def _at(counts: Counter[Pair], end: Hashable) -> list[tuple[Pair, Hashable]]:
    """Pairs with an end, and their other ends."""
    return [(pair, pair[1] if pair[0] == end else pair[0]) for pair in counts if end in pair]


def _swap(strays: Counter[Pair], lacks: Counter[Pair], stray: Pair) -> Joined | None:
    """The fault in which a stray cable has exchanged ends with another one."""
    for first, other in _at(lacks, stray[0]):
        for second, another in _at(lacks, stray[1]):
            for pair in ((other, another), (another, other)):
                if first != second and pair != stray and strays[pair]:
                    return Joined((stray, pair), (first, second))
    return None
