"""The kernels of the simulator that Python calls, and those that kernels call by their address.

What few runs need is compiled for those alone.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from unknot._base.kernels.native import Native
from unknot.routing.contract import IN_ROUTER
from unknot.simulation.engine.codes import BETTER_OF_TWO, FIRST_ONE, LEAST_WEIGHT, WAVEFRONT
from unknot.simulation.engine.setup import FAST_VIEWS, GENERAL_VIEWS
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
served = Native(f"{HERE}.state_kernel.served", "number", "int64", "int64", "int64")
find_stuck = Native(f"{HERE}.stuck_kernel.find_stuck", "number", "int64", "bool")
fill_cache = Native(f"{HERE}.cache_kernel.fill_cache", "number", "int64")
unpack = Native(f"{HERE}.pack_kernel.unpack", "int64", "number")


def _of_numbers(place: str, count: int, answers: bool = False) -> Native:
    return Native(f"{HERE}.{place}", *["number"] * count, answers=answers)


open_inbox = _by_view("inbox_kernel.open_inbox", GENERAL_VIEWS, VIEW, "number", "number")
work = _by_view("router_kernel.work", GENERAL_VIEWS, "number", VIEW, "number", "number")
match_matrix = _of_numbers("matrix_kernel.match_matrix", 6)
fetch = _of_numbers("fetch_kernel.fetch", 3)
compare, decide = _of_numbers("compare_kernel.compare", 5), _of_numbers("compare_kernel.decide", 5)
speculate = _of_numbers("bid_kernel.speculate", 4)
sweep_vcs, sweep_switch = _of_numbers("sweep_kernel.sweep_vcs", 3), _of_numbers("sweep_kernel.sweep_switch", 3)
inject_classes = _of_numbers("class_kernel.inject_classes", 3)
arrive_in_class = _of_numbers("class_kernel.arrive_in_class", 4, True)
see = _of_numbers("state_kernel.see", 3)
has_shared_slot = _of_numbers("state_kernel.has_shared_slot", 2, True)
of_same_port = _of_numbers("state_kernel.of_same_port", 4, True)
narrow, select = _of_numbers("choice_kernel.narrow", 7, True), _of_numbers("choice_kernel.select", 6)
donated = _of_numbers("match_kernel.donated", 3, True)
is_busy, go_on = _of_numbers("closed_kernel.is_busy", 4, True), _of_numbers("closed_kernel.go_on", 4, True)
request_in_hope = _of_numbers("closed_kernel.request_in_hope", 6, True)
queue_up, return_credit = (
    _of_numbers("queue_kernel.queue_up", 5, True),
    _of_numbers("queue_kernel.return_credit", 3, True),
)
may_enter, enter = _of_numbers("bubble_kernel.may_enter", 4, True), _of_numbers("bubble_kernel.enter", 4, True)
leave = _of_numbers("bubble_kernel.leave", 3, True)


def link(part: State) -> Native:
    """Return the loop for a part, and give it the addresses of the kernels that it calls, compiled if need be."""
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
    for entry, kernel, is_needed in (
        ("open_inbox", open_inbox[view], general),
        ("work", work[view], general),
        ("match_matrix", match_matrix, general and max(setup.allocator, setup.switch_allocator) >= WAVEFRONT),
        ("fetch", fetch, setup.large == 1),
        ("choose", decide if setup.compares == IN_ROUTER else compare, setup.compares > 0),
        ("speculate", speculate, packable and setup.speculative == 1),
        ("sweep_vcs", sweep_vcs, packable and setup.allocator >= WAVEFRONT),
        ("sweep_switch", sweep_switch, packable and setup.switch_allocator >= WAVEFRONT),
        ("inject_classes", inject_classes, classes),
        ("arrive_in_class", arrive_in_class, classes),
        ("see", see, len(part.seen) > 0),
        ("has_shared_slot", has_shared_slot, setup.shared > 0),
        ("of_same_port", of_same_port, setup.selection == BETTER_OF_TWO),
        ("narrow", narrow, general and (setup.commits == 1 or setup.selection >= LEAST_WEIGHT)),
        ("select", select, general and FIRST_ONE < setup.selection < BETTER_OF_TWO),
        ("donated", donated, setup.donate_priority == 1 and setup.priority > 0),
        ("is_busy", is_busy, general and setup.blocks == 1),
        ("go_on", go_on, setup.hold_switch == 1),
        ("request_in_hope", request_in_hope, general and setup.speculative == 1),
        ("queue_up", queue_up, setup.queues == 1 or setup.in_batches == 1),
        ("return_credit", return_credit, setup.queues == 1),
        ("may_enter", may_enter, setup.bubble > 0),
        ("enter", enter, setup.bubble > 0),
        ("leave", leave, setup.bubble > 0),
    ):
        setattr(setup, entry, kernel.address if is_needed else 0)
