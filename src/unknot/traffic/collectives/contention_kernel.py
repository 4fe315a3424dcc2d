# mypy: ignore-errors
"""Channels a message may use, and messages that have one in common."""

import numpy as np
from numba import types

from unknot._base.kernels.lazy_kernel import call_rule
from unknot._base.kernels.types_kernel import READ32, READ64, kept
from unknot.routing.contract import EJECT, VC_MASK

I32, I64 = types.int32[::1], types.int64[::1]


@kept(types.int64(types.int64, types.int64, types.int64, READ32, I32, types.int32, I64, I64), nogil=True)
def walk(rule, address, start, tail, seen, stamp, order, out):
    """Visit every VC that a header of an address may reach from an input VC; VCs seen with this stamp are left out.

    `tail` is the router that each VC leaves. `order` then begins with the start and the VCs.

    Returns
    -------
    int
        Number of entries, or −1 − i when the answer at entry i breaks the contract.
    """
    order[0], count, i, pointer = start, 1, 0, np.int64(out.ctypes.data)
    while i < count:
        candidates = call_rule(rule, order[i], address, pointer)
        if candidates < 0 or candidates > out.size:
            return -1 - i
        for k in range(candidates):
            vc = out[k] & VC_MASK
            if vc == EJECT:
                continue
            if vc >= tail.size:
                return -1 - i
            if seen[vc] != stamp:
                seen[vc] = stamp
                order[count] = vc
                count += 1
        i += 1
    return count


@kept(types.int64(types.int64, READ64, READ32, READ64, READ32, I32, I32), nogil=True)
def meet(one, first, channel, first_user, user, shared, others):
    """Find the later messages that share a channel with one, and the lowest channel of each in ``shared``.

    ``channel[first[m]:first[m + 1]]`` are the channels of message m, ascending, and ``user[first_user[c]:…]`` the
    messages of channel c. `shared` holds −1 for every message, and does so again when the caller has read `others`.

    Returns
    -------
    int
        How many entries of `others` are filled.
    """
    count = 0
    for k in range(first[one], first[one + 1]):
        c = channel[k]
        for u in range(first_user[c], first_user[c + 1]):
            if user[u] > one and shared[user[u]] < 0:
                shared[user[u]] = c
                others[count] = user[u]
                count += 1
    return count
