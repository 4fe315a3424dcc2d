"""The tables of an empty network about to begin cycle 0; what they are is said in `state`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.errors import SimulationError
from unknot._base.memory import require
from unknot._base.splitmix import scramble
from unknot.flow_control.model import FlowControl
from unknot.network import Network
from unknot.network.bandwidth import written
from unknot.routing.contract import IN_ROUTER
from unknot.routing.relation import Relation
from unknot.simulation.engine.codes import ENTRIES, HONOURING, NO_CYCLE, SPAN
from unknot.simulation.engine.ends import EJECTION_LOOP, ends_of_buffers
from unknot.simulation.engine.mix import Mix
from unknot.simulation.engine.option_tables import hop_tables, limits, matrix_arbiters, slot_tables
from unknot.simulation.engine.router import Router
from unknot.simulation.engine.setup import OPTIONS
from unknot.simulation.engine.sources import Sources, streams, thresholds
from unknot.simulation.engine.state import TABLES
from unknot.simulation.engine.state_arrays import State, placed, row_count
from unknot.simulation.run.scenario import Scenario

Numbers = npt.NDArray[np.int64]
IN_CACHE = 1_300_000
"""Most bytes of both ends of the buffers, and of the packets in them, that stay in a second-level cache, about."""
WIDEST = 2
"""Most words of 64 VCs a side of the routers of a network all of which take the fast path.

With allocators that look at all requests, or speculation, it is one word."""
AT_ONCE = 2
"""Cycles that a router runs before the next one does: what it does reaches others as many later, or more."""
NEAR = 250_000
"""Most such bytes between routers with a channel in between, on average, that make them near."""
BUSY = 16
"""Packets of a deep buffer that are in use within a few cycles, at most."""
WAITING = 1024
"""Replies that wait at a terminal, on average, from which on no class creates requests any more."""
BUILDING = 25
"""Numbers of 8 bytes for each end of a buffer while tables are built."""
MOST_STATES = 100_000_000
"""Most pairs of an input VC and an address, or bytes, for which answers of a rule are kept."""


def empty_network(scenario: Scenario, sources: Sources | Mix, threads: int, *, general: bool) -> list[State]:
    """The network of a scenario, about to begin cycle 0, in as many parts as it has threads.

    Raises
    ------
    SizeError
        Before the large tables are made, if all of them and the routing cache take more memory than there may be.
    """
    relation, buffer_depth = scenario.simulated, scenario.buffer_depth
    router, flow, watchdog = scenario.selecting_router, scenario.control, scenario.watchdog
    classes = isinstance(sources, Mix)
    if router.priority == "class" and not classes:
        raise SimulationError('router: priority "class" is of traffic classes, and there are none')
    network = relation.network
    _check_bandwidths(network, router)
    terminals, num_vcs = network.num_terminals, relation.num_vcs
    local = relation.vcs.widest
    # What is kept later, and what it takes to make the tables.
    memory = min(MOST_STATES, (num_vcs + terminals) * terminals)
    memory += 8 * BUILDING * (2 * num_vcs + 3 * local * terminals)
    name = f"a simulation of {network.name} with {num_vcs} virtual channels"
    require(name, memory)
    # One more in a general run: others may divide a packet in front of a buffer.
    held = packets_in_a_buffer(flow, most_flits(buffer_depth, local, router), sources.lengths[0][0]) + general
    packable = is_packable(relation, router) and not general
    widest = WIDEST if packable and not (router.looks_at_all or router.speculative) else 1
    tables = ends_of_buffers(relation, buffer_depth - router.shared_slots(buffer_depth), router, widest)
    first_word, (lengths, shares) = tables["first_word"], zip(*sources.lengths, strict=True)
    num_words = int(first_word[-1])
    # All that may queue in front of a channel fits behind it.
    waiting = math.ceil(local * buffer_depth / network.bandwidth.min(initial=1)) * queues_up(network, router)
    size = len(tables["buffer"]) * (96 + 4 * min(held, BUSY))
    # Where neighbours are far apart in memory, what a router needs in its second cycle would be fetched too late; and
    # threads would wait for each other to the cycle.
    apart = size * float(np.abs(network.source - network.target).mean()) / network.num_routers if num_vcs else 0
    span = AT_ONCE if apart < NEAR and threads == 1 and not (general or classes) else 1
    ahead = waiting + posted_ahead(int(network.latency.max(initial=1)), router)
    # A router, or a part, may be a cycle ahead of another.
    inboxes = 1 << (ahead + (span > 1 or threads > 1)).bit_length()
    starts = streams(scenario.seed, terminals * sources.queues)
    by_router = np.argsort(network.inject, kind="stable")
    first = np.searchsorted(network.inject[by_router], np.arange(network.num_routers + 1))
    cuts = _cuts(tables["words"]["first_input"][first_word], threads)
    many = terminals * SPAN if threads > 1 else 0
    arrivals = terminals * router.output_speedup * math.ceil(router.internal_speedup)
    inputs = len(tables["buffer"])
    slots = inputs * held + len(starts) + many + WAITING * terminals * (classes or watchdog > 0)
    injection = tables["out_row"][num_vcs + local * np.arange(terminals)]
    tables |= {
        "ring": inputs * held,
        "inbox": inboxes * num_words,
        "stages": inboxes * num_words,
        "outside": inboxes * num_words if threads > 1 else 0,
        "planes": 2 * (buffer_depth - 1).bit_length() * num_words,
        "progress": threads,
        **(matrix_arbiters(tables) if router.has_matrices else {}),
        "packets": slots * threads,
        "local_terminals": by_router,
        "first_terminal": first,
        "random": starts,
        "lengths": {"upto": thresholds(shares), "flits": lengths},
        "destination": relation.destination,
        "direct": np.array(() if relation.direct is None else relation.direct).reshape(-1),
        "script": np.full(1, -1),
        **hop_tables(relation, router, tables["out_row"]),
        **slot_tables(flow, tables, num_vcs, buffer_depth, [flits for flits, _ in sources.lengths]),
        **sources.tables(starts, local, slots),
    }
    tiled = tiled_by(relation)
    if tiled and not classes and sources.everyone >= 0:
        tables |= {"address_range": 0, "addresses": 0}
    if watchdog:
        tables |= {"replies": {"first": np.full(terminals, -1), "last": np.full(terminals, -1)}, "waiting": slots}
    # The first column says how many rows there are.
    tables["terminals"] = {"first_output": np.tile(injection, sources.queues), **tables["terminals"]}
    words = int(np.diff(first_word).max(initial=1))
    width, bits = words if words <= widest else 1, 64 * words
    requests = bits * (relation.max_candidates + local)
    own = {
        "free": 2 * slots,
        "latencies": 4096 + AT_ONCE * arrivals + many * arrivals // max(1, terminals),
        "candidates": relation.max_candidates,
        "wishes": bits * bits // 64,
        "lesser": bits * bits // 64 * router.all_tiers,
        "headers": bits,
        "winners": bits,
        "claims": bits // 64,
        "best": 2 * bits,
        "requests": requests,
        "cells": requests * router.looks_at_all,
        "pairing": bits + 1 if router.looks_at_all else 0,
        "wants": 64 * width**2,
        "contest": 64 * width,
    }
    memory += sum(table.nbytes for table in tables.values() if isinstance(table, np.ndarray))  # until they are copied
    require(name, memory + _bytes(tables) + threads * _bytes(own))
    # What few runs have, and the routing cache, which is made later, are empty.
    whole = placed(dict.fromkeys(TABLES, 0) | tables | own)
    parts = []
    for k in range(threads):
        part = State(whole if k == 0 else whole | placed(own))
        setup = part.setup
        _write_setup(setup, scenario)
        setup.everyone, (setup.burst_begins, setup.burst_ends) = sources.everyone, sources.burst_chances
        setup.salt = np.array(scramble(scenario.seed + 0x5851F42D4C957F2D), dtype=np.uint64).view(np.int64)
        setup.subnets, setup.nodes = sources.subnets, terminals // sources.subnets
        setup.first_home = terminals - setup.nodes
        setup.classes = sources.queues if classes else 0
        setup.tiled = tiled
        setup.arrivals = arrivals
        setup.local, setup.slots, setup.span, setup.parts = local, inboxes - 1, span, threads
        setup.patience = (1 << ahead.bit_length()) + 7
        setup.num_words, setup.width = num_words, width
        setup.ring, setup.large = held, size > IN_CACHE
        setup.part, setup.first_router, setup.last_router = k, cuts[k], cuts[k + 1]
        setup.first_own_word, setup.last_own_word = first_word[cuts[k]], first_word[cuts[k + 1]]
        part.count.high = k * slots
        setup.slotted = flow.slotted
        # Slack that a packet left counts a cycle after the credit that would wake a header.
        has_slack = flow.cell > 1 or (flow.slotted and len(lengths) > 1)
        setup.awake = has_slack or any(limits(flow, pool) for pool in flow.pools)
        # A network of traffic classes with some wide routers takes one path alone: both would be long to compile.
        is_mixed = classes and words > width
        setup.packable = packable and not is_mixed
        setup.watchdog = watchdog
        parts.append(part)
    return parts


def _bytes(tables: Mapping[str, Any]) -> int:
    return sum(TABLES[name].itemsize * row_count(table) for name, table in tables.items())


def is_packable(relation: Relation, router: Router) -> bool:
    """Whether routers with few words go through `simple_kernel`, the fast twin of `router_kernel`."""
    compares_early = relation.comparison == 0 or (relation.comparison < IN_ROUTER and not router.queues)
    return router.is_packable and not relation.commits and compares_early


def tiled_by(relation: Relation) -> int:
    """Terminals, if addresses are those of all in order, again and again; else 0."""
    destination, terminals = relation.destination, relation.network.num_terminals
    if not terminals or destination.size % terminals:
        return 0
    return terminals * bool((destination.reshape(-1, terminals) == np.arange(terminals)).all())


def write_relation(setup: Any, relation: Relation, router: Router) -> None:
    """Write what kernels know of a relation: how packets choose between two addresses, and short cuts."""
    setup.commits, setup.compares = relation.commits, relation.comparison
    setup.cacheable = is_cacheable(relation, router)
    hops = relation.compiled_hops if relation.comparison else None
    setup.count_hops = 0 if hops is None else hops.address
    if relation.decides is not None:
        setup.block = relation.num_addresses // (max(1, len(relation.classes)) * relation.decides.blocks)
        setup.weight, setup.margin = relation.decides.weight, relation.decides.margin


def is_cacheable(relation: Relation, router: Router) -> bool:
    """Whether the answers of the rule may be cached, as masks: without their order, and whatever a header chose."""
    by_order = router.selection in ("first", "least_weight", "better_of_two")
    in_tiers = router.all_tiers and router.allocator in HONOURING
    return not (relation.commits or by_order or in_tiers)


def _cuts(upto: Numbers, parts: int) -> Numbers:
    """First router of each part, and the end: parts of about as many buffers; `upto` counts them for each router."""
    before = np.arange(1, parts) * (int(upto[-2:][0]) / parts)
    return np.concatenate([[0], np.searchsorted(upto[:-1], before), [upto.size - 1]]).astype(np.int64)


def _write_setup(setup: Any, scenario: Scenario) -> None:
    relation, router, depth = scenario.simulated, scenario.selecting_router, scenario.buffer_depth
    for option in OPTIONS:
        setattr(setup, option, router.code(option))
    setup.shared = router.shared_slots(depth)
    setup.taking = relation.vcs.widest * router.terminal_width
    flow = scenario.control
    setup.entry, setup.complete, setup.depth = ENTRIES[flow.enters], flow.complete, depth - setup.shared
    setup.num_vcs = relation.num_vcs
    setup.most = (router.most_slots or NO_CYCLE) - setup.depth
    setup.blocks = router.queues or router.hold_switch or setup.shared > 0
    setup.planes = (depth - 1).bit_length()
    write_relation(setup, relation, router)
    setup.measure_from = setup.measure_to = NO_CYCLE
    setup.in_batches = not router.pipelined
    setup.empty_hop = router.header_cycles + router.credit_delay
    setup.speed, setup.queues = round(router.internal_speedup * (1 << 20)), queues_up(relation.network, router)
    setup.claim = 1 if router.claim_credit else -NO_CYCLE
    # Terminals take a flit in each cycle, so that only with a speedup any wait for them behind the switch.
    endless = router.ejection_credits or not router.queues
    setup.most_queued = NO_CYCLE if endless else relation.vcs.widest * depth


def queues_up(network: Network, router: Router) -> bool:
    """Whether flits may queue behind the switch."""
    return router.queues or bool((network.bandwidth != 1).any())


def _check_bandwidths(network: Network, router: Router) -> None:
    """Refuse bandwidths that the router cannot serve."""
    other = np.flatnonzero(network.bandwidth != 1)
    if not other.size:
        return
    channel = int(np.argmax(network.bandwidth))
    if network.bandwidth[channel] > 1:
        raise SimulationError(
            f"channel {network.channel_name(channel)} of {network.name} passes {written(network.bandwidth[channel])} "
            "flits per cycle; a virtual channel takes one flit in a cycle of the simulator: count time in cycles of "
            f"the fastest channel, by with_bandwidth(network.bandwidth / {network.bandwidth[channel]:g})"
        )
    delays = router.vc_allocation_delay, router.switch_allocation_delay
    if router.routing_delay > 1 or delays != (1, 1) or router.output_buffer:
        raise SimulationError(
            f"channel {network.channel_name(int(other[0]))} of {network.name} passes "
            f"{written(network.bandwidth[other[0]])} flits per cycle: a router with such channels takes a "
            "routing_delay of 0 or 1, allocation delays of 1 and no output_buffer"
        )


def posted_ahead(latency: int, router: Router) -> int:
    """Most cycles from a stage to what it posts in an inbox, but for those that flits queue in front of a channel."""
    stay = max(router.switch_allocation_delay, router.vc_allocation_delay)
    crossing = router.traversal_delay * (1 if router.pipelined else 3)
    routing = router.routing_delay * (1 if router.pipelined else 2)
    ejection = router.ejection_credits * (EJECTION_LOOP + router.credit_delay)
    return stay + max(crossing + max(latency, ejection), router.credit_delay + latency, routing)


def most_flits(depth: int, vcs: int, router: Router) -> int:
    """Most flits of a VC: those of its own slots, and all that the VCs of its port share."""
    shared = router.shared_slots(depth)
    most = depth - shared + vcs * shared
    return min(most, router.most_slots or most)


def packets_in_a_buffer(flow: FlowControl, depth: int, shortest: int) -> int:
    """Most packets that have flits in one buffer, or are on their way into it."""
    if flow.exclusive:
        return 1
    return min(depth, depth // shortest + (1 if flow.whole else 2))
