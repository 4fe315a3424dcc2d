"""The relation contract: numbering, validation, answers checked, the compiled rule equal to the plain one."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tests.strategies import in_parts, networks, relations, table_relation
from unknot._base.errors import RelationError
from unknot.certificates import documents
from unknot.network import Network, from_edges
from unknot.network.families import line, mesh, ring, torus
from unknot.routing import EJECT, NO_WAIT, TIER, Candidate, Relation, VirtualChannels, dimension_order
from unknot.routing.relation import decode
from unknot.routing.table import encode
from unknot.routing.tabulate import UNCOMPILABLE, compile_relation, tabulate

PAIR = from_edges([(0, 1)])
"""Channel 0 leads from router 0 to 1, channel 1 back."""


def answers(relation: Relation) -> dict[tuple[int, int], list[int]]:
    """Every state, reachable or not, asked of the plain rule."""
    found = {}
    for at in range(relation.num_vcs + relation.network.num_terminals):
        for address in range(relation.num_addresses):
            out = np.zeros(relation.max_candidates, dtype=np.int64)
            found[at, address] = out[: relation.rule(at, address, out)].tolist()
    return found


by_numba = lru_cache(compile_relation)


def compiled_answer(relation: Relation, at: int, address: int) -> list[int] | None:
    out = np.full(relation.max_candidates, -9, dtype=np.int64)
    count = by_numba(relation).ctypes(at, address, out.ctypes.data)
    return None if count < 0 else out[:count].tolist()


def test_numbering() -> None:
    network = line(3)
    virtual = VirtualChannels(network, [1, 2, 3, 1])
    assert virtual.first.tolist() == [0, 1, 3, 6, 7]
    assert virtual.total == 7
    assert virtual.channel.tolist() == [0, 1, 1, 2, 2, 2, 3]
    assert virtual.index.tolist() == [0, 0, 1, 0, 1, 2, 0]
    ends = network.target.tolist()
    assert virtual.router.tolist() == [ends[0], *[ends[1]] * 2, *[ends[2]] * 3, ends[3], 0, 1, 2]
    assert virtual.name(0) == "(0)→(1)"
    assert virtual.name(2).endswith(" VC 1")
    assert virtual.name(8) == "the injection port of t1"
    relation = table_relation(network, virtual, {})
    assert (relation.num_vcs, relation.num_addresses, relation.max_candidates) == (7, 3, 6)
    assert repr(relation) == "<Relation table on line(3), 7 VCs>"


@given(networks(loops=True, strongly_connected=None))
def test_max_candidates_bounds_every_router(network: Network) -> None:
    counts = np.arange(network.num_channels) % 3 + 1
    relation = table_relation(network, counts, {})
    leaving = [int(counts[network.source == router].sum()) for router in range(network.num_routers)]
    assert relation.max_candidates == max(leaving) + 1


@pytest.mark.parametrize("vcs", [0, -1, [1, 0], [1], [[1, 1]], 1.5, "2", None, True])
def test_bad_vcs(vcs: Any) -> None:
    with pytest.raises(RelationError, match="virtual channels: "):
        VirtualChannels(PAIR, vcs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"destination": [0, 2]}, "address 1 stands for terminal 2, but edges has terminals 0 to 1"),
        ({"destination": [-1]}, "address 0 stands for terminal -1"),
        ({"destination": [0.5]}, "destination: whole numbers"),
        ({"destination": [[0]]}, "destination: one terminal for each address"),
        ({"may_use": [[True]]}, r"may_use has shape \(1, 1\), wanted \(2, 2\)"),
        ({"rule": 3}, r"a rule is a function of \(at, address, out\), got 3"),
        ({"vcs": VirtualChannels(line(2), 1)}, "the virtual channels belong to another network"),
        ({"address_labels": ("a",)}, "1 address_labels for 2 addresses"),
        ({"direct": [0]}, r"direct has shape \(1,\), wanted \(2, 2\)"),
        ({"direct": [0, 1]}, "direct addresses from 1 on are not of all terminals in order"),
        ({"direct": [0, -1]}, "direct addresses from -1 on are not of all terminals in order"),
        ({"direct": [[0, 1], [1, 1]]}, r"direct\[1, 0\] is 1, no address that 1 uses for 0"),
        ({"direct": [[0, 2], [0, 1]]}, r"direct\[0, 1\] is 2, no address that 0 uses for 1"),
        ({"direct": [[-1, 1], [0, -1]], "may_use": [[1, 1], [0, 1]]}, r"direct\[1, 0\] is 0, no address that 1 uses"),
    ],
)
def test_bad_relations(options: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"network": PAIR, "vcs": 1, "rule": lambda at, address, out: 0, "name": "mine"}
    Relation(**good)
    with pytest.raises(RelationError, match=f"mine: {message}"):
        Relation(**in_parts(good | options))


def test_addresses_and_sources() -> None:
    may_use = [[True, False, True], [False, False, True]]
    relation = table_relation(PAIR, 1, {}, destination=[1, 1, 0], may_use=may_use, address_labels=("a", "b", "c"))
    assert [relation.sources(a).tolist() for a in range(3)] == [[0], [], [0, 1]]
    assert relation.address_name(1) == "b"
    plain = table_relation(PAIR, 1, {})
    assert plain.sources(1).tolist() == [0, 1]
    assert plain.address_name(1) == "t1"


@pytest.mark.parametrize("candidate", [Candidate(0), Candidate(None), Candidate(7, 3), Candidate(12345, 255, False)])
def test_encoding(candidate: Candidate) -> None:
    assert decode(encode(candidate)) == candidate
    assert decode(5 + 2 * TIER + NO_WAIT) == Candidate(5, 2, False)
    assert decode(EJECT + TIER) == Candidate(None, 1, True)


def raising(at: int, address: int, out: Any) -> int:
    raise ValueError("I do not like this state")


def overflowing(at: int, address: int, out: Any) -> int:
    for k in range(100):
        out[k] = 0
    return 1


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (raising, "the rule raised ValueError: I do not like this state"),
        (overflowing, "the rule raised IndexError"),
        (lambda at, address, out: 3, "the rule returned 3, but 0 to 2 candidates can be"),
        (lambda at, address, out: -1, "the rule returned -1"),
        (lambda at, address, out: None, "the rule raised TypeError"),
        (lambda at, address, out: out.fill(1) or 1, r"it offers r1→r0, which does not leave router r0"),
        (lambda at, address, out: out.fill(5) or 1, "it offers VC 5, and .* has 2 VCs, numbered from 0"),
        (lambda at, address, out: out.fill(-1) or 1, "ejection is never blocked, so it cannot be marked NO_WAIT"),
        (lambda at, address, out: out.fill(EJECT) or 1, "it ejects at router r0, but the destination is at r1"),
        (lambda at, address, out: out.fill(NO_WAIT) or 1, "a blocked header would wait for nothing"),
    ],
)
def test_bad_answers(rule: Callable[[int, int, Any], int], message: str) -> None:
    relation = Relation(PAIR, 1, rule, name="mine")
    with pytest.raises(RelationError, match="mine at the injection port of t0 for t1: " + message):
        relation.candidates(2, 1)


def test_states_that_do_not_exist() -> None:
    relation = table_relation(PAIR, 1, {})
    for at in (-1, 4):
        with pytest.raises(RelationError, match=f"there is no input VC or injection port {at}"):
            relation.candidates(at, 0)
    for address in (-1, 2):
        with pytest.raises(RelationError, match=f"there is no address {address}: they are 0 to 1"):
            relation.candidates(0, address)
    assert relation.candidates(0, 0) == []


@given(relations(networks(max_routers=3)))
@settings(max_examples=4)
def test_compiled_equals_plain_on_random_tables(relation: Relation) -> None:
    assert not by_numba(relation).tabulated
    for (at, address), expected in answers(relation).items():
        assert compiled_answer(relation, at, address) == expected


@pytest.mark.parametrize(
    "relation",
    [dimension_order(mesh(3, 2)), dimension_order(torus(4, 3), 2), dimension_order(ring(6), 4, dateline="entry")],
    ids=str,
)
def test_compiled_equals_plain_on_algorithms(relation: Relation) -> None:
    assert not by_numba(relation).tabulated
    for (at, address), expected in answers(relation).items():
        assert compiled_answer(relation, at, address) == expected


def halved(value: int) -> int:
    return value // 2


def test_a_rule_may_call_plain_functions_and_other_rules() -> None:
    """Two VCs for every one of the inner relation, offered alike; nothing is marked for Numba by its author."""
    network = mesh(3, 3)
    inner = dimension_order(network)
    ask, total = inner.rule, inner.num_vcs

    def twice(value: int) -> int:
        return 2 * value

    def rule(at: int, address: int, out: Any) -> int:
        count = ask(halved(at) if at < 2 * total else at - total, address, out)
        for k in range(count if out[0] != EJECT else 0):
            out[k] = twice(out[k])
        return count

    relation = Relation(network, 2, rule, name="even VCs")
    assert not by_numba(relation).tabulated
    for (at, address), expected in answers(relation).items():
        assert compiled_answer(relation, at, address) == expected


@pytest.mark.long
def test_a_rule_may_make_arrays_of_its_own() -> None:
    inner = dimension_order(mesh(3, 3), 2).rule

    def rule(at: int, address: int, out: Any) -> int:
        found = np.empty_like(out)
        count = inner(at, address, found)
        out[:count] = found[:count][::-1]
        return count

    relation = Relation(mesh(3, 3), 2, rule, name="the other way round")
    assert not by_numba(relation).tabulated
    for (at, address), expected in answers(relation).items():
        assert compiled_answer(relation, at, address) == expected


def test_a_rule_that_calls_itself_is_tabulated() -> None:
    inner = dimension_order(line(3)).rule

    def rule(at: int, address: int, out: Any) -> int:
        return rule(at + 10, address, out) if at < 0 else inner(at, address, out)

    relation = Relation(line(3), 1, rule, name="recursive")
    assert by_numba(relation).tabulated
    for (at, address), expected in answers(relation).items():
        if at >= relation.num_vcs:
            assert compiled_answer(relation, at, address) == expected


def dictionary_rule(network: Network) -> Callable[[int, int, Any], int]:
    """A line routed with objects Numba knows nothing about."""
    virtual = VirtualChannels(network, 1)
    way = {
        (str(router), address): (
            [] if router == address else network.between(router, router + (1 if address > router else -1))
        )
        for router in range(network.num_routers)
        for address in range(network.num_terminals)
    }

    def rule(at: int, address: int, out: Any) -> int:
        found = [int(virtual.first[c]) for c in way[str(virtual.router[at]), address]] or [EJECT]
        out[: len(found)] = found
        return len(found)

    return rule


def test_rules_numba_cannot_compile_are_tabulated() -> None:
    network = line(4)
    relation = Relation(network, 1, dictionary_rule(network), name="by dictionary")
    same = dimension_order(network)
    assert by_numba(relation).tabulated
    table = tabulate(relation)
    compared = 0
    for address in range(4):
        for at in table.input_vc[table.first[address] : table.first[address + 1]].tolist():
            assert compiled_answer(relation, at, address) == [encode(c) for c in relation.candidates(at, address)]
            assert relation.candidates(at, address) == same.candidates(at, address)
            compared += 1
    # per address: 4 injection ports and the 3 channels that lead towards it
    assert compared == table.input_vc.size == 4 * (4 + 3)
    unreachable = next(at for at in range(6) if at not in table.input_vc[table.first[3] : table.first[4]])
    assert compiled_answer(relation, unreachable, 3) == []


def test_tables_have_a_limit_and_report_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    relation = Relation(line(4), 1, dictionary_rule(line(4)), name="by dictionary")
    with pytest.raises(RelationError, match="a table of all its states would have more than 10 states"):
        tabulate(relation, limit=10)
    with pytest.raises(RelationError, match=r"Numba cannot compile the rule .* would have more than 10 states"):
        tabulate(relation, limit=10, purpose=UNCOMPILABLE)
    monkeypatch.setattr(documents, "MOST_STATES", 10)
    with pytest.raises(RelationError, match=r"line\(4\): evidence with the candidates of each state would have"):
        documents.table_of(relation)
    shown: list[tuple[int, int]] = []
    tabulate(relation, progress=lambda stage, done, of: shown.append((done, of)))
    assert shown == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_rule_that_raises_is_asked_in_python() -> None:
    """Compiled, it answers −1; asking again raises what the rule raised, with the state in words."""
    router = VirtualChannels(PAIR, 1).router

    def rule(at: int, address: int, out: Any) -> int:
        if address == 1:
            raise ValueError("no way to the second terminal")
        out[0] = EJECT if router[at] == address else 1
        return 1

    relation = Relation(PAIR, 1, rule, name="moody")
    assert not by_numba(relation).tabulated
    assert compiled_answer(relation, 3, 0) == [1]
    assert compiled_answer(relation, 2, 1) is None
    with pytest.raises(
        RelationError,
        match="moody at the injection port of t0 for t1: the rule raised ValueError: no way to the second",
    ):
        relation.refuse(2, 1)
    with pytest.raises(RelationError, match="the compiled rule fails where the plain one does not"):
        relation.refuse(3, 0)


def test_a_tabulated_rule_that_raises_says_so() -> None:
    memory: dict[str, int] = {}

    def rule(at: int, address: int, out: Any) -> int:
        return memory[str(at)]

    with pytest.raises(RelationError, match="injection port of t0 for t0: the rule raised KeyError: '2'"):
        compile_relation(Relation(PAIR, 1, rule, name="forgetful"))


def test_writing_out_of_bounds_is_caught_when_compiled() -> None:
    relation = Relation(PAIR, 1, overflowing, name="long")
    assert compiled_answer(relation, 2, 1) is None


@pytest.mark.parametrize(
    ("counts", "each"), [([2, 2], 2), ([1, 2], None), ([2, 1], None), ([1, 255], None), ([255, 255], 255)]
)
def test_vcs_of_each_channel_are_a_number_where_all_have_as_many(counts: list[int], each: int | None) -> None:
    assert VirtualChannels(PAIR, counts).each == each


def test_a_network_without_channels_has_no_number_of_vcs() -> None:
    assert VirtualChannels(Network("one", 1, [], []), 3).each is None
