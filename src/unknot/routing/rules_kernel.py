# mypy: ignore-errors
"""Parts of rules: the VCs of channels, the shorter way round, and steps between words."""

from unknot._base.kernels.lazy_kernel import I64, READ64, helper


@helper
def towards(a: int, b: int, k: int, wraps: bool, directions: int) -> int:
    """Directions of the shortest ways from position a to b of k: bit 0 up, bit 1 down; both when equally short."""
    if a == b:
        return 0
    if directions != 3:
        return directions
    if not wraps:
        return 1 if b > a else 2
    # Comparisons of twice the way with k: half of an odd k is no whole number.
    up = (b - a) % k
    if 2 * up == k:
        return 3
    return 1 if 2 * up < k else 2


@helper
def offered(out: I64, count: int, first: int, many: int) -> int:
    """Write `many` VCs from `first` on behind the candidates in out[0:count]; the new count."""
    for v in range(many):
        out[count + v] = first + v
    return count + many


@helper
def vcs_of_lane(out: I64, first: int, lane: int, vcs: int, lanes: int) -> int:
    """Write the VCs of a lane on the channel whose first VC is given: every `lanes`-th of its `vcs`; how many."""
    count = 0
    for v in range(lane, vcs, lanes):
        out[count] = first + v
        count += 1
    return count


@helper
def offer(out: I64, count: int, pick: int, here: int, there: int, first: READ64, index: int, share: int) -> int:
    """Turn out[0:count], channels, into `share` VCs of each from `index` on; the new count.

    `pick` −1 keeps every channel, 0 the first; any other number is the seed of a choice that depends on `here` and
    `there` alone.
    """
    if pick >= 0 and count > 1:
        if pick > 0:
            # In plain Python `here` may be a number of 32 bits, which would overflow.
            out[0] = out[((int(here) * 7919 + int(there) * 104729 + pick * 15485863) % 1000003) % count]
        count = 1
    # Backwards, since the VCs of a channel are written where later channels stood.
    for k in range(count - 1, -1, -1):
        channel = out[k]
        for v in range(share):
            out[k * share + v] = first[channel] + index + v
    return count * share


@helper
def shifts(u: int, v: int, letters: int, words: int) -> int:
    """Least number of letters that must be shifted into word u from the right to make it v."""
    # After `count` shifts the last letters of u (u % tail) stand where v has its first (v // whole).
    count, whole, tail = 0, 1, words
    while u % tail != v // whole:
        count += 1
        whole *= letters
        tail //= letters
    return count


@helper
def depth(u: int, a: int, letters: int, words: int) -> int:
    """Letters of word u after the leading run of letter a: its level in the tree of shifts that starts at aa…a."""
    count, power = 0, words
    while power > 1:
        power //= letters
        if count > 0 or u // power % letters != a:
            count += 1
    return count
