"""Limits of single links and nodes, from a file: required and forbidden links, nodes with other numbers of ports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from unknot._base.errors import NetworkError
from unknot._base.toml_places import NUMBER, TEXT, EntryError, KeyPath, list_of, read_toml, record, shown_in, table_of
from unknot.network import Network


class LinkLimits(NamedTuple):
    """Limits of links and nodes.

    Attributes
    ----------
    required, forbidden : tuple of (int, int)
        Links from a node to another.
    ports : mapping of int to int
        Most links from and to a node, where it has others than the rest.

    Examples
    --------
    >>> LinkLimits(required=((0, 3),)).forbidden
    ()
    """

    required: tuple[tuple[int, int], ...] = ()
    forbidden: tuple[tuple[int, int], ...] = ()
    ports: Mapping[int, int] = MappingProxyType({})


def read_limits(path: str | Path, nodes: Network) -> LinkLimits:
    """Read limits from a TOML file.

    Parameters
    ----------
    path : str or Path
        Lists `required` and `forbidden` of pairs of names of nodes, and a table `ports` of numbers by name.
    nodes : Network
        The nodes.

    Returns
    -------
    LinkLimits
        Nodes by number.

    Raises
    ------
    TextError
        At its place, if a key or a node is unknown, or an entry is of another type.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.network.families import mesh
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "limits.toml"
    ...     text = 'required = [["(0,0)", "(1,1)"]]' + chr(10) + 'ports = {"(0,1)" = 1}'
    ...     _ = path.write_text(text)
    ...     read_limits(path, mesh(2, 2))
    ...
    LinkLimits(required=((0, 3),), forbidden=(), ports={2: 1})
    """

    def node(name: Any, path: KeyPath) -> int:
        try:
            return nodes.router(TEXT(name, path))
        except NetworkError as error:
            raise EntryError(str(error), path) from None

    def link(entry: Any, path: KeyPath) -> tuple[int, int]:
        ends = list_of(node)(entry, path)
        if len(set(ends)) != 2 or len(ends) != 2:
            raise EntryError(f"a link has two nodes, as {nodes.router_name(0)} and {nodes.router_name(1)}", path)
        return ends[0], ends[1]

    limits = read_toml(path, "constraints of a network")
    with shown_in(limits):
        readers = {"required": list_of(link), "forbidden": list_of(link), "ports": table_of(NUMBER)}
        known = record(readers)(limits.document, ())
        ports = {node(name, ("ports", name)): many for name, many in known.pop("ports", {}).items()}
        return LinkLimits(**known, ports=ports)
