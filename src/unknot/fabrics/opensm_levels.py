"""Service levels of paths, and the virtual lanes that switches map them to, as OpenSM and its tools print them.

Levels are in `.psl` files of two forms, and in path records of `saquery -p`. A line of the short form is ``node GUID,
destination LID, SL``, or with the GUIDs of two switches for all hosts there ``source switch, destination switch,
SL``. The long form has a block for each source, which begins with its kind, GUID, LID and name. `saquery` prints a
block of names and values for each record.

Lanes are in `opensm-sl2vl.dump` (``-Q -D 0x40`` or more), `.slvl`, and in what `smpquery sl2vl` and `saquery SL2VL`
print. A row says, for an input and an output port of a switch, which virtual lane a packet of each of the 16 service
levels has on the link that it leaves by. A line of `.slvl` is ``switch GUID, input port, output port`` and eight
bytes with the lanes of two levels each.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from unknot._base.errors import TextError, UnknotError
from unknot._base.input import lines_of, read_text
from unknot._base.output import write_text
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.format import Format, integer
from unknot.fabrics.levels import LEVELS, UNKNOWN, LaneFile, LevelFile, levels_by_switch

_SHORT = re.compile(r"^\s*0x([0-9a-fA-F]{1,16})\s+(0x[0-9a-fA-F]{1,4}|[0-9]{1,5})\s+([0-9]{1,3})\s*$")
_SWITCHES = re.compile(r"^\s*0x([0-9a-fA-F]{16})\s+0x([0-9a-fA-F]{16})\s+([0-9]{1,3})\s*$")
_HEAD = re.compile(r'^(?:Channel Adapter|CA|Switch|Router) 0x([0-9a-fA-F]{1,16}), base LID ([0-9]{1,5}), ".*"\s*$')
_ENTRY = re.compile(r"^\s*(0x[0-9a-fA-F]{1,4}|[0-9]{1,5})\s*:\s*([0-9]{1,3})\s*(?::.*)?$")
_RECORD = re.compile(r"^\s*PathRecord dump:\s*$")
_FIELD = re.compile(r"^\s*([a-z][a-z0-9_]*)\.{2,}(\S*)\s*$")
_IGNORED = re.compile(r"^\s*(?:[#!-].*)?$")
_NEEDED = ("slid", "dlid", "sl")


def read_psl(path: str | Path) -> LevelFile:
    """Read the service levels of paths.

    Raises
    ------
    TextError
        With file and line: an unknown line that is not cut off, a LID that is no unicast LID, an SL above 15, an
        entry outside a block, a path record that is empty, or cut off before the last.
    """
    text = read_text(path)
    lines, ended = lines_of(text, path), text.endswith("\n")
    file = LevelFile(path, lines)
    source: tuple[int, int] | None = None
    opened, values = 0, dict[str, int]()

    def close(last: bool = False) -> None:
        missing = [name for name in _NEEDED if name not in values]
        if opened and not (missing and last):
            if missing:
                raise file.error(f"this path record has no {missing[0]}; is the file cut off?", opened)
            if not values["slid"] or not values["dlid"]:
                raise file.error(
                    "a path record without LIDs: the answer to the query was cut off (as ibsim does with more than "
                    "one record); ask for each pair, with --slid and --dlid",
                    opened,
                )
            file.record(UNKNOWN, file.unicast(values["slid"], opened), values["dlid"], values["sl"], opened)

    for number, line in enumerate(lines, start=1):
        if match := _SHORT.match(line):
            file.record(int(match[1], 16), UNKNOWN, file.unicast(integer(match[2]), number), int(match[3]), number)
        elif match := _SWITCHES.match(line):
            file.record_of_switches(int(match[1], 16), int(match[2], 16), int(match[3]), number)
        elif match := _ENTRY.match(line):
            if source is None:
                raise file.error("an entry outside a block; the line that names its source is missing", number)
            file.record(*source, file.unicast(integer(match[1]), number), int(match[2]), number)
        elif match := _HEAD.match(line):
            source = int(match[1], 16), file.unicast(int(match[2]), number)
        elif _RECORD.match(line):
            close()
            opened, values = number, {}
        elif opened and (match := _FIELD.match(line)):
            if match[1] in _NEEDED:
                try:
                    values[match[1]] = integer(match[2])
                except ValueError:
                    raise file.error(f"{match[1]} has no number", number) from None
        elif not _IGNORED.match(line):
            file.stray(line, number, "path records have", is_cut=number == len(lines) and not ended)
    close(last=True)
    if not file.rows and not file.by_switch:
        raise TextError("no service level of a path in this file", path)
    file.note_noise()
    return file


def write_psl(fabric: Fabric, path: str | Path, *, by_switch: bool = False) -> None:
    """Write the service levels of a fabric in the short form, as `ibdmchk -c` reads them.

    With `by_switch`, one line for each pair of switches where they decide the level, which `ibdmchk` does not read.

    A node with several ports is named by the GUIDs of its ports, since their levels may differ. A pair with several
    levels has a line for each.

    Raises
    ------
    UnknotError
        If the fabric has no service levels.
    """
    if fabric.levels is None:
        raise UnknotError(f"{fabric.name} has no service levels to write")
    between = levels_by_switch(fabric) if by_switch else None
    if between is not None:
        guids = fabric.switch_guid.tolist()
        ends = np.argwhere(between != UNKNOWN).tolist()
        rows_ = (f"0x{guids[a]:016x} 0x{guids[b]:016x} {between[a, b]}\n" for a, b in ends)
        write_text(path, "# switch of the source, switch of the destination, SL\n" + "".join(rows_))
        return
    nodes, times = np.unique(fabric.node_guid, return_counts=True)
    several = {int(guid) for guid in nodes[times > 1]}
    names = [
        port if node in several else node
        for port, node in zip(fabric.port_guid.tolist(), fabric.node_guid.tolist(), strict=False)
    ]
    names += fabric.switch_guid.tolist()
    port, column = np.nonzero(fabric.levels >= 0)
    levels, lids = fabric.levels[port, column].tolist(), fabric.lids.tolist()
    rows = [*zip(port.tolist(), column.tolist(), levels, strict=True), *fabric.more_levels.tolist()]
    write_text(path, "".join(f"0x{names[p]:016x} {lids[to]} {level}\n" for p, to, level in rows))


_PSL_SIGN = re.compile(
    r"^(?:Channel Adapter|CA|Switch|Router) 0x[0-9a-fA-F]+, base LID [0-9]+, \".*\"\s*\n(?:\s*#.*\n)*"
    r"\s*0x[0-9a-fA-F]{1,4}\s*:\s*[0-9]|^PathRecord dump:"
    r"|^0x[0-9a-fA-F]{16} (?:0x)?[0-9a-fA-F]+ [0-9]{1,2}\s*$",
    re.M,
)  # fmt: skip
PSL = Format(
    "psl", "service levels of paths (.psl, or path records of saquery)", (".psl",), read_psl, sign=_PSL_SIGN.search,
    holds="levels",
)  # fmt: skip


_NUMBERS = rf"((?:[0-9]{{1,2}}[\s|]+){{{LEVELS - 1}}}[0-9]{{1,2}})[\s|]*$"
_TABLE = re.compile(_HEAD.pattern + r"|^# SL2VL table: (?:Lid ([0-9]{1,5})|DR path .*)\s*$")
_DUMPED = re.compile(rf"^\s*([0-9]{{1,3}})\s+([0-9]{{1,3}})\s*:\s*{_NUMBERS}")
_QUERIED = re.compile(rf"^ports: in\s+([0-9]{{1,3}}), out\s+([0-9]{{1,3}}):\s*\|\s*{_NUMBERS}")
_PACKED = re.compile(r"^\s*0x([0-9a-fA-F]{1,16})\s+([0-9]{1,3})\s+([0-9]{1,3})((?:\s+0x[0-9a-fA-F]{2}){8})\s*$")
_TABLE_RECORD = re.compile(r"^\s*SL2VLTableRecord dump:\s*$")
_TABLE_FIELD = re.compile(r"^\s*(LID|InPort|OutPort)\.{2,}([0-9]{1,5})\s*$")
_LANES = re.compile(rf"^\s*VL:\s*{_NUMBERS}")
_NO_LANES = re.compile(r"^\s*$|^#|^\s*SL:[\s0-9|]*$")


def read_sl2vl(path: str | Path) -> LaneFile:
    """Read SL to VL tables.

    Raises
    ------
    TextError
        With file and line: an unknown line that is not cut off, a VL above 15, a row outside a table.
    """
    text = read_text(path)
    lines, ended = lines_of(text, path), text.endswith("\n")
    file = LaneFile(path, lines)
    owner: tuple[int, int] | None = None
    opened, values = 0, dict[str, int]()

    def add(guid: int, lid: int, came: int, out: int, lanes: tuple[int, ...], line: int) -> None:
        if max(lanes) >= LEVELS or max(came, out) > 255:
            raise file.error("virtual lanes are 0 to 15, and ports 0 to 255", line)
        file.rows.append((guid, lid, came, out, lanes, line))

    for number, line in enumerate(lines, start=1):
        if match := _DUMPED.match(line) or _QUERIED.match(line):
            if owner is None:
                raise file.error("a row outside a table; the line that names its switch is missing", number)
            if owner != (UNKNOWN, UNKNOWN):
                add(*owner, int(match[1]), int(match[2]), _numbers(match[3]), number)
        elif match := _PACKED.match(line):
            lanes = tuple(int(digit, 16) for byte in match[4].split() for digit in byte[2:])
            add(int(match[1], 16), UNKNOWN, int(match[2]), int(match[3]), lanes, number)
        elif match := _TABLE.match(line):
            owner = (
                (int(match[1], 16), int(match[2])) if match[1] else (UNKNOWN, int(match[3]) if match[3] else UNKNOWN)
            )
        elif _TABLE_RECORD.match(line):
            opened, values = number, {}
        elif opened and (match := _TABLE_FIELD.match(line)):
            values[match[1]] = int(match[2])
        elif opened and (match := _LANES.match(line)):
            if len(values) < 3:
                raise file.error("this record does not say of which ports it is", number)
            add(UNKNOWN, values["LID"], values["InPort"], values["OutPort"], _numbers(match[1]), number)
            opened = 0
        elif not _NO_LANES.match(line):
            file.stray(line, number, "SL to VL tables have", is_cut=number == len(lines) and not ended)
    if not file.rows:
        raise TextError("no SL to VL table in this file that names its switch by GUID or LID", path)
    file.note_noise()
    return file


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in re.findall(r"[0-9]+", text))


_SL2VL_SIGN = re.compile(
    r"^#in out : 0 |^# SL2VL table: |^SL2VLTableRecord dump:"
    r"|^0x[0-9a-fA-F]{16} [0-9]+ [0-9]+(?: 0x[0-9a-fA-F]{2}){8}\s*$",
    re.M,
)
SL2VL = Format(
    "sl2vl", "SL to VL tables", (".sl2vl", ".slvl"), read_sl2vl, sign=_SL2VL_SIGN.search, holds="lanes"
)  # fmt: skip
