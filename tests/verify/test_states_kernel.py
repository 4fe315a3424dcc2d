"""What exploration says of answers that break the contract, and the states on cycles, by their definition."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.brute_force import blockings, states_of
from tests.reference.fixpoints import components
from tests.strategies import networks, relations, table_relation
from unknot._base.errors import RelationError
from unknot._base.kernels.lazy_kernel import plainly
from unknot._base.memory import SizeError, memory_limit
from unknot.network import Network, from_edges
from unknot.network.families import mesh
from unknot.routing import EJECT, NO_WAIT, Relation, duato, valiant
from unknot.verify.effort import Effort
from unknot.verify.explorer import Explorer
from unknot.verify.remainder import on_cycles
from unknot.verify.states import dependencies
from unknot.verify.states_kernel import Layout, RuleAnswers, Scratch, Traversal, explore, looked_up

PATHS = from_edges([("a", "b"), ("b", "c"), ("c", "a")], directed=True)
"""Channels 0 to 2; places 3, 4 and 5 inject at a, b and c. Address 1 is the terminal at c."""
MANY = networks(max_routers=3, max_channels=9, loops=True)
GOOD: dict[int, Sequence[int] | int] = {3: [0], 4: [1], 5: [EJECT], 0: [1, 1 + NO_WAIT], 1: [EJECT]}


def asked(
    answers: dict[int, Sequence[int] | int], room: int = 12, commits: bool = False
) -> tuple[int, list[int], list[int]]:
    """What `explore` returns, the states in order, and where their candidates begin; a number is a bad count."""
    out, empty = np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.int64)
    router = np.concatenate([PATHS.target, PATHS.inject])
    everywhere, table = np.zeros((0, 0), dtype=bool), RuleAnswers(*[empty] * 4)
    layout = Layout(router, PATHS.source, PATHS.eject, np.array([0, 2]), everywhere, table, commits)

    def rule(at: int, address: int, pointer: int) -> int:
        assert address == 1
        found = answers[at]
        if isinstance(found, int):
            return found
        out[: len(found)] = found
        return len(found)

    order, first = np.zeros(6, dtype=np.int64), np.zeros(7, dtype=np.int64)
    seen, value = np.zeros(3, dtype=np.int32), np.zeros(room, dtype=np.int64)
    with plainly():
        scratch = Scratch(seen, order, first, value, out)
        count = explore(Traversal(rule, layout, scratch), 1, 9)  # type: ignore[arg-type]
    return int(count), order.tolist(), first.tolist()


def test_states_in_the_order_of_the_search() -> None:
    count, order, first = asked(GOOD)
    assert (count, order[:count], first[: count + 1]) == (5, [3, 4, 5, 0, 1], [0, 1, 2, 3, 5, 6])


@pytest.mark.parametrize("at", [3, 4, 5, 0])
def test_illegal_answers_name_the_state(at: int) -> None:
    state = [3, 4, 5, 0].index(at)
    following = {3: 0, 4: 1, 5: 2, 0: 1}[at]
    there = [EJECT] if at != 5 else [EJECT + NO_WAIT]
    for wrong in (-1, 3, [3], [(following + 1) % 3], there, [following + NO_WAIT]):
        assert asked({**GOOD, at: wrong, 2: [0]})[0] == -1 - state, wrong
    assert asked(GOOD, room=5)[0] == -5, "no room for the candidates of the last state"
    assert asked(GOOD, room=6)[0] == 5
    marked = {vc: [value | NO_WAIT for value in answer] for vc, answer in GOOD.items() if not isinstance(answer, int)}
    assert asked(marked, commits=True)[0] == 5, "headers that commit wait for what they chose, marked or not"


@given(st.sampled_from([False, True, True]).flatmap(lambda commits: relations(MANY, commits=commits, max_vcs=3)))
@settings(max_examples=6)
def test_states_on_cycles(relation: Relation) -> None:
    """States, steps and heads as they are defined."""
    found, part = on_cycles(dependencies(relation), "wormhole"), components(relation)
    states = list(zip(found.input_vc.tolist(), found.owner.tolist(), strict=True))
    steps = {
        state: Counter(states[to] for to in row) for state, row in zip(states, found.onward.lists(), strict=True)
    }
    heads = Counter(
        (states[state], frozenset(row)) for state, row in zip(found.head_owner, found.waits.lists(), strict=True)
    )
    expected, blocked = {}, Counter[tuple[tuple[int, int], frozenset[int]]]()
    for address, answers in enumerate(states_of(relation)):
        for at, answer in answers.items():
            if at in part:
                alike = {vc for vc in answer.may if part.get(vc) == part[at]}
                expected[at, address] = Counter((vc, address) for vc in alike)
                blocked.update(((at, address), w) for w in blockings(relation, answer) if w <= alike)
    assert (len(states), steps, heads) == (len(steps), expected, blocked)


@pytest.mark.parametrize("relation", [valiant(mesh(4, 4)), duato(mesh(9, 9))], ids=["valiant", "duato"])
def test_addresses_followed_together_are_those_followed_alone(relation: Relation) -> None:
    """More addresses than bits of a word; with Valiant's each is of one terminal."""
    graph, explorer = dependencies(relation), Explorer(relation)
    visits = [explorer.steps(address) for address in range(relation.num_addresses)]
    edges = {(at, vc) for visit in visits for at, vcs in visit.items() if at < relation.num_vcs for vc in vcs}
    sources = np.repeat(np.arange(relation.num_vcs), np.diff(graph.first))
    assert set(zip(sources.tolist(), graph.target.tolist(), strict=True)) == edges
    assert (graph.states, graph.addresses) == (sum(map(len, visits)), relation.num_addresses)


def test_a_table_answers_as_a_rule() -> None:
    """Three addresses, the second one without rows; more candidates than there can be are no answer."""
    first, at, start = np.array([0, 3, 3, 4]), np.array([1, 4, 6, 5]), np.array([0, 2, 3, 6, 8])
    value = np.array([70, 71, 72, 73, 74, 75, 76, 77])
    answers = {(1, 0): [70, 71], (4, 0): [72], (5, 2): [76, 77]}
    for address in range(3):
        for input_vc in range(8):
            out = np.full(2, -5)
            found = looked_up(input_vc, address, RuleAnswers(first, at, start, value), out)
            expected = answers.get((input_vc, address), [])
            assert (input_vc, address) == (6, 0) if found < 0 else out[:found].tolist() == expected
            assert out[max(found, 0) :].tolist() == [-5] * (2 - max(found, 0))


def test_a_visit_names_the_state_that_breaks_the_contract() -> None:
    broken = table_relation(PATHS, 1, {(3, 2): [0], (0, 2): [2], (2, 2): [0]})
    broken.__dict__["table"] = None  # as where there are many states
    with pytest.raises(RelationError, match=r"a→b.* t2|t2.*a→b"):
        Explorer(broken).visit(2)


def test_every_thread_needs_words_of_its_own() -> None:
    """A word for each of three VCs, and for each thread."""
    relation = table_relation(PATHS, 1, {(3, 2): [0], (0, 2): [1], (4, 2): [1], (1, 2): [EJECT]})
    with memory_limit(48):
        assert dependencies(relation, Effort(threads=2)).acyclic
    with memory_limit(47), pytest.raises(SizeError, match="the dependencies of 3 VCs"):
        dependencies(relation, Effort(threads=2))


def test_dependencies_on_more_vcs_than_a_word_has_bits() -> None:
    """70 loops at each of two routers; a header goes on over one to three of them."""
    lines, rng = 70, random.Random(0)
    network = Network("loops", 2, np.repeat([0, 1], lines), np.repeat([0, 1], lines))
    table = {}
    for at in range(2 * lines + 2):
        here = at // lines if at < 2 * lines else at - 2 * lines
        table[at, 1 - here] = [here * lines + i for i in rng.sample(range(lines), rng.randint(1, 3))]
    relation = table_relation(network, 1, table)
    graph = dependencies(relation)
    found = [graph.target[a:b].tolist() for a, b in zip(graph.first, graph.first[1:], strict=False)]
    reached = states_of(relation)
    assert found == [
        sorted({w for answers in reached if vc in answers for w in answers[vc].may}) for vc in range(140)
    ]
