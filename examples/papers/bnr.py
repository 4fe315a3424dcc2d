"""What the paper on best networks for routing claims, each claim with the machine's answer.

Deng Bo, Yang Xiaodong: BNR: The Tool to Analyse and Design the Minimal Deadlock-Free Fully Adaptive Routing
Algorithm. Computer Engineering & Science, pp. 20–23. PAR is Chien & Kim 1992; PBFAA and VNOF, virtual networks laid
over one another, are Liu & Yang 1998 and 1999.

    python examples/papers/bnr.py

``bnr_algorithms.py`` has the claims of single algorithms: the examples of section 3, and section 4.

The paper says that its concepts hold for every switching technique. A claim of deadlock freedom is therefore answered
for each: store-and-forward (saf), virtual cut-through (vct), wormhole with virtual channels that one message holds at
a time, and wormhole-nonatomic, where headers queue behind tails, of which the paper does not speak. Every certificate
is re-checked and every counterexample replayed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import networkx as nx
import numpy as np

from unknot import Network, Relation, VirtualChannels, grid, replay
from unknot._base.switching import SWITCHINGS
from unknot.certificates import accept_verdict
from unknot.network import distances_from
from unknot.network.families import mesh, petersen, torus
from unknot.routing import EJECT, duato, fully_adaptive, lcfaa, o1turn, pbfaa, planar_adaptive, up_down, vba
from unknot.routing.relation import VC_MASK
from unknot.verify import check, deliver
from unknot_papers.bnr import Bnr, bnr, conclude
from unknot_papers.bnr.table import directions

NAMED = ("saf", "vct", "wormhole")
"""Techniques of which the paper speaks."""
SIDES = {2: (4, 4), 3: (3, 3, 3), 4: (2, 2, 2, 2)}
"""A mesh of each number of dimensions."""
ALGORITHMS = {
    "VBA": vba,
    "LCFAA": lcfaa,
    "PAR": planar_adaptive,
    "PBFAA, may return": pbfaa,
    "PBFAA, may not return": lambda network: pbfaa(network, returns=False),
}
BASES = {2: ("negative_first", "west_first", "north_last", "odd_even", "dimension_order")}
BASES[3] = tuple(base for base in BASES[2] if base != "odd_even")
Answer = tuple[str, str]


@cache
def network(*sides: int) -> Network:
    return mesh(*sides)


@cache
def routed(name: str, sides: tuple[int, ...]) -> Relation:
    return ALGORITHMS[name](network(*sides))


@cache
def over(base: str, returns: bool, sides: tuple[int, ...]) -> Relation:
    return pbfaa(network(*sides), base=base, returns=returns)


@cache
def free(relation: Relation, switching: str) -> bool:
    """The verdict; its certificate is accepted by the checker, its counterexample sticks in the simulator."""
    verdict = check(relation, switching)
    accept_verdict(relation, verdict)
    if verdict.configuration is not None:
        assert replay(relation, verdict.configuration).stuck
    assert verdict.deadlock_free is not None
    return verdict.deadlock_free


@cache
def table(relation: Relation) -> tuple[Bnr, ...]:
    return bnr(relation)


def provided(relation: Relation) -> int:
    return sum(row.provided for row in table(relation))


def techniques(relation: Relation, which: tuple[str, ...] = SWITCHINGS) -> str:
    return ", ".join(f"{s} {'yes' if free(relation, s) else 'NO'}" for s in which)


def word(facts: list[bool]) -> str:
    return "yes" if all(facts) else "only when" if any(facts) else "no"


def classes(net: Network) -> dict[tuple[int, ...], list[tuple[int, int]]]:
    """Messages of each class: source and destination."""
    at = net.coordinates
    assert at is not None
    kinds: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for s, d in itertools.permutations(range(net.num_routers), 2):
        kinds.setdefault(tuple(np.where(at[d] < at[s], -1, 1).tolist()), []).append((s, d))
    return kinds


def best_network(net: Network, signs: tuple[int, ...]) -> set[int]:
    """Channels of G(φ)."""
    product = grid(net)
    return {c for c in range(net.num_channels) if (signs[product.dimension[c]] < 0) == product.down[c]}


def on_shortest_paths(net: Network, s: int, d: int) -> set[int]:
    ahead, back = distances_from(net, s), distances_from(net, d, reverse=True)
    on = ahead[net.source] + 1 + back[net.target] == ahead[d]
    return set(np.flatnonzero(on).tolist())


# Routing vectors and best networks


def one_component_at_a_time() -> Answer:
    facts = []
    for sides in SIDES.values():
        at = network(*sides).coordinates
        assert at is not None
        steps = np.abs(at[network(*sides).target] - at[network(*sides).source])
        facts.append(bool((steps.sum(axis=1) == 1).all()))
    return word(facts), "every channel of the meshes 4×4, 3×3×3 and 2×2×2×2"


def fewest_hops() -> Answer:
    facts = []
    for sides in [*SIDES.values(), (5, 2, 3)]:
        net = network(*sides)
        at = net.coordinates
        assert at is not None
        facts += [bool((distances_from(net, s) == np.abs(at - at[s]).sum(axis=1)).all()) for s in range(len(at))]
    return word(facts), "breadth-first search from every router; sides that differ as well"


def kinds_of_messages() -> Answer:
    full = all(len(classes(network(*sides))) == 2 ** len(sides) for sides in [*SIDES.values(), (5, 2, 3)])
    short = len(classes(network(3, 1)))
    return (
        "only when" if full and short < 4 else "no",
        f"when every side is at least 2: a mesh 3×1 has {short}, not 4",
    )


def union_is_the_network() -> Answer:
    facts = []
    for sides in [*SIDES.values(), (5, 2, 3)]:
        net = network(*sides)
        parts = [best_network(net, signs) for signs in itertools.product((1, -1), repeat=len(sides))]
        facts.append(set().union(*parts) == set(range(net.num_channels)))
        facts.append(len({frozenset(part) for part in parts}) == 2 ** len(sides))
    return word(facts), "and the 2^n of them differ, as long as every side is at least 2"


def least_network() -> Answer:
    """All shortest paths of the class lie in G(φ), and every channel of G(φ) lies on one."""
    facts = []
    for sides in [*SIDES.values(), (4, 3, 3), (2, 3)]:
        net = network(*sides)
        for signs, messages in classes(net).items():
            used = set().union(*(on_shortest_paths(net, s, d) for s, d in messages))
            facts.append(used == best_network(net, signs))
    return word(
        facts
    ), "channels on shortest paths of the class = G(φ), for every class, the 4×3×3 of figure 1 included"


def least_network_cannot_deadlock() -> Answer:
    facts = []
    for sides in SIDES.values():
        net = network(*sides)
        for signs in itertools.product((1, -1), repeat=len(sides)):
            graph = nx.DiGraph()
            graph.add_edges_from((net.source[c], net.target[c]) for c in best_network(net, signs))
            facts.append(nx.is_directed_acyclic_graph(graph))
    return word(facts), "G(φ) has no cycle at all, so no technique can make one"


def channels_taken(relation: Relation, s: int, d: int) -> set[int]:
    """Channels that a message may take."""
    todo = [(relation.num_vcs + s, int(a)) for a in np.flatnonzero(relation.destination == d)]
    seen = set(todo)
    for at, address in todo:
        for candidate in relation.candidates(at, address):
            if candidate.vc is not None and (candidate.vc, address) not in seen:
                seen.add((candidate.vc, address))
                todo.append((candidate.vc, address))
    return {int(relation.vcs.channel[at]) for at, _ in seen if at < relation.num_vcs}


def path_by_path() -> Answer:
    """O1TURN has two routes for a message, and over all messages of a class uses every channel of its BNR."""
    net = network(4, 4)
    relation = o1turn(net)
    used = all(
        set().union(*(channels_taken(relation, s, d) for s, d in messages)) == best_network(net, signs)
        for signs, messages in classes(net).items()
    )
    count = provided(relation)
    return "yes" if used and not count else "no", (
        "O1TURN, XY or YX, uses every channel of every BNR of 4×4 for messages of its class, and provides "
        f"{count} of 4: to offer the channels is not to offer the paths"
    )


# Conclusion 1


def with_a_detour(net: Network) -> Relation:
    """VBA, but a message may begin with one step in any direction, on a VC of its own."""
    base = vba(net)
    share = int(base.vcs.counts[0])
    virtual = VirtualChannels(net, share + 1)
    spare, channel, index = virtual.first[:-1] + share, virtual.channel, virtual.index
    rule, inner, router, home = base.rule, base.num_vcs, virtual.router, net.eject

    def detour(at: int, address: int, out: np.ndarray) -> int:
        free_start = at >= virtual.total or index[at] == share
        place = inner + router[at] if free_start else channel[at] * share + index[at]
        count = rule(place, address, out)
        for i in range(count):
            vc = out[i] & VC_MASK
            if vc != EJECT:
                out[i] = vc // share * (share + 1) + vc % share
        if at >= virtual.total and router[at] != home[address]:
            for c in np.flatnonzero(net.source == router[at]):
                out[count] = spare[c]
                count += 1
        return count

    return Relation(net, virtual, detour, name="VBA with a detour")


def conclusion_1() -> Answer:
    relation = with_a_detour(network(3, 3))
    delivery = deliver(relation)
    every = provided(relation) == 4
    safe = all(free(relation, s) for s in SWITCHINGS)
    counter = every and safe and delivery.delivered and not delivery.minimal
    return "only when" if counter else "yes", (
        "when the algorithm is minimal besides: VBA with one more VC for a first step in any direction is "
        "deadlock-free under all techniques, provides 4 of 4 BNRs, and takes up to "
        f"{delivery.longest_route} hops on 3×3"
    )


def conclusion_1_for_minimal() -> Answer:
    facts = []
    for name, sides in itertools.product(ALGORITHMS, SIDES.values()):
        relation, delivery = routed(name, sides), deliver(routed(name, sides))
        for switching in SWITCHINGS:
            held = conclude(check(relation, switching), delivery, table(relation)).holds
            facts.append(held == (free(relation, switching) and provided(relation) == len(table(relation))))
    return word(
        facts
    ), "with minimal routes and delivery it is the definition, and every algorithm here agrees with it"


def any_technique() -> Answer:
    relation = routed("LCFAA", SIDES[2])
    return "only when" if free(relation, "vct") != free(relation, "wormhole") else "yes", (
        f"when the technique is named: is LCFAA on 4×4 deadlock-free? {techniques(relation)}"
    )


def alone(relation: Relation, kind: int) -> Relation:
    """The relation with messages of one class only."""
    kinds, terminals = directions(relation.network), range(relation.network.num_terminals)
    use = np.stack([kinds.of_sources(home) == kind for home in terminals], axis=1)
    return replace(relation, addresses=replace(relation.addresses, may_use=use))


def any_network() -> Answer:
    """What carries over: the classes, the least network, paths judged one by one. What does not: 2^n, and safety."""
    tori = torus(5, 5), torus(4, 4)
    everywhere = [fully_adaptive(net) for net in (mesh(4, 4), *tori, petersen())]
    counts = [len(bnr(relation)) for relation in everywhere]
    holds = all(row.provided for net in tori for row in bnr(duato(net)))
    holds &= not any(row.provided for row in bnr(up_down(petersen())))
    rings = [fully_adaptive(torus(k)) for k in (4, 5)]
    stuck = [[not free(alone(ring, k), "vct") for k in range(len(bnr(ring)))] for ring in rings]
    holds &= stuck == [[False, False, True], [True, True]]
    return "only when" if holds and counts == [4, 4, 9, 1] else "no", (
        "the classes are made anew: a mesh of two dimensions has 4, a torus of 5×5 has 4, one of 4×4 has 9, as both "
        "ways round a ring of 4 may be shortest, and a network without dimensions 1. The least network and "
        "conclusion 1 carry over (Duato's routing provides all of them on both tori, up*/down* none on the Petersen "
        "graph). That a class alone cannot deadlock does not: on a ring of 4 messages that have as far either way "
        "block each other, on one of 5 those of every class"
    )


CLAIMS: list[tuple[str, Callable[[], Answer]]] = [
    ("2.1 (1): a hop changes one component of the routing vector, by one", one_component_at_a_time),
    ("2.1 (3): the fewest hops are the sum of |r_i|", fewest_hops),
    ("2.2: there are 2^n classes of messages, no more and no less", kinds_of_messages),
    ("2.2: all G(φ) together are the network; BNRs of different classes differ", union_is_the_network),
    ("2.2: G(φ) is the least network with every shortest path of its class", least_network),
    ("2.2: in its BNR alone a class cannot deadlock", least_network_cannot_deadlock),
    ("3: to provide a BNR must mean every path, not every channel", path_by_path),
    ("3, conclusion 1: deadlock-free with all 2^n BNRs is minimal, deadlock-free and fully adaptive", conclusion_1),
    ("3: as a criterion for minimal algorithms it holds both ways", conclusion_1_for_minimal),
    ("1 and 5: BNR judges an algorithm for any switching technique", any_technique),
    ("1 and 5: the concept applies to any network", any_network),
]


def ask_all(claims: list[tuple[str, Callable[[], Answer]]]) -> None:
    for claim, ask in claims:
        answer, why = ask()
        print(f"{answer:<10}{claim}\n          {why}", flush=True)


if __name__ == "__main__":
    ask_all(CLAIMS)
