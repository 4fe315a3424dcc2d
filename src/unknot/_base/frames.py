"""Rows of results as data frames and files; pandas and pyarrow come with the extra ``data``."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from unknot._base.errors import UnknotError
from unknot._base.output import write_bytes, write_text

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]


class Tabular(Protocol):
    """Base of results that are rows of plain values."""

    __slots__ = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """Rows of the table."""
        ...

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
    try:
        import pandas
    except ImportError:
        raise UnknotError(
            "data frames need pandas, which comes with the extra data: pip install 'unknot[data]'"
        ) from None
    return pandas.DataFrame.from_records(list(rows))


def write_csv(rows: Sequence[Mapping[str, Any]], path: str | Path) -> None:
    """Write rows as comma-separated values; what is not known stays empty, truth is True or False.

    Raises
    ------
    WriteError
    """
    out = io.StringIO()
    columns = list(rows[0]) if rows else []
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, out.getvalue())


def write_parquet(rows: Sequence[Mapping[str, Any]], path: str | Path) -> None:
    """Write rows as a Parquet file.

    Raises
    ------
    UnknotError
        If pyarrow is not installed; WriteError if the file cannot be written.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UnknotError(
            "Parquet needs pyarrow, which comes with the extra data: pip install 'unknot[data]'"
        ) from None
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.Table.from_pylist([dict(row) for row in rows]), sink)
    write_bytes(path, sink.getvalue().to_pybytes())
