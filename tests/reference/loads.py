"""Naive twin: the lowest highest load of routes along shortest paths in lanes, by trying everything."""

from __future__ import annotations

from itertools import pairwise, product

import networkx as nx

from tests.reference.brute_force import TooLargeError
from tests.reference.climbing import pairs, shortest_paths
from unknot.network import Network

Turn = tuple[int, int]


def lowest_load(
    network: Network, lanes: int, *, table: bool = False, below: int | None = None, limit: float = float("inf")
) -> int | None:
    """The lowest highest load with one route for each pair of routers, free of cycles in each lane; None: no routes.

    What follows a channel depends on the lane and the destination, or with `table` on the router and the destination.
    Routes are tried pair by pair, the longest first; what has as high a load as the best so far is cut off.

    Parameters
    ----------
    below : int, optional
        Only lower loads are sought.
    limit : float
        Most routes that are tried.

    Raises
    ------
    TooLargeError
        When as many routes were tried without an answer.
    """
    tried = 0
    options = {pair: shortest_paths(network, *pair) for pair in pairs(network)}
    order = sorted(options, key=lambda pair: (len(options[pair]), -len(options[pair][0])))
    best = below if below is not None else len(order) + 1
    load = [0] * network.num_channels
    turns: list[set[Turn]] = [set() for _ in range(lanes)]
    follow: dict[tuple[int, ...], int] = {}

    def entries(pair: tuple[int, int], lane: int, path: tuple[int, ...]) -> dict[tuple[int, ...], int]:
        if table:
            return {(int(network.source[c]), pair[1]): c for c in path}
        return {(lane, a, pair[1]): b for a, b in pairwise(path)}

    def place(number: int) -> None:
        nonlocal best, tried
        if number == len(order):
            best = max(load)
            return
        pair = order[number]
        empty = next((k for k, lane in enumerate(turns) if not lane), lanes - 1)
        for path, lane in product(options[pair], range(empty + 1)):  # the first of several empty lanes stands for all
            tried += 1
            if tried > limit:
                raise TooLargeError(f"no answer after {limit:g} routes")
            mine = entries(pair, lane, path)
            if any(follow.get(key, then) != then for key, then in mine.items()):
                continue
            if any(load[c] + 1 >= best for c in path):
                continue
            new = set(pairwise(path)) - turns[lane]
            turns[lane] |= new
            if not new or nx.is_directed_acyclic_graph(nx.DiGraph(list(turns[lane]))):
                fresh = [key for key in mine if key not in follow]
                follow.update(mine)
                for c in path:
                    load[c] += 1
                place(number + 1)
                for c in path:
                    load[c] -= 1
                for key in fresh:
                    del follow[key]
            turns[lane] -= new

    before = best
    place(0)
    return None if best == before else best
