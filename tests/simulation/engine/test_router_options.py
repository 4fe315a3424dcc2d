"""How long the stages of a router take, and who may use its switch: by hand, in the plain simulator."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.reference.sim_parts import Packet
from tests.reference.uniform_pairs import uniform
from tests.simulation.engines import engine_of
from tests.simulation.scripted import Scripted, Sent, fork
from unknot._base.errors import SimulationError
from unknot._base.switching import SWITCHINGS, Switching
from unknot.network import Network
from unknot.network.families import line
from unknot.routing import Relation, dimension_order, shortest_paths
from unknot.simulation import simulate
from unknot.simulation.engine.codes import Allocator
from unknot.simulation.engine.router import Router
from unknot.simulation.engine.sources import Sources


def latency(relation: Relation, address: int, length: int, router: Router, **options: object) -> int:
    """Of one packet from terminal 0 in an empty network."""
    packet = Packet(address, length, 0, 0)
    return Scripted(relation, [(0, packet)], router=router, **options).ends[id(packet)]


DELAYS = [
    (1, 1, 1, 1),
    (0, 1, 1, 1),
    (3, 1, 1, 1),
    (1, 3, 1, 1),
    (1, 1, 3, 1),
    (1, 1, 1, 3),
    (2, 4, 3, 2),
    (0, 3, 2, 1),
]


def delayed(delays: tuple[int, int, int, int], **options: object) -> Router:
    rd, va, sa, traversal = delays
    return Router(
        routing_delay=rd,
        vc_allocation_delay=va,
        switch_allocation_delay=sa,
        traversal_delay=traversal,
        **options,
    )


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("speculative", [False, True])
@pytest.mark.parametrize("delays", DELAYS)
def test_every_delay_counts_once_per_router(delays: tuple[int, int, int, int], speculative: bool) -> None:
    rd, va, sa, traversal = delays
    router = delayed(delays, speculative=speculative, credit_delay=2)
    allocation = max(va, sa) if speculative else va + sa
    for far in (1, 3):
        relation = dimension_order(line(5, latency=far), 2)
        for switching in SWITCHINGS:
            for hops in (1, 2, 5):
                for length in (1, 4):
                    expected = hops * (rd + allocation + traversal) + far * (hops - 1) + 3 + sa * (length - 1)
                    if switching == "saf":
                        first, later = max(rd, length - 1), max(rd, sa * (length - 1))
                        expected += first - rd + (hops - 1) * (later - rd)
                    assert latency(relation, hops - 1, length, router, switching=switching) == expected


@pytest.mark.parametrize("speculative", [False, True])
@pytest.mark.parametrize("delays", DELAYS)
@pytest.mark.parametrize("credit_delay", [0, 1, 5])
def test_a_slot_is_used_again_after_the_credit_round_trip(
    delays: tuple[int, int, int, int], credit_delay: int, speculative: bool
) -> None:
    _, _, sa, traversal = delays
    router = delayed(delays, credit_delay=credit_delay, speculative=speculative)
    for far in (1, 4):
        relation = dimension_order(line(2, latency=far), 1)
        one = latency(relation, 1, 1, router, depth=1)
        loop = sa + traversal + far + sa + far + credit_delay
        assert latency(relation, 1, 5, router, depth=1) == one + 4 * loop


@pytest.mark.parametrize("delays", DELAYS)
@pytest.mark.parametrize("switching", ["wormhole", "wormhole-nonatomic"])
def test_a_slot_between_packets_of_one_flit(delays: tuple[int, int, int, int], switching: Switching) -> None:
    rd, va, sa, traversal = delays
    relation = dimension_order(line(2), 1)
    packets = [Packet(1, 1, 0, 0) for _ in range(5)]
    router = delayed(delays, credit_delay=1)
    run = Scripted(relation, [(0, p) for p in packets], switching=switching, depth=1, router=router)
    loop = (sa + traversal + 1) + rd + va + (sa + 1 + 1)
    if switching == "wormhole":
        loop += va
    gaps = [later - earlier for earlier, later in pairwise(run.ends[id(p)] for p in packets)]
    assert gaps[1:] == [loop] * 3


@pytest.mark.parametrize("speculative", [False, True])
@pytest.mark.parametrize("delays", DELAYS)
def test_a_header_behind_a_tail_is_routed_when_the_tail_is_gone(
    delays: tuple[int, int, int, int], speculative: bool
) -> None:
    rd, va, sa, _ = delays
    relation = dimension_order(line(2), 1)
    packets = [Packet(1, 1, 0, 0) for _ in range(4)]
    run = Scripted(relation, [(0, p) for p in packets], router=delayed(delays, speculative=speculative))
    sends = [sent.cycle for sent in run.sent if sent.into >= relation.num_vcs]
    expected = [2 + rd + (0 if speculative else va)]
    for k in range(1, 4):
        leaves = expected[-1] + (max(va, sa) if speculative else sa)
        expected.append(max(leaves, 2 + k) + rd + (0 if speculative else va))
    assert sends == expected


def merging(router: Router, *, depth: int = 64, vcs: int = 2) -> tuple[list[Sent], list[Packet]]:
    """What router 1 sends to router 2 when packets of 8 flits from terminals 0 and 1 ask for it at the same time."""
    relation = dimension_order(line(3), vcs)
    packets = [Packet(2, 8, 0, 0), Packet(2, 8, 0, 1)]
    run = Scripted(relation, [(0, packets[0]), (5, packets[1])], depth=depth, router=router)
    (channel,) = relation.network.between(1, 2)
    return run.on(relation, channel), packets


def test_packets_take_turns_on_a_link_unless_the_switch_is_held() -> None:
    mixed, packets = merging(Router())
    assert [packets.index(sent.packet) for sent in mixed] == [0, 1] * 8
    assert [sent.cycle for sent in mixed] == list(range(9, 25))
    held, packets = merging(Router(hold_switch=True))
    assert [packets.index(sent.packet) for sent in held] == [0] * 8 + [1] * 8
    assert [sent.cycle for sent in held] == list(range(9, 25))


def test_a_held_switch_rests_while_its_flit_leaves() -> None:
    relation = fork([0, 1])
    packets = [Packet(2, 4, 0, 0), Packet(2, 4, 0, 1)]
    held = Scripted(relation, [(0, p) for p in packets], router=Router(hold_switch=True, switch_allocation_delay=3))
    sends = [(sent.cycle, packets.index(sent.packet)) for sent in held.on(relation, 0)]
    assert sends == [(4, 0), (7, 0), (10, 0), (13, 0), (14, 1), (17, 1), (20, 1), (23, 1)]
    free = Scripted(relation, [(0, p) for p in packets], router=Router(switch_allocation_delay=3))
    sends = [(sent.cycle, packets.index(sent.packet)) for sent in free.on(relation, 0)]
    assert sends == [(4, 0), (5, 1), (7, 0), (8, 1), (10, 0), (11, 1), (13, 0), (14, 1)]


def test_a_holder_whose_buffer_is_empty_lets_go() -> None:
    held, packets = merging(Router(hold_switch=True), depth=2)
    assert [(sent.cycle, packets.index(sent.packet)) for sent in held[:4]] == [(9, 0), (10, 0), (11, 1), (12, 1)]


@pytest.mark.parametrize("allocator", ["islip", "separable_input_first", "select", "max_size"])
@pytest.mark.parametrize("va", [1, 3])
def test_only_allocators_with_priorities_prefer_those_that_have_a_vc(allocator: Allocator, va: int) -> None:
    relation = fork([0, 1])
    long, late = Packet(2, 12, 0, 0), Packet(2, 1, 0, 1)
    router = Router(speculative=True, vc_allocation_delay=va, allocator=allocator)
    run = Scripted(relation, [(0, long), (2, late)], router=router)
    (won,) = [cycle for cycle, vc, _ in run.allocated if vc == relation.num_vcs + 2 and cycle < 9]
    assert won == 5
    (sent,) = [sent.cycle for sent in run.on(relation, 0) if sent.packet is late]
    assert sent == (6 if allocator not in ("islip", "max_size") and va == 1 else 5)
    cycles = [sent.cycle for sent in run.on(relation, 0) if sent.packet is long]
    assert cycles[:3] == ([3, 6, 7] if va == 3 else [3, 4, 11 - sent])


@pytest.mark.parametrize("va", [1, 3])
def test_a_port_matched_to_a_header_that_has_no_vc_of_it_stays_empty(va: int) -> None:
    """Both packets of the terminal, in VCs of their own, take the first output VC; their port turns to the next."""
    relation = fork([0, 2])
    packets = [Packet(2, 1, 0, 0), Packet(2, 1, 0, 0)]
    for selection, second in (("all", 4 + va), ("first", 4)):
        router = Router(speculative=True, vc_allocation_delay=va, selection=selection)
        run = Scripted(relation, [(0, p) for p in packets], router=router)
        assert [cycle for cycle, vc, _ in run.allocated if vc in relation.num_vcs + np.arange(2)] == [3, 4]
        assert [sent.cycle for sent in run.on(relation, 0)] == [3, second]


def test_a_header_that_gets_no_vc_may_keep_the_switch_from_the_one_that_does() -> None:
    """In cycle 4 two ask for the VC: it is the turn of the second one's port, but not of its input VC."""
    relation = fork([0])
    packets = [Packet(2, 1, 0, 0), Packet(2, 1, 0, 0), Packet(2, 1, 0, 1)]
    run = Scripted(relation, list(zip((0, 0, 1), packets, strict=True)), router=Router(speculative=True))
    won = [cycle for cycle, vc, _ in run.allocated if vc >= relation.num_vcs]
    assert won == [3, 4, 6]
    assert [(sent.cycle, packets.index(sent.packet)) for sent in run.on(relation, 0)] == [(3, 0), (5, 1), (6, 2)]


@pytest.mark.parametrize("hold", [False, True])
def test_speculation_keeps_off_a_held_switch(hold: bool) -> None:
    relation = fork([0, 1])
    long, late = Packet(2, 6, 0, 0), Packet(2, 1, 0, 1)
    router = Router(speculative=True, routing_delay=3, switch_allocation_delay=2, hold_switch=hold)
    run = Scripted(relation, [(0, long), (1, late)], router=router)
    (sent,) = [sent.cycle for sent in run.on(relation, 0) if sent.packet is late]
    assert [sent.cycle for sent in run.on(relation, 0) if sent.packet is long] == [5, 7, 9, 11, 13, 15]
    assert sent == (16 if hold else 6)


@pytest.mark.parametrize(("router", "deep"), [(Router(own_slots=1), 5), (Router(own_slots=1, most_slots=3), 3)])
def test_a_vc_alone_has_all_slots_that_its_port_shares(router: Router, deep: int) -> None:
    """Four VCs of 2 slots share 4 of them; `deep` slots are fewer than a credit takes to come back."""
    relation = dimension_order(line(2, latency=4), 4)
    for switching in ("wormhole", "wormhole-nonatomic"):
        found = latency(relation, 1, 20, router, depth=2, switching=switching)
        assert found == latency(relation, 1, 20, Router(), depth=deep, switching=switching)
        assert found < latency(relation, 1, 20, Router(), depth=2, switching=switching)


def test_options_that_do_not_go_together() -> None:
    net = dimension_order(line(2), 1)
    for wrong, words in (
        (lambda: Router(output_buffer=2), "output_buffer takes output_speedup, internal_speedup, or pipelined"),
        (lambda: Router(own_slots=2, most_slots=1), "at least 2, got 1"),
        (lambda: Router(most_slots=1), "most_slots is of shared buffers"),
        (lambda: simulate(net, 0.1, router=Router(own_slots=9)), "at most buffer_depth"),
        (lambda: simulate(net, 0.1, switching="vct", router=Router(own_slots=1)), "takes wormhole"),
    ):
        with pytest.raises(SimulationError, match=words):
            wrong()


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize(
    ("switching", "length", "router", "accepted"),
    [
        ("wormhole", 1, Router(ejection_credits=True), 1 / 6),
        ("wormhole", 1, Router(ejection_credits=True, credit_delay=2), 1 / 8),
        ("wormhole-nonatomic", 100, Router(ejection_credits=True), 2 / 5),
        ("wormhole-nonatomic", 100, Router(ejection_credits=True, claim_credit=True), 2 / 5),
        ("wormhole-nonatomic", 100, Router(), 1 / 2),
    ],
)
def test_a_terminal_returns_a_credit_for_each_flit_it_takes(
    switching: Switching, length: int, router: Router, accepted: float
) -> None:
    """With credits an ejection VC of 2 flits takes 2 in a loop of 5 cycles, and the one of injection 2 in 4."""
    pair = Network("two terminals at a router", 2, source=[0, 1], target=[1, 0], inject=[0, 0], eject=[0, 0])
    run = simulate(
        shortest_paths(pair), 1.0, traffic=[1, 0], packet_length=length, buffer_depth=2, warmup=1000, measure=6000,
        switching=switching, router=router,
    )  # fmt: skip
    assert run.accepted_load == pytest.approx(accepted, rel=0.02)


def test_terminals_take_in_credits_at_once() -> None:
    pair = Network("two terminals at a router", 2, source=[0, 1], target=[1, 0], inject=[0, 0], eject=[0, 0])
    for delay in (0, 5):
        run = simulate(
            shortest_paths(pair), 1.0, traffic=[1, 0], packet_length=100, buffer_depth=2, warmup=1000, measure=6000,
            switching="wormhole-nonatomic", router=Router(credit_delay=delay),
        )  # fmt: skip
        assert run.accepted_load == pytest.approx(1 / 2, rel=0.02)


def test_there_is_room_for_all_that_arrive_in_a_cycle_with_speedups() -> None:
    """Several packets may win the switch to one terminal in a cycle; latencies were written beyond their table."""
    relation = dimension_order(line(2), 4)
    router = Router(output_speedup=2, input_speedup=2, internal_speedup=2.0)
    engine = engine_of(
        relation,
        "wormhole-nonatomic",
        Sources(1.0, uniform(relation, self_traffic=True), 1),
        buffer_depth=4,
        seed=1,
        router=router,
    )
    engine.state.setup.measure_from = 0
    most = 0
    for cycle in range(1, 300):
        size = engine.state.latencies.size
        engine.state.count.measured_arrived = size - int(engine.state.setup.arrivals)
        before = engine.count("arrived")
        while engine.now < cycle:
            engine.advance(cycle)
        most = max(most, engine.count("arrived") - before)
        assert engine.count("measured_arrived") <= engine.state.latencies.size
    assert relation.network.num_terminals < most <= engine.state.setup.arrivals


@pytest.mark.parametrize(
    ("router", "arrivals"), [(Router(), [7, 9]), (Router(traversal_delay=2, pipelined=False), [8, 10])]
)
def test_flits_in_the_switch_do_not_keep_others_from_an_ejection_port(router: Router, arrivals: list[int]) -> None:
    """The second packet has the output VC from cycle 5 on and sends in 6, while the first flit crosses in 5 and 6."""
    network = Network("three terminals at a router", 2, source=[0, 1], target=[1, 0], inject=[0] * 3, eject=[0] * 3)
    packets = [Packet(2, 1, 0, 0), Packet(2, 1, 0, 1)]
    run = Scripted(shortest_paths(network), [(0, p) for p in packets], depth=1, router=router)
    assert [sent.cycle for sent in run.sent] == [4, 6]
    assert [run.ends[id(p)] for p in packets] == arrivals
