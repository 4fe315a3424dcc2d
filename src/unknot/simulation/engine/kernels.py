"""The kernels of the simulator that Python calls, and those that kernels call by their address.

What few runs need is compiled for those alone.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from unknot._base.kernels.native import Native
from unknot.routing.contract import IN_ROUTER
from unknot.simulation.engine.allocators.registry import REGISTERED
from unknot.simulation.engine.codes import BETTER_OF_TWO, FIRST_ONE, INPUTS_FIRST, LEAST_WEIGHT, WAVEFRONT
from unknot.simulation.engine.setup import FAST_VIEWS, GENERAL_VIEWS, ROW_VIEWS
from unknot.simulation.engine.state_arrays import State

HERE = "unknot.simulation.engine"

VIEW = f"{HERE}.view_kernel.view"


def _by_view(place: str, views: Iterable[str], *kinds: str) -> dict[str, Native]:
    """Kernels for runs that fit a view, which each takes in place of `VIEW`."""
    return {
        view: Native(f"{HERE}.{place}", *(f"{HERE}.view_kernel.{view}" if kind == VIEW else kind for kind in kinds))
        for view in views
    }


advance = _by_view("cycles_kernel.advance", FAST_VIEWS, "number", VIEW, "number")
advance_general = Native(f"{HERE}.cycles_kernel.advance_general", "number", VIEW, "number")
served = Native(f"{HERE}.candidate_kernel.served", "number", "int64", "int64", "int64")
find_stuck = Native(f"{HERE}.stuck_kernel.find_stuck", "number", "int64", "bool")
fill_cache = Native(f"{HERE}.cache_kernel.fill_cache", "number", "int64")
unpack = Native(f"{HERE}.pack_kernel.unpack", "int64", "number")
open_inbox = _by_view("inbox_kernel.open_inbox", GENERAL_VIEWS, VIEW, "number", "number")
work = _by_view("router_kernel.work", GENERAL_VIEWS, "number", VIEW, "number", "number")


@cache
def _called(place: str, numbers: int, answers: bool = False) -> Native:
    """Return a kernel of whole numbers, which others call by its address."""
    return Native(f"{HERE}.{place}", *["number"] * numbers, answers=answers)


@cache
def _viewed(place: str, view: str, *others: str) -> Native:
    """Return a kernel of a router's word, other numbers and a cycle, for routers that fit a view."""
    return Native(f"{HERE}.{place}", f"{HERE}.view_kernel.{view}", "number", *others, "number", answers=False)


def _matcher(allocator: int) -> Native:
    """Return the kernel of an allocator that matches all requests at once; any such kernel for other allocators."""
    return _called(f"allocators.{REGISTERED[allocator].kernel or 'wavefront_kernel'}.match", 6)


def _of_rows(allocator: int, kernel: str, setup: Any) -> Native:
    """Return the kernel by which an allocator matches rows of bits on the fast path."""
    registered = REGISTERED[allocator]
    sweeps = "aged_kernel" if setup.priority else "sweep_kernel"
    module = sweeps if registered.sweeps else f"allocators.{registered.kernel or 'islip_kernel'}"
    return _viewed(f"{module}.{kernel}", _fitting(setup, ROW_VIEWS))


def link(part: State) -> Native:
    """Return the loop for a part, linked with the addresses of its kernels, which are compiled if missing."""
    setup = part.setup
    if part.linked is None:
        _link(part)
        part.linked = advance[_fitting(setup, FAST_VIEWS)] if setup.packable else advance_general
    return part.linked


def _fitting(setup: Any, views: dict[str, dict[str, int]]) -> str:
    """Return the first view whose constants the setup has."""
    return next(
        view for view, entries in views.items() if all(setup[name] == entry for name, entry in entries.items())
    )


def _link(part: State) -> None:
    setup = part.setup
    view, packable, classes = _fitting(setup, GENERAL_VIEWS), setup.packable == 1, setup.classes > 0
    general = not packable or bool((np.diff(part.first_word) > setup.width).any())
    narrows = setup.commits == 1 or setup.selection >= LEAST_WEIGHT
    of_rows = [
        allocator >= WAVEFRONT or (rounds > 1 and allocator != INPUTS_FIRST)
        for allocator, rounds in (
            (setup.allocator, setup.iterations),
            (setup.switch_allocator, setup.switch_iterations),
        )
    ]
    speculate = _of_rows(setup.switch_allocator, "sweep_switch", setup)
    if not of_rows[1]:
        speculate = _viewed("bid_kernel.speculate", _fitting(setup, ROW_VIEWS))
    keeps = _viewed("port_kernel.keep_port", _fitting(setup, ROW_VIEWS), *2 * ["number"])
    in_ports = setup.selection == BETTER_OF_TWO
    choose = "decide" if setup.compares == IN_ROUTER else "compare"
    for entry, kernel, is_needed in (
        ("open_inbox", open_inbox[view], general),
        ("work", work[view], general),
        ("match_vcs", _matcher(setup.allocator), general and setup.allocator >= WAVEFRONT),
        ("match_switch", _matcher(setup.switch_allocator), general and setup.switch_allocator >= WAVEFRONT),
        ("fetch", _called("fetch_kernel.fetch", 3), setup.large == 1),
        ("choose", _called(f"compare_kernel.{choose}", 5), setup.compares > 0),
        ("speculate", speculate, packable and setup.speculative == 1),
        ("sweep_vcs", _of_rows(setup.allocator, "sweep_vcs", setup), packable and of_rows[0]),
        ("sweep_switch", _of_rows(setup.switch_allocator, "sweep_switch", setup), packable and of_rows[1]),
        ("inject_classes", _called("class_kernel.inject_classes", 4), classes),
        ("arrive_in_class", _called("class_kernel.arrive_in_class", 4, True), classes),
        ("see", _called("state_kernel.see", 3), len(part.seen) > 0),
        ("of_same_port", _called("candidate_kernel.of_same_port", 4, True), in_ports),
        ("narrow", _called("choice_kernel.narrow", 8, True), narrows),
        ("keep_port", keeps, packable and in_ports),
        ("recall_port", _called("port_kernel.recall_port", 7, True), general and in_ports),
        ("select", _called("choice_kernel.select", 6), general and FIRST_ONE < setup.selection < BETTER_OF_TWO),
        ("donated", _called("match_kernel.donated", 3, True), setup.donate_priority == 1 and setup.priority > 0),
        ("is_busy", _called("queue_kernel.is_busy", 4, True), general and setup.blocks == 1),
        ("go_on", _called("queue_kernel.go_on", 4, True), setup.hold_switch == 1),
        ("request_ahead", _called("switch_kernel.request_ahead", 6, True), general and setup.speculative == 1),
        ("queue_up", _called("queue_kernel.queue_up", 5, True), setup.queues == 1 or setup.in_batches == 1),
        ("return_credit", _called("queue_kernel.return_credit", 3, True), setup.queues == 1),
        ("may_enter", _called("pool_kernel.may_enter", 4, True), setup.slotted > 0),
        ("enter", _called("pool_kernel.enter", 4, True), setup.slotted > 0),
        ("leave", _called("pool_kernel.leave", 3, True), setup.slotted > 0),
    ):
        setattr(setup, entry, kernel.address if is_needed else 0)
