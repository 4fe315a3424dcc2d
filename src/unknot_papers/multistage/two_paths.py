"""Messages with two paths each at most: a choice without conflict is a 2-satisfiability problem."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot.network.model import IntArray
from unknot_papers.multistage.search import PathTable

Clauses = dict[int, list[int]]


def choose(table: PathTable) -> IntArray | None:
    """Disjoint paths, or None if there is no choice of them; every message has one or two.

    Paths are literals, and choosing one implies refusing every path that shares a link with it. Literals are tried
    with unit propagation; a try that meets no contradiction is kept, as it can do no harm (Even, Itai & Shamir 1976).

    Notes
    -----
    O(messages × implications) time at worst.
    """
    messages = table.first.size - 1
    owner = np.repeat(np.arange(messages), np.diff(table.first))
    other = _other(table)
    clashes: Clauses = {}
    by_channel: Clauses = {}
    for path, channels in enumerate(table.paths.tolist()):
        for channel in channels:
            by_channel.setdefault(channel, []).append(path)
    for paths in by_channel.values():
        for a in paths:
            clashes.setdefault(a, []).extend(b for b in paths if owner[b] != owner[a])
    chosen = np.full(messages, -1, dtype=np.int64)
    for m in range(messages):
        if chosen[m] >= 0:
            continue
        for path in range(int(table.first[m]), int(table.first[m + 1])):
            forced = _propagate(path, chosen, owner.tolist(), other, clashes)
            if forced is not None:
                for p in forced:
                    chosen[owner[p]] = p
                break
        else:
            return None
    return table.paths[chosen]


def _propagate(
    path: int,
    chosen: npt.NDArray[np.int64],
    owner: list[int],
    other: list[int],
    clashes: Clauses,
) -> list[int] | None:
    """Return all paths that follow from one, or None if they contradict each other."""
    taken: dict[int, int] = {owner[path]: path}
    todo = [path]
    while todo:
        here = todo.pop()
        for refused in clashes.get(here, ()):
            m = owner[refused]
            if chosen[m] >= 0:
                if chosen[m] == refused:
                    return None
                continue
            instead = other[refused]
            if instead < 0 or taken.get(m, instead) != instead:
                return None
            if m not in taken:
                taken[m] = instead
                todo.append(instead)
    return list(taken.values())


def _other(table: PathTable) -> list[int]:
    """The other path of the message of each path, or −1."""
    other = [-1] * len(table.paths)
    for a, b in zip(table.first[:-1].tolist(), table.first[1:].tolist(), strict=True):
        if b - a == 2:
            other[a], other[a + 1] = a + 1, a
    return other
