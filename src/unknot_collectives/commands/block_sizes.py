"""Sizes of blocks that members exchange, from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.calls import Piece

if TYPE_CHECKING:
    from unknot._base.units import Units


def rows_of(file: Path, units: Units | None) -> list[list[int]]:
    """Flits of each block: the rows of a CSV file, or the lists of a JSON file."""
    from unknot._base.errors import TextError
    from unknot._base.input import read_json, read_text
    from unknot._base.units import flits_of

    if file.suffix == ".json":
        lists = read_json(file)
        if not isinstance(lists, list) or not all(isinstance(row, list) for row in lists):
            raise TextError("a list of lists of sizes is expected, one for each sender", file)
        lines = [Piece(",".join(map(str, row)), file, line=number) for number, row in enumerate(lists, 1)]
    else:
        text = enumerate(read_text(file).splitlines(), 1)
        lines = [Piece(line, file, line=number) for number, line in text if line.strip()]
    rows = [[flits_of(piece, units, least=0) for piece in line.split(",")] for line in lines]
    if not most_of(rows):
        raise TextError("there is no block in it that is sent", file)
    return rows


def most_of(rows: list[list[int]]) -> int:
    """Flits of the largest block."""
    return max((flits for row in rows for flits in row), default=0)
