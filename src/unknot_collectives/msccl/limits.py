"""Limits of those who load programs: RCCL, and the older runtime of Microsoft."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from unknot_collectives.msccl.program import Program, Rank


class Loader(NamedTuple):
    """Who loads programs, and the most that its arrays hold, by the names in its source.

    Attributes
    ----------
    name : str
    steps, blocks, channels : int
        MSCCL_MAX_NUM_STEPS of a thread block, MSCCL_MAX_NUM_THREAD_BLOCKS of a rank, MAXCHANNELS.

    Examples
    --------
    >>> RCCL.steps, OLDER.steps
    (64, 256)
    """

    name: str
    steps: int
    blocks: int
    channels: int


RCCL = Loader("RCCL", 64, 64, 128)
OLDER = Loader("MSCCL's older runtime", 256, 216, 32)
"""microsoft/msccl 0.7, whose programs have no ``outofplace``."""
PER_CHANNEL = 32
"""MSCCL_MAX_NUM_THREAD_BLOCKS_PER_CHANNEL: blocks of a rank that send on a channel, and that receive on it."""
COUNT = 71
"""Chunks of a step; the loaders refuse MSCCL_MAX_COUNT, 72, itself."""
OFFSET = 2**15 - 1
"""Chunk numbers have 16 bits."""
NODES, SUBS, LETTERS, ATTRIBUTES = 4095, 1024, 255, 16
"""Elements that a rank keeps (MAX_NODES), elements in one (MAX_SUBS), bytes of an attribute (MAX_STR_LEN), attributes
of an element (MAX_ATTR_COUNT)."""


class Excess(NamedTuple):
    """An excess over a limit of a loader, in a rank, block and step; −1: none.

    Examples
    --------
    >>> Excess(0, 3, -1, "").place
    'thread block 3 of rank 0'
    """

    rank: int
    block: int
    step: int
    words: str

    @property
    def place(self) -> str:
        """The place in words."""
        rank = "the program" if self.rank < 0 else f"rank {self.rank}"
        block = rank if self.block < 0 else f"thread block {self.block} of {rank}"
        return block if self.step < 0 else f"step {self.step} of {block}"


def excesses(program: Program, loader: Loader = RCCL) -> Iterator[Excess]:
    """Yield what a loader does not take of a program.

    Parameters
    ----------
    program : Program
    loader : Loader
        Who is to load it.

    Yields
    ------
    Excess
        Each limit that is exceeded, with its name and what to do.

    Examples
    --------
    >>> from unknot_collectives.msccl import read_msccl
    >>> [*excesses(read_msccl("examples/collectives/allreduce-pairs.xml"))]
    []
    """
    if program.channels > loader.channels:
        yield _over(-1, -1, -1, program.channels, "channels", "MAXCHANNELS", loader.channels, loader)
    if len(program.ranks) > SUBS:
        yield _over(-1, -1, -1, len(program.ranks), "ranks", "MAX_SUBS", SUBS, loader)
    for number, rank in enumerate(program.ranks):
        if len(rank.blocks) > loader.blocks:
            limit = "MSCCL_MAX_NUM_THREAD_BLOCKS"
            yield _over(number, loader.blocks, -1, len(rank.blocks), "thread blocks", limit, loader.blocks, loader)
        yield from _of_channels(number, rank, loader)
        for at, block in enumerate(rank.blocks):
            if block.channel >= program.channels:
                words = f"channel {block.channel} is not connected: nchannels is {program.channels}"
                yield Excess(number, at, -1, words)
            if len(block.steps) > loader.steps:
                name, most = "MSCCL_MAX_NUM_STEPS", loader.steps
                yield _over(number, at, most, len(block.steps), "steps in a thread block", name, most, loader)
            for place, step in enumerate(block.steps):
                if step.type == "nop":
                    continue
                count, last = step.source.count, max(step.source.offset, step.destination.offset)
                if count > COUNT:
                    yield _over(number, at, place, count, "chunks in a step", "MSCCL_MAX_COUNT", COUNT, loader)
                if last > OFFSET:
                    words = f"{loader.name} keeps chunk numbers in 16 bits, up to {OFFSET}; got {last}"
                    yield Excess(number, at, place, f"{words}: take fewer chunks")
        elements = 1 + len(program.ranks) + sum(1 + len(block.steps) for block in rank.blocks)
        if elements > NODES:
            yield _over(number, -1, -1, elements, "elements for a rank", "MAX_NODES", NODES, loader)


def _of_channels(number: int, rank: Rank, loader: Loader) -> Iterator[Excess]:
    """Yield the block with which a channel has more ends than fit, one for each direction."""
    ends = Counter[tuple[str, int]]()
    for at, block in enumerate(rank.blocks):
        for word, peer in (("send", block.send_to), ("receive", block.receive_from)):
            ends[word, block.channel] += peer >= 0
            if peer >= 0 and ends[word, block.channel] == PER_CHANNEL + 1:
                what = f"thread blocks that {word} on channel {block.channel}"
                name = "MSCCL_MAX_NUM_THREAD_BLOCKS_PER_CHANNEL"
                yield _over(number, at, -1, PER_CHANNEL + 1, what, name, PER_CHANNEL, loader)


def _over(rank: int, block: int, step: int, count: int, what: str, name: str, most: int, loader: Loader) -> Excess:
    cure = "fewer chunks or instances (--pieces), fewer members, or another algorithm"
    return Excess(rank, block, step, f"{count} {what}: {loader.name} loads {most} at most ({name}); take {cure}")
