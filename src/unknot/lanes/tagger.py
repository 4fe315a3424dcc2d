"""Tagger: tags by hops, merged while that closes no circle; and by bounces in a Clos.

S. Hu, Y. Zhu, P. Cheng, C. Guo, K. Tan, J. Padhye, K. Chen: Tagger: practical PFC deadlock prevention in data center
networks. CoNEXT 2017.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from unknot.lanes.flow_paths import Path
from unknot.lanes.turns import Turn, climbing
from unknot.network import Network

Tagging = Callable[[int, int, int], int]
"""The tag of a packet that came by a channel (`SENT`: from a host) with a tag, when it leaves by another."""


def by_bounces(network: Network, tiers: npt.NDArray[np.int64]) -> Tagging:
    """Tags of a Clos: one more whenever a packet that came down goes up again, so that k bounces take k + 1 tags."""
    rises = (tiers[network.source] < tiers[network.target]).tolist()

    def tagged(came: int, tag: int, leaves: int) -> int:
        return tag + (came >= 0 and not rises[came] and rises[leaves])

    return tagged


def by_merging(paths: Iterable[Path]) -> Tagging:
    """Tags by the hops of expected lossless paths (Algorithm 1), merged greedily in their order (Algorithm 2).

    Where two hop numbers at a port are merged and the next ones are not, a switch cannot tell them apart: packets
    then take the higher tag, and tags never fall. That can close a circle, which the paper does not speak of.
    """
    nodes: defaultdict[int, dict[int, None]] = defaultdict(dict)
    before: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for path in paths:
        for hop, channel in enumerate(path, 1):
            nodes[hop][channel] = None
        for hop, (c, e) in enumerate(pairwise(path), 1):
            before[e, hop + 1].add(c)
    tag_of: dict[tuple[int, int], int] = {}
    tag, merged = 1, set[Turn]()
    for hop in sorted(nodes):
        for channel in nodes[hop]:
            into = {(c, channel) for c in before[channel, hop] if tag_of[c, hop - 1] == tag}
            kept = not _closes(merged | into)
            merged |= into if kept else set()
            tag_of[channel, hop] = tag if kept else tag + 1
        if any(tag_of[channel, hop] > tag for channel in nodes[hop]):
            tag, merged = tag + 1, set()
    rules: dict[tuple[int, int, int], int] = {}
    for (channel, hop), origins in before.items():
        for c in origins:
            key = c, tag_of[c, hop - 1], channel
            rules[key] = max(rules.get(key, 1), tag_of[channel, hop])

    def tagged(came: int, tag: int, leaves: int) -> int:
        return max(tag, rules.get((came, tag, leaves), tag))

    return tagged


def _closes(turns: set[Turn]) -> bool:
    """Whether turns close a circle."""
    return climbing(turns, 1 + max((max(turn) for turn in turns), default=0)) is None
