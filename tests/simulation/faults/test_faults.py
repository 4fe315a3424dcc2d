"""Faults during a run: nothing of a lost packet is left, everything else goes on, and the books balance."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.reference.uniform_pairs import uniform
from tests.simulation.options import routers
from tests.simulation.relations import clockwise, random_relation
from unknot._base.errors import NetworkError, RelationError, SimulationError, TextError
from unknot._base.switching import SWITCHINGS, Switching
from unknot.network import Network
from unknot.network.families import dragonfly, line, mesh, ring
from unknot.routing import EJECT, TIER, Relation, VirtualChannels, dimension_order, dragonfly_ugal, up_down
from unknot.simulation import Fault, Router, simulate
from unknot.simulation.engine.codes import EMPTY
from unknot.simulation.engine.dropping import owns, residents
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.setup import ENTRIES, FIRST_TABLE
from unknot.simulation.engine.sources import Sources
from unknot.simulation.engine.state_arrays import State
from unknot.simulation.faults.fault import fault_of
from unknot.simulation.player import run as run_on
from unknot.simulation.run.scenario import Scenario
from unknot.traffic import Bursts, Traffic


def engine_of(
    relation: Relation, switching: Switching, sources: Sources, faults: list[Fault], **fields: Any
) -> Engine:
    """An engine with faults that has not begun."""
    return Engine(Scenario(relation, 0.0, Traffic(), switching, faults=faults, **fields), sources)


def lost(engine: Engine) -> tuple[int, int]:
    """Packets and flits lost so far."""
    assert engine.faults is not None
    return sum(each[0] for each in engine.faults.lost), sum(each[1] for each in engine.faults.lost)


def bits(state: State, column: str, cells: np.ndarray) -> np.ndarray:
    """How many bits there are of each cell in all inboxes."""
    boxes = state.inbox[column].reshape(-1, len(state.words) - 1)
    return np.array([sum(int(box[c >> 6]) >> (c & 63) & 1 for box in boxes) for c in cells.tolist()])


def cells(ends: np.ndarray, ports: np.ndarray, column: str, rows: np.ndarray) -> np.ndarray:
    """Bits, over all routers, that what leaves some rows goes to: those of a port have bits one after the other."""
    return ports[column][ends.port[rows]] + rows - ends.port[rows]


def balance(engine: Engine) -> None:
    """Credits, stored flits, flits and credits on wires make up the depth; packets and VCs know of each other."""
    state, setup = engine.state, engine.state.setup
    up, down = state.outputs[state.out_row], state.inputs[state.in_row]
    flying = bits(state, "flits", cells(state.outputs, state.out_ports, "flit_bit", state.out_row))
    upstream = cells(state.inputs, state.in_ports, "credit_bit", state.in_row)
    back = bits(state, "credits", upstream)
    assert (up.credits + down.stored + flying + back == setup.depth).all()
    assert (down.stored >= 0).all()
    assert (up.credits >= 0).all()
    assert engine.count("flits_in") - engine.count("flits_out") == down.stored.sum() + flying.sum()
    _, packets = residents(state, state.in_row.astype(np.int64))
    inside = np.union1d(packets, state.terminals.packet[state.terminals.packet >= 0])
    assert engine.count("created") == engine.count("arrived") + lost(engine)[0] + inside.size
    free = state.free[: state.count.free]
    assert np.unique(free).size == free.size == state.count.high - inside.size
    assert not np.isin(free, inside).any()
    num_vcs = engine.relation.num_vcs
    for buffer in range(num_vcs):
        owner = int(up.owner[buffer])
        assert owner < 0 or (owns(state, np.array([owner]))[0] and state.inputs.out[owner] == state.out_row[buffer])
        cell = int(upstream[buffer])
        opened = bool(int(state.masks.open[cell >> 6]) >> (cell & 63) & 1)
        whole = setup.entry != EMPTY or up.credits[buffer] == setup.depth
        assert opened == (owner < 0 and whole)
    owning = np.flatnonzero(owns(state, np.arange(len(state.inputs))))
    assert (state.outputs.owner[state.inputs.out[owning]] == owning).all()


def buried(engine: Engine, dead: np.ndarray) -> None:
    """Nothing is in, on the way into, or owner of a dead VC."""
    state = engine.state
    vcs = np.flatnonzero(dead)
    assert not state.inputs.stored[state.in_row[vcs]].any()
    assert not bits(state, "flits", cells(state.outputs, state.out_ports, "flit_bit", state.out_row[vcs])).any()
    assert (state.outputs.owner[state.out_row[vcs]] < 0).all()
    assert residents(state, state.in_row[vcs].astype(np.int64))[0].size == 0


def step(engine: Engine) -> None:
    cycle = engine.now
    while engine.now == cycle:
        engine.advance(cycle + 1)


router_options = st.just(Router()) | routers()


@pytest.mark.long
@settings(
    max_examples=3, deadline=None, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck)
)
@given(st.data())
def test_books_balance_in_every_cycle_after_faults(data: st.DataObject) -> None:
    relation = random_relation(data.draw(st.integers(0, 10**6), label="relation"))
    network = relation.network
    flits = data.draw(st.integers(1, 6), label="flits")
    for switching in SWITCHINGS:
        depth = data.draw(st.integers(flits if switching in ("saf", "vct") else 1, 8), label="depth")
        faults = []
        for cycle in data.draw(st.lists(st.integers(0, 120), min_size=1, max_size=3), label="cycles"):
            channels = data.draw(st.lists(st.integers(0, network.num_channels - 1), max_size=2), label="channels")
            routers = data.draw(st.lists(st.integers(0, network.num_routers - 1), max_size=1), label="routers")
            other = data.draw(st.sampled_from([None, relation]), label="relation")
            if channels or routers or other:
                faults.append(Fault(cycle, channels, routers, other))
        engine = engine_of(
            relation,
            switching,
            Sources(data.draw(st.sampled_from([0.1, 0.5, 1.0]), label="load") / flits, uniform(relation), flits),
            faults or [Fault(10**6, [0])],
            buffer_depth=depth,
            seed=data.draw(st.integers(0, 99), label="seed"),
            router=data.draw(router_options, label="router"),
        )
        dead = np.zeros(network.num_channels, dtype=bool)
        for _ in range(180):
            now = engine.now
            step(engine)
            balance(engine)
            for fault in faults:
                if fault.cycle == now:
                    gone = np.isin(np.arange(network.num_routers), fault.routers)
                    dead |= gone[network.source] | gone[network.target]
                    dead[list(fault.channels)] = True
            buried(engine, dead[relation.vcs.channel])
        drain(engine)


def drain(engine: Engine) -> None:
    """Let what is inside arrive, be lost or be found stuck; then all credits are back."""
    engine.state.terminals.chance[:] = 0
    for _ in range(20):
        held = engine.count("flit_hops")
        run_on(engine, 600)
        balance(engine)
        if engine.deadlock is not None:
            return
        state = engine.state
        if engine.count("flits_in") == engine.count("flits_out") and (state.terminals.packet < 0).all():
            run_on(engine, 100)
            assert (state.outputs.credits[state.out_row] == state.setup.depth).all()
            assert (state.outputs.owner < 0).all()
            assert engine.count("created") == engine.count("arrived") + lost(engine)[0]
            return
    assert engine.count("flit_hops") > held, "only a packet that goes round for ever may still be here"


LENGTHS = 4


def alone(*faults: Fault) -> Engine:
    """An engine over an empty line of four routers, and a packet at terminal 0 to terminal 3."""
    relation = dimension_order(line(4))
    silent = Sources(0.0, uniform(relation), LENGTHS)
    engine = engine_of(relation, "wormhole", silent, [*faults], buffer_depth=4)
    state = engine.state
    packet = int(state.count.high)
    state.count.high += 1
    state.count.created += 1
    row = state.packets[packet]
    row.address, row.length = 3, LENGTHS
    state.terminals.packet[0], state.terminals.left[0] = packet, LENGTHS
    return engine


@pytest.mark.parametrize(
    ("cycle", "channel", "lost_in", "flits"),
    [
        (3, "(0)->(1)", 3, 4),
        (4, "(0)->(1)", 4, 4),
        (5, "(0)->(1)", 5, 4),
        (12, "(0)->(1)", 12, 4),
        (13, "(0)->(1)", None, 0),
        (4, "(1)->(2)", 8, 4),
        (9, "(1)->(2)", 9, 4),
        (60, "(1)->(2)", None, 0),
    ],
)
def test_one_packet_and_one_channel_by_hand(cycle: int, channel: str, lost_in: int | None, flits: int) -> None:
    """Terminal 0 injects in cycles 0 to 3; the header is read in 2, gets its VC in 3 and crosses the switch in 4.

    It is read at the second router in 7, gets a VC in 8 and crosses in 9; the tail leaves it in 12. A channel
    that dies before the worm begins to cross it kills nothing; the header is lost at the end of the cycle in which it
    next asks for a VC there.
    """
    engine = alone(Fault(cycle, [channel]))
    for now in range(80):
        before = lost(engine)[0]
        step(engine)
        balance(engine)
        assert lost(engine)[0] - before == int(now == lost_in)
    assert lost(engine)[1] == flits
    assert engine.count("arrived") == (lost_in is None)
    assert engine.count("flits_in") == engine.count("flits_out") == (0 if flits else LENGTHS)


@pytest.mark.parametrize(
    ("cycle", "router", "packets", "flits"),
    [
        (2, 0, 1, 2),
        (8, 0, 1, 4),
        (13, 0, 0, 0),
        (8, 3, 1, 4),
        (2, 3, 1, 2),
        (8, 1, 1, 4),
        (60, 3, 0, 0),
        (0, 0, 1, 0),
    ],
)
def test_one_packet_and_one_router_by_hand(cycle: int, router: int, packets: int, flits: int) -> None:
    engine = alone(Fault(cycle, routers=[router]))
    for _ in range(80):
        step(engine)
        balance(engine)
    assert (*lost(engine), engine.count("arrived")) == (packets, flits, 1 - packets)


def test_a_packet_that_is_half_ejected_is_lost_with_the_rest() -> None:
    engine = alone(Fault(20, ["(2)->(3)"]))
    run_on(engine, 100)
    assert lost(engine)[0] == 1
    assert lost(engine)[1] + engine.count("flits_out") == LENGTHS
    assert lost(engine)[1] == LENGTHS - 1
    assert engine.count("flits_in") == engine.count("flits_out")


def few(relation: Relation, faults: list[Fault], chance: float = 0.1) -> Engine:
    sources = Sources(chance, uniform(relation), 3)
    return engine_of(relation, "wormhole", sources, faults, buffer_depth=4, seed=3)


def test_runs_in_one_call_and_cycle_by_cycle_are_the_same() -> None:
    relation = dimension_order(mesh(3, 3), 2)
    faults = [Fault(100, ["(1,1)->(1,2)"]), Fault(300, routers=["(0,1)"])]
    at_once, stepwise = few(relation, faults), few(relation, faults)
    while at_once.now < 700:
        at_once.advance(700)
    for _ in range(700):
        step(stepwise)
    assert lost(at_once)[0] > 20
    for name in ("inputs", "outputs", "out_ports", "inbox", "masks", "terminals", "random"):
        assert np.array_equal(getattr(at_once.state, name), getattr(stepwise.state, name)), name
    counts = (engine.state.raw[ENTRIES:FIRST_TABLE] for engine in (at_once, stepwise))
    assert np.array_equal(*counts)
    assert lost(at_once) == lost(stepwise)


@pytest.mark.long
def test_losses_while_room_for_latencies_grows() -> None:
    """Thousands of measured packets arrive in one call, in which others are lost; cycle by cycle few do."""
    relation = dimension_order(mesh(3, 3), 2)
    engines = [few(relation, [Fault(30, routers=["(1,1)"])]) for _ in range(2)]
    for engine, cycles in zip(engines, (12_000, 50), strict=True):
        engine.measure(100, 12_000)
        for end in range(cycles, 12_001, cycles):
            while engine.now < end:
                engine.advance(end)
    at_once, stepwise = (engine.state for engine in engines)
    arrived = int(stepwise.count.measured_arrived)
    assert arrived > 5000
    assert lost(engines[0]) == lost(engines[1])
    assert np.array_equal(at_once.latencies[:arrived], stepwise.latencies[:arrived])


def test_channels_that_nobody_uses_may_die() -> None:
    relation = clockwise(5, escape=True)
    down = [relation.network.channel_name(relation.network.between(1, 0)[0])]
    for switching in SWITCHINGS:
        point = {"packet_length": 2, "switching": switching, "warmup": 500, "measure": 1000, "interval": 250}
        run = simulate(relation, 0.1, **point, faults=[Fault(700, down)])  # type: ignore[arg-type]
        assert [each.fault for each in run.faults] == [f"700: {down[0]}"]
        assert replace(run, faults=()) == simulate(relation, 0.1, **point)  # type: ignore[arg-type]
        assert run.series is not None


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_long_after_a_fault_a_run_is_like_one_without_what_died(switching: Switching) -> None:
    network = mesh(3, 3)
    left = network.without(routers=["(2,2)"], links=[("(0,1)", "(1,1)")])
    fault = Fault(400, ["(0,1)<->(1,1)"], ["(2,2)"], "up_down")
    point = {"packet_length": 3, "switching": switching, "warmup": 1000, "measure": 12_000}
    whole = simulate(up_down(network, 2), 0.09, **point, faults=[fault])  # type: ignore[arg-type]
    small = simulate(up_down(left, 2), 0.09, **point, seed=2)  # type: ignore[arg-type]
    assert whole.stable
    assert small.stable
    within = (whole.latency_half_width or 9.0) + (small.latency_half_width or 9.0)
    assert within < 0.2 * small.latency_mean
    assert abs(whole.latency_mean - small.latency_mean) < 1.5 * within
    assert whole.accepted_load * 9 == pytest.approx(small.accepted_load * 8 * 8 / 9, rel=0.12)
    dead = np.setdiff1d(np.arange(network.num_channels), left.origin.channels)
    assert not whole.utilisation[dead].any()
    assert (whole.utilisation[left.origin.channels] > 0).all()


def test_lost_packets_are_neither_arrived_nor_missing() -> None:
    relation = dimension_order(mesh(3, 3), 2)
    run = simulate(
        relation,
        0.1,
        packet_length=3,
        warmup=300,
        measure=3000,
        faults=[Fault(500, ["(1,1)->(2,1)"])],
        switching="wormhole",
    )
    assert run.stable, run.reason
    assert run.lost_packets > 15
    assert run.packets > 500
    assert 2 * run.lost_packets < run.lost_flits <= 3 * run.lost_packets


def test_xy_routing_replaced_by_yx_deadlocks_though_both_are_free() -> None:
    from unknot.verify import check

    network = mesh(4, 4)
    xy, yx = dimension_order(network), dimension_order(network, order=[1, 0])
    assert check(xy).deadlock_free
    assert check(yx).deadlock_free
    run = simulate(
        xy, 0.2, packet_length=16, buffer_depth=4, switching="wormhole",
        warmup=2000, measure=500, faults=[Fault(1000, relation=yx)],
    )  # fmt: skip
    assert run.deadlock is not None
    assert run.cycles > 1000
    assert run.deadlock.reachability == "not-established"
    assert run.lost_packets == 0


def test_addresses_of_the_new_relation() -> None:
    """Packets go on with an address that the new relation knows; those without one are lost."""
    network = ring(6)
    old = clockwise(6)
    new = up_down(network.without(routers=[2]))
    engine = few(old, [Fault(120, routers=[2], relation=new)], chance=0.02)
    run_on(engine, 120)
    destinations = old.destination.copy()
    engine.advance(121)
    assert np.array_equal(np.delete(destinations, 2), engine.relation.destination)
    arrived, before = engine.count("arrived"), lost(engine)
    for _ in range(400):
        step(engine)
        balance(engine)
    assert engine.count("arrived") > arrived + 10
    assert lost(engine) == before
    _, packets = residents(engine.state, engine.state.in_row.astype(np.int64))
    assert not (engine.relation.destination[engine.state.packets.address[packets]] == 2).any()


def test_names_of_channels() -> None:
    network = mesh(3, 3)
    a, b = network.router("(0,0)"), network.router("(0,1)")
    there, back = network.between(a, b)[0], network.between(b, a)[0]
    for text in ("(0,0)->(0,1)", "(0, 0) → (0,1)"):
        assert network.channels_named(text) == [there]
    assert network.channels_named("(0,0) <-> (0,1)") == [there, back]
    assert network.channels_named(5) == [5]
    twins = Network("twins", 2, [0, 0, 1], [1, 1, 0])
    assert twins.channels_named("r0->r1") == [0, 1]
    assert twins.channels_named("r0->r1#1") == [1]
    for wrong in (99, -1, "(0,0)", "(0,0)->(2,2)", "(0,0)->(7,7)"):
        with pytest.raises(NetworkError):
            network.channels_named(wrong)


def test_texts() -> None:
    network = mesh(4, 4)
    found = fault_of("2000: (1,1)->(1,2); router (2,2) ;routing up_down", network)
    assert found == Fault(2000, ["(1,1)->(1,2)"], ["(2,2)"], "up_down")
    assert fault_of(str(found), network) == found
    for wrong, column in {
        "": 1, "router (1,1)": 1, "x: router 1": 1, "12:": 4, "12: rooter 1": 5, "-3: router 1": 1, "12: (1,1)": 5,
        "12: router": 5, "200: router 1 2": 13, "12: (0,0)->(2,2)": 5, "12: (0,0)->(0,1);  (0,1)->(9,9)": 20,
        "12: routing foo": 13, "12: router (2,2); routing duato(x)": 33,
    }.items():  # fmt: skip
        with pytest.raises(TextError) as caught:
            fault_of(wrong, network)
        assert (caught.value.column, caught.value.text) == (column, wrong), wrong


def test_what_no_run_can_have() -> None:
    relation = dimension_order(mesh(3, 3))
    for wrong in (
        lambda: Fault(-1, [0]), lambda: Fault(1.5, [0]), lambda: Fault(True, [0]), lambda: Fault(3),
        lambda: simulate(relation, 0.1, faults=[Fault(3, [0], relation=up_down(ring(5)))], switching="wormhole"),
        lambda: simulate(relation, 0.1, faults=[Fault(3, relation=dimension_order(relation.network, 2))]),
    ):  # fmt: skip
        with pytest.raises(SimulationError):
            wrong()
    for faults in ([Fault(3, [999])], [Fault(3, ["(0,0)->(5,5)"])], [Fault(3, routers=["(9,9)"])]):
        with pytest.raises(NetworkError):
            simulate(relation, 0.1, faults=faults, switching="wormhole")


def broken_at(network: Network, broken: int, destination: int, breach: str) -> Relation:
    """Two minimal ways on a mesh of 2 × 2, x first, and a rule that breaks its contract at one router."""
    vcs = VirtualChannels(network, 1)
    here, target, eject = vcs.router, network.target, network.eject
    leaving = np.array([[c for c in range(8) if network.source[c] == r] for r in range(4)])
    x_first = np.array(
        [sorted(own, key=lambda c: abs(int(target[c]) - int(network.source[c])) != 2) for own in leaving]
    )
    answer, raises, wrong = {"-1": -1, "99": 99}.get(breach, 0), breach == "raises", breach == "wrong VC"

    def rule(at: int, address: int, out: Any) -> int:
        router, end = here[at], eject[address]
        if router == end:
            out[0] = EJECT
            return 1
        if router == broken and address == destination:
            if raises:
                raise ValueError("a fault of the rule")
            if wrong:
                out[0] = 77
                return 1
            return answer
        count = 0
        for k in range(2):
            channel = x_first[router, k]
            nearer = router ^ end
            if nearer & (router ^ target[channel]):
                out[count] = channel + count * TIER
                count += 1
        return count

    return Relation(network, vcs, rule, name="breaks")


@pytest.mark.parametrize("breach", ["-1", "99", "raises", "wrong VC"])
@pytest.mark.parametrize("place", ["beside a fault", "at injection"])
def test_a_rule_that_fails_ends_a_run_with_faults_too(breach: str, place: str) -> None:
    """As without faults: named with its router and destination, and no packet is lost in silence."""
    network = mesh(2, 2)
    beside = "100: (0,0)->(1,0)", 2, 3, "(0,0)→(0,1)"
    fault, router, to, at = beside if place == "beside a fault" else ("0: router (1,1)", 0, 2, "port of t0")
    relation = broken_at(network, router, to, breach)
    traffic = np.zeros((4, 4))
    traffic[0, to] = 1.0
    names = f"breaks at .*{re.escape(at)}.* for t{to}: .*{BREACHES[breach]}"
    with pytest.raises(RelationError, match=names):
        simulate(relation, 0.3, traffic=traffic, warmup=50, measure=400, faults=[fault])


BREACHES = {
    "-1": "the rule returned -1", "99": "the rule returned 99", "raises": "a fault of the rule", "wrong VC": "VC 77",
}  # fmt: skip
"""Ways to break the contract, and words of the error."""


def test_figures_of_faults_are_those_of_the_series() -> None:
    faults = ["400: (1,1)<->(1,2)", "800: routing up_down"]
    run = simulate(
        "mesh(4, 4)", 0.2, routing="up_down", warmup=300, measure=1100, interval=100, packet_length=2, faults=faults
    )
    first, second = run.faults
    accepted = run.series.accepted
    assert first.accepted_before == pytest.approx(accepted[:4].mean())
    assert first.accepted_after == second.accepted_before == pytest.approx(accepted[4:8].mean())
    assert second.accepted_after == pytest.approx(accepted[8:].mean(), rel=0.02)
    assert first.accepted_after < 0.9 * first.accepted_before
    assert second.latency_after > first.latency_before
    assert (run.lost_packets, run.lost_flits) == (
        first.lost_packets + second.lost_packets,
        first.lost_flits + second.lost_flits,
    )
    assert 0 < first.stranded_packets <= first.lost_packets


@pytest.mark.parametrize("variant", ["UGAL-L", "UGAL-L_VC", "UGAL-L_VCH"])
def test_packets_that_compare_two_ways_are_lost_or_arrive(variant: str) -> None:
    relation = dragonfly_ugal(dragonfly(2), variant=variant)
    around = [int(c) for c in relation.network.outgoing[1][:3]]
    sources = Sources(0.2, uniform(relation), 2)
    engine = engine_of(relation, "vct", sources, [Fault(60, around), Fault(200, routers=[5])], seed=4)
    for until in range(10, 400, 10):
        engine.advance_to(until)
        balance(engine)
    assert 0 < lost(engine)[0] < engine.count("arrived")
    drain(engine)


def test_bursts_and_pairs() -> None:
    run = simulate(
        "mesh(4, 4)", 0.2, routing="fully_adaptive", vcs=2, bursts=Bursts(0.05, 0.1), by_pair=True, warmup=200,
        measure=2000, faults=["200: router (0,0)"],
    )  # fmt: skip
    assert run.pairs is not None
    assert not run.pairs.packets[0].any()
    assert not run.pairs.packets[1:, 0].any()
    assert run.pairs.packets[1:, 1:].sum() == run.packets > 1000
