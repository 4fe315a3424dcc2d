"""Multicast forwarding tables as OpenSM (`opensm.mcfdbs`) or infiniband-diags (`dump_mfts`, `ibroute -M`) dump them.

A row gives the ports to which a switch copies the packets of a multicast LID, all but the one they came in by. OpenSM
names them, `dump_mfts` has a cross below each of them, or with `-n` a mask: 16 ports in four digits, low ports first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from unknot._base.input import read_text
from unknot.fabrics.fabric import LAST_UNICAST, Fabric
from unknot.fabrics.fabric_text import FabricText
from unknot.fabrics.format import Format

_HEAD = re.compile(
    r"^(?:Switch 0x|Multicast mlids \[0x[0-9a-f]{1,4}-0x[0-9a-f]{1,4}\] of switch .* guid 0x)([0-9a-fA-F]{16})"
    r"(?: \(.*\):)?\s*$"
)
_TITLE = re.compile(
    r"^\s*$|^LID\s+: Out Port\(s\)\s*$|^\*\*\* WARNING \*\*\*: "
    r"|^ {12}[0-9][0-9 ]*$|^ {5}Ports: [0-9 ]+$|^ MLid(?: +Port Mask)?\s*$"
)
_ENTRY = re.compile(r"^0x([0-9a-fA-F]{4}) :((?:\s+0x[0-9a-fA-F]{3})*)\s*$")
_CROSSES = re.compile(r"^0x([0-9a-f]{4}) {6}((?:[x ] )*[x ]?)\s*$")
_MASK = re.compile(r"^0x([0-9a-f]{4}) {6}((?:[0-9a-f]{4}){1,16})\s*$")
_COUNT = re.compile(r"^([0-9]{1,6}) (?:valid )?mlids dumped\s*$")
LAST_MULTICAST = 0xFFFE


@dataclass
class MulticastFile(FabricText):
    """Rows of one file: (node GUID of the switch, multicast LID, output ports, line)."""

    rows: list[tuple[int, int, tuple[int, ...], int]] = field(default_factory=list)


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
        if row := _row(line):
            if switch is None:
                raise file.error("a row outside a table; the line that names its switch is missing", number)
            mlid, ports = row
            if not LAST_UNICAST < mlid <= LAST_MULTICAST:
                raise file.error(
                    f"0x{mlid:04x} is no multicast LID (0x{LAST_UNICAST + 1:04x} to 0x{LAST_MULTICAST:04x})", number
                )
            if seen.setdefault(mlid, number) != number:
                raise file.error(f"a second row of LID 0x{mlid:04x}; line {seen[mlid]} was the first", number)
            if len(set(ports)) < len(ports) or max(ports, default=0) > 254:
                raise file.error("ports are different numbers from 0 to 254", number)
            file.rows.append((switch, mlid, ports, number))
        elif match := _HEAD.match(line):
            switch, seen = int(match[1], 16), {}
            if tables.setdefault(switch, number) != number:
                raise file.error(f"a second table of switch 0x{switch:016x}; line {tables[switch]} began one", number)
        elif match := _COUNT.match(line):
            if int(match[1]) != len(seen):
                raise file.error(f"rows above: {len(seen)}, not {match[1]}; is the file cut off?", number)
        elif not _TITLE.match(line) and not file.is_noise(line, number):
            raise file.error("multicast tables have no such line; is it broken or cut off?", number)
    file.note_noise()
    return file


def _row(line: str) -> tuple[int, tuple[int, ...]] | None:
    """The multicast LID and the output ports of a row, in any of the three forms."""
    if match := _ENTRY.match(line):
        return int(match[1], 16), tuple(int(port, 16) for port in match[2].split())
    if match := _MASK.match(line):
        words = [int(match[2][i : i + 4], 16) for i in range(0, len(match[2]), 4)]
        return int(match[1], 16), tuple(
            16 * w + i for w, word in enumerate(words) for i in range(16) if word >> i & 1
        )
    if match := _CROSSES.match(line):
        return int(match[1], 16), tuple(i // 2 for i, mark in enumerate(match[2]) if mark == "x")
    return None


def with_multicast(fabric: Fabric, file: MulticastFile) -> Fabric:
    """The fabric with its multicast tables.

    Raises
    ------
    TextError
        If a table belongs to no switch of the fabric, or copies to a port that its switch does not have.
    """
    router = fabric.router_of
    copies = []
    for guid, mlid, ports, line in file.rows:
        if guid not in router:
            raise file.error(
                f"{fabric.fabric_file} has no switch 0x{guid:016x}; do fabric and multicast tables belong together?",
                line,
            )
        r = router[guid]
        if max(ports, default=0) > fabric.switch_ports[r]:
            name = fabric.network.router_name(r)
            raise file.error(f"{name} has ports 0 to {fabric.switch_ports[r]}, not {max(ports)}", line)
        copies += [(mlid, r, port) for port in ports]
    rows = np.array(sorted(copies), dtype=np.int32).reshape(-1, 3)
    notes = (*fabric.notes, *file.notes) if file.rows else (*fabric.notes, f"{file.where} has no multicast group")
    return replace(fabric, multicast=rows, multicast_file=str(file.where), notes=notes)


_SIGN = re.compile(r"^Switch 0x[0-9a-fA-F]{16}\s*\nLID\s+: Out Port\(s\)|^Multicast mlids \[0x", re.M)
FORMAT = Format(
    "mcfdbs", "OpenSM multicast tables", (".mcfdbs",), read_mcfdbs, sign=_SIGN.search, holds="multicast"
)  # fmt: skip
