"""Graphs of small whole numbers, as kernels take them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from unknot._base.arrays import Rows

Lists = Sequence[Sequence[int]]


def rows(lists: Lists, dtype: Any = np.int64) -> Rows:
    """Compressed rows."""
    first = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return Rows(first, np.array([entry for row in lists for entry in row], dtype=dtype))


def reached(graph: Lists, some: Iterable[int]) -> set[int]:
    """Nodes that are reached from some, those included."""
    found: set[int] = set()
    todo = set(some)
    while todo:
        found |= todo
        todo = {v for u in todo for v in graph[u]} - found
    return found
