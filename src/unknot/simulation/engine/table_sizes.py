"""Sizes of the tables of a network, and what follows from them."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.splitmix import scramble
from unknot.simulation.engine.codes import SPAN, UNDECIDED
from unknot.simulation.engine.ends import ends_of_buffers, queues_up
from unknot.simulation.engine.entries import (
    entries_of,
    is_packable,
    most_flits,
    packets_in_a_buffer,
    planes_of,
    posted_ahead,
    steps_of_crossing,
    tiled_by,
)
from unknot.simulation.engine.mix import Mix
from unknot.simulation.engine.option_tables import hop_tables, matrix_arbiters, slot_tables
from unknot.simulation.engine.sources import Sources, streams, thresholds
from unknot.simulation.engine.state import TABLES
from unknot.simulation.engine.state_arrays import State
from unknot.simulation.run.scenario import Scenario

Numbers = npt.NDArray[np.int64]
IN_CACHE = 1_300_000
"""Most bytes of both ends of the buffers, and of the packets in them, that stay in a second-level cache, about."""
WIDEST = 2
"""Most words of 64 VCs a side of the routers of a network all of which take the fast path.

Of four words, masks take as long as the lists of the general router."""
AT_ONCE = 2
"""Cycles that a router runs before the next one does: what it does reaches others as many later, or more."""
LINE = 16
"""Packets of a ring in a cache line."""
SOON = 32
"""Fewest inboxes of a router for the cycles next to come, if there are as many."""
NEAR = 250_000
"""Most such bytes between routers with a channel in between, on average, that make them near."""
BUSY = 16
"""Packets of a deep buffer that are in use within a few cycles, at most."""
WAITING = 1024
"""Replies that wait at a terminal, on average, from which on no class creates requests any more."""


class TableSizes:
    """Sizes of the tables of a scenario, and what follows from them.

    Attributes
    ----------
    ends : dict
        Tables of both ends of buffers.
    classes : bool
        Whether there are traffic classes.
    packable : bool
        Whether routers of at most `widest` words may take the fast path.
    held : int
        Packets that a buffer may hold parts of.
    soon : int
        Most cycles from a stage to what it posts in an inbox, apart from flits queued in front of a channel.
    ahead : int
        Most of them.
    one_ring : bool
        Whether all inboxes take turns.
    size : int
        Bytes of both ends of the buffers, and of the packets in them.
    span : int
        Cycles that a router runs before the next one does.
    packets : int
        Most packets of each part.
    first_packets : int
        Those that there is room for at first; where terminals draw all of them, and one thread runs, they may grow.
    spare : int
        Of these those that wait for a share when threads are many.
    arrivals : int
        Packets that may win the switch to their terminals in a cycle.
    """

    def __init__(self, scenario: Scenario, sources: Sources | Mix, threads: int, *, general: bool) -> None:
        """Plan the tables of a scenario; those of the ends of buffers are made."""
        self.scenario, self.sources, self.threads = scenario, sources, threads
        self.relation, self.router, self.flow = scenario.simulated, scenario.selecting_router, scenario.control
        relation, router, depth = self.relation, self.router, scenario.buffer_depth
        network, self.local = relation.network, relation.vcs.widest
        self.terminals, self.classes = network.num_terminals, isinstance(sources, Mix)
        self.packable = is_packable(relation, router) and not general
        self.widest = WIDEST if self.packable else 1
        self.ends = ends_of_buffers(relation, depth - router.shared_slots(depth), router, self.widest)
        inputs = len(self.ends["buffer"])
        # One more in a general run: others may divide a packet in front of a buffer.
        most = most_flits(depth, self.local, router)
        self.held = packets_in_a_buffer(self.flow, most, sources.lengths[0][0]) + general
        self.size = inputs * (96 + 4 * min(self.held, BUSY))
        # Where neighbours are far apart in memory, what a router needs in its second cycle would be fetched too late;
        # and threads would wait for each other to the cycle.
        far = relation.num_vcs and float(np.abs(network.source - network.target).mean())
        together = self.size * far / network.num_routers < NEAR and threads == 1
        self.span = AT_ONCE if together and not (general or self.classes) else 1
        # All that may queue in front of a channel fits behind it.
        waiting = math.ceil(self.local * depth / network.bandwidth.min(initial=1)) * queues_up(network, router)
        self.soon = posted_ahead(int(network.latency.max(initial=1)), router)
        self.ahead = waiting + self.soon
        self.one_ring = general or threads > 1
        self.spare = self.terminals * SPAN if threads > 1 else 0
        again = WAITING * self.terminals * (self.classes or scenario.watchdog > 0)
        self.packets = inputs * self.held + self.terminals * sources.queues + self.spare + again
        grows = isinstance(sources, Sources) and sources.packets > 0 and threads == 1
        grows = grows and not (general or again)
        self.first_packets = min(self.packets, max(inputs, 2 * AT_ONCE * self.terminals)) if grows else self.packets
        self.arrivals = self.terminals * router.output_speedup * math.ceil(router.internal_speedup)

    @property
    def ring(self) -> int:
        """Places of a ring of packets, a cache line more where all rings would begin in a few sets of a cache."""
        return self.held + (LINE if self.held % (4 * LINE) == 0 else 0)

    @property
    def growth(self) -> int:
        """Most bytes by which the tables of packets grow, the old copy included."""
        more = self.packets - self.first_packets
        columns = ("packets", "free", "courses") if self.has_courses else ("packets", "free")
        return (more + min(more, self.packets // 2)) * sum(TABLES[name].itemsize for name in columns)

    @cached_property
    def inboxes(self) -> int:
        """Inboxes of a router."""
        return self._turns(self.ahead)

    def _turns(self, ahead: int) -> int:
        """Inboxes that are enough for what is posted so many cycles ahead."""
        # A router, or a part, may be a cycle ahead of another.
        return 1 << int(ahead + (self.span > 1 or self.threads > 1)).bit_length()

    @cached_property
    def near(self) -> int:
        """Inboxes of a router for the cycles next to come, which take turns.

        Few flits queue for long, and a cache holds few inboxes: events farther ahead wait in `inboxes` others. In one
        ring there are no others, for threads and for those who read inboxes between cycles.
        """
        return min(self.inboxes, max(SOON, self._turns(self.soon))) if not self.one_ring else self.inboxes

    @cached_property
    def words(self) -> int:
        """Most words of a router."""
        return int(np.diff(self.ends["first_word"]).max(initial=1))

    @property
    def has_general(self) -> bool:
        """Whether some router takes the general path."""
        return self.words > self.width or not self.is_packable

    @property
    def has_courses(self) -> bool:
        """Whether packets may choose or be told their way, or have classes."""
        return self.has_general or self.relation.comparison > 0 or self.classes

    @property
    def is_packable(self) -> bool:
        """Whether routers of `width` words take the fast path, and there are any."""
        # A network of traffic classes with some wide routers takes one path alone: both would be long to compile.
        some = bool((np.diff(self.ends["first_word"]) == self.width).any())
        return self.packable and some and not (self.classes and self.words > self.width)

    @property
    def width(self) -> int:
        """Words of the routers that take the fast path."""
        return self.words if self.words <= self.widest else 1

    @cached_property
    def cuts(self) -> Numbers:
        """First router of each part, and the end: parts of about as many buffers."""
        upto = self.ends["words"]["first_input"][self.ends["first_word"]]
        before = np.arange(1, self.threads) * (int(upto[-2:][0]) / self.threads)
        return np.concatenate([[0], np.searchsorted(upto[:-1], before), [upto.size - 1]]).astype(np.int64)

    def shared(self) -> dict[str, Any]:
        """Return the tables that all parts share."""
        sources, ends, relation, router = self.sources, self.ends, self.relation, self.router
        network, depth, words = relation.network, self.scenario.buffer_depth, int(ends["first_word"][-1])
        lengths, shares = zip(*sources.lengths, strict=True)
        starts = streams(self.scenario.seed, self.terminals * sources.queues)
        by_router = np.argsort(network.inject, kind="stable")
        injection = ends["out_row"][relation.num_vcs + self.local * np.arange(self.terminals)]
        ports = {
            "first_output": injection,
            **{name: ends["out_ports"][name][injection] for name in ("reader", "flit_bit")},
        }
        none = np.full(self.terminals, -1)
        tables = ends | {
            "ring": len(ends["buffer"]) * self.ring,
            "common": len(ends["outputs"]["owner"]) * (router.shared_slots(depth) > 0),
            "inbox": (self.near + self.inboxes * (self.near < self.inboxes)) * words,
            "stages": self.near * words * self.has_general,
            "outside": self.inboxes * words * (self.threads > 1),
            "quiet": words,
            "planes": 2 * planes_of(depth, self.local, router) * words,
            "progress": self.threads,
            "packets": self.first_packets * self.threads,
            "courses": {"script": np.broadcast_to(UNDECIDED, self.first_packets * self.threads * self.has_courses)},
            "local_terminals": by_router,
            "first_terminal": np.searchsorted(network.inject[by_router], np.arange(network.num_routers + 1)),
            "random": starts,
            "lengths": {"upto": thresholds(shares), "flits": lengths},
            "destination": 0 if tiled_by(relation) else relation.destination,
            "direct": np.array(() if relation.direct is None else relation.direct).reshape(-1),
            "script": np.full(1, -1),
            "crossings": steps_of_crossing(router) * len(ends["outputs"]["owner"]),
            **(matrix_arbiters(ends) if router.has_matrices else {}),
            **hop_tables(relation, router, ends["out_row"]),
            **slot_tables(self.flow, ends, relation.num_vcs, depth, lengths),
            **sources.tables(starts, self.local, self.packets),
        }
        if tiled_by(relation) and not self.classes and sources.everyone >= 0:
            tables |= {"address_range": 0, "addresses": 0}
        if self.scenario.watchdog:
            tables |= {"replies": {"first": none, "last": none}, "waiting": self.packets}
        # The first column says how many rows there are.
        columns = {name: np.tile(column, sources.queues) for name, column in ports.items()}
        tables["terminals"] = columns | tables["terminals"]
        return tables

    def own(self) -> dict[str, int]:
        """Return the rows of the tables that each part has for itself."""
        bits, most = 64 * self.words, self.relation.max_candidates
        requests = bits * (most + self.local)
        late = self.spare * self.arrivals // max(1, self.terminals)
        return {
            "free": self.first_packets * (1 + (self.threads > 1)),
            "lost": len(self.ends["buffer"]) * bool(self.scenario.faults),
            "latencies": 4096 + AT_ONCE * self.arrivals + late,
            "candidates": most,
            "vc_masks": bits * self.words,
            "lesser": bits * self.words * self.router.all_tiers,
            "headers": bits,
            "winners": bits,
            "claims": self.words,
            "best": 2 * bits,
            "requests": requests,
            "latest": bits,
            "cells": requests * self.router.looks_at_all,
            "pairing": (bits + 1) * self.router.looks_at_all,
            "wants": 64 * self.width**2,
            "asked": self.width,
            "contest": 64 * self.width,
        }

    def entries(self) -> dict[str, Any]:
        """Return the entries of the setup that follow from sizes and traffic."""
        scenario, sources, flow = self.scenario, self.sources, self.flow
        begins, ends = sources.burst_chances
        nodes = self.terminals // sources.subnets
        # Slack that a packet left counts a cycle after the credit that would wake a header.
        has_slack = flow.cell > 1 or (flow.slotted and len(sources.lengths) > 1)
        salt = np.array(scramble(scenario.seed + 0x5851F42D4C957F2D), dtype=np.uint64)
        return {
            "everyone": sources.everyone, "burst_begins": begins, "burst_ends": ends, "salt": salt.view(np.int64),
            "subnets": sources.subnets, "nodes": nodes, "first_home": self.terminals - nodes,
            "classes": sources.queues * self.classes, "tiled": tiled_by(self.relation),
            "num_addresses": self.relation.num_addresses,
            "arrivals": self.arrivals, "most_packets": self.packets,
            "creations": self.terminals * (self.first_packets < self.packets),
            "local": self.local, "slots": self.near - 1,
            "far_slots": self.inboxes - 1 if self.near < self.inboxes else 0,
            "span": self.span, "parts": self.threads, "patience": (1 << self.ahead.bit_length()) + 7,
            "num_words": self.ends["first_word"][-1], "width": self.width, "ring": self.ring,
            "large": self.size > IN_CACHE, "slotted": flow.slotted,
            "awake": has_slack or any(flow.limiting),
            "packable": self.is_packable, "watchdog": scenario.watchdog,
        }  # fmt: skip

    def part(self, k: int, tables: dict[str, Any]) -> State:
        """Return part k, which has these tables."""
        part, words = State(tables), self.ends["first_word"]
        first, last = self.cuts[k : k + 2]
        part.setup.write(
            **entries_of(self.scenario), **self.entries(), part=k, first_router=first, last_router=last,
            first_own_word=words[first], last_own_word=words[last],
        )  # fmt: skip
        part.count.high = k * self.packets
        return part
