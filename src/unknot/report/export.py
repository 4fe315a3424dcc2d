"""Tables of a relation, router by router, as other tools take them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unknot._base.errors import RelationError
from unknot._base.output import write_text
from unknot.report.entries import entries
from unknot.report.garnet_weights import garnet_weights
from unknot.report.verilog import verilog
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation

FORMATS = (".json", ".csv", ".v", ".py")
SWITCH_TABLES = (".lfts", ".slvl", ".sl2vl")


@takes_relation
def export(relation: Relation, path: str | Path) -> None:
    """Write a relation as per-router tables, by the ending of the file: JSON, CSV, Verilog (.v), gem5's Garnet (.py).

    Each entry says, for a router, an input (a virtual channel, or the injection port of a terminal) and an address,
    the candidates: outputs with their preference tier and whether a blocked header waits for them. Only states that
    packets can come to are written. Before the entries, JSON has the network and the addresses with their
    destinations and who uses them; CSV cannot hold these. Verilog is a module, see `verilog.verilog`. Garnet gets a
    topology whose weights make it take the routes; it cannot hold adaptive routings and lanes, which are refused.

    Raises
    ------
    RelationError
        If the ending is none of `FORMATS`, or the format cannot hold the relation.
    """
    ending = require_format(path)
    if ending == ".py":
        from unknot.fabrics.garnet import write_garnet

        write_garnet(relation.network, path, garnet_weights(relation))
    elif ending == ".v":
        write_text(path, verilog(relation, entries(relation)))
    else:
        write_text(path, _json(relation) if ending == ".json" else _csv(relation))


def require_format(path: str | Path, also: Sequence[str] = ()) -> str:
    """The ending of a file that tables can be written to; a refusal names `also` those of evidence."""
    ending = Path(path).suffix.lower()
    if ending in SWITCH_TABLES:
        raise RelationError(
            f"{path}: OpenSM takes one SL2VL row for all switches (qos_swe_sl2vl) and none by ports; "
            "unknot repair FABRIC --out writes what it loads, and .json has the tables of any routing"
        )
    if ending not in FORMATS:
        evidence = f", evidence to {', '.join(also)}" if also else ""
        raise RelationError(f"{path}: tables are written to files that end in {', '.join(FORMATS)}{evidence}")
    return ending


def _json(relation: Relation) -> str:
    network, vcs = relation.network, relation.vcs
    tables: list[dict[str, Any]] = [
        {"router": network.router_name(r), "entries": []} for r in range(network.num_routers)
    ]
    for router, at, address, candidates in entries(relation):
        outputs: list[dict[str, Any]] = [
            {"output": "eject"} if vc is None else {"output": _channel(relation, vc), "vc": int(vcs.index[vc])}
            for vc, _, _ in candidates
        ]
        for output, (_, tier, waits) in zip(outputs, candidates, strict=True):
            if tier:
                output["tier"] = tier
            if not waits:
                output["waits"] = False
        where = (
            {"input": _channel(relation, at), "vc": int(vcs.index[at])}
            if at < relation.num_vcs
            else {"input": "inject", "terminal": network.terminal_name(at - relation.num_vcs)}
        )
        tables[router]["entries"].append({**where, "address": address, "candidates": outputs})
    addresses = [
        {
            "address": a,
            "name": relation.address_name(a),
            "destination": network.terminal_name(int(relation.destination[a])),
            "sources": None if relation.may_use is None else [network.terminal_name(s) for s in relation.sources(a)],
        }
        for a in range(relation.num_addresses)
    ]
    head: dict[str, Any] = {"network": network.name, "routing": relation.name, "vcs": vcs.counts.tolist()}
    if relation.commits:
        head["commits"] = True
    return json.dumps({**head, "addresses": addresses, "routers": tables}, indent=1, ensure_ascii=False) + "\n"


def _csv(relation: Relation) -> str:
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["router", "input", "input_vc", "address", "output", "output_vc", "tier", "waits"])
    network, vcs = relation.network, relation.vcs
    for router, at, address, candidates in sorted(entries(relation), key=lambda entry: entry[:3]):
        own = at < relation.num_vcs
        where = (_channel(relation, at), int(vcs.index[at])) if own else (network.terminal_name(at - vcs.total), "")
        for vc, tier, waits in candidates:
            output = ("eject", "") if vc is None else (_channel(relation, vc), int(vcs.index[vc]))
            out.writerow([network.router_name(router), *where, address, *output, tier, int(waits)])
    return text.getvalue()


def _channel(relation: Relation, vc: int) -> str:
    return relation.network.channel_name(int(relation.vcs.channel[vc]))
