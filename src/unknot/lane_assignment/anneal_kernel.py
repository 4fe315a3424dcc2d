# mypy: ignore-errors
"""The search for orders of channels that serve all pairs: simulated annealing of their keys, and of a table.

A move changes one key, or one entry of the table. What it changes is worked out again channel by channel, by falling
key, and put back if the move is refused.
"""

from typing import NamedTuple

import numpy as np

from unknot._base.kernels.types_kernel import alone, inlined
from unknot.lane_assignment.moves_kernel import MoveScratch, Undo, all_words, exchange, spread, take_back
from unknot.lane_assignment.orders_kernel import push
from unknot.lane_assignment.paths_kernel import completing, drawn_path, elsewhere, unserved_pair
from unknot.search.random_kernel import below, cooled, draw, unit

TRIES = 8
"""Paths, each in a lane at random, of which an aimed move mends the one that falls least often."""
SLACK = 8.0
"""Cost, in pairs, by which a move is above the highest that is accepted when it is given up before its end."""


def anneal(paths, orders, state, step, aims) -> tuple[int, int]:
    """Simulated annealing of the keys, and of a table, on the number of pairs that are not served.

    A move gives a channel another key in one lane, or a router another channel to one destination; only what that
    changes is worked out again, until the move is lost, and put back if it is refused. Stops at once when all pairs
    are served.

    Parameters
    ----------
    state : uint64 array, shape (1,)
        Of the random numbers.
    step : Step
    aims : Aims

    Returns
    -------
    least, moves made : int
        The fewest pairs that were not served.
    """
    lanes, channels, words = orders.reach.shape
    places = (channels * (lanes if aims.turned > 0 else 1) + 1) * words
    undo = Undo(
        np.zeros(3, np.int64), np.empty((places, 3), np.int64), np.empty(places, np.int64),
        np.empty((places, 3), np.int64), np.empty(places, np.int64), np.empty(places, np.int64),
    )  # fmt: skip
    scratch = MoveScratch(
        undo, np.empty(channels, np.int64), np.zeros(channels, np.int64), np.zeros(words, np.int64),
        np.empty(channels, np.int64), np.empty((4, orders.missed.size + 1), np.int64),
    )  # fmt: skip
    return anneal_in(paths, orders, state, step, aims, scratch, orders.unserved, SLACK * float(paths.weight.max()))


class Move(NamedTuple):
    """Another key of a channel in a lane, or another channel to a destination.

    Attributes
    ----------
    lane : int
        −1: there is no move.
    channel, key : int, float
    old, new : int
        The channels to the destination before and after; −1: the move is one of a key.
    word, bit : int
        The destination, as a bit of a word.
    """

    lane: np.int64
    channel: np.int64
    key: np.float64
    old: np.int64
    new: np.int64
    word: np.int64
    bit: np.int64


@inlined
def any_move(paths, orders, state, lane):
    """A key drawn for a channel in a lane."""
    channel, none = below(state, orders.reach.shape[1]), np.int64(-1)
    return Move(lane, channel, paths.base[channel] + unit(state), none, none, np.int64(0), np.int64(0))


@inlined
def aimed_move(paths, orders, state, aims, drawn):
    """A move that mends a place where a path of an unserved pair falls.

    Most paths of a pair fall once or twice somewhere, and a move mends one place: best is a path that a move
    completes, then one that falls least.
    """
    path, fall, other_path, other_fall = drawn[0], drawn[1], drawn[2], drawn[3]
    u, destination = unserved_pair(paths, orders, state)
    best, sides, none = 0, 0, np.int64(-1)
    lane = none
    for _ in range(TRIES):
        k = below(state, orders.reach.shape[0])
        falls = drawn_path(paths, orders, orders.key[k], state, u, destination, other_path, other_fall)
        complete = completing(paths, orders.key[k], other_path, other_fall[0], destination) if falls == 1 else 0
        badness = 2 * falls - (complete > 0)
        if falls > 0 and (best == 0 or badness < best):
            lane, best, sides = k, badness, complete
            path, other_path = other_path, path
            fall, other_fall = other_fall, fall
    if best == 0:
        return Move(none, none, 0.0, none, none, np.int64(0), np.int64(0))
    i = fall[below(state, (best + 1) >> 1)]
    if unit(state) < aims.turned:
        # The channel after the fall, or the one before it.
        old = path[i - np.int64(draw(state) & np.uint64(1))]
        old -= old % paths.copies
        new = elsewhere(paths, state, old, destination)
        lane = lane if new >= 0 else none
        return Move(lane, none, 0.0, old, new, np.int64(destination >> 6), np.int64(1) << np.int64(destination & 63))
    # Keys are spread over a unit, so this is about the distance to the next key: the two channels change places, and
    # few others with them.
    past = unit(state) / orders.reach.shape[1]
    keys = orders.key[lane]
    if sides == 1 or (sides != 2 and draw(state) & np.uint64(1)):
        return Move(lane, path[i - 1], keys[path[i]] - past, none, none, np.int64(0), np.int64(0))
    return Move(lane, path[i], keys[path[i - 1]] + past, none, none, np.int64(0), np.int64(0))


@alone
def anneal_in(paths, orders, state, step, aims, scratch, unserved, slack):
    """Anneal keys, and a table, with scratch arrays made for it, from some number of pairs that are not served."""
    lanes, _, words = orders.reach.shape
    every = all_words(words)
    undo, heap, stale = scratch.undo, scratch.heap, scratch.stale
    least, heat = unserved, step.hot
    for number in range(step.moves):
        if unserved == 0:
            return 0, number
        heat = cooled(heat, step, number)
        undo.count[:] = 0
        lane = below(state, lanes)
        # Metropolis: what is worse is taken with a chance that falls with the temperature.
        most, cost, old = -heat * np.log(1.0 - unit(state)), 0.0, 0.0
        move = any_move(paths, orders, state, lane)
        if unit(state) < aims.aimed:
            move = aimed_move(paths, orders, state, aims, scratch.drawn)
            if move.lane < 0:
                continue
        lane, c, new, keys = move.lane, move.channel, move.key, orders.key[move.lane]
        old_channel, new_channel, w, bit = move.old, move.new, move.word, move.bit
        if new_channel >= 0:
            exchange(paths, orders, old_channel, new_channel, w, bit)
            for k in range(lanes):
                size = np.int64(0)
                for i in range(paths.copies):
                    stale[old_channel + i] = stale[new_channel + i] = every
                    size = push(heap, size, orders.key[k], old_channel + i)
                    size = push(heap, size, orders.key[k], new_channel + i)
                cost = spread(paths, orders, scratch, k, size, aims.spare, cost, most + slack)
        else:
            old = keys[c]
            keys[c] = new
            stale[c] = every
            size = push(heap, np.int64(0), keys, c)
            for j in range(paths.before_first[c], paths.before_first[c + 1]):
                before = paths.before[j]
                # What a channel before c reaches changes by the move itself only where c passes it.
                if (keys[before] < old) != (keys[before] < new):
                    stale[before] = every
                    size = push(heap, size, keys, before)
            cost = spread(paths, orders, scratch, lane, size, aims.spare, cost, most + slack)
        if cost <= most:
            unserved += undo.count[2]
            least = min(least, unserved)
            continue
        if new_channel >= 0:
            exchange(paths, orders, old_channel, new_channel, w, bit)
        else:
            keys[c] = old
        take_back(paths, orders, undo)
    return least, step.moves
