# mypy: ignore-errors
"""Words of bits, indices, and memory that threads share, as single machine instructions."""

import sys

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array


@intrinsic
def natural(typingctx, value):
    """`value` as an index that is promised not to be negative, so that no code is made to wrap it round."""

    def codegen(context, builder, signature, args):
        index = context.cast(builder, args[0], signature.args[0], types.int64)
        builder.assume(builder.icmp_signed(">=", index, context.get_constant(types.int64, 0)))
        return index

    return types.int64(value), codegen


@intrinsic
def lowest(typingctx, word):
    """Number of the lowest bit that is set in a word that is not 0."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@intrinsic(prefer_literal=True)
def columns(typingctx, array, many):
    """The contiguous array itself, whose rows are promised to have so many columns, a constant."""
    if not isinstance(many, types.IntegerLiteral):
        return None
    size = array.dtype.bitwidth // 8

    def codegen(context, builder, signature, args):
        view = make_array(array)(context, builder, args[0])
        word = context.get_constant
        shape = cgutils.unpack_tuple(builder, view.shape)
        shape[-1] = word(types.intp, many.literal_value)
        strides = [word(types.intp, size)]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        view.shape = cgutils.pack_array(builder, shape)
        view.strides = cgutils.pack_array(builder, strides)
        return view._getvalue()

    return array(array, many), codegen


def _pointer(builder, address):
    return builder.inttoptr(address, ir.IntType(64).as_pointer())


@intrinsic
def atomic_or(typingctx, address, bits):
    """Set bits in the 64-bit word at an address, whoever else does so at the same time."""

    def codegen(context, builder, signature, args):
        return builder.atomic_rmw("or", _pointer(builder, args[0]), args[1], "monotonic")

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def load(typingctx, address):
    """The 64-bit word at an address, and all that its writer wrote before it."""

    def codegen(context, builder, signature, args):
        return builder.load_atomic(_pointer(builder, args[0]), "acquire", 8)

    return types.int64(types.int64), codegen


@intrinsic
def store(typingctx, address, value):
    """Write a 64-bit word after all that was written before."""

    def codegen(context, builder, signature, args):
        builder.store_atomic(args[1], _pointer(builder, args[0]), "release", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def let_others_run(typingctx):
    """Give up the processor for a moment."""

    def codegen(context, builder, signature, args):
        name = "SwitchToThread" if sys.platform == "win32" else "sched_yield"
        kind = ir.FunctionType(ir.IntType(32), [])
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name=name)
        builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), codegen
