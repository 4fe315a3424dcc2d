"""Snapshots of Omni-Path fabrics (`opareport -o snapshot`), with forwarding tables where made with ``-r`` (routes).

An XML document lists nodes with their ports, and each cable once. Switches have a linear forwarding table, and groups
of ports where they route adaptively. Maps of service channels are not read.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from unknot._base.input import read_lines
from unknot._base.phrases import few
from unknot.fabrics.cabling import Cabling
from unknot.fabrics.fabric import MOST_LMC, NO_ENTRY, Fabric
from unknot.fabrics.format import Format
from unknot.fabrics.nodes import FabricNode, Place
from unknot.fabrics.rates import Rate
from unknot.fabrics.tables import NOT_ROUTED, TableFile, join
from unknot.fabrics.xml_file import XmlElement, read_xml

_KINDS = {"FI": False, "SW": True, "1": False, "2": True}
_SPEEDS = {"25Gb": "EDR", "50Gb": "HDR"}
"""Speeds by the names of those of InfiniBand at the same rate of a lane."""


def read_snapshot(path: str | Path) -> Fabric:
    """Read a snapshot, with its forwarding tables where it has some.

    Raises
    ------
    TextError
        With file and line: what is no XML, a part that is missing, a cable of a node or port that is not listed, a
        contradiction, a LID that two ports have.
    """
    root = read_xml(path)
    lines = read_lines(path)
    if root.tag != "Snapshot":
        raise root.error("a Snapshot is needed")
    cabling = Cabling(path, lines)
    tables = TableFile(path, lines)
    rates: dict[Place, tuple[Rate, bool]] = {}
    grouped: list[str] = []
    for node in root.findall("./Nodes/Node"):
        guid = _number(node, "NodeGUID", 64)
        kind = _KINDS.get(_text(node, "NodeType") or _text(node, "NodeType_Int"))
        if kind is None:
            raise node.error("NodeType is FI or SW")
        key, name = f"{'S' if kind else 'H'}-{guid:016x}", _text(node, "NodeDesc")
        cabling.node(FabricNode(key, kind, guid, name, _number(node, "NumPorts", 8), node.line))
        for port in node.findall("PortInfo"):
            _port(cabling, key, kind, port, rates)
        for data in node.findall("SwitchData"):
            _table(tables, guid, data)
            grouped += [name or key] if data.find("./PortGroupFDB/Value") is not None else []
    keys = {node.guid: key for key, node in cabling.nodes.items()}
    for link in root.findall("./Links/Link"):
        near, far = (_end(link, name, keys) for name in ("From", "To"))
        missing = next((end for end in (near, far) if end not in rates), None)
        if missing is not None:
            raise link.error(f"the snapshot has no port {cabling.port(missing)}")
        up = rates[near][1] and rates[far][1]
        cabling.both(near, far, link.line, up, rates[near][0], rates[far][0])
    cabled = {near[0] for near in cabling.cables}
    for key in [key for key in cabling.nodes if key not in cabled]:
        del cabling.nodes[key]
    fabric = cabling.finish()
    if grouped:
        fabric = replace(fabric, adaptive=(f"{Path(path).name} (groups of ports that {few(grouped)} choose from)",))
    tables.tables = {guid: table for guid, table in tables.tables.items() if keys.get(guid) in cabled}
    return join(fabric, tables) if tables.tables else fabric


def _text(element: XmlElement, name: str) -> str:
    return (element.findtext(name) or "").strip()


def _number(element: XmlElement, name: str, bits: int) -> int:
    """The whole number in a part of an element."""
    return _whole(element, name, _text(element, name), bits)


def _whole(element: XmlElement, name: str, text: str, bits: int) -> int:
    """The whole number that a text of an element is, decimal or hexadecimal."""
    known = re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}|[0-9]{1,19}", text)
    number = int(text, 16 if text[1:2] in ("x", "X") else 10) if known else -1
    if not 0 <= number < 1 << bits:
        raise element.error(f"{name} is a whole number of at most {bits} bits, not {text[:40]!r}")
    return number


def _port(cabling: Cabling, key: str, switch: bool, port: XmlElement, rates: dict[Place, tuple[Rate, bool]]) -> None:
    number = _number(port, "PortNum", 8)
    place = key, number
    width = _text(port, "LinkWidthActive") or _text(port, "LinkWidthActive_Int")
    speed = _SPEEDS.get(_text(port, "LinkSpeedActive"), "")
    rates[place] = Rate.read(f"{width}x", speed), _text(port, "PortState") in ("Active", "")
    if switch == (number == 0):
        lmc = _number(port, "LMC", 8) if _text(port, "LMC") else 0
        if lmc > MOST_LMC:
            raise port.error(f"an LMC is at most {MOST_LMC}, not {lmc}")
        lid = _number(port, "EndPortLID" if _text(port, "EndPortLID") else "LID", 32)
        guid = _number(port, "GUID", 64) if _text(port, "GUID") else None
        cabling.address(place, port.line, lid=lid, lmc=lmc, guid=guid)


def _table(tables: TableFile, guid: int, data: XmlElement) -> None:
    """Add the forwarding table of a switch; a LID without a value has no route."""
    for found in data.findall("LinearFDB"):
        table = tables.open(guid, found.line)
        for entry in found.findall("Value"):
            port = entry.text.strip() if entry.text else ""
            if not re.fullmatch("[0-9]{1,3}", port) or int(port) > NOT_ROUTED:
                raise entry.error(f"a port is a number from 0 to {NOT_ROUTED}, not {port[:40]!r}")
            lid = _whole(entry, "LID", entry.word("LID"), 16)
            tables.enter(table, lid, NO_ENTRY if int(port) == NOT_ROUTED else int(port), entry.line)
        size = _number(data, "LinearFDBSize", 32) if _text(data, "LinearFDBSize") else 0
        table.last, table.ended = min(size, 1 << 16) - 1, found.line


def _end(link: XmlElement, name: str, keys: dict[int, str]) -> Place:
    end = link.find(name)
    if not isinstance(end, XmlElement):
        raise link.error(f"{name} is missing")
    guid = _number(end, "NodeGUID", 64)
    if guid not in keys:
        raise end.error(f"the snapshot has no node 0x{guid:016x}")
    return keys[guid], _number(end, "PortNum", 8)


FORMAT = Format(
    "opareport", "a snapshot of opareport", (".snapshot",), read_snapshot, holds="fabric",
    sign=re.compile(r"^<Snapshot [^>\n]{0,400}\bunixtime=", re.M).search,
)  # fmt: skip
