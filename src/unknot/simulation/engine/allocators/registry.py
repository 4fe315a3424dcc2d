"""The allocators of routers, as they register themselves: what each of them knows, and the kernel that matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Allocator = Literal["islip", "separable_input_first", "select", "wavefront", "rr_wavefront", "pim", "loa", "max_size"]

ISLIP, INPUTS_FIRST, SELECT, WAVEFRONT, RR_WAVEFRONT, PIM, LOA, MAX_SIZE = range(8)
"""Codes by which kernels know them; those from `WAVEFRONT` on look at all requests at once."""


@dataclass(frozen=True)
class Registered:
    """An allocator.

    Attributes
    ----------
    name : str
    code : int
        A number of its own; the order of the names.
    rounds : bool
        Whether it may take several iterations.
    honours : bool
        Whether it knows priorities.
    arbiters : bool
        Whether its arbiters may be matrix arbiters.
    sweeps : bool
        Whether it sweeps the diagonals of the matrix of requests.
    kernel : str
        Module whose `match` matches a list of all requests; empty of those that match in rounds (`match_kernel`).
    """

    name: Allocator
    code: int
    rounds: bool = False
    honours: bool = False
    arbiters: bool = False
    sweeps: bool = False
    kernel: str = ""


REGISTERED: dict[int, Registered] = {}
"""Allocators by code."""


def register(allocator: Registered) -> None:
    """Make an allocator known.

    Raises
    ------
    ValueError
        If another one has its code.
    """
    if REGISTERED.setdefault(allocator.code, allocator) != allocator:
        other = REGISTERED[allocator.code].name
        raise ValueError(f"allocator {allocator.name} has the code {allocator.code} of {other}")


def names(trait: str = "name") -> tuple[Allocator, ...]:
    """Return the names of the allocators that have a trait, by code."""
    return tuple(REGISTERED[code].name for code in sorted(REGISTERED) if getattr(REGISTERED[code], trait))
