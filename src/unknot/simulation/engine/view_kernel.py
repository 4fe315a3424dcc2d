# mypy: ignore-errors
"""The state as kernels see it: an address, and names for the tables whose addresses are found there.

What is read from `State.raw` does not change during a call, which the compiler is made to know. A kernel hands on
a single number in place of all tables, by which kernels compile several times as fast.
"""

from llvmlite import ir
from numba import types
from numba.core.datamodel import models, register_default
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_getattr_generic
from numba.np.arrayobj import make_array, populate_array
from numba.np.numpy_support import from_dtype

from unknot.simulation.engine.state import COUNT, ENTRIES, FIRST_TABLE, SETUP, TABLES
from unknot.types_kernel import RULE  # noqa: F401 imported first by every kernel

KINDS = {name: from_dtype(table.dtype) for name, table in TABLES.items()} | {"raw": types.int64}
SETUP_ENTRIES = SETUP.dtype.names
COUNT_KIND = from_dtype(COUNT.dtype)


class View(types.Type):
    """A `State` in a kernel."""

    def __init__(self):
        super().__init__("unknot.State")


class Setup(types.Type):
    """The entries of its setup."""

    def __init__(self):
        super().__init__("unknot.State.setup")


VIEW, SETUP_VIEW = View(), Setup()


@register_default(View)
@register_default(Setup)
class _Address(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.IntType(64))


@infer_getattr
class _Names(AttributeTemplate):
    key = View

    def generic_resolve(self, view, name):
        if name == "setup":
            return SETUP_VIEW
        if name == "count":
            return COUNT_KIND
        return types.Array(KINDS[name], 1, "C") if name in KINDS else None


@infer_getattr
class _Entries(AttributeTemplate):
    key = Setup

    def generic_resolve(self, setup, name):
        return types.int64 if name in SETUP_ENTRIES else None


def _entry(builder, address, number):
    """A number of `raw`, which does not change."""
    place = builder.add(address, ir.Constant(ir.IntType(64), 8 * number))
    value = builder.load(builder.inttoptr(place, ir.IntType(64).as_pointer()))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@lower_getattr_generic(Setup)
def _read_entry(context, builder, kind, address, name):
    return _entry(builder, address, SETUP_ENTRIES.index(name))


@lower_getattr_generic(View)
def _read_table(context, builder, kind, address, name):
    word = context.get_constant
    if name == "setup":
        return address
    if name == "count":
        place = builder.add(address, word(types.intp, 8 * ENTRIES))
        return builder.inttoptr(place, context.get_value_type(COUNT_KIND))
    if name == "raw":
        data, rows = address, word(types.intp, FIRST_TABLE + 2 * len(TABLES))
    else:
        at = FIRST_TABLE + 2 * list(TABLES).index(name)
        data, rows = _entry(builder, address, at), _entry(builder, address, at + 1)
    size = TABLES[name].dtype.itemsize if name in TABLES else 8
    array = make_array(types.Array(KINDS[name], 1, "C"))(context, builder)
    pointer, size = builder.inttoptr(data, array.data.type), word(types.intp, size)
    populate_array(array, pointer, [rows], [size], size, meminfo=None)
    return array._getvalue()


@intrinsic
def view(typingctx, raw):
    """The state that an array `State.raw` describes."""

    def codegen(context, builder, sig, args):
        data = make_array(sig.args[0])(context, builder, args[0]).data
        return builder.ptrtoint(data, ir.IntType(64))

    return VIEW(raw), codegen
