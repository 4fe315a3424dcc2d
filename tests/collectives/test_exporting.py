"""Programs of the fastest schedule that RCCL loads."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from unknot._base.errors import NetworkError
from unknot.network import families
from unknot_collectives import Operation, Schedule, candidates, platform_of, textbook
from unknot_collectives.commands.exporting import export_schedule
from unknot_collectives.comparison import Timed
from unknot_collectives.msccl import program_of, read_msccl, run_program
from unknot_collectives.msccl.limits import excesses

NETWORK = families.ring(4)
PLATFORM = platform_of(NETWORK)
OPERATION = Operation("all_reduce", PLATFORM.members, Fraction(4096))


def row(schedule: Schedule) -> Timed:
    time = float(schedule.time)
    return Timed(4096, schedule.name, schedule.pieces, schedule.steps, time, time, None, 1.0, "", schedule)


def test_the_fastest_that_loads_is_written_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    best = textbook(PLATFORM, OPERATION, "ring").pipelined(64)
    assert any(excesses(program_of(best)))
    choices, file = candidates(PLATFORM, OPERATION, ["ring", "direct"]), tmp_path / "ring.xml"
    export_schedule(file, [row(best)], choices, NETWORK)
    told, program = capsys.readouterr().err, read_msccl(file)
    assert run_program(program).is_right
    loading = [
        one for one in (each.schedule(OPERATION.size) for each in choices) if not any(excesses(program_of(one)))
    ]
    fastest = min(loading, key=lambda one: one.time)
    assert f"{fastest.name}, {fastest.pieces} piece" in told
    assert "MSCCL_MAX_NUM_STEPS" in told
    assert len(program.ranks[0].blocks[0].steps) == len(program_of(fastest).ranks[0].blocks[0].steps)


def test_where_none_loads_the_limit_is_named(tmp_path: Path) -> None:
    best = textbook(PLATFORM, OPERATION, "ring").pipelined(64)
    with pytest.raises(NetworkError, match=r"no schedule that was compared loads.*MSCCL_MAX_NUM_STEPS"):
        export_schedule(tmp_path / "ring.xml", [row(best)], [], NETWORK)
