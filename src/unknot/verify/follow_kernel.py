# mypy: ignore-errors
"""Reachable states of many addresses at a time, and the edges of dependencies."""

from typing import NamedTuple

from unknot._base.kernels.lazy_kernel import I64, READ32, READ64, kernel
from unknot.routing.contract import EJECT, NO_WAIT, VC_MASK
from unknot.verify.states_kernel import Scratch, Traversal, ask

WIDTH = 63
"""Addresses that `follow` follows at a time: the bits of a word that is never negative."""
SPAN = 32
"""VCs that share a slot of `Notes` without `waits`, a bit each."""


class Notes(NamedTuple):
    """Notes of `follow` on each VC: a slot for each VC out of the next router, or for `SPAN` of them.

    Attributes
    ----------
    rank : int32 array, shape (VCs,)
        Number of each VC among those that leave its router.
    first : int64 array, shape (VCs + 1,)
        First slot of each VC.
    goes, waits : int64 arrays, shape (slots,)
        Addresses that go on over the VC of the slot, and that wait for it. Without `waits` a slot has a bit for each
        of its VCs over which some address goes on.
    entered, outside : int64 arrays, shape (VCs,), or empty
        Addresses that enter the VC straight from a terminal, and that wait for ejection there.
    reached : int64 array, shape (VCs,)
        Addresses that reach the VC, of those followed last.
    totals : int64 array, shape (4,)
        Number of states; of addresses; the input VC of a broken state; states on cycles of dependencies.
    """

    rank: READ32
    first: READ64
    goes: I64
    waits: I64
    entered: I64
    outside: I64
    reached: I64
    totals: I64


@kernel(inline=True)
def _enter(at: int, count: int, some: int, head: int, size: int, scratch: Scratch, notes: Notes) -> int:
    """Note the held answer of `count` candidates for some addresses, and queue the VCs reached by it.

    The queue is a ring of the input VCs with pending states, from `head` on. Returns its size.
    """
    rank, first, goes, waits, entered, outside, reached, _ = notes
    _, queue, pending, candidates, _ = scratch
    vcs = len(rank)
    for k in range(count):
        vc = candidates[k] & VC_MASK
        if vc == EJECT:
            if len(waits) and at < vcs and not candidates[k] & NO_WAIT:
                outside[at] |= some
            continue
        # Only VCs depend on others: ports are not held by anybody.
        if at < vcs:
            if len(waits) == 0:
                goes[first[at] + (rank[vc] >> 5)] |= 1 << (rank[vc] & 31)
            else:
                goes[first[at] + rank[vc]] |= some
                if not candidates[k] & NO_WAIT:
                    waits[first[at] + rank[vc]] |= some
        elif len(waits):
            entered[vc] |= some
        # An address that has reached the VC before has asked, or will ask, what is answered there.
        fresh = some & ~reached[vc]
        if fresh:
            reached[vc] |= fresh
            if pending[vc] == 0:
                end = head + size
                queue[end if end < len(queue) else end - len(queue)] = vc
                size += 1
            pending[vc] |= fresh
    return size


@kernel
def follow(traversal: Traversal, addresses: READ64, low: int, width: int, notes: Notes) -> int:
    """Visit every state of `width` addresses, from the one at `low` on, and note what the answers are.

    Each address has a bit in ``reached[v]`` for every VC: what is read of a VC serves all of them, and those that get
    the same answer go on together. Adds the number of states to totals[0] and that of addresses to totals[1]. Returns
    −1, or the address of a broken state with its input VC in totals[2].
    """
    layout, scratch, reached, totals = traversal.layout, traversal.scratch, notes.reached, notes.totals
    may_use, destination, eject = layout.may_use, layout.destination, layout.eject
    # What `explore` has in these arrays is of the same sizes: an entry for each input VC, and candidates.
    _, queue, pending, held, out = scratch
    vcs = len(layout.tail)
    head, size = 0, 0
    for at in range(len(layout.router)):
        pending[at] = 0
        if at < vcs:
            reached[at] = 0
            continue
        for b in range(width):
            if len(may_use) == 0 or may_use[(at - vcs) * len(destination) + addresses[low + b]]:
                pending[at] |= 1 << b
        if pending[at]:
            queue[size] = at
            size += 1
    while size:
        at, size = queue[head], size - 1
        head = head + 1 if head + 1 < len(queue) else 0
        bits, b = pending[at], 0
        pending[at] = 0
        count, alike = 0, 0
        while bits:
            # Where few addresses come this way, most of their bits are passed eight at a time.
            while bits & 255 == 0:
                bits >>= 8
                b += 8
            if bits & 1:
                address = addresses[low + b]
                home = eject[destination[address]]
                offered = ask(traversal, at, address, home)
                if offered < 0:
                    totals[2] = at
                    return address
                # Neighbouring addresses mostly get the same answer: it is held until another comes, and noted once
                # for all that got it.
                same = offered == count
                for k in range(offered if same else 0):
                    same = same and out[k] == held[k]
                if not same:
                    size = _enter(at, count, alike, head, size, scratch, notes)
                    for k in range(offered):
                        held[k] = out[k]
                    count, alike = offered, 0
                alike |= 1 << b
                totals[0] += 1
            bits >>= 1
            b += 1
        size = _enter(at, count, alike, head, size, scratch, notes)
    totals[1] += width
    return -1


@kernel
def depend(traversal: Traversal, addresses: READ64, start: int, stop: int, notes: Notes) -> int:
    """Note the dependencies of the addresses from the one at `start` to that at `stop`, by `follow`."""
    for low in range(start, stop, WIDTH):
        broken = follow(traversal, addresses, low, min(WIDTH, stop - low), notes)
        if broken >= 0:
            return broken
    return -1
