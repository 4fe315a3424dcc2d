"""Parts of the plain checker against naive twins: shortest paths, routes, clauses, sums of facts."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lane_assignment.test_lanes import networks
from tests.reference import climbing
from tests.strategies import relations
from unknot.certificates import Rejected, Unchecked, plain
from unknot.certificates.claims import rule_difference
from unknot.certificates.documents import network_of, table_of
from unknot.network import Network
from unknot.network.families import hypercube, mesh, ring, torus
from unknot.routing import Relation, dimension_order, fully_adaptive

ENTRY = st.tuples(st.integers(0, 4), st.just(0), st.just(1))
FACTS = st.lists(st.tuples(st.sets(ENTRY, max_size=3), st.sets(ENTRY, max_size=2)), max_size=5)


def settled(facts: list[tuple[set[plain.Entry], set[plain.Entry]]], gone: set[plain.Entry]) -> bool:
    return all(removed & gone or kept - gone for removed, kept in facts)


def choices(facts: list[tuple[set[plain.Entry], set[plain.Entry]]]) -> list[set[plain.Entry]]:
    """All choices of removed candidates that settle all facts."""
    entries = sorted({entry for fact in facts for part in fact for entry in part})
    every = product((False, True), repeat=len(entries))
    found = [{entry for entry, on in zip(entries, which, strict=True) if on} for which in every]
    return [gone for gone in found if settled(facts, gone)]


def trees(facts: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Trees of choices with any multipliers in their leaves, each node before its branches."""
    times = st.tuples(st.integers(0, max(0, facts - 1)), st.integers(0, 2 * plain.PARTS)).map(list)
    leaf = st.lists(times, max_size=4 if facts else 0).map(lambda pairs: [{"multipliers": pairs}])
    return st.recursive(leaf, lambda part: st.tuples(ENTRY, part, part).map(branch), max_leaves=6)


def branch(parts: tuple[tuple[int, int, int], list[Any], list[Any]]) -> list[dict[str, Any]]:
    entry, removed, kept = parts
    return [{"entry": [*entry]}, *removed, *kept]


@given(FACTS, st.data())
def test_facts_never_add_up_to_more_than_has_to_be_removed(
    facts: list[tuple[set[plain.Entry], set[plain.Entry]]], data: st.DataObject
) -> None:
    possible = choices(facts)
    if possible:
        assert plain.removals_shown(facts, data.draw(trees(len(facts)))) <= min(map(len, possible))


def test_facts_add_up_in_every_leaf() -> None:
    a, b, part = (0, 0, 1), (1, 0, 1), plain.PARTS
    # Facts of candidates of their own add up to their number.
    apart = [({(at, 0, 1), (at, 1, 1)}, set[plain.Entry]()) for at in range(4)]
    assert plain.removals_shown(apart, [{"multipliers": [[at, part] for at in range(4)]}]) == 4
    both: list[tuple[set[plain.Entry], set[plain.Entry]]] = [({a}, {b}), (set(), {a})]
    assert plain.removals_shown(both, [{"multipliers": [[0, part], [1, part]]}]) == 0
    both[1] = ({b}, set())
    assert plain.removals_shown(both, [{"multipliers": [[0, part], [1, 2 * part]]}]) == 2
    # Of three candidates any two: three halves by adding up, two in either branch.
    pairs = [({(at, 0, 1), ((at + 1) % 3, 0, 1)}, set[plain.Entry]()) for at in range(3)]
    leaf = {"multipliers": [[at, part // 2] for at in range(3)]}
    tree = [{"entry": [*a]}, {"multipliers": [[1, part]]}, {"multipliers": [[0, part], [2, part]]}]
    assert plain.removals_shown(pairs, [leaf]) == plain.removals_shown(pairs, tree) == 2
    assert plain.removals_shown(pairs, [tree[0], {"multipliers": []}, tree[2]]) == 1
    for wrong in ([], tree[:2], [*tree, leaf], [{"entry": [0]}, leaf, leaf], [{"multipliers": [[3, 1]]}], [7]):
        with pytest.raises(Rejected):
            plain.removals_shown(pairs, wrong)


@given(networks(), st.lists(st.sampled_from(range(6)), max_size=2))
def test_turns_that_shortest_paths_avoid(network: Network, dead_ends: list[int]) -> None:
    """Also where channels lead to routers that nothing leads back from."""
    routers, more = network.num_routers, [u for u in dead_ends if u < network.num_routers]
    source, target = [*network.source, *more, routers], [*network.target, *[routers] * len(more), routers + 1]
    network = Network("ends", routers + 2, source, target, inject=network.inject)
    graph = plain.Network(network_of(network))
    encoder = plain.Encoder(graph, 1)
    turns = [(c, e) for c in range(graph.channels) for e in graph.leaving.get(graph.target[c], ())]
    for s, t in climbing.pairs(network):
        paths = [{*pairwise(path)} for path in climbing.shortest_paths(network, s, t)]
        for turn in turns:
            assert encoder.can_avoid((s, t), turn) == any(turn not in path for path in paths)


@given(networks(), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5))), st.permutations(range(6)))
def test_pairs_that_send(network: Network, flows: list[tuple[int, int]], order: list[int]) -> None:
    inject, count = network.inject.tolist(), network.num_terminals
    eject = [inject[i] for i in order if i < count]
    apart = Network("apart", network.num_routers, network.source, network.target, inject=inject, eject=eject)
    graph = plain.Network(network_of(apart))
    sent = [(s, t) for s, t in flows if s < count and t < count]
    for given_flows, pairs in (([list(flow) for flow in sent], sent), (None, [*product(range(count), repeat=2)])):
        ends = {(inject[s], eject[t]) for s, t in pairs if s != t and inject[s] != eject[t]}
        assert plain.sending_pairs(graph, given_flows) == ends


def route(relation: Relation, source: int, address: int) -> list[int]:
    """The channels of the one route from a terminal."""
    at, channels = relation.num_vcs + source, list[int]()
    while (vc := relation.candidates(at, address)[0].vc) is not None:
        channels.append(int(relation.vcs.channel[vc]))
        at = vc
    return channels


@given(st.sampled_from([dimension_order(ring(4), 1, dateline="none"), dimension_order(mesh(2, 3))]), st.data())
def test_cycles_of_routes(relation: Relation, data: st.DataObject) -> None:
    """Whatever list of turns: it is accepted if routes take them and each begins where the one before ends."""
    table = plain.Table(plain.Network(network_of(relation.network)), table_of(relation))
    network, addresses = relation.network, relation.num_addresses
    taken = [[c, e, s, a] for s, a in product(range(addresses), repeat=2) for c, e in pairwise(route(relation, s, a))]
    turns: list[list[int]] = [data.draw(st.sampled_from(taken))]
    while turns[-1][1] != turns[0][0] and len(turns) < 9:
        onward = [turn for turn in taken if turn[0] == turns[-1][1]]
        if not onward:
            break
        turns.append(data.draw(st.sampled_from(onward)))
    if data.draw(st.booleans()):
        which, at = data.draw(st.integers(0, len(turns) - 1)), data.draw(st.integers(0, 3))
        turns[which] = [*turns[which]]
        turns[which][at] = data.draw(st.integers(0, (network.num_channels, addresses)[at > 1]))
    encoder, senders = plain.RouteEncoder(table, 1), {*product(range(addresses), repeat=2)}
    closed = all(e == after[0] for (_, e, *_), after in pairwise([*turns, turns[0]]))
    holds = closed and all(turn in taken for turn in turns)
    try:
        plain.check_turns(encoder, senders, turns)
    except Rejected:
        assert not holds
    else:
        assert holds


@given(relations(), st.data())
def test_tables_that_differ(relation: Relation, data: st.DataObject) -> None:
    """A table is like itself with its candidates in another order, and unlike any with another candidate."""
    graph = plain.Network(network_of(relation.network))
    first, other = plain.Table(graph, table_of(relation)), table_of(relation)
    for rows in other["states"]:
        for row in rows:
            row[1:] = data.draw(st.permutations(row[1:]))
    assert plain.unlike(first, plain.Table(graph, other)) == ""
    rows = [row for rows in other["states"] for row in rows if len(row) > 1]
    if rows:
        row = data.draw(st.sampled_from(rows))
        changed = data.draw(st.integers(1, len(row) - 1))
        # A mark says nothing where headers keep what they chose, so that the candidate itself goes.
        row[changed : changed + 1] = [] if row[changed] == -1 or relation.commits else [-row[changed] - 2]
        try:
            second = plain.Table(graph, other)
        except Rejected:
            return
        assert plain.unlike(first, second)
        assert plain.unlike(second, first)


def dimension_by_dimension(counts: list[list[int]], *, short: bool) -> dict[str, Any]:
    """The rule of dimension order on meshes with one VC each way, or on hypercubes, for all states."""
    sides = range(len(counts))
    states = product(range(-1, 2 * len(counts)), product((1, 0, -1), repeat=len(counts)))
    rule = [
        [held, *signs, next(2 * i + (signs[i] < 0) for i in sides if signs[i])]
        for held, signs in states
        if any(signs)
    ]
    return {"counts": counts, "short": short, "rule": rule}


def test_a_rule_is_compared_with_networks_of_its_kind_only() -> None:
    line, plane = (dimension_by_dimension([[1, 1]] * sides, short=False) for sides in (1, 2))
    cubes = dimension_by_dimension([[1, 1]] * 2, short=True)
    for claim, network, vcs, reason in (
        (line, mesh(2), 1, ""),
        (line, mesh(5), 1, ""),
        (line, mesh(2), 2, "its channels have other VCs"),
        (line, mesh(2, 2), 1, "the network has 2 dimensions, and the rule is for 1"),
        (plane, mesh(3, 4), 1, ""),
        (plane, mesh(2, 2), 1, ""),
        (cubes, mesh(2, 2), 1, ""),
        (cubes, hypercube(2), 1, ""),
        (cubes, mesh(3, 2), 1, "the rule is for hypercubes"),
        (plane, torus(4, 4), 2, "the network is no mesh"),
    ):
        difference = rule_difference(claim, dimension_order(network, vcs))
        assert difference.startswith(reason), network
        assert bool(difference) == bool(reason), network


def test_a_rule_has_a_row_for_each_state_that_is_reached() -> None:
    """Each row that packets on a mesh may come to is missed, and those to nowhere are not."""
    claim, relation = dimension_by_dimension([[1, 1]] * 2, short=False), dimension_order(mesh(3, 3), 1)
    missed = set()
    for number, row in enumerate(claim["rule"]):
        rule = [*claim["rule"][:number], *claim["rule"][number + 1 :]]
        if rule_difference({**claim, "rule": rule}, relation):
            missed.add((row[0], *row[1:3]))
    # In dimension 0 anything may remain in dimension 1; a packet in dimension 1 has nothing left in dimension 0.
    injected = {(-1, *signs) for signs in product((1, 0, -1), repeat=2) if any(signs)}
    across = {(held, x, y) for held, x in ((0, 1), (1, -1)) for y in (1, 0, -1)} | {
        (held, 0, y) for held in (0, 1) for y in (1, -1)
    }
    assert missed == injected | across | {(2, 0, 1), (3, 0, -1)}


@pytest.mark.parametrize("switching", ["vct", "wormhole"])
def test_how_many_steps_closed_walks_take(switching: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One for each place that a packet may come to from each VC, and one for each VC that is waited for there."""
    relation = fully_adaptive(mesh(2, 3), 1)
    table = plain.Table(plain.Network(network_of(relation.network)), table_of(relation))
    _, left = plain.holdable_states(table, plain.SWITCHINGS[switching])
    count = 0
    for may in table.may:
        for v in left & may.keys():
            ways = [(v, may[v])]
            for _, onward in ways:
                for w in onward if switching == "wormhole" else ():
                    if w in left and w not in dict(ways):
                        ways.append((w, may[w]))
                blocked = plain.EJECT not in onward and left >= {*onward}
                count += 1 + (len(onward) if blocked else 0)
    for steps in (count, count - 1):
        monkeypatch.setattr("unknot.certificates.plain.worms.SEARCH_STEPS", steps)
        if steps == count:
            assert plain.fewest_packets(table, plain.SWITCHINGS[switching]) == 4
        else:
            with pytest.raises(Unchecked, match=f"more than {steps} steps"):
                plain.fewest_packets(table, plain.SWITCHINGS[switching])
