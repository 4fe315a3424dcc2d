"""Tables of rules answer as the rule at every reachable state, and nothing at any other."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.strategies import networks, relations
from unknot._base.errors import RelationError
from unknot.network.families import dragonfly, mesh
from unknot.routing import Relation, dimension_order, dragonfly_ugal, fully_adaptive, ugal
from unknot.routing.relation import COMPARISONS, EJECT, Rule
from unknot.routing.relation_kernel import compiled_rule
from unknot.routing.table import Table, lookup
from unknot.routing.tabulate import compile_relation, small_table, tabulate


def answers(relation: Relation, at: int, address: int, rule) -> list[int]:  # type: ignore[no-untyped-def]
    out = np.zeros(relation.max_candidates, dtype=np.int64)
    return list(out[: rule(at, address, out)].tolist())


@given(relations(networks(loops=True, strongly_connected=None)))
def test_every_state(relation: Relation) -> None:
    table = tabulate(relation)
    rule, states = lookup(table), 0
    for address in range(relation.num_addresses):
        todo = (relation.num_vcs + relation.sources(address)).tolist()
        for at in todo:
            todo += {c.vc for c in relation.candidates(at, address) if c.vc is not None} - set(todo)
        for at in range(relation.vcs.router.size):
            wanted = answers(relation, at, address, relation.rule) if at in todo else []
            assert answers(relation, at, address, rule) == wanted
        states += len(todo)
    assert table.input_vc.size == states


@pytest.mark.parametrize("fault", ["VC", "count"])
def test_a_rule_that_is_read_otherwise_is_asked_as_it_is(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The faster copy of the rule names another candidate, or one more: the table has the answers of the rule."""
    relation = fully_adaptive(mesh(3, 3), 2)
    expected = tabulate(relation)

    def misread(rule: Rule) -> Rule:
        def other(at: int, address: int, out: Any) -> int:
            count = rule(at, address, out)
            if count > 1 and fault == "VC":
                out[0] = out[1]
            return count - (count > 1 and fault == "count")

        return other

    monkeypatch.setattr("unknot.routing.tabulate.nimble", misread)
    found = tabulate(relation)
    assert found.value.tolist() == expected.value.tolist()
    assert found.start.tolist() == expected.start.tolist()


def test_a_rule_made_of_a_table_is_read_from_it() -> None:
    relation = dimension_order(mesh(2, 2))
    table = tabulate(relation)
    made = Relation(relation.network, 1, lookup(table), name="made")
    assert small_table(made) is table
    short = Table(table.first[:-1], table.input_vc[: table.first[-2]], table.start[: table.first[-2] + 1],
                  table.value[: table.start[table.first[-2]]])  # fmt: skip
    with pytest.raises(RelationError, match="a table of 3 addresses for 4"):
        Relation(relation.network, 1, lookup(short), name="short").table  # noqa: B018


@pytest.mark.parametrize(("many", "wrong"), [(1, 99), (99, EJECT), (-1, EJECT)])
def test_a_rule_that_answers_otherwise_when_asked_again(many: int, wrong: int) -> None:
    """Asked once more for the error, the rule obeys the contract: the message names the state and the change."""
    steady = dimension_order(mesh(2, 2))
    asked: list[int] = []

    def rule(at: int, address: int, out: Any) -> int:
        count = steady.rule(at, address, out)
        asked.append(address)
        if address != 1 or asked.count(1) > 1:
            return count
        out[0] = wrong
        return many

    relation = Relation(steady.network, 1, rule, name="moody")
    with pytest.raises(RelationError, match=r"moody at the injection port of .* for .*: its answers change"):
        tabulate(relation)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (([1, 2], [0, 1], [0, 1, 2], [5, 6]), "ascend from 0 to 2"),
        (([0, 1], [0, 1], [0, 1, 2], [5, 6]), "ascend from 0 to 2"),
        (([0, 2, 1, 2], [0, 1], [0, 1, 2], [5, 6]), "ascend from 0 to 2"),
        (([0, 2], [0, 1], [0, 1, 3], [5, 6]), "ascend from 0 to 2"),
        (([0, 2], [0, 1], [0, 2], [5, 6]), "one row for each state"),
        (([0, 2], [1, 0], [0, 1, 2], [5, 6]), "ascending"),
        (([0, 2], [1, 1], [0, 1, 2], [5, 6]), "ascending"),
    ],
)
def test_what_is_no_table(columns: tuple[list[int], ...], said: str) -> None:
    with pytest.raises(RelationError, match=said):
        Table(*map(np.array, columns))
    Table(*map(np.array, ([0, 1, 2], [1, 0], [0, 1, 2], [5, 6])))


def test_numbers_of_comparisons() -> None:
    assert dimension_order(mesh(2, 2)).comparison == 0
    assert ugal(mesh(2, 2)).comparison == 1 + COMPARISONS.index(ugal(mesh(2, 2)).compares)
    found = [dragonfly_ugal(dragonfly(2), variant=name).comparison for name in COMPARISONS]
    assert found == [1, 2, 3]


def test_a_rule_of_byte_code_that_numba_does_not_know_is_not_compiled() -> None:
    """The error for a branch inside an unpacked list is no `NumbaError`."""

    def rule(at: int, address: int, out: np.ndarray) -> int:
        router = (1, 0, 0, 1)[at]
        found = [*[router], *([EJECT] if router == address else [])]
        out[0] = found[-1]
        return 1

    assert compiled_rule(rule, 2) is None


@pytest.mark.long
def test_a_large_table_lives_as_long_as_its_rule() -> None:
    """Numba refers to arrays above a megabyte by their address; they were freed, and states read other memory."""
    inner = fully_adaptive(mesh(18, 18))

    def uncompilable(at: int, address: int, out: Any) -> int:
        count = inner.rule(at, address, out)
        return len(f"{'.' * count}".format())

    relation = Relation(inner.network, inner.vcs, uncompilable, name="uncompilable")
    pointer = compile_relation(relation)
    assert pointer.tabulated
    gc.collect()
    filling = [np.full(250_000, 2**60, dtype=np.int64) for _ in range(8)]  # in the place of what was freed
    out = np.zeros(relation.max_candidates, dtype=np.int64)
    terminals = range(0, relation.network.num_terminals, 7)
    for address in terminals:
        for source in terminals:
            at = relation.num_vcs + source
            count = pointer.ctypes(at, address, out.ctypes.data)
            assert out[:count].tolist() == answers(relation, at, address, relation.rule)
    del filling
