"""Lists of ports with a line for each: output of `ibnetdiscover -p`, and the port CSV that UFM exports.

A line of `ibnetdiscover -p` has type, LID, port, GUID, width and speed of a port, and where a cable is, those of the
far end, with both names. Channel adapters have no node GUIDs here: a port with its own GUID stands for a node.

A port CSV has names alone. A system whose ports are called as those of network cards, or with one cable, is a host.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from unknot._base.errors import TextError
from unknot._base.input import read_lines
from unknot._base.phrases import few
from unknot.fabrics.cabling import Cabling
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.format import Format, row_of
from unknot.fabrics.nodes import FabricNode, Place
from unknot.fabrics.rates import Rate
from unknot.network import Network

_END = r"(SW|CA|RT)\s+([0-9]{1,5})\s+([0-9]{1,3})\s+0x([0-9a-fA-F]{1,16})"
_LINE = re.compile(
    rf"^{_END}\s+([0-9]{{1,2}}x|\?+)\s+(\S+)\s+"
    rf"(?:-\s+{_END}\s+\(\s*('.*'|.*?)\s+-\s+('.*'|.*?)\s*\)|('.*'|(?!.*0x)[^-\s].*?))\s*$"
)


def read_ports(path: str | Path) -> Fabric:
    """Read the output of `ibnetdiscover -p`; the fabric has no tables yet. Nodes without a cable are left out.

    Raises
    ------
    TextError
        With file, line and column: an unknown line, a cable that is listed at one end only or contradicted, a LID
        that two ports have.
    """
    lines = read_lines(path)
    cabling = Cabling(path, lines)
    ports: defaultdict[str, int] = defaultdict(int)
    cabled: list[tuple[re.Match[str], int]] = []
    for number, line in enumerate(lines, start=1):
        if match := _LINE.match(line):
            ports[_key(match[1], match[4])] = max(ports[_key(match[1], match[4])], int(match[3]))
            if match[7] is not None:
                cabled.append((match, number))
        elif line.strip() and not line.startswith("#"):
            cabling.stray(line, number, "ibnetdiscover -p prints", column=1)
    if not cabled:
        raise TextError("no cable in this file; is it cut off?", path)
    for match, number in cabled:
        kind, guid, key = match[1], int(match[4], 16), _key(match[1], match[4])
        name = match[11].strip("' ")
        cabling.node(FabricNode(key, kind == "SW", guid, name, ports[key], number, kind == "RT"))
    for match, number in cabled:
        near, far = (_place(cabling, match, at, number) for at in (1, 7))
        cabling.cable(near, far, number, rate=Rate.read(match[5], match[6]))
    return cabling.finish()


def _key(kind: str, guid: str) -> str:
    return f"{'S' if kind == 'SW' else 'H'}-{int(guid, 16):016x}"


def _place(cabling: Cabling, match: re.Match[str], at: int, line: int) -> Place:
    """The port in the groups of a line from `at` on, with its LID noted."""
    key, port = _key(match[at], match[at + 3]), int(match[at + 2])
    answering = (key, 0 if match[at] == "SW" else port)
    cabling.address(answering, line, lid=int(match[at + 1]), guid=int(match[at + 3], 16))
    return key, port


PORTS = Format(
    "ports", "output of ibnetdiscover -p", (".ibports",), read_ports, holds="fabric",
    sign=re.compile(r"^(?:SW|CA|RT) +\d{1,5} +\d{1,3} 0x[0-9a-f]{16} (?:\d{1,2}x|\?\?) \S", re.M).search,
)  # fmt: skip


_COLUMNS = {
    "system": ("system", "node", "node name", "device", "#startdevice", "startdevice", "#fields:startdevice"),
    "port": ("port", "port number", "startport"),
    "far_system": ("peer node", "peer system", "peer node name", "peer", "enddevice"),
    "far_port": ("peer port", "peer port number", "endport"),
    "width": ("width", "active width"),
    "speed": ("speed", "active speed"),
}
"""Names of columns in releases of UFM and in its topology files, in small letters."""
_CARD = re.compile(r"\b(?:hca|mlx|ib[a-z]*[0-9]|i?bp[0-9]|cx[0-9])", re.I)
_BLADE = re.compile(r"\bblade\b", re.I)
_NUMBER = re.compile(r"^(?:port )?([0-9]{1,3})$", re.I)


def read_port_csv(path: str | Path) -> Network:
    """Read cables from a port CSV of UFM, or a topology file of names; there are no GUIDs and LIDs.

    Raises
    ------
    TextError
        With file, line and column: a column or cell that is missing, a port with two cables, a cable between two
        hosts, or a modular switch, whose chips are not listed.
    """
    lines = read_lines(path)
    cabling = Cabling(path, lines, has_rates=False)
    names = [cell.lower() for cell in row_of(lines[0])]
    at = {key: next((names.index(name) for name in known if name in names), -1) for key, known in _COLUMNS.items()}
    for key in ("system", "port", "far_system", "far_port"):
        if at[key] < 0:
            raise cabling.error(f"a column {_COLUMNS[key][0]!r} (or {few(_COLUMNS[key][1:])}) is needed", 1, 1)
    rows: list[tuple[tuple[str, str], tuple[str, str], Rate, int]] = []
    labels: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for number, line in enumerate(lines[1:], start=2):
        cells = row_of(line)
        if not any(cells):
            continue
        if len(cells) <= max(at.values()):
            raise cabling.error(f"{max(at.values()) + 1} cells are needed in a row, not {len(cells)}", number, 1)
        near, far = (cells[at["system"]], cells[at["port"]]), (cells[at["far_system"]], cells[at["far_port"]])
        if not far[0] or not near[0]:
            continue
        for system, label in (near, far):
            labels[system].setdefault(label, number)
        width, speed = (cells[at[key]] if at[key] >= 0 else "" for key in ("width", "speed"))
        rows.append((near, far, Rate.read(width.lower(), speed), number))
    cabling.has_rates = any(str(rate) for *_, rate, _ in rows)
    places = _numbered(cabling, labels)
    for near, far, rate, number in rows:
        cabling.both(places[near], places[far], number, True, rate)
    return cabling.finish(ordered_by_guid=False).network


def _numbered(cabling: Cabling, labels: dict[str, dict[str, int]]) -> dict[tuple[str, str], Place]:
    """Add the systems as nodes, and number their ports: by their labels, or in order."""
    places: dict[tuple[str, str], Place] = {}
    for count, (system, lines) in enumerate(labels.items(), start=1):
        modular = next((label for label in lines if _BLADE.search(label)), None)
        if modular is not None:
            raise cabling.error(
                f"{system} is a modular switch, with ports such as {modular[:40]!r}: the cables between its chips "
                "are not in this file; use ibnetdiscover output",
                lines[modular],
                1,
            )
        switch = len(lines) > 1 and not any(_CARD.search(label.removeprefix(system)) for label in lines)
        taken = {int(match[1]) for label in lines if (match := _NUMBER.match(label))}
        free = iter(port for port in range(1, len(lines) + len(taken) + 2) if port not in taken)
        for label in lines:
            match = _NUMBER.match(label)
            places[system, label] = system, int(match[1]) if match else next(free)
        most = max(places[system, label][1] for label in lines)
        cabling.node(FabricNode(system, switch, count, system, most, min(lines.values())))
    return places


PORT_CSV = Format(
    "portcsv", "ports by UFM", (".csv",), read_port_csv,
    sign=re.compile(r"\A[^\n]{0,2000}\b(?:Peer Node|Peer System|EndDevice),", re.I).search,
)  # fmt: skip
