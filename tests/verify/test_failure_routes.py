"""Choices by a path limit and by the age of routes: a deadlock exactly where some choice of a brute force has one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise, product

import networkx as nx
import numpy as np
import pytest

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.network.families import xgft
from unknot.routing.as_numbers import as_plan
from unknot.routing.ethernet import bgp, bgp_vector
from unknot.verify import fault_sweep
from unknot.verify.failures import Failures

Hops = dict[int, tuple[int, ...]]
"""Next routers of each router on the way to one destination."""
THREE = xgft([1, 3], [1, 2])
PODS = xgft([1, 2, 2], [1, 2, 2])


def settled_states(network: Network, home: int, systems: list[int], allowas_in: int) -> list[Hops]:
    """All states in which speakers of BGP can settle: by lengths of AS paths, any best one announced."""
    beside: dict[int, set[int]] = {router: set() for router in range(network.num_routers)}
    for a, b in zip(network.source.tolist(), network.target.tolist(), strict=True):
        beside[a] |= {b} if systems[a] != systems[b] else set()
    states = list[Hops]()

    def grow(paths: dict[int, tuple[int, ...]], hops: Hops, length: int) -> None:
        fresh: dict[int, list[int]] = {}
        for router in set(beside) - set(paths):
            near = [n for n in beside[router] if n in paths and len(paths[n]) == length]
            near = [n for n in near if [systems[r] for r in paths[n]].count(systems[router]) <= allowas_in]
            if near:
                fresh[router] = near
        if not fresh and not any(len(path) > length for path in paths.values()):
            states.append(hops)
            return
        for chosen in product(*fresh.values()):
            told = {r: (r, *paths[best]) for r, best in zip(fresh, chosen, strict=True)}
            grow(paths | told, hops | {r: tuple(near) for r, near in fresh.items()}, length + 1)

    grow({home: (home,)}, {}, 1)
    return [dict(state) for state in {tuple(sorted(state.items())) for state in states}]


def limited(state: Hops, most: int | None) -> Iterator[Hops]:
    """The same with any next hops up to a limit."""
    options = [combinations(hops, min(most or len(hops), len(hops))) for hops in state.values()]
    for chosen in product(*options):
        yield dict(zip(state, chosen, strict=True))


def turns_of(network: Network, home: int, hops: Hops) -> frozenset[tuple[tuple[int, int], tuple[int, int]]]:
    """Pairs of channels that follow one another on the ways of packets to one destination."""
    left, turns = [r for r in network.inject.tolist() if r != home], set()
    seen = set(left)
    for router in left:
        for to in hops.get(router, ()):
            turns |= {((router, to), (to, then)) for then in hops.get(to, ())}
            left += [] if to in seen or to == home else [to]
            seen.add(to)
    return frozenset(turns)


def some_choice_deadlocks(network: Network, systems: list[int], allowas_in: int, most: int | None) -> bool:
    """Whether some choice of all routers for all destinations closes a cycle."""
    choices = []
    for home in sorted({*network.eject.tolist()}):
        states = settled_states(network, home, systems, allowas_in)
        choices.append({turns_of(network, home, hops) for state in states for hops in limited(state, most)})
    reduced = [[one for one in own if not any(one < other for other in own)] for own in choices]
    return any(
        not nx.is_directed_acyclic_graph(nx.DiGraph([turn for turns in chosen for turn in turns]))
        for chosen in product(*reduced)
    )


def outcomes(network: Network, routing: str, systems: list[int], allowas_in: int, most: int | None) -> int:
    """Compare all pairs of failed links; the number of those that deadlock."""
    names = {network.router_name(r): r for r in range(network.num_routers)}
    bad = 0
    for fault in fault_sweep(network, routing, failures=Failures(at_once=2, budget=10**6)).tried:
        if fault.outcome == "disconnected":
            continue
        left = network.without(links=[tuple(names[end] for end in part.split("–")) for part in fault.parts])
        assert fault.outcome != "undecided"
        assert (fault.outcome == "deadlock") == some_choice_deadlocks(left, systems, allowas_in, most), fault
        bad += fault.outcome == "deadlock"
    return bad


@pytest.mark.parametrize(("most", "deadlocks"), [(1, 0), (2, 0)])
def test_a_limit_of_paths_on_three_leaves(most: int, deadlocks: int) -> None:
    text = f"bgp(maximum_paths={most})"
    assert outcomes(THREE, text, as_plan(THREE, "switch"), 0, most) == deadlocks


def test_a_limit_of_one_path_leaves_deadlocks_of_four_leaves() -> None:
    network = xgft([1, 4], [1, 2])
    assert outcomes(network, "ospf(maximum_paths=1)", [*range(6)], 0, 1) == 12


def test_the_age_of_routes_decides_which_path_is_refused() -> None:
    network = xgft([1, 3], [1, 2])
    systems = [0, 1, 0, 2, 2]
    text = f"bgp(plan={systems}, oldest=True, allowas_in=1)"
    outcomes(network, text, systems, 1, None)


@pytest.mark.parametrize("dead", [(), ((0, 4),), ((0, 4), (2, 6)), ((0, 4), (3, 7), (4, 8))])
def test_all_states_in_which_routes_settle_are_found(dead: tuple[tuple[int, int], ...]) -> None:
    left, systems = PODS.without(links=dead), as_plan(PODS, "rfc7938")
    vector = bgp_vector(left, plan=systems, allowas_in=1, oldest=True)
    first, outgoing = left.outgoing
    for home in range(4):
        states = {
            tuple(
                tuple(sorted(int(left.target[c]) for i, c in enumerate(outgoing[a:b]) if table[r] >> i & 1))
                for r, (a, b) in enumerate(pairwise(first.tolist()))
            )
            for table in vector.tables(home, np.ones(left.num_channels, dtype=bool))
        }
        brute = settled_states(left, home, systems, 1)
        assert states == {tuple(tuple(sorted(state.get(r, ()))) for r in range(left.num_routers)) for state in brute}


def test_candidates_are_those_of_all_choices() -> None:
    left = PODS.without(links=[(0, 4), (2, 6)])
    systems = as_plan(PODS, "rfc7938")
    fixed = bgp(left, plan=systems, allowas_in=1)
    free = bgp(left, plan=systems, allowas_in=1, oldest=True)
    for at in range(left.num_channels):
        for address in range(4):
            assert {*fixed.candidates(at, address)} <= {*free.candidates(at, address)}


@pytest.mark.parametrize("options", ["maximum_paths=0", "allowas_in=-1"])
def test_numbers_that_make_no_sense_are_refused(options: str) -> None:
    with pytest.raises(RelationError, match=f"bgp: {options.partition('=')[0]} is a number from"):
        fault_sweep(THREE, f"bgp({options})")
