# mypy: ignore-errors
"""The lonely output allocator."""

from unknot._base.kernels.types_kernel import called, inlined
from unknot.simulation.engine.matrix_kernel import grant_matched, join, number_requests
from unknot.simulation.engine.view_kernel import view


@inlined
def match(raw, n, w0, w1, of_switch, now):
    """Match the first n requests of the router of words w0 to w1."""
    s = view(raw)
    inputs, outputs = number_requests(s, n, w0, of_switch)
    loa(s, n, inputs, outputs, w0, of_switch != 0)
    grant_matched(s, n)


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
