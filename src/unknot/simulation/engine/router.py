"""Options of a router: delays of its stages, priorities of its allocators, candidates that a header requests."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, cast

from unknot._base.errors import SimulationError, near, require_known
from unknot._base.numbers import is_number, require_whole
from unknot.simulation.engine.codes import (
    HONOURING,
    ITERATIVE,
    LOOK_AT_ALL,
    SEPARABLE,
    WORDS,
    Allocator,
    Arbiter,
    Ejection,
    Priority,
    Selection,
)

if TYPE_CHECKING:
    from unknot.routing.relation import Relation

PACKABLE = (
    "selection", "routing_delay", "credit_delay", "ejection_credits", "ejection", "pipelined", "speculative",
    "allocator", "switch_allocator", "internal_speedup", "all_tiers", "terminal_width", "input_speedup",
    "output_speedup", "iterations", "switch_iterations", "priority", "hold_switch", "claim_credit",
    "first_alone", "terminals_first", "arbiter", "switch_arbiter", "own_slots", "most_slots",
)  # fmt: skip
"""Options that `simple_kernel` knows, most of them not with every value."""
_FROM_ZERO = ("routing_delay", "credit_delay", "output_buffer", "own_slots", "most_slots")
"""Numbers that may be 0; others are at least 1."""


@dataclass(frozen=True)
class Router:
    """The options of an input-queued virtual-channel (VC) router; the defaults are those of BookSim 2.

    Parameters
    ----------
    routing_delay : int
        Cycles from reading a header to its first request for an output VC; 0 is look-ahead routing.
    vc_allocation_delay : int
        Cycles from winning an output VC to the first request for the switch.
    switch_allocation_delay : int
        Cycles a flit that won the switch stays in its buffer, the one in which it won included; its VC requests
        nothing else in the meantime.
    traversal_delay : int
        Cycles to cross the switch.
    credit_delay : int
        Cycles in which a router takes in a credit. Terminals take theirs in at once.
    speculative : bool
        A header that requests output VCs also requests the switch, in the same cycle, for each output port of which
        it requests a VC that has a credit. Within an input port those that have a VC already come first for the same
        output port, with separable_input_first everywhere. If the switch is matched to a header that gets no VC of
        that output port with a credit, both ports stay unused in that cycle.
    allocator : {"islip", "separable_input_first", "select", "wavefront", "rr_wavefront", "pim", "loa", "max_size"}
        islip (McKeown 1999): every output grants one request, every input accepts one grant. select: the same with
        priorities. separable_input_first: every input puts forward one of its requests, every output grants one of
        those. wavefront (Tamir & Chi 1993): all requests that a sweep of the diagonals meets, from a diagonal that
        moves on in each cycle; rr_wavefront: from the one after the first match. pim (Anderson et al. 1993): islip
        with choices from random starts. loa: every input requests the output that the fewest request, every output
        grants one. max_size: as many as can be matched.
    iterations : int
        Rounds of islip, select and pim; later ones match what is left. The others have one.
    priority : {"none", "age", "class"}
        age: where requests compete the packet created first wins; class: that of the traffic class of the highest
        priority. Ties, or all of it, go round robin. It counts where an input port puts one of its VCs forward, and
        in the allocators that know priorities: select, separable_input_first, wavefront and rr_wavefront.
    selection : str, optional
        Which of the free candidates of the lowest tier a header requests: all at once, so that the allocator chooses,
        or one; `SELECTIONS` says which. By default what the relation names (`Relation.selection`), else all.
    hold_switch : bool
        A packet that won the switch keeps it, as long as each cycle brings a flit and a credit, to its tail.
    input_speedup, output_speedup : int
        Parts of each input port and of each output port of the switch, each matched for itself. VC i of an input port
        sends by part i modulo `input_speedup`; the input ports of a router take turns with the parts of its output
        ports. Flits that cross at a time to one channel queue behind the switch.
    internal_speedup : float
        Steps of all stages but input and channels in a cycle, 1 to 16; of 1.5 every other cycle has two. Flits that
        cross sooner than the channel takes them queue behind the switch, and credits at their input port. It takes
        routing within a cycle and allocations of one step.
    switch_allocator : str, optional
        Another allocator for the switch.
    claim_credit : bool
        Headers request only output VCs that have a credit. It matters under wormhole-nonatomic alone.
    arbiter : {"round_robin", "matrix"}
        How inputs and outputs of the allocators separable_input_first and select choose: in turn, or the one that
        was chosen longest ago (matrix arbiters; Dally & Towles 2004).
    output_buffer : int
        Flits queued behind the switch at which an output port takes no more; flits that are crossing the switch are
        not counted. 0: no limit. Takes a speedup, or a slow switch that is not pipelined: else no flit queues there.
    own_slots : int
        Slots that each VC keeps for itself; the VCs of an input port share the rest of their `buffer_depth` slots.
        0: nothing is shared. For wormhole and wormhole-nonatomic.
    most_slots : int
        Most slots of a VC, its own and shared ones; 0: no limit.
    empty_first : bool
        Of the output VCs that a header requests, empty ones come first, in the allocators that know priorities.
    donate_priority : bool
        The packet in front of an input VC has the best priority of those that have a flit there.
    ejection_credits : bool
        Ejection VCs have as many credits as other VCs, and are freed by the same rules; a terminal returns a credit
        in the cycle in which it takes a flit. Without, only their channel limits them.
    pipelined : bool
        Routing, and the switch, take in a header or flit in each cycle, however many cycles they take. Without, all
        that wait in a router begin together when none is under way there; for allocation delays of 1.
    all_tiers : bool
        A header requests its free candidates of all tiers at once, and in the allocators that know priorities those
        of the first tier come first. Without, it requests those of the lowest tier that has a free one. The one
        candidate of a header that commits counts as of the first tier.
    ejection : {"any", "same", "class"}
        The ejection VC of a packet: any, that of the index of its input VC, or any of its class's (`TrafficClass`).
    terminals_first : bool
        Ports are numbered from those of the terminals on. Without, those of the channels come first. The allocators
        begin with the lowest numbers somewhere: max_size gives outputs away in this order.
    switch_iterations : int, optional
        Other rounds for the switch than `iterations`.
    switch_arbiter : {"round_robin", "matrix"}, optional
        Another arbiter for the switch.
    first_alone : bool
        A packet of a traffic class tries only the first of its VCs at the injection port if none of its class came in
        before, or the last one by a VC that it may not take itself (`Message.vcs`).
    terminal_width : int
        Ports of a terminal, each with a source queue, VCs and channels of its own: it injects and takes in as many
        flits in a cycle, of different packets. Packets leave by any of them.

    Raises
    ------
    SimulationError
        If a value makes no sense.

    Examples
    --------
    >>> from unknot.simulation import simulate
    >>> simulate("ring(4)", 0.1, routing="dimension_order", router=Router(allocator="pim"), measure=100).stable
    True
    """

    routing_delay: int = 1
    vc_allocation_delay: int = 1
    switch_allocation_delay: int = 1
    traversal_delay: int = 1
    credit_delay: int = 0
    speculative: bool = False
    allocator: Allocator = "islip"
    iterations: int = 1
    priority: Priority = "none"
    selection: Selection | None = None
    hold_switch: bool = False
    input_speedup: int = 1
    output_speedup: int = 1
    internal_speedup: float = 1.0
    switch_allocator: Allocator | None = None
    claim_credit: bool = False
    arbiter: Arbiter = "round_robin"
    output_buffer: int = 0
    own_slots: int = 0
    most_slots: int = 0
    empty_first: bool = False
    donate_priority: bool = False
    ejection_credits: bool = False
    pipelined: bool = True
    all_tiers: bool = False
    ejection: Ejection = "any"
    terminals_first: bool = False
    switch_iterations: int | None = None
    switch_arbiter: Arbiter | None = None
    first_alone: bool = False
    terminal_width: int = 1

    def for_relation(self, relation: Relation) -> Router:
        """The router with the selection function named by the relation, unless the router sets its own."""
        if self.selection is not None or relation.selection is None:
            return self
        return replace(self, selection=cast(Selection, relation.selection))

    def code(self, option: str) -> int:
        """Return an option as kernels read it: words by their place in `WORDS`, defaults for what is left open."""
        setting = getattr(self, option)
        if setting is None:
            return self.code(option.removeprefix("switch_")) if option != "selection" else 0
        return WORDS[option].index(setting) if option in WORDS else int(setting)

    @property
    def is_packable(self) -> bool:
        """Whether `simple_kernel` knows all options, so that it takes routers with few VCs; see `tables.WIDEST`."""
        switch, rounds = self.matches[1]
        in_ranks = switch in HONOURING and (switch in LOOK_AT_ALL or rounds > 1)
        selects = any(name == "select" and many > 1 for name, many in self.matches)
        others = [field.name for field in fields(self) if field.name not in PACKABLE]
        return (
            all(getattr(self, name) == getattr(DEFAULT, name) for name in others)
            and self.selection != "first"
            and self.routing_delay <= 1
            and not (self.speculative and (self.hold_switch or in_ranks))
            and not (self.own_slots and self.output_speedup > 1)
            and not (selects and (self.priority != "none" or self.has_matrices))
            and not (self.all_tiers and self.allocator in HONOURING)
            and (not self.queues or self.ejection_credits)
        )

    @property
    def header_cycles(self) -> int:
        """From reading a header to putting it on the next channel, if nothing is in its way.

        The fewest, where the number of steps differs from cycle to cycle.
        """
        va, sa = self.vc_allocation_delay, self.switch_allocation_delay
        steps = self.routing_delay + (max(va, sa) if self.speculative else va + sa)
        return math.floor(steps / self.internal_speedup) + self.traversal_delay

    @property
    def has_matrices(self) -> bool:
        """Whether any arbiter is a matrix arbiter."""
        return "matrix" in (self.arbiter, self.switch_arbiter)

    @property
    def matches(self) -> tuple[tuple[Allocator, int], tuple[Allocator, int]]:
        """Allocators of VCs and of the switch, with their rounds."""
        of_switch = self.switch_allocator or self.allocator, self.switch_iterations or self.iterations
        return (self.allocator, self.iterations), of_switch

    @property
    def looks_at_all(self) -> bool:
        """Whether an allocator looks at all requests at a time."""
        return any(name in LOOK_AT_ALL for name, _ in self.matches)

    def shared_slots(self, depth: int) -> int:
        """Slots of each VC that the VCs of its input port share, of a `depth` of buffers."""
        return max(0, depth - self.own_slots) if self.own_slots else 0

    @property
    def queues(self) -> bool:
        """Whether flits may cross the switch faster than channels take them."""
        return self.output_speedup > 1 or self.internal_speedup > 1

    def __post_init__(self) -> None:
        for field in fields(self):
            check_option(field.name, getattr(self, field.name))
        used = {name for name, _ in self.matches}
        if any(rounds > 1 for _, rounds in self.matches) and not used & set(ITERATIVE):
            raise SimulationError(f"router: {self.allocator} has one iteration, got more; islip takes several")
        if self.has_matrices and not used & set(SEPARABLE):
            raise SimulationError(f"router: a matrix arbiter is of {' or '.join(SEPARABLE)}, not of {self.allocator}")
        if self.queues and not (
            self.routing_delay <= 1 and self.vc_allocation_delay == self.switch_allocation_delay == 1
        ):
            raise SimulationError(
                "router: output_speedup and internal_speedup take a routing_delay of 0 or 1, and allocation delays "
                "of 1"
            )
        if not (self.pipelined or self.vc_allocation_delay == self.switch_allocation_delay == 1):
            raise SimulationError("router: pipelined=False takes allocation delays of 1")
        if self.all_tiers and self.selection not in (None, "all"):
            raise SimulationError(
                f"router: all_tiers requests all candidates, so no selection {self.selection} goes with it"
            )
        if self.output_buffer and not (self.queues or (self.traversal_delay > 1 and not self.pipelined)):
            raise SimulationError(
                "router: output_buffer takes output_speedup, internal_speedup, or pipelined=False with a "
                "traversal_delay above 1: else no flit waits behind the switch"
            )
        if self.most_slots and not self.own_slots <= self.most_slots:
            raise SimulationError(
                f"router: most_slots counts own_slots, so it is at least {self.own_slots}, got {self.most_slots}"
            )
        compares = self.selection == "most_credits" and self.ejection_credits  # of one port each
        if self.terminal_width > 1 and ((self.ejection, self.output_speedup) != ("any", 1) or compares):
            raise SimulationError(
                f"router: a terminal_width of {self.terminal_width} takes ejection any, an output_speedup of 1, and "
                "no ejection_credits where the selection is most_credits"
            )
        if self.most_slots and not self.own_slots:
            raise SimulationError("router: most_slots is of shared buffers; set own_slots")


_DEFAULTS = {field.name: field.default for field in fields(Router)}


def check_option(name: str, setting: Any) -> None:
    """Refuse an unknown option, or a value outside the option's range whatever the other options are.

    Raises
    ------
    SimulationError
    """
    require_known("router: unknown option", name, _DEFAULTS, SimulationError)
    if setting is None and _DEFAULTS[name] is None:
        return
    if name in WORDS:
        if setting not in WORDS[name]:
            raise SimulationError(f"router: unknown {name} {setting!r}; {near(str(setting), list(WORDS[name]))}")
    elif name == "internal_speedup":
        if not is_number(setting) or not 1 <= setting <= 16:
            raise SimulationError(f"router: {name} must be a number from 1 to 16, got {setting!r}")
    elif isinstance(_DEFAULTS[name], bool):
        if not isinstance(setting, bool):
            raise SimulationError(f"router: {name} must be true or false, got {setting!r}")
    else:
        require_whole(f"router: {name}", setting, int(name not in _FROM_ZERO), 1000, error=SimulationError)


DEFAULT = Router()
