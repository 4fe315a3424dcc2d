"""By how much two designs differ under the same packets: how often intervals hold the true difference."""

from __future__ import annotations

import numpy as np
import pytest

from unknot import Relation
from unknot._base.errors import SimulationError
from unknot.network.families import mesh, ring, torus
from unknot.routing import dimension_order, duato, up_down
from unknot.simulation import LatencyDifference, Router, difference, simulate

SMALL = mesh(3, 3)


def truth(first: Relation, second: Relation, load: float, cycles: int, **options: object) -> float:
    """The difference of two long runs with packets of their own."""
    means = [
        simulate(each, load, seed=9_000 + k, warmup=2_000, measure=cycles, **options).latency_mean  # type: ignore[arg-type]
        for k, each in enumerate((first, second))
    ]
    assert means[0] is not None
    assert means[1] is not None
    return means[0] - means[1]


def held(found: list[LatencyDifference], true: float) -> float:
    """The share of intervals that hold a difference."""
    inside = [abs((one.cycles or 0.0) - true) <= (one.half_width or 0.0) for one in found]
    return sum(inside) / len(inside)


def test_intervals_hold_the_difference_and_are_narrower_than_without_pairs() -> None:
    first, second = dimension_order(SMALL, 1), dimension_order(SMALL, 4)
    options = {"warmup": 500, "measure": 3_000, "packet_length": 3}
    found = [difference(first, second, 0.25, seed=seed, **options) for seed in range(12)]  # type: ignore[arg-type]
    assert held(found, truth(first, second, 0.25, 40_000, packet_length=3)) >= 0.75
    paired, alone = (np.mean([getattr(one, name) for one in found]) for name in ("half_width", "of_single_runs"))
    assert paired < 0.8 * alone


def test_the_words_say_who_is_faster() -> None:
    wide, narrow = dimension_order(SMALL, 4), dimension_order(SMALL, 1)
    found = difference(narrow, wide, 0.3, names=("1 VC", "4 VCs"), packet_length=4)
    assert found.cycles is not None
    assert found.half_width is not None
    assert found.words.startswith(f"4 VCs is {found.cycles:.{len(f'{found.half_width:.2g}'.partition('.')[2])}f} ± ")
    assert found.words.endswith(" cycles faster than 1 VC")
    other = difference(wide, narrow, 0.3, names=("4 VCs", "1 VC"), packet_length=4)
    assert (other.cycles, other.half_width, other.words) == (-found.cycles, found.half_width, found.words)
    routers = Router(), Router(routing_delay=0)
    faster = difference(wide, wide, 0.1, names=("a", "b"), router=routers, warmup=500, measure=2_000)
    assert faster.cycles == pytest.approx(1 + 16 / 9, abs=0.1)  # a cycle at each router, 25 / 9 in the mean
    alike = difference(wide, wide, 0.1, warmup=500, measure=2_000)
    assert (alike.cycles, alike.half_width) == (0, 0)
    assert "do not differ measurably" in alike.words


def test_a_design_that_is_not_stable_has_no_difference() -> None:
    found = difference(dimension_order(SMALL, 1), dimension_order(SMALL, 4), 0.9, names=("a", "b"), measure=2_000)
    assert (found.cycles, found.half_width) == (None, None)
    assert found.words.startswith("a and b: saturated")
    with pytest.raises(SimulationError, match="9 and 5 terminals create no common packets"):
        difference(dimension_order(SMALL, 1), up_down(ring(5), 2), 0.1)


@pytest.mark.campaign
def test_coverage_of_drawn_pairs() -> None:
    """93 to 98 of 100 intervals hold the true difference, over pairs of routings, VCs, routers, loads and lengths."""
    pairs = (
        (dimension_order(mesh(4, 4), 1), dimension_order(mesh(4, 4), 4), 0.2, 4),
        (dimension_order(mesh(4, 4), 2), duato(mesh(4, 4), 2), 0.35, 1),
        (dimension_order(torus(4, 4), 4), duato(torus(4, 4), 4), 0.4, 2),
        (dimension_order(mesh(6, 6), 2), dimension_order(mesh(6, 6), 4), 0.25, 4),
        (up_down(ring(6), 2), dimension_order(ring(6), 2), 0.25, 2),
        (dimension_order(mesh(4, 4), 4), dimension_order(torus(4, 4), 4), 0.3, 5),
    )
    shares = []
    for first, second, load, length in pairs:
        true = truth(first, second, load, 600_000, packet_length=length)
        found = [difference(first, second, load, seed=seed, packet_length=length) for seed in range(50)]
        shares.append(held(found, true))
    assert 0.93 <= np.mean(shares) <= 0.98, shares
