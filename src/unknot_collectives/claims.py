"""Questions for evidence about collective operations: the claims collective and schedule of `unknot accept`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

from unknot._base.calls import Piece
from unknot.certificates.documents import Document
from unknot.cli.questions.about import About, claim


def collective(
    about: About,
    operation: str = "all_reduce",
    size: str = "64",
    time: str | None = None,
    root: int | None = None,
    members: str | None = None,
    groups: int = 1,
    terminal_width: int = 1,
    stages: int = 0,
    overhead: int = 0,
    subject: str = "collective",
) -> Document:
    """No schedule of a collective operation takes less time; of the subject schedule: one takes this time."""
    from unknot._base.units import flits_of
    from unknot_collectives.commands.block_sizes import most_of, rows_of
    from unknot_collectives.commands.collective_options import CollectiveOptions
    from unknot_collectives.platform import platform_of

    rows = rows_of(Path(size), None) if Path(size).suffix in (".csv", ".json") else []
    flits = most_of(rows) if rows else flits_of(Piece(size, "--claim"), None)
    options = CollectiveOptions(about.place, operation, root=root, members=members, groups=groups)
    whole = replace(options.operation_on(about.network, rows), size=Fraction(flits))
    platform = platform_of(
        about.network, terminal=Fraction(terminal_width), stages=stages, overhead=Fraction(overhead)
    )
    said = platform.claim(whole, Fraction(time or 0))
    return claim(subject, **said | ({} if time else {"time": None}))


schedule = partial(collective, subject="schedule")
"""Of the subject schedule: one takes this time."""
