"""De Bruijn, shuffle-exchange, cube-connected cycles: bounds, VCs, loads, verdicts (Bermond & Syska, 5.4 and 6)."""

from __future__ import annotations

import itertools
from collections import Counter

import networkx as nx
import numpy as np
import pytest

from tests.reference.brute_force import deadlock
from tests.routing.test_ring_lexicographic import vcs_of
from unknot._base.errors import NetworkError, RelationError
from unknot._base.switching import SWITCHINGS
from unknot.fabrics.named import network as named
from unknot.network import Network, to_networkx
from unknot.network.families import torus
from unknot.routing import EJECT, Relation, cube_connected_cycles, de_bruijn, shuffle_exchange
from unknot.routing.tabulate import compile_relation
from unknot.simulation import replay
from unknot.verify import check, deliver
from unknot.verify.testing import check_relation

SIZES = [(2, 1), (2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2)]


def b(d: int, length: int, *, directed: bool = True) -> Network:
    return named(f"de_bruijn({d}, {length}{'' if directed else ', directed=false'})")


def word(u: int, d: int, length: int) -> tuple[int, ...]:
    return tuple(u // d**i % d for i in range(length - 1, -1, -1))


def met(relation: Relation, source: int, address: int) -> list[int]:
    """Routers of a deterministic route."""
    channels = relation.vcs.channel[vcs_of(relation, source, address)]
    return [source, *relation.network.target[channels].tolist()]


def loads(relation: Relation) -> Counter[int]:
    """Routes over each channel, one for every ordered pair."""
    found: Counter[int] = Counter()
    terminals = range(relation.network.num_terminals)
    for source, end in itertools.product(terminals, terminals):
        found.update(relation.vcs.channel[vcs_of(relation, source, end)].tolist())
    return found


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(("d", "length"), SIZES)
def test_de_bruijn_claims_and_contract(d: int, length: int, directed: bool) -> None:
    for paths in ("multi_root", "single_root", "shortest"):
        check_relation(de_bruijn(b(d, length, directed=directed), paths=paths), compiled=False)
    check_relation(de_bruijn(b(d, length, directed=directed), bypass=True), compiled=False)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(("d", "length"), SIZES)
def test_path_lengths_and_vcs(d: int, length: int, directed: bool) -> None:
    network = b(d, length, directed=directed)
    multi, single, shortest = (de_bruijn(network, paths=paths) for paths in ("multi_root", "single_root", "shortest"))
    assert deliver(multi).longest_route == 2 * length - 1
    assert (deliver(single).longest_route or 0) <= 2 * length
    assert deliver(shortest).longest_route == length
    if directed and length > 1:
        assert deliver(single).longest_route == 2 * length
        twice = int((multi.vcs.counts == 2).sum())
        assert set(multi.vcs.counts.tolist()) == {1, 2}
        assert twice == d**length - d, "the channels from words aa…, loops apart: one in d"
    else:
        assert set(multi.vcs.counts.tolist()) == {1}
    assert set(shortest.vcs.counts.tolist()) == {length}


@pytest.mark.parametrize(("d", "length"), [(2, 3), (2, 4), (3, 2), (3, 3)])
def test_routes_go_up_and_down_the_papers_trees(d: int, length: int) -> None:
    """T_a: the arcs that leave words beginning with a. AT_a: the arcs that enter words ending with a."""
    network = b(d, length)
    relation, simple = de_bruijn(network), de_bruijn(network, bypass=True)
    arcs = [(u, v) for u, v in zip(network.source.tolist(), network.target.tolist(), strict=True) if u != v]
    words = {u: word(u, d, length) for u in range(d**length)}
    down = {a: nx.DiGraph((u, v) for u, v in arcs if words[u][0] == a) for a in range(d)}
    up = {a: nx.DiGraph((v, u) for u, v in arcs if words[v][-1] == a) for a in range(d)}
    roots = {a: next(u for u in words if set(words[u]) == {a}) for a in range(d)}
    for a in range(d):
        assert nx.is_arborescence(down[a])
        assert nx.is_arborescence(up[a])
    for source, end in itertools.product(words, words):
        a = words[end][0]
        rise = nx.shortest_path(up[a], roots[a], source)[::-1]
        fall = nx.shortest_path(down[a], roots[a], end)
        expected = [source] if source == end else rise + fall[1:]
        assert met(relation, source, end) == expected
        if source != end:
            turn = next(i for i, router in enumerate(rise) if router in fall)
            assert met(simple, source, end) == rise[:turn] + fall[fall.index(rise[turn]) :]


def test_undirected_routes_climb_and_descend_the_same_tree() -> None:
    network = b(3, 3, directed=False)
    relation = de_bruijn(network)
    words = {u: word(u, 3, 3) for u in range(27)}
    for source, end in itertools.product(words, words):
        path, a = [words[u] for u in met(relation, source, end)], words[end][0]
        if source == end:
            continue
        top = path.index((a,) * 3)
        assert all(v == (a, *u[:-1]) for u, v in itertools.pairwise(path[: top + 1]))
        assert all(v[:-1] == u[1:] for u, v in itertools.pairwise(path[top:]))


def test_shortest_paths_are_shortest_for_networkx() -> None:
    network = b(2, 4)
    relation = de_bruijn(network, paths="shortest")
    far = dict(nx.all_pairs_shortest_path_length(to_networkx(network)))
    assert all(len(met(relation, s, d)) - 1 == far[s][d] for s in range(16) for d in range(16))


@pytest.mark.parametrize(("d", "length"), [(2, 4), (2, 5), (3, 3)])
def test_many_roots_balance_the_load(d: int, length: int) -> None:
    network = b(d, length)
    single, multi, shortest = (loads(de_bruijn(network, paths=p)) for p in ("single_root", "multi_root", "shortest"))
    used = [c for c in range(network.num_channels) if network.source[c] != network.target[c]]
    by_root = Counter(
        {a: sum(n for c, n in multi.items() if network.target[c] == a * (d**length - 1) // (d - 1)) for a in range(d)}
    )
    assert len(set(by_root.values())) == 1, "every root is entered by as many routes"
    assert max(single.values()) > max(multi.values()) > max(shortest.values())
    assert all(multi[c] for c in used)
    assert np.std([multi[c] for c in used]) < np.std([single[c] for c in used])


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("simulates", ["UB", "B"])
def test_shuffle_exchange_claims_and_contract(n: int, simulates: str) -> None:
    relation = shuffle_exchange(named(f"shuffle_exchange({n})"), simulates=simulates)
    check_relation(relation, compiled=False)
    assert set(relation.vcs.counts.tolist()) == {2 if simulates == "UB" else 3}
    assert (deliver(relation).longest_route or 0) <= 4 * n - 2


def test_shuffles_one_way_simulate_the_directed_network() -> None:
    network = named("{u -- u ^ 1, u -> 2 * u % 8 + u // 4 for u in 8}")
    check_relation(shuffle_exchange(network), compiled=False)
    with pytest.raises(NetworkError, match="to simulate UB it needs shuffles in both directions"):
        shuffle_exchange(network, simulates="UB")


@pytest.mark.parametrize("n", [2, 3, 4])
def test_two_vcs_for_the_directed_simulation_are_claimed_and_refuted(n: int) -> None:
    """The shuffles of a necklace wait for each other: those bound for 0… and for 1… share the first VC."""
    relation = shuffle_exchange(named(f"shuffle_exchange({n})"), 2, simulates="B")
    assert dict(relation.claims) == dict.fromkeys(SWITCHINGS, True)
    for technique in SWITCHINGS:
        verdict = check(relation, technique)
        assert verdict.deadlock_free is False
        assert verdict.configuration is not None
        for message in verdict.configuration.messages:
            assert set(relation.vcs.index[list(message.held)].tolist()) == {0}
        assert replay(relation, verdict.configuration).stuck


def test_the_simulated_steps_are_those_of_the_tree() -> None:
    """Words at which the second phase stands after its steps spell the destination bit by bit."""
    relation = shuffle_exchange(named("shuffle_exchange(4)"))
    for source, end in itertools.product(range(16), range(16)):
        path = met(relation, source, end)
        assert source == end or 15 * (end >> 3) in path


@pytest.mark.parametrize(
    "text", ["cube_connected_cycles(3)", "line(2)[ring(3)] * line(2) ** 2", "cube_connected_cycles(4)"]
)
def test_cube_connected_cycles(text: str) -> None:
    relation = cube_connected_cycles(named(text))
    check_relation(relation, compiled=False)
    assert sorted(set(relation.vcs.counts.tolist())) == [2, 3]
    n = relation.network.radices[-1]
    used = {vc for s in range(n << n) for d in range(n << n) for vc in vcs_of(relation, s, d)}
    last = [vc for vc in used if relation.vcs.index[vc] == 2]
    assert relation.network.coordinates is not None
    assert all(
        relation.network.coordinates[relation.network.source[relation.vcs.channel[vc]], -1] >= 3 for vc in last
    )
    assert bool(last) is (n > 3), "the third VC is for positions from 3 on alone"
    assert deliver(relation).longest_route == 3 * n - 2


@pytest.mark.long
def test_two_vcs_do_not_do_for_cube_connected_cycles_of_four_dimensions() -> None:
    """With the third VC folded into the second the same routes can deadlock from four dimensions on."""
    for n, free in ((3, True), (4, False)):
        known = cube_connected_cycles(named(f"cube_connected_cycles({n})"))
        for technique in SWITCHINGS:
            assert check(folded(known), technique).deadlock_free is free


def folded(known: Relation) -> Relation:
    """The same routes on 2 VCs per channel, the last of which stands for all further ones."""
    places = 2 * known.network.num_channels

    def rule(at: int, address: int, out: object) -> int:
        there = known.num_vcs + at - places if at >= places else int(known.vcs.first[at // 2]) + at % 2
        (candidate,) = known.candidates(there, address)
        vc = candidate.vc
        ours = EJECT if vc is None else 2 * int(known.vcs.channel[vc]) + min(1, int(known.vcs.index[vc]))
        out[0] = ours  # type: ignore[index]
        return 1

    return Relation(known.network, 2, rule)


@pytest.mark.parametrize("technique", SWITCHINGS)
def test_brute_force_agrees(technique: str) -> None:
    for relation in (
        de_bruijn(b(2, 2)),
        de_bruijn(b(2, 3)),
        de_bruijn(b(3, 2, directed=False)),
        shuffle_exchange(named("shuffle_exchange(2)")),
        shuffle_exchange(named("shuffle_exchange(2)"), 2, simulates="B"),
        shuffle_exchange(named("shuffle_exchange(3)")),
    ):
        assert (deadlock(relation, technique) is None) is check(relation, technique).deadlock_free


def test_they_compile() -> None:
    for relation in (
        de_bruijn(b(2, 3), bypass=True),
        shuffle_exchange(named("shuffle_exchange(3)"), simulates="B"),
    ):
        check_relation(relation, compiled=False)
        assert not compile_relation(relation).tabulated


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(NetworkError, match=r"de_bruijn on torus.*it needs a de Bruijn network"):
        de_bruijn(torus(4, 4))
    with pytest.raises(RelationError, match="unknown paths 'multi'; did you mean multi_root"):
        de_bruijn(b(2, 2), paths="multi")
    with pytest.raises(RelationError, match="the letters are 0 to 1, got 2"):
        de_bruijn(b(2, 2), paths="single_root", letter=2)
    with pytest.raises(NetworkError, match="it needs a shuffle-exchange network"):
        shuffle_exchange(b(2, 3))
    with pytest.raises(RelationError, match="simulating UB takes 2 VCs per channel, got 3"):
        shuffle_exchange(named("shuffle_exchange(3)"), 3)
    with pytest.raises(NetworkError, match="it needs a ring of n ≥ 3 routers at each corner"):
        cube_connected_cycles(torus(2, 2, 2, 3))
