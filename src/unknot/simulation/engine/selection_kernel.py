# mypy: ignore-errors
"""Which output VCs a header requests, where that is more than all free candidates of the lowest tier."""

import numpy as np
from numba import njit

from unknot.routing.relation import NO_WAIT, VC_MASK
from unknot.simulation.engine.match_kernel import CYCLIC
from unknot.simulation.engine.state import ATOMIC, BLOCKED
from unknot.simulation.engine.state_kernel import BROKEN_RULE, DEAD_END, ask_rule, available, mixed, need, outputs_of
from unknot.words_kernel import natural

ALL, FIRST_ONE, RANDOM, ROUND_ROBIN, MOST_CREDITS = range(5)
"""Codes of the selection functions, in the order of `SELECTIONS`."""


@njit(_nrt=False, forceinline=True)
def commit(s, b, p, count):
    """Index of the one candidate a header keeps: a free one of the lowest tier, else one it waits for, the first."""
    best, best_rank = 0, 1 << 30
    needed = need(s.setup, s.packets.length[p])
    for k in range(count):
        first, many = outputs_of(s, s.packets.address[p], s.candidates[k])
        free = False
        for w in range(first, first + many):
            free = free or available(s, natural(w), needed)
        rank = (s.candidates[k] >> 40) & 0xFF
        if not free:
            rank += 512 if s.candidates[k] & NO_WAIT == 0 else 1024
        if rank < best_rank:
            best, best_rank = k, rank
    return best


@njit(_nrt=False, forceinline=True)
def at_random(s, b, now, many):
    """A random number below `many` for the header in input row b in this cycle."""
    return mixed(np.uint64(s.setup.salt) ^ np.uint64((np.int64(now) << 32) + s.buffer[natural(b)])) % many


@njit(_nrt=False, forceinline=True)
def ascending(wanted, found):
    """Sort the first numbers of an array in which most are in order."""
    for k in range(1, found):
        value, at = wanted[k], k
        while at > 0 and wanted[at - 1] > value:
            wanted[at] = wanted[at - 1]
            at -= 1
        wanted[at] = value


@njit(_nrt=False, forceinline=True)
def select(s, b, found, first_output, now):
    """Leave one of the output rows in ``s.chosen``, by the selection function."""
    wanted, chosen = s.chosen, 0
    if s.setup.selection == RANDOM:
        ascending(wanted, found)
        chosen = at_random(s, b, now, found)
    elif s.setup.selection == ROUND_ROBIN:
        turn = first_output + s.inputs.accept_pointer[b]
        for k in range(1, found):
            if (wanted[k] - turn) & CYCLIC < (wanted[chosen] - turn) & CYCLIC:
                chosen = k
    elif s.setup.selection == MOST_CREDITS:
        most, ties = np.int64(-1), np.int64(0)
        for k in range(found):
            room, w = np.int64(1) << 40, np.int64(wanted[k])
            if s.outputs.reader[w] >= 0:
                room, low, port = np.int64(0), w, s.outputs.port[w]
                while low > 0 and s.outputs.port[low - 1] == port:
                    low -= 1
                while low < s.outputs.shape[0] and s.outputs.port[low] == port:
                    room += s.outputs.credits[low]
                    low += 1
            if room > most:
                most, ties = room, np.int64(0)
            if room == most:
                wanted[ties] = w
                ties += 1
        ascending(wanted, ties)
        chosen = at_random(s, b, now, ties)
    wanted[0] = wanted[chosen]


@njit(_nrt=False, forceinline=True)
def is_open(s, w, w0, cell, needed):
    """As `available`, by the masks of the router."""
    if (s.masks.open[natural(w0 + (cell >> 6))] >> (cell & 63)) & 1 == 0:
        return False
    return s.setup.technique >= ATOMIC or s.outputs.reader[w] < 0 or s.outputs.credits[w] >= needed


@njit(_nrt=False, forceinline=True)
def sleep(s, b, word, bit):
    """A header that finds nothing free waits for a sign."""
    s.inputs.state[b] = BLOCKED
    s.masks.heads[word] &= ~bit
    s.masks.asleep[word] |= bit


@njit(_nrt=False, forceinline=True)
def request(rule, s, b, p, w0, w1, now):
    """The output rows that one header requests, into ``s.chosen``: available ones of the lowest tier that has one.

    Returns how many, or minus the status when the rule failed. A header that finds none falls asleep.
    """
    b, p = natural(b), natural(p)
    setup, inputs, offered = s.setup, s.inputs, s.candidates
    count = ask_rule(rule, s, b, p)
    if count <= 0:
        return count if count == 0 else np.int64(-DEAD_END if count == -2 else -BROKEN_RULE)
    if setup.commits == 1 and inputs.out[b] < 0:
        offered[0] = offered[commit(s, b, p, count)]
        inputs.out[b] = min(offered[0] & VC_MASK, setup.num_vcs)
        count = np.int64(1)
    begin, end = np.int64(s.words.first_output[w0]), np.int64(s.words.first_output[w1])
    needed = need(setup, s.packets.length[p])
    found, tier = np.int64(0), np.int64(256)
    for k in range(count):
        rank = (offered[k] >> 40) & 0xFF
        if rank > tier:
            continue
        first, many = outputs_of(s, s.packets.address[p], offered[k])
        if first < begin or first >= end:
            return np.int64(-BROKEN_RULE)
        for w in range(first, first + many):
            if is_open(s, natural(w), w0, w - begin, needed):
                if rank < tier:
                    found, tier = np.int64(0), rank
                s.chosen[natural(found)] = w
                found += 1
    if found == 0:
        cell = b - s.words.first_input[w0]
        sleep(s, b, natural(w0 + (cell >> 6)), np.int64(1) << (cell & 63))
    elif setup.selection != ALL and found > 1:
        select(s, b, found, begin, now)
        found = np.int64(1)
    return found
