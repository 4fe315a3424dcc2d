"""Tagger: tags by bounces in a Clos.

S. Hu, Y. Zhu, P. Cheng, C. Guo, K. Tan, J. Padhye, K. Chen: Tagger: practical PFC deadlock prevention in data center
networks. CoNEXT 2017.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from unknot.network import Network

Tagging = Callable[[int, int, int], int]
"""The tag of a packet that came by a channel (`SENT`: from a host) with a tag, when it leaves by another."""


def by_bounces(network: Network, tiers: npt.NDArray[np.int64]) -> Tagging:
    """Tags of a Clos: one more whenever a packet that came down goes up again, so that k bounces take k + 1 tags."""
    rises = (tiers[network.source] < tiers[network.target]).tolist()

    def tagged(came: int, tag: int, leaves: int) -> int:
        return tag + (came >= 0 and not rises[came] and rises[leaves])

    return tagged
