# mypy: ignore-errors
"""Types for kernel signatures. Every kernel imports this first, directly or not, so that none is loaded stale."""

import os
from pathlib import Path

from numba import config, types
from numba.core.registry import cpu_target

from unknot.background import watch_compiling
from unknot.compiling import announce
from unknot.kernel_cache import folder_for, keep_apart, load_without_registries

if not config.CACHE_DIR and (_folder := folder_for(Path(__file__).parent)):
    # The processes that this one starts find them there too.
    config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"] = _folder
keep_apart(Path(__file__).parent)
load_without_registries()
watch_compiling()
announce()
# Numba makes its contexts when they are first wanted, under two locks that two threads may take in different order
# and then wait for each other for ever. Here one thread makes them while others wait for this module.
_CONTEXTS = cpu_target.typing_context, cpu_target.target_context

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


def __getattr__(name):
    """Numba's own types, so that all those of a signature are found here."""
    return getattr(types, name)
