"""The operations of the topology description language as they are defined: by asking every pair of nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

from unknot.network import Network

Label = Hashable


@dataclass(frozen=True)
class Digraph:
    """Nodes by label; for every ordered pair of them the number of channels."""

    nodes: frozenset[Label]
    channels: Counter[tuple[Label, Label]] = field(default_factory=Counter)

    def adjacent(self, u: Label, v: Label) -> bool:
        return self.channels[u, v] > 0


def of(network: Network) -> Digraph:
    """A network with its routers called by coordinates, else by label or number."""
    names: list[Label]
    if network.coordinates is not None:
        names = [tuple(row) for row in network.coordinates.tolist()]
    elif network.router_labels is not None:
        names = [(int(name) if name.isdigit() else name,) for name in network.router_labels]
    else:
        names = [(r,) for r in range(network.num_routers)]
    ends = zip(network.source.tolist(), network.target.tolist(), strict=True)
    return Digraph(frozenset(names), Counter((names[u], names[v]) for u, v in ends))


def digraph(nodes: Iterable[int], channels: Iterable[tuple[int, int]]) -> Digraph:
    return Digraph(frozenset((n,) for n in nodes), Counter(((u,), (v,)) for u, v in channels))


def text(graph: Digraph) -> str:
    """The graph as an edge list of the language."""
    parts = [str(n) for (n,) in sorted(graph.nodes)]  # type: ignore[misc, type-var]
    for ((u,), (v,)), times in sorted(graph.channels.items()):  # type: ignore[misc]
        parts += [f"{u} -> {v}"] * times
    return "{" + ", ".join(parts) + "}"


Rule = Callable[[Digraph, Digraph, Label, Label, Label, Label], bool]

PRODUCTS: dict[str, Rule] = {
    "cartesian": lambda g, h, u1, u2, v1, v2: (u1 == v1 and h.adjacent(u2, v2)) or (g.adjacent(u1, v1) and u2 == v2),
    "lexicographic": lambda g, h, u1, u2, v1, v2: g.adjacent(u1, v1) or (u1 == v1 and h.adjacent(u2, v2)),
    "tensor": lambda g, h, u1, u2, v1, v2: g.adjacent(u1, v1) and h.adjacent(u2, v2),
    "strong": lambda g, h, u1, u2, v1, v2: (
        (u1 == v1 and h.adjacent(u2, v2))
        or (g.adjacent(u1, v1) and u2 == v2)
        or (g.adjacent(u1, v1) and h.adjacent(u2, v2))
    ),
    "left_equal": lambda g, h, u1, u2, v1, v2: u1 == v1,
    "right_equal": lambda g, h, u1, u2, v1, v2: u2 == v2,
    "left_adjacent": lambda g, h, u1, u2, v1, v2: g.adjacent(u1, v1),
    "right_adjacent": lambda g, h, u1, u2, v1, v2: h.adjacent(u2, v2),
}


def multiply(name: str, g: Digraph, h: Digraph) -> Digraph:
    """A product of simple graphs: every pair of pairs is asked; no loops are made."""
    rule = PRODUCTS[name]
    nodes = list(product(g.nodes, h.nodes))
    channels = Counter(
        {
            ((*u1, *u2), (*v1, *v2)): 1  # type: ignore[misc]
            for (u1, u2), (v1, v2) in product(nodes, nodes)
            if (u1, u2) != (v1, v2) and rule(g, h, u1, u2, v1, v2)
        }
    )
    return Digraph(frozenset((*u1, *u2) for u1, u2 in nodes), channels)  # type: ignore[misc]


def combine(name: str, g: Digraph, h: Digraph) -> Digraph:
    """Union, intersection, difference or ring sum, of multigraphs: each pair of nodes is asked for its count."""
    counts = {
        "union": max,
        "intersection": min,
        "difference": lambda a, b: a - min(a, b),
        "ring_sum": lambda a, b: max(a, b) - min(a, b),
    }[name]
    nodes = g.nodes & h.nodes if name == "intersection" else g.nodes | h.nodes
    channels: Counter[tuple[Label, Label]] = Counter()
    for u, v in product(nodes, nodes):
        if times := counts(g.channels[u, v], h.channels[u, v]):
            channels[u, v] = times
    if name in ("difference", "ring_sum"):
        nodes = frozenset(end for pair in channels for end in pair)
    return Digraph(frozenset(nodes), channels)


def join(g: Digraph, h: Digraph) -> Digraph:
    """Both graphs side by side, nodes numbered in order, all links across."""
    left, right = sorted(g.nodes), sorted(h.nodes)  # type: ignore[type-var]
    number = {("g", u): (i,) for i, u in enumerate(left)}
    number |= {("h", v): (len(left) + i,) for i, v in enumerate(right)}
    channels: Counter[tuple[Label, Label]] = Counter()
    for side, graph in (("g", g), ("h", h)):
        for (u, v), times in graph.channels.items():
            channels[number[side, u], number[side, v]] = times
    for u, v in product(left, right):
        channels[number["g", u], number["h", v]] = channels[number["h", v], number["g", u]] = 1
    return Digraph(frozenset(number.values()), channels)


def step(kind: str, k: int, i: int) -> Digraph:
    """A line or ring whose links are the pairs at distance exactly i along it."""
    channels: Counter[tuple[Label, Label]] = Counter()
    for u, v in product(range(k), repeat=2):
        apart = abs(u - v) == i if kind == "line" else (u - v) % k == i % k or (v - u) % k == i % k
        if apart and u != v:
            channels[(u,), (v,)] = 1
    return Digraph(frozenset((u,) for u in range(k)), channels)


def undirected(g: Digraph) -> Digraph:
    channels = Counter({(u, v): max(g.channels[u, v], g.channels[v, u]) for u, v in product(g.nodes, repeat=2)})
    return Digraph(g.nodes, Counter({pair: times for pair, times in channels.items() if times}))


def replace(h: Digraph, ports: dict[Label, Sequence[Label]], g: Digraph) -> Digraph:
    """Every node of h replaced by g; point i of g takes the link to ``ports[node][i]``."""
    points = sorted(g.nodes)  # type: ignore[type-var]
    channels: Counter[tuple[Label, Label]] = Counter()
    for u in h.nodes:
        for a, b in product(points, repeat=2):
            if g.channels[a, b]:
                channels[(*u, *a), (*u, *b)] = g.channels[a, b]  # type: ignore[misc]
        for i, v in enumerate(ports[u]):
            j = list(ports[v]).index(u)
            channels[(*u, *points[i]), (*v, *points[j])] = 1  # type: ignore[misc]
    return Digraph(frozenset((*u, *a) for u in h.nodes for a in points), channels)  # type: ignore[misc]
