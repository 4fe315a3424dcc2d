"""The question "do some worms block each other for good?" as a satisfiability problem for OR-tools CP-SAT.

A variable x(s) says that a worm holds the VC of state s in that state, y(e) that it goes on over step e, h(b) that
it stays in head b, u(v) that VC v is held. A held state goes on exactly once or stays; a step leads to a held state;
each VC is held in one state; all that a staying head waits for is held.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from unknot._base.deadline import clock
from unknot._base.work import spend, work_done
from unknot.network.graph import strong_components
from unknot.routing.relation import Relation
from unknot.verify.remainder import Remainder

EACH = 5e-5
"""Work to hand a state to the solver."""


@dataclass(frozen=True)
class Worm:
    """A blocked worm: address, VCs held with the header's last, VCs waited for."""

    address: int
    path: tuple[int, ...]
    waits: tuple[int, ...]


def fewest(
    part: Remainder,
    seconds: float,
    *,
    messages: int = 1,
    held: int = 1,
    injected: Relation | None = None,
    work: float = inf,
) -> tuple[list[Worm] | bool, bool]:
    """Worms that block each other: as few as possible, and then on as few VCs as possible.

    Parameters
    ----------
    part : Remainder
    seconds : float
        Time limit.
    messages, held : int
        It is known that there are no fewer messages, and that this number of messages holds no fewer VCs.
    injected : Relation, optional
        Every worm shall come straight from a terminal of its own of this relation.
    work : float
        Limit in the solver's own measure, which does not depend on the machine; about seconds.

    Returns
    -------
    (list of Worm or bool, bool)
        As `Model.solve` answers; and whether it is proved that the part holds nothing smaller.
    """
    end = clock() + seconds
    model = Model(part)
    if injected is not None:
        model.start_at_terminals(injected)
    count, size = sum(model.stay), sum(model.held.values())
    worms, proved = model.minimize(count, messages, end, work)
    if isinstance(worms, bool):
        return worms, proved
    model.model.add(count <= len(worms))
    fewer, least = model.minimize(size, held if len(worms) == messages else len(worms), end, work)
    return fewer if isinstance(fewer, list) else worms, proved and least


def solver_for(seconds: float) -> Any:
    """A CP-SAT solver on one thread, the same answer every time."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.catch_sigint_signal = False
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    if work_done() is None:
        solver.parameters.max_time_in_seconds = max(0.01, seconds)
    else:
        solver.parameters.max_deterministic_time = max(0.01, seconds)
    solver.parameters.linearization_level = 0
    solver.parameters.symmetry_level = 0
    solver.parameters.cp_model_probing_level = 0
    return solver


class Model:
    """The variables and clauses of a part.

    Attributes
    ----------
    state, step, stay : lists of variables
        x(s), y(e) and h(b) in the order of the part.
    into : list of lists of variables
        The y(e) of the steps to each state.
    held : dict of variables
        u(v) by VC.
    work : float
        What building and solving took, about seconds, in a measure that does not depend on the machine.
    """

    def __init__(self, part: Remainder) -> None:
        from ortools.sat.python import cp_model

        self.part, self.work = part, 0.0
        self.model = model = cp_model.CpModel()
        states = range(part.input_vc.size)
        self.state = [model.new_bool_var("") for _ in states]
        self.step = [model.new_bool_var("") for _ in range(part.onward.entries.size)]
        self.stay = [model.new_bool_var("") for _ in range(part.head_owner.size)]
        self.leave = {s: model.new_bool_var("") for s in np.flatnonzero(part.leaves).tolist()}
        heads, onward, begin = part.heads.lists(), part.onward.lists(), part.onward.first.tolist()
        self.into: list[list[Any]] = [[] for _ in states]
        for s in states:
            steps = self.step[begin[s] : begin[s + 1]]
            stays = [self.stay[b] for b in heads[s]]
            leave = [self.leave[s]] if s in self.leave else []
            model.add_exactly_one([~self.state[s], *steps, *stays, *leave])
            for t, y in zip(onward[s], steps, strict=True):
                self.into[t].append(y)
        for arriving, x in zip(self.into, self.state, strict=True):
            if arriving:
                model.add_at_most_one([*arriving, ~x])
        self.held: dict[int, Any] = {}
        for v, on in self._on().items():
            if len(on) == 1:
                self.held[v] = self.state[on[0]]
            else:
                self.held[v] = model.new_bool_var("")
                model.add_exactly_one([~self.held[v], *(self.state[s] for s in on)])
        for h, waits in zip(self.stay, part.waits.lists(), strict=True):
            if waits:
                model.add_bool_and([self.held[w] for w in waits]).only_enforce_if(h)
        self._forbid_rings()

    def _on(self) -> dict[int, list[int]]:
        states: dict[int, list[int]] = {}
        for s, v in enumerate(self.part.input_vc.tolist()):
            states.setdefault(v, []).append(s)
        return states

    def _forbid_rings(self) -> None:
        """Number the states of a worm where states form cycles, so that it cannot bite its tail."""
        tail, head = self.part.onward.row, self.part.onward.entries
        if not head.size:
            return
        ring, _ = strong_components(tail, head, self.part.input_vc.size)
        length = np.bincount(ring)
        round_it = np.flatnonzero(ring[tail] == ring[head])
        position = {
            u: self.model.new_int_var(0, int(length[ring[u]]) - 1, "")
            for u in dict.fromkeys(np.stack([tail, head])[:, round_it].T.ravel().tolist())
        }
        for e in round_it.tolist():
            self.model.add(position[int(head[e])] == position[int(tail[e])] + 1).only_enforce_if(self.step[e])

    def start_at_terminals(self, relation: Relation) -> None:
        """Every worm begins where a packet enters, and no router sends more worms than it has terminals."""
        part, network = self.part, relation.network
        terminals = network.terminals_at
        leaves = network.source[relation.vcs.channel]
        begun: dict[int, list[Any]] = {}
        for s, (x, v) in enumerate(zip(self.state, part.input_vc.tolist(), strict=True)):
            if part.enters[s]:
                begun.setdefault(int(leaves[v]), []).append(x - sum(self.into[s]))
            else:
                self.model.add_bool_or([~x, *self.into[s]])
        for router, worms in begun.items():
            if terminals[router] < len(worms):
                self.model.add(sum(worms) <= int(terminals[router]))

    def minimize(self, amount: Any, least: int, end: float, work: float) -> tuple[list[Worm] | bool, bool]:
        """Return worms with the least amount, known to be at least `least`; and whether that is proved."""
        self.model.add(amount >= least)
        self.model.minimize(amount)
        return self._solution(end - clock(), work)

    def blocked(self, seconds: float, work: float = inf) -> list[Worm] | bool:
        """Worms that block each other, as `solve` answers. A worm that leaves the part waits for nothing."""
        self.model.add_bool_or(self.stay)
        return self.solve(seconds, work)

    def forbid(self, worms: list[Worm]) -> None:
        """Forbid all solutions in which these worms stay together; the part must not be `merged`."""
        part = self.part
        state = {key: s for s, key in enumerate(zip(part.owner.tolist(), part.input_vc.tolist(), strict=True))}
        together = []
        for worm in worms:
            path = [state[worm.address, vc] for vc in worm.path]
            together += [self.state[s] for s in path]
            for b in part.heads.at(path[-1]):
                if {*part.waits.at(b)} == {*worm.waits}:
                    together.append(self.stay[b])
        self.model.add_bool_or([~variable for variable in together])

    def solve(self, seconds: float, work: float = inf) -> list[Worm] | bool:
        """The worms of a solution; False when there is none, True when time or work ran out."""
        return self._solution(seconds, work)[0]

    def _solution(self, seconds: float, work: float) -> tuple[list[Worm] | bool, bool]:
        """The worms of a solution, False or True as `solve` says; and whether the answer is proved to be the best."""
        from ortools.sat.python import cp_model

        solver = solver_for(seconds)
        solver.parameters.max_deterministic_time = min(work, solver.parameters.max_deterministic_time)
        status = solver.solve(self.model)
        done = solver.response_proto.deterministic_time + EACH * len(self.state)
        spend(done)
        self.work += done
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return self.worms(solver), status == cp_model.OPTIMAL
        return status != cp_model.INFEASIBLE, status == cp_model.INFEASIBLE

    def worms(self, solver: Any) -> list[Worm]:
        """The worms of a solution."""
        part = self.part
        true = np.array(solver.response_proto.solution, dtype=bool)
        state, step, stay = (
            np.flatnonzero(true[[variable.index for variable in variables]]) if variables else np.zeros(0, dtype=int)
            for variables in (self.state, self.step, self.stay)
        )
        stays = set(stay.tolist())
        ahead = dict(zip(part.onward.row[step].tolist(), part.onward.entries[step].tolist(), strict=True))
        held = set(state.tolist())
        worms = []
        for s in sorted(held - set(ahead.values())):
            path = [s]
            while path[-1] in ahead:
                path.append(ahead[path[-1]])
            waits = {w for b in part.heads.at(path[-1]) if b in stays for w in part.waits.at(b)}
            worms.append(Worm(int(part.owner[s]), tuple(part.input_vc[path].tolist()), tuple(sorted(waits))))
        return worms
