# mypy: ignore-errors
"""Array types for kernel signatures: read-only ones also accept writable arrays."""

from numba import types

READ32 = types.Array(types.int32, 1, "C", readonly=True)
READ64 = types.Array(types.int64, 1, "C", readonly=True)
READ_BOOL = types.Array(types.boolean, 1, "C", readonly=True)
