# mypy: ignore-errors
"""The state as kernels see it: an address, and names for the tables whose addresses are found there.

What is read from `State.raw` does not change during a call, which the compiler is made to know. A kernel hands on
a single number in place of all tables, by which kernels compile several times as fast.
"""

from llvmlite import ir
from numba import from_dtype, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model
from numba.np.arrayobj import make_array

from unknot._base.kernels.words_kernel import array_of
from unknot.simulation.engine.state import COUNT, ENTRIES, FIRST_TABLE, SETUP, TABLES

KINDS = {name: from_dtype(table.dtype) for name, table in TABLES.items()}
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


@register_model(View)
@register_model(Setup)
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
        if name == "raw":
            return types.int64
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
    if name in ("setup", "raw"):
        return address
    if name == "count":
        place = builder.add(address, context.get_constant(types.intp, 8 * ENTRIES))
        return builder.inttoptr(place, context.get_value_type(COUNT_KIND))
    at = FIRST_TABLE + 2 * list(TABLES).index(name)
    return array_of(context, builder, KINDS[name], _entry(builder, address, at), _entry(builder, address, at + 1))


@intrinsic
def view(typingctx, raw):
    """The state that an array `State.raw` describes, or the one at an address."""

    def codegen(context, builder, signature, args):
        if raw == types.int64:
            return args[0]
        return builder.ptrtoint(make_array(raw)(context, builder, args[0]).data, ir.IntType(64))

    return VIEW(raw), codegen
