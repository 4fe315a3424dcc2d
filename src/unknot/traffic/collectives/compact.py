"""Steps chosen anew: each transfer as early as what it needs and the room on its channels allow (list scheduling)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from unknot.traffic.collectives.chunks import ChunkSchedule, in_steps


def compacted(schedule: ChunkSchedule) -> ChunkSchedule:
    """Return the schedule with transfers in other steps.

    A step is as long as the longest transfer alone; of those that could go, those go first on which most others wait
    one after the other. A chunk is sent on when all has arrived that its sender received before.

    Parameters
    ----------
    schedule : ChunkSchedule
        The schedule.

    Returns
    -------
    ChunkSchedule
        The schedule.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from unknot.network.families import ring
    >>> from unknot.traffic.collectives.operation import Operation
    >>> from unknot.traffic.collectives.platform import platform_of
    >>> from unknot.traffic.collectives.textbook import textbook
    >>> platform = platform_of(ring(6))
    >>> chain = textbook(platform, Operation("all_gather", platform.members, Fraction(8)), "bruck")
    >>> chain.time, compacted(chain).time
    (Fraction(77, 1), Fraction(49, 1))
    """
    sends, on = schedule.transfers, schedule.platform.channels
    sizes = [float(chunk.size) for chunk in schedule.chunks]
    into: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, sent in enumerate(sends):
        into[sent.chunk, sent.target].append(i)
    open_needs = [0] * len(sends)
    followers: list[list[int]] = [[] for _ in sends]
    for i, sent in enumerate(sends):
        for j in into[sent.chunk, sent.source]:
            if sends[j].step < sent.step:
                followers[j].append(i)
                open_needs[i] += 1
    height = [1] * len(sends)
    for i in reversed(range(len(sends))):
        height[i] += max((height[j] for j in followers[i]), default=0)
    wide = [float(channel.bandwidth) for channel in on]
    slot = max((sizes[sent.chunk] / wide[c] for sent in sends for c in sent.path), default=0.0) * (1 + 1e-9)
    room = [width * slot for width in wide]
    ready = [i for i, needs in enumerate(open_needs) if not needs]
    step, placed = 0, [0] * len(sends)
    while ready:
        left, waiting, follow = dict[int, float](), [], []
        for i in sorted(ready, key=lambda i: -height[i]):
            size, path = sizes[sends[i].chunk], sends[i].path
            if any(left.get(c, room[c]) < size for c in path):
                waiting.append(i)
                continue
            for c in path:
                left[c] = left.get(c, room[c]) - size
            placed[i] = step
            for j in followers[i]:
                open_needs[j] -= 1
                follow += [j] * (not open_needs[j])
        ready, step = waiting + follow, step + 1
    return replace(
        schedule, transfers=in_steps([replace(sent, step=at) for sent, at in zip(sends, placed, strict=True)])
    )
