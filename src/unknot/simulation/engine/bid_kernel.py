# mypy: ignore-errors
"""Switch allocation of the fast path: input VCs bid for output ports, in turns, and by speculation."""

from typing import Any, NamedTuple

import numpy as np

from unknot._base.kernels.mask_kernel import bit_at, lowest, none
from unknot._base.kernels.types_kernel import called, inlined
from unknot.simulation.engine.codes import INPUTS_FIRST, ISLIP, WAVEFRONT
from unknot.simulation.engine.match_kernel import (
    CYCLIC,
    SPECULATIVE,
    age_key,
    first_arbiter,
    longest_ago,
    remember,
)
from unknot.simulation.engine.view_kernel import beyond


class Here(NamedTuple):
    """Rows of a router, numbered from 0 as in `out` and `owner`."""

    first_input: Any
    first_output: Any
    cells: Any
    inputs: Any
    outputs: Any
    out_ports: Any
    in_ports: Any
    ring: Any


class Arbiters(NamedTuple):
    """Matrix arbiters of a router, as `MatchEnds` has them; `recent` is −1 without."""

    recent: Any
    inputs: Any
    outputs: Any
    number: Any


@inlined
def arbiters_of(s, here, w, allocator, of_switch):
    """Return the matrix arbiters of VCs or, if `of_switch` is 1, of the switch."""
    inputs = s.words.first_input[w + s.setup.width] - here.first_input
    first = first_arbiter(s, w, inputs, here.cells, allocator, of_switch)
    return Arbiters(first, inputs, here.cells, np.int64(s.count.matches))


@called
def switch_rank(s, here, w, into, out, asks_input):
    """Return the rank of an output port in the matrix arbiter of an input port of the switch, or vice versa."""
    arbiters = arbiters_of(s, here, w, s.setup.switch_allocator, np.int64(1))
    return longest_ago(s, arbiters, into, out, np.int64(asks_input))


@inlined
def rows_of(s, w):
    """Return the rows of the router of word w."""
    first_input, first_output = s.words.first_input[w], s.words.first_output[w]
    return Here(
        first_input,
        first_output,
        s.words.first_output[w + s.setup.width] - first_output,
        beyond(s.inputs, first_input),
        beyond(s.outputs, first_output),
        beyond(s.out_ports, first_output),
        beyond(s.in_ports, first_input),
        beyond(s.ring, first_input * s.setup.ring),
    )


@inlined
def front_of(s, here, at):
    """Return the packet in front of an input."""
    return here.ring[at * s.setup.ring + here.inputs.front[at]]


@inlined
def is_by_turns(allocator, rounds):
    """Return whether an allocator is part of the fast path; others are kernels of their own (`rows_kernel`)."""
    return allocator < WAVEFRONT and (rounds == 1 or allocator == INPUTS_FIRST)


@inlined
def bid(s, here, w, at, out, speculative, now, bids):
    """Let an input VC bid for an output port, at the end that chooses first; return the ends that have bids.

    The end keeps the best bid: of a pair of ports that of the VC next in its turn, of the pairs that of the port next
    in the turn of the end. One pass suffices, since a VC that is better in its pair never makes the pair worse.
    """
    contest, into = s.contest, here.inputs.port_bit[at]
    end, other, pointer, part = out, into, here.out_ports.pointer[out], np.int64(0)
    if s.setup.priority != 0:
        speculative |= age_key(s, now, front_of(s, here, at))
    if s.setup.switch_allocator == INPUTS_FIRST:
        end, other, pointer = into, out, here.in_ports.pointer[into]
    if s.setup.switch_allocator != ISLIP:
        # The others honour priorities, so headers that speculate, and younger packets, come last among the pairs too.
        part = speculative
    # The distance from the pointer, going round: what is before the pointer is negative, and large as masked.
    turn, bit = (other - pointer) & CYCLIC, bit_at(bids, end)
    if s.setup.switch_arbiter != 0 and s.setup.switch_allocator != ISLIP:
        turn = switch_rank(s, here, w, into, out, s.setup.switch_allocator == INPUTS_FIRST)
    key = part | turn
    rank = speculative | ((at - here.in_ports.vc_pointer[into]) & CYCLIC)
    if bids & bit != 0:
        if contest.other[end] == other:
            if rank >= contest.rank[end]:
                return bids
        elif key > contest.key[end]:
            return bids
    contest.bidder[end], contest.other[end], contest.key[end], contest.rank[end] = at, other, key, rank
    return bids | bit


@inlined
def accept(s, here, w, bids):
    """Let the ends that choose second accept a bid each; return the input VCs that win."""
    contest, taken, won = s.contest, none(bids), none(bids)
    inputs_first = s.setup.switch_allocator == INPUTS_FIRST
    while bids != 0:
        end = lowest(bids)
        bids &= bids - 1
        other = contest.other[end]
        pointer = here.out_ports.pointer[other] if inputs_first else here.in_ports.pointer[other]
        key, bit = (end - pointer) & CYCLIC, bit_at(bids, other)
        if s.setup.switch_arbiter != 0 and s.setup.switch_allocator != ISLIP:
            into, out = (end, other) if inputs_first else (other, end)
            key = switch_rank(s, here, w, into, out, not inputs_first)
        if s.setup.switch_allocator != ISLIP:
            key |= contest.rank[end] & ~CYCLIC
        if taken & bit != 0:
            if key > contest.offer_key[other]:
                continue
            # The port had accepted a worse bid, whose bidder is in `won`.
            won ^= bit_at(bids, contest.bidder[contest.offer[other]])
        taken |= bit
        won |= bit_at(bids, contest.bidder[end])
        contest.offer[other], contest.offer_key[other] = end, key
    return won


@inlined
def pass_by(s, here, w, at, into, out):
    """Move the pointers of ports past a match."""
    if s.setup.switch_arbiter != 0:
        remember(s, arbiters_of(s, here, w, s.setup.switch_allocator, np.int64(1)), into, out)
    here.out_ports.pointer[out] = into + 1
    here.in_ports.pointer[into], here.in_ports.vc_pointer[into] = out + 1, at + 1


@inlined
def winners_of(s, here, w, requesting, now):
    """Allocate the switch; return the mask of the inputs that win."""
    left, bids = requesting, none(requesting)
    if requesting & (requesting - 1) == 0:
        return requesting  # one bit at most
    while left != 0:
        at = lowest(left)
        left &= left - 1
        bids = bid(s, here, w, at, here.inputs.out_port_bit[at], np.int64(0), now, bids)
    return accept(s, here, w, bids)


@inlined
def speculate(s, w, now):
    """Allocate the switch to VCs with an output VC and to headers with requests for output VCs in this cycle.

    Those input VCs are ``asked.won`` that win and have somewhere to send to.
    """
    asked, width = s.whole.asked, s.setup.width
    speculating, left = asked.ahead[0], asked.ends[0]
    here, bids = rows_of(s, w), none(left)
    while left != 0:
        at = lowest(left)
        left &= left - 1
        bids = bid(s, here, w, at, here.inputs.out_port_bit[at], np.int64(0), now, bids)
    left = speculating
    while left != 0:
        at = lowest(left)
        left &= left - 1
        ports, port, part = s.whole.wants.speculated[at * width], np.int64(-1), np.int64(0)
        if s.setup.queues == 1:
            part += here.inputs.out_part[at]  # with an output speedup
        while ports != 0:
            cell = lowest(ports)
            ports &= ports - 1
            if here.outputs.port[cell] != port:
                port = here.outputs.port[cell]
                bids = bid(s, here, w, at, port + part - here.first_output, np.int64(SPECULATIVE), now, bids)
    won = accept(s, here, w, bids)
    left, ready = won & speculating, s.whole.masks.owning[w] & ~s.whole.masks.no_credit[w]
    while left != 0:
        at, bit = lowest(left), left & -left
        left ^= bit
        into = here.inputs.port_bit[at]
        out = s.contest.other[into] if s.setup.switch_allocator == INPUTS_FIRST else s.contest.offer[into]
        if ready & bit == 0 or here.inputs.out_port_bit[at] != out:
            # The match is wasted, but was one.
            pass_by(s, here, w, at, into, out)
            won ^= bit
    asked.won[0] = won
