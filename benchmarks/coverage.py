"""How often confidence intervals hold the true mean, and how wide they are: runs with other seeds at several points.

The truth is a run of a million cycles, near saturation of four million. An interval need be no wider than 1.96
standard deviations of the means. ``python -m benchmarks coverage`` takes a quarter of an hour.

``python -m benchmarks.coverage 0 3`` measures the points of these numbers alone.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from unknot import Relation
from unknot.network.families import mesh
from unknot.routing import dimension_order, duato
from unknot.simulation import Run, simulate

EASY, HARD = 400, 60
"""Runs of a point of few cycles, and of many."""
LONG = 1_000_000
"""Cycles of a run that stands for the truth; four times as many where jams make up much of the mean."""


@dataclass(frozen=True)
class Place:
    """One design at one load."""

    name: str
    relation: Relation
    traffic: str
    load: float
    runs: int
    precision: float | None = None


def points() -> list[Place]:
    order, adaptive = dimension_order(mesh(8, 8), 4), duato(mesh(8, 8), 4)
    runs = {0.1: EASY, 0.3: EASY, 0.4: 2 * HARD, 0.41: EASY, 0.42: HARD}
    places = [Place("dimension order, uniform", order, "uniform", load, number) for load, number in runs.items()]
    places += [Place("Duato, transpose", adaptive, "transpose", load, n) for load, n in ((0.2, EASY), (0.3, HARD))]
    precise = Place("dimension order, uniform, to 0.4 %", order, "uniform", 0.3, EASY // 2, precision=0.004)
    return [*places, precise]


def run(place: Place, seed: int, **options: Any) -> Run:
    return simulate(
        place.relation, place.load, traffic=place.traffic, switching="wormhole-nonatomic", seed=seed, **options
    )


def main(numbers: list[int] | None = None) -> None:
    places = points()
    print(
        "| design | load | true latency | within | no interval | half-width | needed "
        "| accepted within | cycles | seconds |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for place in (places[k] for k in numbers or range(len(places))):
        truth = run(place, 1000, warmup=50_000, measure=LONG * (4 if place.load == 0.41 else 1))
        accepted = truth.accepted_load if not truth.stable else place.load
        begin = time.process_time()
        runs = [run(place, seed, precision=place.precision) for seed in range(1, place.runs + 1)]
        spent = (time.process_time() - begin) / place.runs
        measured = [r for r in runs if r.latency_half_width is not None and r.latency_mean is not None]
        inside = sum(abs(r.latency_mean - truth.latency_mean) <= r.latency_half_width for r in measured)  # type: ignore[operator]
        known = [r for r in runs if r.accepted_half_width is not None]
        held = sum(abs(r.accepted_load - accepted) <= r.accepted_half_width for r in known)  # type: ignore[operator]
        width = np.mean([r.latency_half_width / r.latency_mean for r in measured]) if measured else math.nan  # type: ignore[operator]
        means = [r.latency_mean for r in measured if r.latency_mean is not None]
        needed = 1.96 * np.std(means) / np.mean(means) if means else math.nan
        latency = f"{truth.latency_mean:.2f}" if truth.stable else "none"
        cells = f"{inside} of {len(measured)} | {place.runs - len(measured)} | {width:.2%} | {needed:.2%}"
        cost = f"{np.mean([r.cycles for r in runs]):,.0f} | {spent:.2f}"
        print(
            f"| {place.name} | {place.load:g} | {latency} | {cells} | {held} of {len(known)} | {cost} |", flush=True
        )


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])
