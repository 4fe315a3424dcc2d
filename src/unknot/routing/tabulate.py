"""Answers of a rule: asked state by state, by a function pointer, or from a table.

The prover reads small relations from their table, so that nothing is compiled for them; a rule that Numba cannot
compile is read from its table everywhere.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags
from unknot._base.errors import RelationError, raised
from unknot._base.progress import Progress
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.contract import EJECT, VC_MASK, Candidate, Detour, Rule, broken_rules, decode
from unknot.routing.nimble import nimble
from unknot.routing.pointer import FEW_STATES, OTHERWISE, Pointer, Remembered, kept_file, kept_rule
from unknot.routing.table import Table, lookup
from unknot.routing.virtual_channels import VirtualChannels
from unknot.routing.waiting import effective

MAX_STATES = 20_000_000
FEW = 100_000
"""Most pairs of an input VC and an address for which a rule is tabulated, not compiled: about as long either way."""
SECONDS = 0.5
"""A rule that takes longer to tabulate is compiled after all."""
UNCOMPILABLE = "Numba cannot compile the rule (write it with plain numbers and arrays), and a table of it"
UNSTEADY = "its answers change from one question to the next"


class Asked:
    """Base of `Relation`: answers of the rule, in plain Python, by a function pointer, or from a table."""

    network: Network
    vcs: VirtualChannels
    rule: Rule
    name: str
    destination: IntArray
    may_use: Flags | None
    commits: bool
    address_labels: Sequence[str] | None
    classes: Sequence[str]
    claims: Mapping[str, bool]
    claims_minimal: bool | None
    source: str
    direct: IntArray | None
    compares: str
    selection: str | None
    decides: Detour | None
    hops: Rule | None

    @property
    def num_vcs(self) -> int:
        """Number of virtual channels in all."""
        return self.vcs.total

    @property
    def num_addresses(self) -> int:
        """Number of addresses."""
        return int(self.destination.size)

    @cached_property
    def max_candidates(self) -> int:
        """Upper bound of the candidates of any state: the VCs leaving a router, and ejection."""
        leaving = np.bincount(self.network.source, weights=self.vcs.counts, minlength=1)
        return int(leaving.max()) + 1

    def sources(self, address: int) -> IntArray:
        """Terminals that may send to an address, ascending."""
        return np.flatnonzero(self.usable(slice(address, address + 1))[:, 0]).astype(np.int32)

    def usable(self, addresses: npt.NDArray[np.integer[Any]] | slice = slice(None)) -> Flags:
        """Which terminals may send to some addresses: bool array, shape (terminals, addresses)."""
        if self.may_use is None:
            return np.ones((self.network.num_terminals, self.destination[addresses].size), dtype=bool)
        return self.may_use[:, addresses]

    def address_name(self, address: int) -> str:
        """Name of an address: its label, else the name of its terminal."""
        if self.address_labels is not None:
            return self.address_labels[address]
        return self.network.terminal_name(int(self.destination[address]))

    def candidates(self, at: int, address: int) -> list[Candidate]:
        """Ask the plain Python rule for one state and check its answer.

        Raises
        ------
        RelationError
            If the state does not exist, the rule fails, or a candidate is not an output VC of the router.
        """
        if not 0 <= at < self.num_vcs + self.network.num_terminals:
            raise RelationError(f"{self.name}: there is no input VC or injection port {at} in {self.network.name}")
        if not 0 <= address < self.num_addresses:
            raise RelationError(f"{self.name}: there is no address {address}: they are 0 to {self.num_addresses - 1}")
        out = np.zeros(self.max_candidates, dtype=np.int64)
        try:
            count = int(self.rule(at, address, out))
        except (Exception, SystemExit) as error:
            code: Any = getattr(self.rule, "__code__", None)
            why = raised(error, code.co_filename if code else "")
            raise RelationError(f"{self.state_name(at, address)}: the rule raised {why}") from error
        if not 0 <= count <= out.size:
            state = self.state_name(at, address)
            raise RelationError(f"{state}: the rule returned {count}, but 0 to {out.size} candidates can be")
        candidates = [decode(effective(int(entry), self.commits)) for entry in out[:count]]
        home = int(self.network.eject[self.destination[address]])
        for wrong in broken_rules(self.vcs, home, at, candidates):
            raise RelationError(f"{self.state_name(at, address)}: {wrong}")
        return candidates

    def refuse(self, at: int, address: int, otherwise: str = OTHERWISE) -> NoReturn:
        """Raise the error of a state that breaks the contract; if the plain rule obeys, raise `otherwise`."""
        if isinstance(pointer := self.__dict__.get("compiled"), Remembered) and pointer.interrupted:
            pointer.interrupted = False
            raise KeyboardInterrupt
        self.candidates(at, address)
        raise RelationError(f"{self.state_name(at, address)}: {otherwise}")

    def state_name(self, at: int, address: int) -> str:
        """Name of a state in messages, after that of the relation."""
        return f"{self.name} at {self.vcs.name(at)} for {self.address_name(address)}"

    @cached_property
    def compiled(self) -> Pointer:
        """The rule as a function pointer of signature int64(at, address, out_pointer); made once.

        A rule of few states is not compiled but asked for each state once; what an earlier process kept is loaded.
        """
        if self.vcs.router.size * self.num_addresses <= FEW_STATES:
            return Remembered(self.rule, self.max_candidates)
        if (kept := kept_rule(self.rule, self.max_candidates)) is not None:
            return kept
        return compile_relation(self)

    @cached_property
    def compiled_hops(self) -> Pointer | None:
        """The same of `hops`; None where ways are walked instead, as they are with a rule that is not compiled."""
        if self.hops is None or isinstance(self.compiled, Remembered):
            return None
        if (kept := kept_rule(self.hops, 1)) is not None:
            return kept
        from unknot.routing.relation_kernel import compiled_rule

        return compiled_rule(self.hops, 1)

    @cached_property
    def table(self) -> Table | None:
        """Answers of the rule at every reachable state, where these are few; the prover then compiles nothing."""
        return small_table(self)


def small_table(relation: Asked) -> Table | None:
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


def tabulate(
    relation: Asked,
    *,
    limit: int = MAX_STATES,
    progress: Progress | None = None,
    purpose: str = "a table of all its states",
) -> Table:
    """Ask a rule, in plain Python, for every state reachable from injection.

    Parameters
    ----------
    limit : int
        Most states to visit.
    progress : callable, optional
        Called after each address, see `unknot._base.progress`.
    purpose : str
        What the table is for, in words, for the error about too many states.

    Raises
    ------
    RelationError
        If the rule breaks its contract or has more reachable states than `limit`.
    """
    return Table.of(_answers(relation, limit, progress, purpose))


def _answers(relation: Asked, limit: int, progress: Progress | None, purpose: str) -> Iterator[dict[int, list[int]]]:
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
                    f"{relation.name} on {relation.network.name}: {purpose} would have more than {limit:,} states"
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


def compile_relation(relation: Asked) -> Pointer:
    """Compile the rule, or tabulate it over its reachable states when Numba cannot compile it."""
    from unknot.routing.relation_kernel import compiled_rule

    made = compiled_rule(relation.rule, relation.max_candidates)
    if made is None:  # a rule that is wrong raises when it is tabulated
        made = compiled_rule(lookup(tabulate(relation, purpose=UNCOMPILABLE)), relation.max_candidates)
        assert made is not None
        made.tabulated = True
    return made
