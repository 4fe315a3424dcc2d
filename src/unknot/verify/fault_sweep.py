"""Faults of channels, links or routers: each fault is made, and the routing rebuilt and judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import comb
from time import perf_counter
from typing import Any

from unknot._base.errors import RelationError, UnknotError
from unknot._base.kernels.lazy_kernel import is_small, plainly
from unknot._base.progress import Progress, reported, with_bar
from unknot._base.switching import DEFAULT_SWITCHING, switching_named
from unknot._base.threads import processors
from unknot.network import Network
from unknot.network.automorphisms import Orbits
from unknot.routing.designed import restricted
from unknot.routing.ethernet import path_vector
from unknot.routing.named import routing as routing_of
from unknot.routing.own import is_file
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network
from unknot.verify.between_states import states_between
from unknot.verify.check import check
from unknot.verify.delivery import Delivery, deliver
from unknot.verify.ethernet_faults import AfterFailures, Decided, fabric_of, never_circular
from unknot.verify.failure_unions import FailureUnions, Settled
from unknot.verify.failures import (
    OUTCOMES,
    Failed,
    Fault,
    FaultSweep,
    FaultVerdict,
    Outcome,
    Parts,
    check_faults,
    left_after,
    parts_of,
    sets_of_parts,
)


@takes_network
@with_bar
def fault_sweep(
    network: Network,
    routing: str | Callable[[Network], Relation],
    switching: str = DEFAULT_SWITCHING,
    *,
    vcs: int | None = None,
    kind: Parts = "links",
    faults: int = 1,
    fewer: bool = False,
    between: bool = False,
    budget: int = 1000,
    seed: int = 1,
    time_limit: float = 10.0,
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
    kind : {"channels", "links", "routers", "any"}
        What fails: single directed channels, all channels between two routers, routers with their terminals, or any
        mixture of links and routers.
    faults : int
        How many fail at once.
    fewer : bool
        Whether fewer that fail at once are tried too.
    between : bool
        Whether the states between are judged too, while routers learn of the failures; for `bgp` and `ospf`.
    budget : int
        Most sets of parts of each size to try; of more, that number is drawn at random. For `bgp` and `ospf` one set
        stands for all that automorphisms of the network and its AS plan turn it into. Where these are more, each
        step settles many sets by the union of their routes, or finds those to judge; this is the most steps.
    seed : int
        Seeds the draws.
    time_limit : float
        Seconds for each proof.
    notice : callable, optional
        Told beforehand how many sets there are and how long they take, for `bgp` and `ospf`.
    progress : callable, optional
        Called with what was found last and the faults done, see `unknot._base.progress`.
    on_verdict : callable, optional
        Called with the `FaultVerdict` of each fault after which there was a routing to judge; of more than `budget`
        sets for `bgp` and `ospf` with none.

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
    >>> sweep = fault_sweep("ring(4)", routing="up_down", kind="routers")
    >>> fault = sweep.tried[0]
    >>> len(sweep.tried), fault.parts, fault.outcome
    (4, ('(0)',), 'holds')
    """
    technique = switching_named(switching)
    check_faults("fault_sweep", kind, faults, budget)
    build = routing if callable(routing) else lambda left: routing_of(left, routing, vcs)
    whole = build(network)
    if isinstance(routing, str) and is_file(routing):
        build = partial(restricted, whole)
    parts, sizes = list(parts_of(network, kind)), range(1 if fewer else faults, faults + 1)
    possible = sum(comb(len(parts), size) for size in sizes)
    before = path_vector(network, routing) if between and isinstance(routing, str) else None
    if between and before is None:
        raise RelationError("fault_sweep: states between are those of bgp and ospf")
    one_by_one = callable(routing) or between or (on_verdict is not None and possible <= budget)
    fabric = None if one_by_one else fabric_of(network, str(routing), kind)

    def outcome(failed: Failed) -> Fault:
        names, numbers = failed.names, failed.numbers
        left = left_after(network, kind, numbers)
        if isinstance(left, str):
            return Fault(names, "disconnected", 0, 0, left)
        try:
            relation = build(left)
            verdict = check(relation, technique, time_limit=time_limit)
            delivery = deliver(relation)
        except UnknotError as error:
            return Fault(names, "refused", 0, 0, str(error))
        if on_verdict is not None:
            on_verdict(FaultVerdict(names, numbers, relation, verdict, delivery))
        free, delivered = verdict.deadlock_free, delivery.delivered
        name: Outcome = (
            "deadlock" if free is False else "undelivered" if not delivered else "holds" if free else "undecided"
        )
        why = _lost(relation, delivery) if name == "undelivered" else verdict.established
        if before is not None and name == "holds":
            after = path_vector(left, str(routing))
            assert after is not None
            meanwhile = states_between(str(routing), before, after, seed, time_limit)
            why = meanwhile.established
            name = "holds" if meanwhile.free else "undecided" if meanwhile.free is None else "between"
        return Fault(names, name, delivery.undelivered_pairs, delivery.pairs, why)

    tried, claims = list[Fault](), list[dict[str, Any]]()
    for size in sizes:
        if fabric is not None:
            settled = announced_faults(fabric, size, budget, seed, notice, progress)
            tried += settled.faults
            claims += settled.claims
        else:
            chosen = sets_of_parts(f"{kind} of {network.name}", parts, size, budget, seed)
            tried += reported(map(outcome, chosen), len(chosen), progress, str)
    sampled = sum(fault.alike for fault in tried) < possible
    never = None if fabric is None else never_circular(fabric.vector)
    claims += [] if never is None else [never]
    tried.sort(key=lambda fault: (OUTCOMES.index(fault.outcome), len(fault.parts), -fault.undelivered_pairs))
    proved = True if never else None
    return FaultSweep(
        network.name,
        whole.name,
        technique,
        kind,
        faults,
        fewer,
        possible,
        sampled,
        proved,
        tuple(tried),
        tuple(claims),
    )


def _lost(relation: Relation, delivery: Delivery) -> str:
    """The first dead end or loop, by names."""
    name = relation.vcs.name
    for at, address in delivery.dead_ends[:1]:
        return f"bound for {relation.address_name(address)}, no way on from {name(at)}"
    for input_vcs, address in delivery.loops[:1]:
        return f"bound for {relation.address_name(address)}, round for ever by {', '.join(map(name, input_vcs))}"
    return ""


def announced_faults(
    fabric: AfterFailures,
    size: int,
    budget: int,
    seed: int,
    notice: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> Settled:
    """Judge all sets of `size` parts; of more than `budget` one for all that are alike, else many by one union.

    One set stands for others only if no choice by the age of routes could change what becomes of it.
    """
    what, possible = f"{fabric.kind} of {fabric.vector.network.name}", comb(len(fabric.parts), size)
    note = notice or (lambda _: None)

    def decided(sets: Sequence[Failed]) -> list[Decided]:
        """Judge sets on all processors; before that, report how long it takes."""
        from unknot.verify.failure_union_kernel import dependencies

        if is_small(fabric.homes.size * fabric.vector.network.num_channels * len(sets), dependencies):
            with plainly():
                return [*reported(map(fabric.decide, sets), len(sets), progress, lambda one: str(one.fault))]
        # The first loads the kernel.
        for _ in range(2):
            began = perf_counter()
            fabric.decide(Failed((), ()))
        threads = processors()
        seconds = (perf_counter() - began) * len(sets) / threads
        note(f"{possible:,} sets of {size} {what}, of which {len(sets):,} are judged: about {seconds:.0f} s")
        with ThreadPoolExecutor(threads) as pool:
            return [*reported(pool.map(fabric.decide, sets), len(sets), progress, lambda one: str(one.fault))]

    if possible <= budget:
        chosen = decided(sets_of_parts(what, fabric.parts, size, budget, seed))
        return Settled(tuple(one.fault for one in chosen), ())
    orbits = Orbits(fabric.graph()).of_size(size, budget)
    if orbits is not None and sum(orbit.sets for orbit in orbits) == possible:
        alike = decided([Failed.of([fabric.parts[n] for n in orbit.parts], orbit.sets) for orbit in orbits])
        if not any(one.choices and one.fault.alike > 1 for one in alike):
            return Settled(tuple(one.fault for one in alike), ())
        note("after some of them routes depend on a choice among equal ones, so that no set stands for others")
    return FailureUnions(fabric).settle(size, budget, seed, note, progress)
