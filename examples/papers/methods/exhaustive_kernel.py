# mypy: ignore-errors
"""Disjoint paths for messages by exhaustive search."""

import numpy as np
from numba import types

from unknot._base.kernels.types_kernel import READ64, kept

MASKS = types.Array(types.uint64, 2, "C", readonly=True)
PAIRS = types.Array(types.int64, 2, "C", readonly=True)


@kept(types.int64(READ64, MASKS, READ64, types.int64, types.int64[::1]), nogil=True)
def search(first, masks, pairs, limit, choice):
    """Choose for each message one of the paths of its pair, ``first[pair]:first[pair + 1]``, with disjoint masks.

    Returns 1 with the paths in `choice`; 0 if there is no choice; −1 if more than `limit` choices have been tried.
    """
    messages, words = pairs.size, masks.shape[1]
    start = np.zeros(messages + 1, np.int64)
    for m in range(messages):
        start[m + 1] = start[m] + first[pairs[m] + 1] - first[pairs[m]]
    alive = np.ones((messages + 1, start[messages]), np.bool_)
    left = np.zeros((messages + 1, messages), np.int64)
    for m in range(messages):
        left[0, m] = start[m + 1] - start[m]
    turn = np.full(messages, -1, np.int64)
    tried = np.zeros(messages, np.int64)
    chosen = np.zeros(messages, np.bool_)
    depth, nodes = 0, 0
    while True:
        if depth == messages:
            return 1
        # The message with the fewest paths left comes next; it keeps its turn until all its paths are tried.
        m = turn[depth]
        if m < 0:
            for k in range(messages):
                if not chosen[k] and (m < 0 or left[depth, k] < left[depth, m]):
                    m = k
            turn[depth] = m
            tried[depth] = start[m]
            chosen[m] = True
        path = tried[depth]
        while path < start[m + 1] and not alive[depth, path]:
            path += 1
        if path == start[m + 1]:
            chosen[m] = False
            turn[depth] = -1
            depth -= 1
            if depth < 0:
                return 0
            continue
        tried[depth] = path + 1
        nodes += 1
        if nodes > limit:
            return -1
        mine = first[pairs[m]] + path - start[m]
        choice[m] = mine
        fits = True
        # A row of its own for each depth, so that going back needs no undoing.
        for k in range(messages):
            if chosen[k]:
                continue
            count = 0
            shift = first[pairs[k]] - start[k]
            for p in range(start[k], start[k + 1]):
                ok = alive[depth, p]
                if ok:
                    for w in range(words):
                        if masks[p + shift, w] & masks[mine, w]:
                            ok = False
                            break
                alive[depth + 1, p] = ok
                count += ok
            left[depth + 1, k] = count
            if count == 0:
                fits = False
                break
        if fits:
            depth += 1
    return 0


@kept(types.void(READ64, MASKS, PAIRS, types.int64, types.int8[::1]), nogil=True)
def search_many(first, masks, pairs, limit, answer):
    """The answer of `search` for each row of pairs."""
    choice = np.empty(pairs.shape[1], np.int64)
    for i in range(pairs.shape[0]):
        answer[i] = search(first, masks, pairs[i], limit, choice)
