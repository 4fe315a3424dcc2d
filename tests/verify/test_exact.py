"""The exact decision by windows, on merged states and at once: always the same answer, and the right one."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawing import draw_until
from tests.reference.brute_force import TooLargeError, deadlock
from tests.reference.legality import complaints
from tests.strategies import networks, relations
from tests.verify.constructions import FREE_FOUR_WIDE, FREE_THREE_WIDE, by_signs
from unknot._base.deadline import clock
from unknot.certificates.verdict_checker import strike_out
from unknot.network.families import complete, mesh, ring
from unknot.routing import Relation, dimension_order, lcfaa
from unknot.verify import check, exact
from unknot.verify.exact_model import Model, Worm, fewest
from unknot.verify.remainder import Remainder, on_cycles
from unknot.verify.states import dependencies

HARD = ("ranked", "escape", "loose")
MANY = relations(networks(loops=True, strongly_connected=None), kinds=HARD)
FAMILIES = st.sampled_from([mesh(2, 2), mesh(3, 2), ring(4), complete(3), complete(4)]).flatmap(
    lambda network: relations(network, kinds=("ranked", "escape"))
)


def everything(relation: Relation) -> Remainder | None:
    """All states on cycles, or None when there is no cycle."""
    graph = dependencies(relation)
    if graph.acyclic:
        return None
    return on_cycles(graph, "wormhole")


def assert_blocked(relation: Relation, worms: list[Worm]) -> None:
    """Every worm goes where its address lets it, holds VCs of its own, and waits for what is held."""
    held = [vc for worm in worms for vc in worm.path]
    assert len(set(held)) == len(held)
    for worm in worms:
        for at, vc in zip(worm.path, worm.path[1:], strict=False):
            assert vc in [c.vc for c in relation.candidates(at, worm.address)]
        waits = {c.vc for c in relation.candidates(worm.path[-1], worm.address) if c.waits}
        assert set(worm.waits) == waits or (relation.commits and len(worm.waits) == 1 and set(worm.waits) <= waits)
        assert set(worm.waits) <= set(held)


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize("strategy", [MANY, FAMILIES])
def test_windows_decide_as_brute_force(
    strategy: st.SearchStrategy[Relation], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No small instance is put to the solver at once, and nothing is removed beforehand."""
    monkeypatch.setattr(exact, "SMALL", 0)
    seen: Counter[str] = Counter()

    @given(strategy, st.integers(1, 3))
    @settings(max_examples=10)
    def compare(relation: Relation, routers: int) -> None:
        monkeypatch.setattr(exact, "ROUTERS", routers)
        try:
            expected = deadlock(relation, "wormhole", limit=20_000)
        except TooLargeError:
            return
        graph = dependencies(relation)
        if graph.acyclic:
            assert expected is None
            return
        worms = exact.find_worms(graph, on_cycles(graph, "wormhole"), 30.0)
        assert isinstance(worms, list) == (expected is not None)
        assert worms is not None
        if isinstance(worms, list):
            assert_blocked(relation, worms)
        else:
            levels = {vc: int(graph.label[vc]) for vc in np.flatnonzero(graph.cyclic).tolist()}
            strike_out(relation, levels, worms)
        seen["free" if expected is None else "deadlock"] += 1

    draw_until(lambda: seen["deadlock"] > 15 and seen["free"] > 4, compare)


@given(MANY, st.data())
def test_a_window_has_the_nearest_routers_each_once(relation: Relation, data: st.DataObject) -> None:
    network = relation.network
    graph = nx.Graph(zip(network.source.tolist(), network.target.tolist(), strict=True))
    if not graph:
        return
    middle = data.draw(st.lists(st.sampled_from(sorted(graph)), min_size=1, max_size=2, unique=True))
    count = data.draw(st.integers(1, len(graph) + 1))
    order = exact.Surroundings(relation, np.arange(relation.num_vcs)).around(middle, count)
    hops = nx.multi_source_dijkstra_path_length(graph, middle)
    assert len(set(order)) == len(order) == max(len(middle), min(count, len(graph)))
    assert set(order[: len(middle)]) == set(middle)
    assert [hops.get(r, np.inf) for r in order] == sorted(hops.get(r, np.inf) for r in graph)[: len(order)]


@given(MANY)
def test_merged_states_answer_alike(relation: Relation) -> None:
    part = everything(relation)
    if part is None:
        return
    merged = part.pruned().merged()
    assert merged.input_vc.size <= part.input_vc.size
    worms = Model(merged).blocked(30.0)
    assert isinstance(worms, list) == isinstance(Model(part).blocked(30.0), list)
    if isinstance(worms, list):
        assert_blocked(relation, worms)


@given(MANY, st.data())
def test_open_ends_only_add_deadlocks(relation: Relation, data: st.DataObject) -> None:
    """What is blocked within a part is blocked, and what is not even with open ends is not."""
    part = everything(relation)
    if part is None:
        return
    kept = data.draw(st.lists(st.booleans(), min_size=relation.num_vcs, max_size=relation.num_vcs))
    states = part.on(np.flatnonzero(kept))
    answers = [isinstance(Model(whole).blocked(30.0), list) for whole in (part.cut(states), part)]
    assert answers == sorted(answers)
    opened = part.cut(states, open_ends=True)
    whole = Model(part).blocked(30.0)
    if isinstance(whole, list) and any(set(worm.path) & set(np.flatnonzero(kept)) for worm in whole):
        assert opened.pruned().input_vc.size
    # However small a window is, it strikes out nothing that is held: a worm may leave it and block elsewhere.
    for vc in [vc for worm in whole for vc in worm.path[:-1]][:2] if isinstance(whole, list) else ():
        window = part.cut(part.on(np.array([vc])), open_ends=True)
        search = exact._Search(relation, window, clock() + 30.0)
        assert not search.never_held(window.merged(), np.array([vc])).size


def test_worms_of_as_many_terminals_as_there_are() -> None:
    """On a ring every message comes from the one terminal of its router; with none of them there is no way."""
    relation = dimension_order(ring(4))
    part = everything(relation)
    assert part is not None
    part = replace(part, enters=np.ones(part.input_vc.size, dtype=bool))
    worms, proved = fewest(part, 30.0, injected=relation)
    assert isinstance(worms, list)
    assert proved
    assert len(worms) == 4
    others = np.array([0, 2, 3])
    without_one = dimension_order(replace(relation.network, inject=others, eject=others))
    assert fewest(part, 30.0, injected=without_one)[0] is False


@pytest.mark.long
@pytest.mark.sampled(0.25)
@pytest.mark.parametrize(("table", "wide", "length"), [(FREE_THREE_WIDE, 3, 5), (FREE_FOUR_WIDE, 4, 5)])
def test_narrow_meshes_are_free(
    table: dict[str, str], wide: int, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once and by windows; one router more on either side and it deadlocks."""
    relation = by_signs(mesh(wide, length), table)
    for small in (10_000, 0):
        monkeypatch.setattr(exact, "SMALL", small)
        verdict = check(relation, "wormhole")
        assert verdict.deadlock_free
        assert verdict.certificate is not None
        assert verdict.certificate.kind == "exhausted"
        core = verdict.certificate.core
        assert core is not None
        left = f"all but {core.sum()} VCs drain; no set of worms on those blocks itself"
        assert verdict.established == left
    wider = by_signs(mesh(wide + 1, wide + 1), table)
    assert check(wider, "saf").deadlock_free
    refuted = check(wider, "wormhole")
    assert refuted.configuration is not None
    assert complaints(wider, refuted.configuration) == []


def test_evidence_does_not_depend_on_the_speed_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """On one where each look at the clock takes a second, small windows strike out all VCs of a narrow mesh too."""
    relation, ticks = by_signs(mesh(3, 4), FREE_THREE_WIDE), itertools.count()
    verdict = check(relation, "wormhole")
    assert verdict.certificate is not None
    assert len(verdict.certificate.windows) > 1
    monkeypatch.setattr(exact, "clock", lambda: next(ticks))
    slow = check(relation, "wormhole", time_limit=10_000)
    assert slow.certificate is not None
    same = zip(verdict.certificate.windows, slow.certificate.windows, strict=True)
    assert all(np.array_equal(once, again) for steps in same for once, again in zip(*steps, strict=True))
    assert next(ticks) < 1000


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize("sides", [(3, 3), (9, 9), (3, 3, 3)])
def test_overlaid_networks_deadlock_in_a_corner_of_the_mesh(sides: tuple[int, ...]) -> None:
    relation = lcfaa(mesh(*sides))
    assert check(relation, "saf").deadlock_free
    verdict = check(relation, "wormhole")
    assert verdict.configuration is not None
    assert complaints(relation, verdict.configuration) == []
