"""Traffic of each terminal to a destination, for loads: a traffic pattern over the pairs a relation serves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from unknot.routing.relation import Relation
from unknot.traffic import Pattern, PatternLike, pattern

Rates = npt.NDArray[np.float64]


def rates(relation: Relation, traffic: PatternLike = "uniform") -> Callable[[int], Rates]:
    """Flits per cycle at full load towards a destination.

    Parameters
    ----------
    traffic : str, sequence of int, array, callable or Pattern
        As `unknot.traffic.pattern` reads it. Uniform traffic goes equally to all terminals that the source has an
        address for, itself included where the rule offers such a message a candidate.

    Returns
    -------
    callable
        From a destination terminal to a float64 array over the sources.

    Raises
    ------
    TrafficError
        If the traffic does not fit the network; `TextError` if no pattern is named so.
    """
    meant = pattern(relation.network, traffic)
    destination, weight = meant.destination, meant.weight
    if destination is not None:
        return lambda home: (destination == home).astype(np.float64)
    if weight is not None:
        return lambda home: np.ascontiguousarray(weight[:, home])
    return _uniform(relation, meant)


def _uniform(relation: Relation, meant: Pattern) -> Callable[[int], Rates]:
    terminals = relation.network.num_terminals
    served = np.zeros(terminals, dtype=np.int64)
    homes = [np.flatnonzero(relation.destination == t) for t in range(terminals)]

    def column(home: int) -> npt.NDArray[np.bool_]:
        mine = homes[home]
        use = np.full(terminals, mine.size > 0)
        if relation.may_use is not None:
            use = np.array(relation.may_use[:, mine].any(axis=1), dtype=bool)
        own = [a for a in mine.tolist() if relation.may_use is None or relation.may_use[home, a]]
        use[home] = meant.itself and any(relation.candidates(relation.num_vcs + home, a) for a in own)
        return use

    for home in range(terminals):
        served += column(home)
    return lambda home: column(home) / np.maximum(served, 1)
