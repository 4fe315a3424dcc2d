"""`unknot convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unknot.commands.options import Json, NetworkText
from unknot.commands.printing import show
from unknot.commands.shared import print_json


def convert(
    source: NetworkText,
    target: Annotated[Path, typer.Argument(metavar="FILE", help="Its ending decides the format, unless --to does.")],
    to: Annotated[str | None, typer.Option("--to", metavar="FORMAT", help="Name of the format.")] = None,
    json: Json = False,
) -> None:
    """Write a network into a file of another format, and say what that format does not carry.

    A configuration of BookSim 2 becomes a study where the file to write ends in .toml.
    """
    if target.suffix == ".toml" and to is None and Path(source).is_file():
        from unknot.studies.booksim.parse import is_configuration

        if is_configuration(source):
            from unknot.commands.booksim import write_study

            write_study(source, target)
            return
    from unknot.fabrics import write_network
    from unknot.studies.design import network as named

    built = named(source, where="NETWORK")
    form, dropped = write_network(built, target, to)
    if json:
        from unknot.answers.form import answer
        from unknot.answers.networks import ConvertAnswer

        print_json(answer(ConvertAnswer, of=built, file=str(target), format=form.name, dropped=dropped))
    else:
        sizes = f"{built.num_routers} routers, {built.num_channels} channels, {built.num_terminals} terminals"
        show(f"{target}: {form.words} of {built.name}: {sizes}")
        for part in dropped:
            show(f"not carried by this format: {part}")
