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
from unknot._base.phrases import few
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
        Options of `unknot.routing.bgp`: `allowas_in`, and others where all of FRR's configurations state them alike.
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
    files, network = files_of(Path(fabric.folder)), fabric.network
    names = [*map(network.router_name, range(network.num_routers))]
    told = _Told()
    for name in names:
        told.read(name, files.get(name, {}))
    plan, options = [told.system_of(fabric.name, name) for name in names], dict[str, Any]()
    # Where each switch has an AS of its own, no accepted path leads back.
    if told.limits or (None not in plan and len({*plan}) < len(plan)):
        options["allowas_in"] = told.allowed(names, [(names[near], names[far]) for near, far in network.ends])
    stated = [one for name in names for one in told.stated.get(name, [{}])]
    if any(one != stated[0] for one in stated):
        told.unread["options of BGP, which not all switches state alike"] = None
    else:
        options |= stated[0]
    return ToldBgp(None if None in plan else tuple(filter(None, plan)), options, tuple(told.unread))


ROUTER = r"^router bgp ([0-9]{1,10})\s*$"
ALLOWED_KEYS, COUNT = "allowAsIn", "allowAsInCount"
"""Beginning of keys of a session that tell when the own AS is accepted, and the key for how often."""
ALLOWED = r"\bneighbor (\S+) allowas-in(?: ([0-9]{1,3}))?"
BEST_PATH = ("multiPathRelax", "compareRouterId")
"""Keys of options of the choice of paths in summaries."""
OWN = ("as", "localAS")
"""Keys of the own AS in summaries of BGP's sessions."""


@dataclass
class _Told:
    """What files tell: ASes of switches by their own files and by neighbours' files, and options.

    `limits` has how often a switch accepts its own AS: from all neighbours, or by neighbour.
    """

    own: dict[str, set[int]] = field(default_factory=dict)
    heard: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    stated: defaultdict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    limits: dict[str, int | dict[str, int]] = field(default_factory=dict)
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
        for text in texts:
            self.stated[name].append(_options(text))
        if "config_db.json" in kinds:
            self._tables(name, Document.read(kinds["config_db.json"]))
        if texts:
            self.limits[name] = self._configured(name, "\n".join(texts))
        if SUMMARY in kinds:
            document = Document.read(kinds[SUMMARY])
            top = document.table(document.content)
            for part in (top, *(part for part in top.values() if isinstance(part, dict))):
                self.own[name] |= {part[key] for key in OWN if isinstance(part.get(key), int)}
                self._peers(document.table(part.get("peers", {}), "peers").values())
                if "bestPath" in part:
                    best = document.table(part["bestPath"], "bestPath")
                    relax, by_number = (best.get(key) == "true" for key in BEST_PATH)
                    self.stated[name].append({"relax": relax, "oldest": not by_number})
                    for key in sorted({*best} - {*BEST_PATH}):
                        self.unread[f"{key} of BGP's best path"] = None
        if NEIGHBOURS in kinds:
            document = Document.read(kinds[NEIGHBOURS])
            rows = [row for row in document.table(document.content).values() if isinstance(row, dict)]
            self.own[name] |= {row["localAs"] for row in rows if isinstance(row.get("localAs"), int)}
            self._peers(rows)
            # FRR 8.4 prints no count anywhere; newer versions leave out counts of 0.
            parts = [part for row in rows for part in _parts(row.get("addressFamilyInfo"))]
            if any(key.startswith(ALLOWED_KEYS) for part in parts for key in part):
                self.limits[name] = {str(row.get("hostname")): self._accepted(name, row) for row in rows}

    def allowed(self, names: list[str], sessions: list[tuple[str, str]]) -> int | list[int]:
        """How often own ASes are accepted: a number for all, for each switch, or for each session."""
        whole = [one for name in names if isinstance(one := self.limits.get(name), int)]
        if len(whole) == len(names):
            return whole[0] if len({*whole}) == 1 else whole
        own = {name: dict.fromkeys(names, one) if isinstance(one, int) else one for name, one in self.limits.items()}
        untold = [f"{near} from {far}" for near, far in sessions if far not in own.get(near, {})]
        if untold:
            self.unread[
                f"how often their own AS is accepted by {few(untold)}: no file tells, so 0 is assumed; frr.conf does"
            ] = None
        found = [own.get(near, {}).get(far, 0) for near, far in sessions]
        return found[0] if len({*found}) == 1 else found

    def _accepted(self, name: str, row: dict[str, Any]) -> int:
        """How often a switch accepts its own AS from a neighbour, by the largest number of an address family."""
        parts = _parts(row.get("addressFamilyInfo"))
        counts = {number(part.get(COUNT, 0)) or 0 for part in parts}
        for key in sorted({key for part in parts for key in part if key.startswith(ALLOWED_KEYS)} - {COUNT}):
            self.unread[f"{key} of {name}"] = None
        if len(counts) > 1:
            self.unread[f"allowas-in of {name}, which differs by address family: the largest is assumed"] = None
        return max(counts, default=0)

    def _configured(self, name: str, text: str) -> int:
        """How often a switch accepts its own AS by its configuration, the same from all neighbours."""
        said = {peer: int(digits or 3) for peer, digits in re.findall(ALLOWED, text)}
        group = dict(re.findall(r"\bneighbor (\S+) (?:interface )?peer-group (\S+)", text))
        peers = {*said, *re.findall(r"\bneighbor (\S+) (?:interface )?(?:remote-as|peer-group \S)", text)}
        limits = {said.get(peer, said.get(group.get(peer, ""), 0)) for peer in peers - {*group.values()}}
        if len(limits) > 1:
            self.unread[f"allowas-in of {name}, which differs by neighbour: the largest is assumed"] = None
        return max(limits, default=0)

    def _tables(self, name: str, document: Document) -> None:
        tables = {table: document.table(rows, table) for table, rows in document.table(document.content).items()
                  if table in ("DEVICE_METADATA", "BGP_BBR", "BGP_NEIGHBOR")}  # fmt: skip
        localhost = document.table(tables.get("DEVICE_METADATA", {}).get("localhost", {}), "DEVICE_METADATA")
        self.own[name] |= {system} if (system := number(localhost.get("bgp_asn"))) else set()
        for row in _parts(tables.get("BGP_NEIGHBOR")):
            if (system := number(row.get("asn"))) and row.get("name"):
                self.heard[str(row["name"])].add(system)
        bbr = document.table(tables.get("BGP_BBR", {}).get("all", {}), "BGP_BBR", "all")
        # SONiC's template of peer groups: ToRs accept their own AS once, and leaves do while BBR is on.
        enabled, kind = bbr.get("status") == "enabled", localhost.get("type")
        if kind is not None:
            self.limits[name] = int(kind == "ToRRouter" or (kind == "LeafRouter" and enabled))
        elif enabled:
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
    return {
        "relax": "as-path multipath-relax" in text,
        "oldest": "bestpath compare-routerid" not in text,
    }  # fmt: skip
