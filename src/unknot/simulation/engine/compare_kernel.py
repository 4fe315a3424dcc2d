# mypy: ignore-errors
"""Choice of a packet between two addresses, by the queues that its first router knows (UGAL).

Of a router on the fast path w is the first word, and counts are in planes; else w is −1. Terminals of those routers
inject when flits of the same cycle have been sent, which are then in `spent`; others before.

Variants as published: Singh 2005 (UGAL-L); Kim, Dally, Scott & Abts 2008 (UGAL-L_VC, UGAL-L_VCH).
"""

import numpy as np

from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.kernels.words_kernel import call_rule
from unknot.routing.contract import EJECT, IN_ROUTER, VC_MASK
from unknot.simulation.engine.candidate_kernel import preferred, tier_of
from unknot.simulation.engine.choice_kernel import credits_of, credits_of_port
from unknot.simulation.engine.codes import DECIDED, NO_CYCLE
from unknot.simulation.engine.pack_kernel import bits_in, is_simple
from unknot.simulation.engine.state_kernel import destination_of, direct_of, vcs_of
from unknot.simulation.engine.view_kernel import place_of, view

FIRST_WORD = -2
"""Who chooses: a packet that is injected at a router, by its number; a header in one, with the first word of a router
on the fast path taken from this; −1 in another one."""
BY_PORT, BY_VC, HYBRID = 1, 2, 3
"""UGAL-L, UGAL-L_VC, UGAL-L_VCH: as `Relation.comparison` numbers them."""


@inlined
def word_of(s, r):
    """Return the first word of who chooses, or −1 for a router that does not take the fast path."""
    if r <= FIRST_WORD:
        return FIRST_WORD - r
    return np.int64(s.first_word[r] if r >= 0 and is_simple(s, r) else -1)


@inlined
def sent_now(s, w, begin, end):
    """Return the flits of this cycle among the credits of successive output VCs."""
    if w < 0 or s.setup.shared > 0:
        return np.int64(0)
    return bits_in(s.masks.spent, w, begin - s.words.first_output[w], end - s.words.first_output[w])


@inlined
def queued(s, w, row):
    """Return the flits behind an output VC: those sent whose credits have not come back."""
    return s.setup.depth - credits_of(s, w, row) - sent_now(s, w, row, row + 1)


@inlined
def queued_for(s, w, port):
    """Return the flits behind all VCs of an output port, whose first row this is."""
    many = vcs_of(s, port)
    slots = many * (s.setup.depth + s.setup.shared)
    return slots - credits_of_port(s, w, port) - sent_now(s, w, port, port + many)


@called
def queues(s, w, count):
    """Return the output port of the preferred candidate, the flits queued for the port, and the flits on its VCs of
    the tier.
    """
    best = s.candidates[preferred(s, count)]
    port, tier, by_vc = s.outputs.port[s.out_row[best & VC_MASK]], tier_of(best), np.int64(0)
    for k in range(count if BY_PORT < s.setup.compares < IN_ROUTER else 0):
        vc = s.candidates[k] & VC_MASK
        if vc != EJECT and tier_of(s.candidates[k]) == tier and s.outputs.port[s.out_row[vc]] == port:
            by_vc += queued(s, w, s.out_row[vc])
    return np.int64(port), queued_for(s, w, port), by_vc


@called
def way(rule, raw, w, t, address):
    """Return the first port of the way of an address from terminal t, flits queued there, and hops.

    They are counted by port and by VC.

    The way goes by the preferred candidates; one that never ends counts as longer than any other. It is walked unless
    the relation has a function that counts its hops.
    """
    s = view(raw)
    num_vcs, pointer = s.setup.num_vcs, place_of(s.candidates)
    at, port, by_port, by_vc = num_vcs + t, np.int64(-1), np.int64(0), np.int64(0)
    # A way of more hops than there are VCs has been in one of them twice, and goes on for ever.
    for hops in range(num_vcs + 1):
        count = call_rule(rule, at, address, pointer)
        if count <= 0 or count > s.candidates.size:
            break
        vc = s.candidates[preferred(s, count)] & VC_MASK
        if vc == EJECT:
            return port, by_port, by_vc, np.int64(hops)
        if vc < 0 or vc >= num_vcs:
            break
        if hops == 0:
            port, by_port, by_vc = queues(s, w, count)
            if s.setup.count_hops != 0:
                return port, by_port, by_vc, call_rule(s.setup.count_hops, at, address, pointer)
        at = vc
    return port, np.int64(1), np.int64(1), np.int64(NO_CYCLE)


@inlined
def compare(rule, raw, r, t, p):
    """Give a packet about to be injected the direct address in place of its own, unless that costs more now."""
    s = view(raw)
    own, w = s.packets.address[p], word_of(s, r)
    direct = direct_of(s, t, destination_of(s, own))
    if direct < 0 or direct == own:
        return
    port, by_port, by_vc, hops = way(rule, raw, w, t, direct)
    if by_port == 0:
        # Nothing waits, on any VC, and times any number of hops that is still nothing.
        s.packets.address[p] = direct
        return
    other_port, other_by_port, other_by_vc, other_hops = way(rule, raw, w, t, own)
    how = s.setup.compares
    if how == BY_VC or (how == HYBRID and port == other_port):
        shorter = by_vc * hops <= other_by_vc * other_hops
    else:
        shorter = by_port * hops <= other_by_port * other_hops
    if shorter:
        s.packets.address[p] = direct


@inlined
def decide(rule, raw, r, t, p):
    """Packet p of terminal t takes its own address or another one, by the queues of its first router (`Detour`)."""
    s = view(raw)
    setup, own, w = s.setup, s.packets.address[p], word_of(s, r)
    s.courses.script[p] = DECIDED
    block = own // setup.block * setup.block
    if s.direct.size > 0:
        other = direct_of(s, t, destination_of(s, own))
        if other < 0:
            return
        other += block
    else:
        # Half a block on, going round, is the other address of the pair, whichever the packet has: see `Detour`.
        other = block + (own - block + setup.block // 2) % setup.block
    if other == own:
        return
    _, its_cost, _, its_hops = way(rule, raw, w, t, other)
    _, cost, _, hops = way(rule, raw, w, t, own)
    if setup.weight > 0:
        cost *= setup.weight
    else:
        cost, its_cost = cost * hops, its_cost * its_hops
    if its_cost <= cost + setup.margin:
        s.packets.address[p] = other
