"""All-gather without a root: around a ring of the members, or from each member to each other directly.

Every member injects and receives (members − 1) blocks, which is the least possible. Around a ring a member passes on
a block when all of it has arrived; direct messages wait for nothing and share channels. Both are in E. Chan,
M. Heimlich, A. Purkayastha, R. van de Geijn: Collective communication: theory, practice, and experience.
Concurrency and Computation: Practice and Experience, 19(13), 2007, 1749–1783. doi:10.1002/cpe.1206."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unknot.traffic.collectives.schedule import Send


def around_ring(row: Sequence[int]) -> Iterator[Send]:
    """Each member passes on to the next in the row what it received in the step before."""
    count = len(row)
    for step in range(count - 1):
        for i in range(count):
            needs = ((step - 1) * count + (i - 1) % count,) if step else ()
            yield Send(step, row[i], row[(i + 1) % count], (row[(i - step) % count],), 1, needs)


def directly(row: Sequence[int]) -> Iterator[Send]:
    """Each member sends its block to the next in the row, then to the one after it, and so on around."""
    count = len(row)
    for step in range(count - 1):
        for i in range(count):
            yield Send(step, row[i], row[(i + step + 1) % count], (row[i],), 1)


ALGORITHMS = {"ring": around_ring, "direct": directly}
"""Algorithms of all-gather besides `halving`, by name."""
