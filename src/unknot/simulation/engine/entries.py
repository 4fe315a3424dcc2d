"""Entries of the setup that say what kernels know of a router, a flow control and a relation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unknot._base.errors import SimulationError
from unknot.flow_control.model import FlowControl
from unknot.network import Network
from unknot.network.bandwidth import written
from unknot.routing.contract import IN_ROUTER
from unknot.routing.relation import Relation
from unknot.simulation.engine.codes import ENTRIES, HONOURING, NO_CYCLE
from unknot.simulation.engine.ends import EJECTION_LOOP, queues_up
from unknot.simulation.engine.router import Router
from unknot.simulation.engine.setup import OPTIONS
from unknot.simulation.run.scenario import Scenario


def is_packable(relation: Relation, router: Router) -> bool:
    """Whether routers with few words go through `simple_kernel`, the fast twin of `router_kernel`."""
    # Terminals see what was sent in a cycle as bits in planes: whether a flit was, not how many were.
    compares_late = relation.comparison == IN_ROUTER and router.routing_delay > 0
    compares = relation.comparison == 0 or compares_late or not (router.queues or router.own_slots)
    return router.is_packable and compares


def tiled_by(relation: Relation) -> int:
    """Terminals, if addresses are those of all in order, again and again; else 0."""
    destination, terminals = relation.destination, relation.network.num_terminals
    if not terminals or destination.size % terminals:
        return 0
    return terminals * bool((destination.reshape(-1, terminals) == np.arange(terminals)).all())


def entries_of(scenario: Scenario) -> dict[str, Any]:
    """Return the entries of the setup that say what kernels know of a router, a flow control and a relation."""
    relation, router, depth = scenario.simulated, scenario.selecting_router, scenario.buffer_depth
    flow, shared = scenario.control, router.shared_slots(depth)
    own = depth - shared
    # Terminals take a flit in each cycle, so that only with a speedup any wait for them behind the switch.
    endless = router.ejection_credits or not router.queues
    hops = relation.compiled_hops if relation.comparison else None
    entries = {option: router.code(option) for option in OPTIONS} | {
        "shared": shared, "taking": relation.vcs.widest * router.terminal_width,
        "of_kind": max(1, relation.num_addresses // max(1, len(relation.classes))), "entry": ENTRIES[flow.enters],
        "complete": flow.complete, "depth": own, "num_vcs": relation.num_vcs,
        "most": (router.most_slots or NO_CYCLE) - own,
        "blocks": router.queues or router.hold_switch or shared > 0 or router.output_buffer > 0,
        "planes": planes_of(depth, relation.vcs.widest, router),
        "commits": relation.commits, "compares": relation.comparison, "cacheable": is_cacheable(relation, router),
        "count_hops": 0 if hops is None else hops.address, "measure_from": NO_CYCLE, "measure_to": NO_CYCLE,
        "in_batches": not router.pipelined, "empty_hop": router.header_cycles + router.credit_delay,
        "speed": round(router.internal_speedup * (1 << 20)), "queues": queues_up(relation.network, router),
        "claim": 1 if router.claim_credit else -NO_CYCLE,
        "most_queued": NO_CYCLE if endless else relation.vcs.widest * depth,
    }  # fmt: skip
    if relation.decides is not None:
        blocks = max(1, len(relation.classes)) * relation.decides.blocks
        entries |= {
            "block": relation.num_addresses // blocks,
            "weight": relation.decides.weight,
            "margin": relation.decides.margin,
        }
    return entries


def is_cacheable(relation: Relation, router: Router) -> bool:
    """Whether the answers of the rule may be cached, as masks: without their order, and whatever a header chose."""
    by_order = router.selection in ("first", "least_weight")
    in_tiers = router.all_tiers and router.allocator in HONOURING
    return not (relation.commits or by_order or in_tiers)


def posted_ahead(latency: int, router: Router) -> int:
    """Most cycles from a stage to its entries in an inbox, apart from flits queued in front of a channel."""
    stay = max(router.switch_allocation_delay, router.vc_allocation_delay)
    crossing = router.traversal_delay * (1 if router.pipelined else 3)
    routing = router.routing_delay * (1 if router.pipelined else 2)
    ejection = router.ejection_credits * (EJECTION_LOOP + router.credit_delay)
    return stay + max(crossing + max(latency, ejection), router.credit_delay + latency, routing)


def steps_of_crossing(router: Router) -> int:
    """Most steps from a match of the switch to the end of its crossing; 0 without a limit of output buffers."""
    cycles = router.traversal_delay + 1 if router.pipelined else 2 * router.traversal_delay + 1
    return 2 + math.ceil(router.internal_speedup) * cycles if router.output_buffer else 0


def most_flits(depth: int, vcs: int, router: Router) -> int:
    """Most flits of a VC: those of its own slots, and all that the VCs of its port share."""
    shared = router.shared_slots(depth)
    most = depth - shared + vcs * shared
    return min(most, router.most_slots or most)


def planes_of(depth: int, vcs: int, router: Router) -> int:
    """Binary digits of the most flits of a VC, less one."""
    return (most_flits(depth, vcs, router) - 1).bit_length()


def packets_in_a_buffer(flow: FlowControl, depth: int, shortest: int) -> int:
    """Most packets with flits in one buffer or on their way into the buffer."""
    if flow.exclusive:
        return 1
    return min(depth, depth // shortest + (1 if flow.whole else 2))


def check_bandwidths(network: Network, router: Router) -> None:
    """Refuse bandwidths that the router cannot serve.

    Raises
    ------
    SimulationError
    """
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
