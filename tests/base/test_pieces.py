"""Texts of options and rows of tables, piece by piece."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.calls import Piece, cell_column
from unknot._base.errors import TextError, UnknotError


@given(st.text("ab ,;()=:\t→", max_size=30), st.sampled_from([",", ";", " ", r",\s"]))
def test_pieces_stand_where_they_say(text: str, separator: str) -> None:
    last = 0
    for piece in Piece(text, "<text>").split(separator):
        assert piece.text
        assert text[piece.column - 1 :].startswith(piece.text)
        assert piece.column > last
        last = piece.column + len(piece.text) - 1
        pair = piece.pair("=")
        if pair is None:
            assert "=" not in piece.text
            continue
        for part in pair:
            assert text[part.column - 1 :].startswith(part.text)
        assert piece.text.replace(" ", "").replace("\t", "") == "=".join(
            part.text.replace(" ", "").replace("\t", "") for part in pair
        )


@given(st.lists(st.text("ab1 -", min_size=1, max_size=5).map(str.strip), min_size=1, max_size=5))
def test_without_parentheses_pieces_are_those_of_split(words: list[str]) -> None:
    assert [piece.text for piece in Piece(",".join(words), "<text>").split(",")] == [word for word in words if word]


def test_errors_point_into_the_whole_text() -> None:
    def fails(error: UnknotError) -> None:
        raise error

    inner = list(Piece("  a=1, hot spot(2, x)", "<text>").split(","))[1]
    assert (inner.text, inner.column) == ("hot spot(2, x)", 8)
    for error, column in ((UnknotError("no"), 8), (TextError("no", "<call>", 1, 13, inner.text), 20)):
        with pytest.raises(TextError) as caught:
            inner.read(lambda: fails(error))  # noqa: B023 called at once
        assert str(caught.value).splitlines()[0] == f"<text>:1:{column}: no"
        assert caught.value.text == "  a=1, hot spot(2, x)"
    assert inner.read(lambda: 3) == 3


@given(st.lists(st.text('ab",', max_size=4), min_size=1, max_size=5))
def test_cells_begin_where_they_say(cells: list[str]) -> None:
    quoted = ['"' + cell.replace('"', '""') + '"' for cell in cells]
    line = ", ".join(quoted)
    assert next(csv.reader([line], skipinitialspace=True)) == cells
    for k, cell in enumerate(quoted):
        assert line[cell_column(line, k) - 1 :].startswith(cell)
    assert cell_column(line, len(cells)) == len(line) + 1
