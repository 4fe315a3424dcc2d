"""Positions of the switches of a multistage network: stages from left to right, rows from the top."""

from __future__ import annotations

import numpy as np

from unknot.network import Network
from unknot.network.stages import is_multistage
from unknot.report.structure import Places


def in_stages(network: Network) -> Places | None:
    """Positions of the switches of a network whose coordinates are stage and row, else None."""
    if network.coordinates is None or not is_multistage(network):
        return None
    count, rows = network.radices
    stage, row = network.coordinates.T
    used = np.zeros(count, dtype=np.int64)
    np.maximum.at(used, stage, row + 1)
    between = max(1.8, rows * 1.1 / max(count - 1, 1))
    stretch = (rows - 1) / np.maximum(used - 1, 1)
    y = np.where(used[stage] > 1, row * stretch[stage], (rows - 1) / 2)
    return np.asarray(stage * between + 1j * y, dtype=np.complex128)
