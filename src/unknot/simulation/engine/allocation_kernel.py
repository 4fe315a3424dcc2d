# mypy: ignore-errors
"""VC allocation with any number of VCs: headers request output VCs, outputs and inputs choose."""

import numpy as np

from unknot._base.kernels.mask_kernel import lowest
from unknot._base.kernels.types_kernel import inlined
from unknot._base.kernels.words_kernel import call_at
from unknot.routing.contract import IN_ROUTER
from unknot.simulation.engine.choice_kernel import win
from unknot.simulation.engine.codes import DEAD_END, UNDECIDED, WAVEFRONT
from unknot.simulation.engine.match_kernel import CYCLIC, ends_of_match, honoured, match, offer, remember, standing
from unknot.simulation.engine.selection_kernel import first_in_turn, request
from unknot.simulation.engine.state_kernel import bit_of, packet_of
from unknot.simulation.engine.view_kernel import as_array


@inlined
def front(s, b):
    """Return the packet in front of input row b, or −1 when its header may not go on before its tail has come."""
    p = packet_of(s, b)
    if s.setup.complete == 1 and s.inputs.stored[b] < s.packets.length[p]:
        return np.int64(-1)
    return p


@inlined
def request_vcs(rule, s, w0, w1, now):
    """Collect the requests of all headers; return how many have any, or minus the status when the rule failed.

    `headers` are their input rows. Each has a mask in `vc_masks`, of one word for every word of the router.
    """
    many, count = w1 - w0, np.int64(0)
    for word in range(w0, w1):
        heads = s.masks.heads[word]
        while heads != 0:
            b = s.words.first_input[word] + lowest(heads)
            heads &= heads - 1
            p = front(s, b)
            if p < 0:
                continue
            if s.setup.compares == IN_ROUTER and s.inputs.at[b] >= s.setup.num_vcs:
                if s.courses.script[p] == UNDECIDED:
                    call_at(s.setup.choose, (rule, s.raw, np.int64(-1), s.inputs.at[b] - s.setup.num_vcs, p))
            status = request(rule, s, b, p, w0, w1, now, count * many)
            if status < 0:
                s.count.failed_at = b
                if s.lost.size == 0 or (status != -DEAD_END and s.packets.created[p] >= s.setup.replaced):
                    return status
                s.lost[s.count.lost] = b
                s.count.lost += 1
                cell, bit = bit_of(s, b, w0)
                s.masks.heads[cell] &= ~bit
            if status > 0:
                s.headers[count] = b
                count += 1
    return count


@inlined
def offer_outputs(s, ends, count, many, w0):
    """Write the outputs still requested by headers to `grants`; for separable input-first, one output
    for each header.
    """
    for k in range(count):
        b = s.headers[k]
        word, bit = bit_of(s, b, w0)
        waits = s.masks.heads[word] & bit != 0
        for j in range(many):
            free = s.masks.open[w0 + j]
            s.vc_masks.granted[k * many + j] = s.vc_masks.requested[k * many + j] & free if waits else np.int64(0)
        if ends.inputs_first:
            out = first_in_turn(s.vc_masks.granted, k * many, (k + 1) * many, s.inputs.accept_pointer[b])
            for j in range(many):
                s.vc_masks.granted[k * many + j] = 0
            s.vc_masks.granted[k * many + (out >> 6)] = np.int64(1) << (out & 63)


@inlined
def settle(s, ends, count, many):
    """Let each output in `grants` of several headers grant a single header, and delete it from the other headers."""
    # Afterwards no output is in two masks: whatever the headers then accept, in any order, is a matching. That is
    # a round of iSLIP: each output grants the request next in its turn, then each input accepts a grant in its own.
    granted, chosen = s.vc_masks.granted, s.requests  # of which no list is made
    for j in range(many):
        once, twice = np.int64(0), np.int64(0)  # requested by one, by more than one
        for k in range(count):
            mask = granted[k * many + j]
            twice |= once & mask
            once |= mask
        seen = np.int64(0)
        for k in range(count if twice != 0 else 0):
            left = granted[k * many + j] & twice
            while left != 0:
                bit, out, loser = left & -left, lowest(left), np.int64(k)
                left ^= bit
                pointer = s.outputs.grant_pointer[ends.first_output + (j << 6) + out]
                turn = (s.headers[k] - ends.first_input - pointer) & CYCLIC
                if seen & bit == 0 or turn < chosen.rank[out]:
                    loser = chosen.vc[out] if seen & bit != 0 else np.int64(-1)
                    chosen.vc[out], chosen.rank[out] = k, turn
                if loser >= 0:
                    granted[loser * many + j] ^= bit
                seen |= bit


@inlined
def match_masks(s, ends, count, many, w0, now):
    """Match headers to outputs by turns alone, as masks; what `match` does with a list of requests."""
    inputs, outputs = s.inputs, s.outputs
    for number in range(ends.rounds):
        won = False
        offer_outputs(s, ends, count, many, w0)
        if count > 1:
            settle(s, ends, count, many)
        for k in range(count):
            granted = np.int64(0)
            for j in range(many):
                granted |= s.vc_masks.granted[k * many + j]
            if granted == 0:
                continue
            b = s.headers[k]
            out = first_in_turn(s.vc_masks.granted, k * many, (k + 1) * many, inputs.accept_pointer[b])
            w = ends.first_output + out
            if number == 0:
                outputs.grant_pointer[w], inputs.accept_pointer[b] = b - ends.first_input + 1, out + 1
            win(s, b, w, w0, now)
            won = True
        if not won:
            return


@inlined
def list_requests(s, ends, k, many, n, now):
    """List the requests of header k for a match, after n others; return their number."""
    requests, b = s.requests, s.headers[k]
    age, known = standing(s, now, b), honoured(s.setup.allocator, np.int64(1))
    for j in range(many):
        left = s.vc_masks.requested[k * many + j]
        while left != 0:
            i = n
            requests.input[i], requests.output[i] = b - ends.first_input, (j << 6) + lowest(left)
            requests.age[i] = age * known
            # Below the age are 31 bits, 30 of them for the turn (`CYCLIC`). The rank has two, 30 and 31, so the age
            # moves up by one. An output VC that is not empty is worse than any tier, hence 2 and 1.
            if s.setup.empty_first | s.setup.all_tiers:
                w, rank = ends.first_output + requests.output[i], np.int64(0)
                if s.setup.empty_first == 1 and s.outputs.credits[w] < s.setup.depth:
                    rank = np.int64(2)
                if s.setup.all_tiers == 1:
                    rank |= (s.lesser[k * many + j] >> (requests.output[i] & 63)) & 1
                requests.age[i] = known * ((age << 1) | (rank << 30))
            if s.setup.allocator < WAVEFRONT:
                offer(s, ends, i)
            left &= left - 1
            n += 1
    return n


@inlined
def allocate_vcs(rule, s, w0, w1, now):
    """Allocate the VCs of a router; return how many headers requested, or minus the status when the rule failed.

    Pointers move past a match of the first round.
    """
    inputs, outputs, many, n = s.inputs, s.outputs, w1 - w0, np.int64(0)
    first_input, first_output = s.words.first_input[w0], s.words.first_output[w0]
    count = request_vcs(rule, s, w0, w1, now)
    if count <= 0:
        return count
    allocator = s.setup.allocator
    s.count.matches += 1
    ends = ends_of_match(
        s, as_array(inputs.accept_pointer), as_array(outputs.grant_pointer), w0, w1, allocator, np.int64(0)
    )
    in_ranks = s.setup.priority | s.setup.empty_first | s.setup.all_tiers != 0 and honoured(allocator, 1) != 0
    if allocator < WAVEFRONT and (s.setup.arbiter == 0 or ends.recent < 0) and not in_ranks:
        match_masks(s, ends, count, many, w0, now)
        return count
    for k in range(count):
        n = list_requests(s, ends, k, many, n, now)
    if n > 0 and allocator >= WAVEFRONT:
        call_at(s.setup.match_vcs, (s.raw, n, w0, w1, 0, now))
    elif n > 0:
        match(s, ends, n)
    for i in range(n):
        if s.requests.won[i] > 0:
            into, out = s.requests.input[i], s.requests.output[i]
            b, w = first_input + into, first_output + out
            if s.requests.won[i] == 1:
                outputs.grant_pointer[w], inputs.accept_pointer[b] = into + 1, out + 1
                remember(s, ends, into, out)
            win(s, b, w, w0, now)
    return count
