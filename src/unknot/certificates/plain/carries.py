"""Flows of traffic from each terminal to all others."""

from __future__ import annotations

from collections import Counter
from typing import Any

from unknot.certificates.plain.amounts import fraction
from unknot.certificates.plain.flows import AllPairs
from unknot.certificates.plain.reading import LOOK, Rejected, field, integers, lists, number, pay
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.tables import Network


@checks("carries", "network", "least")
def check_carries(network: Network, claim: Any, proof: Any) -> str:
    """Check that routes of some kind carry so much, if each terminal sends as much to each other.

    Claim: `least`, numerator and denominator: flits per terminal and cycle on channels of a flit per cycle
    Proof: `parts`, in which a terminal sends something to each other; `images`, each a router for each router by
    which channels lead to channels and terminals to terminals; `sources`, routers of which `images` are all; `flows`,
    for each source the parts that come from it on each channel
    """
    least, parts = fraction(claim.get("least"), "least", 0), number(proof, "parts", 1)
    channel = {ends: c for c, ends in enumerate(zip(network.source, network.target, strict=True))}
    if len(channel) < network.channels:
        raise Rejected("the network has a channel twice")
    images = [
        channels_of(network, channel, one) for one in lists(field(proof, "images", list), "images", network.routers)
    ]
    sources = integers(field(proof, "sources", list), "sources", 0, network.routers)
    starts = Counter(image[source] for image, _ in images for source in sources)
    if starts != Counter(range(network.routers)):
        raise Rejected("sources: each router must be the image of one source by one image")
    every, loads = AllPairs(network), [0] * network.channels
    flows = lists(field(proof, "flows", list), "flows", network.channels)
    if len(flows) != len(sources):
        raise Rejected("flows: one is needed for each source")
    for source, entry in zip(sources, flows, strict=True):
        flow = integers(entry, "flows", 0, 2**63)
        check_arrivals(network, every, source, flow, parts)
        pay(LOOK * len(images) * network.channels)
        for _, moved in images:
            for c, amount in enumerate(flow):
                loads[moved[c]] += amount
    if max(loads, default=0) * least > parts * (network.terminals - 1):
        raise Rejected(f"flows: some channel is too full for {least}")
    return f"routes carry {least} flits per terminal and cycle, if each sends as much to each other"


def channels_of(network: Network, channel: dict[tuple[int, int], int], image: Any) -> tuple[list[int], list[int]]:
    """A map of routers, and the map of channels that follows from it."""
    moved = integers(image, "images", 0, network.routers)
    ends = Counter(zip(network.inject, network.eject, strict=True))
    pay(LOOK * network.size)
    if len({*moved}) < network.routers or ends != {(moved[u], moved[v]): many for (u, v), many in ends.items()}:
        raise Rejected("images: each needs all routers, and terminals must lead to terminals")
    pairs = [(moved[u], moved[v]) for u, v in channel]
    if any(pair not in channel for pair in pairs):
        raise Rejected("images: a channel must lead to a channel")
    return moved, [channel[pair] for pair in pairs]


def check_arrivals(network: Network, every: AllPairs, source: int, flow: list[int], parts: int) -> None:
    """Check that each router keeps its share of the flow from a source, and sends on the rest."""
    kept = [0] * network.routers
    pay(LOOK * (network.channels + network.routers))
    for u, v, amount in zip(network.source, network.target, flow, strict=True):
        kept[u] -= amount
        kept[v] += amount
    for v, amount in enumerate(kept):
        if v != source and amount != parts * every.flows(source, v):
            raise Rejected(f"flows: router {v} does not get what router {source} sends there")
