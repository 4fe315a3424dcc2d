"""Compiled functions linked without Numba, whose import takes as much processor time as a short command.

They take and return whole numbers alone, as C functions do: for an array its address and its size. What is kept of
one is its name, a zero byte and the object code, for llvmlite to link.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from threading import RLock
from typing import Any

from unknot._base.kernels import cache as kernel_cache

NUMBER = "number"
"""Kind of a parameter that is a number; arrays have the type of their numbers."""
RAISED = -(1 << 63)
"""Answer of a kernel that raised: for want of memory for an array, or compiled with indices checked."""
ELSEWHERE = re.compile(r'^(?:declare .*?|@"?(?=.* external ))@?"?numba_', re.M)
"""In LLVM's text, what only Numba's own library defines, beside memory."""
MEMORY = "numba.core.runtime._nrt_python"
"""Module in C that hands out memory for arrays; unlike the rest of Numba it is loaded in a moment."""
_linking = RLock()


def flat(kinds: tuple[Any, ...]) -> Iterator[str]:
    """Yield the kinds of numbers and arrays, those in tuples too."""
    for kind in kinds:
        yield from flat(kind) if isinstance(kind, tuple) else (kind,)


def words_of(kind: str) -> int:
    """Return by how many words an argument of a kind is passed: an array by its address and its size."""
    return 1 if kind == NUMBER or "." in kind else 2


@cache
def linker() -> Any:
    """Return what links and keeps functions, made once."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@cache
def _hand_out_memory() -> None:
    """Define the functions by which compiled code makes arrays."""
    import llvmlite.binding as llvm

    runtime = sys.modules.get(MEMORY)
    if runtime is None:
        # `import` would import Numba first.
        places = [os.path.join(place, "core", "runtime") for place in _spec("numba").submodule_search_locations or ()]
        runtime = module_from_spec(_spec(MEMORY, places))
    for name, address in runtime.c_helpers.items():
        llvm.add_symbol("NRT_" + name, address)


def _spec(name: str, places: list[str] | None = None) -> ModuleSpec:
    spec = PathFinder.find_spec(name, places)
    if spec is None:
        raise ImportError(f"there is no module {name}", name=name)
    return spec


@cache
def _machine() -> str:
    """What compiled code depends on beside its sources: versions, processor, and options by environment variables."""
    import llvmlite
    import llvmlite.binding as llvm

    options = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_") and "DIR" not in item[0])
    processor = llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    # Asking for the version of a package imports what reads mail.
    numba = Path(_spec("numba").origin or "").with_name("_version.py").read_bytes()
    return repr((sys.version, numba, llvmlite.__version__, processor, options))


def file_of(name: str, *made_of: object) -> str:
    """Return the name of a function's file on this processor, a digest of all its sources."""
    return f"{name}-{hashlib.sha256(repr((*made_of, _machine())).encode()).hexdigest()[:32]}"


def load(file: str) -> int:
    """Return the address of a function that was kept; 0 if it was not."""
    symbol, _, code = (kernel_cache.read(file) or b"").partition(b"\0")
    if not code:
        return 0
    from llvmlite.binding import ObjectFileRef

    with _linking:
        if b"NRT_" in code:
            _hand_out_memory()
        linker().add_object_file(ObjectFileRef.from_data(code))
        linker().finalize_object()
        return int(linker().get_function_address(symbol.decode(errors="replace")))


def keep(file: str, symbol: str, text: str, code: bytes) -> bool:
    """Keep a function, if it can be loaded without Numba, as its LLVM text tells."""
    alone = ELSEWHERE.search(text) is None
    if alone:
        kernel_cache.write(file, symbol.encode() + b"\0" + code)
    return alone
