# mypy: ignore-errors
"""Moves of the annealer of routes in lanes, and how a move is taken back."""

from typing import NamedTuple

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.kernels.mask_kernel import how_many, lowest
from unknot._base.kernels.types_kernel import called, inlined
from unknot.lane_assignment.orders_kernel import (
    counted,
    covered,
    onward,
    pop,
    push,
    reached,
)  # fmt: skip


class Undo(NamedTuple):
    """Values overwritten by a move, used to undo the move.

    Attributes
    ----------
    count : int64 array, shape (3,)
        Words of `reach` and of `cover` that were overwritten, and the change of what is missed.
    word : int64 array, shape (places, 3)
        Lane, channel and number of words of `reach`.
    reach : int64 array, shape (places,)
        Those words.
    place : int64 array, shape (places, 3)
        Lane, router and number of words of `cover`.
    cover, missed : int64 arrays
        Those words, and by how much more the router missed after them.
    """

    count: Ints
    word: Ints
    reach: Ints
    place: Ints
    cover: Ints
    missed: Ints


class MoveScratch(NamedTuple):
    """Scratch arrays of moves.

    Attributes
    ----------
    undo : Undo
    heap : int64 array, shape (channels,)
        Channels to be worked out.
    stale : int64 array, shape (channels,)
        Words to be worked out of each channel, as bits; see `spread`.
    changed : int64 array, shape (words,)
        Destinations that a channel won or lost.
    higher : int64 array, shape (channels,)
        The channels that are `onward`.
    drawn : int64 array, shape (4, routers + 1)
        Paths that moves aim at, and where they fall.
    """

    undo: Undo
    heap: Ints
    stale: Ints
    changed: Ints
    higher: Ints
    drawn: Ints


@inlined
def exchange(paths, orders, old, new, w, bit):
    """Take one of two channels to a destination where the other was, with all their virtual channels."""
    for i in range(paths.copies):
        orders.taken[old + i, w] ^= bit
        orders.taken[new + i, w] ^= bit


@called
def uncover(paths, orders, lane, u, w, now, undo, spare):
    """Overwrite a word of the destinations that a lane serves of a router; the change of cost."""
    n, was = undo.count[1], orders.cover[lane, u, w]
    undo.place[n, 0], undo.place[n, 1], undo.place[n, 2], undo.cover[n] = lane, u, w, was
    orders.cover[lane, u, w] = now
    undo.count[1] += 1
    if paths.many.size:
        undo.missed[n] = counted(paths, orders, lane, u, w, was)
        undo.count[2] += undo.missed[n]
        return np.float64(undo.missed[n])
    lost, won = was & ~now & paths.wanted[u, w], now & ~was & paths.wanted[u, w]
    # Of 64 destinations at a time, whether one, two or three other lanes at least serve them.
    once, twice, often = np.int64(0), np.int64(0), np.int64(0)
    for k in range(orders.key.shape[0]):
        if k != lane:
            other = orders.cover[k, u, w]
            often |= twice & other
            twice |= once & other
            once |= other
    missed = (how_many(lost & ~once) - how_many(won & ~once)) * paths.weight[w]
    undo.missed[n] = missed
    undo.count[2] += missed
    orders.missed[u] += missed
    # Served by one other lane, or by two: what gives up one of so few costs too, though nothing is missed yet.
    alone, both = once & ~twice, twice & ~often
    rarer = how_many(lost & alone) - how_many(won & alone)
    rarer += spare * (how_many(lost & both) - how_many(won & both))
    return missed + spare * rarer * paths.weight[w]


@inlined
def all_words(words):
    """A bit for each word, and for every 64th after it."""
    return np.int64(-1) if words >= 64 else (np.int64(1) << words) - 1


@called
def spread(paths, orders, scratch, lane, size, spare, cost, limit):
    """Recompute the reach of channels in a heap within a lane, with all consequences; return the cost so far.

    Channels come by falling key, so each is worked out once, after all that it may be followed by. Most changes are
    of few words, and only words that may change are worked out: `stale` has a bit for each of them, and for every
    64th after it. Above the limit of the cost the rest is left as it is: the move will be taken back.
    """
    keys, reach = orders.key[lane], orders.reach[lane]
    heap, stale, changed, higher, undo = scratch.heap, scratch.stale, scratch.changed, scratch.higher, scratch.undo
    words = reach.shape[1]
    while size > 0 and cost <= limit:
        c, size = pop(heap, size, keys)
        left, stale[c] = stale[c], 0
        u, new, count = paths.source[c], np.int64(0), onward(paths, keys, c, higher)
        while left:
            bit = lowest(left)
            left &= left - 1
            for w in range(bit, words, 64):
                now, was = reached(paths, orders.taken, reach, c, w, higher, count), reach[c, w]
                changed[w] = now ^ was
                if now == was:
                    continue
                n = undo.count[0]
                undo.word[n, 0], undo.word[n, 1], undo.word[n, 2], undo.reach[n] = lane, c, w, was
                undo.count[0] += 1
                reach[c, w] = now
                new |= np.int64(1) << bit
                cover = covered(paths, reach, u, w)
                if cover != orders.cover[lane, u, w]:
                    cost += uncover(paths, orders, lane, u, w, cover, undo, spare)
        if new == 0:
            continue
        for j in range(paths.before_first[c], paths.before_first[c + 1]):
            before = paths.before[j]
            if keys[before] < keys[c]:
                more = touched(paths, orders.taken, reach, before, c, changed, new) & ~stale[before]
                if more and stale[before] == 0:
                    size = push(heap, size, keys, before)
                stale[before] |= more
    for i in range(size):
        stale[heap[i]] = 0
    return cost


@inlined
def touched(paths, taken, reach, before, c, changed, new):
    """Words that may change for the channel before: bits lost by its successor, or gained and not yet reached."""
    more, words = np.int64(0), reach.shape[1]
    while new:
        bit = lowest(new)
        new &= new - 1
        for w in range(bit, words, 64):
            lost = ~reach[c, w]
            if changed[w] & taken[before, w] & (lost | ~reach[before, w]):
                more |= np.int64(1) << bit
            for i in range(paths.detour.shape[0]):
                v = w + (i + 1) * paths.block
                if v < words and changed[w] & paths.detour[i, before, v] & (lost | ~reach[before, v]):
                    more |= np.int64(1) << (v & 63)
    return more


@called
def take_back(paths, orders, undo):
    """Undo what a move changed of what is served, the last first."""
    for i in range(undo.count[0]):
        k, c, w = undo.word[i]
        orders.reach[k, c, w] = undo.reach[i]
    for i in range(undo.count[1] - 1, -1, -1):
        k, u, w = undo.place[i]
        tried = orders.cover[k, u, w]
        orders.cover[k, u, w] = undo.cover[i]
        if paths.many.size:
            counted(paths, orders, k, u, w, tried)
        else:
            orders.missed[u] -= undo.missed[i]
