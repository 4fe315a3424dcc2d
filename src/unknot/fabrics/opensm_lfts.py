"""Linear forwarding tables as OpenSM dumps them (`opensm-lfts.dump`) and as `ibroute` / `dump_lfts.sh` print them.

LIDs without a route have no line. A table ends with its own count: OpenSM repeats the highest LID there, `ibroute`
gives the number of lines.
"""

from __future__ import annotations

import re
from array import array
from pathlib import Path

import numpy as np
import numpy.typing as npt

from unknot._base.errors import TextError
from unknot.fabrics.fabric import NO_ENTRY
from unknot.fabrics.fabric_text import LargeText, decimal, integer, row_starts
from unknot.fabrics.format import Format
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
    file = TableFile(path, lines)
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
            if isinstance(table.lids, array) and table.lids and table.lines[-1] - table.lines[0] < len(table.lids):
                pattern = _Pattern(lines.content[body:ended], table)
            table = None
        elif not _TITLE.match(line) and not file.is_noise(line, number) and at <= len(lines.content):
            raise file.error("a table dump has no such line; is it broken or cut off?", number)
    if not file.tables:
        raise TextError("no forwarding table in this file", path)
    file.note_noise()
    return file


class _Pattern:
    """The rows of a table but for their ports; those of the next table are often the same."""

    def __init__(self, rows: bytes, table: SwitchTable) -> None:
        self.lids = np.array(table.lids, dtype=np.int32)
        self.size = len(rows)
        self._places = row_starts(rows) + _PORT_AT
        self._rows = self._without_ports(rows)
        shown = np.frombuffer(rows, dtype=np.uint8)
        self._illegal = (np.asarray(table.ports) == NO_ENTRY) & (decimal(shown, self._places, 3) != NOT_ROUTED)

    def ports(self, content: bytes, at: int, bounds: tuple[int, int]) -> npt.NDArray[np.int32] | None:
        """The ports of the table whose rows begin at a byte; None unless all else is as in the last table."""
        rows = content[at : at + self.size]
        if len(rows) < self.size or self._without_ports(rows) != self._rows:
            return None
        ports = decimal(np.frombuffer(rows, dtype=np.uint8), self._places, 3)
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


_SIGN = re.compile(r"^Unicast lids \[|^\d+ (?:valid )?lids dumped", re.M)
FORMAT = Format("lfts", "OpenSM forwarding tables", (".lfts", ".dump"), read_lfts, sign=_SIGN.search, holds="tables")
