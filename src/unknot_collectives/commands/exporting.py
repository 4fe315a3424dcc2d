"""Files of schedules: the best one, or as an MSCCL program the fastest that RCCL loads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import NetworkError
from unknot._base.phrases import count
from unknot._base.units import digits
from unknot.cli.commands.printing import notify, wrote

if TYPE_CHECKING:
    from unknot._base.units import Units
    from unknot.network import Network
    from unknot_collectives.comparison import Timed
    from unknot_collectives.msccl import Program
    from unknot_collectives.proposals import AlgorithmProposal
    from unknot_collectives.schedule import Schedule


def noted(
    choices: Iterable[Sequence[AlgorithmProposal]], kept: list[AlgorithmProposal]
) -> Iterator[Sequence[AlgorithmProposal]]:
    """Yield proposals of algorithms, and keep them."""
    for some in choices:
        kept += some
        yield some


def export_schedule(
    path: Path,
    table: Sequence[Timed],
    proposals: Sequence[AlgorithmProposal],
    network: Network,
    units: Units | None = None,
) -> None:
    """Write the fastest schedule of a table; as a program the fastest that RCCL loads, and say so if it is another.

    Raises
    ------
    NetworkError
        If RCCL loads none; with the reason of the fastest.
    """
    from unknot_collectives.msccl import write_msccl
    from unknot_collectives.schedule_files import write_schedule

    best = table[0]
    if path.suffix != ".xml":
        write_schedule(best.schedule, network, path, units)
    else:
        program, why = _loaded(best.schedule)
        if program is None:
            schedule, program = _fastest(table[1:], proposals, Fraction(best.size), why)
            notify(
                f"{path}: {_in_words(best.schedule)}, is the fastest, but {why}; "
                f"the program is the fastest that loads: {_in_words(schedule)}"
            )
        write_msccl(program, path)
    wrote(path)


def _fastest(
    rows: Sequence[Timed], proposals: Sequence[AlgorithmProposal], size: Fraction, why: str
) -> tuple[Schedule, Program]:
    """Return the schedule of least time whose program loads: of the rows, and of all numbers of pieces."""
    found: tuple[Schedule, Program] | None = None
    made = (row.schedule for row in rows)
    for schedule in (*made, *(one.schedule(size) for one in proposals)):
        if found is None or schedule.time < found[0].time:
            program, _ = _loaded(schedule)
            found = found if program is None else (schedule, program)
    if found is None:
        raise NetworkError(f"no schedule that was compared loads; of the fastest, {why}")
    return found


def _loaded(schedule: Schedule) -> tuple[Program | None, str]:
    """Return the program of a schedule, or None and why RCCL does not load it."""
    from unknot_collectives.msccl import program_of
    from unknot_collectives.msccl.limits import excesses

    why = ""
    with suppress(NetworkError):
        program = program_of(schedule)
        excess = next(excesses(program), None)
        if excess is None:
            return program, ""
        why = f"{excess.place} has {excess.words}"
    return None, why or "chunks have no common unit that is large enough"


def _in_words(schedule: Schedule) -> str:
    return f"{schedule.name}, {count(schedule.pieces, 'piece')}, {digits(float(schedule.time))} cycles"
