"""Forwarding tables as read, and how they are joined to the fabric they belong to."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import IntArray
from unknot._base.errors import TextError
from unknot._base.phrases import few
from unknot.fabrics.fabric import NO_ENTRY, PLANE, UNKNOWN_PORT, Fabric
from unknot.fabrics.format import FabricText

NOT_ROUTED = 255
"""Port of a LID without a route, in files."""
Column: TypeAlias = "array[int] | npt.NDArray[Any]"


@dataclass
class SwitchTable:
    """The table of one switch: LIDs, ascending, with their output port or NO_ENTRY, and the line of each.

    `first` to `last` are LIDs without a route where they have no line, by line `ended`; 0: the file does not say.
    """

    guid: int
    line: int
    lid: int | None = None
    first: int = 0
    last: int = -1
    ended: int = 0
    lids: Column = field(default_factory=lambda: array("i"))
    ports: Column = field(default_factory=lambda: array("i"))
    lines: Column = field(default_factory=lambda: array("i"))

    def fill(self, lids: IntArray, ports: IntArray, first: int) -> None:
        """Give an empty table its entries, in lines from `first` on."""
        self.lids, self.ports = lids, ports.astype(np.int16)
        self.lines = np.arange(first, first + lids.size, dtype=np.int32)

    def append(self, lid: int, port: int, line: int) -> None:
        """Add an entry, also to a table that was filled."""
        if not isinstance(self.lids, array):
            self.lids, self.ports, self.lines = (
                array("i", column.tolist()) for column in (self.lids, self.ports, self.lines)
            )
        for column, entry in ((self.lids, lid), (self.ports, port), (self.lines, line)):
            column.append(entry)  # type: ignore[union-attr]

    def entry(self, lid: int) -> tuple[int, int]:
        """Port and line of a LID that the table has, or has no route for."""
        at = int(np.searchsorted(np.asarray(self.lids), lid))
        if at == len(self.lids) or self.lids[at] != lid:
            return NO_ENTRY, self.ended
        return int(self.ports[at]), int(self.lines[at])


@dataclass
class TableFile(FabricText):
    """The tables of one file.

    Attributes
    ----------
    tables : dict
        By node GUID of the switch.
    guids : dict
        LID → port GUIDs, each with its line, where the format names the owner of the LID: several where planes share
        LIDs.
    stale : set of int
        LIDs the file itself marks as nobody's.
    others : dict
        Private tables of adaptive switches by node GUID and number, which are kept and not judged.
    astray : int
        Entries that stand below no line that names a switch.
    has_ends : bool
        Whether the format ends each table with a count, so that a table without one is cut off.
    """

    tables: dict[int, SwitchTable] = field(default_factory=dict)
    guids: dict[int, dict[int, int]] = field(default_factory=dict)
    stale: set[int] = field(default_factory=set)
    others: dict[tuple[int, int], SwitchTable] = field(default_factory=dict)
    astray: int = 0
    has_ends: bool = False

    def open(self, guid: int, line: int, lid: int | None = None) -> SwitchTable:
        """Begin the table of a switch."""
        if guid in self.tables:
            raise self.error(f"a second table of switch 0x{guid:016x}; line {self.tables[guid].line} began one", line)
        self.tables[guid] = table = SwitchTable(guid, line, lid)
        return table

    def private(self, guid: int, number: int, line: int) -> SwitchTable:
        """Begin a private table of a switch, whose first table is dropped where nothing stands in it."""
        if guid in self.tables and not len(self.tables[guid].lids):
            del self.tables[guid]
        if (guid, number) in self.others:
            raise self.error(f"a second table {number} of switch 0x{guid:016x}", line)
        self.others[guid, number] = table = SwitchTable(guid, line)
        return table

    def enter(self, table: SwitchTable, lid: int, port: int, line: int) -> None:
        """Add an entry; LIDs must ascend, as all tools write them."""
        if len(table.lids) and lid <= table.lids[-1]:
            raise self.error(f"LID 0x{lid:04x} stands below LID 0x{table.lids[-1]:04x}", line)
        table.append(lid, port, line)

    def owned(self, lid: int, guid: int, line: int) -> None:
        """Note an owner of a LID."""
        self.guids.setdefault(self.unicast(lid, line), {}).setdefault(guid, line)

    def whole(self) -> TableFile:
        """Return the complete file; TextError if it has no table."""
        if not self.tables and not self.others:
            raise TextError("no forwarding table in this file", self.where)
        self.note_noise()
        return self


def join(fabric: Fabric, file: TableFile) -> Fabric:
    """The fabric with these tables; entries that the file does not have are unknown, but for tables with their end.

    Where switches have tables that the fabric file leaves out, a port without a cable may lead to one of them, and
    entries which name it are unknown too.

    Raises
    ------
    TextError
        If most tables belong to no switch of the fabric, a routed LID belongs to no port of it, or files disagree
        about whose LID one is.
    """
    router = fabric.router_of
    unlisted = [guid for guid in file.tables if guid not in router]
    if 2 * len(unlisted) >= len(file.tables):
        raise file.error(
            f"{fabric.fabric_file} has no switch 0x{unlisted[0]:016x}; do fabric and tables belong together?",
            file.tables[unlisted[0]].line,
        )
    fabric = _with_more_lids(fabric, file, whole=not unlisted)
    column, planes = fabric.column_of, fabric.lid_planes
    place = np.full(int(planes.max()) + PLANE, -1, dtype=np.int32)
    place[fabric.lids] = np.arange(fabric.lids.size)
    tables = np.full((fabric.network.num_routers, fabric.lids.size), UNKNOWN_PORT, dtype=np.int16)
    strange: set[int] = set()
    for guid, r in router.items():
        table = file.tables.get(guid)
        if table is None:
            continue
        name, base = fabric.network.router_name(r), int(planes[r])
        own = -1 if table.lid is None else table.lid + base
        claimed = fabric.owner[column[own]] if own in column else None
        if table.lid is not None and claimed != fabric.network.num_terminals + r:
            raise file.error(f"by {fabric.fabric_file}, LID {table.lid} does not belong to {name}", table.line)
        lids, ports = np.asarray(table.lids, dtype=np.int32) + base, np.asarray(table.ports, dtype=np.int16)
        tables[r, (fabric.lids >= table.first + base) & (fabric.lids <= table.last + base)] = NO_ENTRY
        at = place[lids]
        foreign = (at < 0) & (ports != NO_ENTRY)
        for i in np.flatnonzero(foreign).tolist() if foreign.any() else []:
            if int(lids[i]) - base not in file.stale and not unlisted:
                raise file.error(
                    f"{name} routes LID 0x{lids[i] - base:04x}, which no port in {fabric.fabric_file} has; do fabric "
                    "and tables belong together? (.lst files lack the further LIDs of a port: use ibnetdiscover "
                    "output)",
                    int(table.lines[i]),
                )
            strange.add(int(lids[i]) - base)
        tables[r, at[at >= 0]] = ports[at >= 0]
    loose = list(fabric.restored) if len(fabric.restored) > 1 and not unlisted else list(router.values())
    if unlisted or len(fabric.restored) > 1:
        cabled = fabric.cabled[loose]
        part = tables[loose]
        part[(part > 0) & ~np.take_along_axis(cabled, np.maximum(part, 0).astype(np.int64), axis=1)] = UNKNOWN_PORT
        tables[loose] = part
    notes = [*fabric.notes, *file.notes]
    if file.astray:
        notes.append(f"{file.astray:,} table entries stand below no line that names their switch, and are not used")
    notes += _unread(fabric, file)
    if unlisted:
        notes.append(f"{len(unlisted)} switches have a table but are not in {fabric.fabric_file}")
    foreign_lids = sorted((file.stale | strange) - set(column))
    if foreign_lids:
        notes.append(
            f"{len(foreign_lids)} LIDs have table entries but belong to no port, the first 0x{foreign_lids[0]:04x}"
        )
    return replace(fabric, tables=tables, tables_file=str(file.where), unlisted=tuple(unlisted), notes=tuple(notes))


def _unread(fabric: Fabric, file: TableFile) -> list[str]:
    """Switches without a table, and with one that is cut off, in words."""
    name, tables = fabric.network.router_name, {r: file.tables.get(guid) for guid, r in fabric.router_of.items()}
    missing = [name(r) for r, table in tables.items() if table is None]
    cut = [f"{name(r)} (line {table.line})" for r, table in tables.items() if table and not table.ended]
    notes = [f"{file.where} has no table of {few(missing)}: unknown"] if missing else []
    if cut and file.has_ends:
        notes.append(f"in {file.where} the table of {few(cut)} has no end: LIDs without a line there are unknown")
    return notes


def combined(fabric: Fabric, file: TableFile, other: TableFile) -> Fabric:
    """A fabric with the tables of `file`, and what is unknown from those of another.

    Raises
    ------
    TextError
        If the other does not fit the fabric, or the two differ.
    """
    added = join(fabric, other)
    assert fabric.tables is not None
    assert added.tables is not None
    known = (fabric.tables != UNKNOWN_PORT) & (added.tables != UNKNOWN_PORT)
    for r, index in np.argwhere(known & (fabric.tables != added.tables))[:1].tolist():
        guid, lid = int(fabric.switch_guid[r]), int(fabric.lids[index]) % PLANE
        (port, line), (port2, line2) = file.tables[guid].entry(lid), other.tables[guid].entry(lid)
        raise other.error(
            f"{fabric.network.router_name(r)} sends {fabric.lid_name(index)} to {_port(port2)} here, but to "
            f"{_port(port)} by {file.where}:{line}; name the file that holds with --tables",
            line2,
        )
    tables = np.where(fabric.tables == UNKNOWN_PORT, added.tables, fabric.tables)
    return replace(fabric, tables=tables, unlisted=tuple({*fabric.unlisted, *added.unlisted}))


def _port(port: int) -> str:
    return "no port" if port == NO_ENTRY else f"port {port}"


def _with_more_lids(fabric: Fabric, file: TableFile, *, whole: bool) -> Fabric:
    """Check LID owners; add the further LIDs of ports (LMC > 0) that only the tables know.

    Of a fabric that is not whole, ports may be missing.
    """
    column = fabric.column_of
    port = {int(guid): p for p, guid in enumerate(fabric.port_guid)}
    more: dict[int, int] = {}
    first: dict[int, tuple[int, int]] = {}
    for lid, owners in file.guids.items():
        for guid, line in owners.items():
            known = port.get(guid)
            own = lid if known is None else lid + int(fabric.lid_planes[fabric.home[known]])
            before, above = first.setdefault(own, (guid, line))
            if before != guid:
                raise file.error(
                    f"LID 0x{lid:04x} belongs to port GUID 0x{guid:016x} here, but to 0x{before:016x} in line "
                    f"{above}",
                    line,
                )
            if own in column:
                owner = int(fabric.owner[column[own]])
                if owner >= 0 and guid != int(fabric.port_guid[owner]):
                    raise file.error(
                        f"LID 0x{lid:04x} belongs to port GUID 0x{guid:016x} here, but by {fabric.fabric_file} to "
                        f"{fabric.owner_name(owner)}",
                        line,
                    )
            elif known is not None:
                more[own] = known
            elif whole:
                raise file.error(
                    f"LID 0x{lid:04x} belongs to port GUID 0x{guid:016x}, which {fabric.fabric_file} does not have; "
                    "do fabric and tables belong together?",
                    line,
                )
    if not more:
        return fabric
    lids = np.concatenate([fabric.lids, np.array(list(more), dtype=np.int32)])
    owner_of = np.concatenate([fabric.owner, np.array(list(more.values()), dtype=np.int32)])
    for who in set(more.values()):
        block = np.sort(lids[owner_of == who])
        lid = next(known for known, p in more.items() if p == who)
        if block.size & (block.size - 1) or block[0] % block.size or block[-1] - block[0] != block.size - 1:
            raise file.error(
                f"LID 0x{lid % PLANE:04x} is given to {fabric.owner_name(who)}, whose LIDs would not be an LMC "
                f"block: {', '.join(f'0x{b % PLANE:04x}' for b in block.tolist())}",
                first[lid][1],
            )
    order = np.argsort(lids)
    note = f"{len(more)} LIDs are known from the tables only (LMC > 0)"
    return replace(fabric, lids=lids[order], owner=owner_of[order], notes=(*fabric.notes, note))
