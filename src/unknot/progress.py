"""Progress of long computations: one protocol for all of them."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with a stage in words, how much of it is done, and how much there is in all, 0 where that is not known."""
