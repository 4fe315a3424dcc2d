# mypy: ignore-errors
"""The looping algorithm, and permutations of recursively constructed composite banyan networks."""

import numpy as np
from numba import types

from unknot._base.kernels.types_kernel import READ64, kept

I64 = types.int64[::1]


@kept(types.void(READ64, READ64, types.int64, types.int8[::1]), nogil=True)
def two_colours(ins, outs, nodes, colour):
    """Colour messages 0 and 1 so that the two of each of `nodes` first and of `nodes` last switches differ."""
    messages = ins.size
    at_in = np.full((nodes, 2), -1, np.int64)
    at_out = np.full((nodes, 2), -1, np.int64)
    for m in range(messages):
        at_in[ins[m], 0 if at_in[ins[m], 0] < 0 else 1] = m
        at_out[outs[m], 0 if at_out[outs[m], 0] < 0 else 1] = m
    # Mates at a last switch and mates at a first switch take turns along a loop of even length, which closes where it
    # began; so two colours suffice. The two entries of a switch add up to a message and its mate.
    colour[:] = -1
    for start in range(messages):
        m = start
        while colour[m] < 0:
            colour[m] = 0
            twin = at_out[outs[m], 0] + at_out[outs[m], 1] - m
            colour[twin] = 1
            m = at_in[ins[twin], 0] + at_in[ins[twin], 1] - twin


@kept(types.boolean(I64, I64, I64, I64), nogil=True)
def _centre(members, ins, outs, middle):
    """Middle rows of the eight messages of an 8 × 8 composite banyan network, by search.

    A loop and no recursion: a kernel that calls itself crashes the process that loads it from disk.
    """
    tried = np.zeros(9, np.int64)
    done = 0
    while done < 8:
        m = members[done]
        free = False
        while not free and tried[done] < 3:
            row = ins[m] ^ tried[done]
            tried[done] += 1
            free = row ^ outs[m] != 3
            for k in range(done):
                other = members[k]
                if middle[other] == row and (ins[other] == ins[m] or outs[other] == outs[m]):
                    free = False
            middle[m] = row
        done += 1 if free else -1
        if done < 0:
            return False
        if free:
            tried[done] = 0
    return True


@kept(types.boolean(READ64, types.int64, types.int64[:, ::1]), nogil=True)
def rcbn_rows(destination, n, rows):
    """Rows passed by the message of each input of RCBN(2^n) for a permutation; false if a centre has no solution."""
    size = destination.size
    last = 2 * n - 4
    ins = np.empty(size, np.int64)
    outs = np.empty(size, np.int64)
    colour = np.empty(size, np.int8)
    for m in range(size):
        ins[m] = m >> 1
        outs[m] = destination[m] >> 1
        rows[m, 0] = ins[m]
        rows[m, last] = outs[m]
    for level in range(n - 3):
        bit = n - 2 - level
        two_colours(ins, outs, size >> 1, colour)
        for m in range(size):
            ins[m] = ins[m] & ~(1 << bit) | (np.int64(colour[m]) << bit)
            outs[m] = outs[m] & ~(1 << bit) | (np.int64(colour[m]) << bit)
            rows[m, level + 1] = ins[m]
            rows[m, last - level - 1] = outs[m]
    members = np.empty((size >> 3, 8), np.int64)
    count = np.zeros(size >> 3, np.int64)
    for m in range(size):
        block = ins[m] >> 2
        members[block, count[block]] = m
        count[block] += 1
    middle = np.empty(size, np.int64)
    for block in range(size >> 3):
        if not _centre(members[block], ins, outs, middle):
            return False
    for m in range(size):
        rows[m, n - 2] = middle[m]
    return True


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
