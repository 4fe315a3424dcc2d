"""How often confidence intervals hold the true mean: 40 runs with other seeds at each of several points.

The truth is a run, or several, of a million cycles and more. ``python -m benchmarks coverage`` takes some minutes;
``python -m benchmarks.coverage 0 3`` measures the points of these numbers alone.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from unknot import Relation, simulate
from unknot.routing import dimension_order, duato
from unknot.simulation import Run
from unknot.topologies import mesh

RUNS = 40
LONG = 1_000_000
"""Cycles of a run that stands for the truth."""


@dataclass(frozen=True)
class Place:
    """One design at one load."""

    name: str
    relation: Relation
    traffic: str
    load: float


def points() -> list[Place]:
    order, adaptive = dimension_order(mesh(8, 8), 4), duato(mesh(8, 8), 4)
    places = [Place("dimension order, uniform", order, "uniform", load) for load in (0.1, 0.3, 0.4, 0.41, 0.42)]
    return places + [Place("Duato, transpose", adaptive, "transpose", load) for load in (0.2, 0.3)]


def run(place: Place, seed: int, **options: Any) -> Run:
    return simulate(
        place.relation, place.load, traffic=place.traffic, switching="wormhole-nonatomic", seed=seed, **options
    )


def main(numbers: list[int] | None = None) -> None:
    places = points()
    print("| design | load | true latency | within | no interval | half-width | accepted within | cycles | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    for place in (places[k] for k in numbers or range(len(places))):
        truth = run(place, 1000, warmup=50_000, measure=LONG)
        accepted = truth.accepted_load if not truth.stable else place.load
        begin = time.process_time()
        runs = [run(place, seed) for seed in range(1, RUNS + 1)]
        spent = (time.process_time() - begin) / RUNS
        told = [r for r in runs if r.latency_half_width is not None and r.latency_mean is not None]
        inside = sum(abs(r.latency_mean - truth.latency_mean) <= r.latency_half_width for r in told)  # type: ignore[operator]
        known = [r for r in runs if r.accepted_half_width is not None]
        held = sum(abs(r.accepted_load - accepted) <= r.accepted_half_width for r in known)  # type: ignore[operator]
        width = np.mean([r.latency_half_width / r.latency_mean for r in told]) if told else math.nan  # type: ignore[operator]
        latency = f"{truth.latency_mean:.2f}" if truth.stable else "none"
        found = f"{inside} of {len(told)} | {RUNS - len(told)} | {width:.1%} | {held} of {len(known)}"
        cost = f"{np.median([r.cycles for r in runs]):,.0f} | {spent:.2f}"
        print(f"| {place.name} | {place.load:g} | {latency} | {found} | {cost} |", flush=True)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])
