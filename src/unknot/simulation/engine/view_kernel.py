# mypy: ignore-errors
"""The state as kernels see it: an address, and names for the tables whose addresses are found there.

What is read from `State.raw` does not change during a call, which the compiler is made to know. A kernel hands on
a single number in place of all tables, by which kernels compile several times as fast. No index is negative, so
no code is made for indices that count from the end, and an access to a table is a single instruction. Marks for
LLVM's type-based alias analysis tell the compiler that tables do not overlap.
"""

import operator
from functools import reduce

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, lower_getattr_generic, lower_setattr_generic
from numba.np.arrayobj import make_array, populate_array

from unknot.simulation.engine.setup import COUNT, ENTRIES, FAST_VIEWS, FIRST_TABLE, GENERAL_VIEWS, ROW_VIEWS, SETUP
from unknot.simulation.engine.state import TABLES
from unknot.simulation.engine.view_types_kernel import WORD, Column, Counters, RowsType, SetupType, View


def _made(builder, address, rows):
    place = ir.Constant(ir.LiteralStructType([WORD, WORD]), ir.Undefined)
    return builder.insert_value(builder.insert_value(place, address, 0), rows, 1)


def _tagged(builder, instruction, table):
    """Mark an access to a table, or to the counters: those of others are to other places."""
    add = builder.module.add_metadata
    kind = add([table, add(["unknot.State"]), WORD(0)])
    instruction.set_metadata("tbaa", add([kind, kind, WORD(0)]))
    return instruction


def _pointer(builder, address, number=WORD):
    return builder.inttoptr(address, number.as_pointer())


def _entry(builder, address, number):
    """A number of `raw`, which does not change."""
    value = builder.load(_pointer(builder, builder.add(address, WORD(8 * number))))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def _element(context, builder, column, place, index):
    """Pointer to a number of a column."""
    address, rows = (builder.extract_value(place, k) for k in range(2))
    if context.enable_boundscheck:
        cgutils.do_boundscheck(context, builder, index, rows)
    offset = builder.mul(index, WORD(column.step), flags=["nsw"])
    return _pointer(builder, builder.add(address, offset), context.get_data_type(column.kind))


@lower_builtin(operator.getitem, Column, types.int64)
def _read(context, builder, sig, args):
    column = sig.args[0]

    def word(k):
        place = _element(context, builder, column, args[0], builder.add(args[1], WORD(k)))
        return _tagged(builder, builder.load(place), column.table)

    if column.words == 1:
        return context.cast(builder, word(0), column.kind, column.read)
    wide = context.get_data_type(column.read)
    parts = (builder.shl(builder.zext(word(k), wide), wide(64 * k)) for k in range(column.words))
    return reduce(builder.or_, parts)


@lower_builtin(operator.setitem, Column, types.int64, types.Any)
def _write(context, builder, sig, args):
    column, (place, index, mask) = sig.args[0], args
    for k in range(column.words):
        word = mask if column.words == 1 else builder.trunc(builder.lshr(mask, mask.type(64 * k)), WORD)
        at = _element(context, builder, column, place, builder.add(index, WORD(k)))
        _tagged(builder, builder.store(word, at), column.table)


@lower_getattr_generic(SetupType)
def _read_entry(context, builder, kind, address, name):
    if name in kind.constants:
        return WORD(kind.constants[name])
    return _entry(builder, address, SETUP.names.index(name))


def _counter(builder, address, name):
    return _pointer(builder, builder.add(address, WORD(8 * (ENTRIES + COUNT.names.index(name)))))


@lower_getattr_generic(Counters)
def _read_counter(context, builder, kind, address, name):
    return _tagged(builder, builder.load(_counter(builder, address, name)), "count")


@lower_setattr_generic(Counters)
def _write_counter(context, builder, sig, args, name):
    _tagged(builder, builder.store(args[1], _counter(builder, args[0], name)), "count")


@lower_getattr_generic(View)
def _read_table(context, builder, kind, address, name):
    if name not in TABLES:
        return address
    at = FIRST_TABLE + 2 * list(TABLES).index(name)
    return _made(builder, _entry(builder, address, at), _entry(builder, address, at + 1))


@lower_getattr_generic(RowsType)
@lower_getattr_generic(Column)
def _read_column(context, builder, kind, place, name):
    if name == "size":
        return builder.extract_value(place, 1)
    offset = WORD(TABLES[kind.table].fields[name][1])
    return builder.insert_value(place, builder.add(builder.extract_value(place, 0), offset), 0)


@intrinsic
def place_of(typingctx, column):
    """The address of the first row of a table or column."""

    def codegen(context, builder, signature, args):
        return builder.extract_value(args[0], 0)

    return types.int64(column), codegen


@intrinsic
def beyond(typingctx, column, row):
    """The rows of a table, or of a column, from one on."""

    def codegen(context, builder, signature, args):
        address, rows = (builder.extract_value(args[0], k) for k in range(2))
        return _made(
            builder, builder.add(address, builder.mul(args[1], WORD(column.step))), builder.sub(rows, args[1])
        )

    return column(column, types.int64), codegen


@intrinsic
def as_array(typingctx, column):
    """A column as an array, of a type that it shares with columns of other tables."""
    kind = types.Array(column.kind, 1, "A")

    def codegen(context, builder, signature, args):
        array, step = make_array(kind)(context, builder), WORD(column.step)
        pointer = builder.inttoptr(builder.extract_value(args[0], 0), array.data.type)
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(column.kind)))
        populate_array(array, pointer, [builder.extract_value(args[0], 1)], [step], size, meminfo=None)
        return array._getvalue()

    return kind(column), codegen


def _address(context, builder, signature, args):
    raw = signature.args[0]
    return args[0] if raw == types.int64 else builder.ptrtoint(make_array(raw)(context, builder, args[0]).data, WORD)


def _view_with(constants):
    """Return the function that makes a view of a state with given constant entries in its setup."""

    @intrinsic
    def view(typingctx, raw):
        """The state that an array `State.raw` describes, or the one at an address."""
        return View(constants)(raw), _address

    return view


globals().update(
    (name, _view_with(constants)) for name, constants in (FAST_VIEWS | GENERAL_VIEWS | ROW_VIEWS).items()
)
