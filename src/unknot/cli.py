"""The command line: the list of commands."""

from __future__ import annotations

import typer

from unknot.commands import guard
from unknot.commands.analyse import analyse
from unknot.commands.audit import audit
from unknot.commands.bnr import bnr
from unknot.commands.check import check
from unknot.commands.convert import convert
from unknot.commands.design import design
from unknot.commands.export import export
from unknot.commands.faults import faults
from unknot.commands.gallery import gallery
from unknot.commands.itm import itm
from unknot.commands.lanes import lanes
from unknot.commands.multicast import multicast
from unknot.commands.options import MaxMemory, Traceback, Version, with_format
from unknot.commands.outcomes import Commands
from unknot.commands.permute import permute
from unknot.commands.repair import repair
from unknot.commands.replay import replay
from unknot.commands.run import run
from unknot.commands.show import show
from unknot.commands.simulate import simulate
from unknot.commands.trace import trace

app = typer.Typer(
    name="unknot",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _root(
    context: typer.Context, version: Version = False, max_memory: MaxMemory = None, traceback: Traceback = False
) -> None:
    """Describe, route, prove, simulate and compare interconnection networks."""
    if max_memory is not None:
        from unknot.memory import memory_limit

        context.with_resource(memory_limit(max_memory))


for _command in (
    run,
    check,
    replay,
    bnr,
    analyse,
    faults,
    design,
    lanes,
    repair,
    export,
    audit,
    permute,
    show,
    convert,
    simulate,
    trace,
    multicast,
    itm,
    gallery,
):
    app.command()(with_format(_command))


def main() -> None:
    """Entry point of the command `unknot`."""
    guard.run(app)
