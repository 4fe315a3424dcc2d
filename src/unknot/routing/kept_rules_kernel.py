# mypy: ignore-errors
"""Compiled rules on disk, beside the compiled kernels: a later process loads in milliseconds what took 0.3 s."""

import contextlib
import os
import pickle
import sys
from pathlib import Path

from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult

from unknot.output import WriteError, write_bytes

MOST = 500
"""Rules that are kept; of more, those that were not used for longest are removed."""


class NotKeptError(Exception):
    """The file of a rule cannot be read."""


class KeptRules:
    """Cache of one compiled function, in the form that Numba takes: a file named by a digest.

    Parameters
    ----------
    digest : str
        Of everything the function is made of, its options and the processor apart.
    only_save : bool
        Whether nothing is looked for.
    """

    def __init__(self, digest, *, only_save=False):
        self.digest, self.only_save = digest, only_save
        self.path = None
        with contextlib.suppress(RuntimeError, OSError):
            self.path = Path(_folder(), f"rule-{digest}.nbr")

    def load_overload(self, sig, target_context):
        """The compiled function.

        Raises
        ------
        NotKeptError
            If it is not there, or was made for another processor or by another Python.
        """
        if self.only_save:
            return None
        try:
            made_for, payload = pickle.loads(self.path.read_bytes())
            if made_for != _machine(target_context):
                raise NotKeptError
            found = CompileResult._rebuild(target_context, *payload)
            os.utime(self.path)
            return found
        except Exception:
            raise NotKeptError from None

    def save_overload(self, sig, cres):
        """Keep a compiled function, unless it holds addresses of this process or nothing can be written."""
        if self.path is None or cres.library.has_dynamic_globals or cres.lifted:
            return
        with contextlib.suppress(OSError, WriteError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            text = pickle.dumps((_machine(cres.target_context), cres._reduce()), protocol=4)
            write_bytes(self.path, text)
            kept = sorted(self.path.parent.glob("rule-*.nbr"), key=lambda path: path.stat().st_mtime)
            for path in kept[: max(0, len(kept) - MOST)]:
                path.unlink(missing_ok=True)


def _machine(target_context):
    return (sys.version, *target_context.codegen().magic_tuple())


def _folder():
    return FunctionCache(_folder).cache_path
