"""Forwarding tables with hop counts as older OpenSM versions and the ibutils dump them (`opensm.fdbs`).

Every LID up to the highest has a line, UNREACHABLE where there is no route.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import numpy.typing as npt

from unknot._base.errors import TextError
from unknot.fabrics.fabric import NO_ENTRY
from unknot.fabrics.fabric_text import LargeText, decimal, hexadecimal, row_starts
from unknot.fabrics.format import Format
from unknot.fabrics.tables import NOT_ROUTED, SwitchTable, TableFile

_HEAD = re.compile(r"^\w*dump_ucast_routes: Switch 0x([0-9a-fA-F]{16})\s*$")
_TITLE = re.compile(r"^LID\s*: Port : Hops : Optimal\s*$")
_ENTRY = re.compile(
    r"^0x([0-9a-fA-F]{4})\s*: (?:(UNREACHABLE)|([0-9]{3})\s*: "
    r"(?:HOPS UNKNOWN|\d{2,3}\s*: (?:yes|No \d+ hop path possible via port \d+!)))\s*$"
)


_RUN = re.compile(
    rb"(?>0x[0-9a-fA-F]{4} : (?:UNREACHABLE|[0-9]{3} {1,2}: "
    rb"(?:\d{2,3} {1,3}: (?:yes|No \d+ hop path possible via port \d+!)|HOPS UNKNOWN))\n)++"
)
"""Rows in the form that OpenSM writes."""
_PORT_AT = 9
"""Offset of the port in a row."""


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
        if match := _ENTRY.match(line):
            if table is None or not titled:
                file.astray += 1
                continue
            lid, port = int(match[1], 16), NO_ENTRY if match[2] else int(match[3])
            if port > NOT_ROUTED:
                raise file.error(f"port {port}: ports are at most {NOT_ROUTED}", number)
            file.enter(table, lid, NO_ENTRY if port == NOT_ROUTED else port, number)
        elif match := _HEAD.match(line):
            table, titled = file.open(int(match[1], 16), number), False
        elif not titled and _TITLE.match(line):
            titled = table is not None  # else the beginning is cut off, with the switch that the entries are of
        elif line.strip() and not file.is_noise(line, number) and at <= len(lines.content):
            raise file.error("a table dump has no such line; is it broken or cut off?", number)
    if not file.tables:
        raise TextError("no forwarding table in this file", path)
    file.note_noise()
    return file


def _rows(text: bytes) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] | None:
    """LIDs and ports of whole rows; None unless the LIDs are 1, 2, 3, …"""
    content, begin = np.frombuffer(text, dtype=np.uint8), row_starts(text)
    lids, ports = hexadecimal(content, begin + 2, 4), decimal(content, begin + _PORT_AT, 3)
    if ports.max() > NOT_ROUTED or not np.array_equal(lids, np.arange(1, lids.size + 1)):
        return None
    return lids, np.where((ports < 0) | (ports == NOT_ROUTED), np.int32(NO_ENTRY), ports)


_SIGN = re.compile(r"^\w*dump_ucast_routes: Switch|^LID\s*: Port : Hops : Optimal", re.M)
FORMAT = Format(
    "fdbs", "OpenSM forwarding tables with hop counts", (".fdbs",), read_fdbs, sign=_SIGN.search, holds="tables"
)
