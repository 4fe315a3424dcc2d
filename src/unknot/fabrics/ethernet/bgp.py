"""What the files of a folder tell of BGP: the AS of each switch, and options by which it chooses among paths."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unknot._base.errors import UnknotError
from unknot._base.input import read_text
from unknot.fabrics.ethernet.buffers import number
from unknot.fabrics.ethernet.document import CONFIGURATIONS, Document, files_of
from unknot.fabrics.ethernet.fabric import EthernetFabric

SUMMARY, NEIGHBOURS = "bgp.json", "bgp_neighbors.json"


@dataclass(frozen=True)
class ToldBgp:
    """What is known of BGP.

    Attributes
    ----------
    plan : tuple of int or None
        The AS of each switch; None: not told of some.
    options : dict
        Options of `unknot.routing.bgp` that FRR's configurations state, where all switches have one.
    unread : tuple of str
        What the files hold and no option states.
    """

    plan: tuple[int, ...] | None
    options: dict[str, Any]
    unread: tuple[str, ...]


def read_bgp(fabric: EthernetFabric) -> ToldBgp:
    """Read what the folder of a fabric tells of BGP.

    Raises
    ------
    UnknotError
        If two files of a switch tell two ASes.
    """
    files = files_of(Path(fabric.folder))
    names = [*map(fabric.network.router_name, range(fabric.network.num_routers))]
    told = _Told()
    for name in names:
        told.read(name, files.get(name, {}))
    plan = [told.system_of(fabric.name, name) for name in names]
    for options, many in ((told.stated, len(names)), (told.limits, len(told.limits))):
        if options and (len(options) < many or any(one != options[0] for one in options)):
            told.unread["options of BGP, which not all switches state alike"] = None
        elif options:
            return ToldBgp(None if None in plan else tuple(filter(None, plan)), options[0], tuple(told.unread))
    return ToldBgp(None if None in plan else tuple(filter(None, plan)), {}, tuple(told.unread))


ROUTER = r"^router bgp ([0-9]{1,10})\s*$"
OWN = ("as", "localAS")
"""Keys of the own AS in summaries of BGP's sessions."""


@dataclass
class _Told:
    """What files tell: ASes of switches by their own files and by neighbours' files, and options."""

    own: dict[str, set[int]] = field(default_factory=dict)
    heard: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    stated: list[dict[str, Any]] = field(default_factory=list)
    limits: list[dict[str, Any]] = field(default_factory=list)
    unread: dict[str, None] = field(default_factory=dict)

    def system_of(self, fabric: str, name: str) -> int | None:
        """The AS of a switch; by its neighbours where its own files tell none."""
        own = self.own.get(name) or self.heard[name]
        if len(own) > 1:
            raise UnknotError(f"{fabric}: the files of {name} tell several ASes: {', '.join(map(str, sorted(own)))}")
        return next(iter(own), None)

    def read(self, name: str, kinds: dict[str, Path]) -> None:
        """Read the files of a switch."""
        texts = [read_text(kinds[kind]) for kind in CONFIGURATIONS if kind in kinds]
        self.own[name] = {int(digits) for text in texts for digits in re.findall(ROUTER, text, re.M)}
        self.stated += map(_options, texts)
        if "config_db.json" in kinds:
            self._tables(name, Document.read(kinds["config_db.json"]))
        if SUMMARY in kinds:
            document = Document.read(kinds[SUMMARY])
            top = document.table(document.content)
            for part in (top, *(part for part in top.values() if isinstance(part, dict))):
                self.own[name] |= {part[key] for key in OWN if isinstance(part.get(key), int)}
                self._peers(document.table(part.get("peers", {}), "peers").values())
        if NEIGHBOURS in kinds:
            document = Document.read(kinds[NEIGHBOURS])
            rows = [row for row in document.table(document.content).values() if isinstance(row, dict)]
            self.own[name] |= {row["localAs"] for row in rows if isinstance(row.get("localAs"), int)}
            self._peers(rows)
            families = [part for row in rows for part in _parts(row.get("addressFamilyInfo"))]
            self.limits += ({"allowas_in": part.get("allowAsInCount", 0)} for part in families)

    def _tables(self, name: str, document: Document) -> None:
        tables = {table: document.table(rows, table) for table, rows in document.table(document.content).items()
                  if table in ("DEVICE_METADATA", "BGP_BBR", "BGP_NEIGHBOR")}  # fmt: skip
        localhost = document.table(tables.get("DEVICE_METADATA", {}).get("localhost", {}), "DEVICE_METADATA")
        self.own[name] |= {system} if (system := number(localhost.get("bgp_asn"))) else set()
        for row in _parts(tables.get("BGP_NEIGHBOR")):
            if (system := number(row.get("asn"))) and row.get("name"):
                self.heard[str(row["name"])].add(system)
        bbr = document.table(tables.get("BGP_BBR", {}).get("all", {}), "BGP_BBR", "all")
        if bbr.get("status") == "enabled":
            self.unread["BGP_BBR: some neighbours' paths may hold the own AS"] = None

    def _peers(self, rows: Iterable[Any]) -> None:
        for row in rows:
            if isinstance(row, dict) and isinstance(row.get("remoteAs"), int) and row.get("hostname"):
                self.heard[str(row["hostname"])].add(row["remoteAs"])


def _parts(content: object) -> list[dict[str, Any]]:
    """The objects in an object."""
    return [part for part in content.values() if isinstance(part, dict)] if isinstance(content, dict) else []


def _options(text: str) -> dict[str, Any]:
    """Options that a configuration of FRR states, or leaves at FRR's defaults."""
    most = [int(digits or 3) for digits in re.findall(r"\ballowas-in(?: ([0-9]{1,3}))?", text)]
    return {
        "allowas_in": max(most, default=0), "relax": "as-path multipath-relax" in text,
        "oldest": "bestpath compare-routerid" not in text,
    }  # fmt: skip
