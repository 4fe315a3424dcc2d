"""Parts of the blocks of an operation in whole units, and the trees along which they go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from unknot._base.errors import NetworkError
from unknot_collectives.schedule import Schedule, Transfer
from unknot_collectives.trees import UPWARD, Tree, TreeEdge

UNITS = 64
"""Parts of a block, at most; a part is never less than a unit of size."""
Edge = tuple[int, int, tuple[int, ...]]
"""Parent, child and channels; of a tree that adds up, from child to parent."""


@dataclass(frozen=True)
class BlockPart:
    """Units of a block with their trees: up to the root where data is added up, and down from the root.

    Attributes
    ----------
    root : int
    leaf : int or None
    units : int
    up, down : mapping from child to Edge
        Empty where nothing goes that way.
    """

    root: int
    leaf: int | None
    units: int
    up: Mapping[int, Edge]
    down: Mapping[int, Edge]


def tree_of_part(one: BlockPart, edges: Mapping[int, Edge], share: Fraction) -> Tree:
    """Return the tree of edges, whose steps are distances from the root."""
    depth, left, made = {one.root: 0}, list(edges.values()), list[TreeEdge]()
    while left:
        later = list[Edge]()
        for parent, child, path in left:
            if parent in depth:
                made.append(TreeEdge(depth[parent], parent, child, path))
                depth[child] = depth[parent] + 1
            else:
                later.append((parent, child, path))
        if len(later) == len(left):
            raise NetworkError("edges do not make a tree")
        left = later
    return Tree(one.root, tuple(made), share, one.leaf)


def parts_of(schedule: Schedule) -> Iterator[BlockPart]:
    """Yield the parts of a schedule along trees, in units of 1 / `UNITS`² of the size; up edges are turned."""
    kind = schedule.operation.kind
    by_chunk = defaultdict[int, list[Transfer]](list)
    for sent in schedule.transfers:
        by_chunk[sent.chunk].append(sent)
    for number, sends in by_chunk.items():
        chunk = schedule.chunks[number]
        gathers = kind in UPWARD
        turned = [one for one in sends if one.reduces or gathers]
        plain = [one for one in sends if not (one.reduces or gathers)]
        up = {one.source: (one.target, one.source, one.path[::-1]) for one in turned}
        down = {one.target: (one.source, one.target, one.path) for one in plain}
        if len(up) < len(turned) or len(down) < len(plain):
            raise NetworkError(f"{schedule.name} does not go along trees")
        tree = up or down
        root = next((parent for parent, _, _ in tree.values() if parent not in tree), None)
        if root is None or (up and down and root in down):
            raise NetworkError(f"{schedule.name} does not go along trees")
        leaf = None
        if kind in ("scatter", "gather", "all_to_all"):
            leaf = chunk.source if gathers else chunk.target
            tree = {leaf or 0: (root, leaf or 0, _joined(tree, root, leaf or 0))}
        units = max(1, round(chunk.size / schedule.operation.size * UNITS**2))
        if kind == "all_reduce":
            yield BlockPart(root, leaf, units, up, down)
        else:
            yield BlockPart(root, leaf, units, {}, tree)


def _joined(tree: Mapping[int, Edge], root: int, leaf: int) -> tuple[int, ...]:
    """Return the channels from the root of a tree to a leaf, in one."""
    path, at = tuple[int, ...](), leaf
    while at != root:
        parent, _, channels = tree[at]
        path, at = (*channels, *path), parent
    return path
