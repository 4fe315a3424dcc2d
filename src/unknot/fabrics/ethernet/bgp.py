"""What the files of a folder tell of BGP: the AS of each switch, and options by which it chooses among paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unknot._base.errors import UnknotError
from unknot._base.input import read_text
from unknot.fabrics.ethernet.document import CONFIGURATIONS, Document, files_of
from unknot.fabrics.ethernet.fabric import EthernetFabric

SUMMARY = "bgp.json"


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
    files, systems = files_of(Path(fabric.folder)), list[int]()
    stated, unread = list[dict[str, Any]](), dict[str, None]()
    for name in map(fabric.network.router_name, range(fabric.network.num_routers)):
        kinds = files.get(name, {})
        texts = [read_text(kinds[kind]) for kind in CONFIGURATIONS if kind in kinds]
        own = {*_of_tables(kinds, unread), *(int(n) for text in texts for n in re.findall(ROUTER, text, re.M))}
        if len(own) > 1:
            raise UnknotError(
                f"{fabric.name}: the files of {name} tell several ASes: {', '.join(map(str, sorted(own)))}"
            )
        systems += own
        stated += map(_options, texts)
    complete = len(stated) == len(fabric.qos) and all(one == stated[0] for one in stated)
    if stated and not complete:
        unread["options of BGP, which not all switches state alike"] = None
    plan = tuple(systems) if len(systems) == len(fabric.qos) else None
    return ToldBgp(plan, stated[0] if complete else {}, tuple(unread))


ROUTER = r"^router bgp (\d+)\s*$"


def _of_tables(kinds: dict[str, Path], unread: dict[str, None]) -> Iterator[int]:
    """ASes by `config_db.json` and by a summary of BGP's sessions."""
    if "config_db.json" in kinds:
        document = Document.read(kinds["config_db.json"])
        tables = {name: document.table(rows, name) for name, rows in document.table(document.content).items()
                  if name in ("DEVICE_METADATA", "BGP_BBR")}  # fmt: skip
        number = str(tables.get("DEVICE_METADATA", {}).get("localhost", {}).get("bgp_asn"))
        yield from [int(number)] if number.isdigit() else []
        if tables.get("BGP_BBR", {}).get("all", {}).get("status") == "enabled":
            unread["BGP_BBR: some neighbours' paths may hold the own AS"] = None
    if SUMMARY in kinds:
        document = Document.read(kinds[SUMMARY])
        top = document.table(document.content)
        for part in (top, *(part for part in top.values() if isinstance(part, dict))):
            yield from (part[key] for key in ("as", "localAS") if isinstance(part.get(key), int))


def _options(text: str) -> dict[str, Any]:
    """Options that a configuration of FRR states, or leaves at FRR's defaults."""
    most = [int(number or 3) for number in re.findall(r"\ballowas-in(?: (\d+))?", text)]
    return {
        "allowas_in": max(most, default=0), "relax": "as-path multipath-relax" in text,
        "oldest": "bestpath compare-routerid" not in text,
    }  # fmt: skip
