"""Choice of the rule that carries most among those with as many virtual channels: `unknot design routing --carry`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from unknot._base.deadline import Deadline
from unknot._base.progress import Progress, reported
from unknot.lane_assignment.path_set import Floats
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.search.effort import SearchEffort
from unknot.simulation import simulate
from unknot.synthesis import Decision, proved_rules
from unknot.synthesis.rule import rule_from
from unknot.verify import loads

PATTERNS = ("uniform", "transpose")
SIDES = {1: 16, 2: 6, 3: 3}
"""Sides of the mesh on which rules are simulated, by its dimensions; 2 in more, and for hypercubes.

On larger ones a rule has too many states to stay in plain Python, and compiling takes longer than its runs.
"""
WARMUP, MEASURE = 1500, 3000
SEEDS, MORE_SEEDS = (1,), (2, 3, 4, 5)
"""Seeds of the runs of all rules, and of further ones of the `BEST` rules."""
BEST = 6
SEARCHING = 0.4
"""Share of the time in which rules are looked for."""


@dataclass(frozen=True, eq=False)
class Carrying:
    """Throughput of the rule chosen by `--carry`, with the rules compared.

    Attributes
    ----------
    decision : Decision
        With the rule.
    network : str
    highest : float64 array, shape (patterns,)
        Highest channel loads, with candidates taken equally often.
    accepted : float64 array, shape (runs, patterns)
        Flits per terminal and cycle that arrive when terminals send all they can.
    rules : int
        Rules that were compared.
    every : bool
        These are all that have a proof for every size, up to symmetry.
    first : float64 array, shape (patterns,)
        What was accepted with the rule that was found first.
    """

    decision: Decision
    network: str
    highest: Floats
    accepted: Floats
    rules: int = 0
    every: bool = False
    first: Floats | None = None
    patterns: tuple[str, ...] = PATTERNS

    @property
    def carried(self) -> list[dict[str, object]]:
        """Figures of each pattern."""
        assert self.first is not None
        figures = (self.patterns, self.highest.tolist(), self.accepted.mean(axis=0).tolist(), self.first.tolist())
        names = ("pattern", "highest", "accepted", "first")
        return [dict(zip(names, one, strict=True)) for one in zip(*figures, strict=True)]

    def order(self) -> tuple[float, ...]:
        """The lowest loads come first, then the most that is accepted."""
        return (*self.highest.round(9).tolist(), -self.accepted.mean(axis=0).sum())


def most_carrying(decision: Decision, ending: Deadline, progress: Progress | None) -> Carrying:
    """The rule with the highest throughput among those with a decision's VCs and a proof for every size."""
    space, every, rules = decision.space, False, [decision]
    with suppress(TimeoutError):
        effort = SearchEffort(ending.part(SEARCHING).end)
        for offers, proof in proved_rules(space, decision.request, decision.switching, effort):
            rules.append(replace(decision, rule=rule_from(space, offers), proof=proof, sides=()))
        every = True
    sides = (2 if space.short else SIDES.get(space.dimensions, 2),) * space.dimensions
    compared: list[Carrying] = []
    for one in reported(rules, len(rules), progress, lambda _: "rules compared"):
        if compared and ending.over:
            every = False
            break
        assert one.rule is not None
        relation = one.rule.on(sides)
        highest = np.array([loads(relation, traffic=pattern).highest for pattern in traffic_of(relation.network)])
        compared.append(Carrying(one, relation.network.name, highest, accepted(relation, SEEDS)))
    first = compared[0].accepted.mean(axis=0)
    best = []
    for carrying in sorted(compared, key=Carrying.order)[:BEST]:
        assert carrying.decision.rule is not None
        more = accepted(carrying.decision.rule.on(sides), () if ending.over else MORE_SEEDS)
        best.append(replace(carrying, accepted=np.concatenate([carrying.accepted, more])))
    return replace(min(best, key=Carrying.order), rules=max(1, len(compared) - 1), every=every, first=first)


def accepted(relation: Relation, seeds: Sequence[int]) -> Floats:
    """What arrives with each seed and under each pattern, in flits per terminal and cycle, under full load."""
    runs = [
        simulate(relation, 1.0, traffic=pattern, seed=seed, warmup=WARMUP, measure=MEASURE).accepted_load
        for seed in seeds
        for pattern in traffic_of(relation.network)
    ]
    return np.array(runs).reshape(len(seeds), len(PATTERNS))


def traffic_of(network: Network) -> tuple[str, str | list[int]]:
    """Uniform traffic, and the transposition; of three dimensions or more each coordinate takes the next place."""
    assert network.coordinates is not None
    if network.coordinates.shape[1] < 3:
        return PATTERNS
    number = {tuple(at): router for router, at in enumerate(network.coordinates.tolist())}
    return "uniform", [number[tuple(at)] for at in np.roll(network.coordinates, 1, axis=1).tolist()]
