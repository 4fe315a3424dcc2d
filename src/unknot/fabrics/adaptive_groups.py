"""Groups of ports of switches that route adaptively, as ibdiagnet dumps them (`.far`).

A block of a switch begins with its GUID. Its groups have a number, sub-groups, and ports; its table has a line for
each LID with the port of static routing, how the switch chooses (`Static`, `Bounded`, `Free`, or `HBF`, by a hash),
and the group. A private table begins with its number (`PLFT_NUM`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from unknot._base.arrays import Flags
from unknot._base.output import write_text
from unknot.fabrics.choices import STATIC, ChoiceTable, SwitchGroups
from unknot.fabrics.fabric import LAST_UNICAST, Fabric
from unknot.fabrics.format import FabricText, Format, LargeText, integer
from unknot.fabrics.opensm_tables import PRIVATE

SWITCH = re.compile(r"^(?:\w*dump_\w+: )?Switch:?\s+0x([0-9a-fA-F]{1,16})\b")
_PART = re.compile(r"^\s*(Groups|LFT) Definition:")
TITLE = re.compile(r"^\s*(?:[A-Z#][A-Za-z_ /#()|:-]*|[-=|+ ]*)$|^\s*#|^\s*[A-Za-z][\w ]*:\s*[\w.,-]*\s*$")
"""Headings, comments, and values with a name."""
_GROUP = re.compile(r"^\s*([0-9]{1,5})\s+([0-9]{1,3})\s+[0-9]{1,3}(?:\s+([0-9]{1,3}(?:,[0-9]{1,3})*),?)?\s*$")
"""Group, sub-group, whether the choice is weighted, and ports."""
_ENTRY = (
    r"[ \t]*(0x[0-9a-fA-F]{1,4}|[0-9]{1,5})[ \t]+([0-9]{1,3})[ \t]+(Static|Bounded|Free|HBF)(?:[ \t]+([0-9]{1,5}))?"
    r"[ \t]*\r?(?:\n|\Z)"
)
_ROW, _ROWS = re.compile(_ENTRY), re.compile(f"(?>{_ENTRY})++".encode())
_NO_GROUP = -2


@dataclass
class GroupFile(FabricText):
    """Groups of the switches of one file, by node GUID."""

    switches: dict[int, SwitchGroups] = field(default_factory=dict)


def read_far(path: str | Path) -> GroupFile:
    """Read groups of adaptive routing.

    Raises
    ------
    TextError
        With file and line: an unknown line, a row outside a block, a second block of a switch, a group or a LID
        twice, a group that is not defined, a port above 254.
    """
    lines = LargeText(path)
    file = GroupFile(path, lines)
    switch: SwitchGroups | None = None
    part, private, at, number = "", 0, 0, 0
    blocks: dict[int, int] = {}
    while at < len(lines.content):
        if switch is not None and part == "LFT" and (run := _ROWS.match(lines.content, at)):
            _choices(file, switch, private, run[0].decode(), number + 1)
            at, number = run.end(), number + run[0].count(b"\n")
            continue
        (line, at), number = lines.line(at), number + 1
        if match := SWITCH.match(line):
            file.once(blocks, guid := int(match[1], 16), number, f"block of switch 0x{guid:016x}")
            file.switches[guid] = switch = SwitchGroups(number)
            part, private = "", 0
        elif match := _PART.match(line):
            part = match[1]
        elif match := PRIVATE.match(line):
            private = int(match[1])
        elif switch is not None and part == "Groups" and (match := _GROUP.match(line)):
            _group(file, switch, match, number)
        elif line.strip() and not TITLE.match(line):
            file.stray(line, number, "groups of adaptive routing have", column=1)
    file.note_noise()
    return file


def _group(file: GroupFile, switch: SwitchGroups, match: re.Match[str], line: int) -> None:
    ports = tuple(int(port) for port in match[3].split(",")) if match[3] else ()
    if max(ports, default=0) > 254 or len({*ports}) < len(ports):
        raise file.error("ports of a group are different numbers from 0 to 254", line, match.start(3) + 1)
    key = int(match[1]), int(match[2])
    if key in switch.groups:
        raise file.error(f"a second row of group {key[0]}, sub-group {key[1]}", line, match.start(1) + 1)
    switch.groups[key] = ports


def _choices(file: GroupFile, switch: SwitchGroups, private: int, text: str, first: int) -> None:
    """Add rows of a table, from a line on, to what is there."""
    words, count = text.split(), text.rstrip("\n").count("\n") + 1
    whole = len(words) == 4 * count  # else some rows have no group
    shown = [words[i::4] for i in range(4)] if whole else [*zip(*_ROW.findall(text), strict=True)]
    lids = np.array([*map(integer, shown[0])], dtype=np.int64)
    ports = np.array([*map(int, shown[1])], dtype=np.int64)
    named = np.array([int(group or _NO_GROUP) for group in shown[3]], dtype=np.int64)
    groups = np.where([state != "Static" for state in shown[2]], named, STATIC)

    def at(mask: Flags) -> int:
        return first + int(np.flatnonzero(mask)[0])

    if (wrong := (lids < 1) | (lids > LAST_UNICAST)).any():
        file.unicast(int(lids[wrong][0]), at(wrong))
    if (wrong := ports > 255).any():
        raise file.error(f"port {ports[wrong][0]}: ports are at most 255", at(wrong))
    known = [STATIC, *{number for number, _ in switch.groups}]
    if (wrong := ~np.isin(groups, known)).any():
        number = int(groups[wrong][0])
        raise file.error(f"group {number if number >= 0 else ''} of this switch is not defined", at(wrong))
    if private in switch.tables:
        before = switch.tables[private]
        pairs = ((before.lids, lids), (before.ports, ports), (before.groups, groups))
        lids, ports, groups = (np.concatenate(pair) for pair in pairs)
    order = np.argsort(lids, kind="stable")
    twice = order[1:][np.diff(lids[order]) == 0]
    if twice.size:
        row = int(twice.min())
        raise file.error(f"a second row of LID 0x{lids[row]:04x}", first + row - (lids.size - count))
    switch.tables[private] = ChoiceTable(lids[order], ports[order], groups[order])


def write_far(fabric: Fabric, path: str | Path) -> None:
    """Write the groups of a fabric; what chooses by a hash or within bounds is written as ``Free``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.fabrics import read_fabric
    >>> with TemporaryDirectory() as folder:
    ...     write_far(read_fabric("examples/fabrics/opensm-ring12-lash"), f"{folder}/groups.far")
    ...     read_far(f"{folder}/groups.far").switches
    ...
    {}
    """
    lines = [f"# groups of {fabric.name}"]
    for guid, switch in (fabric.groups or {}).items():
        lines += ["", f"Switch 0x{guid:016x} - {fabric.network.router_name(fabric.router_of[guid])}"]
        lines.append("Groups Definition:")
        lines += [f"{group} {sub} 0 {','.join(map(str, ports))}" for (group, sub), ports in switch.groups.items()]
        lines.append("LFT Definition:")
        for number, table in switch.tables.items():
            lines.append(f"PLFT_NUM: {number}")
            for lid, port, group in zip(
                *map(np.ndarray.tolist, (table.lids, table.ports, table.groups)), strict=True
            ):
                choice = "Static" if group == STATIC else f"Free {group}"
                lines.append(f"0x{lid:04x} {port:03d} {choice}")
    write_text(path, "\n".join(lines) + "\n")


def with_groups(fabric: Fabric, file: GroupFile) -> Fabric:
    """The fabric with the groups and tables of a file in place of its own; who uses which table stays."""
    groups = dict(fabric.groups or {})
    for guid, read in file.switches.items():
        own = groups.get(guid, read)
        groups[guid] = replace(read, private=own.private, by_lane=own.by_lane, enabled=own.enabled)
    return replace(fabric, groups=groups)


_SIGN = re.compile(r"^(?:Groups|LFT) Definition:", re.M)
FORMAT = Format("far", "groups of adaptive routing", (".far",), read_far, sign=_SIGN.search, holds="groups")
