"""MSCCL programs made of schedules: read back, and followed to their end."""

import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from tests.collectives.test_chunks import drawn_platform, operation_on
from unknot._base.errors import NetworkError
from unknot.network.families import ring
from unknot_collectives import optimal, platform_of, textbook
from unknot_collectives.msccl import program_of, read_msccl, run_program, write_msccl
from unknot_collectives.msccl.making import NAMES
from unknot_collectives.textbook import algorithms


def test_programs_are_right_with_one_slot(tmp_path: Path) -> None:
    draw, done = random.Random(), 0
    for _ in range(25):
        platform = drawn_platform(draw, balanced=True)
        operation = operation_on(platform, draw.choice(list(NAMES)))
        for algorithm in draw.sample(("optimal", *algorithms(operation.kind)), 2):
            try:
                make = (
                    optimal(platform, operation)
                    if algorithm == "optimal"
                    else textbook(platform, operation, algorithm)
                )
            except NetworkError:
                continue
            program = program_of(make.pipelined(draw.randint(1, 3)), least_bytes=1024, most_bytes=2**30)
            write_msccl(program, tmp_path / "made.xml")
            back = read_msccl(tmp_path / "made.xml")
            assert (back.least_bytes, back.most_bytes, back.in_place) == (1024, 2**30, program.in_place)
            run = run_program(back, slots=1)
            assert run.is_right, (algorithm, operation, run)
            assert run.least_slots == 1
            assert run.known
            done += 1
    assert done > 20


def test_what_has_no_program_says_why() -> None:
    platform = platform_of(ring(4))
    with pytest.raises(NetworkError, match="MSCCL has no scatter: it has all_reduce"):
        program_of(textbook(platform, operation_on(platform, "scatter"), "direct"))
    whole = textbook(platform, operation_on(platform, "all_gather"), "direct")
    fine = replace(whole.chunks[0], size=Fraction(1, 2**20))
    with pytest.raises(NetworkError, match="chunks of equal size; a program has"):
        program_of(replace(whole, chunks=(fine, *whole.chunks[1:])))
