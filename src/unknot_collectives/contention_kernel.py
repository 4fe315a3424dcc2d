# mypy: ignore-errors
"""Channels a message may use."""

import numpy as np
from numba import types

from unknot._base.kernels.lazy_kernel import call_rule
from unknot._base.kernels.types_kernel import READ32, kept
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
