"""`unknot cache`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from unknot.cli.commands.printing import show


class Action(StrEnum):
    """What to do with the cache."""

    SHOW = "show"
    CLEAR = "clear"


def cache(
    action: Annotated[Action, typer.Argument(help="Say where it is, or remove all of it.")] = Action.SHOW,
) -> None:
    """Show or clear the folder of compiled kernels; what is removed is compiled again when it is needed."""
    from unknot._base.kernels import cache as kernel_cache

    if action is Action.CLEAR:
        show(f"removed {kernel_cache.clear()} files of compiled code from {kernel_cache.folder()}")
        return
    files = kernel_cache.kept()
    size = sum(path.stat().st_size for path in files) / 1e6
    show(f"{len(files)} files of compiled code, {size:.1f} MB, in {kernel_cache.folder()}")
