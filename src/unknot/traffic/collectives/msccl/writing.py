"""MSCCL's XML files, written with every attribute that the loader of RCCL requires."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from unknot._base.errors import NetworkError
from unknot._base.output import write_text
from unknot.traffic.collectives.msccl.program import Program, Step


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
        If a step waits for several others: steps ``nop`` before it say so in a file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.traffic.collectives.msccl import read_msccl
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
