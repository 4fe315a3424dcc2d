"""Forwarding tables with hop counts as older OpenSM versions and the ibutils dump them (`opensm.fdbs`).

Every LID up to the highest has a line, UNREACHABLE where there is no route.
"""

from __future__ import annotations

import re
from pathlib import Path

from unknot.errors import TextError
from unknot.fabrics.fabric import NO_ENTRY
from unknot.fabrics.format import Format
from unknot.fabrics.tables import SwitchTable, TableFile
from unknot.input import read_lines

_HEAD = re.compile(r"^\w*dump_ucast_routes: Switch 0x([0-9a-fA-F]{16})\s*$")
_TITLE = re.compile(r"^LID\s*: Port : Hops : Optimal\s*$")
_ENTRY = re.compile(
    r"^0x([0-9a-fA-F]{4})\s*: (?:(UNREACHABLE)|([0-9]{3})\s*: "
    r"(?:HOPS UNKNOWN|\d{2,3}\s*: (?:yes|No \d+ hop path possible via port \d+!)))\s*$"
)


def read_fdbs(path: str | Path) -> TableFile:
    """Read tables with hop counts; the hop counts are not used.

    Raises
    ------
    TextError
        With file and line: an unknown line, a table without title, a missing or repeated LID, a second table of a
        switch.
    """
    lines = read_lines(path)
    file = TableFile(path, lines, lists_all=True)
    table: SwitchTable | None = None
    titled = False
    for number, line in enumerate(lines, start=1):
        if match := _ENTRY.match(line):
            if table is None or not titled:
                raise file.error("an entry outside a table; the lines that begin a table are missing", number)
            lid, port = int(match[1], 16), NO_ENTRY if match[2] else int(match[3])
            if lid != len(table.entries) + 1 or port > 255:
                raise file.error(f"the entry for LID 0x{len(table.entries) + 1:04x} should stand here", number)
            file.enter(table, lid, NO_ENTRY if port == 255 else port, number)
        elif match := _HEAD.match(line):
            if table is not None and not table.entries:
                raise file.error(f"the table begun in line {table.line} is empty", number)
            table, titled = file.open(int(match[1], 16), number), False
        elif table is not None and not titled and _TITLE.match(line):
            titled = True
        elif line.strip():
            raise file.error("a table dump has no such line; is it broken or cut off?", number)
    if table is None or not table.entries:
        raise TextError("no forwarding table in this file, or the last one is cut off", path)
    return file


_SIGN = re.compile(r"^\w*dump_ucast_routes: Switch|^LID\s*: Port : Hops : Optimal", re.M)
FORMAT = Format(
    "fdbs", "OpenSM forwarding tables with hop counts", (".fdbs",), read_fdbs, sign=_SIGN.search, holds="tables"
)
