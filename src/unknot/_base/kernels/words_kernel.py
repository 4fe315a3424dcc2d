# mypy: ignore-errors
"""Calls of what is at an address, and memory that threads share, as single machine instructions."""

import sys

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from unknot._base import splitmix
from unknot._base.kernels.linked import RAISED
from unknot._base.kernels.types_kernel import inlined

mixed = inlined(splitmix.mixed)


def array_of(context, builder, number, address, size):
    """The contiguous array of some numbers or rows at an address.

    Numba's `carray` makes one only in kernels that count references; those of the simulator and rules do not.
    """
    array = make_array(types.Array(number, 1, "C"))(context, builder)
    pointer = builder.inttoptr(address, array.data.type)
    step = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(number)))
    populate_array(array, pointer, [size], [step], step, meminfo=None)
    return array._getvalue()


@intrinsic
def call_rule(typingctx, rule, at, address, pointer):
    """The answer of the rule at an address, a C function; Numba calls those it knows by some hundred instructions."""

    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * 3)
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return types.int64(*[types.int64] * 4), codegen


@intrinsic
def call_at(typingctx, address, words):
    """The answer of the kernel at an address, a C function that takes these words."""

    def codegen(context, builder, signature, args):
        parts = zip(cgutils.unpack_tuple(builder, args[1]), signature.args[1], strict=True)
        words = [context.cast(builder, part, kind, types.int64) for part, kind in parts]
        kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * len(words))
        answer = builder.call(builder.inttoptr(args[0], kind.as_pointer()), words)
        if config.BOUNDSCHECK:
            with builder.if_then(builder.icmp_signed("==", answer, answer.type(RAISED)), likely=False):
                context.call_conv.return_user_exc(builder, IndexError, ("in a kernel called by its address",))
        return answer

    return types.int64(types.int64, words), codegen


@inlined
def called_rule(rule, at, address, pointer):
    """The same, as a function that has a type of its own."""
    return call_rule(rule, at, address, pointer)


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
