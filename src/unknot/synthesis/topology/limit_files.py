"""Files of nodes and of limits of their links."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from unknot._base.errors import NetworkError
from unknot._base.toml_places import (
    NUMBER,
    TEXT,
    TRUTH,
    EntryError,
    KeyPath,
    Reader,
    list_of,
    read_toml,
    record,
    table_of,
)
from unknot.network import Network, Places
from unknot.synthesis.topology.limits import Cut, LinkLimits, ReachClass, Switch

WHAT = "constraints of a network"


def read_nodes(path: str | Path) -> tuple[Network, LinkLimits]:
    """Read nodes and limits from a TOML file.

    Parameters
    ----------
    path : str or Path
        As for `read_limits`, with a table `nodes` of lists by name: the coordinates of each node, whole numbers from
        0 on, or an empty list.

    Returns
    -------
    nodes : Network
        Without links.
    limits : LinkLimits
        Limits of the tables beside them.

    Raises
    ------
    TextError
        At its place, as `read_limits`, and if nodes are missing or have other numbers of coordinates.

    Examples
    --------
    >>> nodes, limits = read_nodes("examples/hall.toml")
    >>> nodes.router_name(1), nodes.coordinates[1].tolist(), limits.racks[1]
    ('b', [0, 3], 'left')
    """
    with read_toml(path, WHAT) as toml:
        places = table_of(list_of(_whole))(toml.document.get("nodes", {}), ("nodes",))
        if len(places) < 2:
            raise EntryError("a network to design has at least 2 nodes", ("nodes",))
        first = next(iter(places.values()))
        for name, at in places.items():
            if len(at) != len(first):
                raise EntryError(f"{len(first)} coordinates are needed as before, not {len(at)}", ("nodes", name))
        at = {"coordinates": [*places.values()], "radices": np.max([*places.values()], axis=0) + 1} if first else {}
        nodes = Network(Path(path).stem, len(places), [], [], places=Places(**at, router_labels=[*places]))
        limits = {key: entry for key, entry in toml.document.items() if key != "nodes"}
        return nodes, _limits(limits, nodes)


def read_limits(path: str | Path, nodes: Network) -> LinkLimits:
    """Read limits from a TOML file.

    Parameters
    ----------
    path : str or Path
        Lists `required`, `forbidden` and `existing` of pairs of names of nodes, tables `ports` of numbers and `racks`
        of lists of nodes by name, tables `switches`, each with lists `from` and `to` of names, tables `classes` with
        `reach`, `price` and `latency`, and `cuts` with `axis`, `at` and `most`; `rack_links`, `edge_wires`, `length`,
        `price`, `diameter` and `survives`. See `LinkLimits`.
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
    ...     limits = read_limits(path, mesh(2, 2))
    ...
    >>> limits.required, limits.ports
    (((0, 3),), {2: 1})
    """
    with read_toml(path, WHAT) as toml:
        return _limits(toml.document, nodes)


def _limits(document: dict[str, Any], nodes: Network) -> LinkLimits:
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

    def switch(entry: Any, path: KeyPath) -> Switch:
        sides = record({side: list_of(node) for side in ("from", "to")})(entry, path)
        one, other = (tuple(sides.get(side, ())) for side in ("from", "to"))
        if not one or len(one) != len(other) or len({*one, *other}) < 2 * len(one):
            raise EntryError("a switch has as many nodes in `from` as in `to`, each once", path)
        return one, other

    readers: dict[str, Reader] = {
        **dict.fromkeys(("required", "forbidden", "existing"), list_of(link)), "ports": table_of(NUMBER),
        "switches": list_of(switch), "racks": table_of(list_of(node)),
        **dict.fromkeys(("rack_links", "edge_wires"), _whole), **dict.fromkeys(("length", "price"), _size),
        "diameter": _positive, "survives": TRUTH,
        "classes": list_of(_tuple(ReachClass, {"reach": _size, "price": _size, "latency": _positive}, "reach")),
        "cuts": list_of(_tuple(Cut, {"axis": TEXT, "at": _size, "most": _whole}, "axis", "at", "most")),
    }  # fmt: skip
    known = record(readers)(document, ())
    ports = {node(name, ("ports", name)): many for name, many in known.pop("ports", {}).items()}
    racks: dict[int, str] = {}
    for name, members in known.pop("racks", {}).items():
        for number, member in enumerate(members):
            if racks.setdefault(member, name) != name:
                words = f"{nodes.router_name(member)} is in rack {racks[member]} already"
                raise EntryError(words, ("racks", name, number))
    return LinkLimits(**known, ports=ports, racks=racks)


def _tuple(made: Callable[..., Any], readers: dict[str, Reader], *needed: str) -> Reader:
    return lambda entry, path: made(**record(readers, *needed)(entry, path))


def _whole(entry: Any, path: KeyPath, least: int = 0) -> int:
    number: int = NUMBER(entry, path)
    if number < least:
        raise EntryError(f"a whole number from {least} on is needed here, not {number}", path)
    return number


_positive = partial(_whole, least=1)


def _size(entry: Any, path: KeyPath) -> float:
    if type(entry) not in (int, float) or not 0 <= entry < 1e9:
        raise EntryError(f"a number from 0 on is needed here, not {entry!r}", path)
    return float(entry)
