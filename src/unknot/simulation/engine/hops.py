"""Hops that are left behind each output VC, by which `least_weight` multiplies the flits queued there."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.network import Network
from unknot.routing.paths import distances_to_homes
from unknot.routing.relation import Relation
from unknot.simulation.engine.router import Router

FARTHEST = np.iinfo(np.int16).max


def hop_tables(relation: Relation, router: Router, out_row: npt.NDArray[Any]) -> dict[str, Any]:
    """Return the tables `next_router`, `home` and `hops_left`; empty for other selection functions.

    Raises
    ------
    RelationError
        If the table of distances is too large.
    """
    if router.selection != "least_weight":
        return {"next_router": 0, "home": 0, "hops_left": 0}
    network, vcs = relation.network, relation.vcs
    distances = distances_to_homes(network, "the selection function least_weight")
    rows = out_row[: vcs.total]
    next_router = np.zeros(int(rows.max(initial=-1)) + 1, dtype=np.int32)
    next_router[rows] = network.target[vcs.channel]
    return {
        "next_router": next_router,
        "home": distances.column[relation.destination],
        "hops_left": np.where(distances.table < 0, FARTHEST, distances.table).reshape(-1),
    }


def hop_bytes(network: Network, router: Router) -> int:
    """Estimate the memory of the table of distances, twice while it is built."""
    homes = np.unique(network.eject).size
    return 6 * network.num_routers * homes if router.selection == "least_weight" else 0
