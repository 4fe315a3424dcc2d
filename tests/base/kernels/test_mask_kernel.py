"""Masks of several words against whole numbers of Python."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from unknot._base.kernels.mask_kernel import Mask, bit_at, how_many, lowest, none, ones

WORDS = 2
FULL = (1 << 64 * WORDS) - 1
WORD = st.integers(-(2**63), 2**63 - 1)


@intrinsic
def joined(typingctx: Any, low: Any, high: Any) -> Any:
    """A mask of two words."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = ir.IntType(64 * WORDS)
        return builder.or_(builder.zext(args[0], wide), builder.shl(builder.zext(args[1], wide), wide(64)))

    return Mask(WORDS)(types.int64, types.int64), codegen


@intrinsic
def word_of(typingctx: Any, mask: Any, number: Any) -> Any:
    """A word of a mask, as a number."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        shift = builder.mul(builder.zext(args[1], args[0].type), args[0].type(64))
        return builder.trunc(builder.lshr(args[0], shift), ir.IntType(64))

    return types.int64(Mask(WORDS), types.int64), codegen


@njit
def play(a: Any, b: Any, at: Any) -> Any:
    x, y = joined(*a), joined(*b)
    y |= bit_at(y, at)
    rest, total = x, none(x)
    while rest != 0:
        total ^= rest & -rest
        rest &= rest - 1
    made = (x & ~y, x ^ y, y >> at, ones(x, at + 1) << 1, total)
    return [(word_of(mask, 0), word_of(mask, 1)) for mask in made], (lowest(y), how_many(y), x == 0)


@given(st.tuples(WORD, WORD), st.tuples(WORD, WORD), st.integers(0, 64 * WORDS - 1))
def test_masks_are_like_whole_numbers(a: tuple[int, int], b: tuple[int, int], at: int) -> None:
    def whole(words: tuple[int, int]) -> int:
        return (words[0] & (1 << 64) - 1) | (words[1] & (1 << 64) - 1) << 64

    x, y = whole(a), whole(b) | 1 << at
    made, (low, many, empty) = play(a, b, at)
    assert [whole(words) for words in made] == [x & ~y, x ^ y, y >> at, ((2 << at) - 1) << 1 & FULL, x]
    assert (low, many, empty) == ((y & -y).bit_length() - 1, y.bit_count(), x == 0)
