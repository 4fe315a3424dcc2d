"""MSCCL's XML files, read as strictly as the loader of RCCL reads them, or more, and written as it requires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import quoteattr

from unknot._base.errors import NetworkError
from unknot._base.output import write_text
from unknot.fabrics.xml_file import XmlElement, read_xml
from unknot_collectives.msccl.program import (
    READING,
    RECEIVING,
    SENDING,
    TYPES,
    WRITING,
    Chunks,
    Program,
    Rank,
    Step,
    ThreadBlock,
)

MOST_RANKS, MOST_BLOCKS, MOST_CHUNKS = 2**12, 2**10, 2**20
MOST_STEPS = 64
"""Steps of a thread block that RCCL's loader takes (MSCCL_MAX_NUM_STEPS), those that only wait counted too."""
KNOWN = (
    "allreduce", "allgather", "reducescatter", "alltoall", "alltoallv", "broadcast", "reduce", "gather", "scatter",
    "send", "recv",
)  # fmt: skip
"""Words that the loader takes for a collective operation."""
_PARENT = {"gpu": "algo", "tb": "gpu", "step": "tb"}


def read_msccl(path: str | Path) -> Program:
    """Read a program from an XML file.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Program
        The program.

    Raises
    ------
    TextError
        With the line, for what is not XML; a missing attribute, `minBytes` and `maxBytes` among them; numbers of
        ranks, blocks or steps that are not 0, 1, 2, …; chunks beyond a buffer; a block that sends or receives and
        names no rank, or its own; two blocks at one end of a connection; a wait for what no block does.

    Examples
    --------
    >>> program = read_msccl("examples/collectives/allreduce-pairs.xml")
    >>> program.collective, len(program.ranks)
    ('allreduce', 2)
    """
    top = read_xml(path)
    if top.tag != "algo":
        raise top.error("<algo> is needed here")
    for outer in top.iter():
        for inner in outer:
            if _PARENT.get(inner.tag) != outer.tag:
                raise inner.error(f"this does not belong inside <{outer.tag}>")
    counted = top.number("ngpus", 1, MOST_RANKS)
    ranks = []
    for expected, gpu in enumerate(sorted(top, key=lambda one: one.number("id", 0, MOST_RANKS))):
        if gpu.number("id", 0, MOST_RANKS) != expected or expected >= counted:
            raise gpu.error(f"ranks are 0 to {counted - 1}, each once; id is {gpu.attrib['id']}")
        ranks.append(_rank(gpu, expected, counted))
    if len(ranks) < counted:
        raise top.error(f"rank {len(ranks)} of {counted} is missing")
    return Program(
        name=top.get("name", Path(path).stem),
        collective=top.word("coll", KNOWN),
        protocol=top.word("proto", ("Simple", "LL", "LL128")),
        ranks=tuple(ranks),
        channels=top.number("nchannels", 1, MOST_BLOCKS),
        chunks=top.number("nchunksperloop", 1, MOST_CHUNKS),
        in_place=bool(top.number("inplace", 0, 1)),
        out_of_place=bool(top.number("outofplace", 0, 1)),
        least_bytes=top.number("minBytes", 0, 2**62),
        most_bytes=top.number("maxBytes", 0, 2**62),
    )


def _rank(gpu: XmlElement, rank: int, ranks: int) -> Rank:
    inputs, outputs, scratch = (gpu.number(key, 0, MOST_CHUNKS) for key in ("i_chunks", "o_chunks", "s_chunks"))
    bare = Rank(inputs, outputs, scratch)
    elements = sorted(gpu, key=lambda one: one.number("id", 0, MOST_BLOCKS))
    blocks = []
    ends: dict[tuple[str, int, int], int] = {}
    for number, element in enumerate(elements):
        if element.number("id", 0, MOST_BLOCKS) != number:
            raise element.error(f"thread blocks are 0, 1, 2, …, each once; block {number} of rank {rank} is missing")
        block = _block(element, bare, rank, ranks)
        for end, peer in (("send", block.send_to), ("recv", block.receive_from)):
            if peer >= 0 and (other := ends.setdefault((end, peer, block.channel), number)) != number:
                raise element.error(f"{end}={peer} on channel {block.channel} is block {other}'s already")
        blocks.append(block)
    for element, block in zip(elements, blocks, strict=True):
        for line, step in zip(element, block.steps, strict=True):
            for other, awaited in step.after:
                if other >= len(blocks) or awaited >= len(blocks[other].steps):
                    raise line.error(f"it waits for step {awaited} of block {other}, which rank {rank} does not have")
    return replace(bare, blocks=tuple(blocks))


def _block(element: XmlElement, sizes: Rank, rank: int, ranks: int) -> ThreadBlock:
    send_to, receive_from = (element.number(key, -1, ranks - 1) for key in ("send", "recv"))
    if rank in (send_to, receive_from):
        raise element.error(f"rank {rank} cannot send to itself or receive from itself")
    steps = []
    waiting = False
    for number, one in enumerate(element):
        if number >= MOST_STEPS:
            raise one.error(f"a thread block has {MOST_STEPS} steps at most, as RCCL loads no more; this is another")
        if one.number("s", 0, MOST_STEPS) != number:
            raise one.error(f"steps are 0, 1, 2, …; s is {one.attrib['s']} where {number} is due")
        step = _step(one, sizes)
        for types, peer, key in ((SENDING, send_to, "send"), (RECEIVING, receive_from, "recv")):
            if step.type in types and peer < 0:
                raise one.error(f"a step {step.type!r} needs a rank in {key}= of its thread block")
        if waiting and step.type != "nop" and not step.after:
            raise one.error(
                "after nop steps the next step must wait for one, too: the loader drops the file otherwise"
            )
        waiting = step.type == "nop" and (waiting or bool(step.after))
        steps.append(step)
    return ThreadBlock(send_to, receive_from, element.number("chan", 0, MOST_BLOCKS), tuple(steps))


def _step(one: XmlElement, sizes: Rank) -> Step:
    kind = one.word("type", TYPES)
    count = one.number("cnt", 0 if kind == "nop" else 1, MOST_CHUNKS)
    ends = []
    for end, used in (("src", READING), ("dst", WRITING)):
        chunks = Chunks(one.word(f"{end}buf", ("i", "o", "s")), one.number(f"{end}off", -1, MOST_CHUNKS), count)
        size = sizes.size(chunks.buffer)
        if kind in used and not 0 <= chunks.offset <= size - count:
            raise one.error(
                f"chunks {chunks.offset} to {chunks.offset + count - 1} of buffer {chunks.buffer!r}, which has {size}"
            )
        ends.append(chunks)
    block, step = one.number("depid", -1, MOST_BLOCKS), one.number("deps", -1, MOST_STEPS)
    if block >= 0 and step < 0:
        raise one.error(f"it waits for block {block}, but for no step of it: deps is {step}")
    return Step(
        kind, ends[0], ends[1], ((block, step),) if block >= 0 else (), bool(one.number("hasdep", 0, 1)), one.line
    )


def write_msccl(program: Program, path: str | Path) -> None:
    """Write a program; `read_msccl` reads an equal one back, line numbers aside.

    Parameters
    ----------
    program : Program
        The program.
    path : str or Path
        The file.

    Raises
    ------
    NetworkError
        If a step waits for several others: steps ``nop`` before it say so in a file; or a thread block has more
        than `MOST_STEPS`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from unknot_collectives.msccl import read_msccl
    >>> program = read_msccl("examples/collectives/allreduce-pairs.xml")
    >>> with TemporaryDirectory() as folder:
    ...     write_msccl(program, Path(folder, "copy.xml"))
    ...     len(read_msccl(Path(folder, "copy.xml")).ranks)
    2
    """
    heads = {
        "name": program.name, "proto": program.protocol, "nchannels": program.channels,
        "nchunksperloop": program.chunks, "ngpus": len(program.ranks), "coll": program.collective,
        "inplace": int(program.in_place), "outofplace": int(program.out_of_place),
        "minBytes": program.least_bytes, "maxBytes": program.most_bytes,
    }  # fmt: skip
    lines = [_tag("algo", heads)]
    for number, rank in enumerate(program.ranks):
        sizes = {"id": number, "i_chunks": rank.inputs, "o_chunks": rank.outputs, "s_chunks": rank.scratch}
        lines.append("  " + _tag("gpu", sizes))
        for index, block in enumerate(rank.blocks):
            if len(block.steps) > MOST_STEPS:
                raise NetworkError(
                    f"{path}: thread block {index} of rank {number} would have {len(block.steps)} steps, and RCCL "
                    f"loads {MOST_STEPS} at most: take fewer pieces, fewer members, or an algorithm of fewer steps"
                )
            ends = {"id": index, "send": block.send_to, "recv": block.receive_from, "chan": block.channel}
            lines.append("    " + _tag("tb", ends))
            lines += [
                "      " + _tag("step", _attributes(place, step), end="/>") for place, step in enumerate(block.steps)
            ]
            lines.append("    </tb>")
        lines.append("  </gpu>")
    write_text(path, "\n".join([*lines, "</algo>", ""]))


def _attributes(place: int, step: Step) -> dict[str, object]:
    if len(step.after) > 1:
        raise NetworkError(
            f"step {place} waits for {len(step.after)} steps; a file has one for each, with nop before"
        )
    block, awaited = step.after[0] if step.after else (-1, -1)
    return {
        "s": place, "type": step.type, "srcbuf": step.source.buffer, "srcoff": step.source.offset,
        "dstbuf": step.destination.buffer, "dstoff": step.destination.offset, "cnt": step.source.count,
        "depid": block, "deps": awaited, "hasdep": int(step.signals),
    }  # fmt: skip


def _tag(name: str, attributes: Mapping[str, object], end: str = ">") -> str:
    return f"<{name} {' '.join(f'{key}={quoteattr(str(word))}' for key, word in attributes.items())}{end}"
