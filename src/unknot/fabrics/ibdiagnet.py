"""Cables of InfiniBand fabrics as `ibdiagnet` lists them: `ibdiagnet2.net_dump` and `ibdiagnet2.db_csv`.

`net_dump` has a block for each switch, with a line for each port; names of columns differ with the version. Hosts are
far ends alone. `db_csv` has a table in each section from ``START_…`` to ``END_…``: nodes, ports, and the cables, each
once, which older versions leave out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from unknot._base.errors import TextError
from unknot._base.input import read_lines
from unknot.fabrics.cabling import Cabling
from unknot.fabrics.fabric import MOST_LMC, Fabric
from unknot.fabrics.format import FabricText, Format, integer, row_of
from unknot.fabrics.nodes import FabricNode, Place
from unknot.fabrics.rates import Rate

Row = dict[str, tuple[str, int]]
"""Cells of a line by the names of their columns, each with its column in the text."""

_HEAD = re.compile(r'^"(.*)", [^,]*, 0x([0-9a-fA-F]{1,16}), LID ([0-9]{1,5})\s*$')
_SWITCH_NAME = re.compile(r"^MF0;|/U[0-9]+$")
"""Names of switches that have no block, because the file is cut off."""


def read_net_dump(path: str | Path) -> Fabric:
    """Read `ibdiagnet2.net_dump`; the fabric has no tables yet. Links that are not active are no channels.

    Raises
    ------
    TextError
        With file, line and column: an unknown line, a port outside a block, a cable that is contradicted, or listed
        at one of two switches, a LID that two ports have.
    """
    lines = read_lines(path)
    cabling = Cabling(path, lines)
    switch: FabricNode | None = None
    names: list[str] = []
    rows: list[tuple[FabricNode, Row, int]] = []
    for number, line in enumerate(lines, start=1):
        if match := _HEAD.match(line):
            guid = int(match[2], 16)
            switch = cabling.node(FabricNode(f"S-{guid:016x}", True, guid, match[1].strip(), 0, number))
            cabling.address((switch.key, 0), number, lid=int(match[3]), guid=guid)
            names = []
        elif not line.strip() or (line.lstrip()[0] == "#" and (switch is None or names)):
            continue
        elif line.lstrip()[0] == "#":
            names = ["#", *(name.strip() for name in line.split(":")[1:])]
        elif switch is not None and names and line.count(":") >= len(names) - 1:
            rows.append((switch, _cells(line, names), number))
        else:
            cabling.stray(line, number, "a net_dump has", column=1)
    ports = {(switch.key, row["#"][0]): number_in(cabling, row, ("IB#", "#"), line) for switch, row, line in rows}
    for switch, row, number in rows:
        _cable(cabling, switch, row, ports, number)
    blocks = [node for node in cabling.nodes.values() if node.switch]
    alike = [node.num_ports for node in blocks if node.name.endswith(blocks[-1].name.rpartition(":")[2])]
    if blocks and blocks[-1].num_ports < max(alike):
        raise cabling.error(f"{blocks[-1].name} has {max(alike)} ports; is the file cut off?", len(lines))
    if not cabling.cables:
        raise TextError("no cable in this file; is it cut off?", path)
    for node in [node for node in cabling.nodes.values() if node.switch]:
        if node.key not in {near[0] for near in cabling.cables}:
            del cabling.nodes[node.key]
    return cabling.finish()


def _cells(line: str, names: list[str]) -> Row:
    """Cells of a line; the last one may hold the character between them."""
    cells, at = {}, 0
    for name, cell in zip(names, line.split(":", len(names) - 1), strict=True):
        cells[name] = cell.strip(), at + len(cell) - len(cell.lstrip()) + 1
        at += len(cell) + 1
    return cells


def number_in(cabling: FabricText, row: Row, names: tuple[str, ...], line: int) -> int:
    """The whole number in the first of some columns that is there."""
    cell, column = next((row[name] for name in names if name in row), ("", 0))
    if not re.fullmatch(r"0x[0-9a-fA-F]{1,16}|[0-9]{1,9}", cell):
        raise cabling.error(f"a whole number is needed as {names[0]}, not {cell[:40]!r}", line, column)
    return integer(cell)


def _cable(cabling: Cabling, switch: FabricNode, row: Row, ports: dict[tuple[str, str], int], line: int) -> None:
    port = ports[switch.key, row["#"][0]]
    switch.num_ports = max(switch.num_ports, port)
    state, guid = row.get("Sta", ("", 0))[0], row.get("Neighbor Guid", ("", 0))[0]
    if not guid:
        return
    far_guid = number_in(cabling, row, ("Neighbor Guid",), line)
    quoted, column = row.get("Neighbor Description", ("", 0))
    if quoted.count('"') == 1 or not quoted:
        raise cabling.error("the name of the far end has no end; is the file cut off?", line, column)
    far_name = quoted.strip('" ')
    lid = number_in(cabling, row, ("NLID",), line)
    label, column = row.get("N#", ("", 0))
    far_key = f"S-{far_guid:016x}"
    rate = Rate.read(row.get("LWA", ("", 0))[0], row.get("LSA", ("", 0))[0])
    if far_key not in cabling.nodes and _SWITCH_NAME.search(far_name):
        raise cabling.error(f"{far_name} has no block in this file; is it cut off?", line, 1)
    if far_key in cabling.nodes:
        far_port = ports.get((far_key, label), int(label) if re.fullmatch("[0-9]{1,5}", label) else 0)
        if not far_port:
            raise cabling.error(
                f"{cabling.called(far_key)} has no port {label[:40]!r}; is the file cut off?", line, column
            )
        cabling.address((far_key, 0), line, lid=lid)
        cabling.cable((switch.key, port), (far_key, far_port), line, state == "ACT", rate)
        return
    far: Place = f"H-{far_guid:016x}", int(label) if re.fullmatch("[0-9]{1,3}", label) else 1
    host = cabling.nodes.setdefault(far[0], FabricNode(far[0], False, far_guid, far_name, far[1], line))
    host.num_ports = max(host.num_ports, far[1])
    cabling.address(far, line, lid=lid)
    cabling.both((switch.key, port), far, line, state == "ACT", rate)


_NET_DUMP_SIGN = re.compile(r'^"[^\n"]{1,200}", \w{1,40}, 0x[0-9a-fA-F]{1,16}, LID [0-9]', re.M)
NET_DUMP = Format(
    "netdump", "cables by ibdiagnet", (".net_dump",), read_net_dump, sign=_NET_DUMP_SIGN.search, holds="fabric"
)


_START = re.compile(r"^START_(\w+)\s*$")
_WIDTHS = {1: "1x", 2: "4x", 4: "8x", 8: "12x", 16: "2x"}
_SPEEDS = {
    1: "SDR", 2: "DDR", 4: "QDR", 256: "FDR", 512: "EDR", 1024: "HDR", 2048: "NDR", 4096: "XDR", 1 << 16: "FDR10",
    1 << 17: "EDR20",
}  # fmt: skip
"""Bits of speeds; the highest bit of an active speed counts."""
_ACTIVE, _SWITCH, _ROUTER = 4, 2, 3
"""Codes of a state of ports, and of types of nodes."""


def read_db_csv(path: str | Path) -> Fabric:
    """Read nodes, ports and cables of `ibdiagnet2.db_csv`; the fabric has no tables yet.

    Raises
    ------
    TextError
        With file, line and column: a section that is cut off, missing, or lacks a column, a cable of a node or port
        that is not listed, a LID that two ports have.
    """
    lines = read_lines(path)
    cabling = Cabling(path, lines)
    keys: dict[int, str] = {}
    for row, line in section(cabling, lines, "NODES", ("NodeDesc", "NumPorts", "NodeType", "NodeGUID")):
        guid, kind = number_in(cabling, row, ("NodeGUID",), line), number_in(cabling, row, ("NodeType",), line)
        keys[guid] = f"{'S' if kind == _SWITCH else 'H'}-{guid:016x}"
        count = number_in(cabling, row, ("NumPorts",), line)
        name = row["NodeDesc"][0].strip()
        cabling.node(FabricNode(keys[guid], kind == _SWITCH, guid, name, count, line, kind == _ROUTER))

    def place(row: Row, guid: str, port: str, line: int) -> Place:
        number = number_in(cabling, row, (guid,), line)
        if number not in keys:
            raise cabling.error(f"section NODES has no node 0x{number:016x}", line, row[guid][1])
        return keys[number], number_in(cabling, row, (port,), line)

    rates: dict[Place, tuple[Rate, bool]] = {}
    wanted = ("NodeGuid", "PortGuid", "PortNum", "LID", "LMC", "LinkWidthActv", "LinkSpeedActv", "PortState")
    for row, line in section(cabling, lines, "PORTS", wanted):
        near = place(row, "NodeGuid", "PortNum", line)
        state, width, speed, lid, lmc, guid = (
            number_in(cabling, row, (name,), line)
            for name in ("PortState", "LinkWidthActv", "LinkSpeedActv", "LID", "LMC", "PortGuid")
        )
        rates[near] = Rate(_WIDTHS.get(width, ""), _SPEEDS.get(1 << speed.bit_length() >> 1, "")), state == _ACTIVE
        if cabling.nodes[near[0]].switch == (near[1] == 0):
            if lmc > MOST_LMC:
                raise cabling.error(f"an LMC is at most {MOST_LMC}, not {lmc}", line, row["LMC"][1])
            cabling.address(near, line, lid=lid, lmc=lmc, guid=guid)
    for row, line in section(cabling, lines, "LINKS", ("NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2")):
        near, far = place(row, "NodeGuid1", "PortNum1", line), place(row, "NodeGuid2", "PortNum2", line)
        missing = next((end for end in (near, far) if end not in rates), None)
        if missing is not None:
            raise cabling.error(f"section PORTS has no port {cabling.port(missing)}", line, 1)
        rate, up = rates[near]
        cabling.both(near, far, line, up and rates[far][1], rate, rates[far][0])
    cabled = {near[0] for near in cabling.cables}
    for key in [key for key, node in cabling.nodes.items() if key not in cabled]:
        del cabling.nodes[key]
    return cabling.finish()


def section(
    cabling: FabricText, lines: list[str], wanted: str, columns: tuple[str, ...]
) -> Iterator[tuple[Row, int]]:
    """Rows of a section, with their lines."""
    names: list[str] = []
    inside, begun = "", 0
    for number, line in enumerate(lines, start=1):
        if match := _START.match(line):
            inside, begun, names = match[1], number, []
        elif inside != wanted or not line.strip():
            continue
        elif line.startswith("END_"):
            return
        elif not names:
            names = [name.strip() for name in line.split(",")]
            lacking = [name for name in columns if name not in names]
            if lacking:
                raise cabling.error(f"section {wanted} has no column {lacking[0]}", number, 1)
        else:
            cells = row_of(line)
            if len(cells) != len(names):
                raise cabling.error(f"{len(names)} cells are needed in a row, not {len(cells)}", number, len(line))
            yield {name: (cell, max(0, line.find(cell)) + 1) for name, cell in zip(names, cells, strict=True)}, number
    if inside == wanted:
        raise cabling.error(f"section {wanted} has no end; the file is cut off", begun)
    raise TextError(
        f"no section {wanted} in this file"
        + ("; give ibdiagnet2.net_dump or .lst, which have cables" if wanted == "LINKS" else ""),
        cabling.where,
    )


DB_CSV = Format(
    "dbcsv", "tables of ibdiagnet", (".db_csv",), read_db_csv, holds="fabric",
    sign=re.compile(r"^START_NODES\r?\n[^\n]{0,200}\bNodeDesc,", re.M).search,
)  # fmt: skip
