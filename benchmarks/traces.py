"""Traces and closed loops on an 8×8 mesh: processor seconds for 100,000 messages, and where they go.

Compiled beforehand. A stop is a return from the kernel to Python, where messages start; the last column is the time
that the kernel alone would take for the flit-hops of the run, at the cost measured under random traffic.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from unknot.network import families as topologies
from unknot.routing import dimension_order
from unknot.simulation import Trace, TraceRun, closed_loop, run_trace, simulate
from unknot.simulation.engine.engine import Engine

RELATION = dimension_order(topologies.mesh(8, 8), 4)
MESSAGES, FLITS, TERMINALS = 100_000, 4, 64


def uniform(load: float, back: int | None) -> Trace:
    """Random messages at a load; with `back` each needs the one `back` positions before it."""
    random = np.random.default_rng(1)
    first = 0 if back is None else MESSAGES - back
    return Trace(
        cycle=np.sort(random.integers(0, int(MESSAGES * FLITS / TERMINALS / load), MESSAGES)),
        source=random.integers(0, TERMINALS, MESSAGES),
        destination=random.integers(0, TERMINALS, MESSAGES),
        flits=np.full(MESSAGES, FLITS),
        delay=np.zeros(MESSAGES, dtype=np.int64),
        need_first=np.maximum(0, np.arange(MESSAGES + 1) - (MESSAGES - first)),
        needs=np.arange(first),
    )


def measured(run: Callable[[], TraceRun]) -> tuple[TraceRun, float, int]:
    """A run, its processor seconds, and how often the kernel was called."""
    stops, plain = 0, Engine.advance

    def counted(engine: Engine, until: int) -> bool:
        nonlocal stops
        stops += 1
        return plain(engine, until)

    Engine.advance = counted  # type: ignore[method-assign]
    try:
        start = time.process_time()
        replay = run()
        return replay, time.process_time() - start, stops
    finally:
        Engine.advance = plain  # type: ignore[method-assign]


def main() -> None:
    run_trace(RELATION, [])
    simulate(RELATION, 0.1, warmup=10, measure=10, switching="wormhole")
    start = time.process_time()
    random = simulate(RELATION, 0.3, packet_length=FLITS, warmup=0, measure=20_000, switching="wormhole")
    hop = (time.process_time() - start) / random.flit_hops
    cases: list[tuple[str, Callable[[], TraceRun]]] = [
        (
            f"load {load}, {'no needs' if back is None else f'each needs one {back} before'}",
            lambda t=t: run_trace(RELATION, t),
        )  # type: ignore[misc]
        for load in (0.05, 0.3)
        for back in (None, 3000)
        for t in (uniform(load, back),)
    ]
    for window in (1, 8):
        cases.append(
            (
                f"closed loop, window {window}",
                lambda w=window: closed_loop(RELATION, requests=MESSAGES // 128, window=w).run,  # type: ignore[misc]
            )
        )
    print(
        f"{'messages':>8} {'cycles':>8} {'flit-hops':>10} {'seconds':>8} {'µs/msg':>7} {'stops':>7} {'kernel s':>8}"
    )
    for name, run in cases:
        replay, seconds, stops = measured(run)
        many = len(replay.trace)
        print(
            f"{many:8} {replay.cycles:8} {replay.flit_hops:10} {seconds:8.2f} {seconds / many * 1e6:7.1f} {stops:7} "
            f"{hop * replay.flit_hops:8.2f}  {name}",
            flush=True,
        )


if __name__ == "__main__":
    main()
