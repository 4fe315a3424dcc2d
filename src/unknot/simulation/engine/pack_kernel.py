# mypy: ignore-errors
"""Pack and unpack routers: rows as masks and planes for the fast path, and back.

Between calls of the kernel the state is in rows, within a call in masks and planes. Planes are counters of all
buffers of a router at once: bit k of the count of each cell is in plane k, which has as many words as the router.
Counting one up or down at each bit of a mask is done as one adds numbers on paper, whatever their number. There are
two sets, and planes take turns: the flits in input buffers, and the slots of output buffers that are taken. A router
with little to do has small counts in both, so that carries are short.

Planes hold counts below 2 to their number, and the depth of a buffer may be just that: it is held as 0, and `filled`
and `room` of `masks` say which of the two a 0 means. What is held of an output is that power less its free slots, so
that taking the last one carries out of the last plane. Where VCs share slots, those of outputs stay in rows.
"""

import numpy as np

from unknot._base.kernels.mask_kernel import how_many, none, ones
from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.splitmix import STEP
from unknot.routing.contract import IN_ROUTER
from unknot.simulation.engine.codes import BLOCKED, ENDLESS, FRESH, IDLE, MOVING, STALLED
from unknot.simulation.engine.state_kernel import has_room, packet_of
from unknot.simulation.engine.view_kernel import view

FLITS, TAKEN = range(2)
"""What is counted: flits that are in the inputs, and slots that are taken, as known at the outputs."""


@inlined
def first_plane(s, w):
    """Return the first of the planes of word w, with the lowest bits of its counters."""
    return 2 * w * s.setup.planes


@inlined
def count_arrivals(s, w, flits, returned):
    """Count one more flit at each input of `flits`, and one taken slot fewer at each output of `returned`."""
    k, planes, width = first_plane(s, w), s.whole.planes, s.setup.width
    # On paper: a 1 becomes 0 and carries, a 0 becomes 1 and ends it; counting down it is the other way round.
    for _ in range(s.setup.planes):
        plane, other = planes[k], planes[k + width]
        planes[k], planes[k + width] = plane ^ flits, other ^ returned
        flits &= plane
        returned &= ~other
        k += 2 * width


@inlined
def count_departures(s, w, sent, taken):
    """Count one flit fewer at each input of `sent`, and one more taken slot at each output of `taken`.

    Returns the inputs whose count is not 0, and the outputs of which the last slot was taken now.
    """
    k, planes, width, left = first_plane(s, w), s.whole.planes, s.setup.width, none(sent)
    for _ in range(s.setup.planes):
        plane, other = planes[k], planes[k + width]
        planes[k], planes[k + width] = plane ^ sent, other ^ taken
        left |= plane ^ sent
        sent &= ~plane
        taken &= other
        k += 2 * width
    return left, taken


@inlined
def with_slots(s, w, number):
    """Return a mask of the outputs that have a number of free slots, at least one."""
    most, room, width = (np.int64(1) << s.setup.planes) - number, s.whole.masks.room[w], s.setup.width
    k, less, same = first_plane(s, w) + 2 * width * s.setup.planes, none(room), ~none(room)
    # From the highest digit down: `same` are the counts like `most` so far, `less` those below it already.
    for i in range(s.setup.planes - 1, -1, -1):
        k -= 2 * width
        plane = s.whole.planes[k + width]
        if (most >> i) & 1:
            less |= same & ~plane
            same &= plane
        else:
            same &= ~plane
    return (less | same) & room


@inlined
def is_in(mask, w, cell):
    """Return whether a cell of the router that begins with word w is in one of `masks`."""
    return (mask[w + (cell >> 6)] >> (cell & 63)) & 1 != 0


@inlined
def include(mask, w, cell):
    """Set the bit of a cell of that router in one of `masks`."""
    mask[w + (cell >> 6)] |= np.int64(1) << (cell & 63)


@inlined
def plane_of(s, w, which, cell):
    """Return the place of the word that has the lowest bit of a count of a cell."""
    return first_plane(s, w) + which * s.setup.width + (cell >> 6)


@inlined
def digits(s, w, which, cell):
    """Return the digits that planes have of the count of a cell."""
    count, k = np.int64(0), plane_of(s, w, which, cell)
    for i in range(s.setup.planes):
        count |= ((s.planes[k + 2 * i * s.setup.width] >> (cell & 63)) & 1) << i
    return count


@called
def flits_in(s, w, cell):
    """Return the flits in an input buffer."""
    count = digits(s, w, FLITS, cell)
    return np.int64(1) << s.setup.planes if count == 0 and is_in(s.masks.filled, w, cell) else count


@inlined
def free_slots(s, w, cell):
    """Return the free slots of an output buffer."""
    if not is_in(s.masks.room, w, cell):
        return np.int64(0)
    return (np.int64(1) << s.setup.planes) - digits(s, w, TAKEN, cell)


@inlined
def slots_taken(s, w, first, end):
    """Return how many slots are taken of the output buffers of cells that follow each other."""
    # As on paper, digit by digit: so many counts have the digit, which is worth so much.
    total, width, word = np.int64(0), s.setup.width, first >> 6
    while word << 6 < end:
        low, high = max(first, word << 6), min(end, (word + 1) << 6)
        room = s.masks.room[w + word] & (ones(np.int64(0), high - low) << (low & 63))
        total += (high - low) * s.setup.depth - (how_many(room) << s.setup.planes)
        for i in range(s.setup.planes):
            total += how_many(s.planes[first_plane(s, w) + (2 * i + TAKEN) * width + word] & room) << i
        word += 1
    return total


@inlined
def bits_in(mask, w, first, end):
    """Return how many bits of cells that follow each other are set in one of `masks`."""
    total, word = np.int64(0), first >> 6
    while word << 6 < end:
        low, high = max(first, word << 6), min(end, (word + 1) << 6)
        total += how_many(mask[w + word] & (ones(np.int64(0), high - low) << (low & 63)))
        word += 1
    return total


@inlined
def is_simple(s, r):
    """Return whether router r takes the fast path."""
    return s.setup.packable == 1 and s.first_word[r + 1] == s.first_word[r] + s.setup.width


@inlined
def choose_at_once(setup):
    """Return whether packets choose between two ways as they are injected."""
    return setup.choose != 0 and (setup.compares < IN_ROUTER or setup.routing_delay == 0)


@inlined
def first_rows(s, w):
    """Return the first rows of `inputs` and `outputs` of word w."""
    return s.words.first_input[w], s.words.first_output[w]


@inlined
def put(s, w, which, cell, count):
    """Set the digits of a cell whose count is 0."""
    k = plane_of(s, w, which, cell)
    for i in range(s.setup.planes):
        s.planes[k + 2 * i * s.setup.width] |= np.int64((count >> i) & 1) << (cell & 63)


@inlined
def pack_router(s, w):
    """Fill masks and planes of a router on the fast path from its rows."""
    masks, (first_input, first_output) = s.masks, first_rows(s, w)
    end = w + s.setup.width
    s.quiet[w] = 0
    for k in range(first_plane(s, w), first_plane(s, end)):
        s.planes[k] = 0
    for word in range(w, end):
        masks.owning[word] = masks.no_credit[word] = masks.filled[word] = masks.room[word] = masks.requesting[
            word
        ] = 0
    for cell in range(s.words.first_output[end] - first_output):
        out = first_output + cell
        if not is_in(s.borders.injection, w, cell):
            # Of ENDLESS slots none is ever counted as taken, so it suffices that they are as many as a buffer has.
            if s.setup.shared == 0:
                slots = min(s.outputs.credits[out], s.setup.depth)
                put(s, w, TAKEN, cell, (np.int64(1) << s.setup.planes) - slots)
            if has_room(s, out):
                include(masks.room, w, cell)
            s.outputs.owner[out] -= first_input if s.outputs.owner[out] >= 0 else 0
    for cell in range(s.words.first_input[end] - first_input):
        b = first_input + cell
        put(s, w, FLITS, cell, s.inputs.stored[b])
        if s.inputs.stored[b] > 0:
            include(masks.filled, w, cell)
        if s.inputs.state[b] >= STALLED:
            include(masks.owning, w, cell)
            if not has_room(s, s.inputs.out[b]):
                include(masks.no_credit, w, cell)
            s.inputs.out[b] -= first_output
            s.inputs.packet[b] = packet_of(s, b)


@inlined
def count_flits(s, w):
    """Fill in the flits in the input VCs of a router on the fast path."""
    first_input, _ = first_rows(s, w)
    for cell in range(s.words.first_input[w + s.setup.width] - first_input):
        s.inputs.stored[first_input + cell] = flits_in(s, w, cell) if is_in(s.masks.filled, w, cell) else 0


@inlined
def unpack_router(s, w):
    """Fill the rows of a router on the fast path from its masks and planes."""
    masks, (first_input, first_output) = s.masks, first_rows(s, w)
    end = w + s.setup.width
    for word in range(w, end):
        masks.requesting[word] = masks.owning[word] & masks.filled[word]
        if s.setup.shared == 0:
            masks.requesting[word] &= ~masks.no_credit[word]
    for cell in range(s.words.first_output[end] - first_output):
        out = first_output + cell
        s.outputs.owner[out] += first_input if s.outputs.owner[out] >= 0 else 0
        if s.setup.shared == 0 and s.outputs.credits[out] != ENDLESS and not is_in(s.borders.injection, w, cell):
            s.outputs.credits[out] = free_slots(s, w, cell)
    for cell in range(s.words.first_input[end] - first_input):
        b = first_input + cell
        if is_in(masks.owning, w, cell):
            s.inputs.state[b] = MOVING if is_in(masks.requesting, w, cell) else STALLED
            s.inputs.out[b] += first_output
        else:
            if s.setup.narrow == 0:
                s.inputs.out[b] = -1
            if not is_in(masks.filled, w, cell):
                s.inputs.state[b] = IDLE
            elif s.inputs.state[b] != BLOCKED:
                s.inputs.state[b] = FRESH
    for word in range(w, end):
        masks.owning[word] = masks.no_credit[word] = masks.filled[word] = masks.room[word] = 0


@inlined
def pack(s):
    """Pack the routers of a part that take the fast path."""
    for r in range(s.setup.first_router, s.setup.last_router):
        if is_simple(s, r):
            pack_router(s, s.first_word[r])
    s.count.packed = 1


@inlined
def unpack(raw, whole):
    """Bring the rows of a part up to date: with `whole` all, else the flits in buffers alone.

    Packets that terminals drew ahead are then forgotten, to be drawn again.
    """
    s = view(raw)
    for r in range(s.setup.first_router, s.setup.last_router):
        if is_simple(s, r):
            count_flits(s, s.first_word[r])
    if whole == 0:
        return 0
    for r in range(s.setup.first_router, s.setup.last_router):
        if is_simple(s, r):
            unpack_router(s, s.first_word[r])
        for i in range(s.first_terminal[r], s.first_terminal[r + 1]):
            t = s.local_terminals[i]
            ahead = s.terminals.drawn[t] - s.count.now + (s.terminals.packet[t] == -2)
            # SplitMix64 only adds STEP to its state, so as many draws as were made too early are taken back at once.
            if ahead > 0:
                s.random[t] -= STEP * np.uint64(ahead)
                s.terminals.drawn[t], s.terminals.packet[t] = s.count.now, -1
    s.count.packed = 0
    return 0
