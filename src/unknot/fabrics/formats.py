"""Every format of files in one table, and which of them a file has."""

from __future__ import annotations

import re
from pathlib import Path

from unknot._base.errors import TextError, UnknotError, require_known
from unknot._base.extensions import Catalogue
from unknot._base.input import as_utf8, read_bytes
from unknot.fabrics import (
    adaptive_groups,
    fabric_lists,
    garnet,
    graph_files,
    ibdiagnet,
    iblinkinfo,
    ibsim,
    machines,
    networkx_files,
    opareport,
    opensm_levels,
    opensm_tables,
    port_lists,
    private_tables,
    slurm,
)
from unknot.fabrics.format import PARTS, Format
from unknot.network import Network
from unknot.network.edges import is_edge_list, read_edge_list, write_edge_list

_EDGES = re.compile(
    r"\A(?>\s+|#[^\n]*)*+"
    r"[^\s#]++[ \t]+(?:->|--|@)[ \t]+[^\s#]++[ \t]*(?:[0-9]+(?:[ \t]+[0-9./]+)?[ \t]*)?(?:#[^\n]*)?(?:\r?\n|\Z)"
)
"""Sign of an edge list: an arrow in the first line that is no comment; rows without one fit many formats."""


def _read_tod(path: str | Path) -> Network:
    from unknot.network import tod

    return tod.read(path)


_FORMATS = (
    Format("tod", "a topology description", (".tod",), _read_tod, keeps=frozenset(PARTS)),
    networkx_files.GRAPHML,
    graph_files.GML,
    graph_files.DOT,
    machines.NCCL,
    machines.TACCL,
    networkx_files.NODE_LINK,
    garnet.FORMAT,
    fabric_lists.LST,
    fabric_lists.IBNETDISCOVER,
    iblinkinfo.FORMAT,
    ibdiagnet.NET_DUMP,
    ibdiagnet.DB_CSV,
    port_lists.PORTS,
    port_lists.PORT_CSV,
    opareport.FORMAT,
    ibsim.FORMAT,
    Format(
        "edges", "an edge list", (".edges", ".txt"), read_edge_list, write_edge_list, _EDGES.search,
        frozenset({"latencies", "bandwidths", "terminals", "router names", "terminal names"}),
    ),
    opensm_tables.LFTS,
    opensm_tables.FDBS,
    opensm_levels.PSL,
    opensm_levels.SL2VL,
    opensm_tables.MCFDBS,
    adaptive_groups.FORMAT,
    private_tables.PLFT,
    private_tables.VL2VL,
    slurm.CONF,
    slurm.YAML,
)  # fmt: skip
FORMATS: Catalogue[Format] = Catalogue("formats", {form.name: form for form in _FORMATS}, of=Format)
"""Formats by name, those of extensions last. Another is a module of this room with a `Format`, and its line above."""

REMOVED = {
    "metis": "write an edge list (.edges), which names the same links",
    "lidmatrix": "hop counts decide nothing about deadlock, and an audit names routes longer than the cables allow",
}
"""Formats of earlier versions, each with what to do instead."""

_VAGUE = (".txt", ".dump", ".conf", ".json", ".csv")
"""Endings that many kinds of files have: the content is looked at first."""
_HEAD = 1 << 16


def format_named(name: str) -> Format:
    """The format of this name.

    Raises
    ------
    UnknotError
        With near names, or with what to do instead of a format of an earlier version.
    """
    if name in REMOVED:
        raise UnknotError(f"the format {name!r} was removed: {REMOVED[name]}")
    require_known("there is no format", name, FORMATS)
    return FORMATS[name]


def format_for(path: str | Path) -> Format:
    """The format that is written into a file of this name.

    Raises
    ------
    UnknotError
        If its ending is that of no format.
    """
    form = _by_ending(Path(path))
    if form is not None:
        return form
    ending = Path(path).suffix.lower()
    known = ", ".join(f"{form.endings[0]} ({form.name})" for _, form in FORMATS.usable() if form.write)
    raise UnknotError(
        f"{path}: no format has the ending {ending or 'of this name'!r}; use one of {known}, or name it"
    )


def kind_of(path: str | Path) -> str | None:
    """Return the format of a file: a name of `FORMATS`, or None where nothing shows it for certain.

    A known ending decides, also one before ``.gz``; otherwise the first 64 KiB do.
    """
    path = Path(path)
    form = _by_ending(path.with_suffix("") if path.suffix.lower() == ".gz" else path)
    if form is not None and path.suffix.lower() not in _VAGUE:
        return form.name
    kind = kind_by_content(path)
    if kind is None and form is not None:
        plain = form.name == "json" or (form.name == "edges" and is_edge_list(_head(path)))
        kind = form.name if plain else None
    return kind


def kind_by_content(path: str | Path) -> str | None:
    """Return the format that the first 64 KiB of a file show for certain: a name of `FORMATS`, or None."""
    text = _head(path)
    return next((name for name, form in FORMATS.usable() if form.sign is not None and form.sign(text)), None)


def _head(path: str | Path) -> str:
    return as_utf8(read_bytes(path, _HEAD)).decode("utf-8", errors="replace")


def unknown_kind(path: str | Path) -> TextError:
    """Return the error for a file of unknown format."""
    listed = ", ".join(name for name, form in FORMATS.usable() if form.holds in ("network", "fabric"))
    return TextError(
        f"neither ending nor content shows of what format this file is; name it with --from (in Python: form=…): "
        f"{listed}",
        path,
    )


def write_network(network: Network, path: str | Path, form: str | None = None) -> tuple[Format, list[str]]:
    """Write a network into a file.

    Parameters
    ----------
    network : Network
        The network.
    path : str or Path
        The file.
    form : str, optional
        Name of the format; by default the ending of the file decides.

    Returns
    -------
    Format
        The one that was written.
    list of str
        The parts of the network that this format does not carry.

    Raises
    ------
    UnknotError
        If there is no such format, or it cannot express this network.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.network.families import mesh
    >>> with TemporaryDirectory() as folder:
    ...     form, lost = write_network(mesh(2, 2), f"{folder}/mesh.edges")
    ...
    >>> form.name, lost
    ('edges', ['coordinates'])
    """
    chosen = format_for(path) if form is None else format_named(form)
    if chosen.write is None:
        raise UnknotError(f"{chosen.words} can be read, but not written; .graphml and .json carry everything")
    chosen.write(network, Path(path))
    return chosen, chosen.dropped(network)


def _by_ending(path: Path) -> Format | None:
    ending = path.suffix.lower()
    return next((form for _, form in FORMATS.usable() if ending in form.endings), None)
