# mypy: ignore-errors
"""The plain Python rule behind the function pointer that kernels call, without compiling it.

For relations of few states this is sooner done than to compile: each state is asked for once, and a known answer is
looked up by machine code.
"""

from __future__ import annotations

import ctypes
import threading
from string import Template

import numpy as np
from llvmlite import binding
from numba import types

from unknot.routing.relation import Relation
from unknot.routing.relation_kernel import RULE_SIGNATURE, Compiled, compile_relation

FEW_STATES = 20_000
"""Most states for which asking a rule for all of them is quicker than compiling it."""
MOST_ANSWERS = 200_000
"""Answers there is room for; memory is taken page by page as they are written."""

LOOK_UP = Template("""
define i64 @look_up(i64 %at, i64 %address, i64 %out) {
  %known = icmp ult i64 %at, $states
  %there = icmp ult i64 %address, $addresses
  %valid = and i1 %known, %there
  br i1 %valid, label %inside, label %ask
inside:
  %row = mul i64 %at, $addresses
  %state = add i64 %row, %address
  %where = getelementptr i32, i32* inttoptr (i64 $index to i32*), i64 %state
  %start = load i32, i32* %where
  %answered = icmp sge i32 %start, 0
  br i1 %answered, label %found, label %ask
found:
  %first = sext i32 %start to i64
  %head = getelementptr i64, i64* inttoptr (i64 $answers to i64*), i64 %first
  %count = load i64, i64* %head
  %target = inttoptr i64 %out to i64*
  br label %test
test:
  %k = phi i64 [ 0, %found ], [ %next, %copy ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %copy, label %end
copy:
  %next = add i64 %k, 1
  %from = getelementptr i64, i64* %head, i64 %next
  %value = load i64, i64* %from
  %to = getelementptr i64, i64* %target, i64 %k
  store i64 %value, i64* %to
  br label %test
end:
  ret i64 %count
ask:
  %answer = call i64 inttoptr (i64 $plain to i64 (i64, i64, i64)*)(i64 %at, i64 %address, i64 %out)
  ret i64 %answer
}
""")
"""A rule as LLVM reads it: it copies the answer to which `index` points; without one it calls the plain rule."""


class Remembered(types.WrapperAddressProtocol):
    """A rule as a C function that asks Python for each state once: four bytes a state, equal answers kept once.

    Threads may look up while another one adds an answer. The answer is written under the lock, and its position in
    `index` under the lock once more, so that no thread sees the position before the answer.

    Attributes
    ----------
    ctypes : callable
        The function for Python.
    interrupted : bool
        Whether Ctrl-C came while the rule was asked; Python drops exceptions of callbacks.
    """

    def __init__(self, relation: Relation) -> None:
        self.rule, self.size, self.interrupted = relation.rule, relation.max_candidates, False
        states, self.addresses = relation.vcs.router.size, relation.num_addresses
        self.index = np.full(states * self.addresses, -1, dtype=np.int32)
        self.answers = np.empty(min(self.index.size, MOST_ANSWERS) * (self.size + 1), dtype=np.int64)
        self.known, self.used, self.lock = {}, 0, threading.Lock()
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
        self._view, self._plain = ctypes.c_int64 * self.size, kind(self._ask)
        text = LOOK_UP.substitute(
            states=states, addresses=self.addresses, index=self.index.ctypes.data, answers=self.answers.ctypes.data,
            plain=ctypes.cast(self._plain, ctypes.c_void_p).value,
        )  # fmt: skip
        target = binding.Target.from_default_triple().create_target_machine(opt=0)
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(text), target)
        self._engine.finalize_object()
        self._address = self._engine.get_function_address("look_up")
        self.ctypes = kind(self._address)

    def __call__(self, at: int, address: int, pointer: int) -> int:
        """The answer as kernels get it that run in Python, with Numba switched off."""
        return self.ctypes(at, address, pointer)

    def _ask(self, at: int, address: int, pointer: int) -> int:
        try:
            out = np.frombuffer(self._view.from_address(pointer), dtype=np.int64)
            count = int(self.rule(at, address, out))
            state = at * self.addresses + address
            if 0 <= count <= self.size and 0 <= address < self.addresses and 0 <= state < self.index.size:
                self._keep(state, out[:count])
            return count
        except KeyboardInterrupt:
            self.interrupted = True
            return -1
        except (Exception, SystemExit):
            return -1

    def _keep(self, state: int, answer: np.ndarray) -> None:
        name = answer.tobytes()
        with self.lock:
            start = self.known.get(name)
            if start is None:
                start, end = self.used, self.used + 1 + answer.size
                if end > self.answers.size:
                    return
                self.answers[start], self.answers[start + 1 : end], self.used = answer.size, answer, end
        with self.lock:
            self.known[name] = start
            self.index[state] = start

    def __wrapper_address__(self) -> int:
        return self._address

    def signature(self):
        return RULE_SIGNATURE


def pointer_to(relation: Relation) -> Compiled:
    """The rule for kernels: remembered where it has few states, else compiled."""
    few = relation.vcs.router.size * relation.num_addresses <= FEW_STATES
    return Compiled(Remembered(relation), False, relation.rule) if few else compile_relation(relation)
