"""SL to VL tables: `opensm-sl2vl.dump`, `.slvl`, and what `smpquery sl2vl` and `saquery SL2VL` print.

OpenSM dumps them with ``-Q -D 0x40`` or more. A row says, for an input and an output port of a switch, which virtual
lane a packet of each of the 16 service levels has on the link that it leaves by. A line of `.slvl` is ``switch GUID,
input port, output port`` and eight bytes with the lanes of two levels each.
"""

from __future__ import annotations

import re
from pathlib import Path

from unknot._base.errors import TextError
from unknot._base.input import lines_of, read_text
from unknot.fabrics.format import Format
from unknot.fabrics.levels import LEVELS, UNKNOWN, LaneFile

_NUMBERS = rf"((?:[0-9]{{1,2}}[\s|]+){{{LEVELS - 1}}}[0-9]{{1,2}})[\s|]*$"
_HEAD = re.compile(
    r'^(?:Channel Adapter|CA|Switch|Router) 0x([0-9a-fA-F]{1,16}), base LID ([0-9]{1,5}), ".*"\s*$'
    r"|^# SL2VL table: (?:Lid ([0-9]{1,5})|DR path .*)\s*$"
)
_DUMPED = re.compile(rf"^\s*([0-9]{{1,3}})\s+([0-9]{{1,3}})\s*:\s*{_NUMBERS}")
_QUERIED = re.compile(rf"^ports: in\s+([0-9]{{1,3}}), out\s+([0-9]{{1,3}}):\s*\|\s*{_NUMBERS}")
_PACKED = re.compile(r"^\s*0x([0-9a-fA-F]{1,16})\s+([0-9]{1,3})\s+([0-9]{1,3})((?:\s+0x[0-9a-fA-F]{2}){8})\s*$")
_RECORD = re.compile(r"^\s*SL2VLTableRecord dump:\s*$")
_FIELD = re.compile(r"^\s*(LID|InPort|OutPort)\.{2,}([0-9]{1,5})\s*$")
_LANES = re.compile(rf"^\s*VL:\s*{_NUMBERS}")
_IGNORED = re.compile(r"^\s*$|^#|^\s*SL:[\s0-9|]*$")


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
        elif match := _HEAD.match(line):
            owner = (
                (int(match[1], 16), int(match[2])) if match[1] else (UNKNOWN, int(match[3]) if match[3] else UNKNOWN)
            )
        elif _RECORD.match(line):
            opened, values = number, {}
        elif opened and (match := _FIELD.match(line)):
            values[match[1]] = int(match[2])
        elif opened and (match := _LANES.match(line)):
            if len(values) < 3:
                raise file.error("this record does not say of which ports it is", number)
            add(UNKNOWN, values["LID"], values["InPort"], values["OutPort"], _numbers(match[1]), number)
            opened = 0
        elif not _IGNORED.match(line) and not file.is_noise(line, number) and (number < len(lines) or ended):
            raise file.error("SL to VL tables have no such line; is it broken or cut off?", number)
    if not file.rows:
        raise TextError("no SL to VL table in this file that names its switch by GUID or LID", path)
    file.note_noise()
    return file


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in re.findall(r"[0-9]+", text))


_SIGN = re.compile(
    r"^#in out : 0 |^# SL2VL table: |^SL2VLTableRecord dump:"
    r"|^0x[0-9a-fA-F]{16} [0-9]+ [0-9]+(?: 0x[0-9a-fA-F]{2}){8}\s*$",
    re.M,
)
FORMAT = Format(
    "sl2vl", "SL to VL tables", (".sl2vl", ".slvl"), read_sl2vl, sign=_SIGN.search, holds="lanes"
)  # fmt: skip
