"""Destinations of the switches of a folder in all VRFs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from unknot._base.errors import UnknotError
from unknot.fabrics.ethernet.destinations import destinations_of
from unknot.fabrics.ethernet.fabric import Destination
from unknot.fabrics.ethernet.routes import Port, VrfTable
from unknot.fabrics.ethernet.switch_tables import SwitchTables
from unknot.fabrics.ethernet.unread import DEFAULT, vrf

Note = Callable[[str, str], None]
"""Takes a switch and what is left out of its files, in words."""
Ends = Sequence[tuple[Port, Port]]
NONE = VrfTable()


def destinations_by_vrf(
    tables: SwitchTables, by_vrf: Sequence[Mapping[str, VrfTable]], ends: Ends, notes: list[str], note: Note
) -> tuple[Destination, ...]:
    """Destinations of all VRFs, those of the default VRF first.

    A VRF has one name at all switches. A VRF whose packets arrive in another is left out, and so is a VRF whose
    routes the cables do not explain.

    Parameters
    ----------
    tables : SwitchTables
        Its routes are not looked at.
    by_vrf : sequence of mapping
        For each switch the tables of its VRFs.
    ends : sequence of (Port, Port)
        Sending and receiving port of each channel.

    Raises
    ------
    UnknotError
        If there are no destinations, or cables do not explain the routes of the default VRF.
    """
    others, found = sorted({name for one in by_vrf for name in one} - {DEFAULT}), tuple[Destination, ...]()
    reasons: list[str] = []
    for name in (DEFAULT, *others):
        own = replace(tables, routes=[one.get(name, NONE).routes for one in by_vrf])
        left_out = list(_crossings(own, by_vrf, ends, name)) if others else []
        for switch, what, _ in left_out:
            note(switch, what)
        crossing = [what for _, what, crosses in left_out if crosses]
        reasons += crossing[:1]
        if crossing:
            continue
        try:
            its = destinations_of(own, notes, note)
        except UnknotError as error:
            if name == DEFAULT:
                raise
            reasons.append(f"{vrf(name)}: {error}")
            for switch, routes in zip(own.switches, own.routes, strict=True):
                if routes:
                    note(switch, f"{vrf(name)}, which cables do not explain, as where VXLAN carries packets: {error}")
            continue
        found += its if name == DEFAULT else tuple(
            replace(one, name=f"{one.name} in VRF {name}", vrf=name,
                    standby={router: to + len(found) for router, to in one.standby.items()})
            for one in its
        )  # fmt: skip
    if not found:
        message = f"{tables.network.name}: no prefix is announced by one switch and reached from another"
        raise UnknotError("; ".join([message, *(f"left out: {reason}" for reason in reasons)]))
    return found


def _crossings(
    own: SwitchTables, by_vrf: Sequence[Mapping[str, VrfTable]], ends: Ends, name: str
) -> Iterator[tuple[str, str, bool]]:
    """Yield ports at which packets of a VRF arrive in another VRF, or in an untold VRF.

    With each a switch, what is left out in words, and whether the VRF is another.
    """
    bound, channel_of = _bound(own, by_vrf), {pair: channel for channel, pair in enumerate(ends)}
    for router, routes in enumerate(own.routes):
        used = {port for route in routes.values() if not (route.local or route.leaves) for port in route.interfaces}
        for port in sorted(used):
            for near, far in (ends[channel] for channel in own.leads(router, port)):
                known = bound[channel_of[far, near]]
                likely = name if name in known.values() else min(known.values(), default=None)
                there = known.get(port.partition(".")[2], likely)
                if there is None and name != DEFAULT:
                    yield far.switch, f"the VRF of {far.name}, where packets of VRF {name} arrive", False
                elif there not in (None, name):
                    yield near.switch, f"{vrf(name)}, whose packets arrive at {far} in VRF {there}", True


def _bound(tables: SwitchTables, by_vrf: Sequence[Mapping[str, VrfTable]]) -> defaultdict[int, dict[str, str]]:
    """For each channel the VRFs of its sending port, by the number of the subinterface."""
    bound = defaultdict[int, dict[str, str]](dict)
    for router, one in enumerate(by_vrf):
        for name, table in one.items():
            for port in sorted(table.ports):
                for channel in tables.leads(router, port):
                    bound[channel][port.partition(".")[2]] = name
    return bound
