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
    network: Annotated[
        list[str] | None,
        typer.Option("--network", metavar="NETWORK", help="Instead of the small networks; repeatable."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE.html|md", help="The page or table.")] = Path(
        "reports/gallery.html"
    ),
    proof_limit: Annotated[float, typer.Option(help="Seconds for each proof.")] = 20.0,
    jobs: Annotated[int | None, typer.Option(help="Proofs at a time; by default the cores.")] = None,
    store: Annotated[Path | None, typer.Option(help="SQLite file in which results are kept between calls.")] = None,
    json: Json = False,
) -> None:
    """Run every routing on every small network it takes; set its source's claims beside the verdicts."""
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
