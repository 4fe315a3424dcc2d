"""Cycles that control variates save, and how often their intervals hold the true mean.

A curve of 10 loads runs to a precision with control variates and without. An interval is joined with
that of a run of a million cycles, which stands for the truth.
``python -m benchmarks.precise 12 5`` measures the first 12 of 60 drawn designs with 5 seeds each; an interrupt ends
it with the sums so far. A design takes 10 s of processor time to two minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.saturation import Case, cases
from unknot.simulation import Run, saturation, simulate
from unknot.simulation.run.measurement import Measured
from unknot.verify import loads

DESIGNS, SEEDS = 60, 5
LOADS = 10
PARTS = (0.3, 0.6, 0.8, 0.9)
"""Parts of the saturation load at which intervals are tried."""
PRECISION = 0.02
LONG = 1_000_000


def run(case: Case, load: float, seed: int, **fields: Any) -> Run:
    made: Run = simulate(case.relation, load, seed=seed, **case.options, **fields)
    return made


def drawn() -> Iterator[Case]:
    """Cases of `benchmarks.saturation` whose routing leaves no choice, so that the mean hops are known."""
    return (case for case in cases() if loads(case.relation).forced)


def cycles(case: Case, top: float) -> tuple[int, int]:
    """Cycles of the curve with control variates, and without."""
    precise = plain = 0
    for k in range(1, LOADS + 1):
        load = top * k / LOADS * 0.95
        precise += run(case, load, 1, precision=PRECISION).cycles
        with patch.object(Measured, "known", lambda _: None):
            plain += run(case, load, 1, precision=PRECISION).cycles
    return precise, plain


def inside(case: Case, top: float, seeds: int) -> list[bool]:
    """Whether each interval, widened by that of a long run, holds the mean of the long run."""
    held = []
    for part in PARTS:
        truth = run(case, part * top, 1000, warmup=20_000, measure=LONG)
        for seed in range(1, seeds + 1):
            one = run(case, part * top, seed, precision=PRECISION)
            means, widths = zip(*((each.latency_mean, each.latency_half_width) for each in (one, truth)), strict=True)
            if None not in means + widths:
                held.append(abs(means[0] - means[1]) <= np.hypot(*widths))
    return held


def main(designs: int = DESIGNS, seeds: int = SEEDS) -> None:
    before = after = 0
    held: list[bool] = []
    try:
        for number, case in enumerate(islice(drawn(), designs)):
            top = saturation(case.relation, tolerance=0.2, **case.options).load
            precise, plain = cycles(case, top)
            within = inside(case, top, seeds)
            before, after = before + plain, after + precise
            held += within
            share = f"{precise:,} of {plain:,} cycles ({precise / plain:.0%})"
            print(f"{number} {case.name}: {share}; {sum(within)} of {len(within)} within", flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    if held:
        print(f"{after / before:.0%} of the cycles; {sum(held)} of {len(held)} intervals hold ({np.mean(held):.1%})")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
