# mypy: ignore-errors
"""Delivery of one address after the other: dead ends, loops, lengths of routes."""

from typing import NamedTuple

import numpy as np

from unknot._base.kernels.lazy_kernel import I64, READ32, READ64, kernel
from unknot.network.graph_kernel import bfs
from unknot.routing.contract import EJECT, VC_MASK
from unknot.verify.states_kernel import Traversal, explore, mark_back, mark_delivering, predecessors

PAIRS, UNDELIVERED, DEAD_ENDS, LOOPS, ENDLESS, LONGER, LONGEST, LONGEST_SOURCE, LONGEST_ADDRESS, BROKEN = range(10)
"""Entries of the totals. ENDLESS: addresses with a cycle; LONGER: 1 if a step is not on a shortest path."""


class RouteNotes(NamedTuple):
    """What is noted of the routes that are followed.

    Attributes
    ----------
    totals : int64 array
        Sums and the longest route, by the names above.
    dead, loops : int64 arrays
        Pairs of input VC and address, as many as there is room for: the first dead ends, and the first states on or
        before cycles that cannot reach ejection.
    endless : int64 array
        The first addresses with cycles, each with its first state.
    """

    totals: I64
    dead: I64
    loops: I64
    endless: I64


@kernel
def _longest(before: READ64, back: READ64, left: I64, length: I64) -> int:
    """Take states whose successors are all done, of which ``left[i]`` are not; return how many do not go on for ever.

    ``length[i]`` becomes the most steps from state i, where that has an end.
    """
    # Kahn's order, from the ends back: what is never ready is on a cycle or leads to one.
    ready = np.empty(left.size, np.int64)
    size = 0
    for i in range(left.size):
        length[i] = 0
        if left[i] == 0:
            ready[size] = i
            size += 1
    done = 0
    while done < size:
        i = ready[done]
        done += 1
        for k in range(before[i], before[i + 1]):
            p = back[k]
            length[p] = max(length[p], length[i] + 1)
            left[p] -= 1
            if left[p] == 0:
                ready[size] = p
                size += 1
    return done


@kernel
def _note(places: I64, number: int, at: int, address: int) -> None:
    """Write down a place as the pair of this number, if there is room."""
    if 2 * number + 1 < len(places):
        places[2 * number] = at
        places[2 * number + 1] = address


@kernel
def follow_routes(
    traversal: Traversal, network: tuple[READ64, READ32, READ32], start: int, stop: int, notes: RouteNotes
) -> int:
    """Follow the routes of the addresses from `start` to `stop`.

    `network` holds the sources of channels by their targets in compressed rows, and the target router of each VC.
    Adds to the notes. Returns −1, or the address of a broken state with its input VC in totals[BROKEN].
    """
    in_first, in_neighbour, target_router = network
    totals, dead, loops, endless = notes
    layout = traversal.layout
    _, order, first, candidates, _ = traversal.scratch
    router, vcs, eject, destination = layout.router, len(layout.tail), layout.eject, layout.destination
    slot = np.empty(len(router), np.int64)
    distance = np.empty(len(in_first) - 1, np.int32)
    queue = np.empty(len(in_first) - 1, np.int32)
    for address in range(start, stop):
        count = explore(traversal, address, address + 1)
        if count < 0:
            totals[BROKEN] = order[-1 - count]
            return address
        bfs(in_first, in_neighbour, eject[destination[address]], distance, queue)
        before, back = predecessors(count, order, first, candidates, slot)
        left, length = np.zeros(count, np.int64), np.empty(count, np.int64)
        delivers, lost = np.empty(count, np.bool_), np.zeros(count, np.bool_)
        for i in range(count):
            for k in range(first[i], first[i + 1]):
                vc = candidates[k] & VC_MASK
                if vc != EJECT:
                    left[i] += 1
                    there = distance[target_router[vc]]  # −1: there is no way back
                    if there < 0 or there != distance[router[order[i]]] - 1:
                        totals[LONGER] = 1
        # What `left` counts afterwards is above 0 for states that go on for ever, and only for them.
        if _longest(before, back, left, length) < count:
            _note(endless, totals[ENDLESS], order[0], address)
            totals[ENDLESS] += 1
        mark_delivering(first, candidates, before, back, delivers)
        # A pair is undelivered when a state without a way to ejection can be reached from its source.
        for i in range(count):
            at = order[i]
            dead_end = first[i] == first[i + 1]
            if dead_end and at - vcs == destination[address]:
                continue  # a terminal that sends nothing to itself loses nothing
            if dead_end:
                _note(dead, totals[DEAD_ENDS], at, address)
                totals[DEAD_ENDS] += 1
            if not delivers[i]:
                if left[i] > 0:
                    _note(loops, totals[LOOPS], at, address)
                    totals[LOOPS] += 1
                lost[i] = True
        mark_back(before, back, lost)
        for i in range(count):
            terminal = order[i] - vcs
            if terminal < 0:
                continue
            # A terminal without candidates for itself sends nothing there; for others that is a dead end.
            used = first[i] < first[i + 1]
            if used and (totals[LONGEST_SOURCE] < 0 or length[i] > totals[LONGEST]):
                totals[LONGEST] = length[i]
                totals[LONGEST_SOURCE] = terminal
                totals[LONGEST_ADDRESS] = address
            if terminal != destination[address] or (lost[i] and used):
                totals[PAIRS] += 1
                totals[UNDELIVERED] += lost[i]
    return -1
