"""Cycles that control variates save, and how often their intervals hold the true mean.

A curve of 20 loads runs to a precision with control variates and without. The truth is a run of a million cycles.
``python -m benchmarks.precise`` takes a quarter of an hour of processor time; ``python -m benchmarks.precise 12 5``
measures the first 12 of 60 drawn designs with 5 seeds each.
"""

from __future__ import annotations

import sys
from unittest.mock import patch

import numpy as np

from benchmarks.saturation import Case, cases
from unknot.simulation import Run, saturation, simulate
from unknot.simulation.run.measurement import Measured
from unknot.verify import loads

DESIGNS, SEEDS = 60, 5
LOADS = 20
PARTS = (0.3, 0.6, 0.8, 0.9)
"""Parts of the saturation load at which intervals are tried."""
PRECISION = 0.01
LONG = 1_000_000


def run(case: Case, load: float, seed: int, **fields: object) -> Run:
    return simulate(case.relation, load, seed=seed, **case.options, **fields)  # type: ignore[arg-type]


def drawn(number: int) -> list[Case]:
    """Cases of `benchmarks.saturation` whose routing leaves no choice, so that the mean hops are known."""
    return [case for case in cases() if loads(case.relation).forced][:number]


def main(designs: int = DESIGNS, seeds: int = SEEDS) -> None:
    before = after = held = tried = 0
    for number, case in enumerate(drawn(designs)):
        top = saturation(case.relation, tolerance=0.2, **case.options).load
        plain = precise = 0
        for k in range(1, LOADS + 1):
            load = top * k / LOADS * 0.95
            precise += run(case, load, 1, precision=PRECISION).cycles
            with patch.object(Measured, "known", lambda _: None):
                plain += run(case, load, 1, precision=PRECISION).cycles
        before, after = before + plain, after + precise
        inside = []
        for part in PARTS:
            truth = run(case, part * top, 1000, warmup=20_000, measure=LONG).latency_mean
            for seed in range(1, seeds + 1):
                one = run(case, part * top, seed, precision=PRECISION)
                if one.latency_half_width is not None and one.latency_mean is not None and truth is not None:
                    inside.append(abs(one.latency_mean - truth) <= one.latency_half_width)
        held, tried = held + int(np.sum(inside)), tried + len(inside)
        print(
            f"{number} {case.name}: {precise:,} of {plain:,} cycles ({precise / max(1, plain):.0%}); "
            f"{int(np.sum(inside))} of {len(inside)} within",
            flush=True,
        )
    print(
        f"{after / max(1, before):.0%} of the cycles; {held} of {tried} intervals hold ({held / max(1, tried):.1%})"
    )


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
