"""Naive twins: which pairs orders of channels serve, and the fewest lanes by trying everything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise, product

import networkx as nx
import numpy as np

from unknot.network import Network


def shortest_paths(network: Network, source: int, target: int) -> list[tuple[int, ...]]:
    """All shortest paths from one router to another, as channels."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(network.num_routers))
    for c in range(network.num_channels):
        graph.add_edge(int(network.source[c]), int(network.target[c]), key=c)
    hops = nx.single_target_shortest_path_length(graph, target)
    away = dict(hops)
    if source not in away:
        return []
    paths: list[tuple[int, ...]] = [()]
    for step in range(away[source]):
        longer = []
        for path in paths:
            here = source if not path else int(network.target[path[-1]])
            longer += [
                (*path, c) for _, v, c in graph.out_edges(here, keys=True) if away.get(v) == away[source] - step - 1
            ]
        paths = longer
    return paths


def pairs(network: Network) -> Iterator[tuple[int, int]]:
    """Pairs of different routers one of which injects and the other ejects."""
    for s, t in product(np.unique(network.inject).tolist(), np.unique(network.eject).tolist()):
        if s != t:
            yield s, t


def unserved(network: Network, key: np.ndarray, *, both_ways: bool = False) -> int:
    """How many pairs have no shortest path that climbs in one of the lanes, and both ways in the same one."""

    def climbs(lane: np.ndarray, s: int, t: int) -> bool:
        return any(all(lane[a] < lane[b] for a, b in pairwise(path)) for path in shortest_paths(network, s, t))

    return sum(
        not any(climbs(lane, s, t) and (not both_ways or climbs(lane, t, s)) for lane in key)
        for s, t in pairs(network)
    )


def fewest_lanes(network: Network, limit: int, *, both_ways: bool = False) -> int:
    """The fewest lanes in which every pair has a shortest path without a cycle in any lane, by trying everything.

    With `both_ways` in the same lane as the pair back.
    """
    turns = []
    for s, t in pairs(network):
        options = {frozenset(pairwise(path)) for path in shortest_paths(network, s, t)}
        if both_ways:
            back = [frozenset(pairwise(path)) for path in shortest_paths(network, t, s)]
            options = {one | other for one in options for other in back}
        turns.append({o for o in options if not any(other < o for other in options)})
    # a pair whose every choice is contained in what another pair needs in any case follows it
    turns = [options for options in turns if frozenset() not in options]
    turns.sort(key=len)
    for lanes in range(1, limit + 1):
        if _fits(turns, [frozenset()] * lanes):
            return lanes
    return limit + 1


def fewest_for(paths: Iterable[tuple[int, ...]], limit: int) -> int:
    """The fewest lanes that given paths can be shared out among without a cycle in any, by trying everything."""
    turns = [{frozenset(pairwise(path))} for path in paths if len(path) > 1]
    turns.sort(key=lambda options: -max(map(len, options)))
    for lanes in range(1, limit + 1):
        if _fits(turns, [frozenset()] * lanes):
            return lanes
    return limit + 1


def fewest_changing(network: Network, limit: int, changes: str, *, given: dict | None = None) -> int:
    """The fewest lanes if packets change them on the way, by trying everything.

    With "rising" only for higher ones, with "any" for any. `given` has the path of each pair, if they are given.
    """
    for lanes in range(1, limit + 1):
        turns = []
        for s, t in pairs(network):
            options = set()
            for path in shortest_paths(network, s, t) if given is None else [given[s, t]]:
                for taken in product(range(lanes), repeat=len(path)):
                    if changes == "any" or list(taken) == sorted(taken):
                        options.add(frozenset(pairwise(zip(path, taken, strict=True))))
            if frozenset() not in options:
                turns.append(options)
        turns.sort(key=len)
        if _fits(turns, [frozenset()]):
            return lanes
    return limit + 1


def _fits(left: list[set[frozenset[tuple[int, int]]]], lanes: list[frozenset[tuple[int, int]]]) -> bool:
    left = [options for options in left if not any(o <= lane for o in options for lane in lanes)]
    if not left:
        return True
    choices = []
    for options in left:
        fitting = [(i, lane | o) for o in options for i, lane in _distinct(lanes) if _acyclic(lane | o)]
        if len(fitting) < 2:
            choices = [fitting]
            break
        choices.append(fitting)
    return any(_fits(left, [*lanes[:i], lane, *lanes[i + 1 :]]) for i, lane in min(choices, key=len))


def _distinct(lanes: list[frozenset[tuple[int, int]]]) -> list[tuple[int, frozenset[tuple[int, int]]]]:
    """Lanes that differ: of the empty ones only the first."""
    seen, distinct = set(), []
    for i, lane in enumerate(lanes):
        if lane not in seen:
            seen.add(lane)
            distinct.append((i, lane))
    return distinct


def _acyclic(turns: frozenset[tuple[int, int]]) -> bool:
    return nx.is_directed_acyclic_graph(nx.DiGraph(list(turns)))
