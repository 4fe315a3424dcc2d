"""Linear and mixed-integer programs of the fewest removed candidates.

`CoveringProgram` bounds the fewest removed candidates from below. `OrderedProgram`, where a part of the order of VCs
is fixed, is for good choices alone: it shows nothing about other orders, and gives no evidence. There one candidate
that a header waits for is kept and falls where it is reached; where headers keep their choice, all that is kept
falls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unknot._base.arrays import Floats
from unknot._base.work import PROGRAM, spend, spend_program, work_done
from unknot.network.graph import hops_around
from unknot.remedies.facts import CANDIDATE, Cycle, Entry, Fact, Literals
from unknot.remedies.prune_space import EJECTED, Offers
from unknot.search.programs import LEAST_SECONDS, SCALE, LinearProgram, Row, multipliers

PRICE = 100
"""Price of an unsettled fact, times the number looked for: a hundredth of a fact may be all that is unsettled."""
NODE = 1e-5
"""Work of a node of a mixed-integer program, for each entry of its matrix."""
Multipliers = dict[int, int]
"""By the number of the fact, in parts of `SCALE`."""
Variable = tuple[str, tuple[int, ...]]
"""A variable of `OrderedProgram`. An "entry" is 1 if it is removed; a header, by input VC and address, if it is
"reached"; a candidate, if a header "relies" on it. VCs have a "height" from 0 to 1."""


class CoveringProgram(LinearProgram[Entry]):
    """Fewest candidates that settle some facts: a row for each, a column for each candidate or turn in one."""

    @classmethod
    def of_facts(cls, facts: Mapping[Fact, Literals]) -> CoveringProgram:
        """The program of these facts."""
        return cls.of(
            (1.0 - len(kept), [*((entry, 1.0) for entry in sorted(gone)), *((entry, -1.0) for entry in sorted(kept))])
            for gone, kept in facts.values()
        )

    @cached_property
    def cost(self) -> Floats:
        """1 for candidates, 0 for turns."""
        return np.array([float(len(entry) == CANDIDATE) for entry in self.column])

    def relaxed(self, fixed: dict[Entry, bool], upper_bound: int) -> Relaxed:
        """Solve the linear program where some candidates are removed or kept for certain.

        A fact may be left unsettled at a price far above `upper_bound` candidates. So there always is a solution,
        with multipliers also for a branch in which facts contradict each other.
        """
        from scipy.optimize import linprog
        from scipy.sparse import eye_array, hstack

        facts, entries = self.matrix.shape
        low, high = np.zeros(entries + facts), np.full(entries + facts, np.inf)
        high[:entries] = 1
        for entry in fixed.keys() & self.column.keys():
            low[self.column[entry]] = high[self.column[entry]] = fixed[entry]
        solved = linprog(
            np.concatenate([self.cost, np.full(facts, PRICE * (upper_bound + 1.0))]),
            A_ub=-hstack([self.matrix, eye_array(facts)]),
            b_ub=-self.least,
            bounds=np.column_stack([low, high]),
            method="highs",
        )
        spend_program(solved.nit, self.matrix.nnz)
        prices = multipliers(solved.ineqlin.marginals)
        # What the checker adds up. Where facts contradict each other it is far from the solution, by large prices.
        rest = self.cost - self.matrix.T @ prices / SCALE
        shown = prices @ self.least / SCALE + np.minimum(rest * low[:entries], rest * high[:entries]).sum()
        return Relaxed(
            dict(zip(self.column, solved.x[:entries].tolist(), strict=True)),
            float(shown),
            {fact: int(prices[fact]) for fact in np.flatnonzero(prices).tolist()},
            dict(zip(self.column, (abs(self.matrix).T @ prices).tolist(), strict=True)),
        )


@dataclass(frozen=True)
class Relaxed:
    """Solution of a linear program: the share by which each candidate is removed, and what the multipliers show."""

    shares: dict[Entry, float]
    total: float
    multipliers: Multipliers
    weight: dict[Entry, float]
    """By entry, the multipliers of the facts that it is in."""


class OrderedProgram(LinearProgram[Variable]):
    """Fewest removed candidates where a part of the order of VCs is fixed."""

    @classmethod
    def of_offers(cls, offers: Offers, facts: Iterable[Fact]) -> OrderedProgram:
        """The program of a relation; cycles among known facts make it faster."""
        return cls.of(_ordered_rows(offers, facts))

    def solved(self, rises: Mapping[tuple[int, int], bool], most: int, seconds: float) -> frozenset[Entry] | None:
        """Up to `most` removed candidates, where some turns are set to rise or fall; None: the solver has none."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        node = PROGRAM + NODE * self.matrix.nnz
        seconds = max(seconds, LEAST_SECONDS)
        limit = {"time_limit": seconds} if work_done() is None else {"node_limit": int(1 + seconds / node)}
        low, high = np.zeros(len(self.column)), np.ones(len(self.column))
        for turn, rising in rises.items():
            low[self.column["entry", turn]] = high[self.column["entry", turn]] = rising
        costs = np.array([float(kind == "entry" and len(entry) == CANDIDATE) for kind, entry in self.column])
        solved = milp(
            costs,
            constraints=[LinearConstraint(self.matrix, self.least), LinearConstraint(costs[None, :], -np.inf, most)],
            bounds=Bounds(low, high),
            integrality=[kind != "height" for kind, _ in self.column],
            options=limit,
        )
        spend(node * (1 + (solved.mip_node_count or 0)))
        if solved.x is None:
            return None
        return frozenset(entry for (_, entry), x in zip(self.column, solved.x * costs, strict=True) if x > 0.5)


def _ordered_rows(offers: Offers, facts: Iterable[Fact]) -> Iterator[Row[Variable]]:
    step = 1.0 / offers.relation.num_vcs
    for at, vc in offers.turns:
        yield step, [(("height", (at,)), 1), (("height", (vc,)), -1), (("entry", (at, vc)), 1 + step)]
    for cycle in (fact.vcs for fact in facts if isinstance(fact, Cycle)):
        yield 1, [(("entry", turn), 1) for turn in hops_around(cycle)]
    for address, states in enumerate(offers.after):
        for at, candidates in states.items():
            reached, relied = ("reached", (at, address)), list[tuple[Variable, float]]()
            for vc, waits in candidates:
                if vc == EJECTED:
                    continue
                one, relies = offers.named((at, address, vc)), ("relies", (at, address, vc))
                gone = [] if one is None else [(("entry", one), 1.0)]
                rises = [(("entry", (at, vc)), -1.0)] if at < offers.relation.num_vcs else []
                yield 0, [(("reached", (vc, address)), 1), (reached, -1), *gone]
                yield 0, [(reached, 1), *((entry, -1.0) for entry, _ in gone), (relies, -1)]
                if offers.chosen:
                    yield -1, [(reached, -1), *gone, *rises]
                else:
                    yield -1, [(relies, -1), *rises]
                if offers.is_detour(address, at, vc):
                    yield 0, [(reached, -1), *gone]
                relied += [(relies, 1.0)] if waits else []
            if at >= offers.relation.num_vcs:
                yield 1, [(reached, 1)]
            if (EJECTED, True) not in candidates:
                yield 0, [*relied, (reached, -1)]
