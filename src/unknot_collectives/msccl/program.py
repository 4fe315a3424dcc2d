"""What a program consists of: ranks with thread blocks, and their steps one after the other."""

from __future__ import annotations

from dataclasses import dataclass

COLLECTIVES = ("allreduce", "allgather", "reducescatter", "alltoall", "broadcast", "reduce")
"""Operations whose outcome a program can be checked against; broadcast and reduce have rank 0 as their root."""

RECEIVING = frozenset({"r", "rcs", "rrs", "rrc", "rrcs"})
SENDING = frozenset({"s", "rcs", "rrs", "rrcs"})
REDUCING = frozenset({"rrs", "rrc", "rrcs", "re"})
WRITING = frozenset({"r", "rcs", "rrc", "rrcs", "cpy", "re"})
READING = frozenset({"s", "rrs", "rrc", "rrcs", "cpy", "re"})
TYPES = RECEIVING | SENDING | WRITING | {"nop"}


@dataclass(frozen=True)
class Chunks:
    """Consecutive chunks of a buffer.

    Attributes
    ----------
    buffer : {"i", "o", "s"}
        Input, output or scratch.
    offset : int
        The first chunk, from 0 on.
    count : int
        How many.

    Examples
    --------
    >>> Step("cpy", Chunks("i", 0, 2), Chunks("o", 4, 2)).destination.offset
    4
    """

    buffer: str
    offset: int
    count: int


@dataclass(frozen=True)
class Step:
    """One step of a thread block.

    Attributes
    ----------
    type : str
        ``s`` sends, ``r`` receives, ``cpy`` copies, ``re`` reduces into the destination, ``rcs`` receives, copies and
        sends, ``rrs`` receives, reduces with the source and sends, ``rrc`` stores that instead, ``rrcs`` does both;
        ``nop`` waits.
    source, destination : Chunks
    after : tuple of (block, step)
        Steps of other thread blocks of the rank that must be done; of a file one for each step.
    signals : bool
        Whether other blocks see that it is done.
    line : int
        Where it stands in its file, from 1 on; 0 for none.

    Examples
    --------
    >>> from unknot_collectives.msccl import read_msccl
    >>> program = read_msccl("examples/collectives/allreduce-pairs.xml")
    >>> [step.type for step in program.ranks[0].blocks[0].steps]
    ['s', 'rrc', 's', 'r']
    """

    type: str
    source: Chunks
    destination: Chunks
    after: tuple[tuple[int, int], ...] = ()
    signals: bool = False
    line: int = 0


@dataclass(frozen=True)
class ThreadBlock:
    """Steps that follow each other.

    Attributes
    ----------
    send_to, receive_from : int
        The rank to send to and the one to receive from; −1: none.
    channel : int
        Number of its connections: blocks at both ends of one have the same.
    steps : tuple of Step
        In the order in which they are done.

    Examples
    --------
    >>> from unknot_collectives.msccl import read_msccl
    >>> block = read_msccl("examples/collectives/allreduce-pairs.xml").ranks[0].blocks[0]
    >>> block.send_to, block.receive_from, len(block.steps)
    (1, 1, 4)
    """

    send_to: int
    receive_from: int
    channel: int
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Rank:
    """Buffers and thread blocks of a rank.

    Attributes
    ----------
    inputs, outputs, scratch : int
        Chunks of each buffer.
    blocks : tuple of ThreadBlock

    Examples
    --------
    >>> Rank(inputs=2, outputs=4, scratch=0).size("o")
    4
    """

    inputs: int
    outputs: int
    scratch: int
    blocks: tuple[ThreadBlock, ...] = ()

    def size(self, buffer: str) -> int:
        """Chunks of a buffer."""
        return {"i": self.inputs, "o": self.outputs, "s": self.scratch}[buffer]


@dataclass(frozen=True)
class Program:
    """A program for all ranks.

    Attributes
    ----------
    name : str
    collective : str
        One of `COLLECTIVES`, or another word of the loader's, whose outcome is not known.
    protocol : str
        LL, LL128 or Simple.
    ranks : tuple of Rank
    channels, chunks : int
        Channels of a connection, and chunks into which the data of a loop are cut.
    in_place, out_of_place : bool
        Whether it may run with input and output in one buffer, and in two.
    least_bytes, most_bytes : int
        Sizes for which it is chosen.

    Examples
    --------
    >>> copy = Step("cpy", Chunks("i", 0, 1), Chunks("o", 0, 1))
    >>> Program("one", "allreduce", "Simple", (Rank(1, 1, 0, (ThreadBlock(-1, -1, 0, (copy,)),)),)).ranks[0].size("o")
    1
    """

    name: str
    collective: str
    protocol: str
    ranks: tuple[Rank, ...]
    channels: int = 1
    chunks: int = 1
    in_place: bool = False
    out_of_place: bool = True
    least_bytes: int = 0
    most_bytes: int = 2**40
