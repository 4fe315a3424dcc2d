"""MSCCL's XML files, read as strictly as those who load them, or more, and written for RCCL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape

from unknot._base.errors import NetworkError
from unknot._base.output import write_text
from unknot.fabrics.xml_file import XmlElement, read_xml
from unknot_collectives.msccl.copies import with_copies
from unknot_collectives.msccl.limits import OLDER, RCCL, excesses
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
from unknot_collectives.msccl.spelling import require_spelling

MOST_RANKS, MOST_BLOCKS, MOST_STEPS, MOST_CHUNKS = 2**12, 2**10, 2**12, 2**20
"""What is read at all, before the limits of loaders are looked at."""
KNOWN = (
    "allreduce", "allgather", "reducescatter", "alltoall", "alltoallv", "broadcast", "reduce", "gather", "scatter",
    "send", "recv",
)  # fmt: skip
"""Words that RCCL takes for a collective operation."""
KNOWN_BEFORE = {"reduce_scatter": "reducescatter", "custom": "custom"}
"""Further words of the older runtime, and those of today."""
OLD_MOST = 2**27
"""Bytes up to which the older runtime uses a program that says nothing."""
_PARENT = {"gpu": "algo", "tb": "gpu", "copy": "gpu", "step": "tb"}


def read_msccl(path: str | Path) -> Program:
    """Read a program from an XML file.

    A file without ``outofplace`` is one for the older runtime, whose limits are others and which knows further words.

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
        With line and column, for what is not XML, or not as the loaders' own parser wants it; a missing attribute;
        numbers of ranks, blocks or steps that are not 0, 1, 2, …; chunks beyond a buffer; a block that sends or
        receives and names no rank, or its own; two blocks at one end of a connection; a wait for what no block does;
        and whatever exceeds a limit of the loader, with the name of the limit.

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
    require_spelling(path)
    older = "outofplace" not in top.attrib
    counted = top.number("ngpus", 1, MOST_RANKS)
    gpus = sorted(top, key=lambda one: one.number("id", 0, MOST_RANKS))
    in_place = bool(top.number("inplace", 0, 1))
    out_of_place = not in_place if older else bool(top.number("outofplace", 0, 1))
    ranks = []
    for expected, gpu in enumerate(gpus):
        if gpu.number("id", 0, MOST_RANKS) != expected or expected >= counted:
            raise gpu.error(f"ranks are 0 to {counted - 1}, each once; id is {gpu.attrib['id']}")
        rank = _rank(gpu, expected, counted)
        ranks.append(with_copies(rank, expected, gpu.findall("copy"), in_place=not out_of_place))
    if len(ranks) < counted:
        raise top.error(f"rank {len(ranks)} of {counted} is missing")
    collective = _collective(top, older=older)
    if not out_of_place:
        ranks = [_one_buffer(rank, collective, counted) for rank in ranks]
    program = Program(
        name=top.get("name", Path(path).stem),
        collective=collective,
        protocol=top.word("proto", ("Simple", "LL", "LL128")),
        ranks=tuple(ranks),
        channels=top.number("nchannels", 1, MOST_BLOCKS),
        chunks=top.number("nchunksperloop", 1, MOST_CHUNKS),
        in_place=in_place,
        out_of_place=out_of_place,
        least_bytes=_bytes(top, "minBytes", 0 if older else None),
        most_bytes=_bytes(top, "maxBytes", OLD_MOST if older else None),
    )
    for one in excesses(program, OLDER if older else RCCL):
        raise _element(gpus, top, one.rank, one.block, one.step).error(one.words)
    return program


def _collective(top: XmlElement, *, older: bool) -> str:
    word = top.word("coll", (*KNOWN, *KNOWN_BEFORE) if older else KNOWN)
    return KNOWN_BEFORE.get(word, word)


def _one_buffer(rank: Rank, collective: str, ranks: int) -> Rank:
    """Return a rank of a program in place with the size of an empty buffer taken from the other one."""
    more, fewer = (ranks, 1) if collective == "allgather" else (1, ranks) if collective == "reducescatter" else (1, 1)
    if rank.inputs and not rank.outputs:
        return replace(rank, outputs=rank.inputs * more // fewer)
    if rank.outputs and not rank.inputs:
        return replace(rank, inputs=rank.outputs * fewer // more)
    return rank


def _bytes(top: XmlElement, key: str, default: int | None) -> int:
    """A number of bytes; the older runtime has one where there is none."""
    return default if default is not None and key not in top.attrib else top.number(key, 0, 2**63 - 1)


def _element(gpus: list[XmlElement], top: XmlElement, rank: int, block: int, step: int) -> XmlElement:
    """The element of a place, or the last one there; copies have no thread block."""
    if rank < 0:
        return top
    blocks: list[XmlElement] = sorted(gpus[rank].findall("tb"), key=lambda one: one.number("id", 0, MOST_BLOCKS))
    if not 0 <= block < len(blocks):
        return gpus[rank]
    return blocks[block] if step < 0 else list(blocks[block])[step]


def _rank(gpu: XmlElement, rank: int, ranks: int) -> Rank:
    inputs, outputs, scratch = (gpu.number(key, 0, MOST_CHUNKS) for key in ("i_chunks", "o_chunks", "s_chunks"))
    bare = Rank(inputs, outputs, scratch)
    elements = sorted(gpu.findall("tb"), key=lambda one: one.number("id", 0, MOST_BLOCKS))
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
        if one.number("s", 0, MOST_STEPS) != number:
            raise one.error(f"steps are 0, 1, 2, …; s is {one.attrib['s']} where {number} is due")
        step = _step(one, sizes)
        for types, peer, key in ((SENDING, send_to, "send"), (RECEIVING, receive_from, "recv")):
            if step.type in types and peer < 0:
                raise one.error(f"a step {step.type!r} needs a rank in {key}= of its thread block")
        if step.type == "nop" and (step.signals or not step.after):
            raise one.error(
                "a step nop waits for one step and signals nothing: those who load it count it with its wait alone, "
                "and another number would be waited for"
            )
        if waiting and step.type != "nop" and not step.after:
            raise one.error(
                "after nop steps the next step must wait for one, too: the loader drops the file otherwise"
            )
        waiting = step.type == "nop"
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
        If a step waits for several others: steps ``nop`` before it say so in a file; or RCCL does not load so much:
        the message names its limit.

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
    for one in excesses(program):
        raise NetworkError(f"{path}: {one.place}: {one.words}")
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
    """A tag in the loaders' spelling: no value has a double quote or a line break in it."""
    marks = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
    return f"<{name} " + " ".join(f'{key}="{escape(str(word), marks)}"' for key, word in attributes.items()) + end
