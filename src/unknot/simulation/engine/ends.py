"""Both ends of every buffer: rows of `inputs` and `outputs`, router by router, and what never changes of them.

A buffer has a number, a virtual channel (VC) of the network or one of an injection port, and two ends: an input at
the router that reads it and an output where it is written. An ejection VC is an output alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unknot._base.arrays import Ints, offsets
from unknot.network import Network
from unknot.network.bandwidth import fraction
from unknot.routing.relation import Relation
from unknot.simulation.engine.codes import ENDLESS, NO_CYCLE, SWEEPING
from unknot.simulation.engine.ordinals import absent_ports, ordinals, places
from unknot.simulation.engine.router import Router

EJECTION_LOOP = 3
"""Cycles from the end of the switch to the credit of an ejected flit: both channels, of latency 1, and a latch."""


def queues_up(network: Network, router: Router) -> bool:
    """Whether flits may queue behind the switch."""
    return router.queues or bool((network.bandwidth != 1).any())


@dataclass(frozen=True, eq=False)
class Side:
    """All inputs, or all outputs: int64 arrays by end, except where rows are said.

    Attributes
    ----------
    router, port : array
        Router and port of each end.
    order : array
        The end of each row.
    routers : int
    """

    router: Ints
    port: Ints
    order: Ints
    routers: int

    @cached_property
    def row(self) -> Ints:
        """Row of each end."""
        row = np.empty(self.order.size, dtype=np.int64)
        row[self.order] = np.arange(self.order.size)
        return row

    @cached_property
    def first(self) -> Ints:
        """First row of each router."""
        return np.searchsorted(self.router[self.order], np.arange(self.routers))

    @cached_property
    def bit(self) -> Ints:
        """Number of each end in its router."""
        return self.row - self.first[self.router]

    @cached_property
    def first_of_port(self) -> Ints:
        """First row of the port of each row."""
        _, first, place = np.unique(self.port[self.order], return_index=True, return_inverse=True)
        return first[place]

    def cells(self, words: Ints) -> Ints:
        """Bit of each end, counted over all routers; `words` are the first of each router."""
        return 64 * words[self.router] + self.bit


class BufferEnds:
    """Both sides of all buffers, and the words of 64 bits that their routers take.

    Attributes
    ----------
    into, out : Side
        Inputs: VCs, then injection buffers. Outputs: VCs, ejection VCs, and ends of injection buffers.
    upstream : int64 array
        Output that is the other end of each input.
    latency : int64 array
        Cycles on the channel of each input.
    words : int64 array, shape (routers + 1,)
        First word of each router.
    """

    def __init__(self, relation: Relation, router: Router, widest: int) -> None:
        network, vcs, self.relation, self.router = relation.network, relation.vcs, relation, router
        self.num_vcs, self.local = relation.num_vcs, relation.vcs.widest
        self.terminal = terminal = np.repeat(np.arange(network.num_terminals), self.local)
        self.total = self.num_vcs + terminal.size
        injection = network.num_channels + terminal
        port = np.append(vcs.channel, injection).astype(np.int64)
        reads = np.append(network.target[vcs.channel], network.inject[terminal]).astype(np.int64)
        writes = np.concatenate([network.source[vcs.channel], network.eject[terminal], network.inject[terminal]])
        first, second = self.ranks()
        self.into = Side(reads, port, np.lexsort((first[port], reads)), network.num_routers)
        out_port = np.append(port, injection + network.num_terminals)
        # Parts of output ports beyond their VCs: rows behind these that no packet takes.
        spare = np.repeat(*self.spare_parts(port))
        writer = np.append(network.source, network.eject).astype(np.int64)
        writes, out_port = np.append(writes, writer[spare]), np.append(out_port, spare)
        # Ends of injection buffers are no outputs of the switch: they stay behind all others.
        kind = np.concatenate([second[port], np.full(terminal.size, second.max(initial=0) + 1), second[spare]])
        # Of the ejection VCs of a terminal the first of each port come first, so that packets are dealt out to ports.
        seat = terminal % max(1, network.num_terminals // router.terminal_width)
        turn, seats = np.zeros((2, writes.size), dtype=np.int64)
        turn[self.num_vcs : self.total] = np.arange(terminal.size) % self.local
        seats[: self.num_vcs], seats[self.num_vcs : self.total] = vcs.channel, seat
        seats[self.total :] = np.append(
            seat, np.where(spare < network.num_channels, spare, spare - network.num_channels)
        )
        turn[self.total + seat.size :] = self.local
        self.out = Side(writes, out_port, np.lexsort((turn, seats, kind, writes)), network.num_routers)
        self.upstream = np.append(np.arange(self.num_vcs), np.arange(self.total, self.total + terminal.size))
        self.place = places(network, router)
        self.absent = absent_ports(network, router, self.place)
        latency = np.append(network.latency, np.ones(network.num_terminals, dtype=np.int64))
        self.latency = latency[port]
        self.words = offsets(self._words_of_routers(widest))

    def spare_parts(self, port: Ints) -> tuple[Ints, Ints]:
        """Return the output ports of the `port` of each VC, and the parts that each has beyond its VCs."""
        ports, vcs = np.unique(port, return_counts=True)
        return ports, np.maximum(0, self.router.output_speedup - vcs)

    def ranks(self) -> tuple[Ints, Ints]:
        """Return what input ports of a router stand in order of, and its output ports: by channel, then terminal."""
        network, first = self.relation.network, self.router.terminals_first
        rank = np.repeat([first, not first], [network.num_channels, network.num_terminals])
        return rank, rank

    def _words_of_routers(self, widest: int) -> Ints:
        routers = self.into.routers
        most = np.maximum(*(np.bincount(side.router, minlength=routers) for side in (self.into, self.out)))
        if self.router.allocator in SWEEPING:
            most += self.local * self.absent.many
        counts: Ints = np.maximum(1, -(-most // 64))
        return np.full(routers, counts.max()) if counts.max(initial=1) <= widest else counts

    @cached_property
    def in_cells(self) -> Ints:
        """Bit of each input, over all routers."""
        return self.into.cells(self.words)

    @cached_property
    def out_cells(self) -> Ints:
        """Bit of each output, over all routers."""
        return self.out.cells(self.words)

    @cached_property
    def part_of_port(self) -> Ints:
        """First row of the port of each input row, or of its part of one."""
        return self.into.first_of_port + self.index % self.router.input_speedup

    @cached_property
    def index(self) -> Ints:
        """Number of each input row in its port."""
        return np.arange(self.total) - self.into.first_of_port

    def tables(self, depth: int) -> dict[str, Any]:
        """Return the tables of both ends of buffers that have `depth` slots each."""
        words = self.words
        owner = np.repeat(np.arange(self.into.routers), np.diff(words))
        outputs = self.outputs(depth)
        return {
            "inputs": self.inputs(),
            "outputs": outputs,
            "out_ports": self.out_ports(),
            "in_ports": self.in_ports(),
            **self.queues(outputs["port"]),
            "first_word": words,
            "words": self.frames(owner),
            "masks": self.masks(),
            "borders": {
                "injection": self.bits(self.out_cells[self.total :]),
                "ejection": self.bits(self.out_cells[self.num_vcs : self.total]),
            },
            "out_row": self.out.row[self.upstream],
            "in_row": self.into.row,
            "ordinals": ordinals(self) if self.router.looks_at_all else 0,
            "ejection_row": self.out.row[self.num_vcs : self.total : self.local],
            "buffer": self.into.order,
        }

    def inputs(self) -> dict[str, Any]:
        """Return the columns of `inputs`."""
        order, vcs = self.into.order, self.num_vcs
        return {
            "out": np.full(self.total, -1),
            "port": self.part_of_port,
            "port_bit": self.into.bit[order][self.part_of_port],
            "at": np.append(np.arange(vcs), vcs + self.terminal)[order],
            "out_part": self.port_numbers % self.router.output_speedup,
        }

    def in_ports(self) -> dict[str, Any]:
        """Return the columns of `in_ports`."""
        order = self.into.order
        # A terminal takes a credit in at once, a router after its delay.
        delay = np.where(order < self.num_vcs, self.router.credit_delay, 0)
        return {
            "credit_bit": self.out_cells[self.upstream][order],
            "latency": self.latency[order] + delay,
            "first": self.into.first_of_port,
        }

    @cached_property
    def port_numbers(self) -> Ints:
        """Number of the port of each input row among those of its router, by place."""
        begins = np.flatnonzero(self.index == 0)
        order = self.into.order[begins]
        owner, number = self.into.router[order], np.empty(begins.size, dtype=np.int64)
        number[np.lexsort((self.place[self.into.port[order]], owner))] = np.arange(begins.size)
        return np.repeat(number - np.searchsorted(owner, owner), np.diff(begins, append=self.total))

    def outputs(self, depth: int) -> dict[str, Any]:
        """Return the columns of `outputs`."""
        many = self.out.order.size
        free = np.full(many, depth if self.router.ejection_credits else ENDLESS)
        free[self.out.row[self.upstream]] = depth
        free[self.out.row[self.total + self.terminal.size :]] = 0
        return {"owner": np.full(many, -1), "port": self.out.first_of_port, "credits": free}

    def out_ports(self) -> dict[str, Ints]:
        """Return the columns of `out_ports`."""
        many, rows, looks = self.out.order.size, self.out.row[self.upstream], self.router.ejection_credits
        # What ejection ports have, at first in all rows.
        columns = {
            "reader": np.full(many, -1),
            "flit_bit": np.zeros(many, dtype=np.int64),
            "latency": np.full(many, EJECTION_LOOP + self.router.credit_delay if looks else 0),
        }
        columns["reader"][rows], columns["flit_bit"][rows] = self.into.row, self.in_cells
        columns["latency"][rows] = self.latency
        return columns

    def frames(self, owner: Ints) -> dict[str, Ints]:
        """Return the columns of `words`, whose routers are `owner`, and of the end."""
        within = 64 * (np.arange(owner.size) - self.words[owner])
        first_vc, end_vc = self.runs()
        return {
            "first_input": np.append(self.into.first[owner] + within, self.into.order.size),
            "first_output": np.append(self.out.first[owner] + within, self.out.order.size),
            "first_vc": np.append(first_vc[owner], 0),
            "end_vc": np.append(end_vc[owner], 0),
        }

    def runs(self) -> Ints:
        """Return first VC and end of each router whose VCs are its first outputs, in order; 0 of others."""
        vcs = np.arange(self.num_vcs)
        router, bit = self.out.router[: vcs.size], self.out.bit[: vcs.size]
        low, high = np.full(self.out.routers, vcs.size), np.zeros(self.out.routers, dtype=np.int64)
        np.minimum.at(low, router, vcs)
        np.maximum.at(high, router, vcs + 1)
        high[router[vcs - bit != low[router]]] = 0
        return np.stack([low * (high > 0), high])

    def masks(self) -> dict[str, Any]:
        """Return the columns of `masks` that are not 0: all VCs are open, and nothing was routed yet."""
        is_open = self.bits(self.out_cells[: self.total])
        return {"open": is_open, "routed": -NO_CYCLE, "crossed": -NO_CYCLE >> 20}

    def bits(self, cells: Ints) -> Ints:
        """Return a mask of some cells, a word for each of the routers'."""
        mask = np.zeros(int(self.words[-1]), dtype=np.int64)
        np.bitwise_or.at(mask, cells >> 6, np.int64(1) << (cells & 63))
        return mask

    def queues(self, port: Ints) -> dict[str, Any]:
        """Return the tables of queues: flits that channels pass in some cycles, and these cycles, by output row."""
        router = self.router
        if not (queues_up(self.relation.network, router) or router.hold_switch or not router.pipelined):
            return {}
        flits, cycles = np.ones((2, port.size), dtype=np.int64)
        rates, kind = np.unique(self.relation.network.bandwidth, return_inverse=True)
        exact = [fraction(rate) for rate in rates.tolist()]
        rows, kinds = port[self.out.row[: self.num_vcs]], kind[self.relation.vcs.channel]
        flits[rows] = np.array([rate.numerator for rate in exact], dtype=np.int64)[kinds]
        cycles[rows] = np.array([rate.denominator for rate in exact], dtype=np.int64)[kinds]
        return {"out_queues": {"flits": flits, "cycles": cycles}, "in_queues": self.total}


def ends_of_buffers(relation: Relation, depth: int, router: Router, widest: int = 1) -> dict[str, Any]:
    """Return both ends of all buffers, of `depth` slots each, and the ports and words they belong to, as tables.

    Where no router takes more than `widest` words, all have as many as the one that takes most.
    """
    return BufferEnds(relation, router, widest).tables(depth)
