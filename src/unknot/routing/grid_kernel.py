# mypy: ignore-errors
"""Which way round is shorter, for rules on products of lines and rings."""

from numba import njit

import unknot.types_kernel  # noqa: F401 before anything is loaded


@njit("int64(int64, int64, int64, boolean, int64)", nogil=True, cache=True)
def towards(a, b, k, wraps, ways):
    """Shortest of the ways there are from position a to b of k: bit 0 up, bit 1 down; both when equally short."""
    if a == b:
        return 0
    if ways != 3:
        return ways
    if not wraps:
        return 1 if b > a else 2
    up = (b - a) % k
    if 2 * up == k:
        return 3
    return 1 if 2 * up < k else 2
