"""Who sends how much to whom."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import gcd, lcm
from typing import Any

from unknot.certificates.plain.amounts import exact
from unknot.certificates.plain.reading import KEPT_STATE, Pair, integers, lists, pay
from unknot.certificates.plain.tables import Network


class AllPairs:
    """The pairs of routers between whose terminals something is sent, if each terminal sends to all others."""

    def __init__(self, network: Network) -> None:
        self.inject, self.eject = Counter(network.inject), Counter(network.eject)
        self.own = Counter(zip(network.inject, network.eject, strict=True))

    def flows(self, u: int, v: int) -> int:
        """How many pairs of different terminals send from one router to the other."""
        return self.inject[u] * self.eject[v] - self.own[u, v]

    def __contains__(self, pair: object) -> bool:
        u, v = pair if isinstance(pair, tuple) and len(pair) == 2 else (-1, -1)
        return bool(u != v and self.flows(u, v))


def listed_flows(network: Network, flows: Any) -> list[tuple[int, int, Fraction]]:
    """Flows [source terminal, destination terminal, amount]; null: every terminal sends 1 to every other."""
    if flows is None:
        pay(3 * KEPT_STATE * network.terminals**2)
        return [(s, t, Fraction(1)) for s, t in product(range(network.terminals), repeat=2) if s != t]
    ends = [integers(flow[:2], "flows", 0, network.terminals) for flow in lists(flows, "flows", 3)]
    amounts = exact([flow[2] for flow in flows], "flows")
    return [(s, t, amount) for (s, t), amount in zip(ends, amounts, strict=True)]


def flow_amounts(network: Network, flows: Any) -> tuple[list[Counter[int]], int, int, int]:
    """What each router gets from each other in parts of a unit; parts per unit; what divides flows; the largest."""
    sent = [Counter[int]() for _ in range(network.routers)]
    if flows is None:
        every = AllPairs(network)
        for u, v in sending_pairs(network, None):
            sent[v][u] = every.flows(u, v)
        return sent, 1, int(any(sent)), int(any(sent))
    listed = [(network.inject[s], network.eject[t], amount) for s, t, amount in listed_flows(network, flows)]
    parts = lcm(*(amount.denominator for _, _, amount in listed))
    flows = [(u, v, int(amount * parts)) for u, v, amount in listed if u != v]
    for u, v, amount in flows:
        sent[v][u] += amount
    amounts = [amount for _, _, amount in flows]
    return sent, parts, gcd(*amounts), max(amounts, default=0)


def capacities(network: Network, capacity: Any) -> list[Fraction]:
    """The capacity of each channel; null: 1."""
    return [Fraction(1)] * network.channels if capacity is None else exact(capacity, "capacity", network.channels)


def sending_pairs(network: Network, sends: Any) -> set[Pair]:
    """Pairs of different routers between whose terminals something is sent; null: each terminal sends to all."""
    if sends is None:
        every = AllPairs(network)
        pay(KEPT_STATE * len(every.inject) * len(every.eject))
        return {pair for pair in product(every.inject, every.eject) if pair in every}
    flows = [integers(flow, "sends", 0, network.terminals) for flow in lists(sends, "sends", 2)]
    pairs = {(network.inject[s], network.eject[t]) for s, t in flows if s != t}
    return {(u, v) for u, v in pairs if u != v}
