"""Who wins in the allocators of a router, and what headers ask for: by hand, in the plain simulator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from tests.reference.sim_allocators import Rank, in_turn, islip, loa, max_size, pim, separable_input_first, wavefront
from tests.reference.sim_parts import Flit, InputVC, Node, OutputVC, Packet, Port, Wire
from tests.simulation.scripted import Scripted, fork
from unknot._base.splitmix import scramble
from unknot.network.families import line
from unknot.routing import TIER, dimension_order
from unknot.simulation.engine.codes import SELECTIONS, Selection
from unknot.simulation.engine.router import Router


@pytest.mark.parametrize("priority", ["none", "age"])
def test_the_older_of_two_headers_wins_the_output_vc(priority: str) -> None:
    relation = dimension_order(line(3), 1)
    young, old = Packet(2, 4, 1, 0), Packet(2, 4, 0, 1)
    run = Scripted(relation, [(1, young), (6, old)], router=Router(priority=priority, allocator="select"))
    (channel,) = relation.network.between(1, 2)
    sends = [(sent.cycle, sent.packet is old) for sent in run.on(relation, channel)]
    first = priority == "age"
    assert sends[:5] == [(10, first), (11, first), (12, first), (13, first), (15, not first)]


def crowd(ages: dict[tuple[int, int], tuple[int, int]]) -> tuple[Node, dict[InputVC, OutputVC]]:
    """A router of 3 input and 3 output ports of 2 VCs, where (port, VC) has a packet for (output port, created)."""
    node, ready = Node(), {}
    for _ in range(3):
        node.inputs.append(Port([InputVC(0, 0), InputVC(1, 1)], Wire(1), Wire(1)))
        node.outputs.append(Port([OutputVC(4, 4), OutputVC(4, 4)], Wire(1), Wire(1)))
    node.divide(1, 1)
    for (i, index), (o, created) in ages.items():
        vc = node.inputs[i].vcs[index]
        vc.queue.append(Flit(Packet(0, 1, created, 0), 0))
        ready[vc] = node.outputs[o].vcs[0]
    return node, ready


def winners(ages: dict[tuple[int, int], tuple[int, int]], router: Router, turns: Sequence[int] = ()) -> list:
    """(Port, VC, output port) that cross the switch; `turns` are the first VCs in turn of each input port."""
    simulator = Scripted(dimension_order(line(2), 1), [], router=router)
    node, ready = crowd(ages)
    for entry, turn in zip(node.entries, turns, strict=False):
        entry.next_vc = turn
    won = simulator.arbitrate(node, {vc: [out] for vc, out in ready.items()}, {}, [])
    return [(node.entries.index(into), into.vcs.index(vc), node.outputs.index(port)) for into, vc, port in won]


def test_the_older_packet_wins_the_switch() -> None:
    age = Router(priority="age", allocator="select")
    one_port = {(0, 0): (2, 5), (0, 1): (2, 3)}
    assert winners(one_port, Router()) == [(0, 0, 2)]
    assert winners(one_port, Router(), turns=[1]) == [(0, 1, 2)]
    assert winners(one_port, age) == [(0, 1, 2)]
    assert winners({(0, 0): (2, 3), (0, 1): (2, 3)}, age, turns=[1]) == [(0, 1, 2)]
    two_ports = {(0, 1): (1, 5), (2, 0): (1, 3)}
    assert winners(two_ports, Router()) == [(0, 1, 1)]
    assert winners(two_ports, age) == [(2, 0, 1)]
    two_exits = {(1, 0): (0, 5), (1, 1): (2, 3)}
    assert winners(two_exits, Router()) == [(1, 0, 0)]
    assert winners(two_exits, age) == [(1, 1, 2)]
    assert winners(two_ports, Router(priority="age")) == [(0, 1, 1)]
    for allocator in ("select", "separable_input_first"):
        both = {(0, 0): (0, 5), (0, 1): (1, 6), (1, 0): (0, 4)}
        expected = [(1, 0, 0)] if allocator == "separable_input_first" else [(0, 1, 1), (1, 0, 0)]
        assert winners(both, Router(priority="age", allocator=allocator)) == expected


def test_allocators_by_hand() -> None:
    busy = dict.fromkeys([(0, 0), (0, 1), (1, 1)], 0)

    def turn(*pointers: int) -> Rank:
        return in_turn(list(pointers), 3)

    assert islip(busy, turn(0, 0), turn(0, 0), 1) == [[(0, 0)]]
    assert islip(busy, turn(0, 0), turn(0, 0), 2) == [[(0, 0)], [(1, 1)]]
    assert islip(busy, turn(0, 0), turn(1, 0), 2) == [[(0, 1)], []]
    assert islip(busy, turn(0, 1), turn(0, 0), 1) == [[(0, 0), (1, 1)]]
    assert separable_input_first(busy, turn(0, 0), turn(0, 0)) == [[(0, 0), (1, 1)]]
    assert separable_input_first(busy, turn(0, 0), turn(1, 0)) == [[(0, 1)]]
    assert separable_input_first(busy, turn(0, 1), turn(1, 0)) == [[(1, 1)]]
    assert islip({(0, 0): 7, (1, 0): 2, (2, 0): 2}, turn(2), turn(0, 0, 0), 1) == [[(2, 0)]]


@given(st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(0, 2)), st.data())
def test_allocators_match(requests: dict[tuple[int, int], int], data: st.DataObject) -> None:
    pointers = st.lists(st.integers(0, 3), min_size=4, max_size=4)
    grant, accept = (in_turn(data.draw(pointers), 4) for _ in range(2))
    for rounds in (1, 2, 4):
        answer = [pair for matched in islip(requests, grant, accept, rounds) for pair in matched]
        assert set(answer) <= set(requests)
        inputs, outputs = {i for i, _ in answer}, {o for _, o in answer}
        assert len(inputs) == len(outputs) == len(answer)
    assert all(i in inputs or o in outputs for i, o in requests), "four rounds leave nothing that fits"
    (answer,) = separable_input_first(requests, grant, accept)
    assert set(answer) <= set(requests)
    assert len({i for i, _ in answer}) == len({o for _, o in answer}) == len(answer)


def chosen(candidates: Sequence[int], packets: int, selection: Selection, *, length: int = 1) -> list[int]:
    """VCs that packets from terminal 0 win one after the other, each long after the one before."""
    relation = fork(candidates)
    script = [(50 * k, Packet(2, length, 50 * k, 0)) for k in range(packets)]
    run = Scripted(relation, script, router=Router(selection=selection), seed=5)
    return [run.number(out) for _, vc, out in run.allocated if vc >= relation.num_vcs]


def test_selection_of_one_candidate() -> None:
    assert chosen([2, 0, 3], 4, "first") == [2, 2, 2, 2]
    assert set(chosen([2, 0, 3], 12, "most_credits")) == {2, 0, 3}, "all have as many, and ties are broken at random"
    assert chosen([TIER + 2, 3, 0], 4, "first") == [3, 3, 3, 3]
    for selection in SELECTIONS:
        assert set(chosen([3, TIER + 2, TIER + 0], 8, selection)) == {3}


def test_round_robin_takes_candidates_in_turn() -> None:
    # The two injection VCs of the terminal take turns too, and each has a pointer of its own.
    assert chosen([2, 0, 3], 8, "round_robin") == [0, 0, 2, 2, 3, 3, 0, 0]


def test_random_selection_is_a_hash_of_seed_cycle_and_buffer() -> None:
    select = scramble(5 + 0x5851F42D4C957F2D)
    found = chosen([2, 0, 3], 60, "random")
    expected = []
    for k in range(60):
        cycle, buffer = 50 * k + 3, 5 + k % 2
        expected.append([0, 2, 3][(scramble(select ^ (cycle * 2**32 + buffer)) >> 11) % 3])
    assert found == expected
    assert min(Counter(found).values()) > 10


def test_most_credits_goes_where_there_is_room() -> None:
    relation = fork([0, 2])
    first, second = Packet(2, 3, 0, 0), Packet(3, 1, 0, 1)
    for selection, expected in (("first", [0, 0]), ("most_credits", [0, 2])):
        # On channel 0 flits of the first packet are under way when the second one looks, and VC 0 is free again.
        router = Router(selection=selection, credit_delay=20)
        run = Scripted(relation, [(0, first), (12, second)], router=router)
        assert [run.number(out) for _, vc, out in run.allocated if vc >= 5] == expected


def test_asking_for_all_finds_what_asking_for_one_does_not() -> None:
    relation = fork([0, 1])
    for selection, cycles in (("all", [3, 3]), ("first", [3, 4])):
        packets = [Packet(2, 1, 0, 0), Packet(3, 1, 0, 1)]
        run = Scripted(relation, [(0, p) for p in packets], router=Router(selection=selection, iterations=2))
        assert [cycle for cycle, vc, _ in run.allocated if vc >= relation.num_vcs] == cycles


def test_allocators_that_look_at_all_requests_by_hand() -> None:
    busy = dict.fromkeys([(0, 0), (0, 1), (1, 0)], 0)
    assert wavefront(busy, 2, 2, 0) == ([(0, 0)], 0)
    assert wavefront(busy, 2, 2, 1) == ([(0, 1), (1, 0)], 1)
    assert wavefront(busy | {(0, 0): -1}, 2, 2, 1) == ([(0, 0)], 0)
    assert max_size(busy, 2, 0) == max_size(busy, 2, 1) == [(0, 1), (1, 0)]
    assert loa(busy, [0, 0], [0, 0]) == [(0, 1), (1, 0)]
    assert loa(dict.fromkeys([(0, 0), (1, 0)], 0), [1, 0], [0, 0]) == [(1, 0)]
    assert pim(busy, 2, 2, 1, lambda number, of_input, end: 0) == [(0, 0)]
    assert pim(busy, 2, 2, 1, lambda number, of_input, end: 1) == [(0, 1), (1, 0)]


@settings(max_examples=50)
@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1), st.integers(0, 5))
def test_what_allocators_match(pairs: set[tuple[int, int]], turn: int) -> None:
    requests = dict.fromkeys(pairs, 0)
    graph = csr_array((np.ones(len(pairs)), tuple(zip(*pairs, strict=True))), shape=(6, 6))
    most = int((maximum_bipartite_matching(graph) >= 0).sum())
    found = {
        "max_size": max_size(requests, 6, turn),
        "wavefront": wavefront(requests, 6, 6, turn)[0],
        "pim": pim(requests, 6, 6, 6, lambda number, of_input, end: turn),
        "loa": loa(requests, [turn] * 6, [turn] * 6),
    }
    for name, matched in found.items():
        assert set(matched) <= pairs
        assert len({i for i, _ in matched}) == len({o for _, o in matched}) == len(matched)
        if name in ("wavefront", "pim"):
            assert all(any(i == a or o == b for a, b in matched) for i, o in pairs), "nothing more can be matched"
    assert len(found["max_size"]) == most
