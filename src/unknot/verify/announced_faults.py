"""All failures of an Ethernet fabric that routes anew: each set of them, one for all that are alike, or unions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import comb
from time import perf_counter

from unknot._base.kernels.lazy_kernel import is_small, plainly
from unknot._base.progress import Progress, reported
from unknot._base.threads import processors
from unknot.network.automorphisms import Orbits
from unknot.verify.ethernet_faults import AfterFailures, Decided
from unknot.verify.failure_unions import FailureUnions, Settled
from unknot.verify.failures import Failed, Part, Parts, sets_of_parts


def sets_alike(
    fabric: AfterFailures, parts: Sequence[Part], kind: Parts, size: int, budget: int
) -> tuple[Failed, ...] | None:
    """One set of each orbit of sets of `size` parts under the automorphisms of a fabric with its AS plan.

    None if there are more than `budget` orbits.
    """
    orbits = Orbits(fabric.graph(parts, kind)).of_size(size, budget)
    if orbits is None or sum(orbit.sets for orbit in orbits) != comb(len(parts), size):
        return None
    return tuple(Failed.of([parts[n] for n in orbit.parts], orbit.sets) for orbit in orbits)


def announced_faults(
    fabric: AfterFailures,
    parts: Sequence[Part],
    kind: Parts,
    size: int,
    budget: int,
    seed: int,
    notice: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> Settled:
    """Judge all sets of `size` parts; of more than `budget` one for all that are alike, else many by one union.

    One set stands for others only if no choice by the age of routes could change what becomes of it.
    """
    what, possible = f"{kind} of {fabric.vector.network.name}", comb(len(parts), size)
    text, note = f"{possible:,} sets of {size} {what}", notice or (lambda _: None)
    if possible <= budget:
        sets = sets_of_parts(what, parts, size, budget, seed)
        return Settled(tuple(one.fault for one in _decided(fabric, sets, kind, text, notice, progress)), ())
    alike = sets_alike(fabric, parts, kind, size, budget)
    if alike is not None:
        decided = [*_decided(fabric, alike, kind, text, notice, progress)]
        if not any(one.choices and one.fault.alike > 1 for one in decided):
            return Settled(tuple(one.fault for one in decided), ())
        note("after some of them routes depend on a choice among equal ones, so that no set stands for others")
    return FailureUnions(fabric, parts, kind).settle(size, budget, seed, note, progress)


def _decided(
    fabric: AfterFailures,
    sets: Sequence[Failed],
    kind: Parts,
    what: str,
    notice: Callable[[str], None] | None,
    progress: Progress | None,
) -> Iterator[Decided]:
    """Judge sets, on all processors; tell beforehand how long it takes."""
    from unknot.verify.ethernet_faults_kernel import dependencies

    network = fabric.vector.network
    if is_small(fabric.homes.size * network.num_channels * len(sets), dependencies):
        with plainly():
            yield from reported((fabric.decide(one, kind) for one in sets), len(sets), progress, str)
        return
    # The first loads the kernel.
    for _ in range(2):
        began = perf_counter()
        fabric.decide(Failed((), ()), kind)
    threads = processors()
    seconds = (perf_counter() - began) * len(sets) / threads
    if notice is not None:
        notice(f"{what}, of which {len(sets):,} are judged: about {seconds:.0f} s")
    with ThreadPoolExecutor(threads) as pool:
        decided = pool.map(lambda one: fabric.decide(one, kind), sets)
        yield from reported(decided, len(sets), progress, lambda one: str(one.fault))
