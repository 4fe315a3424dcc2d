"""`unknot collective`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from unknot._base.calls import Piece
from unknot._base.errors import SimulationError
from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.cli.commands.options import Json, NetworkText
from unknot.cli.commands.printing import wrote
from unknot.cli.commands.shared import numbers_of, relation_of, write_evidence
from unknot.cli.exit_codes import FAILS, HOLDS

if TYPE_CHECKING:
    from unknot._base.units import Units
    from unknot.network import Network
    from unknot.simulation.collectives import Timed
    from unknot.traffic.collectives.bounds import Bound

BYTES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
MOST_DIGITS = 20
"""Most digits of a size."""
MOST_NAMED = 4
"""Most channels of a bound that are named one by one."""


def collective(
    network: NetworkText,
    operation: str = "all_reduce",
    size: str | None = None,
    algorithm: str = "best",
    routing: str | None = None,
    root: int | None = None,
    members: str | None = None,
    groups: int = 1,
    pieces: int | None = None,
    vcs: int | None = None,
    switching: Switching = DEFAULT_SWITCHING,
    buffer_depth: int | None = None,
    overhead: int = 0,
    terminal_width: int = 1,
    router: str = "",
    together: bool = False,
    out: Path | None = None,
    evidence: Path | None = None,
    units: str | None = None,
    json: Json = False,
) -> None:
    """Find the best schedule of a collective operation, and how near it is to the bound.

    With --routing schedules run flit by flit. A FILE.xml is an MSCCL program: whether it hangs, races or ends with
    something wrong. Exit code 0: there is a schedule, and the program is right; 1: it is not, or the run came to no
    end.

    Parameters
    ----------
    operation
        broadcast, reduce, scatter, gather, all_gather, reduce_scatter, all_reduce, barrier or all_to_all.
    size : SIZE,…|FILE.csv|json
        Flits of the vector (broadcast, reduce, all_reduce), of a message (barrier), or of a block; with --units bytes
        too, as 64kB; by default 64, and 1 for barrier. Or, for all_to_all, a file of blocks: a row for each sender,
        a column for each receiver.
    algorithm
        best, optimal, or one of the textbook, as ring; several with commas.
    routing : NAME
        Run the schedules on this routing.
    root
        Terminal that has or gets all; by default 0.
    members : T,T,…[;T,T,…]
        Terminals that take part; by default all. Semicolons part groups, which all do the operation at once.
    groups
        Cut the members, in their order, into this number of groups of equal size instead.
    pieces
        Pieces into which chunks are cut; by default as many as are best.
    buffer_depth
        Flits per virtual channel; by default 8, or the longest message under vct, saf.
    overhead
        Cycles a terminal needs before it sends.
    terminal_width
        Flits per cycle that a terminal sends, and takes in, each of another message.
    router : OPTIONS
        Options of the router: 'internal_speedup=2'.
    together
        Send chunks that go the same way in a step as one message.
    out : FILE.csv|xml|svg|png|pdf
        Write the schedule: its transfers, an MSCCL program, or a picture of its busy channels over time.
    """
    if _is_program(Path(network)):
        raise typer.Exit(HOLDS if _tell_program(Path(network), json=json) else FAILS)
    from unknot._base.numbers import require_whole
    from unknot._base.units import Scale
    from unknot.cli.answers.messages import CollectiveAnswer
    from unknot.cli.answers.networks import in_units
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.fabrics.named import network as named
    from unknot.report.picture import require_ending
    from unknot.simulation.collectives import compared
    from unknot.simulation.run.options import router_of
    from unknot.traffic.collectives import Operation, bound, candidates, group_of, platform_of
    from unknot.traffic.collectives.choice import PIECES
    from unknot.traffic.collectives.msccl import require_program
    from unknot.traffic.collectives.operation import ROOTED

    if out is not None and out.suffix not in (".csv", ".xml"):
        require_ending(out, "; transfers as .csv, an MSCCL program as .xml")
    scale = Scale.of(units)
    size = size or ("1" if operation == "barrier" else "64")
    rows = _rows(Path(size), scale.units) if Path(size).suffix in (".csv", ".json") else []
    if rows:
        sizes = [max(flits for row in rows for flits in row)]
    else:
        sizes = [_flits(piece, scale.units) for piece in Piece(size, "<size>").split(",")]
    relation = None if routing is None else relation_of(network, routing, vcs, simulated=True)
    built = named(network, where="NETWORK") if relation is None else relation.network
    require_whole("--terminal-width", terminal_width, 1, unit="flits", error=SimulationError)
    platform = platform_of(built, terminal=Fraction(terminal_width))
    first = built.num_routers
    lists = [
        tuple(first + built.terminal(number) for number in numbers_of(part, "<members>"))
        for part in (members.split(";") if members is not None else ())
    ] or [platform.members]
    chosen = tuple(member for one in lists for member in one)
    start = first + built.terminal(root or 0) if operation in ROOTED or root is not None else None
    whole = Operation(
        operation, chosen, root=start, groups=_groups(lists, groups),
        blocks=tuple(tuple(Fraction(flits, sizes[0]) for flits in row) for row in rows),
    )  # fmt: skip
    if out is not None and out.suffix == ".xml":
        require_program(whole)
    names = () if algorithm == "best" else tuple(name.strip() for name in algorithm.split(","))
    with activity.working("looking for schedules"):
        counts = PIECES if pieces is None else (pieces,)
        choices = candidates(platform, whole, names, group=group_of(built, whole), pieces=counts)
    model = replace(router_of(router), terminal_width=terminal_width)
    if terminal_width > 1 and model.selection is None:
        model = replace(model, selection="first")
    options: dict[str, Any] = {
        "switching": switching, "buffer_depth": buffer_depth, "overhead": overhead, "router": model,
        "together": together,
    }  # fmt: skip
    with activity.working("comparing"):
        bounds = [bound(platform, replace(whole, size=Fraction(flits))) for flits in sizes]
        tables = [
            compared(choices, flits, least.time, relation, **options)
            for flits, least in zip(sizes, bounds, strict=True)
        ]
    fastest = tables[-1][0]
    if out is not None:
        _write(out, fastest, built)
    if evidence is not None:
        write_evidence(evidence, None, None, [bounds[-1].claim(), fastest.schedule.claim()])
    tell(
        json, CollectiveAnswer, fastest, of=built, scale=scale, routing=relation and relation.name,
        operation=operation, members=len(chosen), groups=len(whole.parts), algorithms=tables[-1],
        bound_by=_counted(bounds[-1], built), sizes=[table[0] for table in tables] if len(tables) > 1 else [],
        units=in_units(scale.units, [{"latency": fastest.measured}]),
    )  # fmt: skip
    raise typer.Exit(HOLDS if relation is None or fastest.measured is not None else FAILS)


def _counted(lower: Bound, network: Network) -> str:
    """Channels that a bound counts: by name if they are few, or how many between routers and of terminals."""
    cut, channels = set(lower.cut), list(enumerate(lower.platform.channels))
    if lower.lengths:
        counted = [number for number, _ in channels if lower.lengths[number]]
    else:
        counted = [number for number, one in channels if one.source in cut and one.target not in cut]
    inner = [network.channel_name(number) for number in counted if number < network.num_channels]
    ends = len(counted) - len(inner)
    words = []
    if inner:
        words.append(", ".join(inner) if len(inner) <= MOST_NAMED else f"{len(inner)} channels between routers")
    if ends:
        words.append(f"{ends} channel{'s' * (ends > 1)} between terminals and routers")
    return " and ".join(words)


def _is_program(file: Path) -> bool:
    """Whether a file is an XML file that is no topology of a machine."""
    from unknot.fabrics.formats import kind_by_content

    return file.suffix == ".xml" and file.is_file() and kind_by_content(file) != "nccl"


def _tell_program(file: Path, *, json: bool) -> bool:
    """Follow a program, and return whether it is right."""
    from unknot.cli.answers.messages import CollectiveProgramAnswer
    from unknot.cli.commands.display import tell
    from unknot.traffic.collectives.msccl import read_msccl, run_program

    program = read_msccl(file)
    run = run_program(program)
    tell(
        json, CollectiveProgramAnswer, run, file=str(file), operation=program.collective, ranks=len(program.ranks),
        waits=[f"{wait.place} {wait.reason}" for wait in run.waits],
        races=[f"{race.earlier} and {race.later} (chunk {race.chunk} of {race.buffer!r})" for race in run.races],
    )  # fmt: skip
    return run.is_right


def _groups(lists: list[tuple[int, ...]], count: int) -> tuple[tuple[int, ...], ...]:
    from unknot._base.errors import UnknotError

    if count == 1:
        return tuple(lists) if len(lists) > 1 else ()
    if len(lists) > 1:
        raise UnknotError(f"--groups {count}: --members names {len(lists)} groups; leave one of both out")
    (members,) = lists
    if count < 1 or len(members) % count:
        raise UnknotError(f"--groups {count}: {len(members)} members do not make as many groups of equal size")
    each = len(members) // count
    return tuple(members[i : i + each] for i in range(0, len(members), each))


def _rows(file: Path, units: Units | None) -> list[list[int]]:
    """Flits of each block: the rows of a CSV file, or the lists of a JSON file."""
    from unknot._base.errors import TextError
    from unknot._base.input import read_json, read_text

    if file.suffix == ".json":
        lists = read_json(file)
        if not isinstance(lists, list) or not all(isinstance(row, list) for row in lists):
            raise TextError("a list of lists of sizes is expected, one for each sender", file)
        lines = [Piece(",".join(map(str, row)), file, line=number) for number, row in enumerate(lists, 1)]
    else:
        text = enumerate(read_text(file).splitlines(), 1)
        lines = [Piece(line, file, line=number) for number, line in text if line.strip()]
    rows = [[_flits(piece, units, least=0) for piece in line.split(",")] for line in lines]
    if not any(map(any, rows)):
        raise TextError("there is no block in it that is sent", file)
    return rows


def _flits(piece: Piece, units: Units | None, least: int = 1) -> int:
    """Flits of a size, which is a number of them or, with units, of bytes."""
    text = piece.text.strip()
    number = text.rstrip("BkKMGi")
    ending = text[len(number) :]
    whole = number.isdecimal() and len(number) <= MOST_DIGITS
    if not whole or int(number) < least or (ending and ending.removesuffix("B") not in BYTES):
        raise piece.error("expected flits, such as 64, or bytes, such as 64kB or 1GiB")
    if not ending:
        return int(number)
    if units is None:
        raise piece.error("bytes need the width of a flit: --units '1 GHz, 32 B'")
    return max(least, -int(-int(number) * BYTES[ending.removesuffix("B")] // units.flit_bytes))


def _write(path: Path, fastest: Timed, network: Network) -> None:
    from unknot._base.output import columns_of, write_csv
    from unknot.traffic.collectives.msccl import program_of, write_msccl

    schedule, first = fastest.schedule, network.num_routers
    if path.suffix == ".xml":
        write_msccl(program_of(schedule), path)
    elif path.suffix == ".csv":
        rows = [
            {
                "step": sent.step,
                "chunk": sent.chunk,
                "flits": float(schedule.chunks[sent.chunk].size),
                "source": network.terminal_name(sent.source - first),
                "target": network.terminal_name(sent.target - first),
                "reduces": int(sent.reduces),
            }
            for sent in schedule.transfers
        ]
        write_csv(columns_of(rows), path)
    else:
        from unknot.report.picture import write_picture
        from unknot.report.schedule_drawing import draw_busy_channels

        names = [*map(network.router_name, range(first)), *map(network.terminal_name, range(network.num_terminals))]
        write_picture(draw_busy_channels(schedule, names), path)
    wrote(path)
