"""Cycles that control variates save, and how often intervals hold the true mean.

A curve of 20 loads is run as by default, and without control variates: cycles and half-widths of both are compared.
An interval, of a run as by default or to a precision, is joined with that of a run of a million cycles, which stands
for the truth.
``python -m benchmarks.precise 12 5`` measures the first 12 of 300 drawn designs (60 networks and routings, packets of
five lengths) with 5 seeds each; 0 seeds leave the intervals out, and an interrupt ends it with the sums so far. A
design takes 10 s of processor time to two minutes.
"""

from __future__ import annotations

import sys
from itertools import islice
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.saturation import Case, cases
from unknot.simulation import Run, saturation, simulate
from unknot.simulation.run.measurement import Measured

DESIGNS, SEEDS = 60, 5
LOADS = 20
HIGHEST = 0.95
"""Part of the saturation load at which a curve ends."""
PARTS = (0.3, 0.6, 0.8, 0.9)
"""Parts of it at which intervals are tried."""
KINDS: dict[str, dict[str, Any]] = {"by default": {}, "to 2 %": {"precision": 0.02}}
LONG = 1_000_000


def run(case: Case, load: float, seed: int, **fields: Any) -> Run:
    made: Run = simulate(case.relation, load, seed=seed, **case.options, **fields)
    return made


def curve(case: Case, top: float) -> tuple[int, int, list[float]]:
    """Cycles of the curve with control variates and without, and half-widths with them, in parts of those without."""
    cycles, plain, widths = 0, 0, []
    for k in range(1, LOADS + 1):
        load = top * HIGHEST * k / LOADS
        with_them = run(case, load, 1)
        with patch.object(Measured, "known", lambda _: None):
            without = run(case, load, 1)
        cycles, plain = cycles + with_them.cycles, plain + without.cycles
        if with_them.latency_half_width and without.latency_half_width:
            widths.append(with_them.latency_half_width / without.latency_half_width)
    return cycles, plain, widths


def inside(case: Case, top: float, seeds: int) -> dict[str, list[bool]]:
    """Whether each interval, widened by that of a long run, holds the mean of the long run."""
    held: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for part in PARTS if seeds else ():
        truth = run(case, part * top, 1000, warmup=20_000, measure=LONG)
        for kind, fields in KINDS.items():
            for seed in range(1, seeds + 1):
                one = run(case, part * top, seed, **fields)
                means, widths = zip(
                    *((each.latency_mean, each.latency_half_width) for each in (one, truth)), strict=True
                )
                if None not in means + widths:
                    held[kind].append(abs(means[0] - means[1]) <= np.hypot(*widths))
    return held


def main(designs: int = DESIGNS, seeds: int = SEEDS) -> None:
    shares: list[float] = []
    widths: list[float] = []
    sums = np.zeros(2)
    held: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    try:
        for number, case in enumerate(islice(cases(), designs)):
            top = saturation(case.relation, tolerance=0.03, **case.options).load
            cycles, plain, ratios = curve(case, top)
            within = inside(case, top, seeds)
            sums += cycles, plain
            shares.append(cycles / plain)
            widths += ratios
            for kind, each in within.items():
                held[kind] += each
            share = f"{cycles:,} of {plain:,} cycles ({cycles / plain:.0%}), half-widths × {np.median(ratios):.2f}"
            told = "; ".join(f"{sum(each)} of {len(each)} within {kind}" for kind, each in within.items())
            print(f"{number} {case.name}: {share}; {told}", flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    if shares:
        print(
            f"{np.mean(shares):.0%} of the cycles of a curve, {sums[0] / sums[1]:.0%} of those of all curves", end=""
        )
        print(f"; half-widths × {np.median(widths):.2f} (median)")
    for kind, each in held.items():
        if each:
            print(f"{kind}: {sum(each)} of {len(each)} intervals hold ({np.mean(each):.1%})")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
