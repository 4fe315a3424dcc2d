# mypy: ignore-errors
"""Switch allocation of a router with any options: input ports request output ports, each pair with one VC."""

import numpy as np

from unknot._base.kernels.mask_kernel import lowest
from unknot._base.kernels.types_kernel import inlined
from unknot._base.kernels.words_kernel import call_at
from unknot.simulation.engine.codes import PENDING, WAVEFRONT
from unknot.simulation.engine.match_kernel import (
    CYCLIC,
    SPECULATIVE,
    ends_of_match,
    honoured,
    match,
    offer,
    remember,
    standing,
)
from unknot.simulation.engine.state_kernel import bit_of, has_room, note, part_of
from unknot.simulation.engine.view_kernel import as_array, view


@inlined
def takes_none(s, b, w, now):
    """Return whether the input port of input row b or the output port of output row w takes no requests now."""
    return s.setup.blocks != 0 and call_at(s.setup.is_busy, (s.raw, b, w, now)) != 0


@inlined
def switch_ends(s, w0, w1):
    """Return the ends of the match under way of the switch."""
    pointers = as_array(s.in_ports.pointer), as_array(s.out_ports.pointer)
    return ends_of_match(s, *pointers, w0, w1, s.setup.switch_allocator, np.int64(1))


@inlined
def claim_ports(s, into, out):
    """Note a request of an input port for an output port; both are numbered by their first bits."""
    # Two bits of a counter for each port: requested by one, by more than one.
    claims, first, second = s.claims, into >> 6, out >> 6
    bit = np.int64(1) << (into & 63)
    claims.shared_inputs[first] |= claims.inputs[first] & bit
    claims.inputs[first] |= bit
    bit = np.int64(1) << (out & 63)
    claims.shared_outputs[second] |= claims.outputs[second] & bit
    claims.outputs[second] |= bit


@inlined
def is_rival(s, into, out):
    """Return whether another request has the same input port or the same output port."""
    claims, first, second = s.claims, into >> 6, out >> 6
    return ((claims.shared_inputs[first] >> (into & 63)) | (claims.shared_outputs[second] >> (out & 63))) & 1 == 1


@inlined
def put_forward(s, ends, n, b, into, out, now, speculative):
    """Put input row b, of input port `into`, forward for output port `out`; return the number of requests.

    Of the VCs that request the same port the first in turn is put forward: it is the `vc` of the request, and `rank`
    says how far from its turn it is.
    """
    requests = s.requests
    age = standing(s, now, b)
    pointer = s.in_ports.vc_pointer[s.inputs.port[b]]
    rank = speculative | age | ((b - ends.first_input - pointer) & CYCLIC)
    # The last request of this list for the output port, if there is any, and from each the one before.
    last = np.int64(s.latest[out])
    if last >= n or requests.output[last] != out:
        last = np.int64(-1)
    k = last
    while k >= 0 and requests.input[k] != into:
        k = requests.before[k]
    if k < 0:
        k, requests.before[n], s.latest[out] = n, last, n
    elif requests.rank[k] <= rank:
        return n
    requests.input[k], requests.output[k] = into, out
    requests.age[k] = honoured(s.setup.switch_allocator, age | speculative)
    requests.vc[k], requests.rank[k] = b, rank
    if s.setup.switch_allocator < WAVEFRONT:
        offer(s, ends, k)
    return max(n, k + 1)


@inlined
def claim_switch(s, count, w0, w1, now):
    """Note the ports requested by buffers with a flit and a credit, shared ports apart, and the requests of
    speculating headers.
    """
    claims = s.claims
    for k in range(w1 - w0):
        claims.inputs[k], claims.shared_inputs[k], claims.outputs[k], claims.shared_outputs[k] = 0, 0, 0, 0
    for word in range(w0, w1):
        ready = s.masks.requesting[word]
        while ready != 0:
            b = s.words.first_input[word] + lowest(ready)
            ready &= ready - 1
            if not takes_none(s, b, s.inputs.out[b], now):
                claim_ports(s, s.inputs.port_bit[b], s.inputs.out_port_bit[b])
    if s.setup.speculative == 1:
        call_at(s.setup.request_ahead, (s.raw, count, w0, w1, -1, now))


@inlined
def wasted(s, i, b, out, w0):
    """Return whether a match was for a header that speculated and has no VC of that port, with a credit."""
    if s.requests.rank[i] < SPECULATIVE:
        return False
    word, bit = bit_of(s, b, w0)
    w = s.inputs.out[b]
    return s.masks.winners[word] & bit == 0 or part_of(s, b, w) != out or not has_room(s, w)


@inlined
def grant(s, ends, b, into, out, number):
    """Move pointers past the match of input port `into` and output port `out` for input row b, in this round."""
    port, other = ends.first_output + out, ends.first_input + into
    if number == 1:
        s.out_ports.pointer[port], s.in_ports.pointer[other] = into + 1, out + 1
        remember(s, ends, into, out)
    s.in_ports.vc_pointer[other] = b - ends.first_input + 1


@inlined
def allocate_switch(s, count, w0, w1, now):
    """Allocate the switch of a router, of which `count` headers requested VCs; write the rows that send to `winners`.

    Returns their number. Buffers alone at both of their ports win; others are matched. Pointers move past a match,
    those of allocators in the first round only.
    """
    sent = call_at(s.setup.go_on, (s.raw, w0, w1, now)) if s.setup.hold_switch == 1 else np.int64(0)
    first_input, first_output = s.words.first_input[w0], s.words.first_output[w0]
    allocator = s.setup.switch_allocator
    s.count.matches += 1
    ends = switch_ends(s, w0, w1)
    if allocator < WAVEFRONT:
        claim_switch(s, count, w0, w1, now)
    n = np.int64(0)
    for word in range(w0, w1):
        ready = s.masks.requesting[word]
        while ready != 0:
            b = s.words.first_input[word] + lowest(ready)
            ready &= ready - 1
            into, out = s.inputs.port_bit[b], s.inputs.out_port_bit[b]
            if takes_none(s, b, s.inputs.out[b], now):
                continue
            if allocator >= WAVEFRONT or is_rival(s, into, out):
                n = put_forward(s, ends, n, b, into, out, now, np.int64(0))
            else:
                grant(s, ends, b, into, out, np.int64(1))
                s.winners[sent] = b
                sent += 1
    if s.setup.speculative == 1:
        n = call_at(s.setup.request_ahead, (s.raw, count, w0, w1, n, now))
    if n > 0 and allocator >= WAVEFRONT:
        call_at(s.setup.match_switch, (s.raw, n, w0, w1, 1, now))
    elif n > 0:
        match(s, ends, n)
    for i in range(n):
        if s.requests.won[i] > 0:
            b, into, out = s.requests.vc[i], s.requests.input[i], s.requests.output[i]
            grant(s, ends, b, into, out, s.requests.won[i])
            if not wasted(s, i, b, first_output + out, w0):
                s.winners[sent] = b
                sent += 1
    if s.setup.hold_switch == 1:
        for b in range(first_input, s.words.first_input[w1]):
            s.in_queues.busy[s.inputs.port[b]] = 0
        for w in range(first_output, s.words.first_output[w1]):
            s.out_queues.busy[w] = 0
    return sent


@inlined
def hold_back(s, w0, w1, now):
    """Have headers that speculated in vain request the switch when their VC allocation is over."""
    for word in range(w0, w1):
        unlucky = s.masks.winners[word]
        s.masks.winners[word] = 0
        while unlucky != 0:
            bit = lowest(unlucky)
            unlucky &= unlucky - 1
            s.inputs.state[s.words.first_input[word] + bit] = PENDING
            note(s, s.stages.ready, now + s.setup.vc_allocation_delay, 64 * word + bit)


@inlined
def request_ahead(raw, count, w0, w1, n, now):
    """Let headers request the switch for each output port with a credit on a VC in their requests.

    Their requests are put forward, after n others, or if n is −1 their ports are claimed. Returns the requests.
    """
    s = view(raw)
    ends = switch_ends(s, w0, w1)
    many, first_output = w1 - w0, s.words.first_output[w0]
    for k in range(count):
        b, port = s.headers[k], np.int64(-1)
        for j in range(many):
            left = s.vc_masks.requested[k * many + j]
            while left != 0:
                w = first_output + (j << 6) + lowest(left)
                left &= left - 1
                if s.outputs.port[w] != port and has_room(s, w) and not takes_none(s, b, w, now):
                    port = s.outputs.port[w]
                    into, out = s.inputs.port_bit[b], part_of(s, b, w) - first_output
                    if n >= 0:
                        n = put_forward(s, ends, n, b, into, out, now, np.int64(SPECULATIVE))
                    else:
                        # Twice, so that both ports count as shared: a match may be wasted on the header, so whoever
                        # wants one of its ports is never let through without a match.
                        claim_ports(s, into, out)
                        claim_ports(s, into, out)
    return n
