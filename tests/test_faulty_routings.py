"""Every routing algorithm with single faults in it: what a brute force finds deadlocking, the prover finds."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.faulty_routings import correct_algorithms, faults, planted
from tests.reference.brute_force import TooLargeError, deadlock
from tests.reference.legality import complaints
from unknot import replay
from unknot._base.errors import RelationError
from unknot._base.switching import SWITCHINGS
from unknot.certificates import evidence_holds
from unknot.routing import Relation
from unknot.verify import check


def judge(relation: Relation, seen: Counter[str], limit: int) -> bool:
    """Compare prover and brute force under every technique; whether some technique deadlocks."""
    some = False
    for switching in SWITCHINGS:
        if switching == "vct":
            continue  # one question with store-and-forward, here and there
        try:
            expected = deadlock(relation, switching, limit=limit)
        except TooLargeError:
            seen["too large for brute force"] += 1
            continue
        verdict = check(relation, switching, buffer_depth=2)
        never_reached = verdict.certificate is not None and verdict.certificate.kind == "states"
        case = f"{relation.name} on {relation.network.name}: {switching}"
        assert verdict.deadlock_free == (expected is None or never_reached), case
        assert evidence_holds(relation, verdict) is not False
        seen[f"{switching} {'free' if expected is None else 'deadlock'}"] += 1
        if verdict.configuration is not None:
            some = True
            assert complaints(relation, verdict.configuration) == []
            assert replay(relation, verdict.configuration, cycles=50).stuck
    return some


def mutate(places: int, each: int, mutants: int, limit: int, seed: int) -> tuple[set[str], Counter[str]]:
    """The algorithms of which some mutant deadlocked where the algorithm does not, and what was seen."""
    caught: set[str] = set()
    seen: Counter[str] = Counter()
    for name, relation in correct_algorithms(places, each):
        base = relation
        free = check(base, "vct").deadlock_free
        seen["algorithms on networks"] += 1
        for fault in faults(relation, mutants, seed):
            mutant = planted(relation, fault)
            try:
                fails = judge(mutant, seen, limit)
            except RelationError:
                seen["no relation any more"] += 1
                continue
            seen["mutants"] += 1
            seen["deadlocking mutants"] += fails
            if fails and free:
                caught.add(name)
    return caught, seen


def test_mutants() -> None:
    caught, seen = mutate(places=20, each=1, mutants=3, limit=1_500, seed=1)
    assert seen["mutants"] > 40
    assert seen["deadlocking mutants"] > 10
    assert len(caught) >= 5


@pytest.mark.campaign
def test_campaign() -> None:
    caught, seen = mutate(places=120, each=3, mutants=40, limit=40_000, seed=2)
    print({key: seen[key] for key in sorted(seen)}, sorted(caught))
    assert seen["deadlocking mutants"] > 500
    assert len(caught) >= 20
