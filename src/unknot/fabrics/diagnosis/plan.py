"""Plans of cables: what a fabric is compared with in place of a recognised structure.

A plan is a CSV file with a line for each cable, UFM's `topoconfig` (GUIDs and ports of both ends), or an older
description of the fabric. Names of columns may differ: the first of each end is its node, the next its port.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from unknot._base.errors import TextError
from unknot._base.input import read_lines
from unknot._base.packed import is_folder
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.format import FabricText, row_of

End = tuple[str, int]
"""A node by GUID, as ``0x…``, or by name, and a port; 0: any."""
PlannedCable = frozenset[End]

_TOPOCONFIG = re.compile(r"^\s*0x([0-9a-f]{1,16}),(\d{1,3}),0x([0-9a-f]{1,16}),(\d{1,3})(?:,\w*,\w*)?\s*$", re.I)
_NODE = re.compile(r"node|name|device|guid|switch|host|system|^source$|^target$|^from$|^to$|^[abz]$", re.I)
_PORT = re.compile(r"port", re.I)
_NUMBER = re.compile(r"(?:^|[^0-9])(\d{1,3})$")


@dataclass(frozen=True)
class CablePlan:
    """Cables that were planned, each as the set of its ends; and where the plan is from."""

    where: str
    cables: frozenset[PlannedCable]

    @property
    def nodes(self) -> frozenset[str]:
        """All nodes of the plan."""
        return frozenset(name for cable in self.cables for name, _ in cable)


def read_plan(path: Path) -> CablePlan:
    """Read a plan of cables.

    Raises
    ------
    TextError
        With file, line and column: a row that lacks a node or a port, a cable from a port to itself, a port with two
        cables.
    """
    from unknot.fabrics.formats import FORMATS, kind_of
    from unknot.fabrics.reading import read_fabric

    if is_folder(path):
        return plan_of(read_fabric(path))
    lines = read_lines(path)
    file = FabricText(path, lines)
    content = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and line.lstrip()[0] != "#"]
    if content and _TOPOCONFIG.match(content[0][1]):
        return _checked(file, [(number, *_ends_of_guids(file, number, line)) for number, line in content])
    kind = kind_of(path)
    if kind is not None and FORMATS[kind].holds == "fabric":
        return plan_of(read_fabric(path))
    if not content:
        raise TextError("no cable in this plan", path)
    columns = _columns(file, *content[0])
    return _checked(file, [(number, *_ends_of_row(file, number, line, columns)) for number, line in content[1:]])


def _checked(file: FabricText, rows: list[tuple[int, End, End]]) -> CablePlan:
    """Make a plan of rows, in which each port has one cable."""
    far_of: dict[End, tuple[End, int]] = {}
    for number, a, b in rows:
        if a == b:
            raise file.error(f"a cable from port {a[1]} of {a[0]} to itself", number, 1)
        for near, far in ((a, b), (b, a)):
            known, first = far_of.setdefault(near, (far, number))
            if known != far and near[1]:
                words = f"port {near[1]} of {near[0]} has a second cable; line {first} leads it to {known[0]}"
                raise file.error(words, number, 1)
    return CablePlan(str(file.where), frozenset(frozenset((a, b)) for _, a, b in rows))


def _ends_of_guids(file: FabricText, number: int, line: str) -> tuple[End, End]:
    match = _TOPOCONFIG.match(line)
    if match is None:
        raise file.error("a line of topoconfig has GUID, port, GUID and port of a cable", number, 1)
    return (f"0x{int(match[1], 16):016x}", int(match[2])), (f"0x{int(match[3], 16):016x}", int(match[4]))


def _columns(file: FabricText, number: int, line: str) -> tuple[int, int, int, int]:
    """Columns of node and port of both ends, by their headings."""
    heads = row_of(line)
    ports = [i for i, head in enumerate(heads) if _PORT.search(head)]
    nodes = [i for i, head in enumerate(heads) if _NODE.search(head) and i not in ports]
    if len(ports) < 2 or len(nodes) < 2:
        raise file.error(
            "a plan of cables has a heading with node and port of both ends, such as `source,source port,target,"
            "target port`; other plans are UFM's topoconfig and older descriptions of the fabric",
            number,
            1,
        )
    middle = ports[0] if ports[0] > nodes[0] else nodes[1]
    second = next((i for i in nodes if i > middle), nodes[1])
    return nodes[0], ports[0], second, ports[1]


def _ends_of_row(file: FabricText, number: int, line: str, columns: tuple[int, int, int, int]) -> tuple[End, End]:
    cells = row_of(line)
    if len(cells) <= max(columns):
        raise file.error(f"{max(columns) + 1} cells are needed, not {len(cells)}", number, 1)
    ends = []
    for node, port in (columns[:2], columns[2:]):
        match = _NUMBER.search(cells[port])
        if not cells[node] or (cells[port] and match is None):
            raise file.error(
                f"a node and the number of its port are needed, not {cells[node][:40]!r} and {cells[port][:40]!r}",
                number,
                max(0, line.find(cells[port])) + 1,
            )
        name = cells[node].lower() if cells[node].lower().startswith("0x") else cells[node]
        name = f"0x{int(name, 16):016x}" if re.fullmatch(r"0x[0-9a-f]{1,16}", name) else name
        ends.append((name, int(match[1]) if match else 0))
    return ends[0], ends[1]


def plan_of(fabric: Fabric) -> CablePlan:
    """Return all cables of a fabric as a plan, by GUIDs."""
    return CablePlan(fabric.fabric_file, frozenset(cables_by_guid(fabric)))


def cables_by_guid(fabric: Fabric) -> list[PlannedCable]:
    """Return the ends of each cable of a fabric; ports of hosts are 0, any, since one adapter has few."""
    ends = (fabric.plugs(cable, fabric.node_guid) for cable in fabric.cables)
    return [frozenset((f"0x{guid:016x}", port) for guid, port in pair) for pair in ends]
