"""Messages with two paths each at most: a choice without conflict is a 2-satisfiability problem."""

from __future__ import annotations

import networkx as nx
import numpy as np
from scipy.sparse import csr_matrix

from unknot.network.model import IntArray
from unknot_papers.multistage.search import PathTable


def choose(table: PathTable) -> IntArray | None:
    """Disjoint paths, or None if there is no choice of them; every message has one or two.

    Paths are literals, and choosing one implies the other path of every message that it shares a link with. There is
    a choice if no two paths of a message imply each other; it is what comes later in a topological order (Aspvall,
    Plass & Tarjan 1979).

    Notes
    -----
    O(paths + shared links).
    """
    count, (paths, hops) = np.diff(table.first), table.paths.shape
    owner = np.repeat(np.arange(count.size), count)
    # The other path of a lone one is a literal of its own, which implies the lone one: it cannot be chosen.
    twin = table.first[owner] + table.first[owner + 1] - 1 - np.arange(paths)
    other = np.where(count[owner] == 1, paths + owner, twin)
    taken = np.repeat(np.arange(paths), hops), table.paths.ravel()
    uses = csr_matrix((np.ones(paths * hops, dtype=np.int32), taken), (paths, int(taken[1].max(initial=0)) + 1))
    one, two = (uses @ uses.T).nonzero()
    meet = owner[one] != owner[two]
    lone = np.flatnonzero(count[owner] == 1)
    graph = nx.DiGraph()
    graph.add_nodes_from([*range(paths), *other[lone].tolist()])
    graph.add_edges_from(zip(one[meet].tolist(), other[two[meet]].tolist(), strict=True))
    graph.add_edges_from(zip(other[lone].tolist(), lone.tolist(), strict=True))
    groups = nx.condensation(graph)
    rank = {group: i for i, group in enumerate(nx.topological_sort(groups))}
    place = np.empty(paths + count.size, dtype=np.int64)
    for literal, group in groups.graph["mapping"].items():
        place[literal] = rank[group]
    if not count.all() or (place[:paths] == place[other]).any():
        return None
    return table.paths[place[:paths] > place[other]]
