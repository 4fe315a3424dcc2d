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
from llvmlite import ir
from numba import config, njit, types
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys

from unknot._base.kernels import cache as kernel_cache
from unknot._base.kernels import linked

BY_NUMBA = "-by-numba"
"""Ending of the names of files of C functions that only Numba can load."""

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


class CFunction:
    """A compiled function as a C function of words, at an address, kept on disk if it has a file.

    Numba would compile a function that catches what the compiled one raises, which takes as long as a rule does. This
    one is a dozen instructions.

    Parameters
    ----------
    compiled : CompileResult
        Made by an `InnerCompiler`.
    count : int
        Number of words.
    arguments : callable
        Writes to a builder what the compiled function takes, given the words.
    failed : int
        Answer when it raises.
    file : str or None
    """

    def __init__(self, compiled, count, arguments, failed, file):
        self.name = f"cfunc.{compiled.fndesc.llvm_func_name}"
        with global_compiler_lock:
            self.library = TARGET.codegen().create_library(self.name)
            self.library.enable_object_caching()
            with TARGET.push_code_library(self.library):
                self.library.add_ir_module(self._module(compiled.fndesc, count, arguments, failed))
            self.library.add_linking_library(compiled.library)
            self.library.finalize()
            self.address = self.library.get_pointer_to_function(self.name)
        if file is not None and not self.library.has_dynamic_globals:
            code = self.library._get_compiled_object()
            if not linked.keep(file, self.name, self.library.get_llvm_str(), code):
                kept = self.name, self.library.serialize_using_object_code()
                kernel_cache.write(file + BY_NUMBA, pickle.dumps(kept, protocol=4))

    def _module(self, inner, count, arguments, failed):
        convention, word, module = TARGET.call_conv, ir.IntType(64), TARGET.create_module(self.name)
        kind = convention.get_function_type(inner.restype, inner.argtypes)
        called = ir.Function(module, kind, inner.llvm_func_name)
        made = ir.Function(module, ir.FunctionType(word, [word] * count), self.name)
        builder = ir.IRBuilder(made.append_basic_block("entry"))
        status, answer = convention.call_function(
            builder, called, inner.restype, inner.argtypes, arguments(builder, made.args)
        )
        none = inner.restype == types.none
        number = word(0) if none else TARGET.cast(builder, answer, inner.restype, types.int64)
        builder.ret(builder.select(status.is_ok, number, word(failed)))
        return module


class KeptByNumba:
    """A kept C function that needs Numba's runtime, loaded by Numba; an error if none is kept."""

    def __init__(self, file):
        name, kept = pickle.loads(kernel_cache.read(file + BY_NUMBA) or b"")
        rtsys.initialize(TARGET)
        self.library = TARGET.codegen().unserialize_library(kept)
        self.address = self.library.get_pointer_to_function(name)
