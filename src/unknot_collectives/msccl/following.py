"""The steps of a program, done one after the other as long as one can be done."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot_collectives.msccl.program import (
    COLLECTIVES,
    READING,
    RECEIVING,
    REDUCING,
    SENDING,
    WRITING,
    Program,
    Step,
)

Clock = npt.NDArray[np.int32]
"""Of every block, how many of its steps lie before; nothing where chunks are not followed."""


@dataclass(frozen=True, order=True)
class Place:
    """A step of a thread block of a rank.

    Attributes
    ----------
    rank, block, step : int
        All counted from 0; blocks within the rank and steps within the block.

    Examples
    --------
    >>> print(Place(3, 0, 2))
    rank 3 block 0 step 2
    """

    rank: int
    block: int
    step: int

    def __str__(self) -> str:
        return f"rank {self.rank} block {self.block} step {self.step}"


@dataclass(frozen=True)
class Wait:
    """A step that is never done, and why.

    Attributes
    ----------
    place : Place
    reason : str

    Examples
    --------
    >>> from dataclasses import replace
    >>> from unknot_collectives.msccl import read_msccl, run_program
    >>> program = read_msccl("examples/collectives/allreduce-pairs.xml")
    >>> idle = replace(program.ranks[1], blocks=())
    >>> run_program(replace(program, ranks=(program.ranks[0], idle))).waits[0].reason
    'waits for a message of rank 1 on channel 0'
    """

    place: Place
    reason: str


@dataclass(frozen=True)
class Race:
    """Two unordered steps on a chunk, at least one a write.

    Attributes
    ----------
    earlier, later : Place
        The steps, in the order in which they were followed.
    buffer : {"i", "o", "s"}
        Input, output or scratch.
    chunk : int
        Its number in the buffer, from 0 on.

    Examples
    --------
    >>> from unknot_collectives.msccl import read_msccl, run_program
    >>> run_program(read_msccl("examples/collectives/allreduce-pairs.xml")).races
    ()
    """

    earlier: Place
    later: Place
    buffer: str
    chunk: int


@dataclass
class SentChunk:
    contents: list[int]
    clock: Clock


class Following:
    """State of a run; a block is known by its number among those of all ranks.

    A contribution, chunk c of the input of rank r, is bit r · (most inputs) + c, and what a chunk holds is the sum of
    such bits: one addition too many shows as two sums with a bit in common.
    """

    def __init__(self, program: Program, slots: int, shared: bool, *, chunks: bool = True) -> None:
        self.program, self.slots, self.shared, self.chunks = program, slots, shared, chunks
        self.blocks = [(r, b) for r, rank in enumerate(program.ranks) for b in range(len(rank.blocks))]
        self.number = {pair: number for number, pair in enumerate(self.blocks)}
        self.done = [0] * len(self.blocks)
        self.queues: defaultdict[tuple[int, int, int], deque[SentChunk]] = defaultdict(deque)
        self.waits: list[Wait] = []
        self.races: list[Race] = []
        self.wrong: list[str] = []
        self.width = max((rank.inputs for rank in program.ranks), default=0) or 1
        self.held: dict[tuple[int, str, int], int] = {}
        self.written: dict[tuple[int, str, int], Place] = {}
        self.read: defaultdict[tuple[int, str, int], dict[int, Place]] = defaultdict(dict)
        self.clocks = np.zeros((len(self.blocks), len(self.blocks) if chunks else 0), dtype=np.int32)
        self.signalled: defaultdict[int, list[tuple[int, Clock]]] = defaultdict(list)
        for r, rank in enumerate(program.ranks):
            for c in range(rank.inputs if chunks else 0):
                self.held[self._key(r, "i", c)] = 1 << (r * self.width + c)

    def follow(self) -> None:
        """Let blocks take turns as long as one gets on."""
        sleeping: defaultdict[object, list[int]] = defaultdict(list)
        ready = deque(range(len(self.blocks)))
        while ready:
            number = ready.popleft()
            while (need := self._need(number)) is None:
                for event in self._do(number):
                    ready.extend(sleeping.pop(event, ()))
            if need != "end":
                sleeping[need].append(number)
        self.waits = [
            Wait(self._place(n), self._reason(n)) for n in range(len(self.blocks)) if self._need(n) != "end"
        ]

    def compare(self) -> None:
        """Note where a rank does not hold at the end what the operation demands."""
        if self.waits or self.program.collective not in COLLECTIVES:
            return
        for r, rank in enumerate(self.program.ranks):
            for chunk in range(rank.outputs):
                expected = self._expected(r, chunk)
                there = self.held.get(self._key(r, "o", chunk), 0)
                if expected is not None and there != expected:
                    what = f"{self._words(there)}, not {self._words(expected)}"
                    self.wrong.append(f"rank {r} ends with {what}, in output chunk {chunk}")

    def _step(self, number: int) -> Step:
        rank, block = self.blocks[number]
        return self.program.ranks[rank].blocks[block].steps[self.done[number]]

    def _place(self, number: int) -> Place:
        return Place(*self.blocks[number], self.done[number])

    def _need(self, number: int) -> object:
        """What the next step of a block lacks: None nothing, ``end`` where there is none."""
        rank, index = self.blocks[number]
        block = self.program.ranks[rank].blocks[index]
        if self.done[number] == len(block.steps):
            return "end"
        step = block.steps[self.done[number]]
        for other, awaited in step.after:
            seen = self.signalled[self.number[rank, other]]
            if not seen or seen[-1][0] < awaited:
                return ("signal", self.number[rank, other])
        incoming = (block.receive_from, rank, block.channel)
        if step.type in RECEIVING and not self.queues[incoming]:
            return ("message", incoming)
        outgoing = (rank, block.send_to, block.channel)
        if step.type in SENDING and len(self.queues[outgoing]) >= self.slots:
            return ("slot", outgoing)
        return None

    def _reason(self, number: int) -> str:
        need, step = self._need(number), self._step(number)
        assert isinstance(need, tuple)
        if need[0] == "signal":
            awaited = max(place for _, place in step.after)
            return f"waits for step {awaited} of block {self.blocks[need[1]][1]}"
        source, target, channel = need[1]
        if need[0] == "message":
            return f"waits for a message of rank {source} on channel {channel}"
        return f"waits until rank {target} takes a message on channel {channel}; {self.slots} wait there"

    def _do(self, number: int) -> Iterator[object]:
        """Do the next step of a block; what others may have waited for."""
        rank, index = self.blocks[number]
        block = self.program.ranks[rank].blocks[index]
        step, place = self._step(number), self._place(number)
        clock = self.clocks[number]
        for other, awaited in step.after:
            seen = next(at for done, at in self.signalled[self.number[rank, other]] if done >= awaited)
            np.maximum(clock, seen, out=clock)
        clock[number : number + 1] = place.step + 1
        contents: list[int] = []
        if step.type in RECEIVING:
            incoming = (block.receive_from, rank, block.channel)
            message = self.queues[incoming].popleft()
            contents = message.contents
            np.maximum(clock, message.clock, out=clock)
            yield ("slot", incoming)
        if self.chunks and step.type != "nop":
            contents = self._move(place, step, contents, number)
        self.done[number] += 1
        if step.type in SENDING:
            outgoing = (rank, block.send_to, block.channel)
            self.queues[outgoing].append(SentChunk(contents, clock.copy()))
            yield ("message", outgoing)
        if step.signals:
            self.signalled[number].append((place.step, clock.copy()))
            yield ("signal", number)

    def _move(self, place: Place, step: Step, received: list[int], number: int) -> list[int]:
        """Read, reduce and write the chunks of a step; return the bytes sent, if any."""
        if step.type in RECEIVING and len(received) != step.source.count:
            self.wrong.append(f"{place} receives {step.source.count} chunks where {len(received)} were sent")
            received = (received + [0] * step.source.count)[: step.source.count]
        contents = list(received)
        if step.type in READING:
            local = [
                self._use(place, number, step.source.buffer, step.source.offset + k, False)
                for k in range(step.source.count)
            ]
            contents = self._sums(place, contents, local) if step.type in REDUCING - {"re"} else local
        if step.type == "re":
            chunks = step.destination
            there = [self._use(place, number, chunks.buffer, chunks.offset + k, False) for k in range(chunks.count)]
            contents = self._sums(place, there, contents)
        if step.type in WRITING:
            for k, content in enumerate(contents):
                self._use(place, number, step.destination.buffer, step.destination.offset + k, True)
                self.held[self._key(place.rank, step.destination.buffer, step.destination.offset + k)] = content
        return contents

    def _sums(self, place: Place, one: list[int], other: list[int]) -> list[int]:
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            if a & b:
                self.wrong.append(f"{place} reduces {self._words(a & b)} a second time (chunk {k} of the step)")
        return [a | b for a, b in zip(one, other, strict=True)]

    def _use(self, place: Place, number: int, buffer: str, chunk: int, writes: bool) -> int:
        """Note that a step reads or writes a chunk, and whether an earlier use is not known to lie before."""
        key = self._key(place.rank, buffer, chunk)
        earlier = [self.written[key]] if key in self.written else []
        if writes:
            earlier += self.read.pop(key, {}).values()
        for use in earlier:
            if self.clocks[number, self.number[use.rank, use.block]] <= use.step:
                self.races.append(Race(use, place, buffer, chunk))
        if writes:
            self.written[key] = place
            return 0
        self.read[key][number] = place
        if key not in self.held:
            self.wrong.append(f"{place} reads chunk {chunk} of buffer {buffer!r}, which nothing has written")
        return self.held.get(key, 0)

    def _key(self, rank: int, buffer: str, chunk: int) -> tuple[int, str, int]:
        """Where a chunk lies; in place, input and output are parts of the larger buffer."""
        if not self.shared or buffer == "s":
            return rank, buffer, chunk
        sizes = self.program.ranks[rank]
        smaller = "i" if sizes.inputs < sizes.outputs else "o" if sizes.outputs < sizes.inputs else ""
        return rank, "io", chunk + (rank * sizes.size(buffer) if buffer == smaller else 0)

    def _expected(self, rank: int, chunk: int) -> int | None:
        """What output chunk `chunk` of a rank must hold; None: anything."""
        sizes, ranks = self.program.ranks[rank], range(len(self.program.ranks))
        collective = self.program.collective
        if collective in ("allreduce", "reducescatter", "reduce"):
            if collective == "reduce" and rank:
                return None
            at = chunk + (rank * sizes.outputs if collective == "reducescatter" else 0)
            return sum(1 << (r * self.width + at) for r in ranks)
        if collective == "broadcast":
            return 1 << chunk
        each = max(1, sizes.inputs) if collective == "allgather" else max(1, sizes.outputs // len(ranks))
        sender, part = divmod(chunk, each)
        return 1 << (sender * self.width + part + (rank * each if collective == "alltoall" else 0))

    def _words(self, content: int) -> str:
        """Contributions as ranks and chunks of theirs."""
        bits = [bit for bit in range(content.bit_length()) if content >> bit & 1]
        if not bits:
            return "nothing"
        names = [f"{bit // self.width}.{bit % self.width}" for bit in bits[:4]]
        return "rank.chunk " + ", ".join(names) + (f" and {len(bits) - 4} more" if len(bits) > 4 else "")
