"""Tables of a relation, router by router, as other tools take them."""

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

FORMATS = (".json", ".v")
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
        for at, entries in explorer.visit(address).headers():
            candidates = [decode(entry) for entry in entries]
            yield int(router[at]), at, address, [(c.vc, c.tier, c.waits) for c in candidates]


@takes_relation
def export(relation: Relation, path: str | Path) -> None:
    """Write a relation as per-router tables, by the ending of the file: JSON, Verilog (.v).

    Each entry says, for a router, an input (a virtual channel, or the injection port of a terminal) and an address,
    the candidates: outputs with their preference tier and whether a blocked header waits for them. Only states that
    packets can come to are written. Before the entries, JSON has the network and the addresses with their
    destinations and who uses them. Verilog is a module, see `verilog`.

    Raises
    ------
    RelationError
        If the ending is none of `FORMATS`.
    """
    ending = require_format(path)
    write_text(path, (_json if ending == ".json" else verilog)(relation))


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


def _channel(relation: Relation, vc: int) -> str:
    return relation.network.channel_name(int(relation.vcs.channel[vc]))


def verilog(relation: Relation) -> str:
    """One module, with a router's number as its parameter, that answers as the relation does, without a clock.

    Inputs and outputs of a router are numbered from 0, as comments say: its input VCs and then the injection ports of
    its terminals; its output VCs and then ejection. `offered` has a bit for each output and preference tier, those of
    the lowest tier first; `waits` has a bit for each output that a blocked header waits for. At states that no packet
    comes to both are 0.
    """
    network, vcs = relation.network, relation.vcs
    places: list[list[int]] = [[] for _ in range(network.num_routers)]
    for at, router in enumerate(vcs.router.tolist()):
        places[router].append(at)
    leaving: list[list[int]] = [[] for _ in range(network.num_routers)]
    for vc, router in enumerate(network.source[vcs.channel].tolist()):
        leaving[router].append(vc)
    input_of = {at: i for here in places for i, at in enumerate(here)}
    output_of = {vc: i for here in leaving for i, vc in enumerate(here)}
    ordered = sorted(entries(relation), key=lambda entry: entry[:3])
    tiers = 1 + max((tier for *_, candidates in ordered for _, tier, _ in candidates), default=0)
    inputs, outputs = max(map(len, places), default=1), 1 + max(map(len, leaving), default=0)
    input_bits, address_bits = _bits(inputs), _bits(relation.num_addresses)
    lines = [
        f"// {_plain(relation.name)} on {_plain(network.name)}, written by Unknot.",
        "module routes #(parameter ROUTER = 0) (",
        f"  input wire [{input_bits - 1}:0] from,",
        f"  input wire [{address_bits - 1}:0] address,",
        f"  output reg [{tiers * outputs - 1}:0] offered,",
        f"  output reg [{outputs - 1}:0] waits",
        ");",
        f"localparam EJECT = {outputs - 1}, OUTPUTS = {outputs}, TIERS = {tiers};",
        "generate",
    ]
    by_router: list[list[Entry]] = [[] for _ in range(network.num_routers)]
    for entry in ordered:
        by_router[entry[0]].append(entry)
    for router, mine in enumerate(by_router):
        lines.append(f"if (ROUTER == {router}) begin : router_{router} // {_plain(network.router_name(router))}")
        lines += [f"  // input {i}: {_plain(vcs.name(at))}" for i, at in enumerate(places[router])]
        lines += [f"  // output {i}: {_plain(vcs.name(vc))}" for i, vc in enumerate(leaving[router])]
        lines += ["  always @* begin", f"    offered = {tiers * outputs}'b0; waits = {outputs}'b0;"]
        lines.append("    case ({from, address})")
        for _, at, address, candidates in mine:
            offered = waits = 0
            for out, tier, waited in candidates:
                bit = outputs - 1 if out is None else output_of[out]
                offered |= 1 << (tier * outputs + bit)
                waits |= int(waited) << bit
            state = f"{{{input_bits}'d{input_of[at]}, {address_bits}'d{address}}}"
            lines.append(
                f"      {state}: begin offered = {tiers * outputs}'h{offered:x}; waits = {outputs}'h{waits:x}; end"
            )
        lines += ["      default: ;", "    endcase", "  end", "end"]
    return "\n".join([*lines, "endgenerate", "endmodule", ""])


def _bits(count: int) -> int:
    """Bits of numbers from 0 up to a count."""
    return max(1, (count - 1).bit_length())


def _plain(name: str) -> str:
    """A name in a comment: one line, and none of its characters continues it."""
    return "".join(c if c.isprintable() and c != "\\" else " " for c in name)
