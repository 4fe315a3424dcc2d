"""Cables that are slower than those beside them."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

from unknot.fabrics.diagnosis.finding import Finding
from unknot.fabrics.diagnosis.named import Cables
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.rates import Rate
from unknot.network.recognised import Structure


def slow_cables(cables: Cables, structure: Structure) -> list[tuple[Finding, int]]:
    """Return cables below the usual rate of the cables alike at both of their ends, and a channel of each.

    Alike are cables to the same level. Where a switch has slow cables alone, these are as they were meant.
    """
    fabric = cables.fabric
    network = fabric.network
    if not fabric.rates:
        return []
    data = {channel: _data(fabric.rates[channel]) for channel in cables.forward}
    around: dict[tuple[int, int], Counter[Fraction]] = defaultdict(Counter)
    ends = {}
    for channel in cables.forward:
        u, v = network.ends_of(channel)
        ends[channel] = (u, _side(structure, u, v)), (v, _side(structure, v, u))
        if (rate := data[channel]) is not None:
            for end in ends[channel]:
                around[end][rate] += 1
    usual = {end: max(counts, key=lambda rate: (counts[rate], rate)) for end, counts in around.items()}
    found = []
    for channel, own_rate in data.items():
        if own_rate is not None and all(own_rate < usual[end] for end in ends[channel]):
            least = min(usual[end] for end in ends[channel])
            words = (
                f"{cables.name(channel)} runs at {_words(fabric.rates[channel])}, those beside it at {_gbps(least)}"
            )
            switches = tuple(cables.switch(int(r)) for r in (network.source[channel], network.target[channel]))
            found.append((Finding("slow cable", words, (cables.name(channel),), switches), channel))
    return found


def slow_hosts(fabric: Fabric) -> list[Finding]:
    """Return cables of hosts below the usual rate of those at the same switch."""
    network = fabric.network
    if not fabric.host_rates:
        return []
    data = [_data(text) for text in fabric.host_rates]
    at: dict[int, Counter[Fraction]] = defaultdict(Counter)
    for router, rate in zip(network.inject.tolist(), data, strict=True):
        if rate is not None:
            at[router][rate] += 1
    everywhere = Counter(rate for rate in data if rate is not None)
    found = []
    for terminal, rate in enumerate(data):
        router = int(network.inject[terminal])
        if rate is None:
            continue
        here, count = at[router].most_common(1)[0]
        usual = here if count >= 3 else everywhere.most_common(1)[0][0]
        if rate < usual and at[router][rate] < count:
            name = fabric.host_cable(terminal).name
            words = f"{name} runs at {_words(fabric.host_rates[terminal])}, those beside it at {_gbps(usual)}"
            found.append(Finding("slow cable", words, (name,), (network.router_name(router),)))
    return found


def _side(structure: Structure, near: int, far: int) -> int:
    return (
        0 if structure.level is None or not structure.is_known else int(structure.level[far] - structure.level[near])
    )


def _data(text: str) -> Fraction | None:
    width, times, speed = text.partition("x")
    rate = Rate.read(width + times, speed)
    return rate.data if rate.is_whole else None


def _words(text: str) -> str:
    width, times, speed = text.partition("x")
    return Rate.read(width + times, speed).words


def _gbps(rate: Fraction) -> str:
    return f"{float(rate):.4g} Gb/s"
