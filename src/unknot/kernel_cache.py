"""Compiled kernels on disk: named after all sources that they are made of.

Numba keeps compiled kernels beside their source and compiles again when that one file changes. It does not see that a
kernel also holds functions and constants of other files.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

CONSTANTS = ("splitmix.py", "routing/relation.py", "simulation/engine/state.py")
"""Files that are not kernels but give them constants and functions."""


def folder_for(package: Path) -> str:
    """A folder for compiled kernels where Numba finds none, else empty: a private one among the temporary files.

    Numba keeps kernels beside their sources or in the user's cache. Where the installation is read-only and there is
    no home, as in containers and on batch nodes, it would refuse to compile at all.
    """
    beside = all(_writable(folder / "__pycache__") for folder in {s.parent for s in package.rglob("*_kernel.py")})
    if beside or _writable(Path(_user_cache())):
        return ""
    folder = _private_folder()
    warnings.warn(
        f"neither the folder of the installation nor the user's cache can be written to; kernels are compiled into "
        f"{folder}, which takes up to a minute once (NUMBA_CACHE_DIR names another folder)",
        stacklevel=2,
    )
    return str(folder)


def _user_cache() -> str:
    from numba.misc.appdirs import AppDirs

    numba: Any = AppDirs
    return str(numba(appname="numba", appauthor=False).user_cache_dir)


def _private_folder() -> Path:
    """A folder among the temporary files that nobody else can write to: compiled code is loaded from it."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir(), f"unknot-kernels-{user}")
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        own = stat.S_ISDIR(found.st_mode) and (found.st_uid == user or not hasattr(os, "getuid"))
        if own and not found.st_mode & 0o022:
            return folder
    return Path(tempfile.mkdtemp(prefix="unknot-kernels-"))


def _writable(folder: Path) -> bool:
    """Whether files can be made in a folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def load_without_registries() -> None:
    """Have Numba load compiled kernels without preparing to compile, which takes a third of a second.

    Before it loads a compiled function, Numba imports and installs all that could go into one. Loading needs of this
    only the start of its memory management; whatever is compiled later still prepares for it first.
    """
    importlib.import_module("numba.experimental.function_type")  # arguments that are compiled rules
    from numba.core import caching, cpu, runtime

    memory: Any = runtime.rtsys  # type: ignore[attr-defined]
    cache_kind: Any = caching.Cache
    context_kind: Any = cpu.CPUContext
    theirs, registries = cache_kind.load_overload, context_kind.load_additional_registries

    def load(cache: Any, sig: Any, target: Any) -> Any:
        if not cache._py_func.__module__.startswith("unknot."):
            return theirs(cache, sig, target)
        memory.initialize(target)
        with cache._guard_against_spurious_io_errors():
            return cache._load_overload(sig, target)

    def prepare(context: Any) -> None:
        without_a_look_at_blas()
        registries(context)

    cache_kind.load_overload, context_kind.load_additional_registries = load, prepare


def without_a_look_at_blas() -> None:
    """Load the part of Numba that looks for SciPy's linear algebra, but without the look: it takes 0.25 s.

    Unknot requires SciPy, so it is. A rule that multiplies matrices still has Numba look when it is compiled.
    """
    if "numba.np.arraymath" in sys.modules:
        return
    from numba.np import linalg

    look = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look


def keep_apart(package: Path) -> str:
    """Have Numba put a digest of all sources that kernels are made of into the names of a package's compiled kernels.

    So none is found that was made of other sources or by another compiler, in whatever folder it is and even while
    another process writes there. Kernels of other sources are removed from a folder when it is first used.
    Returns the digest (2 ms for 60 files).
    """
    import llvmlite
    import numba
    from numba.core.caching import CacheImpl

    sources = sources_digest(package)
    mark = f"{sources}-{numba.__version__}-{llvmlite.__version__}"
    inside, named = f"{package}{os.sep}", _numbas_name()
    cleared = set[str]()

    def name(cache: Any, fullname: str, abiflags: str) -> str:
        found: str = named(cache, fullname, abiflags)
        source = os.path.abspath(getattr(cache.locator, "_py_file", ""))
        if not source.startswith(inside):
            return found
        folder = cache.locator.get_cache_path()
        if folder not in cleared:
            cleared.add(folder)
            clear(Path(folder), sources)
        return f"{found}.{mark}"

    name.before = named  # type: ignore[attr-defined]
    setattr(CacheImpl, "get_filename_base", name)  # noqa: B010 -- a method of Numba
    return sources


def _numbas_name() -> Callable[[Any, str, str], str]:
    """The method by which Numba names the files of a kernel."""
    from numba.core.caching import CacheImpl

    found: Any = CacheImpl.get_filename_base
    return getattr(found, "before", found)  # type: ignore[no-any-return]


def sources_digest(package: Path) -> str:
    """A hash of all files of a package that kernels are made of: names and content."""
    found = hashlib.sha256()
    for source in sorted([*kernels_in(str(package)), *(str(package / name) for name in CONSTANTS)]):
        content = Path(source).read_bytes()
        found.update(f"{source[len(str(package)) :]} {len(content)} ".encode() + content)
    return found.hexdigest()[:16]


def kernels_in(folder: str) -> Iterator[str]:
    """The files of kernels under a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith("_kernel.py"):
                yield entry.path
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                yield from kernels_in(entry.path)


def clear(folder: Path, sources: str) -> None:
    """Remove compiled kernels of other sources, as far as they can be removed."""
    with contextlib.suppress(OSError):
        for compiled in folder.glob("*_kernel.*.nb[ic]"):
            if f".{sources}-" not in compiled.name:
                compiled.unlink(missing_ok=True)
