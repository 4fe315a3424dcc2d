"""Rows as data frames, CSV and Parquet; pandas and pyarrow come with the extra ``data``."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import library
from unknot._base.manifest import line
from unknot._base.output import manifest_at, write_bytes, write_text

if TYPE_CHECKING:
    import pandas


class Tabular:
    """Base of results that are rows of plain values."""

    __slots__ = ()
    runs: Sequence[Tabular]

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """Rows of the table: those of its runs, in their order."""
        return tuple(row for run in self.runs for row in run.rows)

    def to_frame(self) -> pandas.DataFrame:
        """A data frame with one line for each row, which are runs; needs pandas."""
        return to_frame(self.rows)


def to_frame(rows: Sequence[Mapping[str, Any]]) -> pandas.DataFrame:
    """A data frame with one line for each row.

    Raises
    ------
    UnknotError
        If pandas is not installed.
    """
    return library("pandas").DataFrame.from_records(list(rows))


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The columns of rows that have the same keys."""
    return {name: [row.get(name) for row in rows] for name in (rows[0] if rows else ())}


def write_csv(columns: Mapping[str, Sequence[Any]], path: str | Path) -> None:
    """Write columns as comma-separated values; what is not known stays empty, truth is True or False.

    Raises
    ------
    WriteError
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    write_text(path, out.getvalue())


def write_parquet(columns: Mapping[str, Sequence[Any]], path: str | Path) -> None:
    """Write columns as a Parquet file, the manifest of the command that runs under the key ``unknot``.

    Raises
    ------
    UnknotError
        If pyarrow is not installed; WriteError if the file cannot be written.
    """
    pyarrow, parquet = library("pyarrow"), library("pyarrow.parquet")
    manifest, table = manifest_at(path), pyarrow.table(dict(columns))
    if manifest is not None:
        table = table.replace_schema_metadata({"unknot": line(manifest)})
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink)
    write_bytes(path, sink.getvalue().to_pybytes())
