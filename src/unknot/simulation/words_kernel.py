# mypy: ignore-errors
"""Words of bits, indices, and memory that threads share, as single machine instructions."""

import sys

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


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
def array_at(typingctx, address, rows, columns, bits):
    """The contiguous array of so many rows at an address: of 0 columns a plain one, of 65 bits one of uint64."""
    if not isinstance(columns, types.IntegerLiteral) or not isinstance(bits, types.IntegerLiteral):
        return None
    many = columns.literal_value
    kind = {32: types.int32, 64: types.int64, 65: types.uint64}[bits.literal_value]
    size, result = kind.bitwidth // 8, types.Array(kind, 2 if many else 1, "C")

    def codegen(context, builder, signature, args):
        view = make_array(result)(context, builder)
        word = context.get_constant
        shape, strides = [args[1]], [word(types.intp, size)]
        if many:
            shape.append(word(types.intp, many))
            strides.insert(0, word(types.intp, size * many))
        data = builder.inttoptr(args[0], context.get_data_type(kind).as_pointer())
        populate_array(view, data, shape, strides, word(types.intp, size), meminfo=None)
        return view._getvalue()

    return result(types.int64, types.int64, columns, bits), codegen


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


@intrinsic
def prefetch(typingctx, address):
    """Have the cache line at an address fetched meanwhile."""

    def codegen(context, builder, signature, args):
        number, pointer = ir.IntType(32), builder.inttoptr(args[0], ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        name = "llvm.prefetch.p0"
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name=name)
        builder.call(function, [pointer, number(1), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(types.int64), codegen
