"""Addresses and numbers of VCs that routing functions of BookSim need."""

from __future__ import annotations

import numpy as np

from unknot._base.errors import UnknotError
from unknot.studies.booksim.networks import Built

MOST_ADDRESSES = 2**24


class UnfitError(UnknotError):
    """A routing function that cannot be had with some value of a key."""

    def __init__(self, message: str, key: str = "num_vcs") -> None:
        self.key = key
        super().__init__(message)


def addresses(built: Built, draws: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Destination of each address, `draws` blocks of all terminals."""
    terminals = built.network.num_terminals
    if draws * terminals > MOST_ADDRESSES:
        raise UnfitError(
            f"{draws} ways that a packet can draw × {terminals} terminals are more than {MOST_ADDRESSES}", "k"
        )
    return np.tile(np.arange(terminals, dtype=np.int32), draws)


def at_least(vcs: int, least: int) -> None:
    """Refuse fewer VCs than a routing function takes."""
    if vcs < least:
        raise UnfitError(f"at least {least} VCs are wanted, got {vcs}")


def in_halves(vcs: int, faithful: bool) -> None:
    """Refuse VCs that cannot be divided among two classes as asked."""
    at_least(vcs, 2)
    if faithful and vcs % 2:
        raise UnfitError(
            f"BookSim's halves of {vcs} VCs share the middle one, which is not built; take an even number"
        )


def even(vcs: int) -> None:
    """Refuse an odd number of VCs."""
    if vcs % 2:
        raise UnfitError(f"an even number of VCs is wanted, half for each phase, got {vcs}")
