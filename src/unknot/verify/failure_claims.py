"""Claims that no routes after failures let buffers wait in a circle: after all of some sets of them, or any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.network.graph import strong_components
from unknot.routing.ethernet import PathVector
from unknot.verify.failures import Part, Parts, failed_of

LONGER = 6
"""Hops by which paths are followed that are longer than the shortest ones."""
Words = npt.NDArray[np.int64]


@dataclass(frozen=True)
class FailureSets:
    """All sets of failed parts with these, by their numbers, without those that are kept, and with some more."""

    failed: tuple[int, ...]
    kept: frozenset[int]
    more: int

    def count(self, parts: int) -> int:
        """The number of these sets where there is this number of parts in all."""
        return comb(parts - len(self.failed) - len(self.kept), self.more)


def failures_claim(
    vector: PathVector,
    kind: Parts,
    pairs: tuple[Words, Words],
    sets: FailureSets | None = None,
    parts: Sequence[Part] = (),
) -> dict[str, Any]:
    """The claim that pairs of channels close no circle, with ranks of all; without `sets`: after any failures."""
    before: dict[int, list[int]] = {channel: [] for channel in range(vector.network.num_channels)}
    for tail, head in zip(*(column.tolist() for column in pairs), strict=True):
        before[head].append(tail)
    rank = {channel: number for number, channel in enumerate(TopologicalSorter(before).static_order())}
    some = ((), ()) if sets is None else (sets.failed, sorted(sets.kept))
    failed, kept = (failed_of(vector.network, kind, [n for part in one for n in parts[part][1]]) for one in some)
    return {
        "subject": "failures", "kind": kind, "more": None if sets is None else sets.more, "longer": LONGER,
        "failed": dict(zip(("routers", "channels"), failed, strict=True)),
        "kept": dict(zip(("routers", "channels"), kept, strict=True)),
        "systems": vector.systems.tolist(), "limit": vector.limit, "proof": {"rank": [rank[c] for c in sorted(rank)]},
    }  # fmt: skip


def never_circular(vector: PathVector) -> dict[str, Any] | None:
    """Return the claim that no failures let buffers wait in a circle, whatever paths routers announce; None if open.

    A path without a repeated AS leads through three different ones at any router. If such steps from channel to
    channel form no circle, none can come about. That is sufficient, not necessary.
    """
    network, systems = vector.network, vector.systems
    first, outgoing = network.outgoing
    if vector.limit:
        return None
    degree = np.diff(first)[network.target]
    tail = np.repeat(np.arange(network.num_channels), degree)
    offset = np.arange(tail.size) - np.repeat(np.cumsum(degree) - degree, degree)
    head = outgoing[first[network.target[tail]] + offset]
    via, source, to = systems[network.target[tail]], systems[network.source[tail]], systems[network.target[head]]
    steps = (source != via) & (via != to) & (to != source)
    pairs = tail[steps], head[steps].astype(np.int64)
    return (
        None if strong_components(*pairs, network.num_channels)[1].any() else failures_claim(vector, "links", pairs)
    )
