"""Groups of ports of switches that route adaptively, as ibdiagnet dumps them (`.far`): read and kept, not judged yet.

A block of a switch begins with its GUID. Its groups have a number, sub-groups, and ports; its table has a line for
each LID with the port of static routing, how the switch chooses (`Static`, `Free`, or `HBF`, by a hash), and the
group. A private table begins with its number (`PLFT_NUM`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from unknot._base.input import read_lines
from unknot.fabrics.choices import Choice, SwitchGroups
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.format import FabricText, Format, few

_SWITCH = re.compile(r"^(?:\w*dump_\w+: )?Switch:?\s+0x([0-9a-fA-F]{1,16})\b")
_PART = re.compile(r"^\s*(Groups|LFT) Definition:")
_TITLE = re.compile(r"^\s*(?:[A-Z#][A-Za-z_ /#()|:-]*|[-=|+ ]*)$|^\s*#|^\s*[A-Za-z][\w ]*:\s*[\w.,-]*\s*$")
_PRIVATE = re.compile(r"^\s*PLFT_NUM\s*:\s*([0-9]{1,3})\s*$")
_GROUP = re.compile(r"^\s*([0-9]{1,5})\s+([0-9]{1,3})\s+[0-9]{1,3}(?:\s+([0-9]{1,3}(?:,[0-9]{1,3})*),?)?\s*$")
"""Group, sub-group, whether the choice is weighted, and ports."""
_ENTRY = re.compile(
    r"^\s*(0x[0-9a-fA-F]{1,4}|[0-9]{1,5})\s+([0-9]{1,3})\s+(Static|Bounded|Free|HBF)(?:\s+([0-9]{1,5}))?\s*$"
)


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
    lines = read_lines(path)
    file = GroupFile(path, lines)
    switch: SwitchGroups | None = None
    part, private = "", 0
    for number, line in enumerate(lines, start=1):
        if match := _SWITCH.match(line):
            guid = int(match[1], 16)
            if guid in file.switches:
                first = file.switches[guid].line
                raise file.error(f"a second block of switch 0x{guid:016x}; line {first} began one", number)
            file.switches[guid] = switch = SwitchGroups(number)
            part, private = "", 0
        elif match := _PART.match(line):
            part = match[1]
        elif match := _PRIVATE.match(line):
            private = int(match[1])
        elif switch is not None and part == "Groups" and (match := _GROUP.match(line)):
            _group(file, switch, match, number)
        elif switch is not None and part == "LFT" and (match := _ENTRY.match(line)):
            _choice(file, switch, match, private, number)
        elif line.strip() and not _TITLE.match(line) and not file.is_noise(line, number):
            raise file.error("groups of adaptive routing have no such line; is it broken or cut off?", number, 1)
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


def _choice(file: GroupFile, switch: SwitchGroups, match: re.Match[str], private: int, line: int) -> None:
    lid = file.unicast(int(match[1], 0 if match[1].startswith("0x") else 10), line)
    choice = Choice(int(match[2]), match[3], int(match[4]) if match[4] else -1)
    if choice.port > 255:
        raise file.error(f"port {choice.port}: ports are at most 255", line, match.start(2) + 1)
    if choice.state != "Static" and not any(group == choice.group for group, _ in switch.groups):
        raise file.error(f"group {match[4] or ''} of this switch is not defined", line, match.start(3) + 1)
    table = switch.choices.setdefault(private, {})
    if table.setdefault(lid, choice) is not choice:
        raise file.error(f"a second row of LID 0x{lid:04x}", line, match.start(1) + 1)


def with_groups(fabric: Fabric, file: GroupFile) -> Fabric:
    """The fabric with its groups of adaptive routing, which are a sign of it where a switch chooses.

    Raises
    ------
    TextError
        If a block belongs to no switch of the fabric, or names a port that its switch does not have.
    """
    router = fabric.router_of
    for guid, switch in file.switches.items():
        if guid not in router:
            raise file.error(
                f"{fabric.fabric_file} has no switch 0x{guid:016x}; do fabric and groups belong together?",
                switch.line,
            )
        most = int(fabric.switch_ports[router[guid]])
        ports = [port for group in switch.groups.values() for port in group]
        if max(ports, default=0) > most:
            name = fabric.network.router_name(router[guid])
            raise file.error(f"{name} has ports 0 to {most}, but a group has port {max(ports)}", switch.line)
    adapting = [fabric.network.router_name(router[guid]) for guid, one in file.switches.items() if one.adapts]
    name = Path(file.where).name
    signs = (f"{name} (groups of ports that {few(adapting)} choose from)",) if adapting else ()
    notes = (*fabric.notes, *file.notes)
    return replace(fabric, groups=file.switches, adaptive=(*fabric.adaptive, *signs), notes=notes)


_SIGN = re.compile(r"^(?:Groups|LFT) Definition:", re.M)
FORMAT = Format("far", "groups of adaptive routing", (".far",), read_far, sign=_SIGN.search, holds="groups")
