"""Tags ``<copy>`` of older programs: chunks that are copied from input to output before anything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unknot.fabrics.xml_file import XmlElement
from unknot_collectives.msccl.program import READING, WRITING, Chunks, Rank, Step, ThreadBlock


def with_copies(rank: Rank, number: int, tags: Sequence[XmlElement], *, in_place: bool) -> Rank:
    """Return a rank with its copies as steps of a further thread block, done before other steps use the chunks.

    In place, a chunk that lies there already is not copied.

    Parameters
    ----------
    rank : Rank
    number : int
        Which it is.
    tags : sequence of XmlElement
    in_place : bool
        Whether input and output are one buffer.

    Raises
    ------
    TextError
        With line and column, for chunks that the buffers do not have.
    """
    steps, copied = list[Step](), set[int]()
    smaller = number * min(rank.inputs, rank.outputs)
    shift = (smaller if rank.inputs < rank.outputs else 0, smaller if rank.outputs < rank.inputs else 0)
    for tag in tags:
        source, target = tag.number("i_off", 0, rank.inputs - 1), tag.number("o_off", 0, rank.outputs - 1)
        if in_place and source + shift[0] == target + shift[1]:
            continue
        steps.append(Step("cpy", Chunks("i", source, 1), Chunks("o", target, 1), signals=True, line=tag.line))
        copied.add(target)
    if not steps:
        return rank
    last = (len(rank.blocks), len(steps) - 1)
    waiting = tuple(_after(block, copied, last, in_place=in_place) for block in rank.blocks)
    return replace(rank, blocks=(*waiting, ThreadBlock(-1, -1, 0, tuple(steps))))


def _after(block: ThreadBlock, copied: set[int], last: tuple[int, int], *, in_place: bool) -> ThreadBlock:
    """Return a block whose first step that uses a copied chunk waits for the last copy; in place, its first step."""
    for place, step in enumerate(block.steps):
        used = [step.source] * (step.type in READING) + [step.destination] * (step.type in WRITING)
        if in_place or any(
            chunks.buffer == "o" and copied & {*range(chunks.offset, chunks.offset + chunks.count)} for chunks in used
        ):
            steps = list(block.steps)
            steps[place] = replace(step, after=(*step.after, last))
            return replace(block, steps=tuple(steps))
    return block
