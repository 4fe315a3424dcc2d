"""Limits of those who load programs, by name, in reader and writer, and the older dialect."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.collectives.test_msccl import EXAMPLE, all_to_all, ring_all_reduce
from unknot._base.errors import NetworkError, TextError
from unknot.network.families import complete, ring
from unknot_collectives import Operation, platform_of, textbook
from unknot_collectives.msccl import (
    Chunks,
    Program,
    Rank,
    Step,
    ThreadBlock,
    program_of,
    read_msccl,
    run_program,
    write_msccl,
)

COPY = Step("cpy", Chunks("i", 0, 1), Chunks("o", 0, 1))
IDLE = ThreadBlock(-1, -1, 0, (COPY,))


def one_rank(*blocks: ThreadBlock, channels: int = 1, chunks: int = 1) -> Program:
    return Program("one", "send", "Simple", (Rank(chunks, chunks, 0, blocks),), channels=channels)


def hub(ends: int, *, channels: int = 1) -> Program:
    """Rank 0 sends a chunk to each other rank, all on channel 0."""
    sends = tuple(ThreadBlock(k, -1, 0, (replace(COPY, type="s"),)) for k in range(1, ends + 1))
    takes = (ThreadBlock(-1, 0, 0, (replace(COPY, type="r"),)),)
    ranks = (Rank(1, 1, 0, sends), *(Rank(1, 1, 0, takes) for _ in range(ends)))
    return Program("hub", "broadcast", "Simple", ranks, channels=channels)


FITS_AND_NOT: dict[str, Callable[[int], Program]] = {
    "MSCCL_MAX_NUM_STEPS": lambda more: one_rank(ThreadBlock(-1, -1, 0, (COPY,) * (64 + more))),
    "MSCCL_MAX_NUM_THREAD_BLOCKS": lambda more: one_rank(*(IDLE,) * (64 + more)),
    "MSCCL_MAX_NUM_THREAD_BLOCKS_PER_CHANNEL": lambda more: hub(32 + more),
    "MSCCL_MAX_COUNT": lambda more: one_rank(
        ThreadBlock(-1, -1, 0, (Step("cpy", Chunks("i", 0, 71 + more), Chunks("o", 0, 71 + more)),)), chunks=99
    ),
    "MAXCHANNELS": lambda more: one_rank(IDLE, channels=128 + more),
    "16 bits": lambda more: one_rank(
        ThreadBlock(-1, -1, 0, (replace(COPY, source=Chunks("i", 2**15 - 1 + more, 1)),)), chunks=2**16
    ),
    "not connected": lambda more: one_rank(replace(IDLE, channel=more)),
    "MAX_NODES": lambda more: one_rank(
        *(ThreadBlock(-1, -1, 0, (COPY,) * 63),) * 63, ThreadBlock(-1, -1, 0, (COPY,) * (60 + more))
    ),
}


@pytest.mark.parametrize("name", FITS_AND_NOT)
def test_each_limit_is_named_by_reader_and_writer(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, file = FITS_AND_NOT[name], tmp_path / "p.xml"
    write_msccl(made(0), file)
    assert read_msccl(file).ranks[0].blocks[0].steps[0].source.count >= 1
    with pytest.raises(NetworkError, match=rf"p\.xml: .*{name}"):
        write_msccl(made(1), file)
    monkeypatch.setattr("unknot_collectives.msccl.files.excesses", lambda *_: ())
    write_msccl(made(1), file)
    monkeypatch.undo()
    with pytest.raises(TextError, match=rf"p\.xml:\d+:\d+: <\w+>: .*{name}"):
        read_msccl(file)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("<algo", "<?xml version='1.0'?><algo", r"1:1: .*remove it"),
        ("<gpu", "\t<gpu", "no tabs"),
        ("<gpu", "<!-- a comment --> <gpu", ""),
        ("<gpu", "text <gpu", "no text between tags"),
        (' type="s"', '\n type="s"', "in one line"),
        ('type="s"', "type='s'", "in one line"),
        ('cnt="1"', 'cnt="01"', "octal"),
        ('name="', 'name="' + 256 * "n", "MAX_STR_LEN"),
        ("<algo", "<algo " + " ".join(f'a{k}="0"' for k in range(9)), "MAX_ATTR_COUNT"),
        ('type="r" ', 'type="nop" ', "signals nothing"),
    ],
)
def test_what_the_loaders_parser_does_not_take(tmp_path: Path, old: str, new: str, words: str) -> None:
    file = tmp_path / "p.xml"
    text = EXAMPLE.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    if not words:
        assert len(read_msccl(file).ranks) == 2
        return
    with pytest.raises(TextError, match=rf"p\.xml:\d+:\d+: .*{words}|{words}"):
        read_msccl(file)


def test_names_are_written_so_that_loaders_read_them(tmp_path: Path) -> None:
    program = replace(read_msccl(EXAMPLE), name='a "ring" <&> of\ttabs\n')
    write_msccl(program, tmp_path / "p.xml")
    assert read_msccl(tmp_path / "p.xml").name == program.name
    assert "&quot;ring&quot;" in (tmp_path / "p.xml").read_text()


def test_the_older_dialect(tmp_path: Path) -> None:
    """No ``outofplace`` and bytes, more steps, and ``<copy>``, which is done first."""
    file = tmp_path / "old.xml"
    write_msccl(ring_all_reduce(32), file)
    text = file.read_text().replace(' outofplace="0" minBytes="0" maxBytes="1099511627776"', "")
    file.write_text(text)
    back = read_msccl(file)
    assert (back.in_place, back.out_of_place, back.least_bytes, back.most_bytes) == (True, False, 0, 2**27)
    assert run_program(back).is_right
    copying = all_to_all(3)
    ranks = tuple(replace(rank, blocks=rank.blocks[1:]) for rank in copying.ranks)
    write_msccl(replace(copying, ranks=ranks), file)
    text = file.read_text().replace(' outofplace="1"', "").replace(' minBytes="0" maxBytes="1099511627776"', "")
    assert run_program(read_msccl(file)).num_wrong == 3
    for r in range(3):
        head = f'<gpu id="{r}" i_chunks="3" o_chunks="3" s_chunks="0">'
        text = text.replace(head, head + f'\n<copy i_off="{r}" o_off="{r}"/>')
    file.write_text(text.replace('coll="alltoall"', 'coll="alltoall" redop="nop"'))
    assert run_program(read_msccl(file)).is_right
    file.write_text(text.replace('o_off="1"', 'o_off="3"'))
    with pytest.raises(TextError, match=r"old\.xml:\d+:1: <copy>: o_off is a whole number from 0 to 2"):
        read_msccl(file)


def test_copies_in_place_move_nothing_where_the_chunk_lies_there(tmp_path: Path) -> None:
    platform = platform_of(ring(4))
    write_msccl(program_of(textbook(platform, Operation("all_gather", platform.members), "ring")), tmp_path / "p.xml")
    text = (tmp_path / "p.xml").read_text()
    program = read_msccl(tmp_path / "p.xml")
    for r, rank in enumerate(program.ranks):
        head = f'<gpu id="{r}" i_chunks="{rank.inputs}" o_chunks="{rank.outputs}" s_chunks="0">'
        assert head in text
        text = text.replace(head, head + f'<copy i_off="0" o_off="{r * rank.inputs}"/>')
    (tmp_path / "p.xml").write_text(text)
    assert read_msccl(tmp_path / "p.xml").ranks[2].blocks == tuple(
        replace(block, steps=tuple(replace(a, line=b.line) for a, b in zip(block.steps, other.steps, strict=True)))
        for block, other in zip(program.ranks[2].blocks, read_msccl(tmp_path / "p.xml").ranks[2].blocks, strict=True)
    )


@pytest.mark.parametrize("ranks", [20, 32, 40, 64])
def test_an_exchange_among_many_loads_by_several_channels(tmp_path: Path, ranks: int) -> None:
    """Above 32 members a block sends and receives, on channels of 32 connections each: RCCL takes 64 blocks."""
    platform = platform_of(complete(ranks))
    program = program_of(textbook(platform, Operation("all_to_all", platform.members), "direct"))
    write_msccl(program, tmp_path / "p.xml")
    assert program.channels == (1 if ranks <= 32 else 2)
    assert max(len(rank.blocks) for rank in program.ranks) <= 64
    assert run_program(program).is_right


@pytest.mark.parametrize(("kind", "empty"), [("all_gather", "i"), ("all_reduce", "o"), ("reduce_scatter", "o")])
def test_a_buffer_without_chunks_in_place_is_the_other_one(tmp_path: Path, kind: str, empty: str) -> None:
    """As public files have it: the outcome is compared, and a missing step is seen."""
    platform, file = platform_of(ring(4)), tmp_path / "p.xml"
    write_msccl(program_of(textbook(platform, Operation(kind, platform.members), "ring")), file)
    whole = read_msccl(file)
    text = re.sub(rf' {empty}_chunks="[0-9]+"', f' {empty}_chunks="0"', file.read_text())
    file.write_text(text)
    back = read_msccl(file) if kind != "all_gather" or 'buf="i"' not in text else whole
    assert [(rank.inputs, rank.outputs) for rank in back.ranks] == [(r.inputs, r.outputs) for r in whole.ranks]
    assert run_program(back).is_right
    file.write_text(re.sub(r"(?s)<tb .*?</tb>", "", text, count=1))
    with pytest.raises(TextError, match="block 0 of rank 0 is missing"):
        read_msccl(file)


def test_a_program_without_inputs_does_not_crash() -> None:
    ranks = (Rank(0, 2, 0, ()), Rank(0, 2, 0, ()))
    assert run_program(Program("none", "allgather", "LL", ranks)).num_wrong == 4
