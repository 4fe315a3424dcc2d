"""Delivery, lengths of routes, and routes that faults cut."""

from __future__ import annotations

from typing import Any

from unknot.certificates.plain.packets import way_of
from unknot.certificates.plain.reading import EJECT, KEPT_STATE, LOOK, Pair, Rejected, field, found, pay
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.tables import Table, ends_first, reaching


@checks("delivery", "relation", "delivered")
def check_delivery(table: Table, claim: Any, proof: Any) -> str:
    """Check that every reachable state can reach ejection, or that a packet can reach a state without
    ejection ahead.

    A packet of a terminal to itself that has no candidates is not sent.

    Claim: `delivered`
    Proof: nothing, or `source`, `address` and `path`, VCs to where a packet is lost
    """
    if field(claim, "delivered", bool):
        for address in range(table.addresses):
            lost = {*table.may[address]} - arriving(table, address)
            if lost:
                raise Rejected(f"address {address} cannot be ejected any more from {table.name(min(lost))}")
        return "every packet can always be ejected"
    address, way = way_of(table, proof, "path")
    if way[-1] in arriving(table, address):
        raise Rejected(f"the packet can still be ejected from {table.name(way[-1])}")
    return "a packet can never be ejected"


def arriving(table: Table, address: int) -> set[int]:
    """States from which an address can be ejected; the port of its terminal too, if that sends itself nothing."""
    own = table.vcs + table.destination[address]
    unsent = [own] if table.may[address].get(own) == [] else []
    return reaching([EJECT, *unsent], table.may[address]) - {EJECT}


@checks("lengths", "relation", "longest", "minimal")
def check_lengths(table: Table, claim: Any, proof: Any) -> str:
    """Check how many hops the longest route has, and whether all hops are on shortest paths.

    Routes without an end have no longest one and no length, so both are None.

    Claim: `longest`, hops; `minimal`, all on shortest paths; both `null` if routes may be endless
    Proof: nothing
    """
    kinds = {"longest": int, "minimal": bool}
    claimed = [field(claim, name, kind) if claim.get(name, 0) is not None else None for name, kind in kinds.items()]
    most, shortest = 0, True
    for address, candidates in enumerate(table.may):
        order = ends_first(candidates)
        if order is None and claimed != [None, None]:
            raise Rejected(f"address {address}: packets may go round for ever")
        if order is None:
            return "packets may go round for ever"
        hops = table.network.hops_to(table.network.eject[table.destination[address]])
        length: dict[int, int] = {}
        for at in order:
            length[at] = max((length[v] + (v != EJECT) for v in candidates.get(at, ())), default=0)
        steps = ((table.router[at], table.router[v]) for at, row in candidates.items() for v in row if v != EJECT)
        shortest &= all(hops.get(there, -2) + 1 == hops.get(here) for here, there in steps)
        most = max(most, *length.values(), 0)
    shown = f"the longest route has {most} hops, and {'all' if shortest else 'not all'} are shortest paths"
    if claimed != [most, shortest]:
        raise Rejected(shown)
    return shown


@checks("cuts", "relation")
def check_cuts(table: Table, claim: Any, proof: Any) -> str:
    """Check how many routes sets of faults cut where the table stays, and for how many of these no way is left.

    Routes from and to terminals at routers that failed are not counted.

    Claim: `faults`, each with failed `channels` and `routers`, how many routes are `lost`, and for how many of
    these no way is left (`severed`), without those of terminals at failed routers
    Proof: nothing
    """
    network, faults = table.network, field(claim, "faults", list)
    ends: dict[Pair, Pair] = {}
    over: list[set[Pair]] = [set() for _ in network.source]
    for address, sources in enumerate(table.sources):
        home = network.eject[table.destination[address]]
        for source in {*sources} - {table.destination[address]}:
            ends[source, address] = network.inject[source], home
            channels = route(table, source, address)
            if home != (network.target[channels[-1]] if channels else network.inject[source]):
                raise Rejected(f"there is no route from terminal {source} to address {address}")
            for c in channels:
                over[c].add((source, address))
    for fault in faults:
        failed, dead = network.parts(fault)
        failed.update(*(at.get(router, ()) for router in dead for at in (network.leaving, network.entering)))
        left = network.without({"channels": [*failed], "routers": []})
        pay(LOOK * sum(len(over[c]) for c in failed))
        cut = [ends[pair] for pair in set[Pair]().union(*(over[c] for c in failed))]
        cut = [pair for pair in cut if dead.isdisjoint(pair)]
        hops = {home: left.hops_to(home) for home in {home for _, home in cut}}
        lost, severed = len(cut), sum(router not in hops[home] for router, home in cut)
        if (lost, severed) != (field(fault, "lost", int), field(fault, "severed", int)):
            raise Rejected(f"a fault cuts {lost} routes, and leaves no way for {severed} of these")
    worst = max((fault["lost"] for fault in faults), default=0)
    return f"each of {len(faults)} sets of faults cuts at most {worst} routes, while the table stays as it is"


def route(table: Table, source: int, address: int) -> list[int]:
    """The channels of the route from a terminal to an address, whatever the VCs."""
    if address >= table.addresses or not found(source, table.sources[address]):
        raise Rejected(f"terminal {source} does not send to address {address}")
    channels: list[int] = []
    at = table.vcs + source
    while onward := [v for v in table.may[address][at] if v != EJECT]:
        pay(KEPT_STATE + len(onward))
        if len({table.channel[v] for v in onward}) != 1 or len(channels) > table.vcs:
            raise Rejected(f"terminal {source} has no single route to address {address}")
        at = onward[0]
        channels.append(table.channel[at])
    return channels
