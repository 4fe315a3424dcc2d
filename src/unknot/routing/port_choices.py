"""Sets of ports that adaptive switches choose from, by table, switch and LID of a host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot._base.arrays import Flags, Ints, Rows, offsets
from unknot.fabrics.choices import KEYS, STATIC, SwitchGroups
from unknot.fabrics.fabric import NO_ENTRY, UNKNOWN_PORT, Fabric

_ANY = STATIC, -2
"""Origin of sets that are kept together."""
_DROP, _UNKNOWN, HOME = -2, -3, -1
"""Codes of members of a set of candidates: nowhere, not known, and the host that is meant."""


@dataclass(frozen=True, eq=False)
class PortChoices:
    """Sets of candidates of each variant, switch and LID; the variant by switch, input port and level.

    Each set has an origin: group and channel of the static port.
    """

    entries: npt.NDArray[np.int32]
    sets: Rows
    origin: tuple[tuple[int, int], ...]
    variant: npt.NDArray[np.int32]
    by_lane: Flags
    unknown: tuple[str, ...]

    @classmethod
    def of(cls, fabric: Fabric, lids: Ints, by_group: bool) -> PortChoices:
        network, groups = fabric.network, fabric.groups or {}
        ports = int(fabric.switch_ports.max(initial=0)) + 1
        variant = np.zeros((network.num_routers, ports, KEYS), dtype=np.int32)
        by_lane = np.zeros((network.num_routers, KEYS), dtype=bool)
        known: dict[tuple[int, bool], int] = {}
        wanted: list[dict[int, tuple[int, bool]]] = []
        for guid, router in fabric.router_of.items():
            switch, own = groups.get(guid) or SwitchGroups(0, enabled=0), dict[int, tuple[int, bool]]()
            by_lane[router, list(switch.by_lane or ())] = True
            chooses = switch.choosing().tolist()
            for port in np.flatnonzero(fabric.cabled[router, :ports]).tolist():
                for key, pair in enumerate(zip(switch.table_of(port).tolist(), chooses, strict=True)):
                    number = known.setdefault(pair, len(known))
                    variant[router, port, key], own[number] = number, pair
            wanted.append(own)
        size = (len(known), network.num_routers, lids.size)
        memory.require(f"groups of ports of {fabric.name}", 8 * size[0] * size[1] * size[2])
        entries = np.zeros(size, dtype=np.int32)
        sets: dict[tuple[tuple[int, ...], tuple[int, int]], int] = {((_DROP,), _ANY): 0}
        unknown: dict[str, None] = {}
        for (guid, router), own in zip(fabric.router_of.items(), wanted, strict=True):
            board = _Board.of(fabric, router, lids)
            for number, (table, chooses) in own.items():
                row = entries[number, router]
                for members, origin, mask in board.candidates(groups.get(guid), table, chooses=chooses):
                    known_set = members, origin if by_group and members != (_UNKNOWN,) else _ANY
                    row[mask] = sets.setdefault(known_set, len(sets))
                if missing := int((row == sets.get(((_UNKNOWN,), _ANY), -1)).sum()):
                    unknown[
                        f"{network.router_name(router)} has no known entry for {missing} LIDs in table {table}"
                    ] = None
        rows = Rows(offsets([len(one) for one, _ in sets]), np.concatenate([one for one, _ in sets]))
        return cls(entries, rows, tuple(origin for _, origin in sets), variant, by_lane, tuple(unknown))


@dataclass(frozen=True, eq=False)
class _Board:
    """Where the ports of one switch lead, its static table for the LIDs of hosts, and which are of its plane."""

    leads: Ints
    static: Ints
    host_port: Ints
    lids: Ints
    mine: Flags

    @classmethod
    def of(cls, fabric: Fabric, router: int, lids: Ints) -> _Board:
        network, leads = fabric.network, np.full(257, _DROP, dtype=np.int64)
        out = np.flatnonzero(network.source == router)
        if network.ports is not None:
            leads[network.ports[out, 0]] = out
        owner = fabric.owner[lids]
        static = np.full(lids.size, UNKNOWN_PORT) if fabric.tables is None else fabric.tables[router, lids]
        host_port = np.where(network.eject[owner] == router, fabric.host_port[owner], -1)
        own = fabric.lids[lids] - fabric.lid_planes[router]
        rows = [row.astype(np.int64) for row in (static, host_port, own)]
        return cls(leads, rows[0], rows[1], rows[2], fabric.same_plane(owner)[router])

    def candidates(
        self, switch: SwitchGroups | None, table: int, *, chooses: bool
    ) -> Iterator[tuple[tuple[int, ...], tuple[int, int], Flags]]:
        """Yield each set of candidates of a table, its group and static channel, and the LIDs that have it."""
        ports, groups = self.static.copy(), np.full(self.lids.size, STATIC)
        chosen = None if switch is None else switch.tables.get(table)
        if chosen is not None:
            at = np.minimum(np.searchsorted(chosen.lids, self.lids), chosen.lids.size - 1)
            there = chosen.lids[at] == self.lids
            dropped = np.where(self.static == NO_ENTRY, NO_ENTRY, UNKNOWN_PORT)
            ports = np.where(there, chosen.ports[at], dropped if table == 0 else UNKNOWN_PORT)
            groups = np.where(there & chooses, chosen.groups[at], STATIC)
        elif table:
            ports[:] = UNKNOWN_PORT
        ports, groups = np.where(self.mine, ports, NO_ENTRY), np.where(self.mine, groups, STATIC)
        _, first, which = np.unique(
            (groups << 20) + (ports + 2 << 10) + self.host_port + 1, return_index=True, return_inverse=True
        )
        for number, at in enumerate(first.tolist()):
            group = () if groups[at] == STATIC or switch is None else switch.members(int(groups[at]))
            port = int(ports[at])
            origin = int(groups[at]), int(self.leads[port]) if port >= 0 else _DROP
            yield self._set(port, int(self.host_port[at]), group), origin, which == number

    def _set(self, static: int, home: int, group: tuple[int, ...]) -> tuple[int, ...]:
        if static == UNKNOWN_PORT:
            return (_UNKNOWN,)
        leads = {HOME if port == home else int(self.leads[port]) for port in (*group, static) if 0 <= port <= 255}
        return tuple(sorted(leads - {_DROP})) or (_DROP,)
