"""Failures of Ethernet fabrics, many sets at once: what holds after some failures, and which more can change it.

Where a shortest path between two switches with hosts is left, packets between them take such paths alone. So if all
shortest paths of now close no cycle of buffers, only failures that break all of those between some pair can close
one. And a cycle that some paths close stays closed as long as none of them fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from math import comb
from time import perf_counter
from typing import Any

import numpy as np

from unknot._base.kernels.lazy_kernel import is_small, plainly
from unknot._base.progress import Progress, reported
from unknot._base.threads import processors
from unknot.network.automorphisms import Alike, Orbits
from unknot.network.graph import components, shortest_cycle
from unknot.verify.ethernet_faults import AfterFailures, Decided, FailureSets
from unknot.verify.failure_paths import Members, ShortestPaths, smallest
from unknot.verify.failures import Failed, FailureCase, Failures, Outcome, sets_of_parts

MOST_NUMBERS = 10_000_000
"""Numbers in the evidence of single sets; of more, some have none."""

MANY = 200
"""Sets to be judged alone for which it takes less time to find out which are alike."""


@dataclass(frozen=True)
class FailureGroup:
    """Sets of failures with a common outcome, unless they contain certain parts.

    Attributes
    ----------
    sets : FailureSets
    unless : frozenset of frozenset of int
        Parts that may change the outcome when all of one of these fail too.
    outcome : {"holds", "deadlock", "disconnected"}
    why : str
    pairs : int
        Pairs of surviving terminals, all delivered; 0 where routers may fail too, or some are cut off.
    claim : dict or None
        Evidence, for `unknot.certificates`.
    """

    sets: FailureSets
    unless: Members
    outcome: Outcome
    why: str
    pairs: int = 0
    claim: dict[str, Any] | None = None

    def changed(self) -> Iterator[FailureSets]:
        """Yield the sets that contain a part of `unless`, each within exactly one result."""
        left = [(self.sets, self.unless)]
        while left:
            sets, unless = left.pop()
            some = frozenset(parts for parts in unless if len(parts) <= sets.more)
            if frozenset() in some:
                yield sets
            elif some:
                part, _ = Counter(sorted(part for parts in some for part in parts)).most_common(1)[0]
                up = FailureSets(sets.failed, sets.kept | {part}, sets.more)
                down = FailureSets((*sets.failed, part), sets.kept, sets.more - 1)
                left += [(up, frozenset(parts for parts in some if part not in parts))]
                left += [(down, frozenset(parts - {part} for parts in some))]


def group_after(paths: ShortestPaths) -> FailureGroup | None:
    """The outcome after some failures and the parts that may change it; None: judge each set alone."""
    fabric, network, sets = paths.fabric, paths.fabric.vector.network, paths.sets
    ends, hosts = np.flatnonzero(paths.hosts), int(paths.hosts.sum())
    if ends.size <= sets.more and fabric.kind in ("routers", "any"):
        return None
    label, _ = components(network, paths.up)
    apart = [int(router) for router in ends if label[router] != label[ends[0]]]
    if apart:
        two = int(ends[0]), apart[0]
        healing = {int(paths.own[router]) for router in two} - {-1, *sets.kept}
        unless = frozenset(frozenset({part}) for part in healing)
        return FailureGroup(
            sets, unless, "disconnected", f"no ways between {' and '.join(map(network.router_name, two))}"
        )
    loose = paths.loose()
    breaking = None if loose is None else paths.breaking(loose)
    if breaking is None:
        return None
    steps, pairs = fabric.pairs(paths.dependencies()), 0 if paths.own.max() >= 0 else hosts * (hosts - 1)
    circle = shortest_cycle(*steps, 1)
    if not circle:
        why = "the shortest paths that are left close no cycle of buffers"
        claim = fabric.claim({"rank": fabric.ranks(steps)}, sets, breaking)
        return FailureGroup(sets, breaking, "holds", why, pairs, claim)
    # Else not all shortest paths are used.
    if fabric.vector.relax and fabric.vector.most is None:
        chosen = paths.closing(circle)
        on_chosen = frozenset(frozenset({part}) for path in chosen for part in paths.parts_of(path))
        why = f"buffers wait in a cycle: {' → '.join(map(network.channel_name, circle))}"
        claim = fabric.claim({"circle": circle, "paths": chosen}, sets, on_chosen if sets.more else ())
        return FailureGroup(sets, smallest(breaking | on_chosen), "deadlock", why, pairs, claim)
    return None


@dataclass(frozen=True)
class Grouped:
    """Groups of failure sets, how many each stands for, the sets to be judged alone, and those that are left."""

    faults: tuple[FailureCase, ...]
    claims: tuple[dict[str, Any], ...]
    alone: tuple[tuple[int, ...], ...]
    left: tuple[FailureSets, ...]


def grouped_failures(fabric: AfterFailures, size: int, budget: int) -> Grouped:
    """Divide all sets of some size into groups of one outcome and at most `budget` others; the rest is left."""
    total, open_sets = len(fabric.parts), [FailureSets((), frozenset(), size)]
    faults, claims, alone, left = (
        list[FailureCase](),
        list[dict[str, Any]](),
        list[tuple[int, ...]](),
        list[FailureSets](),
    )
    while open_sets:
        sets = open_sets.pop()
        tried = len(alone) + len(faults)
        if sets.more and tried < budget:
            group = group_after(ShortestPaths(fabric, sets, budget - tried))
            if group is not None:
                changed = list(group.changed())
                open_sets += changed
                count = sets.count(total) - sum(one.count(total) for one in changed)
                faults += [_fault(fabric, group, count, apart=bool(changed))] if count else []
                claims += [group.claim] if count and group.claim else []
                continue
        if tried + sets.count(total) <= budget:
            alone += sets.members(total)
        else:
            left.append(sets)
    return Grouped(tuple(faults), tuple(claims), tuple(alone), tuple(left))


def claims_of_sets(
    fabric: AfterFailures, sets: Sequence[tuple[int, ...]], decided: Sequence[Decided]
) -> list[dict[str, Any]]:
    """Evidence of what becomes of single sets of parts, where routes are all shortest paths."""
    claims, numbers = list[dict[str, Any]](), 0
    for parts, one in zip(sets, decided, strict=True):
        of_set = FailureSets(parts, frozenset(), 0)
        paths = ShortestPaths(fabric, of_set, 1)
        # A cycle is evidence by few numbers, its absence by one for each channel.
        if fabric.before is not None and one.circle:
            likely = fabric.before.destinations(one.circle), fabric.before.longer(paths.up)
            proof = {"circle": one.circle, "paths": paths.closing(one.circle, np.concatenate(likely).tolist())}
            claims.append(fabric.claim(proof, of_set))
            numbers += fabric.vector.network.num_routers
        elif numbers + fabric.vector.network.num_channels <= MOST_NUMBERS:
            group = group_after(paths)
            claims += [] if group is None or group.claim is None else [group.claim]
            numbers += fabric.vector.network.num_channels
    return claims


def _fault(fabric: AfterFailures, group: FailureGroup, count: int, *, apart: bool) -> FailureCase:
    sets = group.sets
    names = [fabric.parts[n][0] for n in sorted(sets.failed)]
    but = f" but for {len(sets.kept)} that are up" if sets.kept else ""
    others = ", unless named apart" if apart else ""
    parts = "parts" if fabric.kind == "any" else fabric.kind
    noun = parts.removesuffix("s") if sets.more == 1 else parts
    words = f"any {sets.more}{' more' if names else ''} {noun}{but}{others}"
    return FailureCase((*names, words), group.outcome, 0, group.pairs, group.why, count)


def announced_faults(
    fabric: AfterFailures,
    size: int,
    failures: Failures,
    notice: Callable[[str], None] | None = None,
    progress: Progress | None = None,
    *,
    proofs: bool = False,
) -> tuple[Sequence[FailureCase], Sequence[dict[str, Any]]]:
    """Judge all sets of `size` parts, and give evidence for groups of them; with `proofs` for other sets too.

    Beyond the budget, groups have one outcome, and the sets that may change it are judged alone. Where these are
    many, one set stands for all that are alike, unless the age of routes could change what becomes of it.
    """
    budget, seed = failures.most, failures.seed
    what, possible = f"{fabric.kind} of {fabric.vector.network.name}", comb(len(fabric.parts), size)
    note, places = notice or (lambda _: None), range(len(fabric.parts))

    def decided(sets: Sequence[Failed]) -> list[Decided]:
        """Judge sets on all processors; before that, report how long it takes."""
        from unknot.verify.failure_kernel import dependencies

        if not sets:
            return []
        if is_small(fabric.homes.size * fabric.vector.network.num_channels * len(sets), dependencies):
            with plainly():
                return [*reported(map(fabric.decide, sets), len(sets), progress, lambda one: str(one.fault))]
        # The first loads the kernel.
        for _ in range(2):
            began = perf_counter()
            fabric.decide(sets[0])
        threads = processors()
        seconds = (perf_counter() - began) * len(sets) / threads
        note(f"{possible:,} sets of {size} {what}, of which {len(sets):,} are judged: about {seconds:.0f} s")
        with ThreadPoolExecutor(threads) as pool:
            return [*reported(pool.map(fabric.decide, sets), len(sets), progress, lambda one: str(one.fault))]

    def judged(sets: Sequence[Alike]) -> tuple[list[Decided], list[dict[str, Any]]]:
        """Judge sets, each of which stands for others, and give evidence with `proofs`."""
        every = decided([Failed.of([fabric.parts[n] for n in one.parts], one.sets) for one in sets])
        return every, claims_of_sets(fabric, [one.parts for one in sets], every) if proofs else []

    if possible <= budget:
        every, sets = decided(sets_of_parts(what, fabric.parts, size, budget, seed)), combinations(places, size)
        return [one.fault for one in every], claims_of_sets(fabric, [*sets], every) if proofs else []
    groups = grouped_failures(fabric, size, budget)
    if groups.left or len(groups.alone) > MANY:
        graph = fabric.graph()
        # `ColouredGraph` knows a part by its two ends, which parallel cables share.
        distinct = len(np.unique(graph.parts, axis=0)) == len(graph.parts)
        most = budget if groups.left else len(groups.alone) // 4
        orbits = Orbits(graph).of_size(size, most) if distinct else None
        if orbits is not None and sum(orbit.sets for orbit in orbits) == possible:
            every, shown = judged(orbits)
            if not any(one.choices and one.fault.alike > 1 for one in every):
                return [one.fault for one in every], [*groups.claims, *shown]
            note("after some of them routes depend on a choice among equal ones, so that no set stands for others")
    if groups.left:
        count = sum(sets.count(len(fabric.parts)) for sets in groups.left)
        note(f"{count:,} of {possible:,} sets of {size} {what} are neither alike nor in groups; {budget:,} are drawn")
    drawn = drawn_from(groups.left, len(fabric.parts), budget, seed)
    every, shown = judged([Alike(parts, 1) for parts in (*groups.alone, *drawn)])
    return [*groups.faults, *(one.fault for one in every)], [*groups.claims, *shown]


def drawn_from(left: Sequence[FailureSets], parts: int, budget: int, seed: int) -> list[tuple[int, ...]]:
    """Sets drawn at random from several kinds of them, each set as probable as any other."""
    draw, drawn = np.random.default_rng(seed), dict[tuple[int, ...], None]()
    counts = [sets.count(parts) for sets in left]
    shares = np.array([count / sum(counts) for count in counts])
    while len(drawn) < min(budget, sum(counts)):
        sets = left[int(draw.choice(len(left), p=shares))]
        free = sorted({*range(parts)} - sets.kept - {*sets.failed})
        drawn[tuple(sorted((*sets.failed, *draw.choice(free, sets.more, replace=False).tolist())))] = None
    return list(drawn)
