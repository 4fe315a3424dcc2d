"""Codes and limits that kernels and Python share: rules of entry, states of input VCs, selections, allocators."""

from __future__ import annotations

from typing import Literal, get_args

from unknot.flow_control.model import Enters
from unknot.flow_control.pools import Keeps
from unknot.simulation.engine import allocators  # noqa: F401 they register themselves
from unknot.simulation.engine.allocators.registry import INPUTS_FIRST as INPUTS_FIRST
from unknot.simulation.engine.allocators.registry import ISLIP as ISLIP
from unknot.simulation.engine.allocators.registry import RR_WAVEFRONT as RR_WAVEFRONT
from unknot.simulation.engine.allocators.registry import SELECT as SELECT
from unknot.simulation.engine.allocators.registry import WAVEFRONT as WAVEFRONT
from unknot.simulation.engine.allocators.registry import Allocator as Allocator
from unknot.simulation.engine.allocators.registry import names

WHOLE, EMPTY, TAIL = range(3)
"""Codes of `FlowControl.enters`: an output VC is granted where it has room for the whole packet, or is empty; only
where it is empty; where the tail of the packet before has entered."""
ENTRIES: dict[Enters, int] = {"packet": WHOLE, "empty or packet": WHOLE, "empty": EMPTY, "tail": TAIL}
"""The same by what `FlowControl` calls them; where packets are to fit their buffers none waits for an empty one."""
NOTHING, SLOT_OF_BUFFER, SLOT_OF_POOL, SLOT_OF_MARK = range(4)
"""Codes of `Pool.keeps`: what a packet that comes into a pool leaves free."""
KEPT: tuple[Keeps, ...] = get_args(Keeps)
"""The same as `Pool` names them."""

IDLE, FRESH, BLOCKED, PENDING, STALLED, MOVING = range(6)
"""States of an input VC: no packet in front; a header that may take any candidate; one that found all of them taken
and requests only those it waits for; within a stage of the router that takes longer than a cycle; an output VC is
allocated but there is no flit or no credit; it requests the switch."""

Selection = Literal["all", "first", "random", "round_robin", "most_credits", "least_weight", "better_of_two"]
SELECTIONS: tuple[Selection, ...] = get_args(Selection)
"""Selection functions. Of its free candidates a header requests all, or one: the first that the relation names, any,
the next one in turn, one of the channel with the most free buffers (any of them where several have as many), one of
the least weight, whatever its tier (`choice_kernel.lightest`), or all of one channel, which it keeps: of those of
two candidates drawn at random, when it first requests, the one with the more free buffers."""
ALL, FIRST_ONE, RANDOM, ROUND_ROBIN, MOST_CREDITS, LEAST_WEIGHT, BETTER_OF_TWO = range(len(SELECTIONS))
"""Their codes."""

UNDECIDED, DECIDED = -1, -2
"""What `courses.script` says of packets without a prescribed path, before and after `compare_kernel.decide`."""
ANY, LEAVES = -1, -2
"""What a prescribed path says in place of a VC: any that the rule offers to wait for; ejection."""
INJECTED, EVERY_HOP = 1, 2
"""Where headers are counted, of runs whose energy is computed: at terminals, and at routers too."""
NO_CYCLE = 2**60
"""A cycle that never comes."""
ENDLESS = 2**30 - 1
"""Credits of an ejection VC that never runs out of them: more than any buffer has."""
Priority = Literal["none", "age", "class"]
Ejection = Literal["any", "same", "class"]
Arbiter = Literal["round_robin", "matrix"]
ALLOCATORS, ITERATIVE, HONOURING = names(), names("rounds"), names("honours")
"""All allocators; those that take several iterations; those that know priorities."""
SWEEPING, SEPARABLE, LOOK_AT_ALL = names("sweeps"), names("arbiters"), names("kernel")
"""Those that sweep the diagonals of the matrix of requests; may have matrix arbiters; look at all requests."""
PRIORITIES: tuple[Priority, ...] = ("none", "age", "class")
WORDS: dict[str, tuple[str, ...]] = {
    "allocator": ALLOCATORS,
    "switch_allocator": ALLOCATORS,
    "priority": PRIORITIES,
    "selection": SELECTIONS,
    "ejection": get_args(Ejection),
    "arbiter": get_args(Arbiter),
    "switch_arbiter": get_args(Arbiter),
}
"""Options whose settings are words; kernels know each by its place here."""
UNEQUAL = -2
"""Of a traffic class: its destinations are in tables, and not alike."""
MOST_ANSWERS = 127
"""Answers of a router that the routing cache keeps."""
DONE, FULL, QUIET, BROKEN_RULE, DEAD_END, LOST = range(6)
"""How a kernel call ended: cycle reached; room for latencies used up; nothing moves any more; the rule failed or gave
what it must not; a header has no candidate (its input row in ``count.failed_at``); headers without a candidate are to
be lost (their input rows in `lost`)."""
SPAN = 512
"""Most cycles in a call of the kernel when there are several parts."""
