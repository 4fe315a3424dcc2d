"""The kernel and its naive twin agree to the last bit, whatever the options of router and injection."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.simulation.engine.test_flit_kernel import PATTERNS, agree
from tests.simulation.options import BURSTS, LENGTHS, routers
from tests.simulation.relations import random_relation
from unknot._base.switching import SWITCHINGS
from unknot.network.families import mesh, torus
from unknot.routing import dimension_order, duato, ugal, valiant
from unknot.simulation.engine.codes import LOOK_AT_ALL, SELECTIONS
from unknot.simulation.engine.router import Router
from unknot.simulation.engine.table_sizes import LINE
from unknot.traffic.workload import Bursts, Lengths, length_shares, mean_length


def random_runs(data: st.DataObject) -> None:
    relation = random_relation(data.draw(st.integers(0, 10**6), label="relation"))
    for switching in SWITCHINGS:
        lengths = data.draw(LENGTHS, label="lengths")
        shares = length_shares(lengths)
        short = shares[-1][0] if switching in ("saf", "vct") else 1
        depth = data.draw(st.integers(short, 8), label="depth")
        own = depth if switching.startswith("wormhole") else 0
        agree(
            relation,
            switching,
            lengths,
            depth,
            data.draw(st.sampled_from([0.02, 0.2, 0.5, 1.0]), label="load") / mean_length(shares),
            data.draw(st.integers(0, 99), label="seed"),
            data.draw(st.booleans(), label="others"),
            router=data.draw(routers(own=own), label="router"),
            bursts=data.draw(BURSTS, label="bursts"),
        )


@settings(max_examples=4, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_options(data: st.DataObject) -> None:
    random_runs(data)


@pytest.mark.campaign
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_many_random_options(data: st.DataObject) -> None:
    random_runs(data)


ONE_BY_ONE = {
    "look-ahead": Router(routing_delay=0),
    "slow routing": Router(routing_delay=4),
    "slow VC allocation": Router(vc_allocation_delay=3),
    "slow switch allocation": Router(switch_allocation_delay=3),
    "slow traversal": Router(traversal_delay=4),
    "slow credits": Router(credit_delay=5),
    "ejection credits": Router(ejection_credits=True),
    "ejection credits, slow": Router(ejection_credits=True, credit_delay=3),
    "ejection credits, general router": Router(
        ejection_credits=True, claim_credit=True, selection="most_credits", empty_first=True, allocator="select"
    ),
    "ejection credits, speedup": Router(ejection_credits=True, internal_speedup=2.0, traversal_delay=2),
    "routing in batches": Router(routing_delay=3, pipelined=False, ejection_credits=True),
    "crossing in batches": Router(traversal_delay=3, pipelined=False, output_speedup=2, input_speedup=2),
    "all in batches": Router(routing_delay=2, traversal_delay=2, pipelined=False, hold_switch=True, speculative=True),
    "crossing in batches, quick": Router(traversal_delay=2, pipelined=False, internal_speedup=2.0),
    "crossing in batches, uneven steps": Router(
        traversal_delay=3, pipelined=False, internal_speedup=1.7, ejection_credits=True, hold_switch=True
    ),
    "all tiers": Router(all_tiers=True),
    "all tiers, separable": Router(all_tiers=True, allocator="separable_input_first", speculative=True),
    "all tiers, wavefront, age": Router(all_tiers=True, allocator="wavefront", empty_first=True, priority="age"),
    "all tiers, matrix": Router(all_tiers=True, allocator="select", arbiter="matrix", priority="age"),
    "terminals first": Router(terminals_first=True),
    **{
        f"terminals first, {name}": Router(terminals_first=True, allocator=name, input_speedup=2)
        for name in ("wavefront", "loa", "max_size", "separable_input_first")
    },
    "ejection by the same VC": Router(ejection="same"),
    "ejection by the same VC, first": Router(
        ejection="same", selection="first", ejection_credits=True, input_speedup=2, routing_delay=0
    ),
    "speculative": Router(speculative=True),
    "speculative look-ahead": Router(speculative=True, routing_delay=0),
    "late speculation": Router(speculative=True, vc_allocation_delay=4),
    "islip(2)": Router(iterations=2),
    "islip(4), speculative": Router(iterations=4, speculative=True),
    "separable": Router(allocator="separable_input_first"),
    **{name: Router(allocator=name) for name in LOOK_AT_ALL},
    **{f"{name}, age, speculative": Router(allocator=name, priority="age", speculative=True) for name in LOOK_AT_ALL},
    **{f"{name}, speedups": Router(allocator=name, input_speedup=2, output_speedup=2) for name in LOOK_AT_ALL},
    "claim credit": Router(claim_credit=True),
    "claim credit, slow credits": Router(claim_credit=True, credit_delay=4, speculative=True, selection="random"),
    "select, age": Router(allocator="select", priority="age", iterations=2),
    "pim(3) and islip": Router(allocator="pim", switch_allocator="islip", iterations=3),
    "islip and max_size, hold": Router(switch_allocator="max_size", hold_switch=True),
    "islip(2) and separable": Router(iterations=2, switch_allocator="separable_input_first"),
    "separable and islip(2)": Router(
        allocator="separable_input_first", switch_allocator="islip", iterations=2, speculative=True
    ),
    "wavefront and separable": Router(
        allocator="wavefront", switch_allocator="separable_input_first", priority="age"
    ),
    "islip(1) and pim(3)": Router(switch_allocator="pim", switch_iterations=3),
    "islip(3) and select": Router(iterations=3, switch_allocator="select", switch_iterations=1, priority="age"),
    "matrix and select": Router(
        allocator="separable_input_first", arbiter="matrix", switch_allocator="select", switch_arbiter="round_robin"
    ),
    "matrix": Router(allocator="separable_input_first", arbiter="matrix"),
    "matrix, age, speculative": Router(allocator="select", arbiter="matrix", priority="age", speculative=True),
    "matrix for the switch": Router(switch_allocator="separable_input_first", arbiter="matrix", input_speedup=2),
    "age": Router(priority="age"),
    "age, islip(2)": Router(priority="age", iterations=2),
    "age, separable": Router(priority="age", allocator="separable_input_first"),
    "hold": Router(hold_switch=True),
    "hold, slow switch": Router(hold_switch=True, switch_allocation_delay=2),
    "input speedup": Router(input_speedup=2),
    "input speedup, age, speculative": Router(input_speedup=3, priority="age", speculative=True),
    "output speedup": Router(output_speedup=2),
    "output and input speedup, separable": Router(
        input_speedup=2, output_speedup=3, allocator="separable_input_first", routing_delay=0
    ),
    "internal speedup": Router(internal_speedup=2.0),
    "internal speedup, look-ahead": Router(internal_speedup=1.7, routing_delay=0),
    "all speedups": Router(internal_speedup=3.5, input_speedup=2, output_speedup=2, iterations=2, traversal_delay=3),
    "internal speedup, hold, speculative": Router(internal_speedup=2.5, hold_switch=True, speculative=True),
    "output buffer": Router(output_speedup=2, input_speedup=2, output_buffer=1),
    "output buffer, two speedups": Router(input_speedup=2, internal_speedup=1.7, output_buffer=2, traversal_delay=3),
    "output buffer, slow switch": Router(traversal_delay=3, pipelined=False, output_buffer=2),
    "own slots, output speedup": Router(own_slots=1, output_speedup=2, input_speedup=2),
    "output buffer, internal speedup, hold": Router(internal_speedup=2.5, output_buffer=2, hold_switch=True),
    "empty first": Router(allocator="separable_input_first", empty_first=True),
    "empty first, wavefront, age": Router(allocator="wavefront", empty_first=True, priority="age"),
    "donated age": Router(allocator="select", priority="age", donate_priority=True, speculative=True),
    **{f"selection {name}": Router(selection=name) for name in SELECTIONS[1:]},
}
FAST = {
    "age, select": Router(priority="age", allocator="select", input_speedup=2),
    "age, separable, speculative": Router(
        priority="age", allocator="separable_input_first", speculative=True, claim_credit=True, routing_delay=0
    ),
    "age, wavefront": Router(priority="age", allocator="wavefront", internal_speedup=1.5, ejection_credits=True),
    "age, rr_wavefront, hold": Router(priority="age", allocator="rr_wavefront", hold_switch=True),
    "age, hold, loa and islip(2)": Router(
        priority="age", hold_switch=True, allocator="loa", switch_allocator="islip", switch_iterations=2
    ),
    "hold, speed-up": Router(hold_switch=True, internal_speedup=1.5, ejection_credits=True, input_speedup=2),
    "claim, max_size": Router(claim_credit=True, allocator="max_size", credit_delay=3),
    "select, speculative": Router(allocator="select", speculative=True),
    "loa and islip, speculative": Router(allocator="loa", switch_allocator="islip", speculative=True),
    "wavefront and separable, speculative": Router(
        allocator="wavefront", switch_allocator="separable_input_first", speculative=True, priority="age"
    ),
    "loa, speculative": Router(allocator="loa", speculative=True),
    "max_size, age, speculative": Router(
        allocator="wavefront", switch_allocator="max_size", speculative=True, priority="age", claim_credit=True
    ),
    "pim(2), speculative, speedups": Router(
        allocator="islip",
        switch_allocator="pim",
        switch_iterations=2,
        speculative=True,
        input_speedup=2,
        output_speedup=2,
        ejection_credits=True,
    ),
    "islip(3), speculative look-ahead": Router(iterations=3, speculative=True, routing_delay=0, priority="age"),
    **{name: Router(allocator=name) for name in LOOK_AT_ALL},
    "pim(3) and loa": Router(allocator="pim", switch_allocator="loa", iterations=3),
    "islip(2)": Router(iterations=2),
    "select(3), max_size": Router(allocator="select", switch_allocator="max_size", iterations=3),
    "terminals first, pim and wavefront": Router(
        allocator="pim", switch_allocator="wavefront", terminals_first=True, ejection_credits=True
    ),
    "matrix, age": Router(allocator="select", arbiter="matrix", priority="age", claim_credit=True),
    "matrix, separable, speculative": Router(allocator="separable_input_first", arbiter="matrix", speculative=True),
    "matrix, age, select and islip(2)": Router(
        allocator="select", arbiter="matrix", priority="age", switch_allocator="islip", switch_iterations=2
    ),
    "matrix for the switch, max_size": Router(
        allocator="max_size",
        switch_allocator="separable_input_first",
        arbiter="matrix",
        internal_speedup=1.5,
        ejection_credits=True,
        input_speedup=2,
    ),
    **{
        name: Router(selection=name, ejection_credits=True, input_speedup=2)
        for name in ("most_credits", "least_weight", "better_of_two")
    },
    "separable, pim(2)": Router(
        allocator="separable_input_first", switch_allocator="pim", switch_iterations=2, selection="random"
    ),
    **{
        f"{name}, speedups": Router(
            allocator=name, input_speedup=2, output_speedup=2, ejection_credits=True, internal_speedup=speed
        )
        for name, speed in (("islip", 1.0), ("loa", 1.5), ("max_size", 2.0), ("pim", 1.0), ("wavefront", 1.0))
    },
}


@pytest.mark.sampled(1 / 4)
@pytest.mark.parametrize("name", FAST)
def test_options_of_the_fast_path(name: str) -> None:
    for relation, switching, lengths, chance in (
        (duato(mesh(3, 3), 3), "wormhole-nonatomic", {1: 0.5, 5: 0.5}, 0.3),
        (dimension_order(torus(4, 3, latency=2), 4), "vct", 3, 0.2),
        (dimension_order(mesh(2, 3), 4), "wormhole", 1, 0.8),
    ):
        engine = agree(relation, switching, lengths, 5, chance, 3, router=FAST[name])
        assert engine.parts[0].setup.packable == 1


@pytest.mark.parametrize(
    "router",
    [
        Router(hold_switch=True, input_speedup=2, priority="age", allocator="separable_input_first"),
        Router(priority="age", allocator="select", claim_credit=True),
        *(
            pytest.param(router, marks=pytest.mark.sampled(1 / 5))
            for router in (
                Router(allocator="loa", switch_allocator="max_size"),
                Router(allocator="max_size", switch_allocator="pim", input_speedup=2, priority="age"),
                Router(allocator="rr_wavefront", switch_allocator="wavefront", hold_switch=True),
                Router(allocator="wavefront", switch_allocator="loa", priority="age", selection="random"),
                Router(iterations=2, switch_allocator="rr_wavefront", switch_iterations=1, priority="age"),
                Router(iterations=3, internal_speedup=1.5, ejection_credits=True),
                Router(speculative=True, allocator="separable_input_first", priority="age"),
                Router(speculative=True, claim_credit=True, input_speedup=2),
            )
        ),
    ],
)
def test_options_of_wide_routers_on_the_fast_path(router: Router) -> None:
    engine = agree(dimension_order(mesh(3, 3), 20), "wormhole-nonatomic", {1: 1, 4: 1}, 3, 0.4, 2, router=router)
    assert (engine.parts[0].setup.packable, engine.parts[0].setup.width) == (1, 2)


@pytest.mark.parametrize("allocator", ["islip", pytest.param("select", marks=pytest.mark.sampled(1 / 2))])
def test_flits_that_queue_for_longer_than_inboxes_take_turns(allocator: str) -> None:
    router = Router(allocator=allocator, priority="age", ejection_credits=True, empty_first=allocator == "select")
    network = mesh(2, 3).with_bandwidth(0.1)
    engine = agree(dimension_order(network, 4), "wormhole-nonatomic", {1: 1, 5: 1}, 8, 0.2, 2, router=router)
    setup, count = engine.parts[0].setup, engine.parts[0].count
    assert setup.packable == (allocator == "islip")
    assert 0 < setup.slots < setup.far_slots
    assert count.far > 0


def test_rings_of_deep_buffers_begin_in_different_sets_of_a_cache() -> None:
    engine = agree(dimension_order(mesh(2, 3), 2), "wormhole-nonatomic", 1, 64, 0.9, 3)
    assert engine.parts[0].setup.ring == 64 + LINE


SHARED = {
    "own slots": Router(own_slots=1),
    "own slots, limited, speculative": Router(own_slots=2, most_slots=4, speculative=True, priority="age"),
    "own slots, hold, credits": Router(own_slots=1, hold_switch=True, claim_credit=True, credit_delay=2),
    "own slots, matrix": Router(own_slots=2, allocator="separable_input_first", arbiter="matrix", claim_credit=True),
    "own slots, switch of two parts": Router(own_slots=1, output_speedup=2, ejection_credits=True),
    "own slots, ejection credits": Router(own_slots=1, most_slots=3, ejection_credits=True),
    "own slots, internal speedup": Router(own_slots=1, internal_speedup=2.0, selection="most_credits"),
}


@pytest.mark.parametrize("name", SHARED)
def test_shared_buffers_on_a_mesh(name: str) -> None:
    router = SHARED[name]
    agree(duato(mesh(3, 3), 3), "wormhole-nonatomic", {1: 0.5, 5: 0.5}, 4, 0.15, 3, router=router)
    # Two win the switch in one step where a slot is left for one of them, if the output speedup lets them.
    agree(duato(mesh(3, 2), 3), "wormhole-nonatomic", {1: 0.5, 5: 0.5}, 4, 0.2, 3, router=router)
    engine = agree(dimension_order(torus(4, 3, latency=2), 4), "wormhole", 3, 4, 0.12, 5, router=router)
    assert engine.parts[0].setup.packable == (
        router.output_speedup == 1 and (router.ejection_credits or not router.queues)
    )


@pytest.mark.sampled(1 / 12)
@pytest.mark.parametrize(
    ("name", "network"),
    [
        pytest.param(name, network, marks=[pytest.mark.campaign] if (i + (network == "mesh")) % 2 else [])
        for i, name in enumerate(ONE_BY_ONE)
        for network in ("mesh", "torus")
    ],
)
def test_each_option(name: str, network: str) -> None:
    """On one of two networks each; on the other in the campaign."""
    router = ONE_BY_ONE[name]
    if network == "mesh":
        agree(duato(mesh(3, 2), 3), "wormhole-nonatomic", {1: 0.5, 5: 0.5}, 4, 0.2, 3, router=router)
        return
    agree(
        dimension_order(torus(3, 3, latency=2), 4),
        "vct",
        3,
        4,
        0.12,
        5,
        router=replace(router, credit_delay=router.credit_delay + 1),
        bursts=Bursts(0.1, 0.2),
    )


@pytest.mark.parametrize("relation", [1, 4, 5, 11])
def test_flits_that_cross_in_batches_to_ejection_ports_of_few_slots(relation: int) -> None:
    for router in (
        Router(traversal_delay=2, pipelined=False),
        Router(traversal_delay=3, pipelined=False, ejection_credits=True),
    ):
        for switching in SWITCHINGS:
            agree(random_relation(relation), switching, 1, 1, 0.2, 0, router=router)


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("lengths", [4, {4: 1.0}, {1: 3, 2: 1, 6: 2}])
@pytest.mark.parametrize("bursts", [None, Bursts(0.02, 0.1), Bursts(1, 1)])
def test_injection_where_addresses_are_drawn_too(lengths: Lengths, bursts: Bursts | None) -> None:
    agree(valiant(mesh(3, 2)), "wormhole", lengths, 4, 0.06, 5, bursts=bursts)
    agree(ugal(mesh(3, 2)), "wormhole-nonatomic", lengths, 4, 0.06, 5, others=True, bursts=bursts)
    for pattern in ("hotspot", "half of them", "matrix"):
        relation = dimension_order(mesh(4, 4), 2)
        agree(relation, "wormhole-nonatomic", lengths, 4, 0.06, 5, traffic=PATTERNS[pattern], bursts=bursts)


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize(
    "router",
    [
        Router(allocator="wavefront"),
        Router(allocator="rr_wavefront", terminals_first=True, priority="age"),
        Router(switch_allocator="wavefront", output_speedup=2),
        Router(allocator="wavefront", switch_allocator="pim", input_speedup=2),
    ],
)
def test_ports_at_edges_take_part_in_wavefronts(router: Router) -> None:
    agree(duato(mesh(4, 3), 3), "wormhole-nonatomic", {1: 1, 4: 1}, 4, 0.3, 2, router=router)
    agree(dimension_order(mesh(3, 2), 15), "wormhole", 2, 3, 0.5, 2, router=router)


@pytest.mark.long
@pytest.mark.parametrize("vcs", [13, 26])
def test_routers_with_many_vcs(vcs: int) -> None:
    relation = dimension_order(mesh(3, 3), vcs)
    for router in (
        Router(),
        Router(selection="round_robin", allocator="separable_input_first", priority="age"),
        Router(selection="random", speculative=True, iterations=2, hold_switch=True),
        Router(routing_delay=0, vc_allocation_delay=2, switch_allocation_delay=2, selection="most_credits"),
    ):
        agree(relation, "wormhole-nonatomic", {1: 1, 4: 1}, 3, 0.4, 2, router=router)


def test_a_holder_that_lacks_a_credit_in_a_router_that_has_nothing_else_to_do() -> None:
    slow = Router(routing_delay=0, vc_allocation_delay=4, credit_delay=2, selection="round_robin", hold_switch=True)
    agree(random_relation(631926), "wormhole-nonatomic", 5, 4, 0.08, 3, True, router=slow)
    late = Router(credit_delay=2, selection="most_credits", hold_switch=True)
    agree(random_relation(183415), "wormhole-nonatomic", 5, 4, 0.16, 94, True, router=late)
