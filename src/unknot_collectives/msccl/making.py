"""Programs made of schedules of chunks, which cannot hang."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

from unknot._base.errors import NetworkError
from unknot_collectives.msccl.files import MOST_CHUNKS
from unknot_collectives.msccl.limits import COUNT, PER_CHANNEL, RCCL
from unknot_collectives.msccl.program import Chunks, Program, Rank, Step, ThreadBlock
from unknot_collectives.operation import Operation
from unknot_collectives.platform import in_whole_numbers
from unknot_collectives.schedule import Schedule

NAMES = {
    "all_reduce": "allreduce", "all_gather": "allgather", "reduce_scatter": "reducescatter", "all_to_all": "alltoall",
    "broadcast": "broadcast", "reduce": "reduce",
}  # fmt: skip
"""Names of the loader for operations."""
NAMED = 200
"""Letters of the name of a program."""
End = tuple[int, int, int]
"""Of a thread block: the rank that it sends to, the one that it receives from (−1: none), and the channel."""


def program_of(schedule: Schedule, *, least_bytes: int = 0, most_bytes: int = 2**40) -> Program:
    """Return the program of a schedule, for input and output in one buffer, but for all_to_all, which has two.

    Ranks are the members in their order, a root first. A rank has a thread block for each member that it sends to,
    and for each that it receives from; where RCCL takes fewer, one block sends to the member k places ahead and
    receives from the one k places behind, on several channels. All sends and receives stand in one order, in which a
    message follows the receipt of the one before it on its connection; thread blocks keep it, and a step waits for
    earlier steps alone. So no program hangs, even with one slot. Those of messages that pass each other, as in
    recursive doubling, need as many slots as one connection has messages in a step.

    Parameters
    ----------
    schedule : Schedule
        The schedule.
    least_bytes : int
        Fewest bytes of the buffer that the program is for.
    most_bytes : int
        Most bytes of the buffer that the program is for.

    Returns
    -------
    Program
        The program.

    Raises
    ------
    NetworkError
        If MSCCL has no such operation, or chunks have no common unit that is large enough.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot_collectives import Operation, platform_of, textbook
    >>> from unknot_collectives.msccl import run_program
    >>> platform = platform_of(ring(5))
    >>> program = program_of(textbook(platform, Operation("all_reduce", platform.members), "ring"))
    >>> run_program(program).is_right, run_program(program).least_slots
    (True, 1)
    """
    require_program(schedule.operation)
    kind, root = schedule.operation.kind, schedule.operation.root
    members = sorted(schedule.operation.members, key=lambda member: member != root)
    layout = _Layout(schedule, {member: rank for rank, member in enumerate(members)})
    blocks = [_RankSteps() for _ in members]
    ends = _ends({(layout.rank[sent.source], layout.rank[sent.target]) for sent in schedule.transfers}, len(members))
    for place, sends in _ordered(schedule):
        sent = schedule.transfers[place]
        one, other = layout.rank[sent.source], layout.rank[sent.target]
        if sends:
            blocks[one].add("s", ends[one, other, True], layout.at(one, sent.chunk), writes=False)
        else:
            kind_of = "rrc" if sent.reduces else "r"
            blocks[other].add(kind_of, ends[other, one, False], layout.at(other, sent.chunk), writes=True)
    ranks = []
    for rank, made in enumerate(blocks):
        own = range(rank * layout.block, (rank + 1) * layout.block, COUNT) if kind == "all_to_all" else ()
        parts = [Chunks("i", first, min(COUNT, (rank + 1) * layout.block - first)) for first in own]
        copied = [Step("cpy", part, replace(part, buffer="o")) for part in parts]
        scratch = layout.scratch[rank]
        ranks.append(Rank(layout.inputs, layout.outputs, scratch, made.thread_blocks(copied)))
    return Program(
        f"{schedule.name} on {schedule.platform.name}"[:NAMED], NAMES[kind], "Simple", tuple(ranks),
        channels=1 + max((end[2] for end in ends.values()), default=0), chunks=max(layout.inputs, layout.outputs),
        in_place=kind != "all_to_all", out_of_place=kind == "all_to_all",
        least_bytes=least_bytes, most_bytes=most_bytes,
    )  # fmt: skip


def require_program(operation: Operation) -> None:
    """Refuse an operation that MSCCL does not have.

    Parameters
    ----------
    operation : Operation
        What is to be done.

    Raises
    ------
    NetworkError
        If MSCCL has no such operation, or not for several groups or blocks of several sizes.

    Examples
    --------
    >>> from unknot_collectives import Operation
    >>> require_program(Operation("all_reduce", (0, 1)))
    """
    if operation.kind not in NAMES:
        raise NetworkError(f"MSCCL has no {operation.kind}: it has {', '.join(NAMES)}")
    if operation.groups or operation.blocks:
        raise NetworkError(f"MSCCL has {operation.kind} of one group, with blocks of one size")


def _ends(connections: set[tuple[int, int]], ranks: int) -> dict[tuple[int, int, bool], End]:
    """The block of each rank and peer, sending or receiving; the same for both if there are many."""
    ends: dict[tuple[int, int, bool], End] = {}
    for one, other in sorted(connections):
        ends[one, other, True], ends[other, one, False] = (other, -1, 0), (-1, one, 0)
    sends, receives = (Counter(pair[k] for pair in connections) for k in range(2))
    if all(max(sends[r], receives[r]) <= PER_CHANNEL and sends[r] + receives[r] < RCCL.blocks for r in range(ranks)):
        return ends
    for one, other in connections:
        ahead = (other - one) % ranks
        for rank, peer, is_send in ((one, other, True), (other, one, False)):
            to, source = (rank + ahead) % ranks, (rank - ahead) % ranks
            both = to if (rank, to) in connections else -1, source if (source, rank) in connections else -1
            ends[rank, peer, is_send] = (*both, ahead // PER_CHANNEL)
    return ends


def _ordered(schedule: Schedule) -> list[tuple[int, bool]]:
    """Return all sends (True) and receives by the number of their transfer, in the order in which they are done.

    The messages of a step on one connection go one after the other, unless another one of the step would overwrite
    what is still to be sent.
    """
    turns: defaultdict[tuple[int, int, int], int] = defaultdict(int)
    written, keys = set[tuple[int, int, int]](), []
    for sent in schedule.transfers:
        keys.append((sent.step, turns[sent.step, sent.source, sent.target]))
        turns[sent.step, sent.source, sent.target] += 1
        written.add((sent.step, sent.chunk, sent.target))
    together = {sent.step for sent in schedule.transfers if (sent.step, sent.chunk, sent.source) in written}
    order = []
    for place, (step, turn) in enumerate(keys):
        turn = 0 if step in together else turn
        order += [((step, turn, 0, place), (place, True)), ((step, turn, 1, place), (place, False))]
    return [event for _, event in sorted(order)]


class _Layout:
    """Where chunks lie in the buffers of ranks, counted in the largest common unit of their sizes."""

    def __init__(self, schedule: Schedule, rank: dict[int, int]) -> None:
        self.rank, self.kind, self.chunks = rank, schedule.operation.kind, schedule.chunks
        self.counts, unit = in_whole_numbers([chunk.size for chunk in self.chunks])
        self.block = int(schedule.operation.size / unit)
        several = self.block * (len(rank) if self.kind in ("all_gather", "reduce_scatter", "all_to_all") else 1)
        if several > MOST_CHUNKS:
            raise NetworkError(
                f"the schedule needs {several} chunks of equal size; a program has {MOST_CHUNKS} at most"
            )
        self.inputs = self.block if self.kind == "all_gather" else several
        self.outputs = self.block if self.kind == "reduce_scatter" else several
        self.scratch = [0] * len(rank)
        self.transit: dict[tuple[int, int], int] = {}
        self.offset, ends = list[int](), defaultdict[tuple[int | None, int | None], int](int)
        for chunk, count in zip(self.chunks, self.counts, strict=True):
            self.offset.append(ends[chunk.source, chunk.target])
            ends[chunk.source, chunk.target] += count

    def at(self, rank: int, chunk: int) -> Chunks:
        """Return where a rank has a chunk."""
        source, target = (
            None if m is None else self.rank[m] for m in (self.chunks[chunk].source, self.chunks[chunk].target)
        )
        count, offset = self.counts[chunk], self.offset[chunk]
        if self.kind == "all_gather":
            return Chunks("o", (source or 0) * self.block + offset, count)
        if self.kind == "reduce_scatter":
            return Chunks("i", (target or 0) * self.block + offset, count)
        if self.kind != "all_to_all":
            return Chunks("i", offset, count)
        if rank == source:
            return Chunks("i", (target or 0) * self.block + offset, count)
        if rank == target:
            return Chunks("o", (source or 0) * self.block + offset, count)
        if (rank, chunk) not in self.transit:
            self.transit[rank, chunk] = self.scratch[rank]
            self.scratch[rank] += count
        return Chunks("s", self.transit[rank, chunk], count)


class _RankSteps:
    """Steps of a rank by connection, and who waits for whom: a read for the last write, a write for all before it."""

    def __init__(self) -> None:
        self.steps: defaultdict[End, list[Step]] = defaultdict(list)
        self.written: dict[Chunks, tuple[End, int]] = {}
        self.read: defaultdict[Chunks, list[tuple[End, int]]] = defaultdict(list)
        self.waits: defaultdict[tuple[End, int], list[tuple[End, int]]] = defaultdict(list)

    def add(self, kind: str, connection: End, chunks: Chunks, *, writes: bool) -> None:
        steps = self.steps[connection]
        before = [self.written[chunks]] if chunks in self.written else []
        before += self.read.pop(chunks, []) if writes else []
        latest: dict[End, int] = {}
        for other, place in before:
            if other != connection:
                latest[other] = max(place, latest.get(other, -1))
        needs = list(latest.items())
        for need in needs[:-1]:  # a step of a file waits for one other
            self.waits[connection, len(steps)].append(need)
            steps.append(Step("nop", Chunks("i", -1, 0), Chunks("o", -1, 0)))
        self.waits[connection, len(steps)] += needs[-1:]
        here = (connection, len(steps))
        steps.append(Step(kind, chunks, chunks))
        if writes:
            self.written[chunks] = here
        else:
            self.read[chunks].append(here)

    def thread_blocks(self, copied: list[Step]) -> tuple[ThreadBlock, ...]:
        number = {connection: place for place, connection in enumerate(self.steps)}
        awaited = {need for needs in self.waits.values() for need in needs}
        blocks = []
        for connection, steps in self.steps.items():
            made = [
                replace(
                    step,
                    after=tuple((number[other], at) for other, at in self.waits.get((connection, place), ())),
                    signals=(connection, place) in awaited,
                )
                for place, step in enumerate(steps)
            ]
            blocks.append(ThreadBlock(*connection, tuple(made)))
        return (*blocks, ThreadBlock(-1, -1, 0, tuple(copied))) if copied else tuple(blocks)
