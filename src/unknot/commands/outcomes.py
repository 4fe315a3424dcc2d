"""How a command ends: exit codes, and messages for what a user can mend."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from unknot.errors import UnknotError

HOLDS, FAILS, BAD_INPUT, UNDECIDED, INTERRUPTED = 0, 1, 2, 3, 130


class Commands(TyperGroup):
    """Turns errors a user can cause into a message and exit code 2, and Ctrl-C into 130."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except UnknotError as error:
            say(str(error))
            raise typer.Exit(BAD_INPUT) from None
        except BrokenPipeError:
            raise
        except OSError as error:
            say(f"{error.filename or 'unknot'}: {error.strerror or error}")
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            say("interrupted")
            raise typer.Exit(INTERRUPTED) from None


def say(text: str) -> None:
    """On stderr, where it disturbs nobody who reads the answer."""
    print(text, file=sys.stderr, flush=True)
