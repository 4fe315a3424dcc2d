"""Families of fabrics without faults, drawn by lot; a fabric is a list of cables between ports."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

import networkx as nx

End = tuple[str, int]


@dataclass
class Cable:
    a: End
    b: End
    rate: str = "4xNDR"
    planted: bool = False

    @property
    def nodes(self) -> frozenset[str]:
        return frozenset((self.a[0], self.b[0]))

    @property
    def names(self) -> set[str]:
        ends = [f"{node}[{port}]" if node[0] == "S" else node for node, port in (self.a, self.b)]
        return {" – ".join(ends), " – ".join(ends[::-1])}


@dataclass
class Fault:
    """What was done: the cables that are wrong, both switches of each missing one, and a host or a switch."""

    kind: str
    cables: list[Cable] = field(default_factory=list)
    missing: list[frozenset[str]] = field(default_factory=list)
    host: str = ""


@dataclass
class Drawn:
    """A fabric; `spines` are switches without hosts in a fabric whose other switches have some."""

    kind: str
    cables: list[Cable] = field(default_factory=list)
    spines: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    _used: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def port(self, node: str) -> End:
        self._used[node] += 1
        return node, self._used[node]

    def join(self, a: str, b: str, times: int = 1, rate: str = "4xNDR") -> None:
        for _ in range(times):
            self.cables.append(Cable(self.port(a), self.port(b), rate))

    def host(self, name: str, *switches: str) -> None:
        for switch in switches:
            self.join(name, switch)

    def joined(self, pair: frozenset[str]) -> frozenset[str]:
        """Two switches, or in a dragonfly+ their groups where these differ: two faults there may cancel out."""
        if not self.kind.startswith("dragonfly"):
            return pair
        groups = frozenset(node[2] if self.kind == "dragonfly+" else node[1:-2] for node in pair)
        return frozenset(f"group {group}" for group in groups) if len(groups) > 1 else pair

    @property
    def between(self) -> list[Cable]:
        return [cable for cable in self.cables if cable.a[0][0] == cable.b[0][0] == "S"]


def switches(random: Random, number: int) -> list[str]:
    return [f"S{code}" for code in random.sample(range(1000, 9999), number)]


def add_hosts(drawn: Drawn, random: Random, leaves: list[str], most: int) -> None:
    few = max(1, most // 2)
    for leaf in leaves:
        for _ in range(most if random.random() < 0.8 else random.randint(few, most)):
            drawn.host(f"H{len(drawn.cables):05d}", leaf)


def _dual(drawn: Drawn, random: Random, leaves: list[str], most: int) -> None:
    for first, second in zip(leaves[::2], leaves[1::2], strict=False):
        for _ in range(most):
            drawn.host(f"H{len(drawn.cables):05d}", first, second)


def leaf_and_spine(random: Random) -> Drawn:
    drawn = Drawn("fat tree")
    leaves, spines = switches(random, random.randint(6, 30)), []
    spines = [f"S{code}" for code in random.sample(range(10000, 19999), random.randint(4, 16))]
    times = random.randint(1, 4)
    for leaf in leaves:
        for spine in spines:
            drawn.join(leaf, spine, times)
    (_dual if random.random() < 0.3 and len(leaves) % 2 == 0 else add_hosts)(
        drawn, random, leaves, random.randint(6, 16)
    )
    drawn.spines = spines
    return drawn


def three_levels(random: Random, pruned: bool = False) -> Drawn:
    drawn = Drawn("fat tree")
    pods, below, above = random.randint(4, 8), random.randint(3, 7), random.randint(3, 6)
    cores, times, up = random.randint(2, 6), random.randint(1, 2), random.randint(1, 2)
    leaves, middle, top = [], [], []
    core = [[f"S{1000 + 100 * j + i}" for i in range(cores)] for j in range(above)]
    for pod in range(pods):
        here = below - random.randint(1, 2) if pruned and pod >= pods - 1 else below
        low = [f"S{5000 + 100 * pod + i}" for i in range(here)]
        high = [f"S{7000 + 100 * pod + j}" for j in range(above)]
        for leaf in low:
            for spine in high:
                drawn.join(leaf, spine, times)
        for j, spine in enumerate(high):
            for switch in core[j]:
                drawn.join(spine, switch, 1 if pruned else up)
        leaves += low
        middle += high
    top = [switch for group in core for switch in group]
    add_hosts(drawn, random, leaves, random.randint(4, 12))
    drawn.spines = [*middle, *top]
    return drawn


def dragonfly_plus(random: Random) -> Drawn:
    drawn = Drawn("dragonfly+")
    groups, below, above, times = (
        random.randint(5, 9),
        random.randint(3, 7),
        random.randint(3, 6),
        random.randint(1, 3),
    )
    low = [[f"S{1000 + 100 * g + i}" for i in range(below)] for g in range(groups)]
    high = [[f"S{5000 + 100 * g + i}" for i in range(above)] for g in range(groups)]
    for g in range(groups):
        for leaf in low[g]:
            for spine in high[g]:
                drawn.join(leaf, spine)
    used = [0] * groups
    for g, h in combinations(range(groups), 2):
        for _ in range(times):
            drawn.join(high[g][used[g] % above], high[h][used[h] % above])
            used[g] += 1
            used[h] += 1
    add_hosts(drawn, random, [leaf for group in low for leaf in group], random.randint(4, 10))
    drawn.spines = [spine for group in high for spine in group]
    return drawn


def torus(random: Random) -> Drawn:
    drawn = Drawn("torus")
    sides = random.choice(
        [(5, 5), (6, 7), (8, 8), (5, 9), (10, 12), (4, 6), (4, 4, 6), (3, 5, 5), (5, 5, 5), (4, 5, 6)]
    )
    graph = nx.grid_graph(list(sides), periodic=True)
    name = dict(zip(graph, switches(random, len(graph)), strict=True))
    times = random.choice([1, 1, 2])
    for u, v in graph.edges:
        drawn.join(name[u], name[v], times)
    hosts = random.randint(1, 4)
    for switch in name.values():
        for _ in range(hosts):
            drawn.host(f"H{len(drawn.cables):05d}", switch)
    return drawn


def irregular(random: Random) -> Drawn:
    drawn = Drawn("none")
    size = 2 * random.randint(10, 40)
    graph = nx.random_regular_graph(random.randint(3, 6), size, seed=random.randint(0, 10**6))
    name = switches(random, size)
    for u, v in graph.edges:
        drawn.join(name[u], name[v])
    for switch in name:
        for _ in range(random.randint(1, 4)):
            drawn.host(f"H{len(drawn.cables):05d}", switch)
    return drawn


FAMILIES = (
    leaf_and_spine,
    three_levels,
    lambda random: three_levels(random, pruned=True),
    dragonfly_plus,
    torus,
    irregular,
)


def _of_graph(kind: str, graph: nx.Graph, random: Random) -> Drawn:
    drawn = Drawn(kind)
    name = dict(zip(graph, switches(random, len(graph)), strict=True))
    times, hosts = random.choice([1, 1, 2]), random.randint(1, 4)
    for u, v in graph.edges:
        drawn.join(name[u], name[v], times)
    for switch in name.values():
        for _ in range(hosts):
            drawn.host(f"H{len(drawn.cables):05d}", switch)
    return drawn


def mesh(random: Random) -> Drawn:
    sides = random.choice([(5, 5), (6, 7), (8, 8), (4, 5, 6), (5, 9), (4, 4, 4)])
    return _of_graph("mesh", nx.grid_graph(list(sides)), random)


def hypercube(random: Random) -> Drawn:
    return _of_graph("hypercube", nx.hypercube_graph(random.randint(4, 7)), random)


def hyperx(random: Random) -> Drawn:
    sides = random.choice([(4, 5), (5, 5), (6, 6), (3, 4, 5), (4, 4, 4), (7, 5)])
    graph = nx.complete_graph(sides[0])
    for side in sides[1:]:
        graph = nx.cartesian_product(graph, nx.complete_graph(side))
    return _of_graph("HyperX", graph, random)


def dragonfly(random: Random) -> Drawn:
    drawn = Drawn("dragonfly")
    size, ends = random.randint(4, 8), random.randint(1, 3)
    groups = random.choice([size * ends + 1, random.randint(5, size * ends + 1)])
    name = [[f"S{1000 + 100 * g + i}" for i in range(size)] for g in range(groups)]
    for group in name:
        for u, v in combinations(group, 2):
            drawn.join(u, v)
    used, times = [0] * groups, random.choice([1, max(1, size * ends // (groups - 1))])
    for g, h in combinations(range(groups), 2):
        for _ in range(times):
            drawn.join(name[g][used[g] % size], name[h][used[h] % size])
            used[g] += 1
            used[h] += 1
    add_hosts(drawn, random, [switch for group in name for switch in group], 3)
    return drawn


MORE = (mesh, hypercube, hyperx, dragonfly)
