"""Both ends of every buffer: rows of `inputs` and `outputs`, router by router, and what never changes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints, offsets
from unknot._base.errors import SimulationError
from unknot.network.bandwidth import fraction
from unknot.routing.relation import Relation
from unknot.simulation.engine.codes import ENDLESS, NO_CYCLE, SWEEPING
from unknot.simulation.engine.option_tables import Side, absent_ports, ordinals, places
from unknot.simulation.engine.router import Router

EJECTION_LOOP = 3
"""Cycles from the end of the switch to the credit of an ejected flit: both channels, of latency 1, and a latch."""


def ends_of_buffers(relation: Relation, depth: int, router: Router, widest: int = 1) -> dict[str, Any]:
    """Both ends of all buffers, of `depth` slots each, and the ports and words they belong to.

    Where no router takes more than `widest` words, all have as many as the one that takes most.

    Raises
    ------
    SimulationError
        If some channel has fewer VCs than output ports have parts.
    """
    network, vcs = relation.network, relation.vcs
    terminals, num_vcs, routers = network.num_terminals, relation.num_vcs, network.num_routers
    local = vcs.widest
    terminal = np.repeat(np.arange(terminals), local)
    total = num_vcs + terminal.size
    buffers = np.arange(total)
    port = np.concatenate([vcs.channel, network.num_channels + terminal])
    latency = np.concatenate([network.latency, np.ones(terminals, dtype=np.int32)])[port]
    reads = np.concatenate([network.target[vcs.channel], network.inject[terminal]])
    # Three kinds of outputs: VCs, ejection VCs, and the ends of injection buffers at their terminals.
    writes = np.concatenate([network.source[vcs.channel], network.eject[terminal], network.inject[terminal]])
    out_port = np.concatenate([port, network.num_channels + terminals + terminal])
    of_terminals = (buffers >= num_vcs) ^ router.terminals_first
    seat = terminal % max(1, terminals // router.terminal_width)
    in_order = np.lexsort((of_terminals, reads))
    # Ends of injection buffers are no outputs of the switch: they stay behind all others.
    kind = np.append(of_terminals, np.full(terminal.size, 2))
    # Of the ejection VCs of a terminal the first of each port come first, so that packets are dealt out to ports.
    turns = np.zeros((2, writes.size), dtype=np.int64)
    turns[0, num_vcs:], turns[1, num_vcs:total] = np.append(seat, seat), np.arange(terminal.size) % local
    out_order = np.lexsort((turns[1], turns[0], kind, writes))
    in_row, row_of_output = np.empty(total, dtype=np.int64), np.empty(writes.size, dtype=np.int64)
    in_row[in_order], row_of_output[out_order] = np.arange(total), np.arange(writes.size)
    out_row = np.concatenate([row_of_output[:num_vcs], row_of_output[total:]])

    every = np.arange(routers)
    first_input, first_output = np.searchsorted(reads[in_order], every), np.searchsorted(writes[out_order], every)
    many = np.maximum(np.bincount(reads, minlength=routers), np.bincount(writes, minlength=routers))
    place = places(network, router)
    absent = absent_ports(network, router, place)
    if router.allocator in SWEEPING:
        many += local * absent.many
    counts = np.maximum(1, -(-many // 64))
    if counts.max(initial=1) <= widest:
        counts[:] = counts.max()
    words = offsets(counts)
    owner = np.repeat(every, np.diff(words))
    within = 64 * (np.arange(int(words[-1])) - words[owner])
    frames = {
        "first_input": np.append(first_input[owner] + within, total),
        "first_output": np.append(first_output[owner] + within, writes.size),
    }
    in_local = in_row - first_input[reads]
    out_local = row_of_output - first_output[writes]
    runs = _runs(writes[:num_vcs], out_local[:num_vcs], routers)
    frames |= {name: np.append(run[owner], 0) for name, run in zip(("first_vc", "end_vc"), runs, strict=True)}
    in_cell = 64 * words[reads] + in_local
    credit_cell = 64 * words[network.source[vcs.channel]] + out_local[:num_vcs]
    credit_cell = np.concatenate([credit_cell, 64 * words[network.inject[terminal]] + out_local[total:]])

    out_first, out_ports = _ports(out_port[out_order], out_local[out_order])
    in_first, in_ports = _ports(port[in_order], in_local[in_order])
    narrowest = int(min(vcs.counts.min(initial=local), local))
    if router.output_speedup > narrowest:
        raise SimulationError(
            f"router: output_speedup {router.output_speedup} takes as many VCs on each channel; the fewest are "
            f"{narrowest}"
        )
    begins, index = in_ports == np.arange(total), np.arange(total) - in_ports
    place = place[port[in_order]]
    ordinal = _ranks(place[begins], reads[in_order][begins])[np.cumsum(begins) - 1]
    in_ports = in_ports + index % router.input_speedup
    inside = np.zeros((4, writes.size), dtype=np.int64)  # of ejection at first
    inside[0] = depth if router.ejection_credits else ENDLESS
    inside[3] = EJECTION_LOOP + router.credit_delay if router.ejection_credits else 0
    inside[:, out_row] = np.full(total, depth), in_row[buffers] + 1, in_cell, latency
    at = np.concatenate([np.arange(num_vcs), num_vcs + terminal])[in_order]
    taken_in = latency + np.where(buffers < num_vcs, router.credit_delay, 0)
    masks = np.zeros((2, int(words[-1])), dtype=np.int64)
    out_cells = 64 * words[writes] + out_local
    for mask, cells in zip(masks, (out_cells[:total], out_cells[total:]), strict=True):
        np.bitwise_or.at(mask, cells >> 6, np.int64(1) << (cells & 63))
    return {
        "inputs": {
            "out": np.full(total, -1), "credit_bit": credit_cell[in_order], "latency": taken_in[in_order],
            "port": in_ports, "port_bit": in_first[in_ports], "at": at,
            "out_part": ordinal % router.output_speedup, "index": index,
        },
        "outputs": {
            "owner": np.full(writes.size, -1), "port": out_ports, "reader": inside[1] - 1,
            "credits": inside[0], "flit_bit": inside[2], "latency": inside[3],
        },
        "out_ports": {"first_bit": out_first, **_pace(relation, out_ports, out_row)},
        "in_ports": {"first_bit": in_first},
        "first_word": words,
        "words": frames,
        "masks": {"open": masks[0], "injection": masks[1], "routed": -NO_CYCLE, "crossed": -NO_CYCLE >> 20},
        "out_row": out_row,
        "in_row": in_row,
        "ordinals": ordinals(
            words,
            Side(
                in_cell[in_order],
                64 * words[reads[in_order]] + in_first[in_ports],
                in_ports,
                reads[in_order],
                absent.into[port[in_order]],
            ),
            Side(
                out_cells[:total],
                (64 * words[writes] + out_first[out_ports][row_of_output])[:total],
                out_ports[row_of_output][:total],
                writes[:total],
                absent.out[port],
            ),
            place,
            absent.many,
            local,
            router,
        ),
        "ejection_row": row_of_output[num_vcs:total:local],
        "buffer": buffers[in_order],
    }  # fmt: skip


def _runs(router: Ints, cell: Ints, routers: int) -> Ints:
    """First VC and end of each router whose VCs are its first outputs, one after the other; 0 of others."""
    vcs = np.arange(router.size)
    low, high = np.full(routers, router.size), np.zeros(routers, dtype=np.int64)
    np.minimum.at(low, router, vcs)
    np.maximum.at(high, router, vcs + 1)
    high[router[vcs - cell != low[router]]] = 0
    return np.stack([low * (high > 0), high])


def _pace(relation: Relation, port: Ints, row: Ints) -> dict[str, Ints]:
    """Flits that pass in some cycles, and these cycles, by rows of ports; `row` is that of each VC."""
    flits, cycles = np.ones((2, port.size), dtype=np.int64)
    rates, kind = np.unique(relation.network.bandwidth, return_inverse=True)
    exact = [fraction(rate) for rate in rates.tolist()]
    at = port[row[: relation.num_vcs]]
    kinds = kind[relation.vcs.channel]
    flits[at] = np.array([rate.numerator for rate in exact], dtype=np.int64)[kinds]
    cycles[at] = np.array([rate.denominator for rate in exact], dtype=np.int64)[kinds]
    return {"flits": flits, "cycles": cycles}


def _ranks(place: Ints, owner: Ints) -> Ints:
    """Rank of each port among those of its router, by place; routers come in their order."""
    rank = np.empty(place.size, dtype=np.int64)
    rank[np.lexsort((place, owner))] = np.arange(place.size)
    return rank - np.searchsorted(owner, owner)


def _ports(port: npt.NDArray[Any], bit: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """First bit of the port, in its first row; and the first row of each end's port."""
    _, first, place = np.unique(port, return_index=True, return_inverse=True)
    return bit, first[place]
