"""The fewest lanes as a routing like any other: ``--routing lanes``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.lane_assignment.figures import Lanes
from unknot.lane_assignment.lanes import lanes as fewest
from unknot.lane_assignment.lanes import multipath as all_paths
from unknot.network import Network
from unknot.routing.relation import Relation


def lanes(
    network: Network,
    *,
    vcs: int | None = None,
    paths: str = "free",
    multipath: bool = False,
    time_limit: float | None = None,
    seed: int = 1,
    flows: npt.ArrayLike | None = None,
) -> Relation:
    """Shortest paths in the fewest lanes that `unknot.lane_assignment.lanes` finds.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, shared out among the lanes; by default one for each lane.
    paths : {"free", "table"}
    multipath : bool
        Whether packets may take every shortest path that climbs in their lane, see `multipath`.
    time_limit : float, optional
    seed : int
    flows : array_like of float, shape (terminals, terminals), optional
        As of `unknot.lane_assignment.lanes`.
    """
    fewest_lanes = _last_or_new(network, flows, {"paths": paths, "time_limit": time_limit, "seed": seed})
    if multipath:
        return all_paths(fewest_lanes, vcs=vcs)
    if vcs is None:
        return fewest_lanes.relation
    return fewest_lanes.relation_on(network, fewest_lanes.sends, vcs)


def _last_or_new(network: Network, flows: npt.ArrayLike | None, options: dict[str, Any]) -> Lanes:
    """The lanes of a search; those of the last one are kept for whatever number of VCs is tried next."""
    key = (None if flows is None else np.asarray(flows, dtype=np.float64).tobytes(), options)
    if not _last or _last[0][0] is not network or _last[0][1] != key:
        _last[:] = [(network, key, fewest(network, flows=flows, **options))]
    return _last[0][2]


_last: list[tuple[Network, object, Lanes]] = []
