"""Traces in CSV files."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.arrays import offsets
from unknot._base.calls import cell_column
from unknot._base.errors import NetworkError, TextError, UnknotError, near
from unknot._base.frames import write_csv
from unknot._base.input import read_text
from unknot.network import Network
from unknot.simulation.traces.trace_run import TraceRun
from unknot.traffic.trace import Trace, TraceError, unknown_class

if TYPE_CHECKING:
    from unknot._base.units import Units

_NUMBER = re.compile(r"[0-9]{1,18}")
REQUIRED = ("cycle", "source", "destination", "flits")
OPTIONAL = ("id", "needs", "delay", "class")
RESULTS = ("ready", "injected", "arrived", "latency")
IN_NS = tuple(f"{name}_ns" for name in RESULTS)
"""Columns that, with those of `RESULTS`, `write_trace` adds and `read_trace` passes over."""
_GROWTH = 60
"""Bytes of memory for a byte of a file at the peak of reading."""


def read_trace(path: str | Path, network: Network, *, classes: Sequence[str] = ()) -> Trace:
    """A trace from a CSV file.

    The columns ``cycle, source, destination, flits`` must be there, in any order; ``id, needs, delay, class`` may be.
    Terminals are names or numbers. `needs` lists, separated by semicolons, the `id` of other messages, or without
    such a column their numbers counted from 0. Lines that are empty or begin with ``#`` are passed over.

    Parameters
    ----------
    path : str or Path
        The file.
    network : Network
        The network.
    classes : sequence of str
        The message classes that there are (`Relation.classes`), if only these may be in the column `class`.

    Returns
    -------
    Trace
        The messages.

    Raises
    ------
    TextError
        With file, line and column of what cannot be read.
    UnknotError
        If the file is not there.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.network.families import ring
    >>> from unknot.simulation import Trace, TracedMessage
    >>> with TemporaryDirectory() as folder:
    ...     write_trace(f"{folder}/one.csv", Trace.of([TracedMessage(0, 0, 2, flits=4)]), ring(4))
    ...     read_trace(f"{folder}/one.csv", ring(4)).flits.tolist()
    [4]
    """
    return _trace(_read_csv(Path(path)), network, classes)


def write_trace(
    path: str | Path, trace: Trace, network: Network, run: TraceRun | None = None, *, units: Units | None = None
) -> None:
    """Write a trace, and how its messages fared, as CSV; cycles that did not come stay empty.

    With units there are columns in nanoseconds too.

    Parameters
    ----------
    path : str or Path
        The file.
    trace : Trace
        The messages.
    network : Network
        The network.
    run : TraceRun or None
        The run of the trace, for the columns of what happened.
    units : Units or None
        Clock and width of a flit, for columns in ns.

    Raises
    ------
    UnknotError
        If the file is named as one of Parquet.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.network.families import ring
    >>> from unknot.simulation import Trace, TracedMessage
    >>> with TemporaryDirectory() as folder:
    ...     write_trace(f"{folder}/one.csv", Trace.of([TracedMessage(0, 0, 2, flits=4)]), ring(4))
    ...     Path(folder, "one.csv").read_text(encoding="utf-8").splitlines()[-1]
    '0,0,t0,t2,4,,0,'
    """
    if Path(path).suffix.lower() in (".parquet", ".pq"):
        raise UnknotError(f"{path}: a trace is written as CSV; name it .csv")
    names = [str(t) if name is None else name for t, name in enumerate(_names(network))]
    columns: dict[str, list[Any]] = {
        "id": [trace.name(i) for i in range(len(trace))],
        "cycle": trace.cycle.tolist(),
        "source": [names[t] for t in trace.source.tolist()],
        "destination": [names[t] for t in trace.destination.tolist()],
        "flits": trace.flits.tolist(),
        "needs": [
            ";".join(map(trace.name, needs.tolist())) for needs in np.split(trace.needs, trace.need_first[1:-1])
        ],
        "delay": trace.delay.tolist(),
        "class": list(trace.classes) or [""] * len(trace),
    }
    if run is not None:
        cycles = dict(zip(RESULTS, (run.ready, run.injected, run.arrived, run.latency), strict=True))
        columns |= {name: [c if c >= 0 else None for c in column.tolist()] for name, column in cycles.items()}
    if run is not None and units is not None:
        for name, real in zip(RESULTS, IN_NS, strict=True):
            columns[real] = [None if c is None else units.ns(c) for c in columns[name]]
    if not len(trace):
        columns = {name: [] for name in columns}
    write_csv(columns, path)


@dataclass(frozen=True)
class _Sheet:
    """Columns by name, and for errors the lines the rows stood on and their text, where there is one."""

    path: Path
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]
    texts: Sequence[str]

    def error(self, words: str, row: int, column: str) -> TextError:
        text = self.texts[row] if self.texts else ""
        if not text:
            return TextError(f"column {column}: {words}", self.path, self.lines[row])
        return TextError(words, self.path, self.lines[row], cell_column(text, list(self.columns).index(column)), text)


def _read_csv(path: Path) -> _Sheet:
    text = read_text(path, what="a trace is CSV in UTF-8", growth=_GROWTH)
    all_lines = text.splitlines()
    reader = csv.reader(text.splitlines(keepends=True), strict=True)
    heading: list[str] = []
    records: list[list[str]] = []
    lines: list[int] = []
    texts: list[str] = []
    start = 1
    try:
        for record in reader:
            line, start = start, reader.line_num + 1
            if not any(cell.strip() for cell in record) or record[0].lstrip().startswith("#"):
                continue
            record = [cell.strip() for cell in record]
            if not heading:
                heading = [cell.lower() for cell in record]
                _check_heading(heading, path, line, all_lines[line - 1])
                continue
            if len(record) != len(heading):
                words = f"{len(record)} values where there are {len(heading)} columns ({', '.join(heading)})"
                raise TextError(words, path, line, 1, all_lines[line - 1])
            records.append(record)
            lines.append(line)
            texts.append(all_lines[line - 1] if reader.line_num == line else "")
    except csv.Error as error:
        raise TextError(
            f"not CSV: {error}", path, start, 1, all_lines[start - 1] if start <= len(all_lines) else ""
        ) from None
    if not heading:
        raise TextError(f"empty; the first line names the columns: {', '.join(REQUIRED)}", path, 1)
    columns = dict(zip(heading, zip(*records, strict=True) if records else [()] * len(heading), strict=True))
    return _Sheet(path, columns, lines, texts)


def _check_heading(heading: list[str], path: Path, line: int, text: str) -> None:
    names = (*REQUIRED, *OPTIONAL, *RESULTS, *IN_NS)
    for k, name in enumerate(heading):
        place = cell_column(text, k) if text else 0
        if name not in names:
            raise TextError(f"there is no column {name!r}; {near(name, names)}", path, line, place, text)
        if name in heading[:k]:
            raise TextError(f"column {name!r} comes twice", path, line, place, text)
    lost = [name for name in REQUIRED if name not in heading]
    if lost:
        raise TextError(f"column {lost[0]!r} is missing; wanted are {', '.join(REQUIRED)}", path, line, 0, text)


def _trace(sheet: _Sheet, network: Network, allowed: Sequence[str]) -> Trace:
    numbers = {name: _numbers(sheet, name) for name in ("cycle", "flits", "delay")}
    ends = {name: _terminals(sheet, name, network) for name in ("source", "destination")}
    names = tuple(sheet.columns.get("id", ()))
    needs = _needs(sheet, names)
    classes = tuple(sheet.columns.get("class", ()))
    for row, name in enumerate(classes if allowed else ()):
        if name and name not in allowed:
            raise sheet.error(unknown_class(name, allowed), row, "class")
    try:
        return Trace(
            **numbers,
            **ends,
            need_first=offsets([len(of_message) for of_message in needs]),
            needs=np.array([need for of_message in needs for need in of_message], dtype=np.int64),
            classes=classes if any(classes) else (),
            names=names,
        )
    except TraceError as error:
        raise sheet.error(error.words, error.message, error.column) from None


def _numbers(sheet: _Sheet, name: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    numbers = np.zeros(len(sheet.lines), dtype=np.int64)
    for row, cell in enumerate(sheet.columns.get(name, ())):
        try:
            numbers[row] = 0 if name == "delay" and not cell else int(cell)
        except (ValueError, OverflowError):
            raise sheet.error(f"{name} must be a whole number, got {cell!r}", row, name) from None
    return numbers


def _terminals(sheet: _Sheet, name: str, network: Network) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    names = _names(network)
    number: dict[str, int] = {label: t for t, label in enumerate(names) if label is not None}
    numbers = np.zeros(len(sheet.lines), dtype=np.int64)
    for row, cell in enumerate(sheet.columns[name]):
        if cell not in number:
            try:
                number[cell] = network.terminal(int(cell) if _NUMBER.fullmatch(cell) else cell)
            except NetworkError as error:
                raise sheet.error(str(error), row, name) from None
        numbers[row] = number[cell]
    return numbers


def _names(network: Network) -> list[str | None]:
    """Names of the terminals that have one of their own."""
    names = [network.terminal_name(t) for t in range(network.num_terminals)]
    many = Counter(names)
    return [name if many[name] == 1 else None for name in names]


def _needs(sheet: _Sheet, names: tuple[str, ...]) -> list[list[int]]:
    position: dict[str, int] = {}
    for row, name in enumerate(names):
        if not name or position.setdefault(name, row) != row:
            words = f"id {name!r} is also that of line {sheet.lines[position[name]]}" if name else "the id is empty"
            raise sheet.error(words, row, "id")
    if "needs" not in sheet.columns:
        return [[]] * len(sheet.lines)
    if not names:
        position = {str(row): row for row in range(len(sheet.lines))}
    needs = []
    for row, cell in enumerate(sheet.columns["needs"]):
        labels = [text for text in map(str.strip, cell.split(";")) if text]
        for text in labels:
            if text not in position:
                what = "id" if names else "number"
                raise sheet.error(f"there is no message with {what} {text!r}", row, "needs")
        needs.append([position[text] for text in labels])
    return needs
