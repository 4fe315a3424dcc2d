"""Time series of a run, one row for each interval of cycles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.shown import Brief
from unknot.simulation.engine.engine import Engine

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Series(Brief):
    """A run over time, warm-up included; loads in flits per terminal and cycle, all arrays of shape (intervals,).

    Attributes
    ----------
    interval : int
        Cycles from one row to the next; the first row is of cycles 0 to `interval` − 1.
    offered : float64 array
        Flits of the packets that were created in it, by the mean length of packets. A source that has fallen behind
        creates its packets late; they count per cycle that it has caught up with.
    accepted : float64 array
        Flits ejected.
    latency : float64 array
        Mean latency of the packets that arrived in it, in cycles; NaN where none did.
    inside : int64 array
        Flits between source queues and terminals at its end.
    behind : float64 array
        Cycles that sources are behind at its end, on average.
    """

    interval: int
    offered: Values
    accepted: Values
    latency: Values
    inside: npt.NDArray[np.int64]
    behind: Values


class Recorder(Engine):
    """An engine that records its counters at equal intervals; the run is the same.

    Attributes
    ----------
    interval : int
    """

    def __init__(self, *arguments: Any, interval: int, **options: Any) -> None:
        """Set up an `Engine` with its arguments and options."""
        super().__init__(*arguments, **options)
        self.interval = interval
        self._rows: list[list[float]] = [self._look()]

    def advance(self, until: int) -> bool:
        """Advance as an `Engine` does."""
        while (stop := self.interval * len(self._rows)) <= until:
            quiet = super().advance(stop) if self.now < stop else False
            if self.now < stop:
                return quiet
            self._rows.append(self._look())
        return super().advance(until)

    def series(self) -> Series:
        """Return the series recorded so far."""
        rows = np.array(self._rows)
        created, drawn, out, latency, arrived = np.diff(rows[:, :5], axis=0).T
        terminals = self.relation.network.num_terminals
        return Series(
            interval=self.interval,
            offered=created * self.sources.mean_length / np.maximum(1, drawn),
            accepted=out / (self.interval * terminals),
            latency=np.where(arrived > 0, latency / np.maximum(1, arrived), np.nan),
            inside=rows[1:, 5].astype(np.int64),
            behind=rows[1:, 6],
        )

    def _look(self) -> list[float]:
        inside = self.count("flits_in") - self.count("flits_out")
        drawn = int(self.state.terminals.drawn.sum())
        counted = (self.count(entry) for entry in ("flits_out", "latency", "arrived"))
        return [self.count("created"), drawn, *counted, inside, float(self.lag().mean())]
