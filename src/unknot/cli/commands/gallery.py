"""`unknot gallery`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unknot.cli.commands.options import Json
from unknot.cli.commands.outcomes import notify
from unknot.cli.commands.printing import show, show_json


def gallery(
    routings: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ROUTING]...", help="Names or calls; by default all, and some variants."),
    ] = None,
    network: list[str] | None = None,
    out: Path = Path("reports/gallery.md"),
    proof_limit: float = 20.0,
    jobs: int | None = None,
    store: Path | None = None,
    json: Json = False,
) -> None:
    """Run every routing on every small network it takes; set its source's claims beside the verdicts.

    Parameters
    ----------
    network : NETWORK
        Instead of the small networks; repeatable.
    out : FILE.md
        The table.
    proof_limit
        Seconds for each proof.
    jobs
        Proofs at a time; by default the cores.
    store
        SQLite file in which results are kept between calls.
    """
    from unknot.cli.commands import activity
    from unknot.report.gallery_page import lead, require_ending, write_gallery
    from unknot.studies.gallery import gallery as judged_gallery

    require_ending(out)
    with activity.progress_bar("gallery") as progress:
        exhibition = judged_gallery(
            routings, network, time_limit=proof_limit, jobs=jobs, store=store, progress=progress, note=notify
        )
    write_gallery(exhibition, out)
    if json:
        from unknot.cli.answers.studies import gallery_answer

        show_json(gallery_answer(exhibition, str(out)))
    else:
        show(lead(exhibition))
        notify(f"report: {out}")
