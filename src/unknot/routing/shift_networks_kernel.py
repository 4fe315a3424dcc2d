# mypy: ignore-errors
"""Arithmetic on words of letters, written as numbers in base `letters`."""

from numba import types

from unknot._base.kernels.types_kernel import kept


@kept(types.int64(types.int64, types.int64, types.int64, types.int64), nogil=True)
def shifts(u, v, letters, words):
    """Least number of letters that must be shifted into word u from the right to make it v."""
    count, whole, tail = 0, 1, words
    while u % tail != v // whole:
        count += 1
        whole *= letters
        tail //= letters
    return count


@kept(types.int64(types.int64, types.int64, types.int64, types.int64), nogil=True)
def depth(u, a, letters, words):
    """Letters of word u after the leading run of letter a: its level in the tree of shifts that starts at aa…a."""
    count, power = 0, words
    while power > 1:
        power //= letters
        if count > 0 or u // power % letters != a:
            count += 1
    return count
