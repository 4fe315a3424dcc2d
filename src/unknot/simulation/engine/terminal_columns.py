"""Columns of terminals: the chance of a packet in a cycle, and what they are about to send."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.splitmix import mixed
from unknot.simulation.engine.traffic import Bursts, Pairs


def terminal_columns(
    chance: float, pairs: Pairs, bursts: Bursts | None, starts: npt.NDArray[np.uint64], local: int
) -> dict[str, Any]:
    """Columns of `terminals`."""
    share = 1.0 if bursts is None else bursts.share_on
    on = 0 if bursts is None else mixed(starts + np.uint64(1)) >> np.uint64(11) < int(share * 2**53)
    rate = (chance * pairs.rate / share * 2**53).astype(np.int64)
    return {"packet": -1, "vc": -1, "last_vc": local - 1, "chance": rate, "on": on}
