"""Fabrics drawn by lot with faults planted in their cables; nothing here knows how faults are found.

A fabric is a list of cables between ports, written as ibnetdiscover prints it, with names and GUIDs in no order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from zlib import crc32

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


def _hosts(drawn: Drawn, random: Random, leaves: list[str], most: int) -> None:
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
    (_dual if random.random() < 0.3 and len(leaves) % 2 == 0 else _hosts)(
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
    _hosts(drawn, random, leaves, random.randint(4, 12))
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
    _hosts(drawn, random, [leaf for group in low for leaf in group], random.randint(4, 10))
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
    _hosts(drawn, random, [switch for group in name for switch in group], 3)
    return drawn


MORE = (mesh, hypercube, hyperx, dragonfly)


def drawn(seed: int, families: Sequence[Callable[[Random], Drawn]] = FAMILIES) -> Drawn:
    """A fabric with 1 to 5 % of its cables damaged."""
    random = Random(seed)
    fabric = families[seed % len(families)](random)
    share = random.uniform(0.01, 0.05)
    for _ in range(max(1, round(share * len(fabric.between)))):
        _plant(fabric, random)
    return fabric


def _plant(fabric: Drawn, random: Random) -> None:
    """Damage cables between two switches, or groups, that no other fault has touched."""
    kinds = ["slow"] * 2 if fabric.kind == "none" else ["missing"] * 4 + ["extra", "swap", "swap", "slow", "slow"]
    kinds += ["spine"] if fabric.spines else []
    kind = random.choice(kinds)
    touched = {fabric.joined(cable.nodes) for fault in fabric.faults for cable in fault.cables}
    touched |= {fabric.joined(pair) for fault in fabric.faults for pair in fault.missing}
    free = [cable for cable in fabric.between if fabric.joined(cable.nodes) not in touched]
    if not free:
        return
    cable = random.choice(free)
    if kind == "missing":
        fabric.cables.remove(cable)
        fabric.faults.append(Fault("missing", missing=[cable.nodes]))
    elif kind == "slow":
        cable.rate = random.choice(["1xNDR", "2xNDR", "4xHDR"])
        fabric.faults.append(Fault("slow", [cable]))
    elif kind == "extra":
        names = sorted({node for one in fabric.between for node in one.nodes})
        a, b = random.sample(names, 2)
        if fabric.joined(frozenset((a, b))) not in touched:
            fabric.join(a, b)
            fabric.faults.append(Fault("extra", [fabric.cables[-1]]))
    elif kind == "swap":
        other = random.choice(free)
        new = [frozenset((cable.a[0], other.b[0])), frozenset((other.a[0], cable.b[0]))]
        every = {fabric.joined(pair) for pair in [*new, cable.nodes, other.nodes]}
        strange = not any(pair in {one.nodes for one in fabric.between} for pair in new)
        if len(cable.nodes | other.nodes) == len(every) == 4 and strange and not every & touched:
            missing = [cable.nodes, other.nodes]
            cable.b, other.b = other.b, cable.b
            fabric.faults.append(Fault("swap", [cable, other], missing))
    else:
        host = random.choice([one for one in fabric.cables if one.a[0][0] == "H"])
        name = host.a[0]
        if sum(one.a[0] == name for one in fabric.cables) == 1:
            host.b = fabric.port(random.choice(fabric.spines))
            fabric.faults.append(Fault("spine", host=name))


def thin_bundles(seed: int) -> Drawn:
    """A tree with bundles of 3 to 6 cables, of which 1 to 5 % lack two cables or more, but not all."""
    random = Random(seed)
    leaves, spines = (
        switches(random, random.randint(6, 20)),
        random.sample(range(10000, 19999), random.randint(4, 10)),
    )
    fabric = Drawn("fat tree", spines=[f"S{code}" for code in spines])
    times, pairs = random.randint(3, 6), [(leaf, spine) for leaf in leaves for spine in fabric.spines]
    thin = random.sample(pairs, max(1, round(random.uniform(0.01, 0.05) * len(pairs))))
    for pair in pairs:
        lost = random.randint(2, times - 1) if pair in thin else 0
        fabric.join(*pair, times - lost)
        fabric.faults += [Fault("missing", missing=[frozenset(pair)] * lost)] if lost else []
    _hosts(fabric, random, leaves, random.randint(4, 12))
    return fabric


def without_a_switch(seed: int) -> tuple[Drawn, Drawn, str]:
    """A fabric without faults, the same without a switch and its hosts, and the name of the switch."""
    families = [*FAMILIES, *MORE]
    whole = families[seed % len(families)](Random(seed))
    random = Random(seed)
    gone = random.choice(sorted({node for cable in whole.between for node in cable.nodes}))
    left = Drawn(whole.kind, [cable for cable in whole.cables if gone not in cable.nodes], whole.spines)
    return whole, left, gone


def text(fabric: Drawn, whole: Drawn | None = None) -> str:
    """The fabric as ibnetdiscover prints it; GUIDs and LIDs are those of a whole fabric, if it is a part of it."""
    every = {node for cable in (whole or fabric).cables for node in (cable.a[0], cable.b[0])}
    at: dict[str, list[tuple[int, End, str]]] = defaultdict(list)
    for cable in fabric.cables:
        at[cable.a[0]].append((cable.a[1], cable.b, cable.rate))
        at[cable.b[0]].append((cable.b[1], cable.a, cable.rate))
    number = {node: i for i, node in enumerate(sorted(every, key=lambda node: crc32(node.encode())), start=1)}
    key = {node: f"{node[0]}-{number[node] * 16:016x}" for node in at}
    lines = ["#", "# Topology file: generated on Mon Jan  5 10:00:00 2026", "#"]
    for node in sorted(at, key=lambda node: (node[0] != "S", node)):
        guid, ports = number[node] * 16, max(port for port, _, _ in at[node])
        lines += ["", "vendid=0x2c9", "devid=0xd2f2", f"sysimgguid=0x{guid:x}"]
        if node[0] == "S":
            lines += [f"switchguid=0x{guid:x}({guid:x})"]
            lines += [f'Switch\t{ports} "{key[node]}"\t\t# "{node}" enhanced port 0 lid {number[node]} lmc 0']
        else:
            lines += [f"caguid=0x{guid:x}", f'Ca\t{ports} "{key[node]}"\t\t# "{node}"']
        for port, (far, there), rate in sorted(at[node]):
            lid = "" if node[0] == "S" else f"lid {number[node] + 20000 * port} lmc 0 "
            own = "" if node[0] == "S" else f"({guid + port:x}) "
            tail = "" if far[0] == "S" else f"({number[far] * 16 + there:x})"
            name = f'# {lid}"{far}" lid {number[far] + (0 if far[0] == "S" else 20000 * there)} {rate}'
            lines.append(f'[{port}]{own}\t"{key[far]}"[{there}]{tail} \t\t{name}')
    return "\n".join(lines) + "\n"
