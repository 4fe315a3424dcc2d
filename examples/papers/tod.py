"""What the paper on TOD claims, each claim with the machine's answer.

Li Qiangguo, Yu Yang, He Kai, Li Tao, Yang Yulu: Topology Description Language for Interconnection Network in Parallel
Computer: TOD. Application Research of Computers, 2006, no. 3, pp. 76–78.

    python examples/papers/tod.py             the claims
    python examples/papers/tod.py --figures   a table of figures of the networks in examples/tod
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np

from unknot.network import Network, distances_from, measure
from unknot.network.tod import network, read

FOLDER = Path(__file__).resolve().parents[1] / "tod"
OPERANDS = ["ring(4)", "line(3)", "{0 -- 1, 1 -- 2, 2 -- 0, 2 -- 3}", "star(3)", "{0 -> 1, 1 -> 2}", "complete(3)"]
RDT = """
R = ring({n})
T(s) = step(R, s) * step(R, s)
D(s) = step(R, s) (*) step(R, s)
T(1) | D(2) | T(8) | D(16) | T(64)
"""


def simple(net: Network) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(range(net.num_routers))
    graph.add_edges_from(zip(net.source.tolist(), net.target.tolist(), strict=True))
    return graph


def same(a: str, b: str) -> bool:
    """Whether two texts give the same channels between the same coordinates."""
    one, two = network(a), network(b)
    assert one.coordinates is not None
    assert two.coordinates is not None
    return channels(one) == channels(two) and {*map(tuple, one.coordinates.tolist())} == {
        *map(tuple, two.coordinates.tolist())
    }


def channels(net: Network) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    assert net.coordinates is not None
    at = [tuple(row) for row in net.coordinates.tolist()]
    return {(at[u], at[v]) for u, v in zip(net.source.tolist(), net.target.tolist(), strict=True)}


def k_ary_n_cube() -> tuple[bool, str]:
    held = all(
        nx.is_isomorphic(simple(network(f"ring({k}) ** {n}")), nx.grid_graph([k] * n, periodic=True))
        for k, n in ((3, 2), (4, 2), (3, 3), (5, 2))
    )
    return held, "isomorphic to the textbook torus for (k, n) = (3, 2), (4, 2), (3, 3), (5, 2)"


def cube_connected_cycles() -> tuple[bool, str]:
    held = True
    for k in (3, 4, 5):
        textbook = nx.Graph()
        for cube, i in itertools.product(range(2**k), range(k)):
            textbook.add_edge((cube, i), (cube, (i + 1) % k))
            textbook.add_edge((cube, i), (cube ^ (1 << i), i))
        graph = simple(network(f"line(2)[ring({k})] * line(2) ** {k - 1}"))
        held &= nx.vf2pp_is_isomorphic(graph, textbook) and {d for _, d in graph.degree} == {3}
    return held, "L(R) × L × … is isomorphic to Preparata & Vuillemin's CCC(k), degree 3, for k = 3, 4, 5"


def any_replacing_graph() -> tuple[bool, str]:
    """Point i of the graph in brackets takes the connection of dimension i, whatever joins the points."""
    held, total = True, 0
    for graph in nx.graph_atlas_g()[4:53]:
        k, links = len(graph), sorted(graph.edges)
        if not nx.is_connected(graph) and not links:
            continue
        points = ", ".join([*map(str, range(k)), *(f"{u} -- {v}" for u, v in links)])
        expected = nx.Graph((((cube, u), (cube, v)) for cube in range(2**k) for u, v in links))
        expected.add_edges_from(((cube, i), (cube ^ (1 << i), i)) for cube in range(2**k) for i in range(k))
        graph = simple(network(f"line(2)[{{{points}}}] * line(2) ** {k - 1}"))
        held &= nx.is_isomorphic(graph, expected)
        total += 1
    return held, (
        f"{total} graphs of up to 5 points, lines, rings and stars among them, connected or not, in the place of the "
        "routers of a hypercube. It must have as many points as there are connections"
    )


def figure_1() -> tuple[bool, str]:
    net = network("mesh(5, 4) | step(line(5), 2) * step(line(4), 2)")
    expected = {
        ((x, y), (x + dx, y + dy))
        for x, y in itertools.product(range(5), range(4))
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (2, 0), (-2, 0), (0, 2), (0, -2))
        if 0 <= x + dx < 5 and 0 <= y + dy < 4
    }
    return channels(net) == expected, "a 5 × 4 mesh with steps 1 and 2: all pairs on a line at distance 1 or 2"


def cube_of_trees() -> tuple[bool | None, str]:
    sizes = measure(network("line(2)[tree(2, 2)] * line(2) ** 6"))
    return None, (
        "the paper gives no description of CCTcube, and no public text that could be searched defines it. If it is a "
        "cube of trees, made as CCC is of rings, then line(2)[tree(2, 2)] * line(2) ** 6 is one: "
        f"{sizes.routers} routers, degree at most {sizes.degree_max}, diameter {sizes.diameter}"
    )


def ccc_degree_for_every_k() -> tuple[bool, str]:
    sizes = measure(network("line(2)[ring(2)] * line(2)"))
    return sizes.degree_max == 3, f"CCC(2) has degree {sizes.degree_max}: its ring of two routers is one link"


def rdt_tori() -> tuple[bool, str]:
    n, vectors, expected = 32, [((1, 0), (0, 1))], set()
    for _ in range(4):
        (a, b), (c, d) = vectors[-1]
        vectors.append(((2 * (a + c), 2 * (b + d)), (2 * (a - c), 2 * (b - d))))
    for x, y in itertools.product(range(n), repeat=2):
        for (a, b), sign in itertools.product(itertools.chain(*vectors), (1, -1)):
            end = ((x + sign * a) % n, (y + sign * b) % n)
            expected |= {((x, y), end)} if end != (x, y) else set()
    held = channels(network(RDT.format(n=n))) == expected
    return held, "steps 1, 2, 8, 16, 64 are the recursively built tori of ranks 0 to 4, all at every router (n = 32)"


@functools.cache
def rdt_of_65536() -> Network:
    return network(RDT.format(n=256))


def rdt_is_the_published_one() -> tuple[bool, str]:
    ours = measure(rdt_of_65536())
    one = network((FOLDER / "rdt_one_upper.tod").read_text(encoding="utf-8").replace("n = 128", "n = 256"))
    reach = max(int(distances_from(one, x + 256 * y).max()) for x in (0, 1) for y in (0, 1))
    degree = np.bincount(one.source)
    return ours.degree_max == 8, (
        f"as the paper writes it, 256 × 256 routers have {ours.degree_max} links each; the RDT of its reference "
        f"has 8. With one upper torus per router, as in examples/tod/rdt_one_upper.tod, it has {degree.max()} and "
        f"diameter {reach}"
    )


def rdt_reaches_far() -> tuple[bool, str]:
    rdt = int(distances_from(rdt_of_65536(), 0).max())
    torus = int(distances_from(network("ring(256) ** 2"), 0).max())
    return rdt < torus // 4, f"256 × 256: diameter {rdt}, torus {torus}"


def common_products_from_atoms() -> tuple[bool, str]:
    held = True
    for a, b in itertools.product(OPERANDS, OPERANDS):
        atoms = {"E1": f"({a} =. {b})", "E2": f"({a} .= {b})", "A1": f"({a} ~. {b})", "A2": f"({a} .~ {b})"}
        for symbol, words in (
            ("*", "{E1} & {A2} | {E2} & {A1}"),
            ("/", "{A1} | {E1} & {A2}"),
            ("(*)", "{A1} & {A2}"),
            ("[*]", "{E1} & {A2} | {E2} & {A1} | {A1} & {A2}"),
        ):
            held &= same(f"{a} {symbol} {b}", words.format(**atoms))
    return held, f"checked on all pairs of {len(OPERANDS)} operands, directed ones among them"


def derived_operations() -> tuple[bool, str]:
    held = True
    pairs = ("mesh(3, 3)", "torus(3, 3)"), ("ring(6) * line(2)", "line(6) * line(2)"), ("torus(4, 2)", "mesh(2, 4)")
    for a, b in pairs:
        held &= same(f"({b}) (+) ({a})", f"({a} | {b}) - ({a} & {b})")
        if channels(network(a)) - channels(network(b)):
            held &= same(f"{a} - {b}", f"{a} - ({a} & {b})")
    return held, "G1 − G2 = G1 − (G1 ∩ G2) and G1 ⊕ G2 = (G1 ∪ G2) − (G1 ∩ G2), on channels, isolated routers dropped"


def directions() -> tuple[bool, str]:
    words = ["forward(line(3))", "oriented({1 -> 0, 1 -> 2})", "oriented({0 -> 1, 2 -> 1})"]
    nets = [network(f"forward(line(2)) (*) {word}") for word in words]
    different = len({frozenset(channels(n)) for n in nets}) == 3
    classes = []
    for graph in map(simple, nets):
        if not any(nx.is_isomorphic(graph, other) for other in classes):
            classes.append(graph)
    return different, f"three different sets of links, but only {len(classes)} graphs up to isomorphism"


def undirected_after_the_product() -> tuple[bool, str]:
    links_of = [
        channels(network(f"forward(ring(5)) {symbol} forward(line(4))")) for symbol in ("*", "(*)", "/", "[*]")
    ]
    return all(
        {(v, u) for u, v in links} == links for links in links_of
    ), "four products of directed operands are symmetric"


def symmetric_without_directions() -> tuple[bool, str]:
    a, b = "ring(5)", "line(4)"
    links_of = [channels(network(f"{a} {s} {b}")) for s in ("*", "(*)", "/", "[*]", "=.", ".=", "~.", ".~")]
    swapped = channels(network(f"{b} / {a}"))
    turned = {((u[1], u[0]), (v[1], v[0])) for u, v in swapped}
    symmetric = all({(v, u) for u, v in links} == links for links in links_of)
    return symmetric and turned == links_of[2], (
        "links always go both ways, but the product need not be symmetric in its operands: G1 / G2 and G2 / G1 differ"
    )


def any_topology() -> tuple[bool, str]:
    draw = np.random.default_rng(1)
    held = True
    for _ in range(300):
        n = int(draw.integers(2, 12))
        ends = draw.integers(0, n, (int(draw.integers(1, 30)), 2))
        net = Network("random", n, ends[:, 0], ends[:, 1])
        routers, edges = map(str, range(n)), (f"{u} -> {v}" for u, v in ends.tolist())
        held &= network(f"{{{', '.join([*routers, *edges])}}}") == net
    return held, "300 random digraphs with loops and parallel channels, each as a list of its edges"


def length_follows_regularity() -> tuple[bool, str]:
    texts = [f"ring({k}) ** 2 | {{(0, 0) -- (4, 4)}}" for k in (10, 99)]
    sizes = [network(text).num_routers for text in texts]
    held = sizes == [100, 9801] and len(texts[0]) == len(texts[1])
    return held, f"a torus of 100 or of 9801 routers with one chord: {len(texts[0])} characters"


def without_description(name: str) -> Callable[[], tuple[None, str]]:
    return lambda: (
        None,
        f"the paper gives no description of {name}, and no public text that could be searched defines it",
    )


def de_bruijn_and_star_graphs() -> tuple[bool, str]:
    words = nx.Graph((w, (*w[1:], a)) for w in itertools.product((0, 1), repeat=6) for a in (0, 1))
    words.remove_edges_from(list(nx.selfloop_edges(words)))
    swaps = nx.Graph()
    for letters, i in itertools.product(itertools.permutations(range(5)), range(1, 5)):
        other = list(letters)
        other[0], other[i] = other[i], other[0]
        swaps.add_edge(letters, tuple(other))
    held = nx.vf2pp_is_isomorphic(simple(read(FOLDER / "de_bruijn_undirected.tod")), words)
    held &= nx.vf2pp_is_isomorphic(simple(read(FOLDER / "star_graph.tod")), swaps)
    return held, (
        "UB(2, 6) and S(5) as examples/tod writes them are isomorphic to the published graphs. The paper does not "
        "write them down; here it takes a rule {… for …} and cayley(…), which its Table 1 does not have"
    )


CLAIMS: list[tuple[str, Callable[[], tuple[bool | None, str]]]] = [
    ("3.1: the product of n rings of k is the k-ary n-cube", k_ary_n_cube),
    ("3.2: L(R) × L × … × L with k − 1 lines is CCC(k)", cube_connected_cycles),
    ("3.2: every router of CCC(k) has degree 3, whatever k", ccc_degree_for_every_k),
    ("3.3: T0 ∪ T1 ∪ T2 ∪ T3 ∪ T4 overlays the recursive diagonal tori", rdt_tori),
    ("3.3: that union is the RDT(2,4) of the reference, with 8 links per router", rdt_is_the_published_one),
    ("3.3: diameter far below that of the torus of the same size", rdt_reaches_far),
    ("2.2.1 and figure 1: a mesh with steps 1 and 2", figure_1),
    ("2.2.2: the replacing graph may be arbitrary", any_replacing_graph),
    ("2.1: the extended products are atoms: the four common products are made of them", common_products_from_atoms),
    ("Table 1: difference and ring sum come from union and intersection", derived_operations),
    ("2.2.3 and figure 3: different directions of an operand give different absolute products", directions),
    ("2.2.3: the result of a product of directed operands is undirected", undirected_after_the_product),
    ("2.2.3: without directions products can only make symmetric graphs", symmetric_without_directions),
    ("2.3: the basic operations describe any topology", any_topology),
    ("2.3: the length of a description follows regularity, not size", length_follows_regularity),
    ("1: de Bruijn and star graphs are within reach of the language", de_bruijn_and_star_graphs),
    ("1: CCTcube can be described", cube_of_trees),
    ("1: SNT can be described", without_description("SNT")),
]


def figures() -> str:
    """A table of figures of the networks in examples/tod."""
    rows = [
        "| file | routers | links | degree | diameter | mean distance |",
        "| --- | ---: | ---: | --- | ---: | ---: |",
    ]
    for path in sorted(FOLDER.glob("*.tod")):
        if path.stem == "families":
            continue
        sizes = measure(read(path), sample=64)
        degree = "–".join(str(d) for d in sorted({sizes.degree_min, sizes.degree_max}))
        about = "≈ " if sizes.sampled else ""
        mean = f"{sizes.mean_distance:.3f}" if sizes.mean_distance is not None else "–"
        links = sizes.links if 2 * sizes.links == sizes.channels else f"{sizes.channels} channels"
        reach = f"≥ {sizes.diameter}" if sizes.sampled else sizes.diameter
        rows.append(f"| {path.stem} | {sizes.routers} | {links} | {degree} | {reach} | {about}{mean} |")
    return "\n".join(rows)


def main() -> None:
    if "--figures" in sys.argv:
        print(figures())
        return
    for claim, ask in CLAIMS:
        answer, why = ask()
        word = {True: "yes", False: "no", None: "open"}[answer]
        print(f"{word:<5}{claim}\n     {why}")


if __name__ == "__main__":
    main()
