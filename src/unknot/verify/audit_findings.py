"""Dead ends, loops and odd settings of InfiniBand and lossless Ethernet, in the words of an operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from unknot._base.arrays import Ints, columns
from unknot._base.phrases import few
from unknot.certificates.verdict import Configuration, Verdict
from unknot.fabrics import NO_ENTRY, Fabric
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.fabric import UNKNOWN_PORT
from unknot.fabrics.levels import unrecorded
from unknot.network.graph import from_lowest, strong_components
from unknot.network.metrics import hops_from_any
from unknot.network.model import IntArray
from unknot.routing.forwarding_table import UNKNOWN_ENTRY
from unknot.routing.lossless import PacketPlace, Walk, header_name
from unknot.routing.lossless_classes import ClassWalk, members
from unknot.routing.relation import Relation
from unknot.routing.switchboard import Switchboard
from unknot.verify.delivery import Delivery

SHOWN = 20
"""Most findings of a kind that are listed."""


def lost_packets(fabric: Fabric, relation: Relation, delivery: Delivery, lids: Ints) -> tuple[str, ...]:
    """Dead ends and loops in words, each once: the switch, the LID, and what its table says of it.

    Where the table is unknown, nothing is said.

    `lids` gives the positions in ``fabric.lids`` of the addresses of a relation, once for each service level.
    """
    router, network = relation.vcs.router, fabric.network
    lines: dict[str, None] = {}
    for input_vc, address in delivery.dead_ends:
        came = int(relation.vcs.channel[input_vc]) if input_vc < relation.num_vcs else -1
        arrived = -1 if came < 0 or network.ports is None else int(network.ports[came, 1])
        level = relation.address_name(address).rpartition(" at SL ")[2] if fabric.lanes is not None else ""
        at, column = int(router[input_vc]), int(lids[address % lids.size])
        if fabric.tables is None or fabric.tables[at, column] != UNKNOWN_PORT:
            lines[_dead_end(fabric, at, column, arrived, level)] = None
    for input_vcs, address in delivery.loops:
        names = [network.router_name(r) for r in from_lowest([int(router[input_vc]) for input_vc in input_vcs])]
        lines[f"{relation.address_name(address)} goes round for ever: {' → '.join([*names, names[0]])}"] = None
    return tuple(lines)


def loop_of(relation: Relation, configuration: Configuration | None) -> tuple[str, ...]:
    """Names of the routers on a loop of waiting messages, in the order of the channels they hold.

    The loop begins at its router of lowest index; each router follows the one before it along a held channel. Empty
    without a configuration.
    """
    network, channel = relation.network, relation.vcs.channel
    routers = [int(network.source[channel[vc]]) for vc in circle_of(configuration)]
    return tuple(network.router_name(r) for r in from_lowest(routers))


def circle_of(configuration: Configuration | None) -> list[int]:
    """Virtual channels held by messages on a cycle of waits, in the order of the waits."""
    if configuration is None:
        return []
    holder = configuration.holder
    seen: dict[int, int] = {}
    waits: list[int] = []
    vc = configuration.messages[0].wanted[0]
    while holder[vc] not in seen:
        seen[holder[vc]] = len(waits)
        waits.append(vc)
        vc = configuration.messages[holder[vc]].wanted[0]
    circle: list[int] = []
    for entered in [vc, *waits[seen[holder[vc]] + 1 :]]:
        held = configuration.messages[holder[entered]].held
        circle += held[held.index(entered) :]
    return circle


def _dead_end(fabric: Fabric, r: int, index: int, arrived: int, level: str) -> str:
    """Say why a switch does not forward a LID; `arrived` is the port from another switch, `level` the packet's SL."""
    network = fabric.network
    name, lid = network.router_name(r), fabric.lid_name(index)
    port = NO_ENTRY if fabric.tables is None else int(fabric.tables[r, index])
    if port == NO_ENTRY:
        return f"{name} has no entry for {lid}"
    where = f"{name} sends {lid} to port {port}"
    if port == 0:
        return f"{where}, which is the switch itself"
    if port > fabric.switch_ports[r]:
        return f"{where}, but has ports 1 to {fabric.switch_ports[r]}"
    if level and network.ports is not None and (network.ports[network.source == r, 0] == port).any():
        came = f"from port {arrived}" if arrived >= 0 else "from its own hosts"
        return f"{where}, but drops SL {level} {came} there: it has no data lane for it (VL 15, or no row)"
    wrong = np.flatnonzero((network.eject == r) & (fabric.host_port == port))
    return (
        f"{where}, where {network.terminal_name(int(wrong[0]))} is" if wrong.size else f"{where}, which leads nowhere"
    )


NAMED = 3
"""Causes that a verdict names."""
BESIDE_ADAPTIVE = (
    "packets may take other ways or lanes, by what is not judged yet: {}; --assume static judges the tables alone"
)


@dataclass(frozen=True)
class Unknown:
    """What is not known of one kind of traffic.

    Attributes
    ----------
    unknown_pairs : int
        Pairs whose route meets an unknown table entry, or whose service level is not known.
    unknown_because : tuple of str
        In words: switches with unknown entries on such a route, pairs without path record, and switches that have
        tables but are not in the fabric.
    adaptive : tuple of str
        Signs of adaptive routing, by which packets may take other ways than those of the tables.
    """

    unknown_pairs: int
    unknown_because: tuple[str, ...]
    adaptive: tuple[str, ...] = ()

    def verdict(self, known: Verdict, pairs: int) -> Verdict:
        """Return the verdict on all pairs by that on the known ones: a deadlock stays one, "free" is open."""
        causes = self.unknown_because
        if known.deadlock_free is False and self.adaptive:
            text = f"by the static tables alone, beside {', '.join(self.adaptive)}: {known.established}"
            return replace(known, established=text)
        if known.deadlock_free is not True or not causes:
            return known
        if not self.unknown_pairs and self.adaptive:
            text = f"the static tables alone are free: {BESIDE_ADAPTIVE.format(', '.join(self.adaptive))}"
            return replace(known, deadlock_free=None, certificate=None, established=text)
        why = "; ".join([*causes[:NAMED], *([f"and {len(causes) - NAMED} more"] if len(causes) > NAMED else [])])
        text = f"what is known is free; {self.unknown_pairs:,} of {pairs:,} pairs are unknown: {why}"
        return replace(known, deadlock_free=None, certificate=None, established=text)

    def delivery(self, known: Delivery, pairs: int, lost: int) -> Delivery:
        """Return the delivery of all pairs, by that of a relation in which unknown entries are dead ends."""
        delivered = False if lost else None if self.unknown_because else True
        return replace(known, delivered=delivered, pairs=pairs, undelivered_pairs=lost)


def unknown_traffic(
    fabric: Fabric,
    board: Switchboard,
    lids: Ints,
    stopped: IntArray,
    counts: IntArray,
) -> Unknown:
    """Count the pairs of one kind of traffic that are unknown, and say why.

    Parameters
    ----------
    lids : int64 array
        Positions in `fabric.lids` of its destinations.
    stopped : int32 array, shape (terminals, destinations)
        Lengths of routes as `route_lengths` gives them.
    counts : int array, shape (terminals, destinations)
        How many pairs with a known level each entry stands for.
    """
    causes: list[str] = []
    met = (stopped < -1) & (counts > 0)
    for r in np.unique(-2 - stopped[met]).tolist():
        column = np.flatnonzero(board.next_channel[r, lids] == UNKNOWN_ENTRY)
        which = f"for {column.size} LIDs, the first {fabric.lid_name(int(lids[column[0]]))}"
        causes.append(f"{fabric.network.router_name(r)} has no known entry {which}")
    without = unrecorded(fabric, lids)
    missing = int(np.count_nonzero(without))
    if missing:
        host, column_ = np.argwhere(without)[0].tolist()
        first = f"{fabric.network.terminal_name(host)} to {fabric.lid_name(int(lids[column_]))}"
        causes.append(f"{missing:,} pairs of hosts have no path record, the first {first}")
    causes += [f"switch 0x{guid:016x} has a table, but is not in {fabric.fabric_file}" for guid in fabric.unlisted]
    if fabric.adaptive:
        causes.append(BESIDE_ADAPTIVE.format(", ".join(fabric.adaptive)))
    return Unknown(int(counts[met].sum()) + missing, tuple(causes), fabric.adaptive)


def open_tables(fabric: Fabric) -> tuple[str, ...]:
    """Why the tables of a fabric do not tell all routes, in words: unknown entries, and signs of adaptive routing."""
    words = [BESIDE_ADAPTIVE.format(", ".join(fabric.adaptive))] if fabric.adaptive else []
    rows = [] if fabric.tables is None else np.flatnonzero((fabric.tables == UNKNOWN_PORT).any(axis=1)).tolist()
    if rows:
        words.append(f"entries of {few([fabric.network.router_name(r) for r in rows])} are unknown")
    return tuple(words)


def forwarding_loops(classes: ClassWalk) -> tuple[str, ...]:
    """Forwarding loops: places from which packets come back to the same place."""
    texts = (text for destination in members(classes.circling) for text in _loops_to(classes.to(destination)))
    return _first(texts)


def _first(texts: Iterable[str]) -> tuple[str, ...]:
    """The first texts that differ, as many as are listed."""
    found: dict[str, None] = {}
    for text in texts:
        found[text] = None
        if len(found) == SHOWN:
            break
    return tuple(found)


def _loops_to(walk: Walk) -> Iterator[str]:
    """Yield the loops of packets to one destination."""
    number = {place: i for i, place in enumerate(walk.steps)}
    pairs = [(number[a], number[b]) for a in walk.steps for b in walk.after(a)]
    tail, head = columns(pairs)
    part, cyclic = strong_components(tail, head, len(number))
    parts: dict[int, list[PacketPlace]] = {}
    for place, i in number.items():
        if cyclic[i]:
            parts.setdefault(int(part[i]), []).append(place)
    name, fabric = walk.model.fabric.network.router_name, walk.model.fabric
    for places in parts.values():
        names = ", ".join(dict.fromkeys(name(place.router) for place in places))
        yield f"to {header_name(fabric, places[0].header)}: {names}"


def places_without_route(walk: ClassWalk) -> tuple[str, ...]:
    """Switches that packets reach and that have no way on."""
    fabric = walk.model.fabric
    return _first(
        f"{fabric.network.router_name(place.router)} has no way to "
        f"{fabric.destinations[place.to(one).header.destination].name}"
        for place, part in walk.steps()
        if not part.hops and not part.ends
        for one in members(part.destinations)
    )


def lossless_drops(walk: ClassWalk) -> tuple[str, ...]:
    """Steps by which a packet, lossless at its start, enters a group that does not pause its queue."""
    return _first(_drops(walk))


REMAPPED = "tunnelled packets are remapped, so every switch on their way needs the maps of the remap"


def _drops(walk: ClassWalk) -> Iterator[str]:
    model = walk.model
    reached, _ = walk.flood({place: some for place, some in walk.starts.items() if model.is_lossless(place)})
    for place in filter(model.is_lossless, reached):
        for part in walk.after(place, reached[place]):
            for hop in part.hops:
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
                text = f" leave {near} by queue {hop.queue} and fall into priority group {group} at {far}, {why}: "
                text += "they can be dropped there"
                if {hop.place.header.inner, place.header.inner} != {None}:
                    text += f"; {REMAPPED}"
                for one in members(part.destinations):
                    yield f"packets to {header_name(model.fabric, place.to(one).header)}{text}"


def odd_maps(walk: ClassWalk) -> tuple[str, ...]:
    """PFC at one end of a cable, queues paused for others' packets, and switches unlike their tier."""
    return (*_first(_odd_queues(walk)), *_tiers(walk.model.fabric))


def _odd_queues(walk: ClassWalk) -> Iterator[str]:
    model, fabric = walk.model, walk.model.fabric
    for channel, (near, far) in enumerate(fabric.ends):
        one = sorted(fabric.sender(channel).enabled - fabric.receiver(channel).enabled)
        if one:
            yield f"PFC for priority {', '.join(map(str, one))} is on at {near} and off at {far}"
    for kind, some in walk.kinds.items():
        for hop in (hop for part in walk.after(kind, some) for hop in part.hops):
            groups = [group for group, queue in model.pauses[hop.channel].items() if queue == hop.queue]
            if groups and hop.place.group not in groups:
                near, far = fabric.ends[hop.channel]
                text = (
                    f"queue {hop.queue} of {near} is paused by priority group {groups[0]} of {far}, although packets"
                )
                yield f"{text} with DSCP {kind.header.dscp} in it sit in group {hop.place.group} there"


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
