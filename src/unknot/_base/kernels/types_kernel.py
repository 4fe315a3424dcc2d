# mypy: ignore-errors
"""Types for kernel signatures. Every kernel imports this first, directly or not, so that limits see compiling."""

from functools import partial

from numba import njit, types

from unknot._base.compile_time import watch_compiling
from unknot._base.kernels.inner_kernel import InnerCompiler, WholeCompiler
from unknot._base.kernels.kept_kernel import kept as kept

watch_compiling()

# Functions that only kernels call. They have no wrappers for Python and C, are optimised in their callers alone, and
# have no array expressions, which rewrites would look for: all three save time of compiling.
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "no_rewrites": True, "pipeline_class": InnerCompiler}
called = njit(_nrt=False, **INNER)
inlined = njit(_nrt=False, forceinline=True, **INNER)
# Functions that Python calls, with records of arrays of any shape, and that make no arrays: then nothing counts
# references to those that they are given, which takes longer to compile than what they do.
alone = kept(nogil=True, _nrt=False, no_cfunc_wrapper=True, no_rewrites=True)
whole = partial(njit, **{**INNER, "no_rewrites": False, "pipeline_class": WholeCompiler})

# Read-only arrays; writable ones are accepted too.
READ32 = types.Array(types.int32, 1, "C", readonly=True)
READ64 = types.Array(types.int64, 1, "C", readonly=True)
READ_BOOL = types.Array(types.boolean, 1, "C", readonly=True)

I8, I16, I32, I64 = types.int8[::1], types.int16[::1], types.int32[::1], types.int64[::1]
F64, FLAGS = types.float64[::1], types.boolean[::1]


def __getattr__(name):
    """Numba's own types, so that every type of a signature can be imported from this module."""
    return getattr(types, name)
