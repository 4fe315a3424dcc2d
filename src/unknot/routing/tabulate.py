"""Tables of rules: what a rule answers at every reachable state.

The prover reads small relations from their table, so that nothing is compiled for them; a rule that Numba cannot
compile is read from its table everywhere.
"""

from __future__ import annotations

import dis
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.errors import RelationError
from unknot._base.progress import Progress
from unknot.routing.contract import EJECT, NO_WAIT, TIER, VC_MASK, Candidate
from unknot.routing.pointer import FEW_STATES, kept_file

TYPES = "?bhilqBHI"
"""Whole numbers and truth values; of 64 bits without sign they would not wrap round."""
OPERATIONS = {
    "LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "UNARY_INVERT", "IS_OP", "IMPORT_NAME", "MAKE_FUNCTION"
}  # fmt: skip
"""Operations that a rule may not contain, but for names of `CALLED`."""
CALLED = {"range", "min", "max", "abs", "len", "int", "bool", "divmod", "EJECT", "TIER", "NO_WAIT", "VC_MASK"}


def nimble(rule: Any) -> Any:
    """A copy of a rule that reads captured arrays as memory views; the rule itself where that might differ."""
    try:
        return _copy(rule) if isinstance(rule, FunctionType) else rule
    except _OtherwiseError:
        return rule


class _OtherwiseError(Exception):
    """Error: a function does more than to read elements."""


def _copy(function: FunctionType, outer: tuple[FunctionType, ...] = ()) -> FunctionType:
    if function in outer or not _plain(function.__code__):
        raise _OtherwiseError
    outer = (*outer, function)
    cells = tuple(CellType(_view(cell.cell_contents, outer)) for cell in function.__closure__ or ())
    return FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, cells)


def _view(captured: Any, outer: tuple[FunctionType, ...]) -> Any:
    if isinstance(captured, np.ndarray):
        if captured.dtype.char in TYPES and captured.dtype.isnative:
            return memoryview(captured)  # type: ignore[arg-type]
        raise _OtherwiseError
    captured = getattr(captured, "py_func", captured)
    if isinstance(captured, FunctionType):
        return _copy(captured, outer)
    if isinstance(captured, (bool, int, str, type(None))):
        return captured
    raise _OtherwiseError


@lru_cache(maxsize=256)
def _plain(code: CodeType) -> bool:
    """Whether a function does nothing but arithmetic, comparisons, element access and calls of plain functions."""
    return not any(
        instruction.opname in OPERATIONS
        and not (instruction.opname == "LOAD_GLOBAL" and instruction.argval in CALLED)
        for instruction in dis.get_instructions(code)
    )


if TYPE_CHECKING:
    from unknot.routing.relation import Relation, Rule

MAX_STATES = 20_000_000
FEW = 100_000
"""Most pairs of an input VC and an address for which a rule is tabulated, not compiled: about as long either way."""
SECONDS = 0.5
"""A rule that takes longer to tabulate is compiled after all."""
UNSTEADY = "its answers change from one question to the next"


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


def small_table(relation: Relation) -> Table | None:
    """The table of a relation that has few states and answers quickly, or was made of a table; None of others.

    None also where an earlier process has compiled the rule, unless plain Python is as quick as to load that.

    Raises
    ------
    RelationError
        If the rule breaks its contract.
    """
    known: Table | None = getattr(relation.rule, "table", None)
    if known is not None:
        if known.first.size != relation.num_addresses + 1:
            raise RelationError(
                f"{relation.name}: a table of {known.first.size - 1} addresses for {relation.num_addresses}"
            )
        return known
    pairs = relation.vcs.router.size * relation.num_addresses
    if pairs > FEW or (pairs > FEW_STATES and kept_file(relation.rule, relation.max_candidates)):
        return None
    end = time.monotonic() + SECONDS

    def look(stage: str, done: int, total: int) -> None:
        if done < total and time.monotonic() > end:
            raise TimeoutError

    try:
        return tabulate(relation, progress=look)
    except TimeoutError:
        return None


def tabulate(relation: Relation, *, limit: int = MAX_STATES, progress: Progress | None = None) -> Table:
    """Ask a rule, in plain Python, for every state reachable from injection.

    Parameters
    ----------
    limit : int
        Most states to visit.
    progress : callable, optional
        Called after each address, see `unknot._base.progress`.

    Raises
    ------
    RelationError
        If the rule breaks its contract or has more reachable states than `limit`.
    """
    return Table.of(_answers(relation, limit, progress))


def _answers(relation: Relation, limit: int, progress: Progress | None) -> Iterator[dict[int, list[int]]]:
    """What a rule answers in each state that is reached, address by address."""
    vcs, plain, rule = relation.num_vcs, relation.rule, nimble(relation.rule)
    tail, router = relation.network.source[relation.vcs.channel].tolist(), relation.vcs.router.tolist()
    most, states = relation.max_candidates, 0
    buffer = np.zeros(most, dtype=np.int64)
    out: Any = buffer if rule is plain else memoryview(buffer)  # type: ignore[arg-type]  # it is a buffer
    for address in range(relation.num_addresses):
        order: list[int] = (vcs + relation.sources(address)).tolist()
        answers: dict[int, list[int]] = {}
        seen, compared = {EJECT}, address == 0 and rule is not plain
        for at in order:
            try:
                count = int(rule(at, address, out))
                answer = out[:count].tolist()
                if compared and (count != plain(at, 0, buffer) or answer != out[:count].tolist()):
                    raise RelationError("read otherwise")
            except (Exception, SystemExit):
                # What breaks the contract is raised in words; else the copy alone is to blame.
                relation.candidates(at, address)
                rule, out, compared = plain, buffer, False
                count = int(plain(at, address, out))
                answer = out[:count].tolist()
            if not 0 <= count <= most:
                relation.refuse(at, address, UNSTEADY)
            answers[at] = answer
            if states + len(answers) > limit:
                raise RelationError(
                    f"{relation.name} on {relation.network.name}: Numba cannot compile the rule and a table of it "
                    f"would have more than {limit} states; write the rule with plain numbers and arrays"
                )
            for candidate in answer:
                vc = candidate & VC_MASK
                if vc not in seen:
                    if vc >= vcs or tail[vc] != router[at]:
                        relation.refuse(at, address, UNSTEADY)
                    seen.add(vc)
                    order.append(vc)
        yield answers
        states += len(answers)
        if progress is not None:
            progress("addresses", address + 1, relation.num_addresses)


def encode(candidate: Candidate) -> int:
    """A candidate as a rule writes it."""
    vc = EJECT if candidate.vc is None else candidate.vc
    return vc + candidate.tier * TIER + (0 if candidate.waits else NO_WAIT)
