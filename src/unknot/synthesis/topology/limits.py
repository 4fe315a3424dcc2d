"""Limits of links and nodes, from a file: required and forbidden links, other numbers of ports, switches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.errors import NetworkError
from unknot._base.toml_places import NUMBER, TEXT, EntryError, KeyPath, list_of, read_toml, record, shown_in, table_of
from unknot.network import Network

Pairs = tuple[tuple[int, int], ...]
"""Links from a node to another."""
Switch = tuple[tuple[int, ...], tuple[int, ...]]
"""Nodes on both sides of a switch, each with a port, of which one side is joined to the other one to one."""


class LinkLimits(NamedTuple):
    """Limits of links and nodes.

    Attributes
    ----------
    required, forbidden : tuple of (int, int)
        Links from a node to another.
    ports : mapping of int to int
        Most links from and to a node, where it has others than the rest.
    switches : tuple of (tuple of int, tuple of int)
        For each switch the nodes at its ports in and out; pairs that no switch joins have required links alone.
    starts : tuple of (str, pairs)
        Settings of all switches by name: links, in one direction; by default the ports in their order.

    Examples
    --------
    >>> LinkLimits(required=((0, 3),)).forbidden
    ()
    """

    required: Pairs = ()
    forbidden: Pairs = ()
    ports: Mapping[int, int] = MappingProxyType({})
    switches: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()
    starts: tuple[tuple[str, Pairs], ...] = ()

    def settings(self, nodes: int) -> list[tuple[str, npt.NDArray[np.bool_]]]:
        """Links both ways of each known setting of the switches, by name."""
        listed = tuple(pair for one, other in self.switches for pair in zip(one, other, strict=True))
        found = []
        for name, links in self.starts or ((("switches as listed", listed),) if listed else ()):
            there = np.zeros((nodes, nodes), dtype=bool)
            there[tuple(np.array(links).T)] = True
            found.append((name, there | there.T))
        return found

    def with_others(self, other: LinkLimits) -> LinkLimits:
        """These limits and others together."""
        required, forbidden = self.required + other.required, self.forbidden + other.forbidden
        ports, switches = {**self.ports, **other.ports}, self.switches + other.switches
        return LinkLimits(required, forbidden, ports, switches, () if other.switches else self.starts)


def switch_table(switches: Sequence[Switch], nodes: Network) -> Ints:
    """Return the number of the switch between two nodes, −1 for none: int64 array, or empty without switches."""
    if not switches:
        return np.zeros((0, 0), dtype=np.int64)
    switch = np.full((nodes.num_routers, nodes.num_routers), -1)
    for number, (one, other) in enumerate(switches):
        for here, there in ((one, other), (other, one)):
            taken = np.argwhere(switch[np.ix_(here, there)] >= 0)
            if taken.size:
                u, v = nodes.router_name(here[taken[0, 0]]), nodes.router_name(there[taken[0, 1]])
                raise NetworkError(f"switches: {u} and {v} can be joined by two of them; leave one out")
            switch[np.ix_(here, there)] = number
    return switch


def read_limits(path: str | Path, nodes: Network) -> LinkLimits:
    """Read limits from a TOML file.

    Parameters
    ----------
    path : str or Path
        Lists `required` and `forbidden` of pairs of names of nodes, a table `ports` of numbers by name, and tables
        `switches`, each with lists `from` and `to` of names.
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
    LinkLimits(required=((0, 3),), forbidden=(), ports={2: 1}, switches=(), starts=())
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

    def switch(entry: Any, path: KeyPath) -> Switch:
        sides = record({side: list_of(node) for side in ("from", "to")})(entry, path)
        one, other = (tuple(sides.get(side, ())) for side in ("from", "to"))
        if not one or len(one) != len(other) or len({*one, *other}) < 2 * len(one):
            raise EntryError("a switch has as many nodes in `from` as in `to`, each once", path)
        return one, other

    limits = read_toml(path, "constraints of a network")
    with shown_in(limits):
        readers = {
            "required": list_of(link), "forbidden": list_of(link), "ports": table_of(NUMBER),
            "switches": list_of(switch),
        }  # fmt: skip
        known = record(readers)(limits.document, ())
        ports = {node(name, ("ports", name)): many for name, many in known.pop("ports", {}).items()}
        return LinkLimits(**known, ports=ports)
