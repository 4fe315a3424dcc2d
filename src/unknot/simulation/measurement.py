"""The measuring window of a run: batches, and what is counted and sampled in them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from unknot.simulation.engine import Engine
from unknot.simulation.layout import (
    ARRIVED,
    FLITS_OUT_MEASURED,
    LATENCY_SUM,
    STORED,
)
from unknot.simulation.statistics import BATCHES, half_width

FEWEST_PACKETS = 10
"""Fewest packets whose mean latency counts as that of a batch."""
SAMPLES = 8
"""Looks at the buffers in a batch."""


class Window:
    """The cycles in which a run is measured; begins where the engine stands.

    Attributes
    ----------
    start, end : int
        First cycle, and first one after it; packets created from one to the other are measured.
    lag_before : int64 array, shape (terminals,)
        Cycles each source was behind when it began.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.start = self.end = engine.now
        self.lag_before = engine.lag()
        self._before = self._sent()
        self._stored = np.zeros(engine.relation.num_vcs)
        self._samples = 0
        self._batches: list[tuple[float, ...]] = []

    def go_on(self, cycles: int, tell: Callable[[int], None]) -> bool:
        """Measure so many cycles more, in batches; False when a knot was found."""
        engine, begin = self.engine, self.end
        self.end = begin + cycles
        engine.measure(self.start, self.end)
        batches = min(BATCHES, cycles)
        for batch in range(batches):
            first, last = (begin + cycles * k // batches for k in (batch, batch + 1))
            before = self._counts()
            for k in range(1, SAMPLES):
                self._to(first + (last - first) * k // SAMPLES)
                self._look()
            if not engine.run(last - engine.now):
                return False
            self._look()
            out, packets, latency = self._counts() - before
            self._batches.append((out / (last - first), latency / packets if packets >= FEWEST_PACKETS else np.nan))
            tell(engine.now)
        return True

    @property
    def cycles(self) -> int:
        """Cycles measured so far."""
        return min(self.engine.now, self.end) - self.start

    @property
    def accepted(self) -> float:
        """Flits ejected per terminal and cycle."""
        return self.engine.count(FLITS_OUT_MEASURED) / (self._terminals * max(1, self.cycles))

    @property
    def accepted_half_width(self) -> float | None:
        """Of `accepted`; None when the window was not measured to its end."""
        found = self._half_width(0)
        return None if found is None else found / self._terminals

    @property
    def latency_half_width(self) -> float | None:
        """Of the mean latency, by the packets that arrived in each batch; also None when one had too few."""
        return self._half_width(1)

    def _half_width(self, column: int) -> float | None:
        if len(self._batches) < BATCHES or self.engine.now < self.end:
            return None
        values = np.array(self._batches)[:, column]
        # a window that went on has batches of several lengths, each round being as long as all before it
        joined = values[:BATCHES]
        for k in range(BATCHES, values.size, BATCHES):
            joined = np.concatenate([joined, values[k : k + BATCHES]]).reshape(-1, 2).mean(axis=1)
        return None if np.isnan(joined).any() else half_width(joined)

    def utilisation(self) -> npt.NDArray[np.float64]:
        """Flits per cycle of each channel; to be asked when the window ends."""
        carried = self._sent() - self._before
        return np.asarray(carried / max(1, self.cycles), dtype=np.float64)

    def occupancy(self) -> npt.NDArray[np.float64]:
        """Mean flits in the buffer of each VC."""
        return self._stored / max(1, self._samples)

    @property
    def _terminals(self) -> int:
        return self.engine.relation.network.num_terminals

    def _counts(self) -> npt.NDArray[np.int64]:
        return np.array([self.engine.count(entry) for entry in (FLITS_OUT_MEASURED, ARRIVED, LATENCY_SUM)])

    def _sent(self) -> npt.NDArray[np.int64]:
        return self.engine.carried()

    def _look(self) -> None:
        self._stored += self.engine.state.inputs[: self._stored.size, STORED]
        self._samples += 1

    def _to(self, cycle: int) -> None:
        while self.engine.now < cycle:
            self.engine.advance(cycle)
