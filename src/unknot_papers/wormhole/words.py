"""De Bruijn and shuffle-exchange networks, whose routers are words, recognised by their channels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unknot._base.arrays import IntArray, Ints
from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.graph import channels_between


@dataclass(frozen=True)
class WordNetwork:
    """A network whose routers are all the words of `length` letters, numbered in base `letters`.

    Attributes
    ----------
    letters, length : int
    both_ways : bool
        Whether the links of its shifts go both ways.
    """

    letters: int
    length: int
    both_ways: bool

    @property
    def ones(self) -> int:
        """The number of the word 11…1; a·ones is the word aa…a."""
        return sum(self.letters**i for i in range(self.length))


def de_bruijn_words(network: Network, needed_by: str) -> WordNetwork:
    """Recognise B(d, D) or UB(d, D), with or without loops and double links, by its channels.

    Raises
    ------
    NetworkError
        If the channels are not those of a de Bruijn network whose routers are numbered in the order of their words.
    """
    routers = network.num_routers
    there = joined(network)
    for length in range(1, routers.bit_length()):
        letters = round(routers ** (1 / length))
        if letters**length != routers or not letters * (routers - 1) <= there.size <= 2 * letters * routers:
            continue
        u = np.repeat(np.arange(routers), letters)
        v = (u * letters + np.tile(np.arange(letters), routers)) % routers
        for both_ways in (False, True):
            if np.array_equal(there, pairs(routers, u, v, both_ways)):
                return WordNetwork(letters, length, both_ways)
    raise NetworkError(
        f"{needed_by} on {network.name}: it needs a de Bruijn network, in which router u has channels to d·u, "
        f"d·u + 1, …, d·u + d − 1 modulo d^D (undirected, also back), such as de_bruijn(2, 4); its routers are "
        "joined otherwise"
    )


def shuffle_exchange_words(network: Network, needed_by: str) -> WordNetwork:
    """Recognise a shuffle-exchange network, its shuffles one way or both ways.

    Raises
    ------
    NetworkError
        If the channels are not those of a shuffle-exchange network whose routers are numbered by their words.
    """
    routers = network.num_routers
    length = routers.bit_length() - 1
    if routers == 2**length and length:
        u = np.arange(routers)
        turned = 2 * u % routers + u // (routers // 2)
        for both_ways in (True, False):
            exchange, shuffle = pairs(routers, u, u ^ 1, True), pairs(routers, u, turned, both_ways)
            if np.array_equal(joined(network), np.union1d(exchange, shuffle)):
                return WordNetwork(2, length, both_ways)
    raise NetworkError(
        f"{needed_by} on {network.name}: it needs a shuffle-exchange network, in which router u is joined to u xor 1 "
        f"and to u turned left by one bit, such as shuffle_exchange(4); these {routers} routers are joined otherwise"
    )


def pairs(routers: int, u: Ints, v: Ints, both_ways: bool) -> Ints:
    """Numbers of the ordered pairs (u, v), ascending and each once, loops left out."""
    u, v = u[u != v], v[u != v]
    there = u * routers + v
    return np.unique(np.concatenate([there, v * routers + u]) if both_ways else there)


def joined(network: Network) -> Ints:
    """Numbers of the ordered pairs of routers that a channel joins, loops left out."""
    return pairs(network.num_routers, network.source.astype(np.int64), network.target.astype(np.int64), False)


def channels_to(network: Network, target: Ints, *, last: bool = False) -> IntArray:
    """Return for every router u the first (or last) channel to target[u]; −1 where that is u or there is none."""
    routers = np.arange(network.num_routers)
    return np.where(target == routers, -1, channels_between(network, routers, target, last=last)).astype(np.int32)
