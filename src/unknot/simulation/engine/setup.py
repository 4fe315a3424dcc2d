"""What a part of a run is set up with, and what it counts: words before the tables of `state` in `State.raw`."""

from __future__ import annotations

from numpy import int64

from unknot.simulation.engine.codes import ALL, ISLIP, NO_CYCLE, RANDOM, TAIL, WAVEFRONT, WHOLE
from unknot.simulation.engine.scratch import rows

OPTIONS = (
    "routing_delay", "vc_allocation_delay", "switch_allocation_delay", "traversal_delay", "speculative", "allocator",
    "switch_allocator", "iterations", "switch_iterations", "priority", "selection", "hold_switch", "arbiter",
    "switch_arbiter", "output_buffer", "empty_first", "donate_priority", "all_tiers", "ejection",
    "first_alone",
)  # fmt: skip
"""Options of a `Router` that kernels read as they are, words by their place in `codes.WORDS`."""

CALLED = (
    "open_inbox", "work", "match_vcs", "match_switch", "fetch", "choose", "speculate", "sweep_vcs", "sweep_switch",
    "inject_classes", "arrive_in_class", "see", "of_same_port", "narrow", "keep_port", "recall_port", "select",
    "donated", "is_busy", "go_on", "request_ahead", "queue_up", "return_credit", "may_enter", "enter", "leave",
)  # fmt: skip
"""Addresses of kernels that not every run calls, 0 in others; see `kernels.link`."""

SETUP = rows(
    **dict.fromkeys(OPTIONS, int64),
    entry=int64,  # when a header may enter a buffer, WHOLE, …
    complete=int64,  # whether packets go on only when all their flits have arrived
    depth=int64,  # flits of a buffer, less those that are shared
    num_vcs=int64,  # of the network
    local=int64,  # VCs of an injection port
    taking=int64,  # ejection VCs of a terminal
    of_kind=int64,  # addresses of a message class
    measure_from=int64,  # packets created from this cycle
    measure_to=int64,  # to before this one are measured
    hold=int64,  # whether headers with a prescribed path wait at its end
    commits=int64,  # whether headers keep their first choice
    slots=int64,  # inboxes of a router that take turns, less one
    far_slots=int64,  # others, for what is posted farther ahead, less one; 0 without
    everyone=int64,  # −1 when tables say who sends to whom; 1 if terminals also send to themselves, else 0
    compares=int64,  # how packets choose between their address and the direct one, `Relation.comparison`
    block=int64,  # addresses in which a packet stays that chooses in its first router
    weight=int64,  # of its own queue there; 0: hops count instead
    margin=int64,  # there
    count_hops=int64,  # address of the function that counts the hops of a way, `Relation.hops`; 0: they are walked
    num_addresses=int64,  # of the relation
    tiled=int64,  # terminals, if addresses are those of all in order, again and again; else 0
    **dict.fromkeys(CALLED, int64),
    first_router=int64,  # of this part
    last_router=int64,  # and the end
    first_own_word=int64,
    last_own_word=int64,
    part=int64,
    parts=int64,
    in_batches=int64,  # whether a stage that is under way takes in nothing
    arrivals=int64,  # packets that may win the switch to their terminals in a cycle
    creations=int64,  # packets that terminals may create in a cycle; 0 where `packets` has room for all there can be
    most_packets=int64,  # rows of `packets` that are enough
    empty_hop=int64,  # cycles from a flit to its credit if nothing is in its way, the channel apart
    salt=int64,  # of random selections
    burst_begins=int64,  # chances × 2⁵³; −1 without bursts
    burst_ends=int64,
    span=int64,  # cycles that a router runs before the next one does
    patience=int64,  # cycles in which something must move
    num_words=int64,  # of all routers
    width=int64,  # words of a router that goes through `simple_kernel`
    ring=int64,  # packets that a buffer may hold parts of
    large=int64,  # whether the tables are larger than a processor's cache
    packable=int64,  # whether routers with `width` words go through `simple_kernel`
    cacheable=int64,  # whether the answers of the rule may be cached
    planes=int64,  # binary digits of the most flits of a VC, less one
    speed=int64,  # steps of a router in a cycle × 2²⁰
    queues=int64,  # whether flits may queue behind the switch
    most_queued=int64,  # flits that queue for ejection at a port
    classes=int64,  # traffic classes, or 0
    subnets=int64,
    nodes=int64,  # terminals of one subnet; those of the last one create packets for all
    first_home=int64,  # the first of those
    shared=int64,  # flits by which each VC of an input port enlarges what they share
    most=int64,  # flits that a VC may have beyond its own slots
    blocks=int64,  # whether ports may take no requests: held, queued behind, or before shared buffers
    slotted=int64,  # whether packets take slots of some VCs, see `pool_kernel`
    awake=int64,  # whether headers that find nothing free go on requesting
    metered=int64,  # where headers are counted for energies: 0 nowhere, INJECTED or EVERY_HOP
    watchdog=int64,  # cycles between two looks for packets to drop, or 0
    replaced=int64,  # cycle of the last new relation: whatever it says of packets created before, they may be lost
    claim=int64,  # credits that a VC must have to be requested under wormhole-nonatomic; −1: that does not matter
)
"""Entries of `State.setup`."""


def _by_entry(name: str, entries: dict[str, int]) -> dict[str, dict[str, int]]:
    return {
        f"{name}_{entry}": entries | {"entry": code, "complete": 0}
        for entry, code in (("tail", TAIL), ("whole", WHOLE))
    }


ANY_ALLOCATOR = {
    "parts": 1,
    "width": 1,
    "routing_delay": 1,
    "queues": 0,
    "speculative": 0,
    "selection": ALL,
    "shared": 0,
    "watchdog": 0,
    "claim": -NO_CYCLE,
    "priority": 0,
    "hold_switch": 0,
    "arbiter": 0,
    "switch_arbiter": 0,
    "narrow": 0,
}
ONE_ROUND = {"iterations": 1, "switch_iterations": 1}
USUAL = ANY_ALLOCATOR | ONE_ROUND | {"allocator": ISLIP, "switch_allocator": ISLIP}
"""Entries that most runs have in common: for those there are loops in which they are constants."""
COMMON = {"parts": 1, "width": 1, "watchdog": 0, "queues": 0, "speculative": 0}
"""Entries that most runs with other options have in common."""
PLAIN = USUAL | {
    "vc_allocation_delay": 1, "switch_allocation_delay": 1, "traversal_delay": 1, "in_batches": 0, "speed": 1 << 20,
    "donate_priority": 0,
    "blocks": 0, "output_buffer": 0, "empty_first": 0, "all_tiers": 0, "ejection": 0, "commits": 0,
    "slotted": 0, "awake": 0,
}  # fmt: skip
"""The same for the general router."""
FAST_VIEWS = (
    _by_entry("usual", USUAL)
    | _by_entry("queued", USUAL | {"queues": 1})
    | _by_entry("speculative", USUAL | {"speculative": 1})
    | _by_entry("random", USUAL | {"selection": RANDOM})
    | _by_entry("wavefront", ANY_ALLOCATOR | {"allocator": WAVEFRONT, "switch_allocator": WAVEFRONT})
    | _by_entry("allocated", ANY_ALLOCATOR)
    | _by_entry("wide", USUAL | {"width": 2})
    | _by_entry("wide_allocated", ANY_ALLOCATOR | {"width": 2})
    | {"narrow_common": COMMON, "wide_common": COMMON | {"width": 2}, "wide": {"width": 2}, "view": {}}
)
"""The constants of each view for which there is a loop on the fast path; a run takes the first that it fits."""
GENERAL_VIEWS = _by_entry("plain", PLAIN) | {"view": {}}
"""The same for kernels of the general router."""
ROW_VIEWS = {
    f"rows_{width}_{speculative}": {"width": width, "speculative": speculative}
    for width in (1, 2)
    for speculative in (0, 1)
}
"""The same for kernels of the fast path that are called by their address."""

COUNT = rows(
    now=int64,  # the cycle to be simulated next
    free=int64,  # how many packets there are in `free`
    high=int64,  # packets from this one on were never used
    created=int64,  # packets
    measured_created=int64,
    measured_arrived=int64,
    network_latency=int64,  # sums over measured packets
    hops=int64,
    arrived=int64,  # packets
    latency=int64,  # sum over all packets that arrived
    flits_in=int64,
    flits_out=int64,
    measured_flits_out=int64,
    flit_hops=int64,
    dropped=int64,  # packets, by a watchdog
    last_move=int64,  # cycle in which a flit moved
    lost=int64,  # how many rows there are in `lost`
    failed_at=int64,  # row of `inputs` at which the rule failed
    far=int64,  # the last cycle for which anything was posted farther ahead than inboxes take turns
    packed=int64,  # whether rows say all only after `pack_kernel.unpack`
    matches=int64,  # of allocators
    step=int64,  # of the router at work, over all cycles; where output buffers are limited
)
"""Counters, each of one part."""

ENTRIES, COUNTERS = SETUP.itemsize // 8, COUNT.itemsize // 8
FIRST_TABLE = ENTRIES + COUNTERS
"""Where addresses and sizes of the tables begin in `State.raw`, after setup and counters."""
