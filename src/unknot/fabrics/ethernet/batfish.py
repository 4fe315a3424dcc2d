"""Routes of all switches as Batfish's frame has them."""

from __future__ import annotations

import csv
from collections import defaultdict
from ipaddress import ip_address
from pathlib import Path

from unknot._base.errors import TextError
from unknot._base.input import read_lines
from unknot.fabrics.ethernet.routes import LOCAL, Prefix, Route, VrfTable, prefix_of
from unknot.fabrics.ethernet.unread import MANAGEMENT

COLUMNS = ("Node", "VRF", "Network", "Next_Hop_IP", "Next_Hop_Interface", "Protocol")
_UNRESOLVED = ("dynamic", "", "AUTO/NONE(-1l)")
"""Names of interfaces of next hops that are known by their address alone."""


def read_batfish_routes(path: str | Path) -> dict[str, dict[str, VrfTable]]:
    """Read routes of all nodes by VRF: ``bf.q.routes().answer().frame().to_csv(path)``.

    Rows of one node and prefix are equal-cost. A next hop known by address alone leaves through the interface to
    which the address is connected.

    Raises
    ------
    TextError
        With the line, if a column is missing, a prefix or an address is none, or not one interface leads to a next
        hop.
    """
    lines = read_lines(path)

    def error(message: object, line: int = 1) -> TextError:
        line = min(max(1, line), len(lines))
        return TextError(f"{message}", path, line, text=lines[line - 1])

    reader = csv.DictReader(lines, restval="")
    rows: defaultdict[tuple[str, str], list[tuple[int, Prefix, dict[str, str]]]] = defaultdict(list)
    try:
        missing = ", ".join(sorted({*COLUMNS} - {*(reader.fieldnames or ())}))
        if missing:
            command = f'bf.q.routes().answer().frame().to_csv("{Path(path).name}")'
            raise error(f"no column {missing}; Batfish writes them by {command}")
        for row in reader:
            if row["VRF"] != MANAGEMENT:
                rows[row["Node"], row["VRF"]].append((reader.line_num, prefix_of(row["Network"]), row))
    except (ValueError, csv.Error) as fault:
        raise error(fault, reader.line_num) from None
    tables: dict[str, dict[str, VrfTable]] = {}
    for (node, vrf), its in rows.items():
        table = dict[Prefix, Route]()
        ports = [(prefix, row["Next_Hop_Interface"]) for _, prefix, row in its if row["Protocol"] == "connected"]
        for number, prefix, row in its:
            name = row["Next_Hop_Interface"]
            if name in _UNRESOLVED:
                try:
                    address = ip_address(row["Next_Hop_IP"])
                    known = {(net.prefixlen, port) for net, port in ports if address in net}
                except ValueError:
                    known = set()
                longest = [port for length, port in known if length == max(known)[0]]
                if len(longest) != 1:
                    many = "several connected interfaces lead" if longest else "no connected interface leads"
                    raise error(f"{node}: {many} to next hop {row['Next_Hop_IP']!r}", number)
                name = longest[0]
            before = table.get(prefix, Route(False, ()))
            names = before.interfaces if name == "null_interface" else (*before.interfaces, name)
            table[prefix] = Route(before.local or row["Protocol"] in LOCAL, tuple(sorted({*names})))
        tables.setdefault(node, {})[vrf] = VrfTable(table, {port for _, port in ports})
    return tables
