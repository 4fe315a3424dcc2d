"""A relation as a Verilog module that says where a header may go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unknot.routing.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unknot.report.entries import Entry


def verilog(relation: Relation, entries: Iterable[Entry], module: str = "routes") -> str:
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
    ordered = sorted(entries, key=lambda entry: entry[:3])
    tiers = 1 + max((tier for *_, candidates in ordered for _, tier, _ in candidates), default=0)
    inputs, outputs = max(map(len, places), default=1), 1 + max(map(len, leaving), default=0)
    input_bits, address_bits = _bits(inputs), _bits(relation.num_addresses)
    lines = [
        f"// {_plain(relation.name)} on {_plain(network.name)}, written by Unknot.",
        f"module {module} #(parameter ROUTER = 0) (",
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
    return max(1, int(np.ceil(np.log2(max(2, count)))))


def _plain(name: str) -> str:
    """A name in a comment: one line, and none of its characters continues it."""
    return "".join(c if c.isprintable() and c != "\\" else " " for c in name)
