"""The complete graph."""

from __future__ import annotations

import numpy as np

from unknot.network import Network
from unknot.network.families.links import affordable, whole


def complete(n: int, *, latency: int = 1) -> Network:
    """`n` routers, every two of them linked.

    Examples
    --------
    >>> complete(5)
    <Network complete(5): 5 routers, 20 channels, 5 terminals>
    """
    whole("complete", "the number of routers", n, 1)
    affordable(f"complete({n})", n, n * (n - 1))
    router = np.arange(n, dtype=np.int32)
    others = router[: n - 1] + (router[: n - 1] >= router[:, None])
    source = np.repeat(router, n - 1)
    return Network(f"complete({n})", n, source, others.ravel(), latency)
