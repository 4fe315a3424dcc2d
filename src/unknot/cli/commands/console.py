"""Rows, tables and sentences on the console, as wide as the terminal on which answers are read."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from unknot.cli.commands.printing import ANSWERING, printable

PIPE_WIDTH = 120
"""Columns where stdout is no terminal."""
GAP = 3
"""Columns between two columns of a table, at most."""
LONGEST = 32
"""Characters of a figure, or a word, for which a column has room."""


def print_rows(rows: Sequence[tuple[str, str | Text]]) -> None:
    """Print labels with their values; labels without a value are left out."""
    out, text = console(), Text()
    wide = max((cell_len(name) for name, cell in rows if cell), default=0) + 2
    for name, cell in rows:
        words = cell if isinstance(cell, Text) else Text(cell)
        for line in words.wrap(out, max(1, out.width - wide)) if cell else ():
            text.append(set_cell_size(name, wide), style="dim").append_text(line).append("\n")
            name = ""
    out.print(text, end="", soft_wrap=True)


def print_table(
    headings: Sequence[str], rows: Iterable[Iterable[str | Text]], *, title: str = "", right: Collection[str] = ()
) -> None:
    """Print a table if it has rows; columns in `right` are flush right. On a screen words are wrapped.

    Where words would not stay whole on the screen, columns become lines; or each line a list of labels.
    """
    out, screen = console(), _columns() is not None
    above = Text(title, style="bold") if title else None
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title=above, title_justify="left")
    lines = [[cell if isinstance(cell, Text) else Text(cell) for cell in row] for row in rows]
    longest, least = [], []
    for i, heading in enumerate(headings):
        figures = heading in right
        cells = [line[i].plain for line in lines]
        parts = [*heading.split(), *(part for c in cells for part in (c.split() if screen and not figures else [c]))]
        longest.append(max(map(len, [*heading.splitlines(), *cells])))
        least.append(min(max(map(len, parts), default=0), LONGEST))
        table.add_column(heading, justify="right" if figures else "left", min_width=least[-1])
    for line in lines:
        table.add_row(*line)
    room = GAP * len(least)
    words = [max(len(part) for cell in line for part in cell.plain.split() or [""]) for line in lines]
    if screen and sum(least) + room > out.width >= max(map(len, headings)) + sum(words) + GAP * (len(words) + 1):
        turned = [[heading.replace("\n", " "), *cells] for heading, *cells in zip(headings, *lines, strict=True)]
        print_table([headings[0], *(line[0].plain for line in lines)], turned[1:], title=title)
    elif screen and sum(least) + room > out.width:
        for line in lines:
            out.print(above or "")
            print_rows([(heading.replace("\n", " "), cell) for heading, cell in zip(headings, line, strict=True)])
    elif lines:
        out.width = out.width if screen else max(out.width, sum(least) + room)
        for i, column in enumerate(table.columns):
            if sum(longest) + room > out.width and i != longest.index(max(longest)):
                column.width = least[i]  # rich would take as much from columns that need their width
        out.print(table)


def sentences(lines: Iterable[str]) -> None:
    """Print lines that are not wrapped."""
    out = console()
    for line in lines:
        out.print(Text(line), soft_wrap=True)


class _Console(Console):
    """A console whose texts hold no terminal controls and no characters outside the stream's encoding."""

    def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
        for words, style, control in super().render(renderable, options):
            yield Segment(words if control else printable(words, self.file), style, control)


def console(*, errors: bool = False) -> Console:
    """Console for answers, or with `errors` for signs of activity."""
    if not errors:
        ANSWERING.set()
    width = None if errors or sys.stdout.isatty() else _columns() or PIPE_WIDTH
    return _Console(highlight=False, emoji=False, width=width, stderr=errors)


def _columns() -> int | None:
    """Columns of the terminal on which answers are read, also through a pipe (`| less`); None of files and logs."""
    if sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    try:
        piped = stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)
        return os.get_terminal_size(sys.stderr.fileno()).columns if piped else None
    except (OSError, ValueError):  # no terminal, or a stream of a program's own
        return None
