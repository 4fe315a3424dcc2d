"""Tables of a relation, router by router."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from unknot._base.errors import RelationError
from unknot._base.output import write_text
from unknot.routing.relation import Relation, decode
from unknot.routing.taking import takes_relation
from unknot.verify.explorer import Explorer

SWITCH_TABLES = (".lfts", ".slvl", ".sl2vl")
Entry = tuple[int, int, int, list[tuple[int | None, int, bool]]]
"""A state: router, input VC, address, and candidates: VC (None: ejection), tier, whether a blocked header waits."""


@takes_relation
def entries(relation: Relation) -> Iterator[Entry]:
    """Router, input VC, address and candidates (VC or None, tier, waits) of every state packets can come to."""
    explorer, router = Explorer(relation), relation.vcs.router
    for address in range(relation.num_addresses):
        if not relation.sources(address).size:
            continue
        order, first, candidates_of_all = explorer.visit(address)
        for i, at in enumerate(order.tolist()):
            candidates = [decode(int(x)) for x in candidates_of_all[first[i] : first[i + 1]]]
            yield int(router[at]), at, address, [(c.vc, c.tier, c.waits) for c in candidates]


@takes_relation
def export(relation: Relation, path: str | Path) -> None:
    """Write a relation as per-router tables, a file of JSON.

    Each entry says, for a router, an input (a virtual channel, or the injection port of a terminal) and an address,
    the candidates: outputs with their preference tier and whether a blocked header waits for them. Only states that
    packets can come to are written. Before the entries come the network, and the addresses with their destinations
    and who uses them.

    Raises
    ------
    RelationError
        If the file does not end in ``.json``.
    """
    require_format(path)
    write_text(path, _json(relation))


def require_format(path: str | Path, also: Sequence[str] = ()) -> None:
    """Refuse a file that tables cannot be written to; the refusal names `also` the endings of evidence."""
    ending = Path(path).suffix.lower()
    if ending in SWITCH_TABLES:
        raise RelationError(
            f"{path}: OpenSM takes one SL2VL row for all switches (qos_swe_sl2vl) and none by ports; "
            "unknot repair FABRIC --out writes what it loads, and .json has the tables of any routing"
        )
    if ending != ".json":
        evidence = f", evidence to {', '.join(also)}" if also else ""
        raise RelationError(f"{path}: tables are written to files that end in .json{evidence}")


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


def _channel(relation: Relation, vc: int) -> str:
    return relation.network.channel_name(int(relation.vcs.channel[vc]))
