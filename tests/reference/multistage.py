"""Naive twins of the multistage room: paths by recursion, permutations by trying every combination of paths."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from unknot.network import Network

Path = tuple[int, ...]


def paths(network: Network, source: int, destination: int) -> list[Path]:
    """Every path of a pair as a tuple of channels."""

    def onward(router: int) -> list[Path]:
        leaving = [c for c in range(network.num_channels) if network.source[c] == router]
        if not leaving:
            return [()] if router == network.eject[destination] else []
        return [(c, *rest) for c in leaving for rest in onward(int(network.target[c]))]

    return onward(int(network.inject[source]))


def realisable(network: Network, destinations: Sequence[int]) -> bool:
    """Whether some combination of paths uses no channel twice: one message after the other, all their paths."""
    messages = [(s, d) for s, d in enumerate(destinations) if d >= 0]
    listed = [paths(network, s, d) for s, d in messages]

    def onward(index: int, used: frozenset[int]) -> bool:
        if index == len(listed):
            return True
        return any(not used.intersection(path) and onward(index + 1, used.union(path)) for path in listed[index])

    return onward(0, frozenset())


def most_disjoint(listed: list[Path], shared: int) -> int:
    """The largest number of paths that share no channel (or whatever the tuples hold), by trying all sets.

    `shared` is the largest number worth trying.
    """
    for count in range(min(shared, len(listed)), 0, -1):
        for chosen in itertools.combinations(listed, count):
            if sum(len(set(p)) for p in chosen) == len(set().union(*chosen)):
                return count
    return 0


def primary_tag(source: int, destination: int, n: int) -> str:
    """The paper's words, with texts for binary numbers."""
    s, d = f"{source:0{n}b}", f"{destination:0{n}b}"
    front, back = "", ""
    for _ in range(n - 2):
        t = ["1" if a != b else "0" for a, b in zip(s, d, strict=True)]
        t.pop()
        front, back = front + t[0], t[-1] + back
        flip = {"0": "1", "1": "0"}
        if t[-1] == "1":
            d = d[:-2] + flip[d[-2]] + d[-1]
        s, d = s[1:], d[1:]
    return front + back
