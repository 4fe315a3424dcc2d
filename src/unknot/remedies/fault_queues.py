"""The fewest lossless queues for all routes after failures, and what routes without valleys cost instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import comb

from unknot._base.arrays import Ints
from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.errors import UnknotError
from unknot._base.progress import Progress, reported
from unknot._base.three_valued import ThreeValued, all_hold
from unknot.flow_control.techniques import PFC
from unknot.lane_assignment.flow_paths import graph_of_relations
from unknot.lane_assignment.queues import LosslessQueues, fewest_queues
from unknot.network import Network
from unknot.network.graph import reached_from, survivors
from unknot.network.metrics import hops_from_any
from unknot.routing.relation import Relation
from unknot.verify.check import check
from unknot.verify.failures import EACH_LINK, Failures, left_after, parts_of, sets_of_parts


@dataclass(frozen=True, eq=False)
class FaultQueues(ThreeValued, asks="free"):
    """One set of queues and rules for the routes after every set of failures, and the fewest queues of each state.

    Attributes
    ----------
    queues : LosslessQueues
        For all routes together, although those of different states never hold at once.
    alone : OneState or None
        The state that needs most, its routes alone; None: none is known to need a second queue.
    state_queues : int
        Queues that are enough in each state, with rules of its own.
    states : int
        Sets of at most that many failed parts, the empty one included, that leave the network connected.
    deadlocks : int
        States in which these routes can deadlock in one queue.
    free : bool or None
        Whether each state was judged free of deadlock in these queues.
    valley_free_cut : int or None
        States in which some pair has no path that goes up and then down; None: the network has no tiers.
    valley_free_pairs : int or None
        Most pairs of switches with hosts that are cut off so in one state.
    """

    queues: LosslessQueues
    alone: OneState | None
    state_queues: int
    states: int
    deadlocks: int
    free: bool | None
    valley_free_cut: int | None
    valley_free_pairs: int | None

    @property
    def state_lower_bound(self) -> int:
        """Queues that some state needs, whatever its rules."""
        return 1 if self.alone is None else self.alone.queues.lower_bound

    @property
    def refuted(self) -> str:
        """Numbers of queues that are impossible, and for which routes."""
        whole = f"the routes of all {self.states} states together, which never hold at once"
        some = "" if self.alone is None else f"those after {', '.join(self.alone.failed) or 'no failure'} alone"
        bounds = (self.queues.lower_bound, whole), (self.state_lower_bound, some)
        return "; ".join(f"{bound - 1} for {routes}" for bound, routes in bounds if bound > 1)

    @property
    def proved(self) -> list[LosslessQueues]:
        """The queues whose lower bounds have evidence."""
        known = [self.queues] if self.alone is None else [self.queues, self.alone.queues]
        return [one for one in known if one.claim is not None]

    @property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts both lower bounds; None: there is nothing to check."""
        return all_hold(one.evidence_holds for one in self.proved) if self.proved else None


@dataclass(frozen=True, eq=False)
class OneState:
    """The fewest queues for the routes after some failures: parts that failed, and queues for these routes alone."""

    failed: tuple[str, ...]
    queues: LosslessQueues


@counts_work
def fault_queues(
    network: Network,
    build: Callable[[Network], Relation],
    failures: Failures = EACH_LINK,
    *,
    time_limit: float | Deadline = MINUTE,
    progress: Progress | None = None,
) -> FaultQueues:
    """Find the fewest lossless queues for all routes under at most that many failures, with proof for their union.

    Parameters
    ----------
    build : callable
        The routing of what is left of the network.
    failures : Failures
        Fewer fail too. With more sets than the budget nothing is tried, since the union has to be whole.

    Raises
    ------
    UnknotError
        If there are more sets, or packets circle or are lost after some of them.

    Examples
    --------
    >>> from unknot.network.families import xgft
    >>> from unknot.routing.ethernet import bgp
    >>> from unknot.verify import Failures
    >>> after = fault_queues(xgft([1, 3], [1, 2]), bgp, Failures(at_once=2))
    >>> after.deadlocks, after.state_queues, after.queues.count, after.queues.lower_bound, after.free
    (0, 1, 2, 2, True)
    """
    kind, at_once, budget = failures.kind, failures.at_once, failures.most
    parts = list(parts_of(network, kind))
    number = sum(comb(len(parts), size) for size in range(at_once + 1))
    if number > budget:
        raise UnknotError(
            f"{network.name}: {number:,} sets of at most {at_once} failed {kind}; all of them are needed, and the "
            f"budget is {budget:,}"
        )
    whole = build(network)
    relations, failed = [whole], [tuple[str, ...]()]
    for size in range(1, at_once + 1):
        sets = sets_of_parts(f"{kind} of {network.name}", parts, size, number, 1)
        for one in reported(sets, len(sets), progress, lambda failed: ", ".join(failed.names)):
            left = left_after(network, kind, one.numbers)
            if isinstance(left, Network):
                relations.append(build(left))
                failed.append(one.names)
    edges = sorted({*network.eject.tolist()})
    deadline = Deadline.of(time_limit, "queues")
    queues = fewest_queues(graph_of_relations(network, relations), edges, time_limit=deadline)
    verdicts = [check(one, flow=PFC).deadlock_free for one in relations]
    stuck = [one for one, safe in zip(zip(failed, relations, strict=True), verdicts, strict=True) if not safe]
    alone, enough = _fewest_alone(network, stuck, queues, deadline)
    free = all_hold(check(queues.relation(one), flow=PFC).deadlock_free for one in relations)
    tiers = hops_from_any(network, edges)
    cut, most = None, None
    if (tiers[network.source] != tiers[network.target]).all():
        states = [one.network for one in relations]
        lost = [pairs_without_valley_free_path(left, tiers[survivors(network, left).routers]) for left in states]
        cut, most = sum(map(bool, lost)), max(lost)
    return FaultQueues(queues, alone, enough, len(relations), verdicts.count(False), free, cut, most)


def _fewest_alone(
    network: Network, states: list[tuple[tuple[str, ...], Relation]], together: LosslessQueues, deadline: Deadline
) -> tuple[OneState | None, int]:
    """The state whose lower bound is the highest, and queues that are enough in each, of its routes alone."""
    worst, enough = None, 1
    for failed, relation in states:
        # What is enough for all together is enough for each.
        if deadline.over or (worst is not None and worst.queues.lower_bound == together.count):
            return worst, together.count
        own = fewest_queues(
            graph_of_relations(network, [relation]), sorted({*network.eject.tolist()}), time_limit=deadline
        )
        enough = min(together.count, max(enough, own.count))
        if worst is None or own.lower_bound > worst.queues.lower_bound:
            worst = OneState(failed, own)
    return worst, enough


def pairs_without_valley_free_path(network: Network, tiers: Ints) -> int:
    """Ordered pairs of switches with hosts between which no path goes up and then down, by the tiers of switches."""
    ends, lost = {*network.eject.tolist()}, 0

    def onward(at: tuple[int, bool]) -> Iterator[tuple[int, bool]]:
        router, rising = at
        for far in network.target[network.outgoing.of(router)].tolist():
            up = bool(tiers[far] > tiers[router])
            if rising or not up:
                yield far, up

    for start in sorted({*network.inject.tolist()}):
        lost += len(ends - {router for router, _ in reached_from([(start, True)], onward)})
    return lost
