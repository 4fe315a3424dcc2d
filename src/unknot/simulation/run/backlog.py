"""Whether sources keep up: the part of their backlog that grows, beside its own fluctuations."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from unknot._base.arrays import Ints
from unknot.simulation.run.statistics import BATCHES, COUNTS, HOPELESS, Values, correlation, half_width_by_waves

TOO_SHORT = "too short"
"""First words of the reason why a run says nothing of the load."""
SURE = 2.0
"""Half-widths of the 95 % interval by which a backlog has to grow: of 10,000 that do not, about 5 seem to."""
CARRIED, CARRIED_OF_ONE = 0.002, 0.005
"""Growth of all backlogs, and of the worst, in parts of the time: an interval that ends below leaves no doubt."""
FILLED = 0.95
"""Share of the offered load below which a network that accepts no more is still filling, while sources keep up."""


@dataclass(frozen=True)
class OfferedTraffic:
    """What sources offer.

    Attributes
    ----------
    packets : float
        Packets created in a cycle in the whole network.
    flits : float
        Flits per terminal and cycle.
    at_once : float
        Flits that a source creates at once, in a packet or a burst.
    """

    packets: float
    flits: float
    at_once: float

    @property
    def long(self) -> float:
        """Cycles that a source may be behind for a moment, by chance alone."""
        return 10 * self.at_once + 20


@dataclass(frozen=True)
class Backlog:
    """Cycles by which sources are behind: when measuring began, and at the end of each batch.

    Attributes
    ----------
    lags : int64 array, shape (batches + 1, sources)
    cycles : float64 array, shape (batches,)
        Cycles of each batch.
    """

    lags: Ints
    cycles: Values

    @property
    def fell(self) -> Ints:
        """Cycles by which each source fell further behind."""
        fell: Ints = self.lags[-1] - self.lags[0]
        return fell

    def interval(self, of: int | None = None) -> tuple[float, float]:
        """Growth of a source, or of the mean of all, in parts of the time, and half its 95 % confidence interval.

        The width is infinite where batches are too few, or depend on one another too much.
        """
        lags = self.lags.mean(axis=1) if of is None else self.lags[:, of].astype(np.float64)
        total = max(1.0, float(self.cycles.sum()))
        growth = float(lags[-1] - lags[0]) / total
        for number in COUNTS if self.cycles.size == BATCHES else ():
            away = np.diff(lags).reshape(number, -1).sum(axis=1) - growth * total / number
            r = max(0.0, correlation(away + growth * total / number))
            if r <= HOPELESS:
                waves = (12, 5) if r > 1 / math.sqrt(number) else (12,)
                widths = [half_width_by_waves(away, r, min(3 * number // 10, many)) for many in waves]
                return growth, max(widths) * number / total
        return growth, math.inf

    def grows(self, of: int | None = None) -> bool:
        """Whether a source, or the mean of all, falls behind by more than its own fluctuations explain."""
        growth, width = self.interval(of)
        return growth > SURE * width

    def doubtful(self, demand: OfferedTraffic) -> bool:
        """Whether all sources together, or the worst source, are far behind and fell back further, by
        chance or not.
        """
        fell, last, long = self.fell, self.lags[-1], demand.long
        worst = int(np.argmax(fell))
        together = float(fell.mean()) > 0.001 * self.cycles.sum() and float(last.mean()) > long
        return together or bool(fell[worst] > 150 and last[worst] > 4 * long)

    def failure(
        self, accepted: float, demand: OfferedTraffic, name: Callable[[int], str], *, early: bool = False
    ) -> str:
        """Return the reason why a run is not stable as far as sources tell; empty if it is.

        Saturated is what accepts less than is offered, while a backlog grows by more than its own fluctuations
        explain. A backlog that grew by no more is no growth where the interval is narrow, and says nothing otherwise:
        of a critical load, or of too short a look.

        Flits that are neither accepted nor left in the queues of sources are in the network, which holds only so
        many. So less is accepted while sources keep up only as long as the network fills: the window was too short.

        Parameters
        ----------
        accepted : float
            Flits per terminal and cycle.
        demand : OfferedTraffic
            The tolerance for chance shrinks with the root of the packets created.
        name : callable
            Name of a source.
        early : bool
            Whether the run would go on otherwise: then growth is to be so large that nobody would wait for more.
        """
        cycles, last, long = float(self.cycles.sum()), self.lags[-1], demand.long
        worst = int(np.argmax(self.fell))
        figures = f"accepted {accepted:.4g} of {demand.flits:.4g} flits per terminal and cycle"
        (all_grow, width), (one_grows, one_width) = self.interval(), self.interval(worst)
        enough, enough_of_one = (max(0.003, 150 / cycles), max(0.01, 1500 / cycles)) if early else (0.0, 0.0)
        together = last.mean() > long and all_grow > max(enough, SURE * width)
        alone = last[worst] > 4 * long and one_grows > max(enough_of_one, SURE * one_width)
        if accepted < demand.flits and together and np.median(self.fell) > 0:
            return f"saturated: {figures}; source queues fall behind by {all_grow:.1%} of the time"
        if accepted < demand.flits and (together or alone):
            queue = f"the source queue of {name(worst)}"
            return f"saturated: {figures}; {queue} falls behind by {one_grows:.1%} of the time"
        packets = int(demand.packets * cycles)
        if accepted < (FILLED - 3 / math.sqrt(max(packets, 1))) * demand.flits:
            return f"{TOO_SHORT}: {figures}, while sources keep up: the network was still filling"
        settled = all_grow + width <= CARRIED and one_grows + one_width <= CARRIED_OF_ONE
        if self.doubtful(demand) and (early or not settled):
            by = f"{all_grow:.2%} ± {width:.2%}" if width < math.inf else f"{all_grow:.2%}"
            return f"{TOO_SHORT}: {figures}; source queues fell behind by {by} of the time, which may be chance"
        return ""
