"""Whether sources keep up: a sequential test of the slope of their backlog beside its own variance by batches."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot.simulation.run.statistics import BATCHES, Values

TOO_SHORT = "too short"
"""First words of the reason why a run says nothing of the load."""
SUMS = 20
"""Sums of batches from which the variance of a slope is computed."""
CHANCE = 1e-4
"""Chance of a look at a run to call growth what is none."""
OPEN = 0.01
"""The same from which on a source is suspected, and the run goes on."""
NEAR = 0.02
"""Part of the plateau from which on a load is near: its backlog may be long before it ceases to grow."""
CLEAR = 0.1
"""Growth, in parts of the time, of which one look is enough; of less there have to be two, one twice as long."""
CARRIED = 0.008
"""Growth of all backlogs, in parts of the time: an interval that ends below leaves no doubt."""
SHORT = 0.005
"""Part of the packets of a window for whose creation sources wait together: so short a backlog is none.

No more than `FEW` of them, and a quarter of one for each source; 2 % of growth make four times as many."""
FEW = 150
FILLED = 0.95
"""Share of the offered load below which a network that accepts no more is still filling, while sources keep up."""


class OfferedTraffic(NamedTuple):
    """What sources offer.

    Attributes
    ----------
    packets : float
        Packets created in a cycle in the whole network.
    flits : float
        Flits per terminal and cycle.
    shares : float64 array, shape (sources,), optional
        Part of the packets that each source creates; without, all create as many.
    is_known : bool
        Whether `packets` is the mean of what is created while sources keep up: not with replies, or faults.
    """

    packets: float
    flits: float
    shares: Values | None = None
    is_known: bool = True


@dataclass(frozen=True)
class Slopes:
    """Growth of backlogs in parts of the time: of all together, then of each source.

    Attributes
    ----------
    growth, error : float64 arrays, shape (sources + 1,)
        Its estimate and standard error, infinite where batches are too few.
    freedom : float64 array, shape (sources + 1,)
        Degrees of freedom of the errors.
    spread : float64 array, shape (sources + 1,)
        Variance of a backlog for each cycle; that of all is the mean over sources.
    """

    growth: Values
    error: Values
    freedom: Values
    spread: Values

    def exceeds(self, chance: float) -> tuple[bool, npt.NDArray[np.bool_]]:
        """Whether all together grow, and which sources do, by more than chance; of sources the chance is divided."""
        many = max(1, self.growth.size - 1)
        levels = np.append(-NormalDist().inv_cdf(chance), np.full(many, -NormalDist().inv_cdf(chance / many)))
        above: npt.NDArray[np.bool_] = self.growth > _student(levels, self.freedom) * self.error
        return bool(above[0]), above[1:]


@dataclass(frozen=True)
class Backlog:
    """Cycles by which sources are behind: when measuring began, and at the end of each batch.

    Attributes
    ----------
    lags : int64 array, shape (batches + 1, sources)
    cycles : float64 array, shape (batches,)
        Cycles of each batch.
    created : float64 array, shape (batches,)
        Packets created in each batch.
    demand : OfferedTraffic
    """

    lags: Ints
    cycles: Values
    created: Values
    demand: OfferedTraffic
    _shares: Values = field(init=False)

    def __post_init__(self) -> None:
        shares, sources = self.demand.shares, self.lags.shape[1]
        even = shares is None or shares.size != sources
        object.__setattr__(self, "_shares", np.full(sources, 1 / sources) if even else shares)

    @cached_property
    def slopes(self) -> Slopes:
        """Growth with its errors, by sums of successive batches.

        Sums that follow each other and are alike make the error larger, as an autoregression of first order does.
        Of all together, what sources created beyond the mean is a control variate with the expectation 0, which is
        taken off where the rest varies less: a backlog in cycles has the noise of what is created as long as it
        grows, and none while it does not.
        """
        total = max(1.0, float(self.cycles.sum()))
        fell = (self.lags[-1] - self.lags[0]).astype(np.float64)
        growth = np.append(self._shares @ fell, fell) / total
        if self.cycles.size != BATCHES:
            none = np.full(growth.size, math.inf)
            return Slopes(growth, none, none, np.zeros(growth.size))
        steps = np.diff(self.lags[:: BATCHES // SUMS], axis=0).astype(np.float64)
        together = steps @ self._shares
        if self.demand.is_known and self.demand.packets > 0:
            cycles, created = (each.reshape(SUMS, -1).sum(axis=1) for each in (self.cycles, self.created))
            less = together - (created / self.demand.packets - (cycles - together))
            if less.std() < together.std():
                together, growth[0] = less, less.sum() / total
        sums = np.concatenate([together[:, None], steps], axis=1)
        away = sums - sums.mean(axis=0)
        squares = (away * away).sum(axis=0)
        alike = (away[1:] * away[:-1]).sum(axis=0) / np.maximum(squares, 1e-9)
        r = np.clip((SUMS * alike + 1) / (SUMS - 4), 0.0, 0.8)
        longer = (1 + r) / (1 - r)
        spread = squares / (SUMS - 1) * longer * SUMS / total
        spread[0] = self._shares @ spread[1:]
        error = np.sqrt(squares / (SUMS - 1) * longer * SUMS) / total
        return Slopes(growth, error, (SUMS - 1) / longer, spread)

    def grows(self) -> tuple[bool, bool]:
        """Whether all sources together, and any of them, fall behind by more than chance and a transient explain.

        Near the plateau a backlog that will cease to grow rises at first, and many sources together show that beyond
        chance. But its mean then is `spread` / 2 over the part of the load that is free, and by a time t, at the
        plateau itself, √(`spread` t) at most (J. F. C. Kingman, "On queues in heavy traffic", Journal of the Royal
        Statistical Society B, 1962).
        """
        slopes, total = self.slopes, float(self.cycles.sum())
        together, alone = slopes.exceeds(CHANCE)
        risen, spread = slopes.growth[0] * total, slopes.spread[0]
        transient = min(spread / (2 * NEAR), math.sqrt(spread * total))
        return together and risen > transient, bool(alone.any())

    def doubtful(self) -> bool:
        """Whether growth by more than `CARRIED` is not excluded, of all together or of a source that stands out."""
        slopes, sources = self.slopes, self.lags.shape[1]
        growth, error, spread = float(slopes.growth[0]), float(slopes.error[0]), slopes.spread[1:]
        short = min(sources / 4, FEW, SHORT * self.created.sum()) / max(self.demand.packets, 1e-9)
        highest = growth + 2 * error if error < math.inf else growth
        if growth > 0 and highest > CARRIED and float(self._shares @ self.lags[-1]) > short:
            return True
        _, alone = slopes.exceeds(OPEN)
        far = self.lags[-1] > spread / (2 * NEAR) * math.log(10 * spread.size)
        return bool((alone | (far & (slopes.growth[1:] > CARRIED))).any())

    def failure(self, accepted: float, name: Callable[[int], str], *, early: bool = False, again: bool = True) -> str:
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
        name : callable
            Name of a source.
        early : bool
            Whether the run would go on otherwise: then growth is to be `CLEAR`, or seen `again`.
        again : bool
            Whether the look before, at half of the cycles, saw growth too.
        """
        slopes, demand = self.slopes, self.demand
        figures = f"accepted {accepted:.4g} of {demand.flits:.4g} flits per terminal and cycle"
        all_grow, worst = float(slopes.growth[0]), int(np.argmax(slopes.growth[1:]))
        one_grows = float(slopes.growth[1 + worst])
        together, alone = self.grows()
        if accepted < demand.flits and (again or not early or max(all_grow, one_grows / 2) > CLEAR):
            if together and np.median(slopes.growth[1:]) > 0:
                return f"saturated: {figures}; source queues fall behind by {all_grow:.1%} of the time"
            if together or alone:
                queue = f"the source queue of {name(worst)}"
                return f"saturated: {figures}; {queue} falls behind by {one_grows:.1%} of the time"
        packets = int(demand.packets * self.cycles.sum())
        if accepted < (FILLED - 3 / math.sqrt(max(packets, 1))) * demand.flits:
            return f"{TOO_SHORT}: {figures}, while sources keep up: the network was still filling"
        if together or alone or self.doubtful():
            width = 2 * float(slopes.error[0])
            by = f"{all_grow:.2%} ± {width:.2%}" if width < math.inf else f"{all_grow:.2%}"
            return f"{TOO_SHORT}: {figures}; source queues fell behind by {by} of the time, which may be chance"
        return ""


def _student(normal: Values, freedom: Values) -> Values:
    """Quantiles of Student's distribution by those of the normal one, to 2 % from 9 degrees of freedom on.

    The series is 26.7.5 of M. Abramowitz, I. A. Stegun, "Handbook of mathematical functions", 1964.
    """
    square = normal * normal
    first = (square + 1) / 4
    second = ((5 * square + 16) * square + 3) / 96
    third = (((3 * square + 19) * square + 17) * square - 15) / 384
    quantiles: Values = normal * (1 + (first + (second + third / freedom) / freedom) / freedom)
    return quantiles
