"""Search for links by annealing of several walkers, each with random numbers of its own."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unknot._base.arrays import Flags, Ints, ranks
from unknot.search.effort import AnnealingStep, SearchEffort, random_state

if TYPE_CHECKING:
    from unknot.synthesis.topology.request import TopologyRequest

WALKERS = 4
"""Walkers of a round, on any machine, so that the answer is the same."""
HEAT = (8.0, 0.27)
"""Temperatures at the beginning and at the end, in hops of pairs of a source and a node, of up to `SMALL` nodes."""
OVER_WALLS = 4
"""Factor of the first temperature where budgets and dead links part networks that are alike."""
SMALL = 64
"""Nodes from whose number on temperatures grow with it: links of larger networks are on more paths."""
PAIR_MOVES, FIRST_MOVES, MOST_MOVES = 1_000, 400_000, 6_400_000
"""Moves of a walker in the first round for each pair of nodes, and at most; each round has twice as many, up to the
last number."""
LATE = 4
"""Cost of a hop beyond the diameter that is aimed at."""
WORD = 1.2e-9
"""Seconds of work of a move for each word of bits, link and level."""
LEVELS = 3
NEVER = 1 << 60
MOST_CHANGES = 24
"""Most channels of an orbit that a move changes: four links, and eight that make room in a budget, both ways."""
NO_BUDGETS = np.zeros(0, dtype=np.int64)


class LinkSpace(NamedTuple):
    """What links may be, and what pairs cost; for arrays see `TopologyRequest`.

    Attributes
    ----------
    first, to : int64 arrays
        Ends of the links that are drawn from each node, in compressed rows; empty: all.
    sources : int64 array
        A node of each orbit.
    late, target : int
        Cost of a hop count from `target` on that does not reach a node.
    switch : int64 array, shape (nodes, nodes), or empty
        Number of the switch that may join two nodes.
    most : int64 array, shape (budgets,)
        Limits of budgets.
    takes_first : int64 array, shape (nodes² + 1,), or empty
    takes : int64 array, shape (entries, 2)
        Number of a budget, and what a link takes of it; entries in compressed rows, one for each pair of nodes.
    survives : bool
    """

    first: Ints
    to: Ints
    allowed: Flags
    required: Flags
    leaving: Ints
    entering: Ints
    both_ways: bool
    image: Ints
    sources: Ints
    late: int
    target: int
    switch: Ints
    most: Ints
    takes_first: Ints
    takes: Ints
    survives: bool


class Links(NamedTuple):
    """Links of a walker.

    Attributes
    ----------
    there : bool array, shape (nodes, nodes)
    after, before : int64 arrays, shape (nodes, most ports)
        Ends of the links from each node, and beginnings of those to each node.
    leaving, entering : int64 arrays, shape (nodes,)
        How many these are.
    used : int64 array, shape (budgets,)
        What links take of each budget.
    """

    there: Flags
    after: Ints
    leaving: Ints
    before: Ints
    entering: Ints
    used: Ints


def links_of(there: Flags, ports: int = 0, used: Ints = NO_BUDGETS) -> Links:
    """Links as flags and as lists, with room for a number of ports at least."""
    lists: list[Ints] = []
    for table in (there, there.T):
        many, (node, end) = table.sum(axis=1), np.nonzero(table)
        ends = np.full((len(there), max(ports, int(many.max()))), -1, dtype=np.int64)
        ends[node, ranks(node)] = end
        lists += [ends, many.astype(np.int64)]
    return Links(there, *lists, used)  # type: ignore[call-arg]


class LinkScratch(NamedTuple):
    """Scratch arrays of a walker.

    Attributes
    ----------
    reach, following : int64 arrays, shape (nodes, words)
        Sources that reach a node, as bits, before and after a hop.
    changed : int64 array, shape (most links of a move, 2)
        Links that a move brought or took.
    many : int64 array, shape (1,)
        How many these are.
    line, seen : int64 arrays, shape (nodes,)
        Nodes that a search met, in order, and the search that met a node last.
    """

    reach: Ints
    following: Ints
    changed: Ints
    many: Ints
    line: Ints
    seen: Ints


def space_of(wanted: TopologyRequest, target: int = NEVER, late: int = LATE) -> LinkSpace:
    """The space of a request; hops beyond a target, or beyond the most of the request, cost more."""
    target = min(target, wanted.most_far or NEVER)
    drawn = wanted.allowed & ~wanted.required
    every = int(drawn.sum()) == wanted.size * (wanted.size - 1)
    first = np.zeros(0) if every else np.concatenate([[0], np.cumsum(drawn.sum(axis=1))])
    to = np.zeros(0) if every else np.nonzero(drawn)[1]
    return LinkSpace(
        first.astype(np.int64), to.astype(np.int64), wanted.allowed, wanted.required, wanted.leaving, wanted.entering,
        wanted.both_ways, wanted.image, np.unique(wanted.image.min(axis=0)), late if target < NEVER else 1, target,
        wanted.switch, np.array([one.most for one in wanted.budgets], dtype=np.int64), *_takes(wanted),
        wanted.survives,
    )  # fmt: skip


def _takes(wanted: TopologyRequest) -> tuple[Ints, Ints]:
    if not wanted.budgets:
        return NO_BUDGETS, np.zeros((0, 2), dtype=np.int64)
    pairs = np.concatenate([one.links @ np.array([wanted.size, 1]) for one in wanted.budgets])
    number = np.repeat(np.arange(len(wanted.budgets)), [one.parts.size for one in wanted.budgets])
    takes = np.stack([number, np.concatenate([one.parts for one in wanted.budgets])], axis=1)
    order = np.argsort(pairs, kind="stable")
    return np.searchsorted(pairs[order], np.arange(wanted.size**2 + 1)), takes[order]


class Walker:
    """Links of a walk through the space, with their scratch arrays and random numbers."""

    def __init__(self, space: LinkSpace, seed: list[int], start: Flags | None = None) -> None:
        nodes, ports = space.leaving.size, int(max(space.leaving.max(), space.entering.max()))
        self.space = space
        there = space.required if start is None else start
        used = np.zeros_like(space.most)
        for pair in np.flatnonzero(there) if used.size else ():
            part = space.takes[space.takes_first[pair] : space.takes_first[pair + 1]]
            np.add.at(used, part[:, 0], part[:, 1])
        self.links = links_of(there.copy(), ports, used)
        words = -(-space.sources.size // 64)
        reach = np.zeros((nodes, words), dtype=np.int64)
        self.scratch = LinkScratch(
            reach, reach.copy(), np.zeros((MOST_CHANGES * len(space.image), 2), dtype=np.int64),
            *(np.zeros(many, dtype=np.int64) for many in (1, nodes, nodes)),
        )  # fmt: skip
        self.state = random_state(*seed)
        self.best = np.full_like(self.links.after, -1)
        self.least = NEVER

    def walk(self, step: AnnealingStep) -> int:
        """Anneal for a step; the lowest cost so far."""
        from unknot.synthesis.topology.links_kernel import anneal

        arrays = self.space, self.scratch, self.links, self.best, self.state
        self.least = int(anneal(*arrays, self.least, step)[1])
        return self.least

    @property
    def found(self) -> Flags:
        """The links of lowest cost: bool array, shape (nodes, nodes)."""
        there = np.zeros_like(self.links.there)
        u, place = np.nonzero(self.best >= 0)
        there[u, self.best[u, place]] = True
        return there


def rounds(
    space: LinkSpace, effort: SearchEffort, text: str, number: int = 0, start: Flags | None = None
) -> Iterator[Flags]:
    """Yield the best links of each round from a number on, until the limits of the search are reached.

    Ctrl-C ends a round, and its best links are the last. Rounds begin with some links, by default the required ones.
    """
    warmer = max(1.0, space.leaving.size / SMALL)
    heat = warmer * HEAT[0] * (OVER_WALLS if space.most.size or space.survives else 1), warmer * HEAT[1]
    words = space.sources.size / 64 + 1
    each = WORD * words * int(space.leaving.sum()) * LEVELS
    first = min(PAIR_MOVES * space.leaving.size**2, FIRST_MOVES)
    with ThreadPoolExecutor(WALKERS) as threads:
        while (moves := effort.each(min(first << number, MOST_MOVES), WALKERS)) and not effort.stopped:
            walkers = [Walker(space, [effort.seed, number, i], start) for i in range(WALKERS)]
            least = NEVER
            with effort.until_interrupted():
                for step in effort.cooled(moves, heat, each=WALKERS * each, words=space.leaving.size):
                    effort.report(text if least == NEVER else f"{text}, lowest cost {least * len(space.image)}")
                    least = min(threads.map(Walker.walk, walkers, repeat(step)))
                    effort.moves += WALKERS * step.moves
            yield min(walkers, key=lambda one: one.least).found
            number += 1
