"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

NetworkText = Annotated[
    str, typer.Argument(metavar="NETWORK", help="A text such as 'torus(8, 8)' or 'ring(8) ** 2', or a file.")
]
RoutingText = Annotated[
    str, typer.Option("--routing", metavar="NAME", help="A routing, such as dimension_order, with options if wanted.")
]
Vcs = Annotated[int | None, typer.Option("--vcs", help="Virtual channels per channel, in all.")]
SwitchingName = Annotated[str, typer.Option(help="saf, vct, wormhole or wormhole-nonatomic.")]
TimeLimit = Annotated[float, typer.Option(help="Seconds for the proof.")]
BufferDepth = Annotated[int, typer.Option(help="Flits per virtual channel.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")]


def _drawable(path: Path | None) -> Path | None:
    if path is not None:
        from unknot.report.picture import require_ending

        require_ending(path)
    return path


Picture = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE.svg|png", callback=_drawable, help="Draw it into this file."),
]


def _version(wanted: bool) -> None:
    if wanted:
        from unknot import __version__

        print(f"unknot {__version__}")
        raise typer.Exit()


Version = Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")]
