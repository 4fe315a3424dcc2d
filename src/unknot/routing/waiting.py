"""What a blocked header waits for: all candidates without a mark, or the one candidate that it has chosen.

Whoever searches, decides or replays reads `commits` and `NO_WAIT` through these functions, kernels as they say; the
checker has a reading of its own.
"""

from __future__ import annotations

from typing import TypeVar

from unknot._base.arrays import Ints
from unknot.flow_control.techniques import technique
from unknot.routing.contract import NO_WAIT

Entries = TypeVar("Entries", int, Ints)


def effective(entries: Entries, commits: bool) -> Entries:
    """Return candidates, as rules write them, with the marks that have an effect: none where headers commit."""
    return entries & ~NO_WAIT if commits else entries


def keeps_choice(commits: bool, switching: str) -> bool:
    """Whether a blocked header waits for its chosen candidate alone, marked or not.

    A header of a relation that commits has chosen on arrival. One that queues behind a tail has
    chosen too. Any other header waits for all candidates without the mark `NO_WAIT`.
    """
    return commits or technique(switching).keeps
