"""The complete graph."""

from __future__ import annotations

import numpy as np

from unknot.errors import NetworkError
from unknot.network import Network


def complete(n: int, *, latency: int = 1) -> Network:
    """`n` routers, every two of them linked."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= 8192:
        raise NetworkError(f"complete({n!r}): the number of routers must be a whole number from 1 to 8192")
    source, target = np.nonzero(~np.eye(n, dtype=bool))
    return Network(f"complete({n})", n, source, target, latency)  # type: ignore[arg-type]
