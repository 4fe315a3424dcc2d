"""Tables of rules: candidates at each reachable state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unknot._base.arrays import Flags, Ints, offsets
from unknot._base.errors import RelationError
from unknot.routing.contract import EJECT, NO_WAIT, TIER, Candidate, Rule


@dataclass(frozen=True, eq=False)
class Table:
    """Candidates of states, address by address; a state that is missing has none.

    Attributes
    ----------
    first : int64 array, shape (addresses + 1,)
        States of address a are ``first[a]:first[a + 1]``.
    input_vc : int64 array, shape (states,)
        Place of each state, ascending within an address.
    start : int64 array, shape (states + 1,)
        Candidates of state s are ``value[start[s]:start[s + 1]]``.
    value : int64 array
        Candidates as a rule writes them.
    """

    first: Ints
    input_vc: Ints
    start: Ints
    value: Ints

    @classmethod
    def of(cls, answers: Iterable[Mapping[int, Sequence[int]]]) -> Table:
        """The table of the candidates by input VC of each address, one address after the other."""
        first, input_vc, start, value = [0], list[int](), [0], list[int]()
        for by_input in answers:
            for at in sorted(by_input):
                input_vc.append(at)
                value += by_input[at]
                start.append(len(value))
            first.append(len(input_vc))
        return cls(*(np.array(column, dtype=np.int64) for column in (first, input_vc, start, value)))

    def kept(self, kept: Flags) -> Table:
        """The table of some of the candidates."""
        return replace(self, start=offsets(kept)[self.start], value=self.value[kept])

    def __post_init__(self) -> None:
        for name in ("first", "input_vc", "start", "value"):
            column = np.array(getattr(self, name), dtype=np.int64)
            column.setflags(write=False)
            object.__setattr__(self, name, column)
        for rows, size in ((self.first, self.input_vc.size), (self.start, self.value.size)):
            if not rows.size or rows[0] != 0 or rows[-1] != size or (np.diff(rows) < 0).any():
                raise RelationError(f"a table's rows must ascend from 0 to {size}, got {rows.tolist()[:9]}")
        inside = np.ones(max(0, self.input_vc.size - 1), dtype=bool)
        inside[self.first[(self.first > 0) & (self.first < self.input_vc.size)] - 1] = False
        if self.start.size != self.input_vc.size + 1 or (np.diff(self.input_vc)[inside] <= 0).any():
            raise RelationError("a table needs one row for each state, and the input VCs of an address ascending")


def lookup(table: Table) -> Rule:
    """The rule that answers from a table, by binary search for the input VC; the prover reads the table itself."""
    first, input_vc, start, value = table.first, table.input_vc, table.start, table.value

    def rule(at: int, address: int, out: Any) -> int:
        low, high = first[address], first[address + 1]
        while low < high:
            middle = (low + high) // 2
            if input_vc[middle] < at:
                low = middle + 1
            else:
                high = middle
        if low == first[address + 1] or input_vc[low] != at:
            return 0
        for k in range(start[low], start[low + 1]):
            out[k - start[low]] = value[k]
        return int(start[low + 1] - start[low])

    rule.table = table  # type: ignore[attr-defined]
    return rule


def encode(candidate: Candidate) -> int:
    """A candidate as a rule writes it."""
    vc = EJECT if candidate.vc is None else candidate.vc
    return vc + candidate.tier * TIER + (0 if candidate.waits else NO_WAIT)
