# mypy: ignore-errors
"""The state as kernels see it: an address, and names for the tables whose addresses are found there.

What is read from `State.raw` does not change during a call, and the compiler is told so. A kernel hands on a single
number in place of all tables, by which kernels compile several times as fast.
"""

from llvmlite import ir
from numba import types
from numba.core.datamodel import models, register_default
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer, infer_getattr, signature
from numba.extending import intrinsic, lower_builtin, lower_getattr_generic
from numba.np.arrayobj import make_array

from unknot.simulation.layout import COUNTERS, ENTRIES, FIRST_TABLE, TABLES
from unknot.types_kernel import RULE  # noqa: F401 imported first by every kernel
from unknot.words_kernel import array_of

UNSIGNED = ("random",)
NUMBERS = {8: types.int8, 32: types.int32, 64: types.int64}


class View(types.Type):
    """A `State` in a kernel."""

    def __init__(self):
        super().__init__("unknot.State")


class Setup(types.Type):
    """The entries of its setup."""

    def __init__(self):
        super().__init__("unknot.State.setup")


VIEW, SETUP = View(), Setup()


@register_default(View)
@register_default(Setup)
class _Address(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.IntType(64))


def _columns(name):
    """Type and columns of a table; a plain array has 0."""
    if name in ("raw", "count"):
        return types.int64, 0
    bits, columns = TABLES[name]
    return types.uint64 if name in UNSIGNED else NUMBERS[bits], columns


@infer_getattr
class _Names(AttributeTemplate):
    key = View

    def generic_resolve(self, view, name):
        if name == "setup":
            return SETUP
        if name in ("raw", "count") or name in TABLES:
            kind, columns = _columns(name)
            return types.Array(kind, 2 if columns else 1, "C")
        return None


@infer
class _Entries(AbstractTemplate):
    key = "static_getitem"

    def generic(self, args, kws):
        if isinstance(args[0], Setup) and isinstance(args[1], int):
            return signature(types.int64, *args)
        return None


def _entry(builder, address, number):
    """A number of `raw`, which does not change."""
    place = builder.add(address, ir.Constant(ir.IntType(64), 8 * number))
    value = builder.load(builder.inttoptr(place, ir.IntType(64).as_pointer()))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@lower_builtin("static_getitem", Setup, types.IntegerLiteral)
def _read_entry(context, builder, sig, args):
    return _entry(builder, args[0], args[1])


@lower_getattr_generic(View)
def _read_table(context, builder, kind, address, name):
    if name == "setup":
        return address
    word = context.get_constant
    number, columns = _columns(name)
    if name == "raw":
        data, rows = address, word(types.intp, FIRST_TABLE + 2 * len(TABLES))
    elif name == "count":
        data, rows = builder.add(address, word(types.intp, 8 * ENTRIES)), word(types.intp, COUNTERS)
    else:
        at = FIRST_TABLE + 2 * list(TABLES).index(name)
        data, rows = _entry(builder, address, at), _entry(builder, address, at + 1)
    return array_of(context, builder, number, data, rows, columns)


@intrinsic
def view(typingctx, raw):
    """The state that an array `State.raw` describes."""

    def codegen(context, builder, sig, args):
        data = make_array(sig.args[0])(context, builder, args[0]).data
        return builder.ptrtoint(data, ir.IntType(64))

    return VIEW(raw), codegen
