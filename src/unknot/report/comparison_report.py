"""The report of a comparison of designs: cost, bounds, verdicts and what ran, whole and with failed links."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from unknot.report.page import page, write
from unknot.report.phrases import count
from unknot.studies.comparison import Compared


def write_comparison_report(rows: Sequence[Compared], path: str | Path) -> None:
    """Write the report of a comparison as one HTML file that needs nothing else.

    Parameters
    ----------
    rows : sequence of Compared
        The rows, as `unknot.studies.comparison.compared` yields them.
    path : str or Path
        The file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.studies.comparison import compared
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "fabrics.html"
    ...     write_comparison_report(list(compared(["ring(4) by up_down"])), path)
    ...     path.read_text(encoding="utf-8")[:15]
    ...
    '<!DOCTYPE html>'
    """
    designs: dict[str, Compared] = {}
    for row in rows:
        designs.setdefault(row.design, row)
    safe = sum(row.deadlock_free is True and row.delivered is True for row in rows)
    verbs = "is deadlock-free and delivers" if safe == 1 else "are deadlock-free and deliver"
    lead = f"{safe} of {count(len(rows), 'case')} {verbs} all pairs."
    text = page(
        "comparison.html",
        title="Designs side by side",
        lead=lead,
        rows=rows,
        designs=list(designs.values()),
        simulated=any(row.saturation is not None for row in rows),
        number=_number,
    )
    write(text, path)


def _number(number: float | None, digits: int = 0) -> str:
    return "–" if number is None else f"{number:,.{digits}f}"
