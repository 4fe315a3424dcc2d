"""Figures of a run for each pair of terminals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot.simulation.engine.engine import Engine


@dataclass(frozen=True, eq=False)
class PairRun:
    """Measured packets by source and destination; arrays of shape (terminals, terminals), times in cycles.

    Attributes
    ----------
    packets : int64 array
        Packets that arrived.
    latency_mean, network_latency_mean, hops_mean : float64 array
        As of the run; NaN where no packet arrived.
    """

    packets: npt.NDArray[np.int64]
    latency_mean: npt.NDArray[np.float64]
    network_latency_mean: npt.NDArray[np.float64]
    hops_mean: npt.NDArray[np.float64]


def pair_run(engine: Engine) -> PairRun:
    """Return the figures of each pair, of an engine that kept them."""
    packets = engine.pairs("packets")
    means = []
    for column in ("latency", "network_latency", "hops"):
        mean = np.full(packets.shape, np.nan)
        means.append(np.divide(engine.pairs(column), packets, out=mean, where=packets > 0))
    return PairRun(packets, *means)
