# mypy: ignore-errors
"""Compilation of the kernels of `native`."""

from importlib import import_module

from numba import types

from unknot._base.kernels.kept_kernel import TARGET, CFunction
from unknot._base.kernels.linked import NUMBER, RAISED, flat, words_of
from unknot._base.kernels.words_kernel import array_of

NUMBERS = {
    "int64": types.int64, "int32": types.int32, "int16": types.int16, "int8": types.int8, "uint64": types.uint64,
    "bool": types.boolean, "float64": types.float64,
}  # fmt: skip
"""Types of the numbers of arrays."""


def compiled(native):
    """Compile a kernel as a C function, and keep it."""
    kernel = getattr(import_module(native.module), native.name)
    if hasattr(kernel, "compiled"):
        (compiled,) = kernel.compiled.overloads.values()
    else:
        signature = tuple(_type(kind) for kind in native.kinds)
        kernel.compile(signature)
        compiled = kernel.overloads[signature]

    def arguments(builder, words):
        rest = iter(words)
        pairs = zip(native.kinds, compiled.fndesc.argtypes, strict=True)
        return [_argument(builder, kind, type_, rest) for kind, type_ in pairs]

    count = sum(words_of(kind) for kind in flat(native.kinds))
    return CFunction(compiled, count, arguments, RAISED, native.file)


def _made(kind):
    """Signature and code of the function that makes an argument of the address of an array."""
    module, _, name = kind.rpartition(".")
    return getattr(import_module(module), name).__wrapped__(None, types.int64)


def _type(kind):
    if kind == NUMBER:
        return types.int64
    return _made(kind)[0].return_type if "." in kind else types.Array(NUMBERS[kind], 1, "C")


def _argument(builder, kind, type_, words):
    """Write what makes an argument of a kind of the next words."""
    if isinstance(kind, tuple):
        parts = [_argument(builder, part, own, words) for part, own in zip(kind, type_, strict=True)]
        return TARGET.make_tuple(builder, type_, parts)
    if kind == NUMBER:
        return TARGET.cast(builder, next(words), types.int64, type_)
    if "." in kind:
        signature, code = _made(kind)
        return code(TARGET, builder, signature, [next(words)])
    return array_of(TARGET, builder, NUMBERS[kind], next(words), next(words))
