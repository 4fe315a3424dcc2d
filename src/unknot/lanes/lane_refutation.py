"""Refutations of numbers of lanes, over the clauses of the checker: pairs and cycles are added until they contradict.

The clauses are those of `unknot.certificates.plain`, and not those of the search (`clauses.py`): who searches and who
checks share no encoder, so a fault in one of them shows as a disagreement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from unknot._base.shown import Brief
from unknot.certificates import network_of, plain
from unknot.lanes.effort import SearchEffort
from unknot.lanes.forced import around, from_lowest
from unknot.lanes.solver import DisagreementError, Steps, refuted_by, solved_within
from unknot.lanes.ways import Flags
from unknot.network import Network

Pair = tuple[int, int]
MORE_PAIRS = 60
"""Pairs that are added at a time."""
MOST_CLAUSES = 3_000_000
"""Most clauses that are built."""


@dataclass(frozen=True, eq=False, repr=False)
class Refutation(Brief):
    """A proof that a number of lanes is not enough for shortest paths.

    Attributes
    ----------
    lanes : int
        The number of lanes that is impossible.
    pairs : tuple of pairs of routers
        Pairs that these lanes cannot serve. Lanes that packets keep are numbered in the order in which these use
        them.
    cycles : tuple of tuples of int
        Cycles of channels, the turns of which no lane permits all. Where lanes change they are of virtual channels:
        that of channel c in lane l is c · lanes + l.
    steps : tuple of pairs of tuples of int
        Clauses that follow one from another, each with the clauses by which it follows; the last is empty. Variables
        and clauses are numbered as `unknot.certificates.plain.Encoder` does.
    changes : {"none", "shared", "rising", "any"}
        What is impossible: lanes that packets keep, that both directions of a pair share, or that packets change.
    """

    lanes: int
    pairs: tuple[Pair, ...]
    cycles: tuple[tuple[int, ...], ...]
    steps: Steps
    changes: str = "none"

    @property
    def proof(self) -> dict[str, Any]:
        """The proof as plain data, for the checker."""
        return {
            "kind": "refutation",
            "pairs": [list(pair) for pair in self.pairs],
            "cycles": [list(cycle) for cycle in self.cycles],
            "steps": [[list(literals), list(hints)] for literals, hints in self.steps],
        }


def refute(
    network: Network,
    sends: Flags | None,
    lanes: int,
    effort: SearchEffort,
    *,
    changes: str = "none",
    first: Iterable[Pair] = (),
    cycles: Iterable[tuple[int, ...]] = (),
    conflicts: int,
) -> Refutation | None:
    """Prove over the checker's clauses that a number of lanes is not enough; None if time or conflicts run out.

    The solver begins with few pairs and no cycles. An answer with a cycle has it forbidden. An answer without one
    gives orders of the channels; pairs that these do not serve are added.

    Parameters
    ----------
    first : pairs of routers
        Pairs to begin with, by which the lanes are numbered.
    cycles : tuples of int
        Cycles that are forbidden from the beginning, as in `Refutation`.

    Raises
    ------
    DisagreementError
        If orders serve all pairs: then the number of lanes is possible, whatever the caller was told.
    """
    from pysat.solvers import Solver

    graph = plain.Network(network_of(network))
    flows = plain_flows(sends)
    every = sorted(plain.sending_pairs(graph, flows))
    encoder = plain.Encoder(graph, lanes, changes)
    pairs: list[Pair] = []
    forbidden = dict.fromkeys(cycles)
    todo = [*dict.fromkeys(first)] or every[:1]
    with Solver(name="glucose4", incr=False) as solver:
        sent = 0
        while todo:
            for pair in todo:
                pairs.append(pair)
                encoder.serve(pair, len(pairs))
            # A cycle has clauses only where its turns have variables, which further pairs bring.
            for cycle in forbidden:
                encoder.forbid(cycle)
            todo = []
            while not todo:
                if len(encoder.clauses) > MOST_CLAUSES:
                    return None
                for clause in encoder.clauses[sent:]:
                    solver.add_clause(clause)
                sent = len(encoder.clauses)
                effort.report(f"refuting {lanes} lanes: {len(pairs)} pairs, {len(forbidden)} cycles")
                possible = solved_within(solver, effort, conflicts)
                if possible is None:
                    return None
                if not possible:
                    return _proved(network, graph, {*every}, lanes, changes, pairs, [*forbidden], effort, conflicts)
                turns = _turns(encoder, pairs, {x for x in solver.get_model() if x > 0})
                fresh = {cycle for lane in turns for cycle in _cycles(lane)} - {*forbidden}
                for cycle in sorted(fresh):
                    forbidden[cycle] = None
                    encoder.forbid(cycle)
                if not fresh:
                    left = [pair for pair in every if pair not in {*pairs}]
                    todo = _unserved(encoder, turns, left, every)[:MORE_PAIRS]
                    if not todo:
                        raise DisagreementError(f"{lanes} lanes on {network.name}")
    return None


def _proved(
    network: Network,
    graph: plain.Network,
    every: set[Pair],
    lanes: int,
    changes: str,
    pairs: list[Pair],
    cycles: list[tuple[int, ...]],
    effort: SearchEffort,
    conflicts: int,
) -> Refutation | None:
    """Solve the clauses again as the checker will number them, with a proof."""
    named = {"pairs": [list(pair) for pair in pairs], "cycles": [list(cycle) for cycle in cycles]}
    encoder = plain.lane_clauses(graph, every, lanes, changes, named)
    steps = refuted_by(
        encoder.clauses, len(encoder.number), lambda solver: solved_within(solver, effort, 4 * conflicts)
    )
    return None if steps is None else Refutation(lanes, tuple(pairs), tuple(cycles), steps, changes)


def plain_flows(sends: Flags | None) -> list[list[int]] | None:
    """Pairs of terminals that send; None: every terminal sends to every other."""
    return None if sends is None else [[int(s), int(t)] for s, t in zip(*sends.nonzero(), strict=True)]


Turns = dict[int, set[int]]
"""The channels that follow each channel."""


def _turns(encoder: plain.Encoder, pairs: list[Pair], true: set[int]) -> list[Turns]:
    """The turns of the routes of an answer, lane by lane; turns that no route takes may be true and do not count."""
    turns: list[Turns] = [{} for _ in range(encoder.lanes)]
    number = encoder.number
    for meaning, variable in number.items():
        if meaning[0] == "turn" and variable in true:
            _, k, c, e = meaning
            turns[k].setdefault(c, set()).add(e)
    return turns


def _cycles(turns: Turns) -> Iterator[tuple[int, ...]]:
    """A shortest cycle through each of some channels on cycles, beginning with its lowest channel."""
    import networkx as nx

    graph = nx.DiGraph([(c, e) for c, onward in turns.items() for e in onward])
    for part in nx.strongly_connected_components(graph):
        if len(part) < 2:
            continue
        inside = {c: sorted(turns[c] & part) for c in part}
        for start in sorted(part)[:: max(1, len(part) // 20)]:
            yield from_lowest(around(inside, start, len(part) + 1) or [start])


def _climbs(encoder: plain.Encoder, place: dict[int, int], pair: Pair) -> bool:
    """Whether some shortest path of a pair climbs."""
    onward = plain.closure(
        encoder.begin(pair), lambda c: [e for e in encoder.after(pair[1], c) if place[c] < place[e]]
    )  # fmt: skip
    return any(encoder.network.target[c] == pair[1] for c in onward)


def _unserved(encoder: plain.Encoder, turns: list[Turns], pairs: list[Pair], every: list[Pair]) -> list[Pair]:
    """Pairs that have no shortest path that climbs in some lane, its channels ordered so that all turns climb."""
    import networkx as nx

    places = []
    for lane in turns:
        graph = nx.DiGraph([(c, e) for c, onward in lane.items() for e in onward])
        graph.add_nodes_from(range(encoder.network.channels))
        places.append({c: i for i, c in enumerate(nx.lexicographical_topological_sort(graph))})
    unserved = []
    for pair in pairs:
        for end in pair:
            if end not in encoder.hops:
                encoder.hops[end] = encoder.network.hops_to(end)
        ways = [pair, pair[::-1]] if encoder.shared and pair[::-1] in every else [pair]
        if not any(all(_climbs(encoder, place, way) for way in ways) for place in places):
            unserved.append(pair)
    # Far pairs have most turns, and contradict soonest.
    return sorted(unserved, key=lambda pair: (-encoder.hops[pair[1]][pair[0]], pair))
