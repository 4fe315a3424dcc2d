"""Faults of channels, links or routers: each fault is made, and the routing rebuilt and judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import comb
from typing import Any

from unknot._base.deadline import NEVER, Deadline, counts_work
from unknot._base.errors import RelationError, UnknotError
from unknot._base.lent import lent
from unknot._base.progress import Progress, with_bar
from unknot._base.shown import Brief
from unknot._base.switching import DEFAULT_SWITCHING, Switching, switching_named
from unknot.network import Network
from unknot.routing.ethernet import path_vector
from unknot.routing.own import is_file
from unknot.routing.relation import Relation
from unknot.routing.subnets import restricted
from unknot.routing.table import lookup
from unknot.routing.tabulate import tabulate
from unknot.routing.taking import takes_network
from unknot.verify.between_states import states_between
from unknot.verify.check import check
from unknot.verify.delivery import deliver
from unknot.verify.ethernet_faults import fabric_of, never_circular
from unknot.verify.failure_groups import announced_faults
from unknot.verify.failures import (
    EACH_LINK,
    OUTCOMES,
    Failed,
    FailureCase,
    Failures,
    FaultVerdict,
    Outcome,
    Parts,
    Tried,
    left_after,
    parts_of,
    rerouting,
    sets_of_parts,
    try_sets,
)


@dataclass(frozen=True, repr=False)
class FaultSweep(Tried, Brief):
    """Outcomes of all faults that were tried.

    Attributes
    ----------
    network, routing : str
    switching : str
    kind : {"channels", "cables", "links", "routers", "any"}
    faults : int
        Parts that fail at once.
    fewer : bool
        Whether fewer were tried as well.
    possible : int
        Sets of that many parts, or fewer.
    sampled : bool
        Whether only some of them were tried. Else each was, or one that is alike.
    never_deadlocks : bool or None
        True: it is proved that no failures, however many, let buffers wait in a cycle. None: that is not shown.
    tried : tuple of FailureCase
        The worst first: by outcome, then the fewest parts, then by undelivered pairs, then as they come.
    claims : tuple of dict
        Evidence of what was settled at once, for `unknot.certificates`.
    cut_short : bool
        Whether time ran out before all of them were tried.
    unread : tuple of str
        What the files of a fabric hold and the model leaves out: beside it nothing is said to survive.

    Examples
    --------
    >>> from unknot.verify import fault_sweep
    >>> sweep = fault_sweep("mesh(3, 3)", routing="up_down")
    >>> sweep.kind, sweep.possible, sweep.tried[0].outcome
    ('links', 12, 'holds')
    """

    network: str
    routing: str
    switching: Switching
    kind: Parts
    faults: int
    fewer: bool
    possible: int
    sampled: bool
    never_deadlocks: bool | None
    tried: tuple[FailureCase, ...]
    claims: tuple[dict[str, Any], ...] = ()
    cut_short: bool = False
    unread: tuple[str, ...] = ()
    outcomes = OUTCOMES
    harmless = frozenset({"holds", "disconnected"})

    @property
    def spraying_deadlocks(self) -> int | None:
        """Sets of failures after which a hash can deadlock, and packets spread over the queues of all next hops, too.

        None: there is no such hash, or nothing is known of some.
        """
        return self._beside([one.spraying_free for one in self._stuck])

    @property
    def adaptive_deadlocks(self) -> int | None:
        """Sets of failures after which a hash can deadlock, and packets by any next hop that is not paused, too.

        None: there is no such hash, or nothing is known of some.
        """
        return self._beside([one.adaptive_free for one in self._stuck])

    @property
    def _stuck(self) -> list[FailureCase]:
        return [one for one in self.tried if one.outcome == "deadlock"]

    def _beside(self, free: list[bool | None]) -> int | None:
        if not free or None in free:
            return None
        return sum(one.alike for one, safe in zip(self._stuck, free, strict=True) if not safe)

    @property
    def survives(self) -> bool | None:
        """Whether every outcome is harmless; None: not all is decided, tried and read, and none is bad."""
        known = super().survives
        return None if known and self.unread else known


@takes_network
@with_bar
@counts_work
def fault_sweep(
    network: Network,
    routing: str | Callable[[Network], Relation],
    switching: str = DEFAULT_SWITCHING,
    *,
    vcs: int | None = None,
    failures: Failures = EACH_LINK,
    between: bool = False,
    time_limit: float = 10.0,
    until: Deadline = NEVER,
    notice: Callable[[str], None] | None = None,
    progress: Progress | None = None,
    on_verdict: Callable[[FaultVerdict], None] | None = None,
) -> FaultSweep:
    """Let every part of a network fail, alone or several at once, and judge the routing on what is left.

    Parameters
    ----------
    network : Network
        The network whose parts fail.
    routing : str or callable
        Name of a routing, with options if needed, or a function of a network that makes one; rebuilt for each fault.
        Routes of a file stay as they are: those over what has failed end there.
    switching : str
        Technique for which deadlock is judged.
    vcs : int, optional
        VCs per channel, for a routing given by name.
    failures : Failures
        What fails. For `bgp` and `ospf` groups of sets that have one outcome count as one in its budget, and so do
        those that automorphisms of the network and its AS plan turn into one another.
    between : bool
        Whether the states between are judged too, while routers learn of the failures; for `bgp` and `ospf`.
    time_limit : float
        Seconds for each proof.
    until : Deadline
        Sets that are judged one by one are judged until then.
    notice : callable, optional
        Told beforehand how many sets there are and how long they take, for `bgp` and `ospf`.
    progress : callable, optional
        Called with what was found last and the faults done, see `unknot._base.progress`.
    on_verdict : callable, optional
        Called with the `FaultVerdict` of each fault after which there was a routing to judge; beyond the budget of
        sets for `bgp` and `ospf` with none, but then `claims` has evidence of sets that are judged alone too.

    Returns
    -------
    FaultSweep
        Verdicts on the sets of parts, and how many sets they stand for.

    Raises
    ------
    RelationError
        If an argument makes no sense, or the routing cannot be used on the whole network.
    SizeError
        If the list of the sets to try does not fit the memory.

    Examples
    --------
    >>> from unknot.verify import Failures
    >>> sweep = fault_sweep("ring(4)", routing="up_down", failures=Failures("routers"))
    >>> fault = sweep.tried[0]
    >>> len(sweep.tried), fault.parts, fault.outcome
    (4, ('(0)',), 'holds')
    """
    technique, kind, sizes = switching_named(switching), failures.kind, failures.sizes
    build = routing if callable(routing) else rerouting(network, routing, vcs)
    whole = build(network)
    if isinstance(routing, str) and (is_file(routing) or isinstance(lent("routing", routing), Relation)):
        build = partial(restricted, whole if is_file(routing) else replace(whole, rule=lookup(tabulate(whole))))
    parts = list(parts_of(network, kind))
    possible = sum(comb(len(parts), size) for size in sizes)
    vector = path_vector(network, routing) if between and isinstance(routing, str) else None
    if between and vector is None:
        raise RelationError("fault_sweep: states between are those of bgp and ospf")
    one_by_one = callable(routing) or between or (on_verdict is not None and possible <= failures.most)
    fabric = None if one_by_one else fabric_of(network, str(routing), kind)

    def outcome(failed: Failed) -> FailureCase:
        names = failed.names
        left = left_after(network, kind, failed.numbers)
        if isinstance(left, str):
            return FailureCase(names, "disconnected", 0, 0, left)
        try:
            relation = build(left)
            verdict = check(relation, technique, time_limit=min(time_limit, until.left))
            after = FaultVerdict(names, failed.numbers, relation, verdict, deliver(relation))
        except UnknotError as error:
            return FailureCase(names, "refused", 0, 0, str(error))
        if on_verdict is not None:
            on_verdict(after)
        name, why = _named(after)
        if vector is not None and name == "holds":
            meanwhile = states_between(vector, vector.after_failures(left), failures.seed, time_limit)
            why = meanwhile.established
            name = "holds" if meanwhile.free else "undecided" if meanwhile.free is None else "between"
        return FailureCase(names, name, after.delivery.undelivered_pairs, after.delivery.pairs, why)

    tried, claims = list[FailureCase](), list[dict[str, Any]]()
    for size in sizes:
        if fabric is not None:
            proofs = on_verdict is not None
            outcomes, evidence = announced_faults(fabric, size, failures, notice, progress, proofs=proofs)
            tried += outcomes
            claims += evidence
        else:
            chosen = sets_of_parts(f"{kind} of {network.name}", parts, size, failures.most, failures.seed)
            try_sets(outcome, chosen, tried, until, progress)
            if until.over and tried and tried[-1].outcome == "undecided":
                tried.pop()  # its proof had less than its time
    sampled = sum(fault.alike for fault in tried) < possible
    never = None if fabric is None else never_circular(fabric.vector)
    claims += [] if never is None else [never]
    tried.sort(key=lambda fault: (OUTCOMES.index(fault.outcome), len(fault.parts), -fault.undelivered_pairs))
    about = network.name, whole.name, technique, kind, failures.at_once, failures.fewer
    proved, late = True if never else None, sampled and until.over
    return FaultSweep(*about, possible, sampled, proved, tuple(tried), tuple(claims), late)


def _named(after: FaultVerdict) -> tuple[Outcome, str]:
    """The outcome of a fault, and why: of lost packets the first dead end or loop, by names."""
    relation, free, delivery = after.relation, after.verdict.deadlock_free, after.delivery
    name, established = relation.vcs.name, after.verdict.established
    if free is False or delivery.delivered:
        return "deadlock" if free is False else "holds" if free else "undecided", established
    for at, address in delivery.dead_ends[:1]:
        return "undelivered", f"bound for {relation.address_name(address)}, no way on from {name(at)}"
    for input_vcs, address in delivery.loops[:1]:
        way = ", ".join(map(name, input_vcs))
        return "undelivered", f"bound for {relation.address_name(address)}, round for ever by {way}"
    return "undelivered", ""
