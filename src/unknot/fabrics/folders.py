"""Folders and archives of files about one fabric, as subnet managers and diagnostic tools write them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from unknot._base.errors import UnknotError
from unknot._base.packed import entries
from unknot.fabrics.adaptive import is_unjudged, signs_of_adaptive_routing
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.formats import FORMATS, kind_of

_FABRICS = ("ibnetdiscover", "lst", "opareport", "netdump", "dbcsv", "iblinkinfo", "ports")
"""Formats that describe the fabric of a folder, the preferred one first."""
_BESIDE = ("lfts", "fdbs", "psl", "sl2vl", "mcfdbs", "far", "plft", "vl2vl", "ibsim")
"""Formats of other files that are used, or are known not to be."""
CHOICES = ("far", "plft", "vl2vl")
"""Formats of files that tell what adaptive switches choose from."""
_WITH_SIGNS = ("fdbs", "dbcsv")
"""Formats of files that are used and may show adaptive routing."""


def read_folder(folder: Path) -> tuple[Fabric, dict[str, Path]]:
    """Return the fabric of a folder, without tables, and its files by their formats.

    Raises
    ------
    UnknotError
        If two files are of one format, or none describes the fabric.
    TextError
        With file and line, when a file is broken.
    """
    file_of: dict[str, Path] = {}
    adaptive: list[str] = []
    unknown: list[str] = []
    other: list[str] = []
    files, folders = ([path for path in some if path.name[0] != "."] for some in entries(folder))
    for file in files:
        kind = kind_of(file)
        kind = kind if kind in CHOICES or not is_unjudged(file) else None
        known = kind in (*_FABRICS, *_BESIDE)
        signs = () if known and kind not in _WITH_SIGNS else signs_of_adaptive_routing(file)
        adaptive += signs
        if signs and not known:
            continue
        if kind is None or not known:
            (unknown if kind is None else other).append(file.name)
        elif kind in file_of:
            raise UnknotError(
                f"{folder}: both {file_of[kind].name} and {file.name} are {FORMATS[kind].words}; give the files that "
                "are meant, not the folder"
            )
        else:
            file_of[kind] = file
    used = next((kind for kind in _FABRICS if kind in file_of), None)
    if used is None:
        names = [file.name for file in files] + [f"{path.name}/" for path in folders]
        listed = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
        sought = ", ".join(FORMATS[kind].words for kind in _FABRICS)
        raise UnknotError(
            f"{folder}: nothing in this folder describes a fabric: neither {sought}, nor switches with routes; "
            + (f"it holds {listed}" if names else "it is empty")
            + ("; is one of these folders meant?" if folders else "")
        )
    fabric: Fabric = FORMATS[used].read(file_of[used])
    notes = list(fabric.notes)
    for other_kind in _FABRICS:
        if other_kind != used and other_kind in file_of:
            notes.append(f"{file_of[other_kind].name} was not used, since {file_of[used].name} says more")
    if unknown:
        notes.append(f"not used, since of no known format: {', '.join(unknown)}")
    if other:
        notes.append(f"not used, since not of a fabric: {', '.join(other)}")
    name = folder.resolve().name
    signs = (*fabric.adaptive, *adaptive)
    network = replace(fabric.network, name=name)
    return replace(fabric, name=name, network=network, notes=tuple(notes), adaptive=signs), file_of
