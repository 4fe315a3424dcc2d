"""Whether a program hangs, which of its steps race, and what every rank ends with."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from unknot._base.errors import NetworkError
from unknot_collectives.msccl.following import Following, Race, Wait
from unknot_collectives.msccl.program import COLLECTIVES, Program

SLOTS = 8
"""Messages that a connection holds in NCCL and RCCL."""
SHOWN = 10
"""Faults that are described; of more only the number is kept."""


@dataclass(frozen=True)
class ProgramRun:
    """What became of a program.

    Attributes
    ----------
    steps, steps_done : int
    least_slots : int or None
        Fewest messages a connection must hold for the program to end; None: it hangs with any number.
    waits : tuple of Wait
        The first step of each block that is never done, with the slots that were asked about.
    races : tuple of Race
        The first of them.
    num_races : int
        How many races there are.
    wrong : tuple of str
        The first things that go wrong with chunks: read before they are written, reduced twice, not as the operation
        demands.
    num_wrong : int
        How many things go wrong.
    known : bool
        Whether the operation is one of `COLLECTIVES`, so that its outcome was compared.
    in_place : bool
        Whether input and output were one buffer.

    Examples
    --------
    >>> from unknot_collectives.msccl import read_msccl
    >>> run = run_program(read_msccl("examples/collectives/allreduce-pairs.xml"))
    >>> run.steps, run.steps_done, run.in_place
    (8, 8, True)
    """

    steps: int
    steps_done: int
    least_slots: int | None
    waits: tuple[Wait, ...]
    races: tuple[Race, ...]
    num_races: int
    wrong: tuple[str, ...]
    num_wrong: int
    known: bool
    in_place: bool

    @property
    def is_right(self) -> bool:
        """Whether it ends, no two steps race, and every rank has what the operation demands."""
        return not (self.waits or self.num_races or self.num_wrong)


def run_program(program: Program, *, slots: int = SLOTS, in_place: bool | None = None) -> ProgramRun:
    """Follow a program to its end, or until no step can be done.

    A thread block does its steps in order. A message, the chunks of one step, waits in the connection of its two
    ranks and its channel until the receiving block takes it; a block that sends waits for a free slot. Connections
    have one sender and one receiver each, and what was signalled stays so; hence the order in which blocks take their
    turns decides nothing, and one order shows whether all hang (Kahn 1974). Chunks are sets of contributions.

    Parameters
    ----------
    program : Program
        The program.
    slots : int
        Messages that a connection holds, at least 1.
    in_place : bool, optional
        Whether input and output are one buffer; by default where the program cannot run otherwise.

    Returns
    -------
    ProgramRun
        What the program does.

    Raises
    ------
    NetworkError
        If there is no slot, or buffers cannot be one.

    References
    ----------
    G. Kahn: The semantics of a simple language for parallel programming. IFIP Congress 1974, 471–475.

    Examples
    --------
    >>> from unknot_collectives.msccl import read_msccl
    >>> run = run_program(read_msccl("examples/collectives/allreduce-pairs.xml"))
    >>> run.is_right, run.least_slots
    (True, 1)
    """
    if slots < 1:
        raise NetworkError(f"a connection has at least 1 slot, not {slots}")
    shared = not program.out_of_place if in_place is None else in_place
    run = Following(program, slots, shared)
    run.follow()
    run.compare()
    steps = sum(len(block.steps) for rank in program.ranks for block in rank.blocks)
    return ProgramRun(
        steps=steps,
        steps_done=sum(run.done),
        least_slots=_least_slots(program, shared, slots if not run.waits else None, steps),
        waits=tuple(run.waits),
        races=tuple(run.races[:SHOWN]),
        num_races=len(run.races),
        wrong=tuple(run.wrong[:SHOWN]),
        num_wrong=len(run.wrong),
        known=program.collective in COLLECTIVES,
        in_place=shared,
    )


def _least_slots(program: Program, shared: bool, enough: int | None, steps: int) -> int | None:
    """The fewest slots with which the program ends; more never hurt, so halves are searched."""

    def ends(slots: int) -> bool:
        run = Following(program, slots, shared, chunks=False)
        run.follow()
        return not run.waits

    if enough is None:
        if not ends(steps + 1):
            return None
        enough = steps + 1
    return 1 + bisect_left(range(1, enough), True, key=ends)
