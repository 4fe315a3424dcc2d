# mypy: ignore-errors
"""Allocators that look at all requests at once: wavefront, PIM, lonely output and maximum size."""

import numpy as np

from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.splitmix import STEP
from unknot.simulation.engine.codes import LOA, MAX_SIZE, PIM, RR_WAVEFRONT
from unknot.simulation.engine.match_kernel import LOST
from unknot.simulation.engine.state_kernel import random_bits
from unknot.simulation.engine.view_kernel import view

MATCHED = 2
OF_SWITCH = 1 << 20
"""Tags of random numbers of switch allocation begin here."""


@inlined
def match_matrix(raw, n, w0, w1, of_switch, now):
    """Match the first n requests of the router of words w0 to w1."""
    s, of_switch = view(raw), of_switch != 0
    requests, first = s.requests, 64 * w0
    inputs, outputs = s.ordinals.inputs[first], s.ordinals.outputs[first]
    kind = s.setup.switch_allocator if of_switch else s.setup.allocator
    if of_switch:
        inputs, outputs = s.ordinals.entries[first], s.ordinals.exits[first]
    for i in range(n):
        into, out = 64 * w0 + requests.input[i], requests.output[i]
        into = s.ordinals.into[into] if of_switch else s.ordinals.vc[into]
        out = s.ordinals.out[64 * w0 + out] if of_switch else s.ordinals.out_vc[64 * w0 + out]
        s.cells.into[i], s.cells.out[i] = into, out
        requests.won[i] = LOST
    for end in range(max(inputs, outputs)):
        s.pairing.mate[end], s.pairing.other[end] = -1, -1
    if kind == PIM:
        pim(s, n, inputs, outputs, w0, of_switch, now)
    elif kind == LOA:
        loa(s, n, inputs, outputs, w0, of_switch)
    else:
        row = s.words.first_output[w0]
        turn = s.out_ports.pointer[row] if of_switch else s.outputs.grant_pointer[row]
        if kind == MAX_SIZE:
            maximum(s, n, inputs, turn)
            turn = (turn + 1) % inputs
        else:
            diagonal, square = wavefront(s, n, max(inputs, outputs), turn), max(inputs, outputs)
            turn = ((diagonal if kind == RR_WAVEFRONT else turn) + 1) % square
        if of_switch:
            s.out_ports.pointer[row] = turn
        else:
            s.outputs.grant_pointer[row] = turn
    for i in range(n):
        if s.pairing.mate[s.cells.into[i]] == s.cells.out[i]:
            requests.won[i] = MATCHED


@called
def in_order_of_keys(cells, n):
    """Sort the first n cells by key, the smallest first (Shell 1959); those with equal keys in any order."""
    gap = n // 2
    while gap > 0:
        for k in range(gap, n):
            at, key, request = k, cells.key[k], cells.request[k]
            while at >= gap and cells.key[at - gap] > key:
                cells.key[at], cells.request[at] = cells.key[at - gap], cells.request[at - gap]
                at -= gap
            cells.key[at], cells.request[at] = key, request
        gap //= 2


@inlined
def join(s, into, out):
    """Match an input and an output."""
    s.pairing.mate[into], s.pairing.other[out] = out, into


@called
def wavefront(s, n, square, turn):
    """Match along the diagonals of the matrix of requests, from `turn` on, the best priority first.

    Returns the diagonal of the first match.
    """
    cells, first = s.cells, np.int64(-1)
    for i in range(n):
        # Cells of a diagonal share neither input nor output, so their order among themselves does not matter; a
        # sweep of the diagonals is therefore the same as taking requests in the order of these keys.
        cells.key[i] = s.requests.age[i] | ((cells.into[i] + cells.out[i] - turn) % square)
        cells.request[i] = i
    in_order_of_keys(cells, n)
    for k in range(n):
        i = cells.request[k]
        into, out = cells.into[i], cells.out[i]
        if s.pairing.mate[into] < 0 and s.pairing.other[out] < 0:
            join(s, into, out)
            if first < 0:
                first = np.int64(into + out)
    return first


@called
def chance(s, now, row, tag):
    """Return a random number of an end in a round of a cycle."""
    return random_bits(np.uint64(s.setup.salt ^ ((now << 32) + row)) + STEP * np.uint64(tag))


@called
def pim(s, n, inputs, outputs, w0, of_switch, now):
    """Parallel iterative matching (Anderson, Owicki, Saxe & Thacker 1993): cyclic choices from random starts."""
    cells, pairing = s.cells, s.pairing
    first_input, first_output = s.words.first_input[w0], s.words.first_output[w0]
    for number in range(s.setup.switch_iterations if of_switch else s.setup.iterations):
        # Two draws in a round, of outputs and of inputs, and none with the tag 0, by which headers select at random.
        tag = 2 * number + 2 + (OF_SWITCH if of_switch else 0)
        for end in range(max(inputs, outputs)):
            pairing.origin[end], pairing.grant[end] = -1, -1
        for i in range(n):
            into, out = cells.into[i], cells.out[i]
            if pairing.mate[into] >= 0 or pairing.other[out] >= 0:
                continue
            start = chance(s, now, first_output + out, tag) % inputs
            best = pairing.origin[out]
            if best < 0 or (into - start) % inputs < (best - start) % inputs:
                pairing.origin[out] = into
        for o in range(outputs):
            into = pairing.origin[o]
            if into < 0:
                continue
            start = chance(s, now, first_input + into, tag + 1) % outputs
            best = pairing.grant[into]
            if best < 0 or (o - start) % outputs < (best - start) % outputs:
                pairing.grant[into] = o
        for into in range(inputs):
            if pairing.grant[into] >= 0:
                join(s, into, pairing.grant[into])


@called
def loa(s, n, inputs, outputs, w0, of_switch):
    """Match by the lonely output allocator: inputs request the output that the fewest request, outputs grant one.

    The pointers of both ends that are matched move by one.
    """
    cells, pairing = s.cells, s.pairing
    first_input, first_output = s.words.first_input[w0], s.words.first_output[w0]
    for at in range(max(inputs, outputs)):
        pairing.origin[at], pairing.grant[at], pairing.count[at], pairing.start[at] = -1, -1, 0, 0
    for k in range(n):
        pairing.count[cells.out[k]] += 1
    for i in range(n):
        into, out = cells.into[i], cells.out[i]
        row = first_input + s.requests.input[i]
        start = s.in_ports.pointer[row] if of_switch else s.inputs.accept_pointer[row]
        best = pairing.grant[into]
        if best >= 0:
            here, there = pairing.count[out], pairing.count[best]
            if here > there or (here == there and (out - start) % outputs > (best - start) % outputs):
                continue
        pairing.grant[into] = out
    for i in range(n):
        into, out = cells.into[i], cells.out[i]
        if pairing.grant[into] != out:
            continue
        row = first_output + s.requests.output[i]
        start = s.out_ports.pointer[row] if of_switch else s.outputs.grant_pointer[row]
        best = pairing.origin[out]
        if best < 0 or (into - start) % inputs < (best - start) % inputs:
            pairing.origin[out] = into
    for i in range(n):
        into, out = cells.into[i], cells.out[i]
        if pairing.grant[into] != out or pairing.origin[out] != into:
            continue
        join(s, into, out)
        u, w = first_input + s.requests.input[i], first_output + s.requests.output[i]
        if of_switch:
            s.in_ports.pointer[u] = (s.in_ports.pointer[u] + 1) % outputs
            s.out_ports.pointer[w] = (s.out_ports.pointer[w] + 1) % inputs
        else:
            s.inputs.accept_pointer[u] = (s.inputs.accept_pointer[u] + 1) % outputs
            s.outputs.grant_pointer[w] = (s.outputs.grant_pointer[w] + 1) % inputs


@called
def maximum(s, n, inputs, turn):
    """Match the most pairs, by shortest augmenting paths; free inputs are tried from `turn` on."""
    cells, pairing = s.cells, s.pairing
    for i in range(n):
        cells.key[i], cells.request[i] = (cells.into[i] << 31) | cells.out[i], i
    in_order_of_keys(cells, n)
    for into in range(inputs + 1):
        pairing.start[into] = n
    # Backwards, so that the first request of an input is what stays.
    for k in range(n - 1, -1, -1):
        pairing.start[cells.key[k] >> 31] = k
    while augment(s, n, inputs, turn):
        pass


@called
def augment(s, n, inputs, turn):
    """Make the matching larger by one along a shortest path, if there is one."""
    cells, pairing, waiting = s.cells, s.pairing, np.int64(0)
    for k in range(n):
        pairing.origin[cells.out[k]] = -1
    for k in range(inputs):
        into = (k + turn) % inputs
        if pairing.mate[into] < 0 and pairing.start[into] < n:
            pairing.queue[waiting] = into
            waiting += 1
    done = np.int64(0)
    while done < waiting:
        into = pairing.queue[done]
        done += 1
        k = pairing.start[into]
        while k < n and cells.key[k] >> 31 == into:
            out = cells.key[k] & 0x7FFFFFFF
            k += 1
            if pairing.origin[out] >= 0 or pairing.mate[into] == out:
                continue
            pairing.origin[out] = into
            if pairing.other[out] >= 0:
                pairing.queue[waiting] = pairing.other[out]
                waiting += 1
                continue
            # A free output: along the path each input lets go the output it had, which goes to the one before.
            while out >= 0:
                back = pairing.origin[out]
                before = pairing.mate[back]
                join(s, back, out)
                out = before
            return True
    return False
