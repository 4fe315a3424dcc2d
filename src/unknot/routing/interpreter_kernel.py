# mypy: ignore-errors
"""The plain Python rule behind the function pointer that kernels call, without compiling it.

For relations of few states this is sooner done than to compile: each state is asked for once.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np

from unknot.routing.relation_kernel import C_RULE, Compiled, Pointer, compile_relation

if TYPE_CHECKING:
    from unknot.routing.relation import Relation

FEW_STATES = 20_000
"""Most states for which asking a rule for all of them is quicker than compiling it."""


class Remembered(Pointer):
    """A rule as a C function that asks Python for each state once.

    Attributes
    ----------
    interrupted : bool
        Whether Ctrl-C came while the rule was asked; Python drops exceptions of callbacks.
    """

    def __init__(self, relation: Relation) -> None:
        self.rule, self.size, self.interrupted, self.known = relation.rule, relation.max_candidates, False, {}
        self._view = ctypes.c_int64 * self.size
        callback = C_RULE(self._ask)
        super().__init__(ctypes.cast(callback, ctypes.c_void_p).value, callback)

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


_NEVER = C_RULE(lambda at, address, pointer: -1)
NO_RULE = Pointer(ctypes.cast(_NEVER, ctypes.c_void_p).value, _NEVER)
"""Stand-in rule that kernels are given beside a table, and never call."""


def pointer_to(relation: Relation) -> Compiled:
    """The rule for kernels: remembered where it has few states, else compiled."""
    few = relation.vcs.router.size * relation.num_addresses <= FEW_STATES
    return Compiled(Remembered(relation), False, relation.rule) if few else compile_relation(relation)
