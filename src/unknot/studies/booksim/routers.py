"""From a BookSim configuration to the options of a router."""

from __future__ import annotations

import re

from unknot.errors import SimulationError
from unknot.simulation.engine.router import Allocator, Priority, Router
from unknot.studies.booksim.classes import has_classes
from unknot.studies.booksim.configuration import Configuration

_ALLOCATOR = re.compile(r"(\w+)(?:\((\w*)\))?")
_ALLOCATORS = ("islip", "separable_input_first", "separable_output_first")
_ITERATIVE = ("islip",)
_SPECULATION = ("spec_check_elig", "spec_check_cred", "spec_mask_by_reqs")
_OFF = ("vc_busy_when_full", "vc_prioritize_empty", "vc_priority_donation", "vc_shuffle_requests", "noq")


def router_of(given: Configuration) -> Router:
    """The router of a configuration."""
    for key in _OFF:
        given.require_off(key)
    speculative = given.on("speculative")
    if speculative:
        given.require("spec_sw_allocator")
        for key in _SPECULATION:
            given.require(key)
    allocator, iterations = _allocator(given)
    try:
        router = Router(
            routing_delay=given.whole("routing_delay"),
            vc_allocation_delay=given.whole("vc_alloc_delay"),
            switch_allocation_delay=given.whole("sw_alloc_delay"),
            traversal_delay=given.whole("st_prepare_delay") + given.whole("st_final_delay"),
            credit_delay=given.whole("credit_delay"),
            speculative=speculative,
            allocator=allocator,
            iterations=iterations,
            priority=_priority(given),
            hold_switch=given.on("hold_switch_for_packet"),
            input_speedup=given.whole("input_speedup"),
            output_speedup=given.whole("output_speedup"),
            internal_speedup=given.number("internal_speedup"),
        )
    except SimulationError as error:
        for key, name in _DELAYS.items():
            if f" {name} " in str(error):
                raise given.error(key, str(error)) from None
        raise
    if router.queues:
        given.require("output_buffer_size")
    return router


def _priority(given: Configuration) -> Priority:
    """Return the priority of packets; with one class, priority by class becomes none."""
    given.require("priority", "age", "class")
    if given.text("priority") == "class":
        return "class" if has_classes(given) else "none"
    return "age" if given.text("priority") == "age" else "none"


_DELAYS = {
    "routing_delay": "routing_delay",
    "vc_alloc_delay": "vc_allocation_delay",
    "sw_alloc_delay": "switch_allocation_delay",
    "st_final_delay": "traversal_delay",
    "credit_delay": "credit_delay",
    "vc_allocator": "iterations",
    "input_speedup": "input_speedup",
    "output_speedup": "output_speedup",
    "internal_speedup": "internal_speedup",
}


def _allocator(given: Configuration) -> tuple[Allocator, int]:
    """Name and iterations of the allocator of VCs and of the switch."""
    found: list[tuple[Allocator, int]] = []
    for key in ("vc_allocator", "sw_allocator"):
        match = _ALLOCATOR.fullmatch(given.text(key))
        name = match[1] if match else ""
        if match is None or name not in _ALLOCATORS:
            raise given.error(key, f"{given.text(key)} is not built: {', '.join(_ALLOCATORS)} are")
        inside = match[2] or ""
        iterations = 1
        if name in _ITERATIVE:
            iterations = _iterations(given, key, inside)
        else:
            arbiter = inside or ("round_robin" if given.faithful else given.text("arb_type"))
            if arbiter != "round_robin":
                raise given.error(key if inside else "arb_type", f"arbiter {arbiter} is not built: round_robin is")
        # Of outputs that choose first, once and without priorities, iSLIP is made.
        found.append(("separable_input_first" if name == "separable_input_first" else "islip", iterations))
    if found[0] != found[1]:
        raise given.error("sw_allocator", "VCs and the switch have one allocator between them, so both must be alike")
    return found[0]


def _iterations(given: Configuration, key: str, inside: str) -> int:
    if inside:
        if not inside.isdigit() or not 1 <= int(inside) <= 1000:
            raise given.error(key, f"iterations are a whole number from 1 to 1000, not {inside}")
        return int(inside)
    if given.faithful:
        return 1
    wanted = given.whole("alloc_iters", 1, 1000)
    if wanted > 1 and key == "vc_allocator":
        given.warn("alloc_iters", "BookSim ignores it and iterates once; --faithful does so too")
    return wanted
