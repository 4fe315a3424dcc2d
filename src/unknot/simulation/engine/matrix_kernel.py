# mypy: ignore-errors
"""What allocators have in common that look at all requests at once: numbers of both ends, and the match."""

from unknot._base.kernels.types_kernel import called, inlined
from unknot.simulation.engine.match_kernel import LOST

MATCHED = 2


@called
def number_requests(s, n, w0, of_switch):
    """Write the numbers of inputs and outputs of the first n requests to `cells`; return how many there are of both.

    Nothing is matched yet.
    """
    requests, first = s.requests, 64 * w0
    inputs, outputs = s.ordinals.inputs[first], s.ordinals.outputs[first]
    if of_switch != 0:
        inputs, outputs = s.ordinals.entries[first], s.ordinals.exits[first]
    for i in range(n):
        into, out = first + requests.input[i], first + requests.output[i]
        s.cells.into[i] = s.ordinals.into[into] if of_switch != 0 else s.ordinals.vc[into]
        s.cells.out[i] = s.ordinals.out[out] if of_switch != 0 else s.ordinals.out_vc[out]
        requests.won[i] = LOST
    for end in range(max(inputs, outputs)):
        s.pairing.mate[end], s.pairing.other[end] = -1, -1
    return inputs, outputs


@called
def grant_matched(s, n):
    """Let those of the first n requests win whose ends are matched."""
    for i in range(n):
        if s.pairing.mate[s.cells.into[i]] == s.cells.out[i]:
            s.requests.won[i] = MATCHED


@inlined
def turn_of(s, w0, of_switch):
    """Return the number from which a match of a router goes on, which takes turns."""
    row = s.words.first_output[w0]
    return s.out_ports.pointer[row] if of_switch != 0 else s.outputs.grant_pointer[row]


@inlined
def set_turn(s, w0, of_switch, turn):
    """Note where the next match of a router begins."""
    row = s.words.first_output[w0]
    if of_switch != 0:
        s.out_ports.pointer[row] = turn
    else:
        s.outputs.grant_pointer[row] = turn


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
