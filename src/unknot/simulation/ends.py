"""Both ends of every buffer: the rows of `inputs` and `outputs`, router by router, and what never changes in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.routing.relation import Relation
from unknot.simulation.layout import (
    CELL,
    CREDIT_CELL,
    CREDITS,
    ENDS,
    FROM_PORT,
    IN_CELL,
    IN_LATENCY,
    IN_PORT,
    OPEN,
    OUT,
    OUT_LATENCY,
    OWNER,
    PLACE,
    PORT,
    READER,
)

Numbers = npt.NDArray[np.int64]


def ends_of_buffers(relation: Relation, depth: int) -> dict[str, Any]:
    """Both ends of all buffers, and the ports and words they belong to."""
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
    in_order, out_order = np.argsort(reads, kind="stable"), np.argsort(writes, kind="stable")
    in_row, row_of_output = np.empty(total, dtype=np.int64), np.empty(writes.size, dtype=np.int64)
    in_row[in_order], row_of_output[out_order] = np.arange(total), np.arange(writes.size)
    out_row = np.concatenate([row_of_output[:num_vcs], row_of_output[total:]])

    every = np.arange(routers)
    first_input, first_output = np.searchsorted(reads[in_order], every), np.searchsorted(writes[out_order], every)
    many = np.maximum(np.bincount(reads, minlength=routers), np.bincount(writes, minlength=routers))
    words = np.concatenate([[0], np.cumsum(np.maximum(1, -(-many // 64)))])
    owner = np.repeat(every, np.diff(words))
    within = 64 * (np.arange(int(words[-1])) - words[owner])
    frames = np.stack([first_input[owner] + within, first_output[owner] + within], axis=1)
    frames = np.concatenate([frames, [[total, writes.size]]])
    in_local = in_row - first_input[reads]
    out_local = row_of_output - first_output[writes]
    in_cell = 64 * words[reads] + in_local
    credit_cell = 64 * words[network.source[vcs.channel]] + out_local[:num_vcs]
    credit_cell = np.concatenate([credit_cell, 64 * words[network.inject[terminal]] + out_local[total:]])

    sending, sending_row = _ports(out_port[out_order], out_local[out_order])
    receiving, receiving_row = _ports(port[in_order], in_local[in_order])
    inputs = np.zeros((total, 16), dtype=np.int32)
    inputs[:, OUT] = -1
    inputs[:, CREDIT_CELL], inputs[:, IN_LATENCY] = credit_cell[in_order], latency[in_order]
    inputs[:, IN_PORT], inputs[:, FROM_PORT] = receiving_row, receiving[receiving_row, CELL]
    inputs[:, PLACE] = np.concatenate([np.arange(num_vcs), num_vcs + terminal])[in_order]
    outputs = np.zeros((writes.size, 8), dtype=np.int32)
    outputs[:, OWNER], outputs[:, READER], outputs[:, PORT] = -1, -1, sending_row
    outputs[out_row, CREDITS], outputs[out_row, READER] = depth, in_row[buffers]
    outputs[out_row, IN_CELL], outputs[out_row, OUT_LATENCY] = in_cell, latency
    masks = np.zeros((int(words[-1]), 16), dtype=np.int64)
    out_cells = 64 * words[writes] + out_local
    for column, cells in ((OPEN, out_cells[:total]), (ENDS, out_cells[total:])):
        np.bitwise_or.at(masks[:, column], cells >> 6, np.int64(1) << (cells & 63))
    return {
        "inputs": inputs,
        "outputs": outputs,
        "sending": sending,
        "receiving": receiving,
        "words": words,
        "frames": frames,
        "masks": masks,
        "out_row": out_row,
        "in_row": in_row,
        "ejection_row": row_of_output[num_vcs:total:local],
        "buffer": buffers[in_order],
    }


def _ports(port: npt.NDArray[Any], cell: npt.NDArray[Any]) -> tuple[Numbers, Numbers]:
    """A row for every end, of which the first of a port is that of the port; and the row of each end's port."""
    begins = np.ones(port.size, dtype=bool)
    begins[1:] = port[1:] != port[:-1]
    row = np.maximum.accumulate(np.where(begins, np.arange(port.size), 0))
    ports = np.zeros((port.size, 8), dtype=np.int64)
    ports[:, CELL] = cell
    return ports, row
