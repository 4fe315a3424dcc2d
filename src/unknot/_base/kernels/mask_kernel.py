# mypy: ignore-errors
"""Masks of several words: integers of 64 bits for each, which the compiler takes apart into machine words.

An operator takes two masks, or a mask and a number, whose sign is extended. A mask of one word is an int64: code that
makes masks by `none`, `bit_at` and `ones` of another one serves both.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model


class Mask(types.Type):
    """A mask of a number of words, the first of which has the lowest bits."""

    def __init__(self, words):
        self.words = words
        super().__init__(f"unknot.Mask({words})")

    def can_convert_from(self, typingctx, other):
        """Let a number stand for a mask."""
        return Conversion.safe if isinstance(other, types.Integer) else None


@register_model(Mask)
class _Words(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.IntType(64 * kind.words))


@lower_cast(types.Integer, Mask)
def _widened(context, builder, number, mask, word):
    return builder.sext(word, context.get_data_type(mask))


@lower_cast(Mask, types.int64)
def _first_word(context, builder, mask, number, word):
    return builder.trunc(word, ir.IntType(64))


def _operator(function, instruction, operands=2, answer=None):
    class Template(AbstractTemplate):
        def generic(self, args, keywords):
            mask = next((kind for kind in args if isinstance(kind, Mask)), None)
            return mask and signature(answer or mask, *[mask] * operands)

    infer_global(function)(Template)
    lower_builtin(function, *[Mask] * operands)(
        lambda context, builder, sig, args: getattr(builder, instruction[0])(*instruction[1:], *args)
    )


_operator(operator.sub, ["sub"])
_operator(operator.lshift, ["shl"])
_operator(operator.rshift, ["lshr"])
_operator(operator.neg, ["neg"], 1)
_operator(operator.invert, ["not_"], 1)
_operator(operator.eq, ["icmp_unsigned", "=="], answer=types.boolean)
_operator(operator.ne, ["icmp_unsigned", "!="], answer=types.boolean)
for _functions, _instruction in (
    ((operator.and_, operator.iand), "and_"),
    ((operator.or_, operator.ior), "or_"),
    ((operator.xor, operator.ixor), "xor"),
):
    for _function in _functions:
        _operator(_function, [_instruction])


def mask_like(kind):
    """Return a type of masks itself, and int64 for any type of numbers."""
    return kind if isinstance(kind, Mask) else types.int64


@intrinsic
def none(typingctx, mask):
    """An empty mask of the width of another one."""
    kind = mask_like(mask)
    return kind(kind), lambda context, builder, signature, args: args[0].type(0)


@intrinsic
def bit_at(typingctx, mask, at):
    """A mask of the same width with one bit, whose number is taken modulo the width."""
    kind = mask_like(mask)

    def codegen(context, builder, signature, args):
        wide = args[0].type
        return builder.shl(wide(1), builder.and_(_as_wide(builder, args[1], wide), wide(wide.width - 1)))

    return kind(kind, types.int64), codegen


@intrinsic
def ones(typingctx, mask, count):
    """A mask of the same width with its lowest `count` bits, at least one."""
    kind = mask_like(mask)

    def codegen(context, builder, signature, args):
        wide = args[0].type
        # Shifted by what is missing, as a word shifted by all of its bits is undefined.
        return builder.lshr(wide(-1), builder.sub(wide(wide.width), _as_wide(builder, args[1], wide)))

    return kind(kind, types.int64), codegen


@intrinsic
def lowest(typingctx, mask):
    """Number of the lowest bit that is set in a mask that is not 0."""

    def codegen(context, builder, signature, args):
        # The 1 says that the result for 0 does not matter, so that no code is made for it.
        return _number(builder, builder.cttz(args[0], ir.Constant(ir.IntType(1), 1)))

    return types.int64(mask_like(mask)), codegen


@intrinsic
def how_many(typingctx, mask):
    """Number of bits that are set in a mask."""
    return types.int64(mask_like(mask)), lambda context, builder, signature, args: _number(
        builder, builder.ctpop(args[0])
    )


def _number(builder, word):
    return builder.trunc(word, ir.IntType(64)) if word.type.width > 64 else word


def _as_wide(builder, number, wide):
    return builder.zext(number, wide) if wide.width > 64 else number
