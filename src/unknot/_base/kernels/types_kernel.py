# mypy: ignore-errors
"""Types for kernel signatures. Every kernel imports this first, directly or not, so that limits see compiling."""

import numba.experimental.function_type  # noqa: F401 arguments that are compiled rules
from numba import njit, types

from unknot._base.background import watch_compiling
from unknot._base.compiling import announce
from unknot._base.kernels.kept_kernel import kept as kept

watch_compiling()
announce()

# Functions that only kernels call: without wrappers for Python and C all compiles in six sevenths of the time.
# What a C function consists of is pasted into it by Numba: as a function of its own it would be optimised twice.
called = njit(_nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)
pasted = njit(_nrt=False, inline="always")
inlined = njit(_nrt=False, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)

# Read-only arrays; writable ones are accepted too.
READ32 = types.Array(types.int32, 1, "C", readonly=True)
READ64 = types.Array(types.int64, 1, "C", readonly=True)
READ_BOOL = types.Array(types.boolean, 1, "C", readonly=True)

# A routing rule: (input VC, address, pointer to candidates) -> count.
RULE_SIGNATURE = types.int64(types.int64, types.int64, types.int64)
RULE = types.FunctionType(RULE_SIGNATURE)

I32, I64 = types.int32[::1], types.int64[::1]
USE = types.Array(types.boolean, 2, "C", readonly=True)
MAP = types.Tuple((READ32, READ32, READ32, READ32, USE, READ64, READ64, READ64, READ64, types.boolean))
"""Layout of `verify.states_kernel.explore`."""
SCRATCH = types.Tuple((I32, I64, I64, I64, I64))
"""Where `explore` works: stamps of VCs, states in order, first candidates, candidates, the answer of a rule."""


def __getattr__(name):
    """Numba's own types, so that all those of a signature are found here."""
    return getattr(types, name)
