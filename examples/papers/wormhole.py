"""What the paper on wormhole routing and virtual channels claims of deadlock, each claim with the machine's answer.

Jean-Claude Bermond, Michel Syska: Routage « wormhole » et canaux virtuels. Algorithmique parallèle, Masson, 1992,
pp. 149–158. Sections 3 to 6; ``wormhole_cost.py`` has sections 1 and 2, on what a message costs.

    python examples/papers/wormhole.py
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import networkx as nx
import numpy as np
from methods.product_order import product_order

from unknot._base.switching import SWITCHINGS
from unknot.certificates import accept_verdict
from unknot.certificates.verdict import Configuration, Message
from unknot.fabrics.named import network
from unknot.network import Network, distances_from, measure, to_networkx
from unknot.routing import (
    Relation,
    cube_connected_cycles,
    de_bruijn,
    dimension_order,
    duato,
    hop_number,
    ring_lexicographic,
    shortest_paths,
    shuffle_exchange,
    two_trees,
)
from unknot.simulation import replay
from unknot.verify import check, deliver, dependencies
from unknot.verify.loads import loads
from unknot_papers.wormhole.two_trees import spanning_tree

DEPTH = 8
"""Flits of a buffer in configurations written by hand."""
SIZES = [(2, 2), (2, 3), (2, 4), (2, 5), (3, 2), (3, 3), (4, 2)]
ANY = [
    "ring(7)", "torus(4, 3)", "de_bruijn(2, 4)", "de_bruijn(3, 2, directed=false)", "shuffle_exchange(4)",
    "cube_connected_cycles(3)", *(f"irregular(12, 4, 1, seed={seed})" for seed in range(6)),
    *(f"random_regular(14, 3, seed={seed})" for seed in range(6)), *(f"kautz(2, {n})" for n in (2, 3)),
]  # fmt: skip


Answer = tuple[str, str]


def said(held: bool, words: str) -> Answer:
    return ("yes" if held else "no"), words


def acyclic(relation: Relation) -> bool:
    """Whether no technique can deadlock for lack of a cycle of dependencies; the separate checker must agree."""
    for technique in SWITCHINGS:
        verdict = check(relation, technique)
        if not verdict.deadlock_free or verdict.certificate is None or verdict.certificate.kind != "order":
            return False
        accept_verdict(relation, verdict)
    return True


def free(relation: Relation) -> list[bool | None]:
    return [check(relation, technique).deadlock_free for technique in SWITCHINGS]


def routing_by_node_pairs() -> Answer:
    one_way = network("ring(6, directed=true)")
    dateline = dimension_order(one_way, 2, dateline="crossing")
    ours = ring_lexicographic(one_way)

    def by_pairs(relation: Relation) -> bool:
        first_answers: dict[tuple[int, int], set[int | None]] = {}
        for at in range(relation.num_vcs + 6):
            for address in range(6):
                answers = {c.vc for c in relation.candidates(at, address)}
                if first_answers.setdefault((int(relation.vcs.router[at]), address), answers) != answers:
                    return False
        return True

    held = not by_pairs(ours) and by_pairs(dateline) and acyclic(dateline)
    return "only when" if held else "no", (
        "a next router cannot name a virtual channel, and the paper's rule for the ring does depend on the channel a "
        "header came by. But router and destination are enough when they choose the virtual channel too: the "
        "dateline rule (VC 0 while the wrap channel lies ahead) does, and is proved on the ring of 6"
    )


def the_ring_deadlocks() -> Answer:
    """All routers send at once, two hops each: every header holds the channel that the one behind it wants."""
    held, smallest = True, []
    for n in range(3, 9):
        relation = shortest_paths(network(f"ring({n}, directed=true)"))
        verdict = check(relation, "wormhole")
        assert verdict.configuration is not None
        all_send = tuple(Message(i, (i + 2) % n, DEPTH, (), (i,), ((i + 1) % n,)) for i in range(n))
        everyone = Configuration("wormhole", DEPTH, "injected", all_send)
        accept_verdict(relation, replace(verdict, configuration=everyone))
        held &= verdict.deadlock_free is False and replay(relation, everyone).stuck
        smallest.append(len(verdict.configuration.messages))
    return said(
        held,
        "rings of 3 … 8 with 1 VC, all routers sending two hops at once: accepted by the separate checker, replayed "
        f"and stuck. The prover's own configurations have {', '.join(map(str, smallest))} messages: some that go "
        "farther hold several channels, so that not all need send",
    )


def theorem_deterministic() -> Answer:
    draw = np.random.default_rng(5)
    agree, cyclic, reach = 0, 0, {"injected": 0, "scheduled": 0, "not-established": 0}
    total = 150
    for _ in range(total):
        n = int(draw.integers(3, 8))
        around = np.stack([np.arange(n), (np.arange(n) + 1) % n])
        more = draw.integers(0, n, (2, int(draw.integers(0, n))))
        ends = np.concatenate([around, more[:, more[0] != more[1]]], axis=1)
        relation = shortest_paths(Network("random", n, *ends), choice="random", seed=int(draw.integers(1, 99)))
        verdict = check(relation, "wormhole")
        agree += verdict.deadlock_free is dependencies(relation).acyclic
        if verdict.reachability is not None:
            cyclic += 1
            reach[verdict.reachability] += 1
    return said(
        agree == total,
        f"{total} random deterministic routings: {cyclic} have a cycle, and exactly those have a deadlock "
        f"configuration; {reach['injected'] + reach['scheduled']} of them were reached by injecting messages, "
        f"{reach['not-established']} were not",
    )


def theorem_adaptive() -> Answer:
    relation = duato(network("hypercube(3)"))
    verdict = check(relation, "wormhole")
    held = verdict.deadlock_free is True and not dependencies(relation).acyclic
    return "only when" if held else "no", (
        "the paper states it for deterministic routing, and so it must be: Duato's routing on the hypercube of 8 has "
        f"cycles of dependencies and cannot deadlock ({verdict.method})"
    )


def injection_is_in_no_circuit() -> Answer:
    held = True
    for text in ANY:
        relation = shortest_paths(network(text))
        held &= all(
            c.vc is None or c.vc < relation.num_vcs
            for at in range(relation.num_vcs + relation.network.num_terminals)
            for c in relation.candidates(at, 0)
        )
    return said(held, "nothing leads into an injection channel or out of an ejection channel")


def ring_with_two() -> Answer:
    held = all(acyclic(ring_lexicographic(network(f"ring({n})"))) for n in range(3, 13))
    for n in range(3, 13):
        relation = ring_lexicographic(network(f"ring({n}, directed=true)"))
        held &= acyclic(relation) and unused(relation) == {(1, n - 2), (1, n - 1)}
    return said(
        held,
        "rings of 3 … 12, one way and both ways: proved, and as in the figure of 4 the last two channels of the "
        "one-way ring never use their second VC",
    )


def unused(relation: Relation) -> set[tuple[int, int]]:
    """VCs, as (index, position on the ring), that no route takes."""
    left = set(range(relation.num_vcs))
    for address in range(relation.num_addresses):
        todo = [relation.num_vcs + int(t) for t in relation.sources(address)]
        while todo:
            taken = [c.vc for c in relation.candidates(todo.pop(), address) if c.vc is not None]
            left -= set(taken)
            todo += taken
    return {(int(relation.vcs.index[vc]), int(relation.network.source[relation.vcs.channel[vc]])) for vc in left}


def e_cube() -> Answer:
    relations = [
        dimension_order(network(f"hypercube({n})"), order=order)
        for n in (2, 3, 4)
        for order in itertools.permutations(range(n))
    ]
    return said(all(map(acyclic, relations)), f"all {len(relations)} orders of 2, 3 and 4 dimensions, 1 VC")


def more_vcs_more_paths() -> Answer:
    relation = duato(network("hypercube(4)"), 2)
    return said(
        check(relation, "wormhole").deadlock_free is True,
        "with 2 VCs every shortest path on the hypercube of 16 (Duato's routing), proved for wormhole switching; for "
        f"non-atomic allocation it is not so: {free(relation)[3]}".replace("False", "it can deadlock"),
    )


def torus_and_sums() -> Answer:
    held, figures = True, []
    for text, most in (
        ("torus(4, 4)", 2), ("torus(5, 3)", 2), ("torus(3, 3, 3)", 2), ("ring(5, directed=true) ** 2", 2),
        ("mesh(3, 3, 3)", 1), ("ring(5) * line(4)", 2), ("line(3) * ring(4, directed=true)", 2),
    ):  # fmt: skip
        relation = ring_lexicographic(network(text))
        held &= acyclic(relation) and int(relation.vcs.counts.max()) == most
        figures.append(f"{text} {most}")
    return said(held, "VCs per channel, proved: " + ", ".join(figures) + "; on a line only 1")


def any_sum() -> Answer:
    rings = [ring_lexicographic(network(f"ring({k})")) for k in (4, 5)]
    torus = network("torus(4, 5)")
    ours, known = product_order(torus, rings), ring_lexicographic(torus)
    held = all(
        {c.vc for c in ours.candidates(ours.num_vcs + s, d)} == {c.vc for c in known.candidates(ours.num_vcs + s, d)}
        for s, d in itertools.product(range(20), range(20))
    )
    factors = {
        "complete(4)": hop_number, "ring(5)": ring_lexicographic, "petersen()": hop_number,
        "de_bruijn(2, 3)": de_bruijn, "ring(4, directed=true)": ring_lexicographic, "irregular(6, 3, 1)": two_trees,
    }  # fmt: skip
    pairs = list(itertools.combinations(factors, 2))
    for pair in pairs:
        relations = [factors[text](network(text)) for text in pair]
        relation = product_order(network(" * ".join(pair)), relations)
        held &= acyclic(relation)
        held &= int(relation.vcs.counts.max()) == max(int(factor.vcs.counts.max()) for factor in relations)
    return said(
        held, f"proved for {len(pairs)} sums of two networks of all kinds, each factor by a routing of its own"
    )


def cycles_with_three() -> Answer:
    held, hops = True, []
    for n in (3, 4, 5):
        relation = cube_connected_cycles(network(f"cube_connected_cycles({n})"))
        held &= acyclic(relation) and int(relation.vcs.counts.max()) == 3
        hops.append(f"{deliver(relation).longest_route} for n = {n}")
    return said(
        held,
        "3 VCs on the rings and 2 across; longest routes "
        + ", ".join(hops)
        + ". The third VC is used from n = 4 on, and "
        "there only on the channels that leave positions 3 … n − 1",
    )


def hop_numbers() -> Answer:
    held = True
    for text in ANY:
        net = network(text)
        relation = hop_number(net)
        diameter = measure(net).diameter
        held &= (
            acyclic(relation) and set(relation.vcs.counts.tolist()) == {diameter} and bool(deliver(relation).minimal)
        )
    return said(held, f"{len(ANY)} networks of all kinds, directed ones among them: D VCs, shortest paths, proved")


def coherence_is_not_needed() -> Answer:
    held = all(acyclic(hop_number(network(text), choice="all")) for text in ANY)
    return said(not held, "all shortest paths at once, chosen hop by hop, are as safe on D VCs")


@cache
def trees(bypass: bool = False) -> list[tuple[Network, Relation, int]]:
    nets = [network(text) for text in ANY]
    diameters = [measure(one).diameter or 0 for one in nets]
    return [
        (one, two_trees(one, root=root, bypass=bypass), diameter)
        for one, diameter in zip(nets, diameters, strict=True)
        for root in ("best", 0)
    ]


def two_trees_hold() -> Answer:
    held, tight, total = True, 0, 0
    for _, relation, diameter in trees():
        longest = deliver(relation).longest_route or 0
        held &= acyclic(relation) and int(relation.vcs.counts.max()) <= 2 and longest <= 2 * diameter
        tight += longest == 2 * diameter
        total += 1
    return said(
        held, f"{len(ANY)} networks, 2 roots each: proved, at most 2 D hops, and just 2 D in {tight} of {total}"
    )


def no_common_channel() -> Answer:
    both = [(f, r) for f, r, _ in trees() if measure(f).links * 2 == f.num_channels]
    single = [r for f, r, _ in trees() if measure(f).links * 2 != f.num_channels]
    held = all(int(relation.vcs.counts.max()) == 1 for _, relation in both)
    return said(
        held,
        f"and where links go both ways and both trees are breadth-first this is so always: 1 VC on all {len(both)} "
        "such cases, as one tree is only climbed and the other only descended. The second VC is needed on channels "
        f"that go one way alone: {sum(int(r.vcs.counts.max()) == 2 for r in single)} of {len(single)} cases",
    )


def other_trees() -> Answer:
    """Trees that are not both breadth-first: depth-first up, down, both, and one tree for both ways."""
    held, twice, total = True, 0, 0
    for text in ANY:
        net = network(text)
        for up, down in (("dfs", "bfs"), ("bfs", "dfs"), ("dfs", "dfs")):
            relation = two_trees(net, root=0, up=up, down=down)
            held &= acyclic(relation) and int(relation.vcs.counts.max()) <= 2 and deliver(relation).delivered
            twice += int(relation.vcs.counts.max()) == 2
            total += 1
    petersen = network("petersen()")
    counts = [int(two_trees(petersen, root=0, up=up).vcs.counts.max()) for up in ("bfs", "dfs")]
    one = spanning_tree(petersen, 0, "dfs", inward=False, needed_by="")
    back = spanning_tree(petersen, 0, "dfs", inward=True, needed_by="")
    held &= set(zip(petersen.source[back], petersen.target[back], strict=True)) == set(
        zip(petersen.target[one], petersen.source[one], strict=True)
    )
    same = two_trees(petersen, root=0, up="dfs", down="dfs")
    held &= acyclic(same) and int(same.vcs.counts.max()) == 1 and counts == [1, 2]
    return said(
        held,
        f"{total} pairs of which one tree at least is depth-first: proved, 2 VCs in {twice}. The Petersen graph "
        "needs 1 VC with two breadth-first trees, 2 with depth-first up and breadth-first down, 1 with one tree "
        "twice. Paths then have no bound of 2 D",
    )


def bypass_helps() -> Answer:
    held, hops = True, [0.0, 0.0]
    for (_, whole, _), (_, short, _) in zip(trees(), trees(bypass=True), strict=True):
        held &= acyclic(short)
        for k, relation in enumerate((whole, short)):
            hops[k] += loads(relation).mean_hops / (2 * len(ANY))
    return said(held and hops[1] < hops[0], f"proved as well; {hops[0]:.2f} hops on average become {hops[1]:.2f}")


def root_congests() -> Answer:
    torus = network("torus(8, 8)")
    rows = [loads(r).throughput for r in (two_trees(torus), two_trees(torus, bypass=True), hop_number(torus))]
    return said(
        rows[0] < rows[2] / 2,
        f"8 × 8 torus, uniform traffic: the busiest channel allows {rows[0]:.3f} flits per terminal and cycle, with "
        f"bypass {rows[1]:.3f}, on shortest paths {rows[2]:.3f}",
    )


def b_parameters() -> Answer:
    held = True
    for d, length in SIZES:
        net = network(f"de_bruijn({d}, {length})")
        graph = to_networkx(net)
        held &= net.num_routers == d**length and measure(net).diameter == length
        held &= {n for _, n in graph.in_degree()} == {n for _, n in graph.out_degree()} == {d}
        held &= int((net.source == net.target).sum()) == d
    return said(held, "degree d, d^D routers, diameter D, d loops, for (d, D) = " + ", ".join(map(str, SIZES)))


def arcs(d: int, length: int) -> list[tuple[int, int]]:
    net = network(f"de_bruijn({d}, {length})")
    return [(u, v) for u, v in zip(net.source.tolist(), net.target.tolist(), strict=True) if u != v]


def trees_partition() -> Answer:
    held, inner = True, ""
    for d, length in SIZES:
        top, every = d ** (length - 1), arcs(d, length)
        parts = [[(u, v) for u, v in every if u // top == a] for a in range(d)]
        backs = [[(v, u) for u, v in every if v % d == a] for a in range(d)]
        for part in (*parts, *backs):
            graph = nx.DiGraph(part)
            held &= nx.is_arborescence(graph) and graph.number_of_nodes() == d**length
        if (d, length) == (2, 4):
            leaves = sum(n == 0 for _, n in nx.DiGraph(parts[0]).out_degree())
            inner = f"; but of T_0 in B(2, 4) {leaves} of 16 words are leaves and have out-degree 0, not d"
    return said(
        held, "the arcs apart from loops, by the first letter of their tail and by the last of their head" + inner
    )


def many_roots() -> Answer:
    held, longest = True, []
    for d, length in SIZES:
        relation = de_bruijn(network(f"de_bruijn({d}, {length})"))
        hops = deliver(relation).longest_route or 0
        held &= acyclic(relation) and hops <= 2 * length - 1 and int(relation.vcs.counts.max()) == 2
        twice = int((relation.vcs.counts == 2).sum())
        held &= twice == d**length - d
        longest.append(f"{hops}")
    return said(
        held,
        f"proved; longest routes {', '.join(longest)} = 2 D − 1 each time. Only the channels from words aa… need the "
        "second VC, one in d",
    )


def balanced() -> Answer:
    words, held = [], True
    for d, length in ((2, 5), (3, 3), (2, 8)):
        net = network(f"de_bruijn({d}, {length})")
        one, many, short = (loads(de_bruijn(net, paths=p)) for p in ("single_root", "multi_root", "shortest"))
        entering = [many.channel[net.target == a * (d**length - 1) // (d - 1)].sum() for a in range(d)]
        held &= bool(np.allclose(entering, entering[0])) and many.throughput > one.throughput
        words.append(
            f"B({d}, {length}) {one.throughput:.3f} with one root, {many.throughput:.3f} with {d}, "
            f"{short.throughput:.3f} on shortest paths"
        )
    return "only when" if held else "no", (
        "the roots share the traffic equally, and each kind of tree uses every channel once; but channels near a "
        "root carry more than others. Flits per terminal and cycle that the busiest channel allows: "
        + "; ".join(words)
    )


def undirected() -> Answer:
    held = True
    for d, length in SIZES:
        relation = de_bruijn(network(f"de_bruijn({d}, {length}, directed=false)"))
        held &= acyclic(relation) and (deliver(relation).longest_route or 0) <= 2 * length - 1
        held &= int(relation.vcs.counts.max()) == 1
    return said(held, "up T_a against its arcs and down T_a: at most 2 D − 1 hops, and even 1 VC is enough, proved")


def simulated_by_shuffles() -> Answer:
    two, three, both = [], [], []
    for n in (2, 3, 4, 5):
        net = network(f"shuffle_exchange({n})")
        both.append(acyclic(shuffle_exchange(net)))
        two.append(any(free(shuffle_exchange(net, 2, simulates="B"))))
        three.append(acyclic(shuffle_exchange(net, simulates="B")))
    held = all(both) and not any(two) and all(three)
    return "only when" if held else "no", (
        "n = 2 … 5: with 2 VCs when UB(2, n) is simulated, up the tree by unshuffles. Not when B(2, n) is: both bits "
        "of a step begin with the same shuffle, AT_0 and AT_1 share channels, and the shuffles of a necklace block "
        "each other under every technique; it takes 3 VCs"
    )


def far_from_the_root() -> Answer:
    held = all(
        int(distances_from(network(f"de_bruijn({d}, {length})"), 0)[: d ** (length - 1)].max()) == length - 1
        for d, length in SIZES
    )
    return said(held, "a word that begins with a is at most D − 1 levels below aa…a in T_a")


CLAIMS: list[tuple[str, Callable[[], Answer]]] = [
    ("3: a routing function V × V → V is not enough to avoid deadlock", routing_by_node_pairs),
    ("4.1: on the ring all send at least two hops, and no message can move", the_ring_deadlocks),
    (
        "Theorem 4.1: a deterministic routing is deadlock-free if and only if its graph has no circuit",
        theorem_deterministic,
    ),
    ("Theorem 4.1 for adaptive routing", theorem_adaptive),
    ("4.1: injection and ejection channels are in no circuit", injection_is_in_no_circuit),
    ("4.2, 5.2: 2 VCs in lexicographic order are enough on the ring, (1, c) and (1, d) are useless", ring_with_two),
    ("5.1: the hypercube is safe in any order of dimensions", e_cube),
    ("5.1: with more VCs there is a choice of paths", more_vcs_more_paths),
    ("5.3: torus, Cartesian sums: as many VCs as the factor that needs most", torus_and_sums),
    ("5.3, 5.5: solve it in each dimension and go through them in order", any_sum),
    ("5.4: 3 VCs are enough on cube-connected cycles", cycles_with_three),
    ("Proposition 5.1: coherent shortest paths and D VCs, on any network", hop_numbers),
    ("Proposition 5.1, its proof: the paths must be coherent", coherence_is_not_needed),
    ("Proposition 5.2: two trees, at most 2 VCs and 2 D hops, on any network", two_trees_hold),
    ("5.5: no VCs are needed if the trees have no channel in common", no_common_channel),
    ("Proposition 5.2: any two spanning trees will do, one taken twice as well", other_trees),
    ("5.5: the root need not be gone to where the destination lies below", bypass_helps),
    ("5.5: the root is a point of congestion", root_congests),
    ("6.1: B(d, D) has degree d, d^D routers, diameter D and d loops", b_parameters),
    ("6.1: its arcs fall into d out-trees, and into d in-trees, rooted at the loops", trees_partition),
    ("6.2: the second phase takes at most D − 1 hops", far_from_the_root),
    ("6.2: d roots, 2 VCs, at most 2 D − 1 hops, no deadlock", many_roots),
    ("6.2: with d roots the load is balanced", balanced),
    ("6.2: the same on UB(d, D)", undirected),
    ("6.2: the technique carries over to the shuffle-exchange network", simulated_by_shuffles),
]


def main() -> None:
    for claim, ask in CLAIMS:
        answer, why = ask()
        print(f"{answer:<10}{claim}\n          {why}", flush=True)


if __name__ == "__main__":
    main()
