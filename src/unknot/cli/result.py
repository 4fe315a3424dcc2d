"""Results of verbs: a command's answer as an object, with tables, pictures and files."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import UnknotError, near, shortened
from unknot._base.frames import columns_of, to_frame
from unknot._base.shown import displays
from unknot._base.three_valued import ThreeValued
from unknot.cli.answers.filling import Answer
from unknot.cli.commands.answer_files import KINDS, PAGE, json_of, picture_of, rows_of, write_answer
from unknot.cli.commands.asking import PICTURES, KeptAnswer
from unknot.cli.commands.console import PIPE_WIDTH
from unknot.cli.commands.display import MOST_ROWS, PLAIN, put

if TYPE_CHECKING:
    import pandas

    from unknot.report.picture import Drawing

LINES = 12
"""Most lines of the text of a result."""
MISSING = object()


class Result(ThreeValued, asks="holds"):
    """Answer of a verb such as `unknot.check`.

    Attributes are the keys of the command's JSON, and all attributes of the objects behind them: the `Verdict` of
    `check`, the routes of `lanes`, the `Run` of `simulate`.

    Parameters
    ----------
    asked : KeptAnswer
        The answer as the command gave it.
    holds : bool or None
        Whether all holds that was asked; None: open.

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.show("ring(5)")
    >>> answer.diameter, answer.links
    (2, 5)
    >>> answer.to_frame()[["name", "routers", "diameter"]].values.tolist()
    [['ring(5)', 5, 2]]
    """

    def __init__(self, asked: KeptAnswer, holds: bool | None) -> None:
        self._asked, self._holds = asked, holds

    @property
    def holds(self) -> bool | None:
        """Whether all holds that was asked; None: open."""
        return self._holds

    @property
    def _filled(self) -> Answer:
        assert self._asked.filled is not None
        return self._asked.filled

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the answer, which the command prints on stderr."""
        return tuple(self._asked.remarks)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        filled = self._filled
        found = filled.given.get(name, MISSING)
        for source in filled.sources:
            found = getattr(source, name, MISSING) if found is MISSING else found
        found = filled.get(name, MISSING) if found is MISSING else found
        if found is MISSING:
            raise AttributeError(f"this answer has no {name!r}; {near(name, dir(self))}")
        return _opened(found)

    def __dir__(self) -> list[str]:
        sources = (name for source in self._filled.sources for name in dir(source) if name[0] != "_")
        return sorted({*super().__dir__(), *self._filled, *self._filled.given, *sources})

    def __repr__(self) -> str:
        lines = [line for line in (*self.text().splitlines(), *self.remarks) if line]
        if len(lines) > LINES:
            lines[LINES - 1 :] = [f"… {len(lines) - LINES + 1} more lines in text()"]
        return "\n".join(shortened(line, PIPE_WIDTH) for line in lines)

    def text(self) -> str:
        """Return the table that the command prints."""
        shown, kept = io.StringIO(), self._asked
        with redirect_stdout(shown):
            put(False, self._filled.form, self._filled, kept.scale or PLAIN, kept.max_rows or MOST_ROWS)
        lines = shown.getvalue().replace("--json has", "to_json() has").splitlines()
        return "\n".join(line.rstrip() for line in lines).rstrip()

    def _repr_html_(self) -> str:
        for source in self._filled.sources:
            try:
                return str(displays().html(source))
            except TypeError:
                continue
        return f"<pre>{escape(repr(self))}</pre>"

    def to_json(self) -> str:
        """Return the JSON that the command prints with ``--json``."""
        return json_of(self._asked)

    def to_frame(self) -> pandas.DataFrame:
        """Return a data frame: a line for each run, design or remedy, else one for the answer; needs pandas.

        ``polars.from_arrow`` and ``pyarrow.table`` take the answer itself.
        """
        return to_frame(rows_of(self._asked))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        from unknot._base.errors import library

        return library("pyarrow").table(columns_of(rows_of(self._asked))).__arrow_c_stream__(requested_schema)

    def plot(self, ax: Any = None) -> Drawing:
        """Draw the answer.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where it is drawn as well.

        Raises
        ------
        UnknotError
            If there is nothing to draw.
        """
        picture = picture_of(self._asked)
        if ax is not None:
            picture.draw(ax)
        return picture

    def save(self, *files: str | Path) -> Result:
        """Write the answer into files: .json, .csv, .parquet, as a picture .svg, .png, .pdf, or as a page .html.

        What else a command writes, as evidence or routes, its verb takes by name: ``evidence="proof.json"``.

        Raises
        ------
        UnknotError
            If the ending of a file is none of these.
        """
        for file in map(Path, files):
            if file.suffix.lower() not in (*KINDS, *PICTURES, PAGE):
                raise UnknotError(
                    f"{file}: an answer is saved as {', '.join((*KINDS, *PICTURES, PAGE))}; "
                    "other files are named when it is asked, as in evidence='proof.json'"
                )
            write_answer(self._asked, file)
        return self


def _opened(value: Any) -> Any:
    """The object behind a filled form within an answer, or several."""
    if isinstance(value, Answer):
        return value.sources[0] if value.sources else value
    return tuple(map(_opened, value)) if isinstance(value, list) else value
