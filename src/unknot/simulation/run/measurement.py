"""A run of drawn traffic: warm-up, measuring window, and the packets that are still under way after it."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.sources import Sources
from unknot.simulation.player import DrawnPackets
from unknot.simulation.run.backlog import TOO_SHORT, OfferedTraffic
from unknot.simulation.run.controls import known_hops
from unknot.simulation.run.outcome import bottleneck, diagnosis
from unknot.simulation.run.scenario import Measurement, Scenario
from unknot.simulation.run.start import engine_of
from unknot.simulation.run.statistics import mean, summary, truncation
from unknot.simulation.run.window import Window, counts

PARTS = 60
"""Parts of equal length by which the latencies of a warm-up are judged."""
LONGEST = 64
"""Longest warm-up, in multiples of the shortest one."""
LONGEST_WINDOW = 32
"""Longest measurement, in windows, while batches depend on one another or stability is in doubt."""
SOONER = 8
"""Part of a window after which it may end, where control variates make its interval as narrow as the whole one's."""
LONGEST_PRECISE = 256
"""Longest measurement, in windows, when it goes on to a precision."""
AGAIN = 3
"""Most restarts of a window because latencies still rose in it."""
LONGER = "warm up and measure for longer, or leave out warmup and measure: both are then chosen"
"""Remedy for a run that is too short."""


class Measured(DrawnPackets):
    """Traffic that is measured.

    Attributes
    ----------
    window : Window or None
        The last one that was begun.
    kept : dict
        Figures of the run, by their names in `Run`, that the rest of it does not change.
    reason : str
        Reason why the run is not stable, a knot apart; empty when there is none.
    """

    def __init__(self, scenario: Scenario, measurement: Measurement, threads: int | None) -> None:
        super().__init__(engine_of(scenario, measurement, threads), self._stops())
        self.scenario, self.measurement, self.words, self.reason = scenario, measurement, "starting", ""
        sources, shares = self.engine.sources, None
        if isinstance(sources, Sources) and sources.packets > 0:
            shares = sources.pairs.rate / sources.pairs.rate.sum()
        flits = sum(sources.flits) / self.engine.nodes
        self.demand = OfferedTraffic(sources.packets, flits, shares, is_known=shares is not None)
        self.window: Window | None = None
        self.kept: dict[str, Any] = {}

    def _stops(self) -> Iterator[int]:
        engine, warmup = self.engine, self.measurement.warmup
        if warmup is None:
            self.words = "warming up"
            yield from warm_up(engine, self.demand.packets)
        else:
            yield engine.now + warmup
        window = yield from self._measure()
        if engine.deadlock is not None:
            return
        # Channels go on carrying while packets drain, so what they carried in the window is taken down first.
        self.kept = window.figures()
        self.words = "draining"
        self.reason = window.failure(self.demand) or (yield from self._drain(window.end, 2 * window.cycles + 20_000))
        self.kept |= arrivals(engine)
        if not self.reason and self.kept["packets"]:
            self.kept |= window.adjusted(self.kept)
        if self.reason and engine.deadlock is None:
            self.words = "looking why"
            self.reason = yield from self._explained(window)

    def _measure(self) -> Generator[int, None, Window]:
        """Measure, and go on for many times as long while the window is too short to judge.

        A first window in which latencies still rise is counted as warm-up, `AGAIN` times at most, and another one of
        the same length is begun; that is, if neither the warm-up nor the window has a length given.
        """
        measurement, rate, precision = self.measurement, self.demand.packets, self.measurement.precision
        known = self.known()
        window = self.window = Window(self.engine, cautious=precision is not None, known=known)
        full = int(min(200_000, max(5_000, math.ceil(30_000 / rate) if rate else 0))) // SOONER * SOONER
        part = full if known is None else full // SOONER
        first = measurement.measure or (part if precision is None else min(full, 2 * part))
        most = measurement.measure or full * (LONGEST_WINDOW if precision is None else LONGEST_PRECISE)
        again = AGAIN if measurement.warmup is None and measurement.measure is None else 0
        self.words, cycles = "measuring", first
        while True:
            yield from window.go_on(cycles)
            total, self.looked = window.cycles, self.now
            if self.engine.deadlock is not None:
                return window
            early = total >= full or total >= most
            failure = window.failure(self.demand, early=early)
            if early and failure.startswith("saturated"):
                return window
            doubt = bool(failure)
            if again and total == first and not doubt and window.drifts:
                window = self.window = Window(self.engine, cautious=window.cautious, known=known)
                again -= 1
                continue
            narrow = total >= full or window.as_precise_as(full) if precision is None else window.within(precision)
            if total >= most or not (doubt or window.dependent or not narrow):
                return window
            cycles = part if total < full and precision is None else total

    def known(self) -> tuple[float | None, float] | None:
        """Return expectations of the control variates of a run that chooses its cycles, as `Window` takes them."""
        demand = self.demand
        is_known = demand.is_known and demand.packets > 0 and not (self.measurement.measure or self.scenario.faults)
        return (known_hops(self.scenario), demand.packets) if is_known else None

    def _drain(self, end: int, patience: int) -> Generator[int, None, str]:
        """Run on under load until all packets created before cycle `end` have arrived; return why not, if not."""
        engine = self.engine
        limit = engine.now + patience
        while engine.now < limit:
            drawn = engine.now - int(engine.lag().max())
            if not missing(engine) and drawn >= end and not engine.owes(end):
                self.find_knot()
                return ""
            yield engine.now + 100
        return (
            f"{TOO_SHORT}: {missing(engine)} measured packets had not arrived {patience} cycles after measuring ended"
        )

    def _explained(self, window: Window) -> Generator[int, None, str]:
        """Return the reason why the run is not stable, with what is seen of its cause while it goes on."""
        kept, rest = self.kept, self.reason.partition(": ")[2]
        if words := (yield from diagnosis(self.engine, window.cycles)):
            return f"{words}; {rest}"
        if self.reason.startswith(TOO_SHORT):
            return f"{self.reason}; {LONGER}"
        if self.scenario.traffic.classes or self.scenario.faults:
            return self.reason
        used = kept["accepted_load"], kept["utilisation"], kept["occupancy"]
        bound = bottleneck(self.scenario, self.demand.flits, *used)
        return f"{self.reason}; {bound}" if bound else self.reason


def arrivals(engine: Engine) -> dict[str, Any]:
    """Return the figures of the measured packets that arrived."""
    arrived = engine.count("measured_arrived")
    return {
        **summary(engine.latencies(), "latency"),
        "network_latency_mean": mean(engine.count("network_latency"), arrived),
        "hops_mean": mean(engine.count("hops"), arrived),
        "packets": arrived,
    }


def missing(engine: Engine) -> int:
    """Return how many measured packets have not arrived."""
    return engine.count("measured_created") - engine.count("measured_arrived")


def warm_up(engine: Engine, rate: float) -> Iterator[int]:
    """Run until the mean latency of the packets that arrive has been in balance for half of the time.

    The shortest warm-up brings 600 packets and takes 1,500 cycles, or more in large or slow networks. It doubles
    until MSER (`statistics.truncation`) would leave out no more than the first half of it; until then at least six
    mean latencies have passed. Saturated networks never come into balance: it also ends when sources fall far behind.

    Parameters
    ----------
    rate : float
        Packets created per cycle in the whole network.
    """
    if not rate:
        return
    part = math.ceil(3 * min(20_000, max(500, math.ceil(200 / rate))) / PARTS)
    longest = LONGEST * part * PARTS
    parts = np.zeros((0, 2))
    while True:
        while len(parts) < PARTS:
            before = counts(engine, "latency", "arrived")
            yield engine.now + part
            parts = np.concatenate([parts, [counts(engine, "latency", "arrived") - before]])
        cycles, lag = part * PARTS, engine.lag()
        if lag.mean() > max(200, cycles / 40) or lag.max() > max(1000, cycles / 4) or cycles >= longest:
            return
        means = parts[:, 0] / np.maximum(1, parts[:, 1])
        last = parts[-PARTS // 3 :].sum(axis=0)
        if last[1] and 6 * last[0] <= cycles * last[1] and truncation(means) <= PARTS // 2:
            return
        parts, part = parts.reshape(-1, 2, 2).sum(axis=1), 2 * part
