"""The lowest load in some lanes by a solver: routes of lower loads than are known, or a refutation of such routes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from unknot._base.deadline import clock
from unknot.certificates import plain
from unknot.certificates.claims import load_claim
from unknot.certificates.documents import network_of
from unknot.lanes.effort import SearchEffort
from unknot.lanes.lane_refutation import Refutation, Solution, refute
from unknot.lanes.load_bounds import LoadBound
from unknot.lanes.rerouted import ENOUGH, LoadGoal, highest
from unknot.lanes.served_pairs import ServedPairs

if TYPE_CHECKING:
    from unknot.lanes.carried_kernel import Carried

MOST_PAIRS = 2_600
"""Most pairs of routers and terminals: all of a network of 51 routers."""
CONFLICTS = 40_000
"""Most conflicts of the solver for each load: some seconds."""
SHARE = 0.5
"""Share of the time that is left for each load."""
PARTS = 10**6
"""Largest denominator of a load, which the loads of routes are rounded to: the checker counts exactly."""


def lowest(goal: LoadGoal, now: Carried, bound: LoadBound, effort: SearchEffort) -> tuple[Carried, LoadBound]:
    """Routes of the lowest load in as many lanes that the solver finds, from those given, and the best bound on it.

    The clauses are those of the checker. Each answer has a lower load than the one before; when there is none, the
    refutation is the bound. When conflicts or time run out, the bound stays as it is.
    """
    network, lanes = goal.demand.network, len(now.rank)
    if goal.demand.pairs > MOST_PAIRS or goal.path_set.home.size != network.num_terminals:
        return now, bound
    graph, changes = plain.Network(network_of(network)), "shared" if goal.path_set.many.size else "none"
    while highest(now) > float(bound.least) * ENOUGH and not (effort.over or effort.interrupted):
        load = Fraction(highest(now)).limit_denominator(PARTS)
        flows, capacity = bound.claim["flows"], bound.claim["capacity"]
        claim = load_claim(load, flows, capacity, {}, lanes=lanes, changes=changes, table=goal.table)
        encoder = plain.LoadEncoder(graph, claim)
        # Long paths contradict each other soonest, and by the first pairs the lanes are numbered.
        pairs = sorted(encoder.amounts, key=lambda pair: -encoder.hops_to(encoder.home(pair))[pair[0]])
        served = ServedPairs(network, pairs, partial(_encoder, graph, claim), given=False, limited=True)
        part = replace(effort, deadline=clock() + SHARE * (effort.deadline - clock()))
        try:
            answer = refute(served, lanes, part, changes=changes, conflicts=CONFLICTS)
        except KeyboardInterrupt:
            effort.interrupted = True
            break
        if isinstance(answer, Refutation):
            return now, LoadBound({**claim, "proof": answer.proof})
        better = goal.routed(answer) if isinstance(answer, Solution) else now
        if highest(better) >= highest(now):
            break
        now = better
    return now, bound


def _encoder(graph: plain.Network, claim: dict[str, Any], lanes: int, changes: str) -> plain.Encoder:
    """The clauses of lower loads than a claim has, in as many lanes."""
    return plain.LoadEncoder(graph, {**claim, "lanes": lanes, "changes": changes})
