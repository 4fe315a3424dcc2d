"""What is wrong with routes and QoS maps of lossless Ethernet, beside deadlock."""

from __future__ import annotations

from collections import Counter

import numpy as np

from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.network.graph import reached_from, strong_components
from unknot.network.metrics import hops_from_any
from unknot.routing.lossless import Place, Walk, header_name

SHOWN = 20
"""Most findings of a kind that are listed."""


def forwarding_loops(walk: Walk) -> tuple[str, ...]:
    """Forwarding loops: places from which packets come back to the same place."""
    number = {place: i for i, place in enumerate(walk.steps)}
    pairs = [(number[a], number[hop.place]) for a, hops in walk.steps.items() for hop in hops]
    rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    part, cyclic = strong_components(rows, columns, len(number))
    parts: dict[int, list[Place]] = {}
    for place, i in number.items():
        if cyclic[i]:
            parts.setdefault(int(part[i]), []).append(place)
    name, fabric = walk.model.fabric.network.router_name, walk.model.fabric
    texts = [
        f"to {header_name(fabric, places[0].header)}: {', '.join(dict.fromkeys(name(p.router) for p in places))}"
        for places in parts.values()
    ]
    return tuple(dict.fromkeys(texts))[:SHOWN]


def places_without_route(walk: Walk) -> tuple[str, ...]:
    """Switches that packets reach and that have no way on."""
    fabric = walk.model.fabric
    texts = [
        f"{fabric.network.router_name(place.router)} has no way to "
        f"{fabric.destinations[place.header.destination].name}"
        for place, hops in walk.steps.items()
        if not hops and not walk.model.ends(place)
    ]
    return tuple(dict.fromkeys(texts))[:SHOWN]


def lossless_drops(walk: Walk) -> tuple[str, ...]:
    """Steps by which a packet, lossless where it starts, comes into a group that does not hold back its queue."""
    model, texts = walk.model, dict[str, None]()

    def is_lossless(place: Place) -> bool:
        return place.group in model.port(place.router, place.channel).lossless

    starts = filter(is_lossless, walk.starts)
    for place in filter(is_lossless, reached_from(starts, lambda at: [hop.place for hop in walk.steps[at]])):
        for hop in walk.steps[place]:
            pauses, group = model.pauses[hop.channel], hop.place.group
            if pauses.get(group) == hop.queue:
                continue
            near, far = model.fabric.ends[hop.channel]
            if group not in model.fabric.receiver(hop.channel).lossless:
                why = "a lossy group"
            elif group not in pauses:
                why = "a group whose PFC is off at one end of the cable"
            else:
                why = f"a group that pauses queue {pauses[group]} instead"
            text = f"packets to {header_name(model.fabric, place.header)} leave {near} by queue {hop.queue}"
            text += f" and fall into priority group {group} at {far}, {why}: they can be dropped there"
            if hop.place.header.inner is not None or place.header.inner is not None:
                text += "; tunnelled packets are remapped, so every switch on their way needs the maps of the remap"
            texts[text] = None
    return tuple(texts)[:SHOWN]


def odd_maps(walk: Walk) -> tuple[str, ...]:
    """PFC at one end of a cable, queues paused for others' packets, and switches unlike their tier."""
    model, fabric = walk.model, walk.model.fabric
    texts: dict[str, None] = {}
    for channel, (near, far) in enumerate(fabric.ends):
        one = sorted(fabric.sender(channel).enabled - fabric.receiver(channel).enabled)
        if one:
            texts[f"PFC for priority {', '.join(map(str, one))} is on at {near} and off at {far}"] = None
    for place, hops in walk.steps.items():
        for hop in hops:
            groups = [group for group, queue in model.pauses[hop.channel].items() if queue == hop.queue]
            if groups and hop.place.group not in groups:
                near, far = fabric.ends[hop.channel]
                text = (
                    f"queue {hop.queue} of {near} is paused by priority group {groups[0]} of {far}, although packets"
                )
                texts[f"{text} with DSCP {place.header.dscp} in it sit in group {hop.place.group} there"] = None
    return (*list(texts)[:SHOWN], *_tiers(fabric))


def _tiers(fabric: EthernetFabric) -> list[str]:
    """Switches whose maps differ from those of most switches as far from the hosts."""
    tier = hops_from_any(fabric.network, fabric.edges)
    texts = []
    for level in np.unique(tier[tier >= 0]).tolist():
        maps = {r: frozenset(fabric.qos[r].ports.values()) for r in np.flatnonzero(tier == level).tolist()}
        usual, number = Counter(maps.values()).most_common(1)[0]
        odd = [fabric.network.router_name(r) for r, one in maps.items() if one != usual]
        if odd:
            texts.append(
                f"maps of {', '.join(odd[:SHOWN])} differ from those of {number} other switches of tier {level}"
            )
    return texts
