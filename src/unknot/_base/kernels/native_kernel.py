# mypy: ignore-errors
"""Compilation of the kernels of `native`."""

from importlib import import_module
from itertools import count

import numpy as np
from numba import types

from unknot._base.kernels.kept_kernel import c_function
from unknot._base.kernels.linked import NUMBER, RAISED, flat, words_of
from unknot._base.kernels.words_kernel import array_of_kind

ARRAYS = {
    kind: array_of_kind(number)
    for kind, number in {
        "int64": types.int64, "int32": types.int32, "int16": types.int16, "uint64": types.uint64,
        "bool": types.boolean,
    }.items()
}  # fmt: skip


def compiled(native):
    """Compile a kernel as a C function, and keep it."""
    kernel = getattr(import_module(native.module), native.name)
    # Now, not while its caller is compiled, whose options it would have.
    kernel = getattr(kernel, "compiled", kernel)
    scope = {"kernel": kernel, "int64": np.int64, "RAISED": np.int64(RAISED)}
    scope |= {f"{kind}_at": made for kind, made in ARRAYS.items()}
    for module, _, name in (kind.rpartition(".") for kind in flat(native.kinds)):
        if module:
            scope[name] = getattr(import_module(module), name)
    number, names, arrays = count(), [], []

    def given(kind):
        """What is passed for a parameter; notes the words it is made of."""
        if isinstance(kind, tuple):
            return f"({''.join(f'{given(part)}, ' for part in kind)})"
        own = [f"a{next(number)}" for _ in range(words_of(kind))]
        names.extend(own)
        if kind != NUMBER:
            made = kind.rpartition(".")[2] if "." in kind else f"{kind}_at"
            arrays.append(f"    {own[0]} = {made}({', '.join(own)})")
        return own[0]

    call = f"kernel{given(native.kinds)}"
    # Written out, as Numba compiles no function of any number of arguments. What is caught needs nothing of Numba to
    # be raised, so that the code can be linked without it; inside `try` all takes several times as long to compile.
    lines = (
        f"def {native.name}({', '.join(names)}):",
        *arrays,
        "    try:",
        f"        return int64({call})" if native.answers else f"        {call}; return int64(0)",
        "    except Exception:",
        "        return RAISED",
    )
    exec("\n".join(lines), scope)
    return c_function(scope[native.name], types.int64(*[types.int64] * len(names)), {"_nrt": False}, native.file)
