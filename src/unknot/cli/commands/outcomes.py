"""The end of every command: a message, and an exit code."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperGroup

from unknot._base.errors import UnknotError, bare, missing_extra, visible
from unknot.cli.commands.activity import signs
from unknot.cli.commands.guard import internal_error
from unknot.cli.commands.printing import notify
from unknot.cli.exit_codes import BAD_INPUT, INTERRUPTED, NOBODY_READS

UsageError: Any = typer.BadParameter.__base__
"""The error of command lines: of click, or of the copy of it in newer versions of typer."""
WORDS = "unknot.words"
"""Key of the words of the command line, as they were typed, in what contexts share."""


class Commands(TyperGroup):
    """Group of commands that turns every way to end into a message and an exit code."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[WORDS] = tuple(args)
        with cleaned_usage():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            with cleaned_usage(), signs():
                return super().invoke(ctx)
        except UnknotError as error:
            notify(re.sub(r"^<([\w-]+)>:", r"--\1:", str(error)))  # the text of an argument is an option here
            raise typer.Exit(BAD_INPUT) from None
        except BrokenPipeError:
            raise typer.Exit(NOBODY_READS) from None
        except OSError as error:
            notify(f"{error.filename or 'unknot'}: {error.strerror or error}")
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            notify("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except (typer.Exit, typer.Abort, UsageError):
            raise
        except Exception as error:
            if isinstance(error, ImportError) and (missing := missing_extra(error)):
                notify(missing)
                raise typer.Exit(BAD_INPUT) from None
            raise typer.Exit(internal_error(error)) from None


@contextlib.contextmanager
def cleaned_usage() -> Iterator[None]:
    """Messages about the command line itself repeat words of it; nothing in them may be obeyed by a terminal."""
    try:
        yield
    except UsageError as error:
        setattr(error, "message", visible(bare(error.message)))  # noqa: B010 -- declared final
        raise
