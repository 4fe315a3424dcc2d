# mypy: ignore-errors
"""Reachable states, address by address."""

from typing import NamedTuple

import numpy as np

from unknot._base.kernels.lazy_kernel import FLAGS, I32, I64, READ32, READ64, READ_BOOL, call_rule, kernel
from unknot.routing.contract import EJECT, NO_WAIT, VC_MASK


class RuleAnswers(NamedTuple):
    """The answers of a rule as a table; all empty where the rule itself is called.

    Attributes
    ----------
    first : int64 array, shape (addresses + 1,)
        Rows of each address.
    input_vc : int64 array
        Input VC of each row, ascending within an address.
    start, candidates : int64 arrays
        The candidates of each row, in compressed rows.
    """

    first: READ64
    input_vc: READ64
    start: READ64
    candidates: READ64


class Layout(NamedTuple):
    """A relation as `explore` reads it.

    Attributes
    ----------
    router : int32 array, shape (input VCs + terminals,)
        Where each input VC and injection port leads.
    tail : int32 array, shape (VCs,)
        Router that each VC leaves.
    eject : int32 array, shape (terminals,)
    destination : int32 array, shape (addresses,)
    may_use : bool array, shape (terminals · addresses,)
        Addresses that each terminal may use; empty: all.
    answers : Answers
    commits : int
        Whether headers keep their first choice.
    """

    router: READ32
    tail: READ32
    eject: READ32
    destination: READ32
    may_use: READ_BOOL
    answers: RuleAnswers
    commits: int


class Scratch(NamedTuple):
    """Where `explore` works: stamps of VCs; states in order, their first candidates, candidates; answer of a rule."""

    seen: I32
    order: I64
    first: I64
    candidates: I64
    out: I64


class Traversal(NamedTuple):
    """A relation, and room to visit its states.

    Attributes
    ----------
    rule : int
        Address of the compiled rule; 0 where the layout has its answers.
    layout : Layout
    scratch : Scratch
    """

    rule: int
    layout: Layout
    scratch: Scratch


@kernel
def looked_up(at: int, address: int, answers: RuleAnswers, out: I64) -> int:
    """The answer of a table for a state, in the form of a rule; −1 if the candidates exceed the maximum."""
    first, input_vc, start, candidates = answers
    # Rows ascend within an address; most have few, so that a search by halves beats an index of all states.
    low, high = first[address], first[address + 1]
    while low < high:
        middle = (low + high) >> 1
        if input_vc[middle] < at:
            low = middle + 1
        else:
            high = middle
    if low == first[address + 1] or input_vc[low] != at:
        return 0
    count = start[low + 1] - start[low]
    if count > len(out):
        return -1
    for k in range(count):
        out[k] = candidates[start[low] + k]
    return count


@kernel(inline=True)
def ask(traversal: Traversal, at: int, address: int, home: int) -> int:
    """Write the candidates of a state to `scratch.out`; returns how many, or −1 if it breaks the contract."""
    rule, layout, scratch = traversal
    router, tail, commits, out = layout.router, layout.tail, layout.commits, scratch.out
    if len(layout.answers.first):
        offered = looked_up(at, address, layout.answers, out)
    else:
        offered = call_rule(rule, at, address, np.int64(out.ctypes.data))
    if offered < 0 or offered > len(out):
        return -1
    # A header that may wait for none of its candidates would never be told to go on, so it breaks the contract.
    waits = offered == 0
    for k in range(offered):
        candidate = out[k] & ~NO_WAIT if commits else out[k]
        vc = candidate & VC_MASK
        waits = waits or (candidate & NO_WAIT) == 0
        if vc == EJECT:
            if router[at] != home or candidate & NO_WAIT:
                return -1
        elif vc >= len(tail) or tail[vc] != router[at]:
            return -1
        out[k] = candidate
    return offered if waits else -1


@kernel
def explore(traversal: Traversal, address: int, stamp: int) -> int:
    """Visit every state of an address, breadth first.

    The candidates of state order[i] are candidates[first[i]:first[i + 1]], without NO_WAIT where headers commit: they
    wait for whatever they chose.

    Returns
    -------
    int
        Number of states, or −1 − i when state i breaks the contract.
    """
    layout = traversal.layout
    may_use, destination = layout.may_use, layout.destination
    seen, order, first, candidates, out = traversal.scratch
    vcs = len(layout.tail)
    home = layout.eject[destination[address]]
    count = 0
    for terminal in range(len(layout.router) - vcs):
        if len(may_use) == 0 or may_use[terminal * len(destination) + address]:
            order[count] = vcs + terminal
            count += 1
    first[0] = 0
    # `order` is queue and answer in one: states behind i wait for their turn. What was seen bears the stamp of this
    # visit, so that nothing is cleared between addresses.
    i = 0
    while i < count:
        at = order[i]
        offered = ask(traversal, at, address, home)
        filled = first[i]
        if offered < 0 or filled + offered > len(candidates):
            return -1 - i
        for k in range(offered):
            vc = out[k] & VC_MASK
            if vc != EJECT and seen[vc] != stamp:
                seen[vc] = stamp
                order[count] = vc
                count += 1
            candidates[filled] = out[k]
            filled += 1
        i += 1
        first[i] = filled
    return count


@kernel
def predecessors(count: int, order: READ64, first: READ64, candidates: READ64, slot: I64) -> tuple[I64, I64]:
    """Return compressed rows of the states from which each of `count` states is entered, by their numbers.

    ``slot[input VC]`` becomes the number of its state.
    """
    for i in range(count):
        slot[order[i]] = i
    before = np.zeros(count + 1, np.int64)
    # Rows are counted, then begun one behind the other, then filled: a sort in linear time.
    for k in range(first[count]):
        vc = candidates[k] & VC_MASK
        if vc != EJECT:
            before[slot[vc] + 1] += 1
    for i in range(count):
        before[i + 1] += before[i]
    cursor = before.copy()
    back = np.empty(before[count], np.int64)
    for i in range(count):
        for k in range(first[i], first[i + 1]):
            vc = candidates[k] & VC_MASK
            if vc != EJECT:
                back[cursor[slot[vc]]] = i
                cursor[slot[vc]] += 1
    return before, back


@kernel
def mark_back(before: READ64, back: READ64, marked: FLAGS) -> None:
    """Mark every state from which a marked one can be reached, given the predecessors of all."""
    stack = np.empty(marked.size, np.int64)
    size = 0
    for i in range(marked.size):
        if marked[i]:
            stack[size] = i
            size += 1
    while size:
        size -= 1
        i = stack[size]
        for k in range(before[i], before[i + 1]):
            p = back[k]
            if not marked[p]:
                marked[p] = True
                stack[size] = p
                size += 1


@kernel
def mark_delivering(first: READ64, candidates: READ64, before: READ64, back: READ64, delivers: FLAGS) -> None:
    """Mark every state from which ejection can be reached."""
    for i in range(delivers.size):
        delivers[i] = False
        for k in range(first[i], first[i + 1]):
            if candidates[k] & VC_MASK == EJECT:
                delivers[i] = True
    mark_back(before, back, delivers)
