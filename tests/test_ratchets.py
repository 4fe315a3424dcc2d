"""Figures of rooms: what rises is named, what falls is kept."""

from __future__ import annotations

import ast

import pytest

from tests.ratchets import Figures, complaints, figures_of, kept, nodes_of, points_elsewhere, rooms

BEFORE = {"verify": Figures(1000, 10)}


@pytest.mark.parametrize(
    ("now", "word"),
    [
        (Figures(1001, 10), "nodes rose from 1000 to 1001"),
        (Figures(1000, 11), "pointing rose from 10 to 11"),
        (Figures(900, 10), "nodes fell from 1000 to 900"),
        (Figures(995, 10), ""),
    ],
)
def test_a_rise_or_a_fall_is_named(now: Figures, word: str) -> None:
    (*said,) = complaints({"verify": now}, BEFORE)
    assert len(said) == bool(word)
    assert all(word in line for line in said)


def test_new_and_lost_rooms_are_named() -> None:
    assert [line.partition(":")[0] for line in complaints({"flow": Figures(1, 0)}, BEFORE)] == ["flow", "verify"]


def test_docstrings_and_imports_do_not_count() -> None:
    text = 'import os\ndef f(x):\n    """Words."""\n    return x + 1\n'
    # The function, its arguments and the one argument, the return, the sum, its operator, the name and the number.
    assert nodes_of(ast.parse(text)) == 8


def test_pointing_words_of_the_first_paragraph_count() -> None:
    for words, pointing in (("What it is that points.", True), ("Name.\n\nWhat it is that points.", False)):
        assert points_elsewhere(ast.parse(f'def f():\n    """{words}"""\n').body[0]) is pointing


def test_every_room_has_its_figures() -> None:
    figures, _ = kept()
    assert figures.keys() == rooms().keys()
    assert figures_of(rooms()["synthesis"]).nodes > 1000
