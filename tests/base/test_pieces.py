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
    try:
        pieces = list(Piece(text, "<text>").split(separator))
    except TextError:
        assert separator in (",", ";")
        return
    for piece in pieces:
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
    pieces = Piece(",".join(words), "<text>").split(",")
    if all(words) or words == [""]:
        assert [piece.text for piece in pieces] == list(filter(None, words))
        return
    with pytest.raises(TextError, match="before and behind"):
        list(pieces)


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


@pytest.mark.parametrize(("text", "column"), [("64,,3", 4), (",3", 1), ("3,", 3), ("f(1, 2), ,4", 10)])
def test_a_missing_piece_is_an_error_with_its_place(text: str, column: int) -> None:
    with pytest.raises(TextError, match=r"expected something before and behind each ','") as raised:
        list(Piece(text, "<sizes>").split(","))
    assert raised.value.column == column


def test_blanks_part_pieces_too() -> None:
    assert [(piece.text, piece.column) for piece in Piece("0,  3 4", "<dead>").split(r",\s")] == [
        ("0", 1), ("3", 5), ("4", 7),
    ]  # fmt: skip
    assert not list(Piece(" ", "<dead>").split(","))
