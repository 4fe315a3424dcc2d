"""Routes as Batfish computes them from configurations: its frame of routes, as CSV."""

from __future__ import annotations

import csv
from collections import defaultdict
from ipaddress import ip_address
from pathlib import Path

from unknot._base.errors import TextError
from unknot._base.input import read_lines
from unknot.fabrics.ethernet.routes import LOCAL, Prefix, Route, prefix_of

COLUMNS = ("Node", "VRF", "Network", "Next_Hop_IP", "Next_Hop_Interface", "Protocol")
_UNRESOLVED = ("dynamic", "", "AUTO/NONE(-1l)")
"""Names of interfaces of next hops that are known by their address alone."""


def read_batfish_routes(path: str | Path) -> dict[str, dict[Prefix, Route]]:
    """Read routes of all nodes: ``bf.q.routes().answer().frame().to_csv(path)``.

    Rows of one node and prefix are equal-cost. A next hop known by address alone leaves through the interface to
    which the address is connected.

    Raises
    ------
    TextError
        With the line, if a column is missing, a prefix or an address is none, or no interface leads to a next hop.
    """
    lines = read_lines(path)
    reader = csv.DictReader(lines, restval="")
    try:
        missing = set(COLUMNS) - set(reader.fieldnames or ())
    except csv.Error as error:
        raise TextError(f"{error}", path, 1, text=lines[0]) from None
    if missing:
        raise TextError(
            f"no column {', '.join(sorted(missing))}; Batfish's routes are wanted", path, 1, text=lines[0]
        )
    rows: defaultdict[str, list[tuple[int, Prefix, dict[str, str]]]] = defaultdict(list)
    try:
        for row in reader:
            if row["VRF"] == "default":
                rows[row["Node"]].append((reader.line_num, prefix_of(row["Network"]), row))
    except (ValueError, csv.Error) as error:
        line = min(max(1, reader.line_num), len(lines))
        raise TextError(f"{error}", path, line, text=lines[line - 1]) from None
    routes: dict[str, dict[Prefix, Route]] = {}
    for node, its in rows.items():
        table = routes[node] = dict[Prefix, Route]()
        ports = [(prefix, row["Next_Hop_Interface"]) for _, prefix, row in its if row["Protocol"] == "connected"]
        for number, prefix, row in its:
            name = row["Next_Hop_Interface"]
            if name in _UNRESOLVED:
                try:
                    address = ip_address(row["Next_Hop_IP"])
                except ValueError:
                    address = None
                known = [
                    port
                    for net, port in ports
                    if address is not None and address.version == net.version and address in net
                ]
                if not known:
                    raise TextError(
                        f"{node}: no connected interface leads to next hop {row['Next_Hop_IP']!r}",
                        path,
                        number,
                        text=lines[number - 1],
                    )
                name = known[0]
            before = table.get(prefix, Route(False, ()))
            names = before.interfaces if name == "null_interface" else (*before.interfaces, name)
            table[prefix] = Route(before.local or row["Protocol"] in LOCAL, tuple(dict.fromkeys(names)))
    return routes
