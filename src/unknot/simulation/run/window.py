"""The measuring window of a run: batches, and what is counted and sampled in them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from math import fsum
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.progress import found
from unknot.simulation.energy.account import EnergyRun
from unknot.simulation.engine.engine import Engine
from unknot.simulation.run.backlog import Backlog, OfferedTraffic
from unknot.simulation.run.controls import slopes
from unknot.simulation.run.statistics import (
    BATCHES,
    DEPENDENT,
    Values,
    batch_means,
    correlation,
    correlation_time,
    half_width_of_batches,
    over_terminals,
    rises,
    variance_of_means,
)


def counts(engine: Engine, *entries: str) -> npt.NDArray[np.int64]:
    return np.array([engine.count(entry) for entry in entries])


PER_CLASS = ("arrived", "latency", "network_latency", "hops", "flits_out")
"""Counters of each traffic class."""
FEWEST_PACKETS = 10
"""Fewest packets whose mean latency counts as that of a batch."""
SHORTEST = 20
"""Fewest mean latencies that a window lasts: a change slower than a batch would look like a constant."""
SAMPLES = 4
"""Looks at the buffers in a batch; one in those of a window that may grow by parts."""
BATCH_COUNTS = ("measured_flits_out", "arrived", "latency", "created", "measured_arrived", "hops")
CYCLES, OUT, PACKETS, LATENCY, CREATED, MEASURED, HOPS = range(7)
"""Columns of the batches: cycles, flits ejected, packets that arrived, the sum of their latencies, those created, and
of measured packets those that arrived and the sum of their hops."""


class Window:
    """Measuring window of a run; it begins where the engine stands.

    Attributes
    ----------
    start, end : int
        First cycle, and first one after it; packets created from one to the other are measured.
    lag_before : int64 array, shape (terminals,)
        Cycles each source was behind when it began.
    cautious : bool
        Whether its length depends on the half-width of the latency (`half_width_of_batches`).
    known : (float or None, float), optional
        Mean hops of a packet, where known, and packets created in a cycle: expectations of control variates of the
        latency; without them there are none.
    """

    def __init__(
        self, engine: Engine, *, cautious: bool = False, known: tuple[float | None, float] | None = None
    ) -> None:
        self.engine, self.cautious, self.known = engine, cautious, known
        self.start = self.end = engine.now
        self.lag_before = engine.lag()
        for part in engine.parts:
            count = part.count
            count.measured_created = count.measured_arrived = count.measured_flits_out = 0
            count.network_latency = count.hops = 0
            for column in PER_CLASS:
                part.classes[column] = 0
            part.seen[:] = 0
        self._before, self._ejected = engine.carried(), engine.ejected()
        self._events = None if engine.meter is None else engine.events()
        self._stored = np.zeros(engine.relation.num_vcs)
        self._samples = 0
        self._rows = np.zeros((0, HOPS + 1))
        self._marks = self.lag_before[None]
        self._correlation_times: list[float] = []
        self._grew_at = 0

    def go_on(self, cycles: int) -> Iterator[int]:
        """Measure that many cycles more, in batches; yield the end of each.

        There are `BATCHES` rows more each time, of one length, and `BATCHES` batches of as many rows as they need.
        """
        engine, begin = self.engine, self.end
        if len(self._rows) * cycles != self.cycles * BATCHES:
            self._rows, self._marks = self._batches, self._lags
        if cycles < self.cycles and not self.dependent:
            self._correlation_times.pop()  # it goes on for a narrower interval, not because it looked dependent
        self.end = begin + cycles
        engine.measure(self.start, self.end)
        batches = min(BATCHES, cycles)
        rows, lags, samples = [], [], SAMPLES if self.known is None else 1
        began = before = counts(engine, *BATCH_COUNTS)
        for batch in range(batches):
            first, last = (begin + cycles * k // batches for k in (batch, batch + 1))
            for k in range(1, samples):
                engine.advance_to(first + (last - first) * k // samples)
                self._look()
            yield last
            self._look()
            now = counts(engine, *BATCH_COUNTS)
            rows.append([last - first, *(now - before).tolist()])
            lags.append(engine.lag())
            before, (_, packets, latency, *_) = now, (now - began).tolist()
            if packets:
                found(f"mean latency {latency / packets:.4g} cycles", by_part=True)
        if engine.find_knot():
            return
        self._rows = np.concatenate([self._rows, np.array(rows, dtype=np.float64)])
        self._marks = np.concatenate([self._marks, lags])
        means = self._means
        self._correlation_times.append(0.0 if means is None else correlation_time(means) * self.cycles / BATCHES)

    @property
    def _batches(self) -> Values:
        """What was counted in each batch."""
        rows = self._rows
        return rows.reshape(BATCHES, -1, HOPS + 1).sum(axis=1) if len(rows) > BATCHES else rows

    @property
    def _lags(self) -> Ints:
        """Cycles that sources are behind, before the first batch and at the end of each."""
        return self._marks[:: max(1, len(self._rows) // BATCHES)]

    @property
    def cycles(self) -> int:
        """Cycles measured so far."""
        return min(self.engine.now, self.end) - self.start

    @property
    def accepted(self) -> float:
        """Flits ejected per terminal and cycle."""
        return self.engine.count("measured_flits_out") / (self.engine.nodes * max(1, self.cycles))

    @property
    def accepted_half_width(self) -> float | None:
        """Confidence half-width of `accepted`; None if the window was cut short, or batches depend on one another."""
        return self._accepted_half_width(self._batches[:, OUT])

    def _accepted_half_width(self, flits: Values) -> float | None:
        width = half_width_of_batches(flits, self._batches[:, CYCLES], 1) if self._complete else None
        return None if width is None else width / self.engine.nodes

    @property
    def latency_half_width(self) -> float | None:
        """Confidence half-width of the mean latency, by the packets that arrived in each batch.

        Also None when a batch had too few, or the window is shorter than `SHORTEST` mean latencies.
        """
        return self._half_width(self._controls)

    def _half_width(self, controls: list[Values]) -> float | None:
        """Return the half-width of the mean latency with these control variates.

        What they leave may still hide a slow part of the latencies, so where these are correlated it is measured with
        caution. A fit of q coefficients to n batches leaves (n − 1) / (n − 1 − q) too little, and its own error
        widens the mean by (n − 2) / (n − 2 − q) (Lavenberg, Welch 1981).
        """
        totals, counts = self.latencies
        if not self._complete or SHORTEST * totals.sum() > self.cycles * counts.sum():
            return None
        longest = max(self._correlation_times) * BATCHES / self.cycles if len(self._correlation_times) > 1 else None
        cautious, factor = self.cautious, 1.0
        if controls and (counts >= FEWEST_PACKETS).all():
            cautious = cautious or correlation(totals / counts) > 1 / math.sqrt(BATCHES)
            totals, free = self._left(controls), BATCHES - 2 - len(controls)
            factor = (BATCHES - 1) / (free + 1) * (BATCHES - 2) / free
        width = half_width_of_batches(totals, counts, FEWEST_PACKETS, cautious=cautious, longest=longest)
        return width and width * math.sqrt(factor)

    def _left(self, controls: list[Values]) -> Values:
        """Return the sums of latencies of each batch without what control variates explain."""
        totals, counts = self.latencies
        left: Values = totals - counts * sum(map(mul, slopes(totals / counts, controls, counts), controls))
        return left

    def adjusted(self, figures: dict[str, Any]) -> dict[str, Any]:
        """Return figures of a stable run that change, by their names in `Run`, when what chance added is taken off.

        That is what control variates explain. The mean hops of a packet, where known, take the place of those seen;
        the accepted load is in step with the packets created. The time in source queues stays as it was seen.
        """
        totals, counts = self.latencies
        if self.known is None or not self._complete or (counts < FEWEST_PACKETS).any():
            return {}
        (expected, rate), controls, hops = self.known, self._controls, figures["hops_mean"]
        away = [fsum(self._batches[:, CREATED]) / (rate * self.cycles) - 1]
        away += [] if expected is None else [hops - expected]
        cycles, flits = (self._batches[:, column] for column in (CYCLES, OUT))
        taken = fsum(map(mul, slopes(totals / counts, controls, counts), away))
        share = 1 / (1 + away[0])
        in_step = share * fsum(flits) / self.cycles * controls[0]
        return {
            "latency_mean": figures["latency_mean"] - taken,
            "network_latency_mean": figures["network_latency_mean"] - taken,
            "hops_mean": hops if expected is None else expected,
            "accepted_half_width": self._accepted_half_width(flits - cycles * in_step),
            **{name: figures[name] * share for name in ("accepted_load", "accepted_min", "accepted_max")},
        }

    @property
    def _controls(self) -> list[Values]:
        """Deviations of each batch from what is known: packets created, in parts, and mean hops."""
        if self.known is None:
            return []
        expected, rate = self.known
        controls = [self._batches[:, CREATED] / (rate * self._batches[:, CYCLES]) - 1]
        if expected is not None:
            measured = np.maximum(1.0, self._batches[:, MEASURED])
            seen = self._batches[:, MEASURED] > 0
            controls.append(np.where(seen, self._batches[:, HOPS] / measured - expected, 0.0))
        return controls

    @property
    def dependent(self) -> bool:
        """Whether the latencies of successive batches are so much alike that the window is too short."""
        means = self._means
        return means is not None and correlation(means) > DEPENDENT

    @property
    def drifts(self) -> bool:
        """Whether latencies still rise in the window, as in a warm-up."""
        means = self._means
        return means is not None and rises(means)

    def within(self, precision: float) -> bool:
        """Whether the half-width of the mean latency is at most this part of it."""
        width, (totals, counts) = self.latency_half_width, self.latencies
        return width is not None and width * counts.sum() <= precision * totals.sum()

    def as_precise_as(self, cycles: int) -> bool:
        """Whether the mean latency by control variates is as precise as that of a plain window of some cycles.

        The variances of batches decide. They vary less from run to run than half-widths do.
        """
        totals, counts = self.latencies
        if self.latency_half_width is None or (counts < FEWEST_PACKETS).any():
            return False
        controls = self._controls
        before, after = (variance_of_means(each, counts) for each in (totals, self._left(controls)))
        return after * (BATCHES - 1) / (BATCHES - 1 - len(controls)) * cycles <= before * self.cycles

    @property
    def _complete(self) -> bool:
        return len(self._batches) == BATCHES and self.engine.now >= self.end

    @property
    def _means(self) -> Values | None:
        """Mean latencies of the batches; None if the window was cut short, or a batch has too few packets."""
        return batch_means(*self.latencies, BATCHES, FEWEST_PACKETS) if self._complete else None

    @property
    def latencies(self) -> tuple[Values, Values]:
        """Sum of the latencies of the packets that arrived in each batch, and their number."""
        return self._batches[:, LATENCY], self._batches[:, PACKETS]

    def failure(self, demand: OfferedTraffic, *, early: bool = False) -> str:
        """Reason why the network cannot take the demand, see `Backlog`; to be called when the window ends."""
        engine, network = self.engine, self.engine.relation.network
        first = network.num_terminals - engine.nodes  # of several subnets the terminals of the last one send
        if engine.faults is not None:
            flits = engine.faults.offered(self.start, self.start + self.cycles)
            demand = demand._replace(flits=flits, is_known=False)
        backlog = Backlog(self._lags, self._batches[:, CYCLES], self._batches[:, CREATED], demand)
        reason = backlog.failure(
            self.accepted,
            lambda source: network.terminal_name(source % engine.nodes + first),
            early=early,
            again=0 < 2 * self._grew_at <= self.cycles,
        )
        if early:
            self._grew_at = (self._grew_at or self.cycles) if any(backlog.grows()) else 0
        return reason

    def figures(self) -> dict[str, Any]:
        """Return the figures of the window, by their names in `Run`; to be called when the window ends."""
        accepted = self.accepted
        return {
            "accepted_load": accepted,
            **over_terminals(self.engine.ejected() - self._ejected, accepted),
            "accepted_half_width": self.accepted_half_width,
            "utilisation": self.utilisation(),
            "occupancy": self._stored / max(1, self._samples),
            "energy": self._energy(),
        }

    def _energy(self) -> EnergyRun | None:
        meter = self.engine.meter
        if meter is None or self._events is None:
            return None
        flits, headers = (now - before for now, before in zip(self.engine.events(), self._events, strict=True))
        return meter.read(flits, headers, self.cycles, self.engine.count("measured_flits_out"))

    def utilisation(self) -> npt.NDArray[np.float64]:
        """Flits per cycle of each channel; to be called when the window ends."""
        carried = self.engine.carried() - self._before
        return np.asarray(carried / max(1, self.cycles), dtype=np.float64)

    def _look(self) -> None:
        self._stored += self.engine.stored()
        self._samples += 1
