"""`unknot cache`."""

from __future__ import annotations

from typing import Literal

from unknot.cli.commands.printing import show


def cache(
    action: Literal["show", "clear"] = "show",
) -> None:
    """Show or clear the folder of compiled kernels; later commands compile removed kernels again.

    Parameters
    ----------
    action : argument
        Action: print the folder, or remove its contents.
    """
    from unknot._base.kernels import cache as kernel_cache

    if action == "clear":
        show(f"removed {kernel_cache.clear()} files of compiled code from {kernel_cache.folder()}")
        return
    files = kernel_cache.kept()
    size = sum(status.st_size for status in files.values()) / 1e6
    show(f"{len(files)} files of compiled code, {size:.1f} MB, in {kernel_cache.folder()}")
