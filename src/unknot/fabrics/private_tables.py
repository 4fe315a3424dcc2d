"""Which tables and levels switches choose by: private tables (`.plft`), lanes by lanes (`.vl2vl`), and ``AR_INFO``.

The sources of `ibdm` (Mellanox and NVIDIA, `Fabric.h`) name the fields: a table for each input port and each service
level, and for each switch the levels in whose place the input lane stands. A block begins with ``Switch`` and a GUID;
numbers have colons, commas or blanks between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from unknot._base.errors import TextError
from unknot._base.input import read_lines
from unknot._base.phrases import few
from unknot.fabrics.adaptive import signs_of_adaptive_routing
from unknot.fabrics.adaptive_groups import SWITCH, TITLE, GroupFile
from unknot.fabrics.choices import KEYS
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.format import FabricText, Format
from unknot.fabrics.ibdiagnet import number_in, section

_NUMBERS = re.compile(r"^\s*(?:[A-Za-z][\w ]*:\s*)?([0-9]{1,3}(?:[\s:,]+[0-9]{1,3})*)[\s,]*$")
_NONE = re.compile(r"^\s*[A-Za-z][\w ]*:\s*$")
_EVERY = (1 << KEYS) - 1


@dataclass
class NumberFile(FabricText):
    """Rows of numbers of each switch, by node GUID, with their lines."""

    switches: dict[int, list[tuple[tuple[int, ...], int]]] = field(default_factory=dict)


def _read(path: str | Path, kind: str) -> NumberFile:
    lines = read_lines(path)
    file = NumberFile(path, lines)
    rows: list[tuple[tuple[int, ...], int]] | None = None
    blocks: dict[int, int] = {}
    for number, line in enumerate(lines, start=1):
        if match := SWITCH.match(line):
            file.once(blocks, guid := int(match[1], 16), number, f"block of switch 0x{guid:016x}")
            rows = file.switches[guid] = []
        elif rows is not None and (match := _NUMBERS.match(line)):
            rows.append((tuple(map(int, re.split(r"[\s:,]+", match[1]))), number))
        elif line.strip() and not TITLE.match(line) and not _NONE.match(line):
            file.stray(line, number, f"{kind} have", column=1)
    file.note_noise()
    return file


def read_plft(path: str | Path) -> NumberFile:
    """Read which private table packets use: rows of an input port and the numbers of its tables by service level.

    Raises
    ------
    TextError
        With file and line: an unknown line, a second block of a switch or row of a port, a row without 16 tables.
    """
    file = _read(path, "private tables")
    for rows in file.switches.values():
        seen: set[int] = set()
        for row, line in rows:
            if len(row) != KEYS + 1 or row[0] in seen:
                raise file.error(f"a row is a port and {KEYS} numbers of tables, once for each port", line, 1)
            seen.add(row[0])
    return file


def read_vl2vl(path: str | Path) -> NumberFile:
    """Read the service levels in whose place the input lane stands, by switch.

    Raises
    ------
    TextError
        With file and line: an unknown line, a second block of a switch, a number that is no service level.
    """
    file = _read(path, "changes of lanes")
    for rows in file.switches.values():
        for row, line in rows:
            if max(row) >= KEYS:
                raise file.error(f"service levels are 0 to {KEYS - 1}, not {max(row)}", line, 1)
    return file


def read_enabled(path: str | Path) -> dict[int, int]:
    """Return the levels at which each switch chooses, as bits, by node GUID; nothing without section ``AR_INFO``.

    Raises
    ------
    TextError
        With file and line: a section that is cut off, or a cell that is no number.
    """
    lines = read_lines(path)
    if "START_AR_INFO" not in map(str.strip, lines):
        return {}
    file, enabled = FabricText(path, lines), dict[int, int]()
    for row, line in section(file, lines, "AR_INFO", ("NodeGUID", "e")):
        named = partial(_cell, file, row, line)
        bits = 0
        if named("e"):
            bits |= named("enable_by_sl_mask") if named("by_sl_en") else _EVERY
        if named("by_sl_hbf_en"):
            bits |= named("enable_by_sl_mask_hbf")
        if named("fr_enabled"):
            bits = _EVERY  # by fast recovery any packet may take another port of the group
        enabled[number_in(file, row, ("NodeGUID",), line)] = bits
    return enabled


def _cell(file: FabricText, row: Any, line: int, name: str) -> int:
    return number_in(file, row, (name,), line) if name in row else 0


def with_choices(fabric: Fabric, files: Mapping[str, Path], readers: Mapping[str, Callable[[Path], Any]]) -> Fabric:
    """The fabric with all that its switches choose from; what is missing or cannot be read is a sign.

    Parameters
    ----------
    files : mapping of str to Path
        By format: ``far``, and ``plft``, ``vl2vl`` and ``dbcsv`` beside it.
    readers : mapping of str to callable
        Of these formats.
    """
    read, signs, notes = dict[str, Any](), list[str](), list[str]()
    for kind in ("far", "plft", "vl2vl", "dbcsv"):
        if kind not in files:
            continue
        try:
            read[kind] = readers[kind](files[kind])
            if kind == "far":
                _check(fabric, read[kind])
        except TextError as error:
            shown = signs_of_adaptive_routing(files[kind])
            signs += shown
            notes += [f"not read: {error}"] if shown else []
            read.pop(kind, None)
    far: GroupFile | None = read.get("far")
    if far is None or not far.switches:
        for kind in {"plft", "vl2vl"} & {*read}:
            signs += signs_of_adaptive_routing(files[kind])
        return _signed(fabric, signs, notes)
    for guid, switch in far.switches.items():
        switch.private = {row[0]: row[1:] for row, _ in read["plft"].switches.get(guid, [])} if "plft" in read else {}
        if "vl2vl" in read:
            switch.by_lane = frozenset(sl for row, _ in read["vl2vl"].switches.get(guid, []) for sl in row)
        switch.enabled = read.get("dbcsv", {}).get(guid, _EVERY)
    lacking = [] if signs else _lacking(fabric, far, read.get("dbcsv", {}))
    adapting = [
        fabric.network.router_name(fabric.router_of[guid]) for guid, one in far.switches.items() if one.adapts
    ]
    name = Path(far.where).name
    chosen = [f"{name} (groups of ports that {few(adapting)} choose from)"] if adapting else []
    known = not signs and not lacking
    notes += far.notes
    return replace(
        _signed(fabric, [*chosen, *signs, *(f"{name} ({words})" for words in lacking)], notes),
        groups=far.switches if known else None,
    )


def _signed(fabric: Fabric, signs: list[str], notes: list[str]) -> Fabric:
    return replace(fabric, adaptive=(*fabric.adaptive, *dict.fromkeys(signs)), notes=(*fabric.notes, *notes))


def _check(fabric: Fabric, file: GroupFile) -> None:
    """Compare switches and ports of a file with the fabric."""
    for guid, switch in file.switches.items():
        router = file.switch(fabric, guid, "groups", switch.line)
        highest = max((port for group in switch.groups.values() for port in group), default=0)
        file.require_port(fabric, router, highest, switch.line)


def _lacking(fabric: Fabric, far: GroupFile, enabled: Mapping[int, int]) -> list[str]:
    """What is needed beside the groups and is not there, in words."""
    name, cabled = fabric.network.router_name, fabric.cabled
    without: dict[str, list[str]] = {"no groups of {}": [], "which private tables {} use": [], "lanes at {}": []}
    for guid, router in fabric.router_of.items():
        switch = far.switches.get(guid)
        if switch is None:
            without["no groups of {}"] += [name(router)] if enabled.get(guid, _EVERY) else []
            continue
        needed = {port for port in range(1, cabled.shape[1]) if cabled[router, port]}
        named = {number for row in switch.private.values() for number in row}
        several = max({*switch.tables, *named}, default=0) > 0
        if several and (needed - {*switch.private} or named - {*switch.tables}):
            without["which private tables {} use"].append(name(router))
        if (several and switch.by_lane is None) or (switch.by_lane and fabric.lanes is None):
            without["lanes at {}"].append(name(router))
    private = any(max(switch.tables, default=0) for switch in far.switches.values())
    words = [text.format(few(names)) for text, names in without.items() if names]
    many = [sign for sign in fabric.adaptive if re.search(r"PLFT_NUM|the engine (?:dfp|kdor)", sign)]
    return words + ([] if private else [f"no private tables, beside {sign}" for sign in many])


PLFT = Format("plft", "private tables by port", (".plft",), read_plft, holds="groups")
VL2VL = Format("vl2vl", "lanes by lanes", (".vl2vl",), read_vl2vl, holds="groups")
