"""States on cycles of dependencies and what is left of them when VCs drain, against repeated passes over sets."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawing import draw_until
from tests.reference.brute_force import blockings, states_of
from tests.reference.fixpoints import components, left_over
from tests.strategies import networks, relations, table_relation
from tests.verify.constructions import mostly_ranked
from unknot._base.errors import RelationError
from unknot._base.memory import SizeError, memory_limit
from unknot.network import Network
from unknot.network.families import mesh, torus
from unknot.routing import Relation, VirtualChannels, duato, fully_adaptive, overlay
from unknot.routing.relation import EJECT, NO_WAIT
from unknot.verify import check, deliver, dependencies, effort
from unknot.verify.remainder import on_cycles
from unknot.verify.waiting import PICKED, Waiting, drain, waiting

ANY = st.one_of(relations(networks(loops=True, strongly_connected=None)), relations(networks(max_routers=5)))


def needed_by(relation: Relation, left: frozenset[int], entered: bool) -> dict[int, set[frozenset[int]]]:
    """What blocked headers on each VC that is left wait for: the different sets of VCs that are left."""
    part = components(relation)
    found: dict[int, set[frozenset[int]]] = defaultdict(set)
    for answers in states_of(relation):
        doors = {vc for at, answer in answers.items() if at >= relation.num_vcs for vc in answer.may}
        for at in left & (doors if entered else answers.keys()):
            alike = {vc for vc in left if part[vc] == part[at]}
            if choices := [choice for choice in blockings(relation, answers[at]) if choice <= alike]:
                found[at].add(frozenset().union(*choices))
    return found


def compare(relation: Relation, seen: Counter[str]) -> None:
    """All three fixpoints, and the heads picked from them."""
    graph = dependencies(relation)
    if graph.acyclic:
        seen["acyclic"] += 1
        return
    states = waiting(graph)
    seen["states form cycles"] += not deliver(relation).livelock_free
    for spread, entered in ((False, False), (False, True), (True, False)):
        left = drain(states, spread=spread, entered=entered)
        expected = left_over(relation, spread=spread, entered=entered)
        assert set(np.flatnonzero(left.vcs).tolist()) == expected
        seen["left" if left else "drained"] += 1
        if left and not spread:
            heads = left.heads()
            assert set(heads.vc.tolist()) == expected
            assert set(heads.waits.entries.tolist()) <= expected
            waits: dict[tuple[int, int], list[list[int]]] = defaultdict(list)
            for vc, address, row in zip(heads.vc.tolist(), heads.address.tolist(), heads.waits.lists(), strict=True):
                waits[vc, address].append(sorted(row))
            picked: dict[int, list[frozenset[int]]] = defaultdict(list)
            for (vc, _), own in waits.items():
                picked[vc].append(frozenset(w for row in own for w in row))
            for vc, expected_waits in needed_by(relation, expected, entered).items():
                assert len(set(picked[vc])) == len(picked[vc]) == min(len(expected_waits), PICKED)
                assert set(picked[vc]) <= expected_waits
            for (vc, address), own in waits.items():
                found = relation.candidates(vc, address)
                waited = sorted({c.vc for c in found if c.waits and c.vc is not None})
                assert own == [waited] or (relation.commits and {len(row) for row in own} == {1})
                assert {w for row in own for w in row} <= set(waited)
        if spread:
            rest = on_cycles(graph, "wormhole", left.vcs).pruned()
            assert set(rest.input_vc.tolist()) == expected


def spaced(relation: Relation, step: int, times: int = 1) -> Relation:
    """The same with others between its addresses, which nobody uses, and all of it several times over.

    So there are several blocks of addresses, with few or many of them in use.
    """
    number, rule = relation.num_addresses, relation.rule
    use = np.zeros((relation.network.num_terminals, step * times * number), dtype=bool)
    use[:, ::step] = np.tile(relation.usable(), times)
    return replace(
        relation,
        rule=lambda at, address, out: rule(at, address // step % number, out),
        addresses=replace(
            relation.addresses, destination=np.repeat(np.tile(relation.destination, times), step), may_use=use
        ),
    )


def test_fixpoints_equal_repeated_passes() -> None:
    seen: Counter[str] = Counter()
    steps = st.sampled_from([(1, 1), (29, 1), (63, 1), (1, 40), (5, 7)])
    drawn = given(ANY, steps)(lambda relation, step: compare(spaced(relation, *step), seen))
    some = settings(max_examples=25)(drawn)
    draw_until(lambda: min(seen["left"], seen["drained"], seen["states form cycles"]) > 3, some)


def test_heads_of_a_vc_are_picked_from_all_blocks_of_addresses() -> None:
    """Nine addresses of 261 are used, and 63 are looked at in a word."""
    seen: Counter[str] = Counter()
    compare(spaced(fully_adaptive(mesh(3, 3)), 29), seen)
    assert seen["left"] > 0


@pytest.mark.parametrize("seed", range(6))
def test_states_that_go_round_die_together(seed: int) -> None:
    """VCs drain one after the other, and with them what waits for them in cycles of states."""
    compare(mostly_ranked(mesh(3, 2), seed), Counter())


@settings(max_examples=5)
@given(st.randoms(use_true_random=True), st.booleans())
def test_more_edges_than_fit_a_word(rng: random.Random, commits: bool) -> None:
    """Two routers and 40 channels each way: the states of a VC take two words."""
    lines = 40
    ends = [0] * lines + [1] * lines
    network = Network("two", 2, np.array(ends), np.array(ends[::-1]))
    table: dict[tuple[int, int], list[int]] = {}
    for address in range(2):
        for at in range(2 * lines + 2):
            here = (at < lines) != (at == 2 * lines + 1)
            leaving = range(lines, 2 * lines) if here else range(lines)
            some = rng.sample(leaving, rng.choice([1, 1, 2, 3, 36]))
            marks = [vc + (NO_WAIT if rng.random() < 0.3 and vc != some[0] else 0) for vc in some]
            home = here == (address == 1) and rng.random() < 0.3
            table[at, address] = marks + [EJECT] * home
    relation = table_relation(network, VirtualChannels(network, 1), table, commits=commits)
    seen: Counter[str] = Counter()
    compare(relation, seen)
    assert seen["acyclic"] == 0


def same(one: Waiting, other: Waiting) -> bool:
    return all(map(np.array_equal, (*one.inner, *one.cells), (*other.inner, *other.cells)))


@pytest.mark.long
def test_threads_do_not_change_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every address a block of its own: one thread or three find the same graph, states, ranks and routes."""
    monkeypatch.setattr(effort, "BLOCK", 1)
    seen: Counter[str] = Counter()

    @given(ANY)
    @settings(max_examples=10)
    def compare_threads(relation: Relation) -> None:
        alone, three = effort.Effort(threads=1), effort.Effort(threads=3)
        graph, other = dependencies(relation, alone), dependencies(relation, three)
        assert graph.states == other.states
        for key in ("first", "target", "label", "cyclic"):
            assert np.array_equal(getattr(graph, key), getattr(other, key))
        if not graph.acyclic:
            many = spaced(relation, 40)
            assert same(waiting(dependencies(many, alone), alone), waiting(dependencies(many, three), three))
            seen["cyclic"] += 1
        assert deliver(relation, threads=1) == deliver(relation, threads=3)
        verdict, again = check(relation, "vct", threads=1), check(relation, "vct", threads=3)
        assert (verdict.deadlock_free, verdict.method) == (again.deadlock_free, again.method)
        assert verdict.configuration == again.configuration
        if verdict.certificate is not None and again.certificate is not None:
            assert np.array_equal(verdict.certificate.rank, again.certificate.rank)

    draw_until(lambda: seen["cyclic"] > 10, compare_threads)


def test_the_first_broken_address_is_named_whatever_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "BLOCK", 1)
    good = fully_adaptive(mesh(3, 3))

    def rule(at: int, address: int, out: np.ndarray) -> int:
        return 99 if address in (3, 5, 6) else good.rule(at, address, out)

    broken = Relation(good.network, good.vcs, rule)
    messages = set()
    for threads in (1, 2, 3):
        with pytest.raises(RelationError) as error:
            check(broken, threads=threads)
        messages.add(str(error.value))
    assert len(messages) == 1
    assert "for t3" in messages.pop()


def test_the_time_limit_holds_at_every_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever time runs out the answer is open and says what was shown; with more time it gets further."""
    relation = duato(torus(4, 4))
    assert check(relation, threads=1).deadlock_free  # so that kernels are compiled
    monkeypatch.setattr(effort, "BLOCK", 200)
    monkeypatch.setattr("unknot.verify.waiting.BUDGET", 20)
    clock = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    stages = ("addresses have no cycle", "VCs on cycles", "counting states", "states on cycles: ", "VCs that drain")
    shown = ""
    # Another thread looks at the clock too, as often as the system lets it: a stage may be over within a second.
    for _ in range(20):
        for limit in range(1, 400):
            verdict = check(relation, time_limit=limit, threads=1)
            if verdict.deadlock_free is not None:
                break
            assert verdict.established.startswith(f"undecided after {limit} s: ")
            shown += verdict.established.partition(": ")[2] + "\n"
        assert verdict.deadlock_free
        if all(words in shown for words in stages):
            break
    for words in stages:
        assert words in shown


def test_progress_is_reported_in_order() -> None:
    heard: list[tuple[str, int, int]] = []
    check(duato(mesh(4, 4)), progress=lambda *news: heard.append(news))
    stages = list(dict.fromkeys(stage for stage, _, _ in heard))
    assert stages[0] == "dependencies"
    for stage in stages:
        done = [d for s, d, _ in heard if s == stage]
        assert done == sorted(done)
        assert all(0 <= d <= total for s, d, total in heard if s == stage)


def test_both_fixpoints_are_heard_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one, of worms, looks at the clock as well."""
    monkeypatch.setattr("unknot.verify.waiting.BUDGET", 1)
    drains: Counter[str] = Counter()
    for technique in ("vct", "wormhole"):
        check(overlay(mesh(3, 3)), technique, progress=lambda stage, *_: drains.update([f"{technique} {stage}"]))  # noqa: B023
    assert drains["wormhole VCs that drain"] > drains["vct VCs that drain"] > 0


@pytest.mark.parametrize("spread", [False, True])
def test_the_clock_is_looked_at_while_vcs_drain(spread: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell is looked at, so there are at least half as many breaks as the budget asks for."""
    budget = 2
    monkeypatch.setattr("unknot.verify.waiting.BUDGET", budget)
    states = waiting(dependencies(mostly_ranked(torus(4, 4), 2, 0.0)))
    heard: list[int] = []
    drain(states, spread=spread, effort=effort.Effort(progress=lambda _, done, __: heard.append(done)))
    assert states.cells.block.size > 20 * budget
    assert len(heard) >= states.cells.block.size // (2 * budget)
    assert heard == sorted(heard)


def test_what_does_not_fit_is_refused() -> None:
    relation = duato(mesh(4, 4))
    with memory_limit(1000), pytest.raises(SizeError, match=r"96 VCs .* the limit is 1000 bytes"):
        check(relation, "vct")
    # Also where packets may go round.
    grid = torus(3, 3)
    heads = [*grid.target.tolist(), *range(9)]
    around = {
        (at, address): [EJECT] if at >= 36 and at - 36 == address else np.flatnonzero(grid.source == here).tolist()
        for at, here in enumerate(heads)
        for address in range(9)
    }
    for relation, number in ((fully_adaptive(torus(4, 4), 2), 1024), (table_relation(grid, 1, around), 324)):
        states = waiting(dependencies(relation), symmetry=False)
        size = states.cells.bits.nbytes + 28 * states.cells.block.size
        with memory_limit(size):
            assert waiting(dependencies(relation), symmetry=False).states == number
        with memory_limit(size - 1), pytest.raises(SizeError, match=f"the {number:,} states on cycles"):
            waiting(dependencies(relation), symmetry=False)


@pytest.mark.parametrize("threads", [0, -1, True, 1.5])
def test_senseless_threads_are_refused(threads: object) -> None:
    with pytest.raises(RelationError, match="threads must be at least 1"):
        check(duato(mesh(2, 2)), threads=threads)  # type: ignore[arg-type]


def test_packets_come_straight_from_terminals_where_they_can() -> None:
    """Where packets in the first VCs of their routes block each other, the counterexample is of such ones."""
    seen: Counter[bool] = Counter()

    @given(ANY)
    @settings(max_examples=10)
    def judge(relation: Relation) -> None:
        graph = dependencies(relation)
        if graph.acyclic:
            return
        entered = bool(drain(waiting(graph), spread=False, entered=True))
        found = check(relation, "vct", shorten=False).configuration
        if found is None:
            return
        straight = all(
            message.held[-1]
            in {
                candidate.vc
                for source in relation.sources(message.address)
                for candidate in relation.candidates(relation.num_vcs + int(source), message.address)
            }
            for message in found.messages
        )
        seen[entered] += 1
        assert straight or not entered

    draw_until(lambda: min(seen[False], seen[True]) > 2, judge)
