"""Schedules as files, to be read and replayed: a row for each transfer, with chunk, start or step, and path."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from unknot._base.errors import NetworkError, TextError
from unknot._base.frames import write_csv
from unknot._base.input import read_json, read_lines
from unknot._base.output import write_text
from unknot._base.units import Units
from unknot.certificates.plain.reading import Rejected
from unknot.certificates.plain.schedule import check_schedule
from unknot.network import Network
from unknot_collectives.operation import Operation
from unknot_collectives.platform import Platform
from unknot_collectives.proposals import AlgorithmProposal
from unknot_collectives.schedule import Schedule
from unknot_collectives.timing import StartOrder
from unknot_collectives.transfers import Chunk, Transfer

ENDINGS = (".csv", ".json")
"""Endings of files of schedules."""
BETWEEN = "; "
"""Between the channels of a path."""


@dataclass(frozen=True)
class TransferRow:
    """A transfer, in the words of a file.

    Attributes
    ----------
    step : int
        Step, or rank in the order of starts.
    start : str
        Cycle in which the transfer starts, a whole number or a fraction; empty: steps follow each other.
    chunk : int
        Number of the chunk.
    flits : str
        Size of the chunk, a whole number or a fraction.
    origin, end : str
        Terminals that have the chunk at first and at last; empty: all members of the group.
    group : int
        Number of the group.
    source, target : str
        Terminals.
    reduces : int
        1: the target adds the chunk to its own; 0: it replaces its own.
    path : str
        Channels between routers, by name.
    rate : str
        Flits per cycle, a whole number or a fraction; empty: as much as the slowest channel carries.
    """

    step: int
    start: str
    chunk: int
    flits: str
    origin: str
    end: str
    group: int
    source: str
    target: str
    reduces: int
    path: str
    rate: str = ""


COLUMNS = tuple(field.name for field in fields(TransferRow))
"""Columns of a file, in order; the last may be missing."""


def write_schedule(schedule: Schedule, network: Network, path: str | Path, units: Units | None = None) -> None:
    """Write a schedule as CSV, a row for each transfer, or as JSON, with the operation and the time.

    Parameters
    ----------
    schedule : Schedule
        A schedule on `platform_of` the network.
    network : Network
        The network.
    path : str or Path
        The file, .csv or .json.
    units : Units, optional
        Add nanoseconds and bytes: ``start_ns`` and ``bytes`` of each transfer.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.network.families import ring
    >>> from unknot_collectives import Operation, platform_of, textbook
    >>> platform = platform_of(ring(4))
    >>> gather = Operation("all_gather", platform.members, Fraction(8))
    >>> with TemporaryDirectory() as folder:
    ...     write_schedule(textbook(platform, gather, "ring"), ring(4), Path(folder, "ring.csv"))
    ...     read_schedule(Path(folder, "ring.csv"), ring(4), platform, gather).time
    Fraction(27, 1)
    """
    rows = [asdict(row) | _in_units(row, units) for row in _rows(schedule, network)]
    if Path(path).suffix == ".csv":
        write_csv({column: [row[column] for row in rows] for column in rows[0]}, path)
        return
    operation = schedule.operation
    document: dict[str, Any] = {
        "network": network.name, "operation": operation.kind, "algorithm": schedule.name, "pieces": schedule.pieces,
        "size": str(operation.size), "time": str(schedule.time),
        "root": None if operation.root is None else _terminal(network, operation.root),
        "groups": [[_terminal(network, member) for member in part] for part in operation.parts],
    }  # fmt: skip
    if units is not None:
        figures = {"time": float(schedule.time), "size": float(operation.size)}
        document |= {"units": asdict(units), **units.beside(figures)}
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    write_text(path, json.dumps(document, ensure_ascii=False)[:-1] + f', "transfers": [\n{lines}\n]}}\n')


def _in_units(row: TransferRow, units: Units | None) -> dict[str, float | str]:
    """Return when a transfer starts in nanoseconds, to the picosecond, and its bytes."""
    if units is None:
        return {}
    start = round(units.ns(float(Fraction(row.start))), 3) if row.start else ""
    return {"start_ns": start, "bytes": round(float(Fraction(row.flits)) * units.flit_bytes, 3)}


def _terminal(network: Network, node: int | None) -> str:
    return "" if node is None else network.terminal_name(node - network.num_routers)


def _rows(schedule: Schedule, network: Network) -> Iterator[TransferRow]:
    names = [network.channel_name(channel) for channel in range(network.num_channels)]
    starts = map(str, schedule.starts) if schedule.starts else iter(("",) * len(schedule.transfers))
    for sent, start in zip(schedule.transfers, starts, strict=True):
        chunk = schedule.chunks[sent.chunk]
        yield TransferRow(
            sent.step, start, sent.chunk, str(chunk.size), _terminal(network, chunk.source),
            _terminal(network, chunk.target), chunk.group, _terminal(network, sent.source),
            _terminal(network, sent.target), int(sent.reduces),
            BETWEEN.join(names[channel] for channel in sent.path if channel < network.num_channels),
            "" if sent.rate is None else str(sent.rate),
        )  # fmt: skip


def read_schedule(path: str | Path, network: Network, platform: Platform, operation: Operation) -> Schedule:
    """Read a schedule of an operation, and replay it chunk by chunk.

    Parameters
    ----------
    path : str or Path
        A file of `write_schedule`, or of another program with these columns.
    network : Network
        The network.
    platform : Platform
        Made of the network.
    operation : Operation
        What the schedule does.

    Returns
    -------
    Schedule
        Named like the file.

    Raises
    ------
    TextError
        For what is no schedule, with the line or the number of the transfer; for transfers that send what is not
        there, meet on a channel, or do not do the operation.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot_collectives import platform_of
    >>> platform = platform_of(ring(4))
    >>> reduced = Operation("all_reduce", platform.members, Fraction(4))
    >>> read_schedule("examples/collectives/allreduce-ring.csv", ring(4), platform, reduced).time
    Fraction(12, 1)
    """
    file, words = Path(path), "a schedule is a table of transfers"
    if file.suffix == ".csv":
        rows = _of_csv(file)
    else:
        document = read_json(file)
        if not isinstance(document, dict) or not isinstance(document.get("transfers"), list):
            raise TextError(f'{words}: an object with "transfers" is expected', file)
        if (kind := document.get("operation", operation.kind)) != operation.kind:
            raise TextError(f"this is a schedule of {kind!s:.40}, not of {operation.kind}; give --operation", file)
        rows = [(f"transfer {number}", 0, row) for number, row in enumerate(document["transfers"])]
    if not rows:
        raise TextError(f"{words}, and has none", file)
    schedule = _RowReader(file, network, platform).schedule(rows, operation)
    claim = schedule.claim()
    try:
        check_schedule({**claim, "proof": None}, claim["proof"])
    except Rejected as error:
        what = f"{operation.kind} of {operation.size} flits among {len(operation.members)} members"
        raise TextError(f"replayed, this is no {what}: {error}; see --operation, --size, --members", file) from None
    return schedule


def _of_csv(file: Path) -> list[tuple[str, int, Any]]:
    lines = read_lines(file)
    table = csv.reader(lines)
    head = next(table, [])
    if missing := [column for column in COLUMNS[:-1] if column not in head]:
        raise TextError(f"a schedule has the columns {', '.join(COLUMNS)}; {', '.join(missing)} is missing", file, 1)
    rows = []
    for row in table:
        if row and len(row) != len(head):
            raise TextError(f"{len(head)} columns are expected, got {len(row)}", file, table.line_num)
        if row:
            rows.append(("", table.line_num, dict(zip(head, row, strict=True))))
    return rows


class _RowReader:
    """Rows of a file as a schedule; each problem is an error with its place."""

    def __init__(self, file: Path, network: Network, platform: Platform) -> None:
        self.file, self.network, self.platform, self.place = file, network, platform, ("", 0)
        self.channels = {network.channel_name(channel): channel for channel in range(network.num_channels)}
        self.terminals = {network.terminal_name(t): network.num_routers + t for t in range(network.num_terminals)}

    def error(self, words: str) -> TextError:
        where, line = self.place
        return TextError(f"{where}: {words}" if where else words, self.file, line)

    def schedule(self, rows: Sequence[tuple[str, int, Any]], operation: Operation) -> Schedule:
        chunks, transfers, starts = dict[int, Chunk](), list[Transfer](), list[Fraction]()
        for where, line, row in rows:
            self.place = where, line
            if not isinstance(row, dict) or not row.keys() >= {*COLUMNS[:-1]}:
                raise self.error(f"an object with {', '.join(COLUMNS[:-1])} is expected")
            number = self.whole(row, "chunk", 10**7)
            source, target = self.member(row, "origin"), self.member(row, "end")
            chunk = Chunk(self.fraction(row, "flits"), source, target, self.whole(row, "group", 10**6))
            if chunks.setdefault(number, chunk) != chunk:
                raise self.error(f"chunk {number} is another in an earlier row: flits, origin, end or group differ")
            transfers.append(self.transfer(row, number))
            if row["start"] not in ("", None):
                starts.append(self.fraction(row, "start"))
            if len(starts) not in (0, len(transfers)):
                raise self.error("either all transfers have a start or none has")
        if sorted(chunks) != list(range(len(chunks))):
            raise TextError(f"chunks are numbered 0 to {len(chunks) - 1}; {max(chunks)} is too high", self.file)
        made = Schedule(
            self.file.name, self.platform, operation, tuple(chunks[number] for number in range(len(chunks))),
            tuple(transfers), tuple(starts),
        )  # fmt: skip
        return made if starts else replace(made, transfers=tuple(sorted(transfers, key=lambda one: one.step)))

    def transfer(self, row: Mapping[str, Any], chunk: int) -> Transfer:
        ends = [self.member(row, key) for key in ("source", "target")]
        if None in ends:
            raise self.error("a transfer has a source and a target")
        source, target = (end for end in ends if end is not None)
        path, first = list[int](), self.network.num_channels
        for name in filter(None, str(row["path"]).split(BETWEEN)):
            if name not in self.channels:
                raise self.error(f"{self.network.name} has no channel {name[:60]!r}")
            path.append(self.channels[name])
        enters, leaves = (2 * (end - self.network.num_routers) for end in (source, target))
        step = self.whole(row, "step", 10**7)
        reduces = bool(self.whole(row, "reduces", 1))
        rate = self.fraction(row, "rate") if row.get("rate") else None
        if rate and row["start"] in ("", None):
            raise self.error("a transfer with a rate has a start; in steps channels are shared")
        return Transfer(step, chunk, source, target, (first + enters, *path, first + leaves + 1), reduces, rate)

    def whole(self, row: Mapping[str, Any], key: str, most: int) -> int:
        word = str(row[key]).strip()
        if not (word.isascii() and word.isdecimal() and len(word) < 10 and int(word) <= most):
            raise self.error(f"{key} is a whole number from 0 to {most}; got {word[:40]!r}")
        return int(word)

    def fraction(self, row: Mapping[str, Any], key: str) -> Fraction:
        word = str(row[key]).strip()
        try:
            number = Fraction(word) if len(word) < 60 and "e" not in word.lower() else Fraction(-1)
        except (ValueError, ZeroDivisionError):
            number = Fraction(-1)
        if number < 0 or (key != "start" and not number):
            raise self.error(f"{key} is a positive number such as 64 or 64/3; got {word[:40]!r}")
        return number

    def member(self, row: Mapping[str, Any], key: str) -> int | None:
        word = "" if row[key] is None else str(row[key])
        if word and word not in self.terminals:
            raise self.error(f"{self.network.name} has no terminal {word[:40]!r} ({key})")
        return self.terminals[word] if word else None


def proposed(
    files: Sequence[str], network: Network, platform: Platform, operation: Operation
) -> Iterator[list[AlgorithmProposal]]:
    """Yield the schedule of each file as an algorithm, for the size that it has."""
    for name in files:
        schedule = read_schedule(name, network, platform, operation)
        time, size = float(schedule.time), operation.size
        least = float(schedule.busiest / size)
        ordered = partial(_of_size, StartOrder(schedule, time))
        yield [AlgorithmProposal(schedule.name, 1, time, 0.0, least, ordered)]


def _of_size(made: StartOrder, size: Fraction) -> StartOrder:
    if size != made.schedule.operation.size:
        raise NetworkError(f"{made.schedule.name} is for {made.schedule.operation.size} flits, not {size}")
    return made
