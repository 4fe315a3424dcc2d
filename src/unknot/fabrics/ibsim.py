"""Network files of the InfiniBand simulator `ibsim`: nodes with quoted names and their cabled ports; no LIDs."""

from __future__ import annotations

import re
from pathlib import Path

from unknot.fabrics.cabling import Cabling, Node
from unknot.fabrics.text import read_lines
from unknot.network import Network

_NODE = re.compile(r'^(Switch|Hca|Ca)\s+(\d+)\s+"([^"]+)"\s*(?:#.*)?$')
_PORT = re.compile(r'^\[(\d+)\]\s+"([^"]+)"\s*\[(\d+)\]\s*(?:#.*)?$')


def read_ibsim(path: str | Path) -> Network:
    """Read an `ibsim` network in which every cable is listed at both ends. Routers and terminals in file order.

    Raises
    ------
    TextError
        With file and line: an unknown line, or a link that is listed at one end only or contradicted.
    """
    lines = read_lines(path)
    cabling = Cabling(path, lines)
    node: Node | None = None
    for number, line in enumerate(lines, start=1):
        if match := _NODE.match(line):
            kind, ports, name = match.groups()
            node = cabling.node(Node(name, kind == "Switch", 0, name, int(ports), number))
        elif match := _PORT.match(line):
            if node is None:
                raise cabling.error("a port line must stand below the line of its node", number)
            cabling.cable((node.key, int(match[1])), (match[2], int(match[3])), number)
        elif line.strip() and not line.startswith("#"):
            raise cabling.error("an ibsim network has no such line; is it broken or cut off?", number)
    return cabling.finish(ordered_by_guid=False).network
