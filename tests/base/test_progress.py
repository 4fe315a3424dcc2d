"""Bars in notebooks: late, one for the outermost call, gone at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from unknot import UnknotError
from unknot._base import progress
from unknot._base.progress import Progress, activity, found, so_far, with_bar

if TYPE_CHECKING:
    import IPython.display


class Cell:
    """What a cell of a notebook shows."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shown: list[str] = []
        monkeypatch.setattr(progress, "in_notebook", lambda: True)
        monkeypatch.setattr(progress, "LATE", 0.0)
        monkeypatch.setattr(progress, "STEP", 0.0)
        monkeypatch.setattr("IPython.display.display", self.display)

    def display(self, html: IPython.display.HTML, *, display_id: bool) -> Cell:
        assert display_id
        self.update(html)
        return self

    def update(self, html: IPython.display.HTML) -> None:
        self.shown.append(html.data)


@with_bar
def half(n: int, *, progress: Progress | None = None) -> int:
    if progress is not None:
        progress("a & b", n // 2, n)
    if n < 0:
        raise UnknotError("too few")
    return n


@with_bar
def whole(n: int, *, progress: Progress | None = None) -> int:
    assert progress is not None
    progress("first", 0, 0)
    return half(n) + half(n, progress=progress)


def test_a_bar_of_the_outermost_call(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(monkeypatch)
    assert whole(1000) == 2000
    bar = '<progress value="500" max="1000"></progress> whole a &amp; b 500 of 1,000'
    assert cell.shown == ["<progress></progress> whole first", bar, ""]


def test_it_goes_away_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(monkeypatch)
    for _ in range(2):
        with pytest.raises(UnknotError):
            half(-2)
    assert [text != "" for text in cell.shown] == [True, False] * 2


def test_none_elsewhere_or_where_progress_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert half(4) == 4
    cell = Cell(monkeypatch)
    seen: list[str] = []
    assert half(4, progress=lambda stage, done, total: seen.append(stage)) == 4
    monkeypatch.setattr(progress, "LATE", 1000.0)
    assert half(4) == 4
    assert (cell.shown, seen) == ([], ["a & b"])


@pytest.mark.long
def test_in_a_real_notebook() -> None:
    # Imported here: they take a second, which each worker would spend on collecting tests.
    import nbformat
    from nbclient import NotebookClient

    cells = [
        "import unknot, unknot._base.progress\nunknot._base.progress.LATE = unknot._base.progress.STEP = 0.0",
        'unknot.simulation.replicate("mesh(3, 3)", 0.1, routing="dimension_order", seeds=2, warmup=50, measure=100)',
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    seen: list[str] = []
    client = NotebookClient(notebook, timeout=600)
    original = client.process_message

    def watched(message: dict, cell: object, index: int) -> object:  # type: ignore[type-arg]
        if message["msg_type"] in ("display_data", "update_display_data"):
            seen.append(message["content"]["data"].get("text/html", ""))
        return original(message, cell, index)

    client.process_message = watched  # type: ignore[method-assign,assignment]
    client.execute()
    assert any("replicate runs 1 of 2; latest: seed 1, " in text for text in seen)
    assert seen[-1] == ""
    (result,) = [o for o in notebook.cells[1].outputs if o.output_type == "execute_result"]
    assert "<table" in result.data["text/html"]


def test_findings_stand_beside_progress_until_an_activity_ends() -> None:
    with activity():
        found("2 VCs on cycles", by_part=True)
        assert so_far() == "2 VCs on cycles"
        with activity():
            found("2 lanes will do")
            found("mean latency 7 cycles", by_part=True)
            assert so_far() == "2 lanes will do"
        assert so_far() == "2 lanes will do"
        with activity():
            found("highest load 65")
            assert so_far() == "2 lanes will do; highest load 65"
        found("remedies: new routes")
        assert so_far() == "remedies: new routes"
    assert so_far() == ""
