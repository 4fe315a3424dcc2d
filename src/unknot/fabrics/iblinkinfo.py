"""Output of `iblinkinfo` (infiniband-diags): a block for each node, with a line for each port, or lines alone (-l).

In blocks a far end is named by LID and port, so that a node is found by its LID. Lines give GUIDs of both ends, and
no types: a node with one LID on several ports is a switch. There are no LMCs, and channel adapters have no node GUIDs
here: that of their first port stands for it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from unknot._base.errors import TextError
from unknot._base.input import read_lines
from unknot._base.phrases import few
from unknot.fabrics.cabling import Cabling
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.format import Format
from unknot.fabrics.nodes import FabricNode, Place
from unknot.fabrics.rates import Rate

_HEAD = re.compile(r"^(CA|Switch|Router): (?:0x([0-9a-fA-F]{1,16}) ?)?(.*):\s*$")
_ROW = re.compile(
    r"^\s+(?:0x([0-9a-fA-F]{16})\s+)?([0-9]{1,5})\s+([0-9]{1,3})\[[ 0-9]*\] ==\((.*?)\)(?: \(HOQ.*?\))?==>\s*"
    r'(?:([0-9]{1,5})\s+([0-9]{1,3}))?\[[ 0-9]*\] ".*" \(.*\)\s*$'
)
_LINE = re.compile(
    r'^\s*0x([0-9a-fA-F]{1,16}) "(.*?)"\s+([0-9]{1,5})\s+([0-9]{1,3})\[[ 0-9]*\] ==\((.*?)\)(?: \(HOQ.*?\))?==>\s*'
    r'(?:0x([0-9a-fA-F]{1,16})\s+([0-9]{1,5})\s+([0-9]{1,3}))?\[[ 0-9]*\] "(.*)" \(.*\)\s*$'
)
_RATE = re.compile(r"\s*([0-9]+)X\s+([0-9.]+) Gbps")
_SPEEDS = {
    "2.5": "SDR", "5.0": "DDR", "10.0": "QDR", "10.3125": "FDR10", "14.0625": "FDR", "25.78125": "EDR",
    "53.125": "HDR", "50.0": "HDR", "106.25": "NDR", "100.0": "NDR", "212.5": "XDR", "200.0": "XDR",
}  # fmt: skip
"""Names of signal rates of one lane."""


@dataclass
class _Block:
    """A node with the rows of its ports."""

    switch: bool
    guid: int
    name: str
    line: int
    rows: list[tuple[int, re.Match[str]]] = field(default_factory=list)

    @property
    def key(self) -> str:
        return f"0x{self.guid:016x}"

    def place(self, row: re.Match[str]) -> Place:
        """The port that answers to the LID of a row."""
        return self.key, 0 if self.switch else int(row[3])


def read_iblinkinfo(path: str | Path) -> Fabric:
    """Read the output of `iblinkinfo`; the fabric has no tables yet. Links that are not active are no channels.

    Raises
    ------
    TextError
        With file and line: an unknown line, a port outside a block, a far end that no block has, a link that is
        listed at one end only or contradicted, a file that is cut off.
    """
    lines = read_lines(path)
    cabling = Cabling(path, lines)
    if any(_LINE.match(line) for line in lines[:_SEARCHED]):
        return _read_lines(cabling, lines)
    blocks = _blocks(cabling, lines)
    if not blocks:
        raise TextError("no cabled node in this file", path)
    at = {int(row[2]): block for block in blocks for _, row in block.rows}
    for block in blocks:
        ports = max(int(row[3]) for _, row in block.rows)
        cabling.node(FabricNode(block.key, block.switch, block.guid, block.name, ports, block.line))
        for number, row in block.rows:
            guid = block.guid if block.switch else int(row[1], 16)
            cabling.address(block.place(row), number, lid=int(row[2]), guid=guid)
            if row[5] is None:
                continue
            if int(row[5]) not in at:
                raise cabling.error(f"no node in this file has LID {row[5]}; is the file cut off?", number)
            near, far = (block.key, int(row[3])), (at[int(row[5])].key, int(row[6]))
            cabling.cable(near, far, number, "Active" in row[4], _rate(row[4]))
    return cabling.finish()


def _read_lines(cabling: Cabling, lines: list[str]) -> Fabric:
    """Read lines that give both ends."""
    rows: list[tuple[int, re.Match[str]]] = []
    faces: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    named: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if match := _LINE.match(line):
            rows.append((number, match))
            faces[match[1]].add((match[3], match[4]))
            named[match[1]] = match[2].strip()
            if match[6] is not None:
                faces[match[6]].add((match[7], match[8]))
                named.setdefault(match[6], match[9].strip())
        elif line.strip():
            cabling.stray(line, number, "iblinkinfo -l prints", column=1)
    switches = {guid for guid, ends in faces.items() if len({lid for lid, _ in ends}) < len(ends)}
    listed = {match[1] for _, match in rows}

    def place(match: re.Match[str], at: int, line: int) -> Place:
        guid, lid, port = match[at], match[7 if at > 1 else 3], match[8 if at > 1 else 4]
        switch, key = guid in switches, int(guid, 16)
        node = FabricNode(f"{'S' if switch else 'H'}-{key:016x}", switch, key, named[guid], 0, line)
        node = cabling.nodes.setdefault(node.key, node)
        node.num_ports = max(int(port) for _, port in faces[guid])
        cabling.address((node.key, 0 if switch else int(port)), line, lid=int(lid), guid=key)
        return node.key, int(port)

    whole = any(guid not in switches for guid in listed)
    for number, match in rows:
        if match[6] is not None:
            if match[6] not in listed and (whole or match[6] in switches):
                words = f"0x{match[6]} has no line in this file; is it cut off?"
                raise cabling.error(words, number, match.start(6) + 1)
            near, far = place(match, 1, number), place(match, 6, number)
            both = cabling.cable if match[6] in listed else cabling.both
            both(near, far, number, "Active" in match[5], _rate(match[5]))
    if not cabling.cables:
        raise TextError("no cabled node in this file", cabling.where)
    alone = [named[guid] for guid in faces if guid not in listed]
    if alone:
        cabling.assumed.append(f"{len(alone)} nodes without lines of their own are taken for hosts: {few(alone)}")
    return cabling.finish()


def _blocks(cabling: Cabling, lines: list[str]) -> list[_Block]:
    """The nodes that have a cable."""
    blocks: list[_Block] = []
    for number, line in enumerate(lines, start=1):
        if match := _ROW.match(line):
            if not blocks or (match[1] is None) != blocks[-1].switch:
                raise cabling.error("a port line must stand below the line of its node", number)
            if match[1] is not None and not blocks[-1].rows:
                blocks[-1].guid = int(match[1], 16)
            blocks[-1].rows.append((number, match))
        elif match := _HEAD.match(line):
            switch = match[1] == "Switch"
            if switch and match[2] is None:
                raise cabling.error("the line of a switch without its GUID", number)
            blocks.append(_Block(switch, int(match[2], 16) if switch else 0, match[3].strip(), number))
        elif line.strip():
            cabling.stray(line, number, "iblinkinfo output has")
    return [block for block in blocks if any(row[5] for _, row in block.rows)]


def _rate(state: str) -> Rate:
    match = _RATE.match(state)
    return Rate.read(f"{match[1]}x", _SPEEDS.get(match[2])) if match else Rate()


_SEARCHED = 20
"""Lines that show the form of a file; the first ones may be errors or the command."""
_SIGN = re.compile(
    r"^(?:CA|Switch|Router): .*:\s*\n\s+.*==\(.*\)==>"
    r'|^[ \t]{0,40}0x[0-9a-fA-F]{1,16} "[^"\n]{0,200}" +[0-9]{1,5} +[0-9]{1,3}\[[^\]\n]{0,9}\] ==\(',
    re.M,
)
FORMAT = Format(
    "iblinkinfo", "iblinkinfo output", (".iblinkinfo",), read_iblinkinfo, sign=_SIGN.search, holds="fabric"
)
