"""Ways through a network as a relation allows them, counted from its plain rule."""

from __future__ import annotations

from collections import Counter

from unknot.routing import Relation


def channel_paths(relation: Relation, source: int, address: int) -> Counter[tuple[int, ...]]:
    """Every path of channels from a source to ejection, with the number of ways over VCs that follow it."""
    found: Counter[tuple[int, ...]] = Counter()
    todo: list[tuple[int, tuple[int, ...]]] = [(relation.num_vcs + source, ())]
    while todo:
        at, path = todo.pop()
        for candidate in relation.candidates(at, address):
            if candidate.vc is None:
                found[path] += 1
            else:
                todo.append((candidate.vc, (*path, int(relation.vcs.channel[candidate.vc]))))
    return found


def steps(relation: Relation, path: tuple[int, ...]) -> list[tuple[int, int]]:
    """The moves of a path on a mesh, as (dimension, +1 or −1)."""
    at = relation.network.coordinates
    assert at is not None
    moves = at[relation.network.target[list(path)]] - at[relation.network.source[list(path)]]
    return [(int(abs(move).argmax()), int(move.sum())) for move in moves]


def turns(relation: Relation) -> set[tuple[int, tuple[int, int], tuple[int, int]]]:
    """Every turn some route makes: router, move before, move after."""
    network = relation.network
    found = set()
    for address in range(relation.num_addresses):
        for source in relation.sources(address).tolist():
            for path in channel_paths(relation, source, address):
                moves = steps(relation, path) if path else []
                for k in range(1, len(moves)):
                    if moves[k - 1] != moves[k]:
                        found.add((int(network.source[path[k]]), moves[k - 1], moves[k]))
    return found
