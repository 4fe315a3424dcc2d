"""Parts of the blocks of an operation in whole units, and the trees along which they go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from unknot._base.errors import NetworkError
from unknot_collectives.schedule import Schedule
from unknot_collectives.transfers import Transfer
from unknot_collectives.trees import UPWARD, Tree, TreeEdge

Edge = tuple[int, tuple[int, ...]]
"""Parent, and the channels that are passed: from it, or up to it."""


@dataclass(frozen=True)
class BlockPart:
    """A part of a block with its trees: up to the root, and down from the root.

    Attributes
    ----------
    root : int
    leaf : int or None
        The only member that the data are for, or from.
    share : Fraction
        Of the size of the operation.
    up, down : mapping from child to Edge
        Empty where nothing goes that way.
    """

    root: int
    leaf: int | None
    share: Fraction
    up: Mapping[int, Edge]
    down: Mapping[int, Edge]

    def tree(self, *, up: bool) -> Tree:
        """Return a tree, whose steps are distances from the root; channels up are listed from the root.

        Raises
        ------
        NetworkError
            If edges do not make a tree.
        """
        depth, left, made = {self.root: 0}, dict(self.up if up else self.down), list[TreeEdge]()
        while left:
            near = {child: edge for child, edge in left.items() if edge[0] in depth}
            if not near:
                raise NetworkError("edges do not make a tree")
            for child, (parent, path) in near.items():
                made.append(TreeEdge(depth[parent], parent, child, path[::-1] if up else path))
                depth[child] = depth[parent] + 1
                del left[child]
        return Tree(self.root, tuple(made), self.share, self.leaf)


def parts_of(schedule: Schedule) -> Iterator[BlockPart]:
    """Yield the parts of a schedule along trees.

    Raises
    ------
    NetworkError
        If it does not go along trees.
    """
    kind = schedule.operation.kind
    by_chunk = defaultdict[int, list[Transfer]](list)
    for sent in schedule.transfers:
        by_chunk[sent.chunk].append(sent)
    for number, sends in by_chunk.items():
        chunk = schedule.chunks[number]
        upward = [one for one in sends if one.reduces or kind in UPWARD]
        downward = [one for one in sends if not (one.reduces or kind in UPWARD)]
        up = {one.source: (one.target, one.path) for one in upward}
        down = {one.target: (one.source, one.path) for one in downward}
        roots = {parent for tree in (up, down) for parent, _ in tree.values() if parent not in tree}
        if len(up) < len(upward) or len(down) < len(downward) or len(roots) != 1:
            raise NetworkError(f"{schedule.name} does not go along trees")
        leaf = None
        if kind in ("scatter", "gather", "all_to_all"):
            leaf = chunk.source if kind == "gather" else chunk.target
        yield BlockPart(roots.pop(), leaf, chunk.size / schedule.operation.size, up, down)
