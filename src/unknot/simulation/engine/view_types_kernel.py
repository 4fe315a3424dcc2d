# mypy: ignore-errors
"""Types of the state in kernels, of its tables and of their columns; `view_kernel` says how each is read."""

import operator

from llvmlite import ir
from numba import from_dtype, types
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global, signature
from numba.extending import infer_getattr, models, register_model

from unknot._base.kernels.mask_kernel import Mask
from unknot.simulation.engine.setup import COUNT, SETUP
from unknot.simulation.engine.state import TABLES

WORD = ir.IntType(64)
OF_CELLS = ("masks", "borders", "inbox", "outside", "planes", "answers", "wants", "asked")
"""Tables whose words stand for the virtual channels of a router."""


class NamedType(types.Type):
    """A type that knows the types of its attributes by name."""


class View(NamedType):
    """A `State` in a kernel, and entries of its setup that are constants there.

    Its `whole` is the same state, where an entry of `OF_CELLS` is a mask of all words of a router: of that row and
    the next ones.
    """

    def __init__(self, constants, words=1):
        self.constants, self.words = constants, words
        super().__init__(f"unknot.State({sorted(constants.items())}, {words})")

    def attribute(self, name):
        """Return the type of a table, or of a part of the state."""
        if name == "whole":
            return View(self.constants, self.constants.get("width", 1))
        own = {"setup": SetupType(self.constants), "count": COUNTERS, "raw": types.int64}
        return own.get(name) or table_type(name, self.words)

    def known(self, name):
        """Return its setup, of which entries are known."""
        return SetupType(self.constants) if name == "setup" else None


class SetupType(NamedType):
    """The entries of its setup."""

    def __init__(self, constants):
        self.constants = constants
        super().__init__(f"unknot.State.setup({sorted(constants.items())})")

    def attribute(self, name):
        """Return the type of an entry."""
        return types.int64 if name in SETUP.names else None

    def known(self, name):
        """Return an entry that is a constant."""
        return self.constants.get(name)


class Counters(NamedType):
    """Its counters."""

    def __init__(self):
        super().__init__("unknot.State.count")

    def attribute(self, name):
        """Return the type of a counter."""
        return types.int64 if name in COUNT.names else None


class RowsType(NamedType):
    """A table that has columns."""

    def __init__(self, table, words=1):
        self.table, self.step, self.words = table, TABLES[table].itemsize, words
        super().__init__(f"unknot.State.{table}, {words}")

    def attribute(self, name):
        """Return the type of a column, or of the number of rows."""
        if name in TABLES[self.table].names:
            return Column(self.table, from_dtype(TABLES[self.table][name]), self.words)
        return types.int64 if name == "size" else None


class Column(NamedType):
    """A column of a table, or a table of plain numbers: numbers of a kind, `step` bytes from one to the next.

    What is read is an int64 whatever the kind, unless that is unsigned: functions then have one type of arguments.
    """

    def __init__(self, table, kind, words=1):
        self.table, self.kind, self.step, self.words = table, kind, TABLES[table].itemsize, words
        self.read = Mask(words) if words > 1 else types.int64 if kind.signed else kind
        super().__init__(f"unknot.State.{table}[{kind}], {words}")

    def attribute(self, name):
        """Return the type of the number of rows."""
        return types.int64 if name == "size" else None


COUNTERS = Counters()


def table_type(name, words):
    """Return the type of a table, or None if there is none; entries of `OF_CELLS` are masks of `words` words."""
    words = words if name in OF_CELLS else 1
    kind = TABLES.get(name)
    return kind and (RowsType(name, words) if kind.names else Column(name, from_dtype(kind), words))


@register_model(View)
@register_model(SetupType)
@register_model(Counters)
class _Address(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, WORD)


@register_model(RowsType)
@register_model(Column)
class _Place(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("address", types.int64), ("rows", types.int64)])


@infer_getattr
class _Attributes(AttributeTemplate):
    key = NamedType

    def generic_resolve(self, kind, name):
        return kind.attribute(name)


@infer_global(operator.getitem)
class _Get(AbstractTemplate):
    def generic(self, args, keywords):
        return signature(args[0].read, args[0], types.int64) if isinstance(args[0], Column) else None


@infer_global(operator.setitem)
class _Set(AbstractTemplate):
    def generic(self, args, keywords):
        if isinstance(args[0], Column):
            return signature(types.none, args[0], types.int64, args[0].read if args[0].words > 1 else args[0].kind)
        return None
