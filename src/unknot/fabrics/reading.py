"""Networks and fabrics from files; folders are read as a whole."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from unknot._base.errors import TextError, require_known
from unknot._base.manifest import met
from unknot._base.packed import is_folder
from unknot.fabrics.adaptive import judged_as_static, signs_of_adaptive_routing
from unknot.fabrics.ethernet.document import KINDS
from unknot.fabrics.ethernet.folder import is_ethernet, read_ethernet
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.folders import CHOICES, read_folder
from unknot.fabrics.format import Format
from unknot.fabrics.formats import FORMATS, REMOVED, format_named, kind_by_content, kind_of, unknown_kind
from unknot.fabrics.levels import with_lanes, with_levels
from unknot.fabrics.multicast import with_multicast
from unknot.fabrics.opensm_files import read_guid2lid, with_lids
from unknot.fabrics.private_tables import read_enabled, with_choices
from unknot.fabrics.tables import TableFile, combined, join
from unknot.network import Network
from unknot.network.graph import digest

_TABLES = ("lfts", "fdbs")
_BESIDE: dict[str, tuple[str, str, Callable[..., Fabric]]] = {
    "levels": ("psl", "service levels of paths (.psl, saquery -p)", with_levels),
    "lanes": ("sl2vl", "SL to VL tables", with_lanes),
    "multicast": ("mcfdbs", "multicast tables (opensm.mcfdbs)", with_multicast),
}
"""What a fabric may have beside tables: format, description, and what joins it to the fabric."""
_OF_A_FABRIC = ("tables", *_BESIDE, "groups")
_PREFIX = re.compile(r"([a-z0-9]+):(.+)", re.S)


def split_form(text: str) -> tuple[str | None, str]:
    """The format and the path of ``FORMAT:PATH``; None and the text itself where no format stands in front.

    Examples
    --------
    >>> split_form("edges:grid.txt")
    ('edges', 'grid.txt')
    >>> split_form("ring(4)")
    (None, 'ring(4)')
    """
    match = _PREFIX.fullmatch(text.strip())
    return (match[1], match[2]) if match and match[1] in (*FORMATS, *REMOVED) else (None, text)


def read_fabric(
    path: str | Path,
    tables: str | Path | None = None,
    *,
    lids: str | Path | None = None,
    levels: str | Path | None = None,
    lanes: str | Path | None = None,
    multicast: str | Path | None = None,
    form: str | None = None,
    assume: str | None = None,
) -> Fabric:
    """Read a fabric, its forwarding tables, and where they are known the service levels and virtual lanes.

    Parameters
    ----------
    path : str or Path
        A folder or tar archive, in which `ibnetdiscover` output is used rather than a link list, and OpenSM's table
        dump rather than the one with hop counts; when both dumps are there they must agree, and one adds what the
        other lacks. Or a fabric file.
    tables : str or Path, optional
        A file of forwarding tables to use; with a folder, instead of those in the folder.
    lids : str or Path, optional
        LIDs of all ports, in the form of OpenSM's guid2lid, instead of those in the fabric file.
    levels, lanes : str or Path, optional
        Service levels of the paths, and SL to VL tables of the switches; with a folder, instead of those in it.
    multicast : str or Path, optional
        Multicast tables; with a folder, instead of those in it.
    form : str, optional
        Format of the fabric file, where neither its ending nor its content shows it; ``FORMAT:PATH`` names it, too.
    assume : {"static"}, optional
        Judge the tables alone, whatever files show of adaptive routing (`Fabric.adaptive`).

    Returns
    -------
    Fabric
        The fabric with its tables.

    Raises
    ------
    UnknotError
        If there is no such file, or more than one of a kind.
    TextError
        With file and line, when a file is broken or cut off, or fabric and tables do not belong together.

    Examples
    --------
    >>> fabric = read_fabric("examples/fabrics/opensm-ring12-lash")
    >>> fabric.network.num_channels, fabric.lanes is not None
    (24, True)
    """
    if assume is not None:
        require_known("unknown assumption", assume, ("static",))
    if form is None:
        form, path = split_form(str(path))
    path = Path(path)
    dumps: list[TableFile] = []
    files: dict[str, Path] = {}
    if is_folder(path):
        fabric, files = read_folder(path)
        if tables is None:
            dumps = [FORMATS[kind].read(files[kind]) for kind in _TABLES if kind in files]
    else:
        chosen = _format_of(path, form)
        if chosen.holds != "fabric":
            beside = chosen.holds in _OF_A_FABRIC
            hint = f"; give it as `{chosen.holds}`, beside a fabric file" if beside else ""
            if path.name.endswith(KINDS):
                hint = "; of Ethernet switches give the folder"
            raise TextError(
                f"ibnetdiscover output or a link list (.lst) is needed; this is {chosen.words}{hint}", path
            )
        fabric = _read(chosen, path, form)
    named = {"levels": levels, "lanes": lanes, "multicast": multicast}
    searched = [Path(file) for file in (tables, *named.values()) if file is not None]
    signs = [sign for file in searched for sign in signs_of_adaptive_routing(file)]
    fabric = replace(fabric, adaptive=(*fabric.adaptive, *signs))
    if lids is not None:
        fabric = with_lids(fabric, read_guid2lid(lids))
    if tables is not None:
        dumps = [_read_as("tables", "OpenSM forwarding tables (lfts dump or fdbs)", tables)]
    if dumps:
        fabric = join(fabric, dumps[0])
    for other in dumps[1:]:
        fabric = combined(fabric, dumps[0], other)
    for holds, (kind, description, joined) in _BESIDE.items():
        file = named[holds] or files.get(kind)
        if file is not None:
            fabric = joined(fabric, _read_as(holds, description, file))
    if {*CHOICES} & {*files}:
        readers = {kind: FORMATS[kind].read for kind in CHOICES} | {"dbcsv": read_enabled}
        fabric = with_choices(fabric, files, readers)
    met(fabric.name, partial(digest, fabric.network))
    return fabric if assume is None else judged_as_static(fabric)


def read_network(path: str | Path, form: str | None = None) -> Network:
    """Read a network from a file of any of `FORMATS`, or from the folder of a fabric.

    Parameters
    ----------
    path : str or Path
        The file.
    form : str, optional
        Name of the format; by default a known ending decides, and the content where there is none.

    Returns
    -------
    Network
        The network.

    Raises
    ------
    TextError
        With file and line when the file is broken or is something else; with all formats, when nothing shows for
        certain which one it has.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.fabrics import write_network
    >>> from unknot.network.families import petersen
    >>> with TemporaryDirectory() as folder:
    ...     _ = write_network(petersen(), f"{folder}/petersen.graphml")
    ...     read_network(f"{folder}/petersen.graphml")
    ...
    <Network petersen(): 10 routers, 30 channels, 10 terminals>
    """
    path = Path(path)
    if form is None and is_ethernet(path):
        return read_ethernet(path).one_vrf.hosted
    if form is None and is_folder(path):
        return _network_of(read_folder(path)[0], path)
    chosen = _format_of(path, form)
    if chosen.holds in _OF_A_FABRIC:
        raise TextError(f"this is {chosen.words}, which do not name the links; give the fabric file", path)
    read = _read(chosen, path, form)
    return _network_of(read, path) if chosen.holds == "fabric" else read


def _network_of(fabric: Fabric, path: Path) -> Network:
    """Return the network of a fabric, with a warning for what was taken for what its files do not tell."""
    for words in fabric.assumed:
        warnings.warn(f"{path}: {words}", stacklevel=3)
    return fabric.network


def _read_as(holds: str, description: str, path: str | Path) -> Any:
    """Read a file of something that belongs to a fabric."""
    chosen = _format_of(path, None)
    if chosen.holds != holds:
        raise TextError(f"{description} are needed; this is {chosen.words}", path)
    return chosen.read(Path(path))


def _format_of(path: str | Path, form: str | None) -> Format:
    if form is not None:
        return format_named(form)
    kind = kind_of(path)
    if kind is None:
        raise unknown_kind(path)
    return FORMATS[kind]


def _read(chosen: Format, path: Path, form: str | None) -> Any:
    """Read a file; where its ending was wrong about the format, the error says so."""
    try:
        return chosen.read(path)
    except TextError as error:
        seen = kind_by_content(path) if form is None and error.where == str(path) else None
        if seen is None or seen == chosen.name:
            raise
        words = f"{error.message} (the content is that of {FORMATS[seen].words}; to read it so: --from {seen})"
        raise TextError(words, path, error.line, error.column, error.text) from error
