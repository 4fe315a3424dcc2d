"""Link lists (`.lst`) as OpenSM and the ibutils write them: one line per cabled port, numbers in hexadecimal.

They have no LMC, and some ibutils files call every node a CA. A node that shows one LID and one port GUID on several
ports is a switch all the same: a channel adapter has a LID of its own on each port.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from unknot._base.errors import TextError
from unknot._base.input import read_lines
from unknot.fabrics.cabling import Cabling, Node
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.format import Format

_HEX16 = "[0-9a-fA-F]{16}"
_SIDE = (
    rf"\{{ (SW|CA|Rt|RT)(?:-SM)? Ports:([0-9a-fA-F]{{2}}) SystemGUID:{_HEX16} NodeGUID:({_HEX16}) "
    rf"PortGUID:({_HEX16}) "
    r"VenID:[0-9a-fA-F]+ DevID:[0-9a-fA-F]+ Rev:[0-9a-fA-F]+ \{(.*?)\} LID:([0-9a-fA-F]{4}) PN:([0-9a-fA-F]{2}) \}"
)
_LINE = re.compile(rf"^{_SIDE} {_SIDE} PHY=(?:\d+x|\?\?) LOG=(ACT|ARM|INI|DWN)(?: SPD=\S+)?\s*$")

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
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.match(line)
        if match is None:
            raise TextError("this is no line of a link list; is it broken or cut off?", path, number, 0, line)
        a, b = match.group(*range(1, 8)), match.group(*range(8, 15))
        rows.append((number, a, b, match[15] == "ACT"))
    cabling = Cabling(path, lines)
    disguised = _disguised(rows)
    for number, near, far, up in rows:
        places = []
        for kind, ports, node_guid, port_guid, name, lid, port in (near, far):
            guid = int(node_guid, 16)
            switch = kind == "SW" or guid in disguised
            key = f"0x{guid:016x}"
            cabling.node(Node(key, switch, guid, name.strip(), int(ports, 16), number))
            place = (key, int(port, 16))
            cabling.address((key, 0) if switch else place, number, lid=int(lid, 16), guid=int(port_guid, 16))
            places.append(place)
        cabling.cable(places[0], places[1], number, up)
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


_SIGN = re.compile(r"^\{.* NodeGUID:[0-9a-fA-F]+ .*\bPN:", re.M)
FORMAT = Format("lst", "a link list (.lst)", (".lst",), read_subnet_list, sign=_SIGN.search, holds="fabric")
