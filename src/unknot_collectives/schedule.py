"""A schedule of chunks: which part of the data goes where in which step, over which channels, copied or reduced.

Either steps follow each other: all that is sent in one has arrived when the next begins. A step takes the longest
latency of its transfers, and then the bytes of its busiest channel over the bandwidth of that, with what messages
cost. Or each transfer has a start of its own, and passes its channels at the rate of the slowest, or at a lower one.
Data that pass several channels are forwarded as they come (cut-through)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import ceil
from typing import Any

import numpy as np

from unknot._base.arrays import Floats
from unknot._base.memory import require
from unknot._base.shown import Brief
from unknot_collectives.operation import Operation
from unknot_collectives.platform import Platform, in_whole_numbers, passage
from unknot_collectives.transfers import Chunk, PassageKey, Transfer, in_steps


@dataclass(frozen=True, repr=False)
class Schedule(Brief):
    """An operation on a platform as transfers of chunks, ordered by step, or by start.

    Attributes
    ----------
    name : str
    platform : Platform
    operation : Operation
    chunks : tuple of Chunk
    transfers : tuple of Transfer
    starts : tuple of Fraction
        When each transfer begins; empty: steps follow each other.
    pieces : int
        Into which each chunk of the algorithm is cut.

    Examples
    --------
    >>> from unknot_collectives.platform import Channel
    >>> pair = Platform("pair", 2, (Channel(0, 1, Fraction(2), Fraction(5)),), (0, 1))
    >>> sent = (Transfer(0, 0, 0, 1, (0,)),)
    >>> whole = Operation("broadcast", (0, 1), Fraction(12), root=0)
    >>> schedule = Schedule("one message", pair, whole, (Chunk(Fraction(12), 0, None),), sent)
    >>> schedule.time
    Fraction(11, 1)
    """

    name: str
    platform: Platform
    operation: Operation
    chunks: tuple[Chunk, ...]
    transfers: tuple[Transfer, ...]
    starts: tuple[Fraction, ...] = ()
    pieces: int = 1

    def passage_key(self, sent: Transfer) -> PassageKey:
        """Return what `passage` takes for a transfer."""
        return self.chunks[sent.chunk].size, sent.path, sent.rate

    @property
    def steps(self) -> int:
        """Number of steps."""
        return max((sent.step + 1 for sent in self.transfers), default=0)

    @cached_property
    def costs(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Longest latency, and time of the busiest channel, of each step."""
        on = self.platform.channels
        overhead, more = self.platform.overhead, self._longer_by
        sizes, size_unit = in_whole_numbers([*(chunk.size for chunk in self.chunks), *more.values()])
        longer_by = dict(zip(more, sizes[len(self.chunks) :], strict=True))
        latencies, latency_unit = in_whole_numbers([channel.latency for channel in on])
        slow, slow_unit = in_whole_numbers([1 / channel.bandwidth for channel in on])
        loads = [defaultdict[int, int](int) for _ in range(self.steps)]
        paths = [set[tuple[int, ...]]() for _ in loads]
        for sent in self.transfers:
            paths[sent.step].add(sent.path)
            for channel in sent.path:
                loads[sent.step][channel] += sizes[sent.chunk]

        def longest(busy: Mapping[int, int]) -> Fraction:
            return max((load * slow[channel] for channel, load in busy.items()), default=0) * size_unit * slow_unit

        late, costs = {path: sum(latencies[channel] for channel in path) for path in more}, []
        for busy, used in zip(loads, paths, strict=True):
            time = longest(busy)
            if overhead and used:
                for path in used:
                    for channel in {path[0], path[-1]}:
                        busy[channel] += longer_by[path]
                time = max(time + overhead, longest(busy))
            costs.append((max((late[path] for path in used), default=0) * latency_unit, time))
        return tuple(costs)

    @cached_property
    def _longer_by(self) -> Mapping[tuple[int, ...], Fraction]:
        """By how many bytes a message is longer on the first and the last channel of each path."""
        overhead, paths = self.platform.overhead, dict.fromkeys(sent.path for sent in self.transfers)
        return {path: overhead and overhead * self.platform.slowest(path) for path in paths}

    @cached_property
    def busiest(self) -> Fraction:
        """Time that the busiest channel is busy in all steps together, but for what messages cost."""
        return self._busiest([chunk.size for chunk in self.chunks], {})

    def _busiest(self, sizes: Sequence[Fraction], more: Mapping[tuple[int, ...], Fraction]) -> Fraction:
        """Return the time of the busiest channel with sizes of chunks, and more of each transfer by its path."""
        whole, unit = in_whole_numbers([*sizes, *more.values()])
        longer_by = dict(zip(more, whole[len(sizes) :], strict=True))
        loads: defaultdict[int, int] = defaultdict(int)
        for sent in self.transfers:
            load = whole[sent.chunk] + longer_by.get(sent.path, 0)
            for channel in sent.path:
                loads[channel] += load
        on = self.platform.channels
        return max(load / on[channel].bandwidth for channel, load in loads.items()) * unit

    @property
    def latency(self) -> Fraction:
        """What the time would be if nothing had a size."""
        return sum((latency for latency, _ in self.costs), Fraction(0))

    @property
    def time(self) -> Fraction:
        """Sum of the times of the steps; or when the last transfer has arrived."""
        if self.starts:
            last = dict[PassageKey, Fraction]()
            for sent, start in zip(self.transfers, self.starts, strict=True):
                key = self.passage_key(sent)
                last[key] = max(start, last.get(key, start))
            return max(start + passage(self.platform, *key).arrives for key, start in last.items())
        return sum((latency + busy for latency, busy in self.costs), Fraction(0))

    @cached_property
    def _loads(self) -> tuple[Floats, Floats, Floats]:
        """Time of each channel in each step, that of its messages alone, and the latency of each step, rounded."""
        on = self.platform.channels
        require(f"loads of {self.steps} steps on {len(on)} channels", 24 * self.steps * len(on))
        busy, messages = np.zeros((2, self.steps, len(on)))
        sizes, width = [float(chunk.size) for chunk in self.chunks], np.array([float(c.bandwidth) for c in on])
        for sent in self.transfers:
            busy[sent.step, list(sent.path)] += sizes[sent.chunk]
        for step, path in {(sent.step, sent.path) for sent in self.transfers}:
            messages[step, list({path[0], path[-1]})] += float(self._longer_by[path])
        return busy / width, messages / width, np.array([float(latency) for latency, _ in self.costs])

    def pipelined_costs(self, pieces: int) -> tuple[float, float, int]:
        """Latency and busy time with each chunk in pieces, rounded, and the steps from one step to the next.

        Either all pieces of a step go before the next step, or a step begins one piece after the one before. What
        messages cost counts as latency; that is too much where other channels are the busiest with them.
        """
        busy, messages, latency = self._loads
        alone = latency + np.maximum(messages.max(axis=1), float(self.platform.overhead))
        apart = (float(alone.sum() * pieces), float(busy.max(axis=1).sum()), pieces)

        def overlapped(loads: Floats) -> float:
            summed = np.pad(np.cumsum(loads, axis=0), ((0, pieces - 1), (0, 0)), mode="edge")
            summed[pieces:] -= summed[:-pieces].copy()
            return float(summed.max(axis=1).sum())

        late = sum(float(latency[max(0, j - pieces + 1) : j + 1].max()) for j in range(len(latency) + pieces - 1))
        close = (late + overlapped(messages), overlapped(busy) / pieces, 1)
        return min(close, apart, key=lambda costs: costs[0] + costs[1])

    def counts(self, pieces: int) -> list[int]:
        """Return pieces of each chunk of which none is larger than if the largest chunk had that number."""
        largest = max(chunk.size for chunk in self.chunks)
        of_size = {size: ceil(size * pieces / largest) for size in {chunk.size for chunk in self.chunks}}
        return [of_size[chunk.size] for chunk in self.chunks]

    def pipelined(self, pieces: int, *, alike: bool = False) -> Schedule:
        """Return the schedule with chunks cut in pieces that follow each other, in the faster of two orders.

        Parameters
        ----------
        pieces : int
            Of each chunk; or of the largest.
        alike : bool
            Whether smaller chunks are cut in fewer pieces, as `counts` says; steps then take longer, starts do not.
        """
        if pieces == 1:
            return self
        counts = self.counts(pieces) if alike else [pieces] * len(self.chunks)
        stride, first = self.pipelined_costs(pieces)[2], [0, *accumulate(counts)]
        chunks = tuple(
            replace(chunk, size=chunk.size / count)
            for chunk, count in zip(self.chunks, counts, strict=True)
            for _ in range(count)
        )
        transfers = [
            Transfer(step, first[sent.chunk] + piece, sent.source, sent.target, sent.path, sent.reduces, sent.rate)
            for sent in self.transfers
            for count in (counts[sent.chunk],)
            for piece in range(count)
            for step in (sent.step * stride + piece * pieces // count,)
        ]
        return replace(self, chunks=chunks, transfers=in_steps(transfers), starts=(), pieces=self.pieces * pieces)

    def paced(self, pieces: int) -> tuple[Schedule, Fraction]:
        """Return the schedule with rates at which its pieces last equally long along all paths, and how long each.

        All may pass at the same time then: pieces follow each other without waiting for channels.
        """
        each = self._busiest([chunk.size / pieces for chunk in self.chunks], self._longer_by)
        keys = {self.passage_key(sent) for sent in self.transfers}
        rates = {key: (key[0] / pieces + self._longer_by[key[1]]) / each for key in keys}
        sends = (replace(sent, rate=rates[self.passage_key(sent)]) for sent in self.transfers)
        return replace(self, transfers=tuple(sends)), each

    def resized(self, size: Fraction) -> Schedule:
        """Return the schedule for another size of the operation, by steps."""
        factor = size / self.operation.size
        sizes = {size: size * factor for size in {chunk.size for chunk in self.chunks}}
        chunks = tuple(Chunk(sizes[one.size], one.source, one.target, one.group) for one in self.chunks)
        return replace(self, operation=replace(self.operation, size=size), chunks=chunks, starts=())

    def by_steps(self) -> Schedule:
        """Return the schedule with steps that follow each other, in place of starts."""
        return replace(self, transfers=in_steps(self.transfers), starts=())

    def claim(self) -> dict[str, Any]:
        """Return the claim that `unknot.certificates` replays chunk by chunk."""
        sends = [[sent.chunk, sent.source, sent.target, sent.reduces, list(sent.path)] for sent in self.transfers]
        steps: list[list[list[Any]]] = [[] for _ in range(0 if self.starts else self.steps)]
        for sent, words in zip(self.transfers, sends, strict=True):
            if not self.starts:
                steps[sent.step].append(words)
        timed = [[*words, *start.as_integer_ratio()] for words, start in zip(sends, self.starts, strict=False)]
        grouped = bool(self.operation.groups)
        rates = [sent.rate and [*sent.rate.as_integer_ratio()] for sent in self.transfers]
        return {
            "subject": "schedule",
            **self.platform.claim(self.operation, self.time),
            "proof": {
                "chunks": [
                    [*chunk.size.as_integer_ratio(), chunk.source, chunk.target, *[chunk.group] * grouped]
                    for chunk in self.chunks
                ],
                **({"sends": timed} if self.starts else {"steps": steps}),
                **({"rates": rates} if self.starts and any(rates) else {}),
            },
        }
