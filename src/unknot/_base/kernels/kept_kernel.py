# mypy: ignore-errors
"""Compiled functions that are kept on disk; with `inner_kernel` what touches private parts of Numba.

Numba's own cache sees a change of the file of a kernel only, not of what it holds of other files, prepares to compile
before it loads, which takes a third of a second, and loads damaged files.
"""

import contextlib
import hashlib
import pickle
import sys

import llvmlite
import numba
from numba import config, njit
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys

from unknot._base.kernels import cache as kernel_cache
from unknot._base.kernels import linked

# Numba makes its contexts when they are first wanted, under two locks that two threads may take in different order
# and then wait for each other for ever. Here one thread makes them while others wait for this module.
_CONTEXTS = cpu_target.typing_context, (TARGET := cpu_target.target_context)


class Kept:
    """Cache of one compiled function, in the form that Numba takes.

    Parameters
    ----------
    name : str
        Of its files.
    made_of : object
        All that the function is made of, as text.
    """

    cache_path = None

    def __init__(self, name, *made_of):
        self.name = name
        self.made_of = (*made_of, sys.version, numba.__version__, llvmlite.__version__, config.BOUNDSCHECK)

    def file_of(self, sig, target):
        """Return the name of the file of a signature on this processor."""
        made_of = repr((*self.made_of, str(sig), *target.codegen().magic_tuple()))
        return f"{self.name}-{hashlib.sha256(made_of.encode()).hexdigest()[:32]}"

    def load_overload(self, sig, target):
        """Return the compiled function; None if it is not there, damaged or not readable."""
        content = kernel_cache.read(self.file_of(sig, target))
        if content is not None:
            with contextlib.suppress(Exception):
                rtsys.initialize(target)
                return CompileResult._rebuild(target, *pickle.loads(content))
        return None

    def save_overload(self, sig, result):
        """Keep a compiled function, unless it holds addresses of this process."""
        if not result.library.has_dynamic_globals and not result.lifted:
            kernel_cache.write(self.file_of(sig, result.target_context), pickle.dumps(result._reduce(), protocol=4))


def kept(signature=None, **options):
    """Make a function a kernel that is compiled, or loaded, now; without a signature when it is called.

    Examples
    --------
    >>> @kept("int64(int64, int64)")
    ... def larger(a, b):
    ...     return a if a > b else b
    >>> larger(3, 4)
    4
    """

    def make(function):
        dispatcher = njit(**options)(function)
        if config.DISABLE_JIT:
            return function
        name = f"{function.__module__.removeprefix('unknot.')}.{function.__qualname__}"
        made_of = (
            kernel_cache.sources_digest(function.__module__),
            function.__code__.co_firstlineno,
            sorted(options.items()),
        )
        dispatcher._cache = Kept(name, *made_of)
        if signature is not None:
            dispatcher.compile(signature)
            dispatcher.disable_compile()
        return dispatcher

    return make


class KeptNative(Kept):
    """Cache of one C function, to be loaded without Numba where that can be, and by it elsewhere."""

    def save_overload(self, sig, result):
        """Keep a compiled function, unless it holds addresses of this process."""
        library = result.library
        if not library.has_dynamic_globals:
            code, _ = library.serialize_using_object_code()[2]
            name = result.fndesc.llvm_cfunc_wrapper_name
            linked.keep(self.name, name, library.get_llvm_str(), code) or super().save_overload(sig, result)


def c_function(function, signature, options, file):
    """Return a function that is compiled as a C function, and kept under the name of a file if there is one."""
    made = CFunc(function, (signature.args, signature.return_type), {}, options)
    if file is not None:
        made._cache = KeptNative(file)
    made.compile()
    return made
