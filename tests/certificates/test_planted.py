"""Faults planted in the clauses of a search or a checker are noticed: by the other's clauses, or by brute force."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import pytest

from tests.certificates.planted import DESIGNS, FAULTS, LANES, Fault, code_of, drawn_faults, noticed, source_of
from tests.certificates.planted_bounds import BOUND_FAULTS, BOUNDS
from unknot.synthesis import decide
from unknot.verify import check


@pytest.mark.long
@pytest.mark.sampled(0.125)
@pytest.mark.parametrize("part", range(4))
def test_without_a_fault_they_agree(part: int) -> None:
    for question in (*LANES, *DESIGNS)[part::4]:
        question()


@pytest.mark.sampled(0.01)
@pytest.mark.parametrize(
    "fault",
    FAULTS,
    ids=lambda fault: f"{fault.function.rpartition(':')[2]} {fault.old}",
)
def test_a_planted_fault_is_noticed(fault: Fault) -> None:
    assert noticed(fault.function, code_of(fault))


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("question", BOUNDS, ids=range(len(BOUNDS)))
def test_without_a_fault_bounds_agree(question: Callable[[], None]) -> None:
    question()


@pytest.mark.sampled(0.01)
@pytest.mark.parametrize(
    "fault",
    BOUND_FAULTS,
    ids=lambda fault: f"{fault.function.rpartition(':')[2]} {fault.old}",
)
def test_a_planted_fault_in_a_bound_is_noticed(fault: Fault) -> None:
    assert noticed(fault.function, code_of(fault), BOUNDS)


def test_the_list_of_faults() -> None:
    assert len({*FAULTS}) == len(FAULTS) == 32
    assert len({*BOUND_FAULTS}) == len(BOUND_FAULTS) == 35
    assert all(source_of(fault) for fault in (*FAULTS, *BOUND_FAULTS))


@pytest.mark.campaign
def test_drawn_faults_are_noticed() -> None:
    seed = secrets.randbelow(2**32)
    faults = drawn_faults(20, seed)
    print(f"seed {seed}", *(f"{how or 'MISSED'}: {key}" for _, key, how in faults), sep="\n")
    assert sum(bool(how) for *_, how in faults) >= 16


@pytest.mark.campaign
def test_walks_that_do_not_fit_into_a_hypercube_refute_nothing() -> None:
    judged = decide(((1, 1), (2, 2), (2, 2)), "wormhole-nonatomic", short=True)
    assert judged.outcome == "found"
    assert judged.rule is not None
    assert check(judged.rule.on((2, 2, 2)), "wormhole-nonatomic").deadlock_free
