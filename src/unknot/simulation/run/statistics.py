"""Statistics from the counters of a run: percentiles, steady or not, saturated or not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints

Values = npt.NDArray[np.float64]

BATCHES = 40
"""Batches into which a measuring window is divided."""
COUNTS = (40, 20, 10)
"""Numbers of batches from which a confidence interval is computed: the first with enough values in each batch."""
WAVES = (12, 5)
"""Cosine waves by which the slow part of a series is measured: always, and also where batches are correlated."""
FEWEST = 5
"""Fewest independent values from which a confidence interval is computed."""
DEPENDENT = 0.4
"""Correlation of successive batches, of `BATCHES`, from which a window counts as too short."""
HOPELESS = 0.8
"""Correlation of successive batches from which no interval is computed."""
FORGOTTEN = 15
"""Fewest correlation times in a series; a longer one, seen in a short part of it, is not believed."""


def percentiles(times: Ints, shares: Sequence[float]) -> list[float | None]:
    """Exact percentiles by nearest rank: the smallest value below or at which that share of the values lies."""
    if not times.size:
        return [None] * len(shares)
    ranks = [max(0, math.ceil(share * times.size) - 1) for share in shares]
    if times.max() < 4 * times.size:  # counted, not sorted
        return [float(place) for place in np.searchsorted(np.cumsum(np.bincount(times)), ranks, side="right")]
    ordered = np.partition(times, sorted(set(ranks)))
    return [float(ordered[rank]) for rank in ranks]


def summary(times: Ints, name: str) -> dict[str, Any]:
    """Mean, percentiles and maximum of some times, as attributes that begin with a name."""
    p50, p95, p99, worst = percentiles(times, (0.5, 0.95, 0.99, 1.0))
    return {
        f"{name}_mean": mean(int(times.sum()), times.size),
        f"{name}_p50": p50,
        f"{name}_p95": p95,
        f"{name}_p99": p99,
        f"{name}_max": worst,
    }


def mean(total: float, count: int) -> float | None:
    """Mean, or None of nothing."""
    return float(total) / count if count else None


STUDENT = {5: 2.5705818356363146, 12: 2.1788128296672284}
"""The quantiles that most runs need."""


def student(freedom: float) -> float:
    """The 97.5 % quantile of Student's distribution; by series from 6 on, so that SciPy is loaded for few runs only.

    The series is 26.7.5 of M. Abramowitz, I. A. Stegun, "Handbook of mathematical functions", 1964: right to 0.01 %.
    """
    if freedom in STUDENT:
        return STUDENT[int(freedom)]
    if freedom >= 6:
        return 1.959964 + (2.372271 + (2.822502 + (2.555850 + 1.589536 / freedom) / freedom) / freedom) / freedom
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975))


def half_width(means: Values, *, fewest: int = FEWEST) -> float | None:
    """Half the 95 % confidence interval of the mean of independent values (Student); None of fewer than `fewest`."""
    if means.size < fewest:
        return None
    return float(student(means.size - 1) * means.std(ddof=1) / math.sqrt(means.size))


def correlation(means: Values) -> float:
    """Lag-1 autocorrelation of 5 values or more, −1 to 1; 0 of values all alike.

    On average n values show (1 + 4 r) / n less than the true r (F. H. C. Marriott, J. A. Pope, "Bias in the
    estimation of autocorrelations", Biometrika, 1954), which is solved for r.
    """
    away = means - means.mean()
    variance = float(away @ away)
    if variance <= 1e-18 * float(means @ means):
        return 0.0
    observed = float(away[1:] @ away[:-1]) / variance
    return max(-1.0, min((means.size * observed + 1) / (means.size - 4), 1.0))


def half_width_of_batches(
    totals: Values, counts: Values, fewest: float, *, cautious: bool = False, longest: float | None = None
) -> float | None:
    """Half the 95 % confidence interval of Σ totals / Σ counts by means of successive batches.

    The variance of the mean follows from the slowest waves of the series: of n independent values each of the first k
    cosine coefficients is a normal variable with that variance, so the mean of their squares gives Student's
    distribution with k degrees of freedom. Batches that depend on one another are first made nearly independent by
    the autoregression of first order with their correlation r. Where r is more than chance, the wider of the
    intervals by 12 and by 5 waves is the answer, since dependence may then reach farther than one batch.

    A series that was judged at several lengths, and went on while it looked dependent, ends when it happens to look
    calm. Where jams are rare, a series without one shows no sign of them. So the longest correlation time of all
    those lengths takes the place of the 5 waves: the variance of the mean is that of the batches times what an
    exponential correlation adds, and is as well known as from one value for every two correlation times.

    Parameters
    ----------
    totals, counts : float64 arrays, shape (BATCHES,)
        Sum of the values of each batch, and their number.
    fewest : float
        Least count of a batch whose mean is a value.
    cautious : bool
        The wider interval in any case, for series that go on until this interval is narrow: they end when it happens
        to be too narrow.
    longest : float, optional
        Longest correlation time (`correlation_time`) of a series judged at several lengths, in batches of `BATCHES`.

    Returns
    -------
    float or None
        None if batches have too few values, merged to `COUNTS` or not, or depend on one another by more than
        `HOPELESS`.

    References
    ----------
    U. K. Müller, "A theory of robust long-run variance estimation", Journal of Econometrics, 2007 (cosines).
    D. W. K. Andrews, J. C. Monahan, "An improved heteroskedasticity and autocorrelation consistent covariance matrix
    estimator", Econometrica, 1992 (removing an autoregression first).

    Examples
    --------
    >>> import numpy as np
    >>> half_width_of_batches(np.tile([1.0, 3.0], 20), np.ones(40), 1) < 0.1
    True
    """
    for number in COUNTS:
        means = batch_means(totals, counts, number, fewest)
        if means is None:
            continue
        r = max(0.0, correlation(means))
        if r > HOPELESS:
            return None
        weights = counts.reshape(number, -1).sum(axis=1) * (number / counts.sum())
        away = (means - totals.sum() / counts.sum()) * weights
        waves = WAVES if cautious or (longest is None and r > 1 / math.sqrt(number)) else WAVES[:1]
        widths = [half_width_by_waves(away, r, min(3 * number // 10, many)) for many in waves]
        if longest:
            widths.append(_half_width_by_correlation_time(away, longest * number / BATCHES))
        return max(widths)
    return None


def half_width_by_waves(away: Values, r: float, waves: int) -> float:
    """Half the 95 % confidence interval of the mean of deviations with lag-1 autocorrelation r, by cosine waves."""
    fresh = away[1:] - r * away[:-1]
    at = (np.arange(fresh.size) + 0.5) * (math.pi / fresh.size)
    heights = np.cos(np.outer(np.arange(1, waves + 1), at)) @ fresh
    variance = 2 * float(heights @ heights) / (waves * fresh.size * (1 - r) ** 2)
    return student(waves) * math.sqrt(variance / away.size)


def _half_width_by_correlation_time(away: Values, time: float) -> float:
    """Half the 95 % confidence interval of the mean of deviations with a correlation time, in their number."""
    time = min(time, away.size / FORGOTTEN)
    adds = 1 / (1 + time * math.expm1(-1 / time)) if time > 0.01 else 1.0
    freedom = min(away.size, away.size / (2 * time)) - 1
    return student(freedom) * math.sqrt(adds * float(away @ away) / (away.size - 1) / away.size)


def correlation_time(means: Values) -> float:
    """Correlation time of a series in batches, 0 to 1000: the τ for which exp(−t/τ) explains their correlation.

    With x = 1/τ the correlation of successive batches is (1 − exp(−x))² / 2 (x − 1 + exp(−x)).
    """
    r, low, high = correlation(means), 1e-3, 1e3
    for _ in range(40):
        x = math.sqrt(low * high)
        low, high = (x, high) if math.expm1(-x) ** 2 > 2 * r * (x + math.expm1(-x)) else (low, x)
    return 1 / low if r > 0 else 0.0


def batch_means(totals: Values, counts: Values, number: int, fewest: float) -> Values | None:
    """Means of `number` equal parts of a series; None if one of them has fewer values than `fewest`."""
    sums, sizes = (series.reshape(number, -1).sum(axis=1) for series in (totals, counts))
    if (sizes < fewest).any():
        return None
    means: Values = sums / sizes
    return means


def truncation(series: Values) -> int:
    """Start of the balanced part of a series: MSER (White 1997).

    That is the number of first values without which the estimated error of the mean of the others is least; at least
    5 values are left.
    """
    left = np.arange(series.size, 0, -1)
    sums, squares = (np.cumsum(terms[::-1])[::-1] for terms in (series, series * series))
    error = (squares - sums * sums / left) / (left.astype(np.float64) * left)
    return int(np.argmin(error[: max(1, series.size - 4)]))


def rises(means: Values) -> bool:
    """Whether MSER would leave out more than the first half of a series, whose second half lies above it."""
    half = means.size // 2
    return truncation(means) > half and bool(means[half:].mean() > means[:half].mean())


def variance_of_means(totals: Values, counts: Values) -> float:
    """Variance of the means of batches about the mean, by the counts."""
    away = totals / counts - totals.sum() / counts.sum()
    return math.fsum(away * away * counts) / math.fsum(counts)


def over_terminals(ejected: npt.NDArray[np.int64], accepted: float) -> dict[str, Any]:
    """Return how even the accepted load is over terminals, by the names of the figures in `Run`.

    Parameters
    ----------
    ejected : int64 array, shape (terminals,)
        Flits that each terminal took.
    accepted : float
        Their mean in flits per cycle.

    References
    ----------
    R. Jain, D.-M. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination for resource allocation in
    shared computer systems", DEC Research Report TR-301, 1984.

    Examples
    --------
    >>> import numpy as np
    >>> over_terminals(np.array([10, 30]), 0.2)
    {'accepted_min': 0.1, 'accepted_max': 0.3, 'jain_index': 0.8}
    """
    flits = ejected.astype(np.float64)
    total, squares = float(flits.sum()), float(flits @ flits)
    share = accepted * flits.size / total if total else 0.0
    return {
        "accepted_min": float(flits.min()) * share,
        "accepted_max": float(flits.max()) * share,
        "jain_index": total * total / (flits.size * squares) if total else None,
    }
