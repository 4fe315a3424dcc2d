"""From a BookSim configuration to the options of a router."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from unknot._base.errors import SimulationError, near
from unknot.simulation.engine.codes import ALLOCATORS, HONOURING, ITERATIVE, Allocator, Ejection, Priority
from unknot.simulation.engine.router import Router
from unknot_booksim.classes import has_classes, ranges_of, reads_of
from unknot_booksim.configuration import Configuration

_ALLOCATOR = re.compile(r"(\w+)(?:\((\w*)\))?")
_ALLOCATORS: dict[str, Allocator] = {name: name for name in ALLOCATORS} | {"separable_output_first": "select"}
"""Allocators by BookSim's names. Of outputs that choose first, once, `select` is made."""
_NUMBERS = {
    "routing_delay": "routing_delay",
    "vc_alloc_delay": "vc_allocation_delay",
    "sw_alloc_delay": "switch_allocation_delay",
    "st_final_delay": "traversal_delay",
    "credit_delay": "credit_delay",
    "input_speedup": "input_speedup",
    "output_speedup": "output_speedup",
}
"""Keys that are whole numbers, and the options of a router that they are."""
_SWITCHES = {
    "speculative": "speculative",
    "hold_switch_for_packet": "hold_switch",
    "vc_busy_when_full": "claim_credit",
    "vc_prioritize_empty": "empty_first",
    "vc_priority_donation": "donate_priority",
}
_OTHERS = {
    "vc_allocator": "iterations",
    "internal_speedup": "internal_speedup",
    "buffer_policy": "own_slots",
    "output_buffer_size": "output_buffer",
}
"""Keys behind other options, for errors that name one of these."""
_SPECULATION = ("spec_check_elig", "spec_check_cred", "spec_mask_by_reqs")


def router_of(settings: Configuration) -> Router:
    """The router of a configuration."""
    if settings.on("speculative"):
        settings.require("spec_sw_allocator")
        for key in _SPECULATION:
            settings.require(key)
    options: dict[str, Any] = {name: settings.whole(key) for key, name in _NUMBERS.items()}
    options |= {name: settings.on(key) for key, name in _SWITCHES.items()}
    options["traversal_delay"] += settings.whole("st_prepare_delay")
    options |= _allocators(settings) | _shared(settings)
    pipelined = _is_pipelined(settings)
    try:
        router = Router(
            **options,
            priority=_priority(settings),
            internal_speedup=settings.number("internal_speedup"),
            output_buffer=_output_buffer(settings, pipelined),
            ejection_credits=True,
            pipelined=pipelined,
            all_tiers=settings.faithful and settings.text("routing_function") == "min_adapt",
            ejection=_ejection(settings),
            first_alone=settings.faithful and has_classes(settings),
        )
    except SimulationError as error:
        for key, name in (_NUMBERS | _OTHERS).items():
            if f" {name} " in str(error):
                raise settings.error(key, str(error)) from None
        raise
    # Other allocators take turns from wherever they are, so that the order of ports makes no difference to them; it
    # does to the wires of crossbars.
    in_order = router.looks_at_all or settings.on("sim_power")
    by_number = settings.faithful and in_order and settings.text("topology") not in ("mesh", "torus")
    return _without_idle(settings, replace(router, terminals_first=by_number))


def _ejection(settings: Configuration) -> Ejection:
    """Ejection VCs of a packet: the VC of its last hop on a dragonfly, else the range of its type of messages."""
    if settings.text("topology") == "dragonflynew":
        return "same"
    return "class" if any(reads_of(settings)) or any(ranges_of(settings)) else "any"


def _is_pipelined(settings: Configuration) -> bool:
    """Whether stages take in something in each cycle; BookSim's routing and switch do not."""
    slow = [key for key in ("vc_alloc_delay", "sw_alloc_delay") if settings.whole(key) > 1]
    for key in slow:
        settings.warn(key, "BookSim stops as soon as two headers or flits are at it; here it is pipelined")
    several = (
        settings.whole("routing_delay") > 1
        or settings.whole("st_prepare_delay") + settings.whole("st_final_delay") > 1
    )
    return not (settings.faithful and several) or bool(slow)


def _priority(settings: Configuration) -> Priority:
    """Return the priority of packets; with one class, priority by class becomes none."""
    settings.require("priority", "age", "class")
    if settings.text("priority") == "class" and has_classes(settings):
        return "class"
    return "age" if settings.text("priority") == "age" else "none"


def _without_idle(settings: Configuration, router: Router) -> Router:
    """The router without options that change nothing; a warning for each."""
    if router.empty_first and router.allocator not in HONOURING:
        settings.warn("vc_prioritize_empty", f"{router.allocator} knows no priorities, so it changes nothing")
        router = replace(router, empty_first=False)
    if router.donate_priority and router.priority == "none":
        settings.warn("vc_priority_donation", "packets have no priorities, so it changes nothing")
        router = replace(router, donate_priority=False)
    if settings.on("vc_shuffle_requests"):
        settings.warn("vc_shuffle_requests", "only the order in which VCs take turns is another")
    return router


def _output_buffer(settings: Configuration, pipelined: bool) -> int:
    """Flits behind the switch at which it closes; 0 without a limit or without waiting."""
    size = settings.whole("output_buffer_size")
    if size == 0:
        raise settings.error("output_buffer_size", "a buffer of 0 flits lets nothing through")
    speedup = settings.whole("output_speedup") > 1 or settings.number("internal_speedup") > 1
    slow = not pipelined and settings.whole("st_prepare_delay") + settings.whole("st_final_delay") > 1
    if size > 0 and not (speedup or slow):
        settings.warn("output_buffer_size", "without speedup nothing waits behind the switch, so it changes nothing")
    return max(0, size) if speedup or slow else 0


def _shared(settings: Configuration) -> dict[str, int]:
    """Slots of each VC of its own, and how many it may have, where VCs share buffers; 0: no limit."""
    policy = settings.text("buffer_policy")
    if policy == "private":
        return {}
    if policy not in ("shared", "limited"):
        settings.require("buffer_policy")
    vcs, depth = settings.whole("num_vcs", 1), depth_of(settings)
    if settings.whole("private_bufs") not in (-1, vcs):
        raise settings.error("private_bufs", f"{settings.text('private_bufs')} is not built: one for each VC")
    for key in ("private_buf_start_vc", "private_buf_end_vc"):
        settings.require(key)
    own = {int(text) for text in settings.values("private_buf_size") if re.fullmatch(r"-?\d{1,7}", text)}
    slots = depth if own == {-1} else min(own, default=0)
    if len(own) != 1 or not 0 < slots <= depth:
        raise settings.error(
            "private_buf_size",
            f"each VC has the same number of slots of its own, 1 to {depth} or -1, got "
            f"{settings.text('private_buf_size')}; a VC without any could wait for others for ever",
        )
    most = settings.whole("max_held_slots") if policy == "limited" else -1
    if 0 <= most < slots:
        raise settings.error("max_held_slots", f"{most} is less than the {slots} slots that each VC has of its own")
    return {"own_slots": slots, "most_slots": max(0, most)}


def depth_of(settings: Configuration) -> int:
    """Flits of a VC's buffer, including shared flits.

    Raises
    ------
    UnknotError
        If it is no sensible number, or buffers that are shared are no multiple of it.
    """
    depth, together, vcs = settings.whole("vc_buf_size"), settings.whole("buf_size"), settings.whole("num_vcs", 1)
    key = "buf_size" if together > 0 else "vc_buf_size"
    depth = together // vcs if together > 0 else depth
    if not 0 < depth <= 1 << 20:
        raise settings.error(key, f"a VC has from 1 to {1 << 20} flits, got {depth}")
    if together > 0 and together % vcs and settings.text("buffer_policy") != "private":
        raise settings.error("buf_size", f"buffers that are shared are a multiple of {vcs} VCs, got {together}")
    return depth


def _allocators(settings: Configuration) -> dict[str, Any]:
    """Allocators of VCs and of the switch, and their iterations."""
    names: list[Allocator] = []
    rounds: dict[str, int] = {}
    arbiters: dict[str, str] = {}
    for key in ("vc_allocator", "sw_allocator"):
        match = _ALLOCATOR.fullmatch(settings.text(key))
        name = match[1] if match else ""
        if name == "piggyback":
            raise settings.error(
                key, "piggyback is not built: VCs are granted with the switch; islip gives them before"
            )
        if match is None or name not in _ALLOCATORS:
            raise settings.error(key, f"BookSim has no allocator {settings.text(key)}; {near(name, _ALLOCATORS)}")
        inside = match[2] or ""
        if _ALLOCATORS[name] in ITERATIVE and name != "separable_output_first":
            rounds[key] = _iterations(settings, key, inside)
        elif name.startswith("separable"):
            arbiters[key] = _arbiter(settings, key, inside)
            if name == "separable_output_first":
                rounds[key] = 1
        names.append(_ALLOCATORS[name])
        if name == "select":
            arbiters[key] = "round_robin"
    first, second = names
    return {
        "arbiter": next(iter(arbiters.values()), "round_robin"),
        "switch_arbiter": arbiters["sw_allocator"] if len(set(arbiters.values())) > 1 else None,
        "allocator": first,
        "switch_allocator": second if second != first else None,
        "iterations": next(iter(rounds.values()), 1),
        "switch_iterations": rounds["sw_allocator"] if len(set(rounds.values())) > 1 else None,
    }


def _arbiter(settings: Configuration, key: str, inside: str) -> str:
    """The arbiter of a separable allocator."""
    arbiter = inside or ("round_robin" if settings.faithful else settings.text("arb_type"))
    if arbiter == "tree" and not inside:
        settings.warn("arb_type", "BookSim ignores it: arbiters take turns, also here, and trees are not built")
        arbiter = "round_robin"
    if arbiter not in ("round_robin", "matrix"):
        raise settings.error(key if inside else "arb_type", f"arbiter {arbiter} is not built; round_robin or matrix")
    if arbiter == "matrix" and not inside and key == "vc_allocator":
        settings.warn("arb_type", "BookSim ignores it and takes turns; --faithful does so too")
    return arbiter


def _iterations(settings: Configuration, key: str, inside: str) -> int:
    if inside:
        if not inside.isdigit() or not 1 <= int(inside) <= 1000:
            raise settings.error(key, f"iterations are a whole number from 1 to 1000, not {inside}")
        return int(inside)
    if settings.faithful:
        return 1
    rounds = settings.whole("alloc_iters", 1, 1000)
    if rounds > 1 and key == "vc_allocator":
        settings.warn("alloc_iters", "BookSim ignores it and iterates once; --faithful does so too")
    return rounds
