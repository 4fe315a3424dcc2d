"""A small, separate checker of "fewer lanes are impossible": from the network and the demand alone.

It shares nothing with the search and the solver: distances are its own breadth-first searches, the clauses of a
refutation are built anew, and only what follows from them by unit propagation is believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network, takes_relation
from unknot.synthesis.clauses import Clause, Clauses, Pair, hops, leaving, senders
from unknot.synthesis.forced import ForcedCycle, RouteCycle
from unknot.synthesis.refutation import Learnt, Rejected, contradict
from unknot.synthesis.ways import Flags


@dataclass(frozen=True, eq=False)
class Refutation:
    """A proof that a number of lanes is not enough for shortest paths.

    Attributes
    ----------
    lanes : int
        The number of lanes that is impossible.
    first_pairs : tuple of pairs of routers
        Lanes are numbered in the order in which these use them.
    cycles : tuple of tuples of int
        Cycles of channels, the turns of which no lane permits all.
    learnt : int32 array
        Clauses each of which follows by unit propagation from those of the network, those of the cycles, and those
        before it; each ends with a 0. Together they are contradictory. Variables are numbered as `Clauses` does.
    changes : {"none", "rising", "any"}
        What is impossible: lanes that packets keep, or that they change on the way. The cycles are then of virtual
        channels: that of channel c in lane l is c · lanes + l.
    """

    lanes: int
    first_pairs: tuple[Pair, ...]
    cycles: tuple[tuple[int, ...], ...]
    learnt: Learnt
    changes: str = "none"


Evidence = ForcedCycle | Refutation | RouteCycle


@takes_network
def accept(network: Network, evidence: ForcedCycle | Refutation, sends: Flags | None = None) -> int:
    """The number of lanes that the evidence shows to be impossible; raise `Rejected` if it does not hold.

    Parameters
    ----------
    sends : bool array, shape (terminals, terminals), optional
        Who sends to whom; by default every terminal sends to every other.
    """
    if isinstance(evidence, ForcedCycle):
        _forced_cycle(network, evidence, sends)
        return 1
    _refutation(network, evidence, sends)
    return evidence.lanes


def shows(
    network: Network,
    evidence: Evidence | None,
    lower_bound: int,
    *,
    sends: Flags | None = None,
    given: Relation | None = None,
    changes: str = "none",
) -> bool | None:
    """Whether evidence shows that fewer lanes than a bound are impossible; None: there is none to check.

    Parameters
    ----------
    given : Relation, optional
        The relation whose routes `RouteCycle` is about.
    changes : {"none", "rising", "any", "ports"}
        How packets may change lanes. Lanes that change less are refuted with those that change more.
    """
    if evidence is None:
        return None
    try:
        if isinstance(evidence, RouteCycle):
            if given is not None:
                accept_routes(given, evidence)
            return given is not None and lower_bound == 2
        impossible = accept(network, evidence, sends)
    except Rejected:
        return False
    about = evidence.changes if isinstance(evidence, Refutation) else "any"
    return impossible == lower_bound - 1 and (impossible == 1 or changes == "none" or about in (changes, "any"))


@takes_relation
def accept_routes(relation: Relation, evidence: RouteCycle) -> None:
    """Return quietly if routes of a relation close the cycle, so one lane is not enough; raise `Rejected` if not."""
    if not evidence.turns:
        raise Rejected("a cycle has at least one turn")
    for turn, then in zip(evidence.turns, [*evidence.turns[1:], evidence.turns[0]], strict=True):
        if turn.following != then.channel:
            raise Rejected(f"channel {turn.following} is followed by channel {then.channel}: that is no cycle")
        if not 0 <= turn.address < relation.num_addresses or turn.source not in relation.sources(turn.address):
            raise Rejected(f"terminal {turn.source} does not send to address {turn.address}")
        at, way = relation.num_vcs + turn.source, [-1]
        while (turn.channel, turn.following) not in pairwise(way):
            vcs = [c.vc for c in relation.candidates(at, turn.address) if c.vc is not None]
            channels = {int(relation.vcs.channel[vc]) for vc in vcs}
            if len(channels) != 1 or len(way) > relation.num_vcs:
                raise Rejected(
                    f"the route from terminal {turn.source} to address {turn.address} does not take channel "
                    f"{turn.channel} and then channel {turn.following}"
                )
            at = vcs[0]
            way.append(channels.pop())


def _refutation(network: Network, evidence: Refutation, sends: Flags | None) -> None:
    given, variables = clauses_of(network, evidence, sends)
    contradict(given, evidence.learnt, variables)


def clauses_of(network: Network, evidence: Refutation, sends: Flags | None) -> tuple[list[Clause], int]:
    """Clauses of the network and of the cycles, and the number of variables; raise `Rejected` at a wrong cycle."""
    lanes, pairs = evidence.lanes, senders(network, sends)
    if lanes < 1 or len({*evidence.first_pairs}) < len(evidence.first_pairs) or not {*evidence.first_pairs} <= pairs:
        raise Rejected("at least one lane, and different pairs that send, are wanted")
    if evidence.changes not in ("none", "rising", "any") or (evidence.changes != "none" and evidence.first_pairs):
        raise Rejected("lanes are kept, rise or change, and only lanes that are kept may be numbered by pairs")
    clauses = Clauses(network, lanes, sends=sends, first_pairs=evidence.first_pairs, changes=evidence.changes)
    network = clauses.network
    given: list[Clause] = list(clauses.given)
    for cycle in evidence.cycles:
        if not cycle or any(not 0 <= c < network.num_channels for c in cycle):
            raise Rejected(f"{cycle} are not channels of {network.name}")
        for c, e in pairwise([*cycle, cycle[0]]):
            if network.target[c] != network.source[e]:
                raise Rejected(f"channel {e} does not follow channel {c}, so {cycle} is no cycle")
        given += clauses.against(cycle)
    return given, len(clauses.number)


def _forced_cycle(network: Network, evidence: ForcedCycle, sends: Flags | None) -> None:
    if not evidence.turns:
        raise Rejected("a cycle has at least one turn")
    pairs = senders(network, sends)
    for turn, following in zip(evidence.turns, [*evidence.turns[1:], evidence.turns[0]], strict=True):
        if turn.following != following.channel:
            raise Rejected(f"channel {turn.following} is followed by channel {following.channel}: that is no cycle")
        if (turn.source, turn.destination) not in pairs:
            raise Rejected(f"router {turn.source} does not send to router {turn.destination}")
        levels = shortest_levels(network, turn.source, turn.destination)
        if ([turn.channel], [turn.following]) not in pairwise(levels):
            raise Rejected(
                f"a shortest path from router {turn.source} to router {turn.destination} does not take channel "
                f"{turn.channel} and then channel {turn.following}"
            )


def shortest_levels(network: Network, source: int, destination: int) -> list[list[int]]:
    """The channels that are first, second, … on some shortest path between two routers."""
    there = hops(network, destination, forward=False)
    if source not in there:
        return []
    levels, ring = [], {source}
    while destination not in ring:
        level = [
            c
            for u in sorted(ring)
            for c in leaving(network, u)
            if there.get(int(network.target[c]), -1) == there[u] - 1
        ]
        levels.append(level)
        ring = {int(network.target[c]) for c in level}
    return levels
