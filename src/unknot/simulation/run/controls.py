"""Control variates of the mean latency: figures of the same packets whose expectations are known."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from math import fsum
from typing import cast

import numpy as np

from unknot.routing.relation import Relation
from unknot.simulation.run.scenario import Scenario
from unknot.simulation.run.statistics import Values
from unknot.traffic import PatternLike
from unknot.verify.delivery import deliver
from unknot.verify.loads import loads

MOST_PAIRS = 2_000_000
"""Pairs of input VC and address up to which the mean number of hops is worked out: a tenth of a second."""


def known_hops(scenario: Scenario) -> float | None:
    """Return the mean hops of a packet where choices do not change them, else, or where loads take long, None."""
    relation, traffic = scenario.relation, scenario.traffic
    several = traffic.classes or traffic.subnets > 1 or scenario.faults or scenario.watchdog
    if several or relation.direct is not None or relation.vcs.router.size * relation.num_addresses > MOST_PAIRS:
        return None
    return _known_hops(relation, cast(Hashable, traffic.pattern))


@lru_cache(maxsize=4)
def _known_hops(relation: Relation, sent: Hashable) -> float | None:
    """Known by routes that leave no choice, or are shortest whatever is chosen."""
    routed = loads(relation, cast(PatternLike, sent))
    return round(routed.mean_hops, 9) if routed.forced or deliver(relation).minimal else None


def slopes(values: Values, controls: list[Values], counts: Values) -> list[float]:
    """Coefficients of a least-squares fit of values by controls, weighted by counts.

    Sums are exact before they are rounded, so that all machines have the same bits.

    Parameters
    ----------
    values, counts : float64 arrays, shape (batches,)
    controls : list of float64 array, shape (batches,)
        At most two.

    Returns
    -------
    list of float
        One for each control; 0 where a control does not vary.

    References
    ----------
    S. S. Lavenberg, P. D. Welch, "A perspective on the use of control variables to increase the efficiency of Monte
    Carlo simulations", Management Science, 1981.

    Examples
    --------
    >>> import numpy as np
    >>> hops = np.array([1.0, 2.0, 3.0, 4.0])
    >>> slopes(10 + 3 * hops, [hops], np.ones(4))
    [3.0]
    """
    weight = fsum(counts)
    away = [each - fsum(each * counts) / weight for each in (values, *controls)]

    def product(j: int, k: int) -> float:
        return fsum(away[j] * away[k] * counts)

    if len(controls) == 2 and (area := product(1, 1) * product(2, 2) - product(1, 2) ** 2) > 1e-9 * abs(
        product(1, 1) * product(2, 2)
    ):
        first = product(0, 1) * product(2, 2) - product(0, 2) * product(1, 2)
        second = product(0, 2) * product(1, 1) - product(0, 1) * product(1, 2)
        return [first / area, second / area]
    squares = [product(k + 1, k + 1) for k in range(len(controls))]
    best = int(np.argmax(squares)) if squares else 0
    return [product(0, k + 1) / square if square > 0 and k == best else 0.0 for k, square in enumerate(squares)]
