"""Forwarding tables as OpenSM and infiniband-diags dump them: unicast, without and with hop counts, and multicast.

LIDs without a route have no line in `opensm-lfts.dump`. A table there ends with its own count: OpenSM repeats the
highest LID, `ibroute` and `dump_lfts.sh` give the number of lines. In a table with that end, a LID without a line has
no route; in one that is cut off nothing is known of it. `opensm.fdbs` has a line for every LID, and no end.

A row of a multicast table (`opensm.mcfdbs`, `dump_mfts`, `ibroute -M`) gives the ports to which a switch copies the
packets of a multicast LID, all but the one they came in by. OpenSM names them, `dump_mfts` has a cross below each of
them, or with `-n` a mask: 16 ports in four digits, low ports first.
"""

from __future__ import annotations

import re
from array import array
from pathlib import Path

import numpy as np

from unknot._base.arrays import IntArray
from unknot._base.input import read_text
from unknot.fabrics.fabric import LAST_UNICAST, NO_ENTRY
from unknot.fabrics.format import Format, LargeText, integer, numbers_at, row_starts
from unknot.fabrics.multicast import MulticastFile
from unknot.fabrics.tables import NOT_ROUTED, SwitchTable, TableFile

_PORT_AT = 7
"""Offset of the port in a row."""
_NUMBER = r"(0x[0-9a-f]{1,8}|[0-9]{1,9})"
_HEAD = re.compile(
    rf"^Unicast lids \[{_NUMBER}-{_NUMBER}\] of switch (?:Lid ([0-9]{{1,9}})|DR path .*|Lid .* DR path .*) "
    r"guid 0x([0-9a-f]{16}) \(.*\):\s*$"
)
_TITLE = re.compile(r"^\s*(?:Lid\s+Out\s+Destination|Port\s+Info)?\s*$")
_TYPE = r"(?:Channel Adapter|Switch|Router|Unknown|\?+)"
_ENTRY = re.compile(
    r"^0x([0-9a-f]{4}) ([0-9]{3})(?:"
    rf" (?:# |: \(){_TYPE} portguid 0x([0-9a-f]{{16}}): '.*'\)?"
    r"| : \(path #\d+ out of \d+(?:: portguid 0x([0-9a-f]{16}))?\)"
    r"| (?:# |: \()(unknown node and type)\)?"
    r"| : \((?:path #\d+ - )?(illegal port)\)"
    r")?\s*$"
)
_FOOT = re.compile(r"^([0-9]{1,9}) (?:valid )?lids dumped\s*$")


def read_lfts(path: str | Path) -> TableFile:
    """Read a dump of linear forwarding tables; a table may be cut off at either end.

    Raises
    ------
    TextError
        With file and line: an unknown line that is not cut off, a table with a wrong count, a second table of a
        switch, LIDs out of order, a LID that two ports have.
    """
    lines = LargeText(path)
    file = TableFile(path, lines, has_ends=True)
    table: SwitchTable | None = None
    bounds, counted = (0, 0), False
    at, number, body, ended, pattern = 0, 0, 0, 0, None
    while at < len(lines.content):
        if table is not None and pattern is not None and not len(table.lids):
            ports = pattern.ports(lines.content, at, bounds)
            if ports is not None:
                table.fill(pattern.lids, ports, number + 1)
                body, at, number = at, at + pattern.size, number + ports.size
        begin, number = at, number + 1
        line, at = lines.line(begin)
        if match := _ENTRY.match(line):
            if table is None:
                file.astray += 1
                continue
            body = begin if not len(table.lids) else body
            _enter(file, table, match, bounds, number)
            ended = at
        elif match := _HEAD.match(line):
            counted = match[2].startswith("0x")
            bounds = integer(match[1]), integer(match[2])
            table = file.open(int(match[4], 16), number, int(match[3] or 0) or None)
        elif match := _FOOT.match(line):
            if table is None:
                continue
            want = len(table.lids) if counted else bounds[1]
            if int(match[1]) < want or (int(match[1]) > want and not counted):
                raise file.error(f"the table begun in line {table.line} should end with {want} lids dumped", number)
            if int(match[1]) == want:
                (table.first, table.last), table.ended = bounds, number
            if isinstance(table.lids, array) and table.lids and table.lines[-1] - table.lines[0] < len(table.lids):
                pattern = _Pattern(lines.content[body:ended], table)
            table = None
        elif not _TITLE.match(line):
            file.stray(line, number, "a table dump has", is_cut=at > len(lines.content))
    return file.whole()


class _Pattern:
    """The rows of a table but for their ports; those of the next table are often the same."""

    def __init__(self, rows: bytes, table: SwitchTable) -> None:
        self.lids = np.array(table.lids, dtype=np.int32)
        self.size = len(rows)
        self._places = row_starts(rows) + _PORT_AT
        self._rows = self._without_ports(rows)
        shown = np.frombuffer(rows, dtype=np.uint8)
        self._illegal = (np.asarray(table.ports) == NO_ENTRY) & (numbers_at(shown, self._places, 3) != NOT_ROUTED)

    def ports(self, content: bytes, at: int, bounds: tuple[int, int]) -> IntArray | None:
        """The ports of the table whose rows begin at a byte; None unless all else is as in the last table."""
        rows = content[at : at + self.size]
        if len(rows) < self.size or self._without_ports(rows) != self._rows:
            return None
        ports = numbers_at(np.frombuffer(rows, dtype=np.uint8), self._places, 3)
        if ports.min() < 0 or ports.max() > NOT_ROUTED or not bounds[0] <= self.lids[0] <= self.lids[-1] <= bounds[1]:
            return None
        return np.where(self._illegal | (ports == NOT_ROUTED), np.int32(NO_ENTRY), ports)

    def _without_ports(self, rows: bytes) -> bytes:
        blank = np.frombuffer(rows, dtype=np.uint8).copy()
        for digit in range(3):
            blank[self._places + digit] = 0
        return blank.tobytes()


def _enter(file: TableFile, table: SwitchTable, match: re.Match[str], bounds: tuple[int, int], line: int) -> None:
    lid, port = int(match[1], 16), int(match[2])
    if not bounds[0] <= lid <= bounds[1] or port > 255:
        raise file.error(
            f"LIDs of this table are 0x{bounds[0]:04x} to 0x{bounds[1]:04x} and ports are at most 255", line
        )
    guid = match[3] or match[4]
    if match[5] or match[6]:
        file.stale.add(lid)
    elif guid:
        file.owned(lid, int(guid, 16), line)
    file.enter(table, lid, NO_ENTRY if match[6] or port == NOT_ROUTED else port, line)


_LFTS_SIGN = re.compile(r"^Unicast lids \[|^\d+ (?:valid )?lids dumped", re.M)
LFTS = Format(
    "lfts", "OpenSM forwarding tables", (".lfts", ".dump"), read_lfts, sign=_LFTS_SIGN.search, holds="tables"
)


_SWITCH = re.compile(r"^\w*dump_ucast_routes: Switch 0x([0-9a-fA-F]{16})\s*$")
_COLUMNS = re.compile(r"^LID\s*: Port : Hops : Optimal\s*$")
PRIVATE = re.compile(r"^\s*PLFT_NUM\s*:\s*([0-9]{1,3})\s*$")
"""Number of the table below, in `ibdiagnet2.fdbs`: those above 0 are used by some packets."""
_ROW = re.compile(
    r"^0x([0-9a-fA-F]{4})\s*: (?:(UNREACHABLE)|([0-9]{3})\s*: "
    r"(?:HOPS UNKNOWN|\d{2,3}\s*: (?:yes|No \d+ hop path possible via port \d+!)))\s*$"
)


_RUN = re.compile(
    rb"(?>0x[0-9a-fA-F]{4} : (?:UNREACHABLE|[0-9]{3} {1,2}: "
    rb"(?:\d{2,3} {1,3}: (?:yes|No \d+ hop path possible via port \d+!)|HOPS UNKNOWN))\n)++"
)
"""Rows in the form that OpenSM writes."""
_HOPS_PORT_AT = 9
"""Offset of the port in such a row."""


def read_fdbs(path: str | Path) -> TableFile:
    """Read tables with hop counts, which are not used; a table may be cut off at either end.

    Raises
    ------
    TextError
        With file and line: an unknown line that is not cut off, a repeated LID, a second table of a switch.
    """
    lines = LargeText(path)
    file = TableFile(path, lines)
    table: SwitchTable | None = None
    titled = False
    at, number = 0, 0
    while at < len(lines.content):
        if titled and table is not None and not len(table.lids) and (run := _RUN.match(lines.content, at)):
            rows = _rows(run[0])
            if rows is not None:
                table.fill(*rows, number + 1)
                at, number = run.end(), number + rows[0].size
                continue
        line, at = lines.line(at)
        number += 1
        if match := _ROW.match(line):
            if table is None or not titled:
                file.astray += 1
                continue
            lid, port = int(match[1], 16), NO_ENTRY if match[2] else int(match[3])
            if port > NOT_ROUTED:
                raise file.error(f"port {port}: ports are at most {NOT_ROUTED}", number)
            file.enter(table, lid, NO_ENTRY if port == NOT_ROUTED else port, number)
        elif match := _SWITCH.match(line):
            table, titled = file.open(int(match[1], 16), number), False
        elif match := PRIVATE.match(line):
            if table is not None and int(match[1]):
                table = file.private(table.guid, int(match[1]), number)
            titled = False
        elif line.startswith("#"):
            continue
        elif not titled and _COLUMNS.match(line):
            titled = table is not None  # else the beginning is cut off, with the switch that the entries are of
        elif line.strip():
            file.stray(line, number, "a table dump has", is_cut=at > len(lines.content))
    return file.whole()


def _rows(text: bytes) -> tuple[IntArray, IntArray] | None:
    """LIDs and ports of whole rows; None unless the LIDs are 1, 2, 3, …"""
    content, begin = np.frombuffer(text, dtype=np.uint8), row_starts(text)
    lids, ports = numbers_at(content, begin + 2, 4, base=16), numbers_at(content, begin + _HOPS_PORT_AT, 3)
    if ports.max() > NOT_ROUTED or not np.array_equal(lids, np.arange(1, lids.size + 1)):
        return None
    return lids, np.where((ports < 0) | (ports == NOT_ROUTED), np.int32(NO_ENTRY), ports)


_FDBS_SIGN = re.compile(r"^\w*dump_ucast_routes: Switch|^LID\s*: Port : Hops : Optimal", re.M)
FDBS = Format(
    "fdbs", "OpenSM forwarding tables with hop counts", (".fdbs",), read_fdbs, sign=_FDBS_SIGN.search, holds="tables"
)


_MULTICAST_HEAD = re.compile(
    r"^(?:Switch 0x|Multicast mlids \[0x[0-9a-f]{1,4}-0x[0-9a-f]{1,4}\] of switch .* guid 0x)([0-9a-fA-F]{16})"
    r"(?: \(.*\):)?\s*$"
)
_MULTICAST_TITLE = re.compile(
    r"^\s*$|^#|^LID\s+: Out Port\(s\)\s*$|^\*\*\* WARNING \*\*\*: "
    r"|^ {12}[0-9][0-9 ]*$|^ {5}Ports: [0-9 ]+$|^ MLid(?: +Port Mask)?\s*$"
)
_PORTS = re.compile(r"^0x([0-9a-fA-F]{4}) :((?:\s+0x[0-9a-fA-F]{3})*)\s*$")
_CROSSES = re.compile(r"^0x([0-9a-f]{4}) {6}((?:[x ] )*[x ]?)\s*$")
_MASK = re.compile(r"^0x([0-9a-f]{4}) {6}((?:[0-9a-f]{4}){1,16})\s*$")
_MULTICAST_COUNT = re.compile(r"^([0-9]{1,6}) (?:valid )?mlids dumped\s*$")
LAST_MULTICAST = 0xFFFE


def read_mcfdbs(path: str | Path) -> MulticastFile:
    """Read multicast forwarding tables; a fabric without groups has an empty file.

    Raises
    ------
    TextError
        With file and line: an unknown line, a row outside a table, a second table of a switch, a LID that is not
        multicast or stands twice, a port above 254.
    """
    lines = read_text(path, growth=40).splitlines()
    file = MulticastFile(path, lines)
    switch: int | None = None
    tables: dict[int, int] = {}
    seen: dict[int, int] = {}
    for number, line in enumerate(lines, start=1):
        if row := _ports_of_row(line):
            if switch is None:
                raise file.error("a row outside a table; the line that names its switch is missing", number)
            mlid, ports = row
            if not LAST_UNICAST < mlid <= LAST_MULTICAST:
                raise file.error(
                    f"0x{mlid:04x} is no multicast LID (0x{LAST_UNICAST + 1:04x} to 0x{LAST_MULTICAST:04x})", number
                )
            file.once(seen, mlid, number, f"row of LID 0x{mlid:04x}")
            if len(set(ports)) < len(ports) or max(ports, default=0) > 254:
                raise file.error("ports are different numbers from 0 to 254", number)
            file.rows.append((switch, mlid, ports, number))
        elif match := _MULTICAST_HEAD.match(line):
            switch, seen = int(match[1], 16), {}
            file.once(tables, switch, number, f"table of switch 0x{switch:016x}")
        elif match := _MULTICAST_COUNT.match(line):
            if int(match[1]) != len(seen):
                raise file.error(f"rows above: {len(seen)}, not {match[1]}; is the file cut off?", number)
        elif not _MULTICAST_TITLE.match(line):
            file.stray(line, number, "multicast tables have")
    file.note_noise()
    return file


def _ports_of_row(line: str) -> tuple[int, tuple[int, ...]] | None:
    """The multicast LID and the output ports of a row, in any of the three forms."""
    if match := _PORTS.match(line):
        return int(match[1], 16), tuple(int(port, 16) for port in match[2].split())
    if match := _MASK.match(line):
        words = [int(match[2][i : i + 4], 16) for i in range(0, len(match[2]), 4)]
        return int(match[1], 16), tuple(
            16 * w + i for w, word in enumerate(words) for i in range(16) if word >> i & 1
        )
    if match := _CROSSES.match(line):
        return int(match[1], 16), tuple(i // 2 for i, mark in enumerate(match[2]) if mark == "x")
    return None


_MCFDBS_SIGN = re.compile(r"^Switch 0x[0-9a-fA-F]{16}\s*\nLID\s+: Out Port\(s\)|^Multicast mlids \[0x", re.M)
MCFDBS = Format(
    "mcfdbs", "OpenSM multicast tables", (".mcfdbs",), read_mcfdbs, sign=_MCFDBS_SIGN.search, holds="multicast"
)  # fmt: skip
