"""Load of the busiest channel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import ceil, comb, lcm
from typing import Any

from unknot.certificates.plain.amounts import fraction, nearest
from unknot.certificates.plain.encoder import KEPT, KINDS, Encoder, lane_clauses
from unknot.certificates.plain.flows import capacities, flow_amounts, listed_flows
from unknot.certificates.plain.reading import (
    KEPT_STATE,
    LOOK,
    Pair,
    Rejected,
    at_most,
    field,
    integers,
    number,
    pay,
    word,
)
from unknot.certificates.plain.refuted import MOST_CLAUSES, check_refutation
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.tables import Network, closure


def lightest_to(network: Network, v: int, weights: Sequence[int], shortest: bool) -> dict[int, int]:
    """The weight of the lightest path from every router to one: of paths with the fewest hops, or of all."""
    if not shortest:
        return nearest([v], lambda u: ((network.source[c], weights[c]) for c in network.entering.get(u, ())))
    hops, lightest = network.hops_to(v), {v: 0}
    for u in [*hops][1:]:  # by hops
        pay(LOOK * len(network.leaving[u]))
        onward = (c for c in network.leaving[u] if hops.get(network.target[c]) == hops[u] - 1)
        lightest[u] = min(weights[c] + lightest[network.target[c]] for c in onward)
    return lightest


def load_shown(
    network: Network, flows: Any, capacity: Any, weights: Any, *, shortest: bool = True, pieces: int = 1
) -> Fraction:
    """The load, flow over capacity, that some channel has at least, however each piece of a flow takes one path.

    The weighted mean of the loads is at least what the flows add up to on their lightest paths. Where all capacities
    are 1, a load is a sum of whole pieces: a multiple of what divides all of them. And some channel has the largest
    piece.
    """
    weights = integers(weights, "weights", 0, 2**63, network.channels)
    limits = capacities(network, capacity)
    room = sum((weight * limit for weight, limit in zip(weights, limits, strict=True)), Fraction(0))
    sent, parts, whole, largest = flow_amounts(network, flows)
    total = 0
    for v, amounts in enumerate(sent):
        if not amounts:
            continue
        pay(LOOK * len(amounts))
        lightest = lightest_to(network, v, weights, shortest)
        if amounts.keys() - lightest.keys():
            raise Rejected(f"there is no way to router {v} for something that is sent there")
        total += sum(amount * lightest[u] for u, amount in amounts.items())
    if largest == 0:
        return Fraction(0)
    alone = Fraction(largest, parts * pieces) / max(limits)
    if room == 0:
        return alone
    if capacity is None:
        return max(alone, Fraction(-(-total * pieces // (int(room) * whole)) * whole, parts * pieces))
    return max(alone, Fraction(total) / (room * parts))


@checks("load", "network", "least")
def check_load(network: Network, claim: Any, proof: Any) -> str:
    """Check that some channel has at least a load, over any paths, shortest paths, or paths within some lanes.

    Claim: `flows`, each [source terminal, destination terminal, amount], or `null` for 1 from each to each
    other; `capacity` of each channel, or `null` for 1; `least`, numerator and denominator: some channel has
    this load on all shortest paths (or all, with `paths` `any`; with a path for each of `pieces` of a flow), or
    on those in a number of `lanes`, with `changes` (`none`, `shared`) and `table` (routes by tables)
    Proof: `weights`, a whole number for each channel; of lanes a refutation as for `lanes`, its pairs [router,
    terminal]
    """
    least = fraction(claim.get("least"), "least", 0)
    if "lanes" in claim:
        if claim.keys() & {"paths", "pieces"}:
            raise Rejected("in some lanes each flow takes one shortest path: neither paths nor pieces are expected")
        encoder = LoadEncoder(network, claim)
        lane_clauses(encoder, encoder.amounts, proof)
        check_refutation(encoder.clauses, len(encoder.number), field(proof, "steps", list))
        routes = f"shortest paths{' by tables' * encoder.table} in {encoder.lanes} lane{'s' * (encoder.lanes > 1)}"
        return f"{routes} {KINDS[encoder.changes]}: some channel has a load of at least {least}"
    claim = {"paths": "shortest", "pieces": 1, "flows": None, "capacity": None, **claim}
    paths, pieces = word(claim, "paths", ("any", "shortest")), number(claim, "pieces", 1, 2**20)
    about = network, claim["flows"], claim["capacity"], field(proof, "weights", list)
    shown = load_shown(*about, shortest=paths == "shortest", pieces=pieces)
    if shown < least:
        raise Rejected(f"the weights show a load of {shown}, and not of {least}")
    split = f", each flow in {pieces} equal pieces" * (pieces > 1)
    return f"{paths} paths{split}: some channel has a load of at least {least}"


class LoadEncoder(Encoder):
    """Clauses that hold if routes along shortest paths in some lanes load each channel less than a claim says.

    A pair is a router and a terminal: all that goes from one to the other takes one path in one lane. What follows a
    channel depends on the lane and the terminal; by tables what a router takes depends on the terminal alone. Further
    variables are:

    - ("next", where, terminal, e): packets to a terminal go on by channel e, from a router, or a channel in a lane.
    - ("load", c, i, n): of the first i pairs that need not take channel c, those that take it send at least n parts.
    """

    def __init__(self, network: Network, claim: Any) -> None:
        super().__init__(network, field(claim, "lanes", int), field(claim, "changes", str))
        if self.changes not in KEPT:
            raise Rejected("loads are of lanes that packets keep")
        self.table = field(claim, "table", bool)
        flows = defaultdict[Pair, Fraction](Fraction)
        for s, t, amount in listed_flows(network, claim.get("flows")):
            if network.inject[s] != network.eject[t]:
                flows[network.inject[s], t] += amount
        parts = lcm(*(amount.denominator for amount in flows.values()))
        self.amounts = {pair: int(amount * parts) for pair, amount in flows.items()}
        limit = fraction(claim.get("least"), "least", 0) * parts
        self.most = [ceil(limit * wide) - 1 for wide in capacities(network, claim.get("capacity"))]
        self.takers: list[dict[Pair, list[int]]] = [{} for _ in self.most]
        self.forced = [0 for _ in self.most]

    def home(self, pair: Pair) -> int:
        """The router of the terminal."""
        return self.network.eject[pair[1]]

    def serve(self, pair: Pair, first_lanes: int) -> None:
        """Add the clauses of a pair, and note the variables by which the pair uses each channel."""
        super().serve(pair, first_lanes)
        paths = self.paths(pair)
        if paths is None:
            taken = [
                (c, self.variable("uses", pair, c)) for c in closure(self.begin(pair), lambda c: self.after(pair, c))
            ]
        else:
            taken = [(c, self.variable("path", pair, j)) for j, path in enumerate(paths) for c in path]
        for c, variable in taken:
            self.takers[c].setdefault(pair, []).append(variable)
            if self.table:
                self.clauses.append((-variable, self.variable("next", self.network.source[c], pair[1], c)))
        for c in {c for path in paths or () for c in path}:
            if paths is not None and len(self.takers[c][pair]) == len(paths):
                self.forced[c] += self.amounts[pair]
                del self.takers[c][pair]

    def _turn(self, step: tuple[Any, ...], pair: Pair, lanes: range, c: int, e: int) -> None:
        """Add that each lane of a pair has the turn, and that packets to the terminal take the same next channel."""
        super()._turn(step, pair, lanes, c, e)
        if not self.table and len(self.after(pair, c)) > 1:
            for k in lanes:
                onward = self.variable("next", (k, c), pair[1], e)
                self.clauses.append((-self.variable(*step), -self.lane(pair, k), onward))

    def limit(self) -> None:
        """Add that packets to a terminal leave a channel by a single channel, and that channels keep to their highest
        loads.
        """
        onward: dict[Any, list[int]] = {}
        for meaning, variable in self.number.items():
            if meaning[0] == "next":
                onward.setdefault(meaning[1:3], []).append(variable)
        pay(KEPT_STATE * sum(comb(len(variables), 2) for variables in onward.values()))
        self.clauses += [(-a, -b) for variables in onward.values() for a, b in combinations(variables, 2)]
        for c, takers in enumerate(self.takers):
            room = self.most[c] - self.forced[c]
            rest = sum(self.amounts[pair] for pair in takers)
            sums = {0: self.variable("load", c, 0, 0)}
            self.clauses.append((sums[0],))
            if room < 0:
                self.clauses.append((-sums[0],))
            for i, (pair, variables) in enumerate(takers.items(), start=1):
                rest -= self.amounts[pair]
                longer: dict[int, int] = {}
                for before, known in sums.items():
                    pay(2 * KEPT_STATE * (1 + len(variables)))
                    for taken in ((), *((-variable,) for variable in variables)):
                        total = before + self.amounts[pair] * len(taken)
                        if total > room:
                            self.clauses.append((-known, *taken))
                        elif total + rest > room:
                            longer[total] = self.variable("load", c, i, total)
                            self.clauses.append((-known, *taken, longer[total]))
                sums = longer
                at_most(len(self.clauses), MOST_CLAUSES, "clauses")
