"""Rules as function pointers, the form in which kernels call them.

A rule of few states is not compiled: the pointer leads back to Python, where each state is asked for once. Others are
compiled, or loaded without Numba from what an earlier process kept.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.errors import RelationError
from unknot.routing.pointer import C_RULE, FEW_STATES, Compiled, Pointer, kept_rule

if TYPE_CHECKING:
    from unknot.routing.relation import Relation


class Remembered(Pointer):
    """A rule as a C function that asks Python for each state once.

    Attributes
    ----------
    interrupted : bool
        Whether Ctrl-C came while the rule was asked; Python drops exceptions of callbacks.
    """

    def __init__(self, relation: Relation) -> None:
        self.rule, self.size, self.interrupted = relation.rule, relation.max_candidates, False
        self.known: dict[tuple[int, int], bytes] = {}
        self._view: Any = ctypes.c_int64 * self.size
        callback = C_RULE(self._ask)
        super().__init__(ctypes.cast(callback, ctypes.c_void_p).value or 0, callback)

    def _ask(self, at: int, address: int, pointer: int) -> int:
        answer = self.known.get((at, address))
        if answer is not None:
            ctypes.memmove(pointer, answer, len(answer))
            return len(answer) >> 3
        try:
            out = np.frombuffer(self._view.from_address(pointer), dtype=np.int64)
            count = int(self.rule(at, address, out))
            if 0 <= count <= self.size:
                self.known[at, address] = out[:count].tobytes()
            return count
        except KeyboardInterrupt:
            self.interrupted = True
            return -1
        except (Exception, SystemExit):
            return -1


def pointer_to(relation: Relation) -> Compiled:
    """The rule for kernels: remembered where it has few states, else compiled, or loaded."""
    if relation.vcs.router.size * relation.num_addresses <= FEW_STATES:
        return Compiled(Remembered(relation), False)
    known = kept_rule(relation.rule, relation.max_candidates)
    if known is not None:
        return Compiled(known, False)
    from unknot.routing.relation_kernel import compile_relation

    return compile_relation(relation)


def ask(relation: Relation, at: int, address: int) -> None:
    """Repeat in plain Python a question the compiled rule failed on, so that the real error is raised."""
    function = relation.compiled.function
    if isinstance(function, Remembered) and function.interrupted:
        function.interrupted = False
        raise KeyboardInterrupt
    relation.candidates(int(at), int(address))
    raise RelationError(
        f"{relation.name} at {relation.vcs.name(int(at))} for {relation.address_name(int(address))}: the compiled "
        "rule fails where the plain one does not; does it depend on anything but its arguments?"
    )
