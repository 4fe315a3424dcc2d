"""The command line: the list of commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module

import typer

from unknot import memory
from unknot.commands import guard
from unknot.commands.options import Grouped, MaxMemory, Traceback, Version, with_format
from unknot.commands.outcomes import Commands

COMMANDS = (
    "run",
    "check",
    "accept",
    "replay",
    "bnr",
    "analyse",
    "faults",
    "design",
    "lanes",
    "repair",
    "export",
    "audit",
    "permute",
    "show",
    "convert",
    "simulate",
    "curve",
    "trace",
    "multicast",
    "itm",
    "gallery",
    "cache",
)
"""Names of the commands; each is a function in the file of its name in `unknot.commands`."""


def _root(
    context: typer.Context, version: Version = False, max_memory: MaxMemory = None, traceback: Traceback = False
) -> None:
    """Describe, route, prove, simulate and compare interconnection networks."""
    if max_memory is not None:
        from unknot.memory import memory_limit

        context.with_resource(memory_limit(max_memory))


def application(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The program with some of its commands."""
    found = typer.Typer(
        name="unknot",
        cls=Commands,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    found.callback()(_root)
    for name in names:
        found.command(cls=Grouped)(with_format(getattr(import_module(f"unknot.commands.{name}"), name)))
    return found


@cache
def _whole() -> typer.Typer:
    return application()


def __getattr__(name: str) -> typer.Typer:
    """`app`, the program with all commands, made when it is first asked for."""
    if name == "app":
        return _whole()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main() -> None:
    """Entry point of the command `unknot`; one that is named first is the only one that is loaded.

    Kernels optimised at level 1 are as fast as at Numba's level 3, and compile in two thirds of the time. A program
    that imports Unknot keeps the level that it has.
    """
    os.environ.setdefault("NUMBA_OPT", "1")
    memory.enforce()
    first = sys.argv[1:2]
    guard.run(application(first) if first and first[0] in COMMANDS else _whole())
