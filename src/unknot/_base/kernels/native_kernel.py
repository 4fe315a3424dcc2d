# mypy: ignore-errors
"""Compilation of the kernels of `native`."""

from importlib import import_module

import numpy as np
from numba import types

from unknot._base.kernels.kept_kernel import c_function
from unknot._base.kernels.linked import RAISED
from unknot._base.kernels.words_kernel import array_of_kind

ARRAYS = {"int64": array_of_kind(types.int64), "bool": array_of_kind(types.boolean)}


def compiled(native):
    """Compile a kernel as a C function, and keep it."""
    kernel = getattr(import_module(native.module), native.name)
    scope = {"kernel": kernel, "int64": np.int64, "RAISED": np.int64(RAISED)}
    names, given = [], []
    for i, kind in enumerate(native.kinds):
        own = [f"a{i}"] if kind == "number" else [f"a{i}", f"size{i}"]
        names += own
        given.append(own[0] if kind == "number" else f"{kind}_at({', '.join(own)})")
        scope[f"{kind}_at"] = ARRAYS.get(kind)
    # Written out, as Numba compiles no function of any number of arguments. What is caught needs nothing of Numba to
    # be raised, so that the code can be linked without it.
    lines = (
        f"def {native.name}({', '.join(names)}):",
        "    try:",
        f"        return int64(kernel({', '.join(given)}))",
        "    except Exception:",
        "        return RAISED",
    )
    exec("\n".join(lines), scope)
    return c_function(scope[native.name], types.int64(*[types.int64] * len(names)), {"_nrt": False}, native.file)
