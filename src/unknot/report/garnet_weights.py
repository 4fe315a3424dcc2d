"""Weights of channels with which gem5's Garnet takes given routes."""

from __future__ import annotations

import numpy as np

from unknot._base.errors import RelationError
from unknot.lanes.tables import Table, table_of
from unknot.lanes.ways import Flags, Floats, Ints
from unknot.network import distances_from
from unknot.routing.relation import Relation

MOST_ROWS = 400_000
"""Most conditions of the linear program."""
HEAVIEST = 1_000_000


def garnet_weights(relation: Relation) -> list[int]:
    """Whole weights of the channels with which Garnet takes the routes.

    Garnet routes by tables that it makes of the weights: a packet takes a way of least total weight, and of several
    channels on such ways the lightest. The routes must be by tables, and nothing of VCs or lanes can be kept.

    Raises
    ------
    RelationError
        If the relation has a choice of channels, puts a packet on some VCs of a channel only, is too large, or if no
        weights give its routes.
    """

    network = relation.network
    table = table_of(relation)
    if len(set(table.home.tolist())) < len(table.home) or _lanes(relation):
        raise RelationError(
            f"{relation.name}: Garnet keeps one route to each router and all VCs of a channel for it, so lanes "
            "cannot be written as weights"
        )
    channels, rows = network.num_channels, len(table.home)
    if rows * channels > MOST_ROWS:
        raise RelationError(f"{relation.name}: weights for {rows} × {channels} conditions are too many to be sought")
    used = _used(table)
    for strict in (True, False):
        weights = _sought(table, used, strict)
        if weights is None:
            continue
        for scale in (1, 2, 3, 4, 6, 12, 60, 840):
            whole = np.rint(weights * scale).astype(np.int64)
            if _gives(table, whole, used):
                return [int(w) for w in whole]
    raise RelationError(f"{relation.name}: no weights of channels were found that make Garnet take these routes")


def _used(table: Table) -> Flags:
    """Entries that some route takes: bool array, shape (rows, routers)."""
    used: Flags = np.zeros(table.next_channel.shape, dtype=bool)
    start, row = np.nonzero(table.wanted)
    while row.size:
        used[row, start] = True
        start = table.network.target[table.next_channel[row, start]].astype(np.int64)
        going = start != table.home[row]
        start, row = start[going], row[going]
    return used


def _sought(table: Table, used: Flags, strict: bool) -> Floats | None:
    """Weights by linear programming: other ways weigh more, or if not `strict` begin with a heavier channel."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    network = table.network
    channels, rows = network.num_channels, len(table.home)
    cells: list[tuple[int, int, float]] = []
    least: list[float] = []

    def at_least(amount: float, *parts: tuple[int, float]) -> None:
        cells.extend((len(least), column, value) for column, value in parts)
        least.append(amount)

    def rest(row: int, router: int, sign: float) -> tuple[tuple[int, float], ...]:
        home = router == table.home[row]
        return () if home else ((channels + row * network.num_routers + router, sign),)

    ends = list(zip(network.source.tolist(), network.target.tolist(), strict=True))
    hops = [distances_from(network, int(home), reverse=True) for home in table.home]
    heavier: set[tuple[int, int]] = set()
    for r in range(rows):
        for c, (u, v) in enumerate(ends):
            if u == table.home[r]:
                continue
            own = int(table.next_channel[r, u])
            tied = not strict and bool(used[r, u]) and c != own and hops[r][v] == hops[r][u] - 1
            at_least(float(used[r, u] and c != own and not tied), (c, 1.0), *rest(r, u, -1.0), *rest(r, v, 1.0))
            if used[r, u] and c == own:
                at_least(0.0, (c, -1.0), *rest(r, u, 1.0), *rest(r, v, -1.0))
            if tied:
                heavier.add((c, own))
    for c, own in sorted(heavier):
        at_least(1.0, (c, 1.0), (own, -1.0))
    i, j, value = (np.array(part) for part in zip(*cells, strict=True))
    size = channels + rows * network.num_routers
    solved = linprog(
        np.repeat([1.0, 0.0], [channels, size - channels]),
        A_ub=-coo_array((value, (i, j)), shape=(len(least), size)).tocsr(),
        b_ub=-np.array(least),
        bounds=[(1, HEAVIEST)] * channels + [(0, None)] * (size - channels),
        method="highs",
    )
    return np.asarray(solved.x[:channels]) if solved.status == 0 else None


def _lanes(relation: Relation) -> bool:
    """Whether somewhere a packet may take some VCs of a channel, but not all."""
    from unknot.report.entries import entries

    counts, channel = relation.vcs.counts, relation.vcs.channel
    for _, _, _, candidates in entries(relation):
        vcs = [vc for vc, _, _ in candidates if vc is not None]
        if vcs and len(set(vcs)) < int(counts[channel[vcs[0]]]):
            return True
    return False


def _gives(table: Table, weights: Ints, used: Flags) -> bool:
    """Whether Garnet takes the routes: of the channels on ways of least weight each time the lightest."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    network = table.network
    size = network.num_routers
    graph = csr_array((weights.astype(float), (network.target, network.source)), shape=(size, size))
    away = dijkstra(graph, indices=table.home)
    for row in range(len(table.home)):
        total = weights + away[row, network.target]
        for u in np.flatnonzero(used[row]).tolist():
            best = np.flatnonzero((network.source == u) & (total == away[row, u]))
            best = best[weights[best] == weights[best].min()]
            if best.tolist() != [int(table.next_channel[row, u])]:
                return False
    return True
