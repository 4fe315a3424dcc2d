"""Packets of a deadlock: their ways, and how they come there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from unknot.certificates.plain.flow import Technique
from unknot.certificates.plain.reading import EJECT, KEPT_STATE, Rejected, Unchecked, field, found, numbers, pay
from unknot.certificates.plain.tables import Table, ends_first


class Packet:
    """A packet of a deadlock: the way from its terminal, with the VCs that it holds at the end, and its header.

    Without a technique packets queue: one holds the last VC of its way, or none if it has left, or is at its port.
    """

    def __init__(self, table: Table, switching: Technique | None, message: Any) -> None:
        self.table, self.message = table, message
        self.source, self.address = field(message, "source", int), field(message, "address", int)
        self.lead, self.held = (numbers(message, part, 0, table.vcs) for part in ("lead", "held"))
        if switching is not None and (not self.held or (switching.alone and len(self.held) > 1)):
            raise Rejected(f"a packet holds {len(self.held)} VCs under {switching}")
        self.way = [*self.lead, *(self.held or [EJECT] * min(1, len(self.lead)))]
        self.taken = taken(table, self.address, [table.vcs + self.source, *self.way])
        self.at = self.way[-1] if self.way else table.vcs + self.source

    def waited_for(self, i: int, choices: list[list[int]]) -> list[int]:
        """The VCs for which packet i claims to wait; `Rejected` if a VC is not among its choices."""
        wants = numbers(self.message, "wanted", 0, self.table.vcs)
        if not 0 < len(wants) == len({*wants}) or {*wants} not in map(set, choices):
            raise Rejected(f"packet {i} does not wait at {self.table.name(self.at)} for what it says")
        return wants


Entry = tuple[int, ...]
"""A candidate: the place that offers it, the address, the VC. Or a turn: the place and the VC."""


def taken(table: Table, address: int, way: list[int]) -> set[Entry]:
    """The candidates that a way from an injection port takes."""
    if not 0 <= address < table.addresses or not way or not found(way[0] - table.vcs, table.sources[address]):
        raise Rejected("a way begins at a terminal that sends to its address")
    for at, v in pairwise(way):
        if not found(v, table.may[address].get(at, ())):
            raise Rejected(f"a packet for address {address} cannot go from {table.name(at)} to {table.name(v)}")
    return {(at, address, v) for at, v in pairwise(way)}


def way_of(table: Table, packet: Any, name: str) -> tuple[int, list[int]]:
    """The address of a packet, and the way from its terminal over VCs that stand under a name."""
    address, port = field(packet, "address", int), table.vcs + field(packet, "source", int)
    way = [port, *numbers(packet, name, 0, table.vcs)]
    taken(table, address, way)
    return address, way


def packets_of(table: Table, switching: Technique | None, proof: Any) -> list[Packet]:
    """The packets of a proof."""
    return [Packet(table, switching, message) for message in field(proof, "messages", list)]


def check_order(reachability: str, packets: list[Packet], order: list[int]) -> None:
    """Let headers go on in an order, each by a VC that is empty; tails follow once all of a packet has come in."""
    if reachability != "scheduled" or sorted(order) != [i for i, packet in enumerate(packets) for _ in packet.way]:
        raise Rejected("an order names each packet of a schedule once for each VC of its way")
    hops, occupied = Counter[int](), set[int]()
    for i in order:
        hops[i] += 1
        packet, hop = packets[i], hops[i]
        # The port is held until all of a packet has left it.
        way = [packet.table.vcs + packet.source, *packet.way]
        enters = way[0 if hop == 1 else hop : hop + 1]
        if not occupied.isdisjoint(enters):
            raise Rejected(f"packet {i + 1} cannot go on to {packet.table.name(way[hop])}, or not yet be sent")
        occupied.update(enters)
        if hop >= len(packet.held):
            occupied.remove(way[hop - len(packet.held)])


def require_blocked(switching: Technique, packets: list[Packet], targets: list[int]) -> None:
    """Raise `Rejected` unless packets hold VCs of their own, and all that their headers wait for."""
    held = [v for packet in packets for v in packet.held]
    if not held or len({*held}) != len(held):
        raise Rejected("two packets hold the same VC, or there are none")
    if switching.queues:
        # Each header queues for a VC whose last flit is a tail, and one header alone can be next behind it.
        if len({*targets}) != len(targets) or not {*targets} <= {packet.held[0] for packet in packets}:
            raise Rejected("headers queue for VCs that do not end with a tail, or two for the same")
    elif not {*targets} <= {*held}:
        raise Rejected("a packet waits for a VC that nobody holds")


def check_reachability(reachability: str, packets: list[Packet]) -> None:
    """Check how packets arrive: `injected`, each from a terminal of its own; `scheduled`, each past the
    earlier packets.
    """
    ports = {packet.source for packet in packets}
    if reachability == "injected" and (any(packet.lead for packet in packets) or len(ports) < len(packets)):
        raise Rejected("packets do not reach back to terminals of their own")
    standing: set[int] = set()
    for number, packet in enumerate(packets, start=1):
        if reachability != "not-established" and (len({*packet.way}) < len(packet.way) or standing & {*packet.way}):
            raise Rejected(f"packet {number} would have to pass itself, or one that stands before it")
        standing |= {*packet.held}


def require_order(ways: Sequence[tuple[Sequence[Any], Sequence[Any]]]) -> None:
    """Check that packets can take their places one after the other, each by its way to the VCs held at the end.

    A packet whose way leads over the place of another packet goes first, and no way leads over its own place.
    """
    holder = {v: i for i, (_, held) in enumerate(ways) for v in held}
    pay(KEPT_STATE * len(holder) + sum(len(lead) for lead, _ in ways))
    later = {i: {holder[v] for v in lead if v in holder} for i, (lead, _) in enumerate(ways)}
    if ends_first(later) is None or any(len({*lead}) < len(lead) for lead, _ in ways):
        raise Unchecked("no order is shown in which the packets of a knot come to where they stand")
