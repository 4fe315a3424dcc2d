"""What the paper on incremental triangular meshes claims, each claim with the machine's answer.

Liu Pangfeng and others: Incremental switch-based network architecture. National Taiwan University, report
NSC 90-2213-E-002-144, 2002. There are two kinds of mesh: EXTERIOR (a router is added at an edge of the boundary,
as the second half of the paper has it) and GENERAL (at any edge, as its definition reads).

    python examples/papers/itm.py             the claims; counterexamples are drawn into reports/itm
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, permutations, product
from pathlib import Path

import networkx as nx
import numpy as np
from methods.independence import added, contention, independent, on_shortest_paths, positions

import unknot
from unknot._base.switching import SWITCHINGS
from unknot.fabrics.named import network as named
from unknot.network import Network, distances_from, from_edges
from unknot.network.families import irregular
from unknot.report import draw_configuration, draw_network
from unknot.report.picture import write_picture
from unknot.routing import fully_adaptive, shortest_paths, up_down
from unknot.verify.loads import loads
from unknot.verify.smallest import smallest
from unknot.verify.states import dependencies
from unknot_collectives import Message, collective, messages_of
from unknot_collectives import contention as meetings
from unknot_collectives.drawing import draw_messages
from unknot_papers.itm import (
    chordal,
    grow,
    itm,
    itm_escape,
    network_of,
    spanning,
)
from unknot_papers.itm.escape_layer import draw_mesh
from unknot_papers.itm.topology import KINDS, TriangularMesh

PICTURES = Path("reports/itm")
FABRICS = Path(__file__).parents[1] / "fabrics"
Answer = tuple[bool | str, str]


def meshes(kind: str, largest: int = 9, seeds: int = 12) -> Iterator[TriangularMesh]:
    for n in range(3, largest + 1):
        for seed in range(seeds):
            mesh = grow(n, kind, seed=seed)
            if kind == "exterior" or mesh.kind == "general" or n < 5:
                yield mesh


def graph_of(network: Network) -> nx.Graph:
    return nx.Graph(zip(network.source.tolist(), network.target.tolist(), strict=True))


def connected_graphs(most: int) -> Iterator[nx.Graph]:
    """All connected graphs of 3 to `most` (at most 7) routers."""
    for graph in nx.graph_atlas_g():
        if 3 <= len(graph) <= most and nx.is_connected(graph):
            yield graph


def by_kind(holds: Callable[[TriangularMesh], bool]) -> tuple[bool, str]:
    counted = {kind: [holds(mesh) for mesh in meshes(kind)] for kind in KINDS}
    summary = ", ".join(f"{sum(held)} of {len(held)} {kind}" for kind, held in counted.items())
    return all(all(held) for held in counted.values()), f"held on {summary} meshes of up to 9 routers"


def planar() -> Answer:
    return by_kind(lambda mesh: nx.check_planarity(graph_of(network_of(mesh, "mesh")))[0])


def edges() -> Answer:
    return by_kind(lambda mesh: graph_of(network_of(mesh, "m")).number_of_edges() == 2 * mesh.num_routers - 3)


def short_chords() -> Answer:
    def holds(mesh: TriangularMesh) -> bool:
        graph = graph_of(network_of(mesh, "mesh"))
        for cycle in nx.simple_cycles(graph):
            n = len(cycle)
            if n > 3 and not any(graph.has_edge(cycle[i], cycle[(i + 2) % n]) for i in range(n)):
                return False
        return True

    held, summary = by_kind(holds)
    return ("only when" if held else False), (
        f"cycles of four nodes or more: {summary}. As printed it is false already of the mesh of three nodes: in a "
        "triangle no two nodes are at distance 2"
    )


def shortest_paths_are_free() -> Answer:
    free = []
    for kind in KINDS:
        for choice in ("all", "first", "random"):
            relation = shortest_paths(itm(24, kind, seed=3), choice=choice)
            free += [unknot.verify.check(relation, switching).deadlock_free for switching in SWITCHINGS]
    return all(free), (
        f"{len(free)} verdicts, both kinds, all shortest paths or one for each pair, every switching technique, 1 VC"
    )


def needs_chordal() -> Answer:
    """The dependencies of all shortest paths, found by hand so that a thousand graphs take seconds."""
    agree = total = 0
    for graph in connected_graphs(6):
        total += 1
        way = dict(nx.all_pairs_shortest_path_length(graph))
        after = nx.DiGraph()
        for u, v in [*graph.edges, *((v, u) for u, v in graph.edges)]:
            after.add_edges_from(((u, v), (v, w)) for w in graph[v] if way[u][w] == 2)
        agree += nx.is_directed_acyclic_graph(after) == nx.is_chordal(graph)
    square = fully_adaptive(unknot.network.families.ring(4))
    knot = smallest(square).configuration
    if knot is not None:
        write_picture(draw_configuration(square, knot), PICTURES / "theorem-2-not-chordal.svg")
    holds = agree == total and not dependencies(square).acyclic and not chordal(square.network)
    return ("only when" if holds else False), (
        f"it needs that the network is CHORDAL: on all {total} connected graphs of 3 to 6 routers, the dependencies "
        "of all shortest paths have a cycle exactly when there is a cycle of four or more links without a chord. Two "
        "links in a row lie on a shortest path when their ends are not joined; in a chordal graph every closed walk "
        "has a router whose neighbours are all joined. Both kinds of mesh are chordal, and so is much else"
    )


def spanning_and_hamiltonian() -> Answer:
    """Theorem 3, its condition taken to the letter, on all small graphs."""
    wrong: dict[str, list[nx.Graph]] = {"exterior": [], "general": []}
    for graph in connected_graphs(6):
        network = from_edges(sorted(graph.edges))
        condition = totally_triangulated(graph)
        for kind in KINDS:
            if (spanning(network, kind).mesh is not None) != condition:
                wrong[kind].append(graph)
    exterior, general = wrong["exterior"], wrong["general"]
    if exterior:
        write_picture(draw_network(from_edges(sorted(exterior[0].edges))), PICTURES / "theorem-3-to-the-letter.svg")
    book = next(g for g in general if not totally_triangulated(g))
    summary = (
        f"exterior kind, to the letter: wrong on {len(exterior)} of the connected graphs of up to 6 routers"
        + (
            f", first {sorted(exterior[0].edges)}: its chords cross each other, so that nothing can be added without "
            "crossing although there is no triangle; it holds with “a set of links of G that do not cross”"
            if exterior
            else ""
        )
        + f". General kind: wrong on {len(general)}, such as {sorted(book.edges)}, a mesh with no Hamiltonian cycle"
    )
    letter = not exterior
    return ("only when" if not letter or general else True), summary


def totally_triangulated(graph: nx.Graph) -> bool:
    """Whether for some Hamiltonian cycle no chord can be added without crossing a link of the graph."""
    n, nodes = len(graph), sorted(graph)
    for rest in permutations(nodes[1:]):
        circle = [nodes[0], *rest]
        if circle[1] < circle[-1] and all(graph.has_edge(circle[i - 1], circle[i]) for i in range(n)):
            place = {v: i for i, v in enumerate(circle)}
            links = [(min(place[u], place[v]), max(place[u], place[v])) for u, v in graph.edges]
            missing = [pair for pair in combinations(range(n), 2) if pair not in links]
            if all(any(crosses(pair, link) for link in links) for pair in missing):
                return True
    return False


def crosses(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (a, b), (c, d) = one, other
    return a < c < b < d or c < a < d < b


def counts_of_lemma_4() -> Answer:
    exterior = []
    for m in meshes("exterior"):
        n, outer = m.num_routers, int(m.exterior.sum())
        round_it = [] if m.circle is None else sorted(m.circle.tolist())
        exterior.append((outer, len(m.edges) - outer, len(m.facets)) == (n, n - 3, n - 2) and round_it == [*range(n)])
    book = next(m for m in meshes("general") if m.kind == "general")
    write_picture(draw_mesh(network_of(book, "a general mesh"), book), PICTURES / "lemma-4-general.svg")
    return ("only when" if all(exterior) else False), (
        f"exterior kind: yes, {len(exterior)} of {len(exterior)}. General kind: no, one of {book.num_routers} "
        f"routers with links {book.edges.tolist()} has {int(book.exterior.sum())} links in a single facet, and they "
        "form no single cycle through all routers"
    )


def theorem_5() -> Answer:
    kept, broken, shared_end = True, 0, True
    example = ""
    for mesh in meshes("exterior"):
        n, network, place = mesh.num_routers, network_of(mesh, "mesh"), positions(mesh)
        used = {(u, v): on_shortest_paths(network, u, v) for u, v in permutations(range(n), 2)}
        for w, x, y, z in permutations(range(n), 4):
            meet = bool((used[w, x] & used[y, z]).any())
            if independent(place, (w, x), (y, z)):
                kept &= not meet
            elif independent(place, (w, x), (z, y)) and meet:
                broken += 1
                if not example:
                    example = f"{w}→{x} and {y}→{z} in {mesh.edges.tolist()}"
                    both = draw_messages(
                        fully_adaptive(network), [Message(0, w, x, 1), Message(0, y, z, 1)], "two messages"
                    )
                    write_picture(both, PICTURES / "theorem-5-opposite.svg")
        for w, x, z in permutations(range(n), 3):
            order = [(int(place[v]) - int(place[w])) % n for v in (x, z)]
            if order[0] < order[1]:
                shared_end &= not (used[w, x] & used[x, z]).any()
    return ("only when" if kept else False), (
        "yes when both messages go round the same way (w<x<y<z, from any router on, in either sense), and when one "
        f"ends where the other begins: {'yes' if shared_end else 'no'}. No when they go opposite ways: {broken} "
        f"pairs meet, such as {example}. For the general kind there is no circular order to speak of"
    )


def multicast_is_contention_free() -> Answer:
    within = across = 0
    for seed in range(8):
        network = itm(32, seed=seed)
        met = meetings(fully_adaptive(network), messages_of(network, collective(network, order="circle")))
        within += sum(m.same_step for m in met)
        across += sum(not m.same_step for m in met)
    network = itm(20, seed=3)
    relation = fully_adaptive(network)
    for order, file in (("circle", "broadcast.svg"), ("numbers", "broadcast-unordered.svg")):
        messages = messages_of(network, collective(network, order=order))
        write_picture(draw_messages(relation, messages, "broadcast"), PICTURES / file)
    return ("only when" if not within else False), (
        f"step by step, yes: {within} meetings within a step in broadcasts on 8 meshes of 32 routers. When a "
        f"terminal goes on as soon as it can, messages of different steps may meet: {across} pairs may"
    )


def two_layers() -> Answer:
    summary = []
    for returns in (False, True):
        verdicts: dict[str, list[bool | None]] = {}
        loops = False
        for seed, choice in product((1, 4), ("all", "first", "random")):
            relation = itm_escape(itm(16, extra=8, seed=seed), returns=returns, choice=choice)
            for switching in SWITCHINGS:
                verdicts.setdefault(switching, []).append(unknot.verify.check(relation, switching).deadlock_free)
            loops |= not unknot.deliver(relation).livelock_free
        words = [f"{s} {sum(f is True for f in answers)} of {len(answers)}" for s, answers in verdicts.items()]
        rule = "return to the adaptive layer allowed" if returns else "once escaped, stay"
        summary.append(f"{rule}: free under {', '.join(words)}{'; routes may be endless' if loops else ''}")
    small = itm_escape(itm(8, extra=2, seed=8), returns=True)
    knot = smallest(small, "wormhole")
    assert knot.configuration is not None
    stuck = unknot.replay(small, knot.configuration).stuck
    write_picture(draw_configuration(small, knot.configuration), PICTURES / "return.svg")
    summary.append(
        f"the smallest knot of returning on 8 routers has {len(knot.configuration.messages)} messages"
        f"{' (proved)' if knot.proved else ''} and {'stands' if stuck else 'does not stand'} in the simulator: two "
        "headers escape, return and are back at the same router twice, where their own tails hold both ways to escape"
    )
    return "only when", "; ".join(summary)


def some_have_no_order() -> Answer:
    """Every order of the nodes of every small graph, under all shortest paths."""

    def lacks(graph: nx.Graph, senses: tuple[int, ...]) -> bool:
        network = from_edges(sorted(graph.edges))
        used = {pair: on_shortest_paths(network, *pair) for pair in permutations(range(len(graph)), 2)}
        meet = {(a, b): bool((used[a] & used[b]).any()) for a, b in product(used, used)}
        return all(
            any(
                meet[(w, x)[::one], (y, z)[::other]]
                for w, x, y, z in combinations(order, 4)
                for one, other in product(senses, senses)
            )
            for order in permutations(range(len(graph)))
        )

    graphs = list(connected_graphs(6))
    none = {senses: [g for g in graphs if lacks(g, senses)] for senses in ((1,), (1, -1))}
    first = {senses: sorted(meshes[0].edges) for senses, meshes in none.items() if meshes}
    return len(first) == 2, (
        f"with messages w → x and y → z, w < x < y < z, and all shortest paths: {len(none[1,])} of {len(graphs)} "
        f"connected graphs of 3 to 6 routers, {first[1,]}, which is K(3, 3). With messages either way between w and "
        f"x, and y and z: {len(none[1, -1])}, first the ring of six"
    )


def two_connected_neighbours() -> Answer:
    """All small graphs that grow from a triangle, each new router with two neighbours that are joined."""
    counted = {}
    for n in (6, 7):
        grown = [g for g in connected_graphs(n) if len(g) == n and grows(g)]
        counted[n] = len(grown), [g for g in grown if spanning(from_edges(sorted(g.edges)), "general").mesh is None]
    lost = counted[7][1]
    exterior = next(g for g in connected_graphs(5) if grows(g) and spanning(from_edges(sorted(g.edges))).mesh is None)
    held = not counted[6][1] and len(lost) > 0
    return ("only when" if held else False), (
        "the link between the two neighbours belongs to the mesh. Joined by any link is not enough: of the graphs "
        f"that grow so there is a spanning general mesh in all {counted[6][0]} of 6 routers, but not in {len(lost)} "
        f"of {counted[7][0]} of 7, such as {sorted(lost[0].edges)}, proved absent. For the exterior kind the link "
        f"must lie on the boundary besides; {sorted(exterior.edges)} has no exterior mesh"
    )


def grows(graph: nx.Graph) -> bool:
    """Whether the routers can be added one after the other, each joined to both ends of a link of those before."""
    for start in combinations(graph, 3):
        have, more = set(start), True
        if graph.subgraph(have).number_of_edges() < 3:
            continue
        while more:
            ready = [v for v in set(graph) - have if graph.subgraph(set(graph[v]) & have).number_of_edges()]
            have |= set(ready)
            more = bool(ready)
        if len(have) == len(graph):
            return True
    return False


def expansion_keeps_tables() -> Answer:
    held = True
    for kind in KINDS:
        for seed in range(10):
            mesh = grow(12, kind, seed=seed)
            for u, v in mesh.edges[::4].tolist():
                larger = added(mesh, (u, v))
                before, after = network_of(mesh, "m"), network_of(larger, "m")
                held &= all(
                    (distances_from(before, r) == distances_from(after, r)[: mesh.num_routers]).all()
                    for r in range(mesh.num_routers)
                )
    return held, (
        "a new router joins two routers that are joined already, so it shortens nothing: every shortest path between "
        "old routers stays one, and tables need entries for the new router only, in both kinds. (Not so when links "
        "are added between old routers.)"
    )


def networks_contain_meshes() -> Answer:
    lines = []
    for degree in (4, 6, 8, 12):
        spanned = sum(spanning(irregular(24, degree, seed=seed)).mesh is not None for seed in range(1, 21))
        lines.append(f"{spanned} of 20 at up to {degree} links a switch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of speeds of cables: a mesh asks which switches are joined
        fabrics = [named(str(folder)) for folder in sorted(FABRICS.iterdir()) if folder.is_dir()]
    answers = [spanning(fabric, kind) for fabric in fabrics for kind in KINDS]
    have, proved = sum(a.mesh is not None for a in answers), sum(a.mesh is None and a.proved for a in answers)
    return "only when", (
        f"random irregular networks of 24 switches: {', '.join(lines)}. Of the {len(fabrics)} cluster fabrics in "
        f"examples/fabrics, both kinds asked for: {have} meshes found, {proved} of {len(answers)} proved absent"
    )


NETWORKS = range(1, 9)
DESIGNS: dict[str, Callable[[int], unknot.Relation]] = {
    "mesh, up*/down* from root 0, one path": lambda seed: up_down(itm(24, degree=6, seed=seed), 2, root=0),
    "mesh, up*/down*, one path": lambda seed: up_down(itm(24, degree=6, seed=seed), 2),
    "mesh, up*/down*, adaptive": lambda seed: up_down(itm(24, degree=6, seed=seed), 2, choice="shortest"),
    "mesh, all shortest paths": lambda seed: fully_adaptive(itm(24, degree=6, seed=seed), 2),
    "all links, up*/down* from root 0, one path": lambda seed: up_down(irregular_with_mesh(seed), 3, root=0),
    "all links, up*/down*, one path": lambda seed: up_down(irregular_with_mesh(seed), 3),
    "all links, up*/down*, adaptive": lambda seed: up_down(irregular_with_mesh(seed), 3, choice="shortest"),
    "all links, two layers": lambda seed: itm_escape(irregular_with_mesh(seed), 3),
}
AGAINST = (
    ("mesh, all shortest paths", "mesh, up*/down*, one path"),
    ("mesh, all shortest paths", "mesh, up*/down*, adaptive"),
    ("all links, two layers", "all links, up*/down*, one path"),
    ("all links, two layers", "all links, up*/down*, adaptive"),
)


def irregular_with_mesh(seed: int) -> Network:
    return itm(24, degree=6, extra=18, seed=seed)


@cache
def built(name: str) -> list[unknot.Relation]:
    """A design on each network, from the best root unless it says otherwise."""
    return [DESIGNS[name](seed) for seed in NETWORKS]


def interval(samples: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float]:
    """Mean and half the width of its two-sided 95 % interval (Student's t)."""
    from scipy import stats

    half = stats.t.ppf(0.975, samples.size - 1) * samples.std(ddof=1) / np.sqrt(samples.size)
    return float(samples.mean()), float(half)


def compared(figure: Callable[[unknot.Relation], float]) -> tuple[str, list[tuple[float, float]], str]:
    """A figure of every design, in words; the differences over paired networks; those in words."""
    samples = {name: np.array([figure(relation) for relation in built(name)]) for name in DESIGNS}
    means = ", ".join("{} {:.3f} ± {:.3f}".format(name, *interval(values)) for name, values in samples.items())
    gains = [interval(samples[new] - samples[old]) for new, old in AGAINST]
    words = [
        f"{new} minus {old}: {mean:+.3f} ± {half:.3f}"
        for (new, old), (mean, half) in zip(AGAINST, gains, strict=True)
    ]
    return means, gains, "; ".join(words)


def throughput() -> Answer:
    """Accepted load when more is offered than the network takes; two-sided 95 % intervals over paired networks."""
    means, gains, words = compared(
        lambda relation: (
            unknot.simulation.simulate(
                relation, 0.8, packet_length=8, traffic="uniform-others", warmup=500, measure=2000
            ).accepted_load
        )
    )
    better = [mean > half for mean, half in gains]
    return (True if all(better) else "only when" if any(better) else False), (
        f"flits accepted per terminal and cycle on {len(NETWORKS)} networks of 24 switches, best root unless said, "
        "uniform, 8 flits, 2 VCs on the meshes, and 3 on all links (2 beside the mesh for the two layers), with 95 % "
        f"intervals: {means}. {words}. On a mesh every shortest path is a legal up*/down* path in these runs, so "
        "that adaptive up*/down* routing is the very same relation"
    )


def paths_and_loads() -> Answer:
    hops, shorter, by_hops = compared(lambda relation: loads(relation).mean_hops)
    load, lighter, by_load = compared(lambda relation: loads(relation).highest)
    better = [mean < -half for mean, half in (*shorter, *lighter)]
    return (True if all(better) else "only when" if any(better) else False), (
        f"mean hops on the same networks: {hops}. {by_hops}. Load of the busiest channel when each terminal sends "
        f"one flit per cycle: {load}. {by_load}"
    )


CLAIMS: list[tuple[str, Callable[[], Answer]]] = [
    ("Lemma 1: a mesh is planar", planar),
    ("Lemma 1: it has 2|V| − 3 edges", edges),
    ("Lemma 1: every cycle has an edge between two of its nodes at distance 2", short_chords),
    ("Theorem 2: any shortest-path routing on a mesh is deadlock-free", shortest_paths_are_free),
    ("Theorem 2, what it needs", needs_chordal),
    ("Theorem 3: a spanning mesh ⇔ Hamiltonian and totally triangulated for some cycle", spanning_and_hamiltonian),
    (
        "Lemma 4: n exterior edges in one cycle through all nodes, n − 3 interior ones, n − 2 facets",
        counts_of_lemma_4,
    ),
    ("Theorem 5: independent messages never share an edge in the same direction", theorem_5),
    ("Abstract: the circular order gives contention-free multicast", multicast_is_contention_free),
    ("Section 2: ITM edges split into two layers give deadlock-free adaptive routing", two_layers),
    ("Section 2: two connected neighbours of each new router are enough", two_connected_neighbours),
    ("Section 2: there are graphs without a contention-free order", some_have_no_order),
    ("Section 2: a real network is quite likely to contain a mesh", networks_contain_meshes),
    ("Abstract: a mesh grows step by step", expansion_keeps_tables),
    ("Abstract: better throughput than up*/down* routing", throughput),
    ("Why: shorter paths and lighter loads than up*/down* routing", paths_and_loads),
]


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    example = itm(24, extra=12, seed=3)
    write_picture(draw_mesh(example, spanning(example).mesh), PICTURES / "mesh.svg")
    assert not contention(example, [])
    for claim, ask in CLAIMS:
        answer, why = ask()
        word = answer if isinstance(answer, str) else "yes" if answer else "no"
        print(f"{word:<11}{claim}\n           {why}", flush=True)


if __name__ == "__main__":
    main()
