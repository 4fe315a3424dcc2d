"""Permutations of Beneš, Clos and recursively constructed composite banyan networks, in polynomial time.

Beneš: the two messages of every first and every last switch go to different halves; the looping algorithm (Opferman &
Tsao-Wu 1971) colours them so, and each half has a permutation of half the size to realise.

RCBN: the same, for a switch K reaches the half it stands in by tag 0 and the other by the tag that flips its high
bit, and when each switch sends one message into each half, every switch within gets two. There is always a way
through the 8 × 8 composite banyan in the centre: from switch K to switch K' each message may pass two or three of
the four middle switches, it must not pass the one that a message of the same first or last switch passes, and a
bipartite graph of degree 2 can be edge-coloured from any lists of 2 colours (Galvin 1995). So RCBN realises every
permutation.

Clos: messages are the edges of a bipartite graph of first and last switches; a colouring with one colour for each
middle switch exists if no switch has more messages than there are middle switches (Kőnig 1916).
"""

from __future__ import annotations

import numpy as np

from unknot._base.arrays import Ints
from unknot.network import Network
from unknot.network.model import IntArray


def completed(destinations: Ints) -> Ints:
    """A permutation that gives idle inputs the outputs nobody asks for."""
    whole = destinations.copy()
    taken = np.zeros(whole.size, dtype=bool)
    taken[whole[whole >= 0]] = True
    whole[whole < 0] = np.flatnonzero(~taken)
    return whole


def route_rcbn(terminals: int, destinations: Ints) -> IntArray:
    """Channels of `rcbn(terminals)` for the message of every input.

    Returns
    -------
    int32 array, shape (terminals, stages − 1)

    Notes
    -----
    O(N log N).
    """
    return rcbn_channels(rcbn_rows(completed(destinations)))


def rcbn_rows(destinations: Ints) -> Ints:
    """The rows that the message of every input of an RCBN passes: shape (terminals, stages)."""
    n = destinations.size.bit_length() - 1
    ins, outs = np.arange(destinations.size) // 2, destinations // 2
    front, back = [ins], [outs]
    for bit in (1 << level for level in range(n - 2, 1, -1)):
        half = bit * two_colours(ins, outs)
        ins, outs = ins & ~bit | half, outs & ~bit | half
        front.append(ins)
        back.append(outs)
    middle = np.empty_like(ins)
    for block in np.argsort(ins >> 2, kind="stable").reshape(-1, 8):
        middle[block] = _centre(ins[block].tolist(), outs[block].tolist())
    return np.stack([*front, middle, *reversed(back)], axis=1)


def _centre(ins: list[int], outs: list[int]) -> list[int]:
    """Middle rows of the eight messages of an 8 × 8 composite banyan network, by search."""
    middle: list[int] = []

    def passed() -> bool:
        m = len(middle)
        if m == len(ins):
            return True
        for row in (ins[m], ins[m] ^ 1, ins[m] ^ 2):
            beside = [k for k in range(m) if middle[k] == row and (ins[k] == ins[m] or outs[k] == outs[m])]
            if row ^ outs[m] != 3 and not beside:
                middle.append(row)
                if passed():
                    return True
                middle.pop()
        return False

    if not passed():
        raise AssertionError("an 8 × 8 composite banyan network realises every permutation")
    return middle


def two_colours(ins: Ints, outs: Ints) -> Ints:
    """Colour messages 0 and 1 so that the two of each first and of each last switch differ."""
    first, last = _mates(ins), _mates(outs)
    colour = [-1] * len(first)
    # Mates at a last switch and mates at a first switch take turns along a loop of even length, which closes where it
    # began; so two colours suffice.
    for m in range(len(colour)):
        while colour[m] < 0:
            colour[m], colour[last[m]] = 0, 1
            m = first[last[m]]
    return np.array(colour)


def _mates(switches: Ints) -> list[int]:
    """For each message the other one at its switch."""
    pairs = np.argsort(switches, kind="stable").reshape(-1, 2)
    mates = np.empty_like(switches)
    mates[pairs] = pairs[:, ::-1]
    return list(mates.tolist())


def rcbn_channels(rows: Ints) -> IntArray:
    """The channels of `rcbn(N)` along given rows: shape (messages, stages − 1)."""
    from unknot_papers.rcbn.topology import digits_along

    length, digit = rows.shape[-1] - 1, digits_along(rows)
    width = 1 << (length // 2 + 1)
    return np.asarray((np.arange(length) * width + rows[..., :-1]) * 3 + digit, dtype=np.int32)


def route_benes(terminals: int, destinations: Ints) -> IntArray:
    """Channels of `benes(terminals)` for the message of every input: shape (terminals, stages − 1).

    Notes
    -----
    O(N log N).
    """
    n, width = terminals.bit_length() - 1, terminals // 2
    ins, outs = np.arange(terminals) // 2, completed(destinations) // 2
    channels = np.empty((terminals, 2 * n - 2), dtype=np.int32)
    for level in range(n - 1):
        half = two_colours(ins, outs)
        last = 2 * n - 3 - level
        channels[:, level] = (level * width + ins) * 2 + half
        quarter = width >> (level + 1)
        port = outs & 1
        block = ~np.int64(2 * quarter - 1)
        ins = (ins & block) + half * quarter + (ins & ~block) // 2
        outs = (outs & block) + half * quarter + (outs & ~block) // 2
        channels[:, last] = (last * width + outs) * 2 + port
    return channels


def route_clos(network: Network, sources: IntArray, destinations: IntArray) -> IntArray | None:
    """Channels of a whole Clos network for some messages, or None if there is no way.

    Notes
    -----
    Middle switches are given out one by one: each takes a matching that covers every switch with the most messages.
    """
    first, channels = network.outgoing
    m = int(first[1])
    ins = network.inject[sources].astype(np.int64)
    outs = network.eject[destinations].astype(np.int64)
    low = int(network.eject.min())
    left = np.arange(sources.size)
    r = low - m
    routed = np.empty((sources.size, 2), dtype=np.int32)
    for middle in range(m):
        if not left.size:
            break
        taken = _matching(ins[left], outs[left] - low, r, m - middle)
        if taken is None:
            return None
        chosen = left[taken]
        routed[chosen, 0] = channels[first[ins[chosen]] + middle]
        routed[chosen, 1] = channels[first[r + middle] + outs[chosen] - low]
        left = np.setdiff1d(left, chosen)
    return None if left.size else routed


def _matching(ins: Ints, outs: Ints, r: int, colours: int) -> Ints | None:
    """Messages of different first and different last switches, one of every switch that has as many as `colours`.

    The bipartite graph is filled up with dummies until every switch has as many; it then has a perfect matching.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    short_in = colours - np.bincount(ins, minlength=r)
    short_out = colours - np.bincount(outs, minlength=r)
    if (short_in < 0).any() or (short_out < 0).any():
        return None
    rows = np.concatenate([ins, np.repeat(np.arange(r), short_in)])
    columns = np.concatenate([outs, np.repeat(np.arange(r), short_out)])
    graph = csr_matrix((np.ones(rows.size, dtype=np.int32), (rows, columns)), shape=(r, r))
    partner = maximum_bipartite_matching(graph, perm_type="column")
    message = {(a, b): i for i, (a, b) in reversed(list(enumerate(zip(ins.tolist(), outs.tolist(), strict=True))))}
    pairs = ((a, int(b)) for a, b in enumerate(partner))
    return np.array(sorted(message[pair] for pair in pairs if pair in message), dtype=np.int64)
