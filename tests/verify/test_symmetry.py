"""Translation symmetry: found where it is, not where it is not, and answers are the same with and without it."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawing import draw_until
from tests.strategies import table_relation
from unknot.certificates import accept_verdict
from unknot.network import Network, Places
from unknot.network.families import hypercube, mesh, ring, torus
from unknot.routing import Relation, VirtualChannels, dimension_order, duato, fully_adaptive
from unknot.routing.parts import Addressing
from unknot.routing.relation import EJECT, NO_WAIT
from unknot.verify import check, dependencies
from unknot.verify.effort import Effort
from unknot.verify.symmetry import commutes, translations
from unknot.verify.waiting import drain, waiting


def symmetric(relation: Relation) -> bool:
    group = translations(relation)
    return group is not None and commutes(relation, group, Effort())


@pytest.mark.parametrize(
    ("relation", "order", "holds"),
    [
        (fully_adaptive(torus(4, 3)), 12, True),
        (fully_adaptive(hypercube(3), 2), 8, True),
        (dimension_order(torus(3, 3), 1), 9, True),
        (duato(hypercube(3)), 8, True),
        (dimension_order(torus(4, 4), 2), 16, False),
        (duato(torus(3, 3)), 9, False),
        (fully_adaptive(mesh(3, 3)), None, False),
        (fully_adaptive(torus(4, 4).without(channels=[5])), None, False),
    ],
    ids=lambda value: f"{value.name} on {value.network.name}" if isinstance(value, Relation) else None,
)
def test_known_cases(relation: Relation, order: int | None, holds: bool) -> None:
    """A dateline breaks the symmetry, an edge of a mesh too, and a single fault."""
    group = translations(relation)
    assert (None if group is None else group.order) == order
    assert symmetric(relation) == holds


@pytest.mark.parametrize(("relation", "holds"), [(fully_adaptive(ring(4)), True), (duato(ring(4)), False)])
def test_rules_that_are_asked_one_by_one(relation: Relation, holds: bool) -> None:
    asked = replace(relation)
    asked.__dict__["table"] = None  # as where there are many states
    assert symmetric(asked) == holds


@pytest.mark.parametrize("kept", [slice(1, 2), slice(0, 1), [0, 0], [1, 1], [0, 1], [0, 1, 0]])
@pytest.mark.parametrize("at", ["terminal", "VC"])
def test_one_other_answer_in_a_block_of_its_own(at: str, kept: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the router opposite to the last address, where there are two candidates or more."""
    monkeypatch.setattr("unknot.verify.effort.BLOCK", 1)
    base = fully_adaptive(ring(4), 2)
    inside = [vc for vc in range(base.num_vcs) if base.vcs.router[vc] == 2 and base.network.source[vc // 2] == 1]
    place = base.num_vcs + 1 if at == "terminal" else inside[0]
    answer = [c.vc for c in base.candidates(place, 3)]

    def rule(here: int, address: int, out: np.ndarray) -> int:
        if (here, address) != (place, 3):
            return base.rule(here, address, out)
        other = np.array(answer)[kept]
        out[: other.size] = other
        return int(other.size)

    assert symmetric(Relation(base.network, base.vcs, rule)) == (kept == [0, 1] == [*range(len(answer))])


@pytest.mark.parametrize("inject", [[0, 1], [2, 3]])
def test_routers_in_one_place_are_not_turned(inject: list[int]) -> None:
    """Routers 2 and 3 share their coordinates, so what belongs to them makes no orbit though there are two of it."""
    network = Network(
        "pairs",
        4,
        [0, 1, 2, 3],
        [1, 0, 3, 2],
        inject=inject,
        eject=inject,
        places=Places(coordinates=[[0], [1], [0], [0]], radices=(2,)),
    )
    assert translations(table_relation(network, 1, {})) is None


def test_a_cylinder_turns_but_does_not_shift(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rings along x, lines along y: translations along x alone, one address for each line, wherever blocks begin."""
    whole = torus(4, 3)
    assert whole.coordinates is not None
    y = whole.coordinates[:, 1]
    wrap = np.flatnonzero(np.abs(y[whole.source] - y[whole.target]) == 2)
    cylinder = whole.without(channels=wrap.tolist())
    relation = fully_adaptive(cylinder)
    group = translations(relation)
    assert group is not None
    assert (group.dimensions, group.order, group.representatives.size) == ((0,), 4, 3)
    monkeypatch.setattr("unknot.verify.effort.BLOCK", 1)
    assert symmetric(relation)
    compare(relation)


def random_relation(rng: random.Random, network: Network, vcs: int, spoil: bool) -> Relation:
    """Answers drawn for each position relative to the destination; with `spoil` one reachable answer is changed."""
    virtual = VirtualChannels(network, vcs)
    assert network.coordinates is not None
    at, radices = network.coordinates, np.array(network.radices)
    drawn: dict[tuple[object, ...], list[tuple[tuple[int, ...], int]]] = {}
    step_of = (at[network.target] - at[network.source]) % radices
    table: dict[tuple[int, int], list[int]] = {}
    commits = rng.random() < 0.3
    for address in range(network.num_terminals):
        todo = [virtual.total + t for t in range(network.num_terminals)]
        while todo:
            input_vc = todo.pop()
            if (input_vc, address) in table:
                continue
            here = int(virtual.router[input_vc])
            offset = tuple(((at[here] - at[network.eject[address]]) % radices).tolist())
            came = (
                -1
                if input_vc >= virtual.total
                else (*step_of[virtual.channel[input_vc]].tolist(), int(virtual.index[input_vc]))
            )
            leaving = [int(c) for c in np.flatnonzero(network.source == here)]
            ways = {(tuple(step_of[c].tolist()), v): int(virtual.first[c]) + v for c in leaving for v in range(vcs)}
            if (offset, came) not in drawn:
                some = rng.sample(sorted(ways), min(len(ways), rng.choice([1, 1, 1, 2, 3])))
                drawn[offset, came] = [
                    (way, NO_WAIT if i and rng.random() < 0.3 else 0) for i, way in enumerate(some)
                ]
            answer = [ways[way] + mark for way, mark in drawn[offset, came]]  # type: ignore[index]
            leaves = not any(offset) and len(drawn[offset, came]) < 3
            table[input_vc, address] = answer + [EJECT] * leaves
            todo += [ways[way] for way, _ in drawn[offset, came]]  # type: ignore[index]
    if spoil:
        input_vc, address = rng.choice([key for key in sorted(table) if key[1] > 0])
        table[input_vc, address] = table[input_vc, address][:-1] if len(table[input_vc, address]) > 1 else []
    return table_relation(network, virtual, table, commits=commits)


def compare(relation: Relation) -> tuple[bool, bool]:
    """Both fixpoints with and without; whether the symmetry was used, and whether something is left."""
    graph = dependencies(relation)
    if graph.acyclic:
        return False, False
    with_it, without = waiting(graph), waiting(graph, symmetry=False)
    assert without.group is None
    some = False
    for spread, entered in ((False, False), (False, True), (True, False)):
        left = drain(with_it, spread=spread, entered=entered)
        other = drain(without, spread=spread, entered=entered)
        assert np.array_equal(left.vcs, other.vcs)
        some |= bool(left)
        if left and not spread:
            assert set(left.heads().vc.tolist()) == set(other.heads().vc.tolist())
    for switching in ("vct", "wormhole"):
        accept_verdict(relation, check(relation, switching))
    return with_it.group is not None, some


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize("network", [ring(4), torus(3, 3), torus(3, 2), hypercube(3)], ids=lambda n: n.name)
def test_answers_are_the_same_with_and_without(network: Network) -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=12)
    @given(st.randoms(use_true_random=True), st.integers(1, 2))
    def compared(rng: random.Random, vcs: int) -> None:
        symmetry, some = compare(random_relation(rng, network, vcs, spoil=False))
        seen["used"] += symmetry
        seen["left"] += symmetry and some

    draw_until(lambda: min(seen["used"], seen["left"]) > 3, compared)


def test_answers_are_the_same_where_all_drains() -> None:
    """Duato's relation on hypercubes is symmetric, its escape channels included, and all VCs drain."""
    assert compare(duato(hypercube(3))) == (True, False)
    assert compare(duato(hypercube(4), 3)) == (True, False)


@pytest.mark.parametrize("spread", [False, True])
@pytest.mark.parametrize("relation", [duato(hypercube(2)), duato(hypercube(2), 3), duato(hypercube(3))])
def test_whole_orbits_drain(relation: Relation, spread: bool) -> None:
    states = waiting(dependencies(relation))
    assert states.group is not None
    left = drain(states, spread=spread)
    assert not left
    cyclic = states.graph.cyclic
    assert set(Counter(left.removed[cyclic].tolist()).values()) == {states.group.order}


@pytest.mark.parametrize("network", [ring(4), torus(3, 3)], ids=lambda n: n.name)
@settings(max_examples=6)
@given(rng=st.randoms(use_true_random=True), vcs=st.integers(1, 2))
def test_a_single_other_answer_is_noticed(network: Network, rng: random.Random, vcs: int) -> None:
    relation = random_relation(rng, network, vcs, spoil=True)
    assert not symmetric(relation)
    compare(relation)


def test_several_addresses_of_a_terminal_and_their_users() -> None:
    """Two addresses each; a source may use either. When one source may not use one address, the symmetry is gone."""
    base = fully_adaptive(ring(5))
    terminals = base.network.num_terminals

    def rule(at: int, address: int, out: np.ndarray) -> int:
        return base.rule(at, address % terminals, out)

    homes = np.tile(np.arange(terminals), 2)
    may_use = np.ones((terminals, 2 * terminals), dtype=bool)
    whole = Relation(base.network, base.vcs, rule, addresses=Addressing(homes, may_use=may_use))
    group = translations(whole)
    assert group is not None
    assert group.representatives.size == 2
    assert symmetric(whole)
    assert compare(whole) == (True, True)
    may_use[2, 3] = False
    assert not symmetric(Relation(base.network, base.vcs, rule, addresses=Addressing(homes, may_use=may_use)))
