"""Options of a command line that had no effect, since the command never read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import typer

from unknot.cli.commands.printing import notify
from unknot.cli.exit_codes import FAILS, HOLDS, UNDECIDED

_READ: ContextVar[set[str]] = ContextVar("_READ")
"""The fields that the running command has read."""


class Recorded:
    """A record that notes which fields are read; reading `vars` notes nothing."""

    if not TYPE_CHECKING:  # else any name would do

        def __getattribute__(self, name: str) -> Any:
            read = _READ.get(None)
            if read is not None:
                read.add(name)
            return super().__getattribute__(name)


@contextmanager
def naming_unread(given: Mapping[str, str]) -> Iterator[None]:
    """Name options that a command was given, by field, and has not read when it ends with an answer.

    Examples
    --------
    >>> class Size(Recorded):
    ...     width = height = 2
    >>> with naming_unread({"width": "--width", "height": "--height"}):
    ...     print(Size().width)
    2
    """
    read = set[str]()
    token = _READ.set(read)
    try:
        yield
    except typer.Exit as ended:
        if ended.exit_code in (HOLDS, FAILS, UNDECIDED):
            _name(given, read)
        raise
    finally:
        _READ.reset(token)
    _name(given, read)


def name_idle(**given: bool) -> None:
    """Name options without effect, although the command has read their parameters."""
    _name({name: f"--{name.replace('_', '-')}" for name, idle in given.items() if idle}, set())


def _name(given: Mapping[str, str], read: set[str]) -> None:
    if idle := [option for field, option in given.items() if field not in read]:
        notify(f"without effect here: {', '.join(idle)}")
