"""Traffic matrices: who sends how much to whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.errors import RelationError
from unknot.routing.relation import Relation

Rates = npt.NDArray[np.float64]
Traffic = str | Sequence[int] | npt.NDArray[Any]


def rates(relation: Relation, traffic: Traffic = "uniform") -> Callable[[int], Rates]:
    """What each terminal sends to a destination, in flits per cycle at full load.

    Parameters
    ----------
    traffic : "uniform", sequence of int, or array
        `uniform`: every terminal sends equally to all terminals it has an address for, itself included where the rule
        offers such a message a candidate. A sequence names one destination for each terminal (a permutation, or many
        to one), −1 for a silent one. An array of shape (terminals, terminals) gives the flits per cycle from row to
        column.

    Returns
    -------
    callable
        From a destination terminal to a float64 array over the sources.

    Raises
    ------
    RelationError
        If the traffic is none of these, or negative.
    """
    terminals = relation.network.num_terminals
    if isinstance(traffic, str):
        if traffic != "uniform":
            raise RelationError(
                f"traffic {traffic!r}: say uniform, or give a destination for each terminal, or a matrix of rates"
            )
        return _uniform(relation)
    given = np.asarray(traffic)
    if given.shape == (terminals,) and given.dtype.kind in "iu":
        if given.size and (given.min() < -1 or given.max() >= terminals):
            raise RelationError(
                f"traffic: destinations are terminals 0 to {terminals - 1}, or −1 for none; got "
                f"{int(given.min())} to {int(given.max())}"
            )
        return lambda home: (given == home).astype(np.float64)
    if given.shape == (terminals, terminals) and given.dtype.kind in "iuf":
        if not np.isfinite(given).all() or (given < 0).any():
            raise RelationError("traffic: rates are finite and not negative")
        matrix = given.astype(np.float64)
        return lambda home: np.ascontiguousarray(matrix[:, home])
    raise RelationError(
        f"traffic: a destination for each of the {terminals} terminals, or a matrix of {terminals} × {terminals} "
        f"rates, is wanted; got {given.dtype} values of shape {given.shape}"
    )


def _uniform(relation: Relation) -> Callable[[int], Rates]:
    terminals = relation.network.num_terminals
    served = np.zeros(terminals, dtype=np.int64)
    homes = [np.flatnonzero(relation.destination == t) for t in range(terminals)]

    def column(home: int) -> npt.NDArray[np.bool_]:
        mine = homes[home]
        use = np.full(terminals, mine.size > 0)
        if relation.may_use is not None:
            use = np.array(relation.may_use[:, mine].any(axis=1), dtype=bool)
        own = [a for a in mine.tolist() if relation.may_use is None or relation.may_use[home, a]]
        use[home] = any(relation.candidates(relation.num_vcs + home, a) for a in own)
        return use

    for home in range(terminals):
        served += column(home)
    return lambda home: column(home) / np.maximum(served, 1)
