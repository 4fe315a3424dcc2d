"""Time-expanded greedy trees: in each step each channel brings its target a chunk that it lacks, the rarest first.

W. Won, M. Elavazhagan, S. Srinivasan, S. Gupta, T. Krishna: TACOS: Topology-Aware Collective Algorithm Synthesizer
for Distributed Machine Learning. MICRO 2024, 856–870. Theirs draws among all chunks that fit; faster channels carry
several chunks in a step here."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

from unknot._base.errors import NetworkError
from unknot.traffic.collectives.platform import Platform
from unknot.traffic.collectives.trees import Edge, Tree

TRIES = 4
"""Runs with other draws among equals; the one with fewest steps counts."""


def greedy(platform: Platform, roots: Sequence[int], pieces: int = 1, most: int = 1) -> list[Tree]:
    """Return trees from roots to all members, a chunk for each piece of each root.

    Parameters
    ----------
    pieces : int
        Chunks of each root.
    most : int
        Chunks that the slowest channel carries in a step.

    Raises
    ------
    NetworkError
        If there are switches, or a member cannot be reached.

    Examples
    --------
    >>> from unknot.traffic.collectives.platform import Channel
    >>> ends = [(a, b) for a in range(4) for b in range(4) if a != b]
    >>> square = Platform("four", 4, tuple(Channel(a, b, Fraction(1)) for a, b in ends), (0, 1, 2, 3))
    >>> [(tree.root, max(edge.step for edge in tree.edges)) for tree in greedy(square, (0, 1, 2, 3))]
    [(0, 0), (1, 0), (2, 0), (3, 0)]
    """
    if len(platform.members) < platform.num_nodes:
        raise NetworkError(f"{platform.name}: greedy trees need members that are joined directly, not by switches")
    made = [_run(platform, roots, pieces, most, random.Random(seed)) for seed in range(TRIES)]
    return min(made, key=lambda trees: max(edge.step for tree in trees for edge in tree.edges))


def _run(platform: Platform, roots: Sequence[int], pieces: int, most: int, draw: random.Random) -> list[Tree]:
    slowest = min(channel.bandwidth for channel in platform.channels)
    turns = [(c, one) for c, one in enumerate(platform.channels) for _ in range(int(one.bandwidth * most / slowest))]
    owners = [root for root in roots for _ in range(pieces)]
    has = [
        sum(1 << chunk for chunk, owner in enumerate(owners) if owner == node) for node in range(platform.num_nodes)
    ]
    holders, whole = [1] * len(owners), (1 << len(owners)) - 1
    edges: list[list[Edge]] = [[] for _ in owners]
    step = 0
    while any(mask != whole for mask in has):
        before, moved = list(has), False
        draw.shuffle(turns)
        turns.sort(key=lambda turn: (before[turn[1].source] & ~before[turn[1].target]).bit_count())
        for number, channel in turns:
            lacking = before[channel.source] & ~has[channel.target]
            if not lacking:
                continue
            moved = True
            chunk = min(_bits(lacking), key=lambda chunk: (holders[chunk], draw.random()))
            has[channel.target] |= 1 << chunk
            holders[chunk] += 1
            edges[chunk].append(Edge(step, channel.source, channel.target, (number,)))
        if not moved:
            raise NetworkError(f"{platform.name}: no channel leads from each root to each member")
        step += 1
    return [Tree(root, tuple(tree), Fraction(1, pieces)) for root, tree in zip(owners, edges, strict=True)]


def _bits(mask: int) -> list[int]:
    bits = []
    while mask:
        bits.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return bits
