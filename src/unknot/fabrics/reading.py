"""Which file is what is found out from its content; folders are read as a whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from unknot.errors import TextError, UnknotError
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.formats import FORMATS
from unknot.fabrics.ibnetdiscover import read_ibnetdiscover
from unknot.fabrics.opensm_fdbs import read_fdbs
from unknot.fabrics.opensm_lfts import read_lfts
from unknot.fabrics.subnet_list import read_subnet_list
from unknot.fabrics.tables import TableFile, compare, join
from unknot.input import read_bytes
from unknot.network import Network

_TABLE_SIGNS = {
    "lfts": re.compile(r"^Unicast lids \[|^\d+ (?:valid )?lids dumped", re.M),
    "fdbs": re.compile(r"^\w*dump_ucast_routes: Switch|^LID\s*: Port : Hops : Optimal", re.M),
}
_HEAD = 1 << 16
_FABRIC_READERS: dict[str, Callable[[Path], Fabric]] = {
    "ibnetdiscover": read_ibnetdiscover,
    "lst": read_subnet_list,
}
_TABLE_READERS: dict[str, Callable[[Path], TableFile]] = {"lfts": read_lfts, "fdbs": read_fdbs}
_WORDS = {
    "lfts": "OpenSM forwarding tables",
    "fdbs": "OpenSM forwarding tables with hop counts",
    **{form.name: form.words for form in FORMATS.values()},
}
_OF_FABRICS = {*_FABRIC_READERS, *_TABLE_READERS, "ibsim"}


def kind_of(path: str | Path) -> str | None:
    """What a file is by its first 64 KiB: a name of `FORMATS`, `lfts` or `fdbs`, or None where nothing shows it."""
    text = read_bytes(path, _HEAD).decode("utf-8", errors="replace")
    signs = [*_TABLE_SIGNS.items(), *((form.name, form.sign) for form in FORMATS.values())]
    return next((name for name, sign in signs if sign is not None and sign.search(text)), None)


def read_fabric(path: str | Path, tables: str | Path | None = None) -> Fabric:
    """Read a fabric and its forwarding tables.

    Parameters
    ----------
    path : str or Path
        A folder, in which the files are found by content: `ibnetdiscover` output rather than a link list, OpenSM's
        table dump rather than the one with hop counts; when both dumps are there they must agree. Or a fabric file.
    tables : str or Path, optional
        A file of forwarding tables to use; with a folder, instead of those in the folder.

    Raises
    ------
    UnknotError
        If there is no such file, or more than one of a kind.
    TextError
        With file and line, when a file is broken or cut off, or fabric and tables do not belong together.
    """
    path = Path(path)
    dumps: list[TableFile] = []
    if path.is_dir():
        fabric, found = _folder(path)
        if tables is None:
            dumps = [read(found[kind]) for kind, read in _TABLE_READERS.items() if kind in found]
    else:
        kind = kind_of(path)
        if kind is None or kind not in _FABRIC_READERS:
            hint = "; give it as `tables`, beside a fabric file" if kind in _TABLE_READERS else ""
            raise TextError(f"ibnetdiscover output or a link list (.lst) is wanted; {_is(kind)}{hint}", path)
        fabric = _FABRIC_READERS[kind](path)
    if tables is not None:
        kind = kind_of(tables)
        if kind is None or kind not in _TABLE_READERS:
            raise TextError(f"OpenSM forwarding tables (lfts dump or fdbs) are wanted; {_is(kind)}", tables)
        dumps = [_TABLE_READERS[kind](Path(tables))]
    if dumps:
        fabric = join(fabric, dumps[0])
    for other in dumps[1:]:
        join(fabric, other)
        compare(fabric, dumps[0], other)
    return fabric


def read_network(path: str | Path) -> Network:
    """Read a network from a file of any of `FORMATS`, or from the folder of a fabric.

    What a file is is found from its content; only topology descriptions go by their ending ``.tod``, and what shows
    no sign is read as an edge list.

    Raises
    ------
    TextError
        With file and line when the file is broken or is something else.
    """
    path = Path(path)
    if path.is_dir():
        return _folder(path)[0].network
    kind = "tod" if path.suffix == ".tod" else kind_of(path)
    if kind in _TABLE_READERS:
        raise TextError(f"this is {_WORDS[kind]}, which do not tell the links; give the fabric file", path)
    return FORMATS[kind or "edges"].read(path)


def _is(kind: str | None) -> str:
    return f"this is {_WORDS[kind]}" if kind is not None else "this is none of the known formats"


def _folder(folder: Path) -> tuple[Fabric, dict[str, Path]]:
    """The fabric of a folder, without tables, and its files by kind."""
    found: dict[str, Path] = {}
    unknown: list[str] = []
    other: list[str] = []
    try:
        files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    except OSError as error:
        raise TextError(f"cannot read this folder: {error.strerror or error}", folder) from error
    for file in files:
        kind = kind_of(file)
        if kind not in _OF_FABRICS:
            (unknown if kind is None else other).append(file.name)
        elif kind in found:
            raise UnknotError(
                f"{folder}: both {found[kind].name} and {file.name} are {_WORDS[kind]}; give the files that are "
                "meant, not the folder"
            )
        else:
            found[kind] = file
    used: str | None = next((kind for kind in _FABRIC_READERS if kind in found), None)
    if used is None:
        inside = ", ".join(file.name for file in files[:8]) + (", …" if len(files) > 8 else "")
        raise UnknotError(
            f"{folder}: no ibnetdiscover output and no link list (.lst) in this folder; "
            + (f"it holds {inside}" if files else "it is empty")
        )
    fabric = _FABRIC_READERS[used](found[used])
    notes = list(fabric.notes)
    if used == "ibnetdiscover" and "lst" in found:
        notes.append(f"{found['lst'].name} was not used, since {found[used].name} says more")
    if unknown:
        notes.append(f"not used, since of no known format: {', '.join(unknown)}")
    if other:
        notes.append(f"not used, since not of a fabric: {', '.join(other)}")
    name = folder.resolve().name
    fabric = replace(fabric, name=name, network=replace(fabric.network, name=name), notes=tuple(notes))
    return fabric, found
