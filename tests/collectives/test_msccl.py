"""MSCCL programs against runs in random order, and files with faults."""

from __future__ import annotations

import random
from collections import Counter, defaultdict, deque
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unknot._base.errors import NetworkError, TextError
from unknot_collectives.msccl import (
    Chunks,
    Program,
    Rank,
    Step,
    ThreadBlock,
    read_msccl,
    run_program,
    write_msccl,
)

EXAMPLE = Path(__file__).parents[2] / "examples" / "collectives" / "allreduce-pairs.xml"
Contents = dict[tuple[int, str, int], Counter[tuple[int, int]]]


def ring_all_reduce(ranks: int) -> Program:
    """A chunk for each rank goes round and is reduced, then goes round again: one block a rank."""
    blocks = []
    for r in range(ranks):
        at = [Chunks("i", (r - k) % ranks, 1) for k in range(2 * ranks)]
        steps = [Step("s", at[0], at[0])]
        steps += [Step("rrs", at[k], at[k]) for k in range(1, ranks - 1)]
        steps += [Step("rrcs", at[ranks - 1], at[ranks - 1])] if ranks > 1 else []
        steps += [Step("rcs", at[k], at[k]) for k in range(ranks, 2 * ranks - 2)]
        steps += [Step("r", at[2 * ranks - 2], at[2 * ranks - 2])]
        blocks.append(Rank(ranks, ranks, 0, (ThreadBlock((r + 1) % ranks, (r - 1) % ranks, 0, tuple(steps)),)))
    return Program("ring", "allreduce", "Simple", tuple(blocks), chunks=ranks, in_place=True, out_of_place=False)


def all_to_all(ranks: int) -> Program:
    """Every rank sends to every other one by a block of its own and receives by another one."""
    made = []
    for r in range(ranks):
        blocks = [ThreadBlock(-1, -1, 0, (Step("cpy", Chunks("i", r, 1), Chunks("o", r, 1)),))]
        for k in range(1, ranks):
            to, source = (r + k) % ranks, (r - k) % ranks
            blocks.append(ThreadBlock(to, -1, 0, (Step("s", Chunks("i", to, 1), Chunks("o", to, 1)),)))
            blocks.append(ThreadBlock(-1, source, 0, (Step("r", Chunks("i", source, 1), Chunks("o", source, 1)),)))
        made.append(Rank(ranks, ranks, 0, tuple(blocks)))
    return Program("pairs", "alltoall", "Simple", tuple(made), chunks=ranks)


def random_run(program: Program, slots: int, seed: int) -> tuple[bool, Contents]:
    """Any enabled step next, until none is: whether all are done, and what the buffers hold. Shares nothing."""
    draw = random.Random(seed)
    shared = not program.out_of_place
    held: Contents = {}

    def key(rank: int, buffer: str, chunk: int) -> tuple[int, str, int]:
        return rank, "o" if shared and buffer == "i" else buffer, chunk

    for r, rank in enumerate(program.ranks):
        for c in range(rank.inputs):
            held[key(r, "i", c)] = Counter({(r, c): 1})
    done: Counter[tuple[int, int]] = Counter()
    pipes: defaultdict[tuple[int, int, int], deque[list[Counter[tuple[int, int]]]]] = defaultdict(deque)
    while True:
        enabled = []
        for r, rank in enumerate(program.ranks):
            for b, block in enumerate(rank.blocks):
                if done[r, b] == len(block.steps):
                    continue
                step = block.steps[done[r, b]]
                ready = all(any(rank.blocks[o].steps[k].signals for k in range(s, done[r, o])) for o, s in step.after)
                if step.type in ("r", "rcs", "rrs", "rrc", "rrcs"):
                    ready = ready and bool(pipes[block.receive_from, r, block.channel])
                if step.type in ("s", "rcs", "rrs", "rrcs"):
                    ready = ready and len(pipes[r, block.send_to, block.channel]) < slots
                if ready:
                    enabled.append((r, b, block, step))
        if not enabled:
            return all(
                done[r, b] == len(block.steps)
                for r, k in enumerate(program.ranks)
                for b, block in enumerate(k.blocks)
            ), held
        r, b, block, step = draw.choice(enabled)
        here = [
            held.get(key(r, step.source.buffer, step.source.offset + k), Counter()) for k in range(step.source.count)
        ]
        came = (
            pipes[block.receive_from, r, block.channel].popleft()
            if step.type.startswith("r") and step.type != "re"
            else []
        )
        there = [held.get(key(r, step.destination.buffer, step.destination.offset + k)) for k in range(len(here))]
        out = {"s": here, "cpy": here, "r": came, "rcs": came, "nop": []}.get(step.type)
        if out is None:
            added = there if step.type == "re" else came
            out = [(a or Counter()) + b for a, b in zip(added, here, strict=True)]
        if step.type not in ("s", "rrs", "nop"):
            for k, one in enumerate(out):
                held[key(r, step.destination.buffer, step.destination.offset + k)] = one
        if step.type in ("s", "rcs", "rrs", "rrcs"):
            pipes[r, block.send_to, block.channel].append(out)
        done[r, b] += 1


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_the_ring_and_the_pairs_are_right(ranks: int) -> None:
    """In the ring a block needs a free slot before it empties one: with one each, all wait for each other."""
    for program, slots in ((ring_all_reduce(ranks), 2), (all_to_all(ranks), 1)):
        run = run_program(program)
        assert run.is_right, (run.waits, run.races, run.wrong)
        assert run.least_slots == slots
        finished, held = random_run(program, slots, ranks)
        assert finished
        if program.collective == "allreduce":
            every = [Counter({(r, c): 1 for r in range(ranks)}) for c in range(ranks)]
            assert all(held[r, "o", c] == every[c] for r in range(ranks) for c in range(ranks))
        else:
            assert all(held[r, "o", c] == Counter({(c, r): 1}) for r in range(ranks) for c in range(ranks))


@settings(max_examples=37)
@given(st.data())
def test_changed_programs_as_runs_in_any_order_see_them(data: st.DataObject) -> None:
    """Two steps exchanged, or one dropped, with few slots: it hangs in every order or in none, as is said; where no
    two steps race, every order ends with the same, which is right where that is said."""
    program = data.draw(st.sampled_from([ring_all_reduce(3), ring_all_reduce(4), all_to_all(3), read_msccl(EXAMPLE)]))
    rank = data.draw(st.integers(0, len(program.ranks) - 1))
    block = data.draw(st.integers(0, len(program.ranks[rank].blocks) - 1))
    steps = list(program.ranks[rank].blocks[block].steps)
    one, other = (data.draw(st.integers(0, len(steps) - 1)) for _ in range(2))
    if data.draw(st.booleans()):
        steps[one], steps[other] = steps[other], steps[one]
    else:
        steps[one] = replace(steps[one], type="nop", after=((block, other),) if data.draw(st.booleans()) else ())
    blocks = list(program.ranks[rank].blocks)
    blocks[block] = replace(blocks[block], steps=tuple(steps))
    ranks = list(program.ranks)
    ranks[rank] = replace(ranks[rank], blocks=tuple(blocks))
    changed = replace(program, ranks=tuple(ranks))
    slots = data.draw(st.integers(1, 2))
    run = run_program(changed, slots=slots)
    outcomes = [random_run(changed, slots, data.draw(st.integers(0, 99))) for _ in range(3)]
    assert {finished for finished, _ in outcomes} == {not run.waits}
    assert (run.least_slots is not None and run.least_slots <= slots) == (not run.waits)
    if run.num_races == 0 and not run.waits:
        assert outcomes[0][1] == outcomes[1][1] == outcomes[2][1]
    if not run.waits and not run.num_wrong and not run.num_races:
        expected = random_run(program, 8, 0)[1]
        assert {k: v for k, v in outcomes[0][1].items() if k[1] == "o"} == {
            k: v for k, v in expected.items() if k[1] == "o"
        }


def test_a_race_between_blocks_and_its_cure() -> None:
    """One block copies what another one writes: without a wait nothing orders them."""
    write = Step("cpy", Chunks("i", 0, 1), Chunks("s", 0, 1), signals=True)
    read = Step("cpy", Chunks("s", 0, 1), Chunks("o", 0, 1))
    blocks = (ThreadBlock(-1, -1, 0, (write,)), ThreadBlock(-1, -1, 0, (read,)))
    program = Program("copies", "allreduce", "LL", (Rank(1, 1, 1, blocks),))
    racing = run_program(program)
    assert racing.num_races == 1
    assert str(racing.races[0].later) == "rank 0 block 1 step 0"
    waiting = (blocks[0], replace(blocks[1], steps=(replace(read, after=((0, 0),)),)))
    assert run_program(replace(program, ranks=(Rank(1, 1, 1, waiting),))).is_right
    silent = (replace(blocks[0], steps=(replace(write, signals=False),)), waiting[1])
    hung = run_program(replace(program, ranks=(Rank(1, 1, 1, silent),)))
    assert hung.least_slots is None
    assert [wait.reason for wait in hung.waits] == ["waits for step 0 of block 0"]


def test_two_blocks_that_send_first_need_a_slot_for_each_message() -> None:
    sends = [Step("s", Chunks("i", k, 1), Chunks("o", k, 1)) for k in range(3)]
    takes = [Step("r", Chunks("o", k, 1), Chunks("o", k, 1)) for k in range(3)]
    ranks = tuple(Rank(3, 3, 0, (ThreadBlock(1 - r, 1 - r, 0, (*sends, *takes)),)) for r in range(2))
    run = run_program(Program("late", "send", "LL", ranks), slots=2)
    assert (run.least_slots, run.known) == (3, False)
    assert run.waits[0].reason == "waits until rank 1 takes a message on channel 0; 2 wait there"


def test_a_contribution_reduced_twice_is_named() -> None:
    again = Step("re", Chunks("i", 0, 1), Chunks("o", 0, 1))
    copy = Step("cpy", Chunks("i", 0, 1), Chunks("o", 0, 1))
    run = run_program(Program("twice", "allreduce", "LL", (Rank(1, 1, 0, (ThreadBlock(-1, -1, 0, (copy, again)),)),)))
    assert run.wrong == ("rank 0 block 0 step 1 reduces rank.chunk 0.0 a second time (chunk 0 of the step)",)


def test_written_and_read_back(tmp_path: Path) -> None:
    for program in (ring_all_reduce(4), all_to_all(3), read_msccl(EXAMPLE)):
        write_msccl(program, tmp_path / "p.xml")
        back = read_msccl(tmp_path / "p.xml")
        assert run_program(back) == run_program(program)
        write_msccl(back, tmp_path / "q.xml")
        assert (tmp_path / "p.xml").read_bytes() == (tmp_path / "q.xml").read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (' minBytes="0"', "", "3:.*'minBytes' is missing|1: <algo>: attribute 'minBytes' is missing"),
        ('ngpus="2"', 'ngpus="3"', "rank 2 of 3 is missing"),
        ('<gpu id="1"', '<gpu id="0"', "id is 0"),
        (
            'srcoff="1" dstbuf="i" dstoff="1"',
            'srcoff="2" dstbuf="i" dstoff="1"',
            r"4:\d+: <step>: chunks 2 to 2 of buffer 'i'",
        ),
        ('type="s"', 'type="z"', "type is one of"),
        ('send="1" recv="1"', 'send="-1" recv="1"', r"4:\d+: <step>: a step 's' needs a rank in send="),
        ('send="1" recv="1"', 'send="0" recv="1"', "cannot send to itself"),
        ('depid="-1" deps="-1"', 'depid="3" deps="0"', "it waits for step 0 of block 3"),
        (' s="1"', ' s="4"', "s is 4 where 1 is due"),
        ("</tb>", "", "3[01]?:.*belong|mismatched"),
        ("<algo", "<!DOCTYPE algo><algo", "document type"),
        ("<algo", "<other/><algo", "algo"),
        ('cnt="1"', 'cnt="99999999999999999999"', "whole number"),
    ],
)
def test_faults_of_files(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = tmp_path / "bad.xml"
    path.write_text(EXAMPLE.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TextError, match=words):
        read_msccl(path)


@settings(max_examples=50)
@given(st.data())
def test_damaged_files_are_refused_or_followed(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    text = bytearray(EXAMPLE.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.xml"
    path.write_bytes(bytes(text))
    try:
        program = read_msccl(path)
    except TextError:
        return
    run_program(program)


def test_no_slots() -> None:
    with pytest.raises(NetworkError, match="at least 1 slot"):
        run_program(ring_all_reduce(2), slots=0)


def test_a_collective_operation_that_nobody_knows(tmp_path: Path) -> None:
    path = tmp_path / "wrong.xml"
    path.write_text(EXAMPLE.read_text().replace('coll="allreduce"', 'coll="allreuse"'))
    with pytest.raises(TextError, match="coll"):
        read_msccl(path)
