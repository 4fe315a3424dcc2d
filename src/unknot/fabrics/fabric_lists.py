"""Cables of InfiniBand fabrics: output of `ibnetdiscover`, and link lists (`.lst`) of OpenSM and the ibutils.

`ibnetdiscover` (infiniband-diags) prints plainly, grouped (-g), fully (-f) or with progress lines (-s): a block per
node: identifiers, the node line, one line per cabled port with the far end. LIDs are decimal here. Tabs may be lost,
as on the way through a terminal. Error messages and terminal output between them are skipped and noted; a switch
whose line does not give its LID has the one that its cables name.

A link list has one line per cabled port, numbers in hexadecimal, and no LMC; some ibutils files call every node a CA.
A node that shows one LID and one port GUID on several ports is a switch all the same: a channel adapter has a LID of
its own on each port.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from unknot._base.errors import TextError
from unknot._base.input import read_lines
from unknot.fabrics.cabling import Cabling
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.format import Format
from unknot.fabrics.nodes import FabricNode
from unknot.fabrics.rates import Rate

_IGNORED = re.compile(
    r"^\s*$|^#|^(?:vendid|devid|sysimgguid)=0x[0-9a-f]+\s*(?:#.*)?$"
    r"|^Chassis [0-9]{1,9}(?: \(guid 0x[0-9a-f]+\))?\s*$|^Non-Chassis Nodes\s*$|^Hostname: "
    r'|^(?:DR path|Lid) .* -> .* \{[0-9a-f]{16}\} portnum [0-9]{1,9} lid [0-9]{1,9}-[0-9]{1,9} ".*"$'
)
_GUID = re.compile(r"^(switch|ca|rt)guid=0x([0-9a-f]{1,16})(?:\(([0-9a-f]{1,16})\))?\s*(?:#.*)?$")
_NODE = re.compile(
    r'^(Switch|Ca|Rt)\s*([0-9]{1,9})\s*"([SHR]-[0-9a-f]{16})"\s*# "(.*)"'
    r"(?: (?:base|enhanced) port 0 lid ([0-9]{1,9}) lmc ([0-7]))?(?: \(scp\))?\s*$"
)
_PORT = re.compile(
    r"^\[([0-9]{1,9})\](?:\[ext [0-9]{1,9}\])?(?:\(([0-9a-f]{1,16})\))?\s*"
    r'"([SHR]-[0-9a-f]{16})"\[([0-9]{1,9})\](?:\[ext [0-9]{1,9}\])?\s*(?:\(([0-9a-f]{1,16})\))?'
    r'\s*# (?:lid ([0-9]{1,9}) lmc ([0-7]) )?".*" lid ([0-9]{1,9})(?: ([0-9]+x)(\S*))?(?:\s.*)?$'
)
_LETTER = {"Switch": "S", "Ca": "H", "Rt": "R"}


def read_ibnetdiscover(path: str | Path) -> Fabric:
    """Read the output of `ibnetdiscover`; the fabric has no tables yet.

    Raises
    ------
    TextError
        With file and line: an unknown line, a link that is listed at one end only or contradicted, a LID that two
        ports have, a node without cable, a file that is cut off.
    """
    lines = read_lines(path, growth=40)
    cabling = Cabling(path, lines)
    node: FabricNode | None = None
    announced: tuple[str, int, int | None] | None = None
    silent: list[str] = []
    for number, line in enumerate(lines, start=1):
        if match := _PORT.match(line):
            if node is None or announced is not None:
                raise cabling.error("a port line must stand below the line of its node", number)
            _port(cabling, node, match, number)
        elif match := _NODE.match(line):
            node = _node(cabling, match, number, announced, silent)
            announced = None
        elif match := _GUID.match(line):
            if announced is not None:
                raise cabling.error("two GUID lines without a node line between them", number)
            announced = (match[1], int(match[2], 16), int(match[3], 16) if match[3] else None)
        elif not _IGNORED.match(line):
            cabling.stray(line, number, "ibnetdiscover output has")
    if announced is not None:
        raise cabling.error("the node line is missing; the file is cut off", len(lines))
    if silent:
        count = f"{len(silent)} switches do" if len(silent) > 1 else "1 switch does"
        cabling.notes.append(
            f"{count} not give the LID of port 0, the first {silent[0]}; those of the cables are used"
        )
    return cabling.finish()


def _node(
    cabling: Cabling,
    match: re.Match[str],
    line: int,
    announced: tuple[str, int, int | None] | None,
    silent: list[str],
) -> FabricNode:
    kind, ports, key, name, lid, lmc = match.groups()
    guid = int(key[2:], 16)
    if announced is None:
        raise cabling.error("the GUID line of this node is missing", line)
    if announced[:2] != (kind.lower(), guid):
        raise cabling.error(f"this node is {key}, but the GUID line above it says 0x{announced[1]:x}", line)
    if key[0] != _LETTER[kind] or (kind != "Switch" and lid is not None):
        raise cabling.error(f"a broken line of a {kind} node", line)
    node = cabling.node(FabricNode(key, kind == "Switch", guid, name.strip(), int(ports), line, kind == "Rt"))
    if node.switch and lid is None:
        cabling.address((key, 0), line, guid=announced[2])
        silent.append(cabling.called(key))
    elif node.switch:
        cabling.address((key, 0), line, lid=int(lid), lmc=int(lmc), guid=announced[2])
    return node


def _port(cabling: Cabling, node: FabricNode, match: re.Match[str], line: int) -> None:
    near = (node.key, int(match[1]))
    far = (match[3], int(match[4]))
    if node.switch != (match[6] is None) or node.switch != (match[2] is None):
        raise cabling.error(f"a broken port line of {node.name or node.key}", line)
    if not node.switch:
        cabling.address(near, line, lid=int(match[6]), lmc=int(match[7]), guid=int(match[2], 16))
    if far[0][0] == "S":
        cabling.address((far[0], 0), line, lid=int(match[8]))
    else:
        cabling.address(far, line, lid=int(match[8]), guid=int(match[5], 16) if match[5] else None)
    cabling.cable(near, far, line, rate=Rate.read(match[9], match[10]))


_IBNETDISCOVER_SIGN = re.compile(
    r'^(?:switchguid|caguid|rtguid|vendid)=0x|^# Topology file: |"[SHR]-[0-9a-f]{16}"', re.M
)
IBNETDISCOVER = Format(
    "ibnetdiscover", "ibnetdiscover output", (".ibnetdiscover",), read_ibnetdiscover,
    sign=_IBNETDISCOVER_SIGN.search, holds="fabric",
)  # fmt: skip


_HEX16 = "[0-9a-fA-F]{16}"
_SIDE = (
    rf"\{{ (SW|CA|Rt|RT)(?:-SM)? Ports:([0-9a-fA-F]{{2}}) SystemGUID:{_HEX16} NodeGUID:({_HEX16}) "
    rf"PortGUID:({_HEX16}) "
    r"VenID:[0-9a-fA-F]+ DevID:[0-9a-fA-F]+ Rev:[0-9a-fA-F]+ \{(.*?)\} LID:([0-9a-fA-F]{4}) PN:([0-9a-fA-F]{2}) \}"
)
_LINE = re.compile(rf"^{_SIDE} {_SIDE} PHY=(\d+x|\?\?) LOG=(ACT|ARM|INI|DWN)(?: SPD=(\S+))?\s*$")

_Side = tuple[str, ...]


def read_subnet_list(path: str | Path) -> Fabric:
    """Read a link list, plain or gzipped; the fabric has no tables yet. Links that are not active are no channels.

    Raises
    ------
    TextError
        With file and line: an unknown line, a link that is listed at one end only or contradicted, a LID that two
        ports have, a file that is cut off.
    """
    lines = read_lines(path)
    rows: list[tuple[int, _Side, _Side, bool]] = []
    run: list[Rate] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.match(line)
        if match is None:
            raise TextError("this is no line of a link list; is it broken or cut off?", path, number, 0, line)
        a, b = match.group(*range(1, 8)), match.group(*range(8, 15))
        rows.append((number, a, b, match[16] == "ACT"))
        run.append(Rate.read(match[15], match[17]))
    cabling = Cabling(path, lines)
    disguised = _disguised(rows)
    for (number, near, far, up), rate in zip(rows, run, strict=True):
        places = []
        for kind, ports, node_guid, port_guid, name, lid, port in (near, far):
            guid = int(node_guid, 16)
            switch = kind == "SW" or guid in disguised
            key = f"0x{guid:016x}"
            cabling.node(FabricNode(key, switch, guid, name.strip(), int(ports, 16), number))
            place = (key, int(port, 16))
            cabling.address((key, 0) if switch else place, number, lid=int(lid, 16), guid=int(port_guid, 16))
            places.append(place)
        cabling.cable(places[0], places[1], number, up, rate)
    if disguised:
        count = len(disguised)
        cabling.notes.append(f"{count} nodes are called CA but have one LID on several ports: taken as switches")
    return cabling.finish()


def _disguised(rows: list[tuple[int, _Side, _Side, bool]]) -> set[int]:
    """GUIDs of nodes called CA or router that are switches."""
    ports: dict[str, set[str]] = defaultdict(set)
    faces: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for _, *sides, _ in rows:
        for kind, _, node, port_guid, _, lid, port in sides:
            if kind != "SW":
                ports[node.lower()].add(port.lower())
                faces[node.lower()].add((port_guid.lower(), lid.lower()))
    return {int(node, 16) for node, links in ports.items() if len(links) > 1 and len(faces[node]) == 1}


_LST_SIGN = re.compile(r"^\{.* NodeGUID:[0-9a-fA-F]+ .*\bPN:", re.M)
LST = Format("lst", "a link list (.lst)", (".lst",), read_subnet_list, sign=_LST_SIGN.search, holds="fabric")
