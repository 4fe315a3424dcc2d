"""Runs of BookSim configurations, at one point or along a sweep."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import TIMEOUT_MAX

from unknot._base.calls import Piece
from unknot._base.deadline import NEVER, Deadline
from unknot._base.errors import SimulationError, UnknotError
from unknot._base.progress import Progress, found
from unknot.simulation import closed_loop, simulate
from unknot.simulation.run.replication import Runs, gather
from unknot.simulation.run.run import in_brief
from unknot.studies.workers import Calls, workers
from unknot_booksim.keys import KEYS
from unknot_booksim.setup import Setup

MOST_POINTS = 10_000
_SWEEP = re.compile(r"(\w+)=([^:]+):([^:]+):([^:]+)")


@dataclass(frozen=True)
class ConfiguredPoint:
    """One point of a configuration.

    Attributes
    ----------
    setting : str
        Value of the swept key, as ``key=value``; empty without a sweep.
    offered_packets : float
        Packets of a terminal in a cycle.
    mean_length : float
        Flits of a packet.
    class_lengths : tuple of float
        Flits of a packet of each traffic class, replies included.
    seconds : float
        Wall-clock time of its runs.
    runs : Runs
    """

    setting: str
    offered_packets: float
    mean_length: float
    class_lengths: tuple[float, ...]
    seconds: float
    runs: Runs = field(repr=False)


def sweep_of(text: str) -> tuple[str, tuple[str, ...]]:
    """The key and the values of a sweep such as ``injection_rate=0.02:0.4:0.02``, both ends included.

    Raises
    ------
    TextError
        If it is no such text.
    """
    whole, match = Piece(text[:200], "--sweep"), _SWEEP.fullmatch(text.replace(" ", ""))
    pair = whole.pair("=")
    if match is None or pair is None:
        raise whole.error("a sweep is KEY=FROM:TO:STEP, such as injection_rate=0.02:0.4:0.02")
    key = match[1]
    if key not in KEYS or KEYS[key].kind not in ("int", "ints", "float", "floats"):
        raise whole.error(f"{key} is no key of BookSim that is a number")
    number = int if KEYS[key].kind in ("int", "ints") else float
    try:
        start, to, step = map(number, match.groups()[1:])
    except ValueError:
        raise pair[1].error(f"FROM, TO and STEP of {key} are numbers") from None
    count = (to - start) / step + 1e-9 if step > 0 and to >= start else -1.0
    if not 0 <= count < MOST_POINTS:
        raise pair[1].error(f"FROM is at most TO and STEP is above 0, with at most {MOST_POINTS} values")
    return key, tuple(f"{round(start + i * step, 10):g}" for i in range(int(count) + 1))


def run_booksim(
    setup: Setup,
    *,
    sweep: tuple[str, Sequence[str]] | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    time_limit: float | Deadline = NEVER,
) -> list[ConfiguredPoint]:
    """Run a configuration, or one for each value of a sweep.

    Parameters
    ----------
    sweep : tuple of key and values, optional
        As `sweep_of` reads it.
    jobs : int
        Points at a time, each on a thread.
    progress : callable, optional
        Called with each point and the points done, see `unknot._base.progress`.
    time_limit : float
        Seconds for all points; Ctrl-C ends them as well.

    Returns
    -------
    list of ConfiguredPoint
        In the order of the sweep, without points that were not finished.

    Raises
    ------
    UnknotError
        If a point cannot be run; nothing runs before all are understood.
    """
    key, values = sweep or ("", ("",))
    setups = {f"{key}={setting}": setup.at(key, setting) for setting in values} if sweep else {"": setup}
    if jobs < 1:
        raise UnknotError(f"at least 1 job is needed, got {jobs!r}")
    several, deadline = min(jobs, len(setups)) > 1, Deadline.of(time_limit, "run_booksim")
    if several:
        setup.relation.compiled  # noqa: B018 compiled once, before threads share it
    done: dict[str, ConfiguredPoint] = {}
    with workers(None, jobs, threads=True) as pool, suppress(KeyboardInterrupt):
        calls = Calls(pool)
        for setting, each in setups.items():
            calls.submit(_run, setting, each, 1 if several else None)
        while len(done) < len(setups) and not deadline.over:
            for future in calls.ended(min(deadline.left, TIMEOUT_MAX)):
                point = future.result()
                done[point.setting] = point
                found(f"latest: {point.setting}: {in_brief(point.runs.runs[-1])}")
                if progress is not None:
                    progress("points", len(done), len(setups))
    return [done[setting] for setting in setups if setting in done]


def _run(setting: str, setup: Setup, threads: int | None) -> ConfiguredPoint:
    began = time.monotonic()
    options = {"threads": threads} | setup.options
    runs = gather(simulate(setup.relation, setup.load, seed=seed, **options) for seed in setup.seeds)
    lengths = tuple(one.mean_length / one.mean_packets for one in setup.options.get("classes", ()))
    seconds = time.monotonic() - began
    return ConfiguredPoint(setting, setup.load / setup.mean_length, setup.mean_length, lengths, seconds, runs)


def run_batches(setup: Setup, *, time_limit: Deadline | None = None) -> list[list[int]]:
    """Cycles that each batch takes, for each seed; a batch begins with an empty network.

    At the end of a time limit batches that are not finished are left out.

    Raises
    ------
    SimulationError
        If packets of a batch do not arrive.
    """
    batches = setup.batches
    assert batches is not None
    (flits,) = setup.packet_length
    cycles: list[list[int]] = []
    for seed in setup.seeds:
        cycles.append([])
        for batch in range(batches.count):
            play = partial(
                closed_loop, setup.relation, requests=batches.size, window=batches.window, request_flits=flits,
                reply_flits=0, think=1, seed=(seed + 7919 * batch) & 0xFFFFFFFF, **setup.options,
            )  # fmt: skip
            run = play() if time_limit is None else time_limit.unless_over(play)
            if run is None:
                return cycles
            if run.makespan is None:
                raise SimulationError(f"batch {batch + 1} of seed {seed}: {run.reason}")
            cycles[-1].append(run.makespan + 1)
    return cycles
