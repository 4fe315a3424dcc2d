# mypy: ignore-errors
"""Parts of rules: the VCs of a channel, and the shorter way round."""

from unknot._base.kernels.lazy_kernel import helper


@helper(lambda t: t.int64(t.int64, t.int64, t.int64, t.boolean, t.int64))
def towards(a, b, k, wraps, directions):
    """Directions of the shortest ways from position a to b of k: bit 0 up, bit 1 down; both when equally short."""
    if a == b:
        return 0
    if directions != 3:
        return directions
    if not wraps:
        return 1 if b > a else 2
    up = (b - a) % k
    if 2 * up == k:
        return 3
    return 1 if 2 * up < k else 2


@helper(lambda t: t.int64(t.int64[::1], t.int64, t.int64, t.int64))
def offered(out, count, first, many):
    """Write `many` VCs from `first` on behind the candidates in out[0:count]; the new count."""
    for v in range(many):
        out[count + v] = first + v
    return count + many
