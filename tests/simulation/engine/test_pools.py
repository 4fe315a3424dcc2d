"""Pools of slots in the simulator: the naive twin, the prover's deadlocks, and none where it says free.

Rings of bubble flow control are some of them.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.reference.bubbles import RULES, Bubble, bubble
from tests.reference.sim_pools import PoolSimulator
from tests.reference.simulator import Simulator
from tests.reference.uniform_pairs import uniform
from tests.simulation.engine.test_detector import fronts
from tests.simulation.engine.test_flit_kernel import side_by_side
from tests.simulation.engines import engine_of
from tests.simulation.options import routers
from tests.simulation.relations import random_relation
from tests.verify.test_bubbles import systems
from unknot import Run
from unknot._base.errors import RelationError, SimulationError
from unknot.cli.program import app
from unknot.flow_control import FlowControl
from unknot.flow_control.pools import Pool
from unknot.flow_control.techniques import technique, technique_of
from unknot.network import Network
from unknot.network.families import ring, torus
from unknot.routing import EJECT, Relation, dimension_order
from unknot.simulation import replay, simulate
from unknot.simulation.engine.detector import knot, stuck_vcs
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.engine.sources import Sources
from unknot.traffic.workload import PACKET_LENGTH, Lengths, Message, TrafficClass
from unknot.verify import check, deliver


def agree(
    relation: Relation,
    flow: FlowControl,
    length: Lengths,
    rest: int,
    chance: float,
    seed: int,
    router: Router = DEFAULT,
) -> None:
    """Run both; buffers have `rest` flits more than the longest packets fill."""
    longest = length if isinstance(length, int) else max(length)
    options = {"depth": flow.packets * longest + rest, "chance": chance, "seed": seed, "router": router}
    pairs = uniform(relation)
    twin = PoolSimulator(relation, flow, length=length, pairs=pairs, **options)
    engine = engine_of(
        relation, "vct", Sources(chance, pairs, length), buffer_depth=options["depth"], seed=seed, router=router,
        flow=flow,
    )  # fmt: skip
    if seed % 2:
        engine.calls_from = -(10**12)  # the routing cache is made at once
    for _ in side_by_side(twin, engine):
        state = engine.state
        marks = [-1 if mark < 0 else state.out_row[mark] for mark in twin.marks or [-1] * len(flow.pools)]
        assert state.pools.mark.tolist() == marks
        held = (state.members.held - state.members.left).tolist()
        assert held == [twin.held[v] for pool in flow.pools for v in pool.vcs]
        assert all(pool.free(twin.held) >= 0 for pool in flow.pools)


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(systems(), st.integers(1, 4), st.integers(0, 3), st.sampled_from([0.1, 0.3, 1.0]), st.integers(0, 99))
def test_twin_on_random_rings(
    system: tuple[Relation, Bubble], length: int, rest: int, chance: float, seed: int
) -> None:
    relation, made = system
    lengths: Lengths = {1: 0.4, length: 0.6} if seed % 3 and length > 1 else length
    if relation.num_vcs > 1 and made.rings != ((0, 1),) and deliver(relation).delivered:
        agree(relation, made.flow, lengths, min(rest, length - 1), chance / length, seed)


@st.composite
def shared(draw: st.DrawFn) -> tuple[Relation, FlowControl]:
    """Random relations whose VCs share slots: those of each input port, or any, some of them twice."""
    relation = random_relation(draw(st.integers(0, 10**6)))
    first = relation.vcs.first.tolist()
    groups = [tuple(range(a, b)) for a, b in pairwise(first)]
    if draw(st.booleans()):
        some = st.lists(st.integers(0, relation.num_vcs - 1), min_size=1, max_size=6, unique=True).map(tuple)
        groups = draw(st.lists(some, min_size=1, max_size=3))
    pools, most = [], 1
    for vcs in groups:
        own, slots = draw(st.integers(0, 2)), draw(st.integers(0, 3))
        slots, most = max(slots, own == 0), max(most, own + slots)
        pools.append(Pool(vcs, slots, own))
    return relation, replace(technique("vct"), packets=draw(st.integers(1, most)), pools=tuple(pools))


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(shared(), st.integers(1, 4), st.integers(0, 3), st.sampled_from([0.1, 0.3, 1.0]), st.integers(0, 99))
def test_twin_on_shared_slots(
    system: tuple[Relation, FlowControl], length: int, rest: int, chance: float, seed: int
) -> None:
    """Runs never take more slots than a pool has, and headers are granted what the twin grants."""
    relation, flow = system
    lengths: Lengths = {1: 0.4, length: 0.6} if seed % 3 and length > 1 else length
    agree(relation, flow, lengths, min(rest, length - 1), chance / length, seed)


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 6), st.integers(0, 9), st.sampled_from([0.1, 1.0]))
def test_twin_in_cells(number: int, cell: int, length: int, more: int, load: float) -> None:
    """Each packet takes whole cells; the buffer has some flits more than the longest needs."""
    flow = replace(technique("vct"), name="cells", cell=cell)
    lengths: Lengths = {1: 0.4, length: 0.6} if number % 3 and length > 1 else length
    relation = random_relation(number)
    chance, pairs = load / length, uniform(relation)
    depth = -(-length // cell) * cell + more
    twin = PoolSimulator(relation, flow, length=lengths, depth=depth, chance=chance, seed=number, pairs=pairs)
    sources = Sources(chance, pairs, lengths)
    engine = engine_of(relation, "vct", sources, buffer_depth=depth, seed=number, flow=flow, general=cell == 1)
    for _ in side_by_side(twin, engine):
        if cell > 1:
            slots = engine.state.slots[engine.state.out_row[: relation.num_vcs]]
            assert (slots.slack - slots.left).tolist() == twin.slack
        for vc in twin.input[: relation.num_vcs]:
            here = Counter(id(flit.packet) for flit in vc.queue)
            assert sum(-(-flits // cell) for flits in here.values()) <= depth // cell


WHOLE_PACKET = replace(technique("wormhole"), name="whole packet", enters="empty or packet")


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 8), st.sampled_from([0.1, 1.0]), st.booleans())
def test_twin_where_a_vc_takes_whole_packets_or_is_empty(
    number: int, length: int, depth: int, load: float, general: bool
) -> None:
    relation, router = random_relation(number), Router(routing_delay=number % 2)
    lengths: Lengths = {1: 0.4, length: 0.6} if number % 3 and length > 1 else length
    chance, pairs = load / length, uniform(relation)
    twin = Simulator(
        relation, "whole packet", length=lengths, depth=depth, chance=chance, seed=number, pairs=pairs, router=router
    )
    engine = engine_of(
        relation, "wormhole", Sources(chance, pairs, lengths), buffer_depth=depth, seed=number, router=router,
        flow=WHOLE_PACKET, general=general,
    )  # fmt: skip
    for _ in side_by_side(twin, engine):
        pass


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(shared(), st.integers(1, 3), st.integers(2, 4), st.integers(0, 99))
def test_what_is_stuck_stays_and_what_rests_is_stuck(
    system: tuple[Relation, FlowControl], length: int, cell: int, seed: int
) -> None:
    relation, pools = system
    in_cells = replace(technique("vct"), name="cells", cell=cell)
    depths = pools.packets * length, -(-length // cell) * cell + seed % 3, 1 + seed % 5
    for flow, depth in zip((pools, in_cells, WHOLE_PACKET), depths, strict=True):
        sources = Sources(1 / length, uniform(relation), length)
        engine = engine_of(relation, technique_of(flow), sources, buffer_depth=depth, seed=seed, flow=flow)
        for _ in range(3):
            engine.advance_to(engine.now + 200)
            stuck = stuck_vcs(relation, engine.state)
            before = fronts(engine, np.flatnonzero(stuck))
            if stuck.any() and not flow.pools:
                assert replay(relation, knot(engine.scenario, engine.state, stuck), cycles=200).stuck
            engine.advance_to(engine.now + 300)
            assert fronts(engine, np.flatnonzero(stuck)) == before
        if engine.now - engine.count("last_move") > 200 and engine.count("flits_in") > engine.count("flits_out"):
            assert stuck_vcs(relation, engine.state).any()


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("load", [0.2, 1.0])
def test_twin_on_a_torus(rule: str, load: float) -> None:
    relation = dimension_order(torus(4, 3))
    agree(relation, bubble(relation, rule, packets=2).flow, 2, 1, load / 2, 3)
    agree(relation, bubble(relation, rule, packets=2).flow, {1: 0.5, 3: 0.5}, 0, load / 2, 4)
    agree(relation, bubble(relation, rule, packets=2).flow, {1: 0.5, 3: 0.5}, 2, load / 2, 4)


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(RULES), routers(), st.integers(0, 99))
def test_twin_with_router_options(rule: str, router: Router, seed: int) -> None:
    """Steps within a cycle are not compared: the twin takes them one by one in all routers, the kernel in each."""
    relation = dimension_order(torus(4, 3), 2)
    router = replace(router, iterations=1, own_slots=0, most_slots=0, internal_speedup=1.0, output_buffer=0)
    agree(relation, bubble(relation, rule, packets=2).flow, 2, 0, 0.4, seed, router)


@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(systems())
def test_the_prover_and_runs_agree(system: tuple[Relation, Bubble]) -> None:
    """Its deadlocks stick, also through one end of a link and rings with a channel in common; what is free runs."""
    relation, made = system
    if relation.num_vcs < 2 or made.rings == ((0, 1),):
        return
    verdict = check(relation, flow=made.flow)
    if verdict.deadlock_free is False:
        carried = replay(relation, verdict.configuration, cycles=300)
        assert carried.stuck
        assert carried.injected
    elif verdict.deadlock_free and deliver(relation).delivered:
        run = simulate(
            relation, 1.0, packet_length=1, buffer_depth=made.packets, flow=made.flow, warmup=0, measure=1500
        )
        assert run.deadlock is None


ONE_END = Path(__file__).parents[3] / "examples/hangs/bubble-at-one-end.toml"


def test_a_run_comes_to_the_deadlock_of_a_link_with_the_rule_at_one_end() -> None:
    relation, far = dimension_order(ring(4)), [2, 3, 0, 1]
    up = [relation.network.between(r, (r + 1) % 4)[0] for r in range(4)]
    made = replace(bubble(relation, "localised", rings=[up]), unguarded=tuple(up))
    run = simulate(relation, 1.0, traffic=far, packet_length=2, buffer_depth=4, flow=made.flow, measure=2000)
    assert run.outcome == "deadlock"
    assert run.deadlock is not None
    assert run.deadlock.flow == made.flow
    assert len(run.deadlock.messages) == 8
    assert "waits for" in run.reason
    guarded = simulate(
        relation,
        1.0,
        traffic=far,
        packet_length=2,
        buffer_depth=4,
        flow=replace(made, unguarded=()).flow,
        measure=2000,
    )
    assert guarded.deadlock is None
    assert guarded.accepted_load > 0.1


def test_exported_deadlocks_are_read_and_replayed(tmp_path: Path) -> None:
    file, page = str(tmp_path / "knot.json"), tmp_path / "knot.html"
    words = [
        "check",
        "torus(4, 4)",
        "--routing",
        "dimension_order(dateline='none')",
        "--export",
        file,
        "--out",
        str(page),
    ]
    assert CliRunner().invoke(app, [*words, "--bubble", f'localised(rings="{ONE_END}")']).exit_code == 1
    assert page.read_text(encoding="utf-8").startswith("<!")
    carried = CliRunner().invoke(app, ["replay", file, "--json"])
    assert carried.exit_code == 0
    answer = json.loads(carried.stdout)
    assert (answer["replay"]["stuck"], answer["configuration"]["flow"]["packets"]) == (True, 2)


TORUS = ["simulate", "torus(4, 4)", "--routing", "dimension_order(dateline='none')", "--vcs", "1", "--load", "0.9"]


def test_the_command_says_by_which_rule_it_ran() -> None:
    few = ["--packet-length", "4", "--warmup", "200", "--measure", "500"]
    assert "deadlock" in CliRunner().invoke(app, [*TORUS, *few]).stdout
    shown = CliRunner().invoke(app, [*TORUS, *few, "--bubble", "global"]).stdout
    assert "bubble('global', packets=2): room for 2 packets in each VC" in " ".join(shown.split())
    assert "deadlock" not in shown.replace("deadlock-free", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--bubble", "localised", "--packet-length", "5"], "room for two packets"),
        (["--bubble", "global(packets=3)", "--packet-length", "4"], "give a buffer_depth of 12"),
        (["--bubble", "global", "--switching", "wormhole"], "it goes with vct"),
        (["--bubble", "bubbly"], "bubble rule 'bubbly'; known: critical, global, localised"),
        (["--bubble", "global", "--protocol", "rdma"], "--bubble is about runs without it"),
    ],
)
def test_what_does_not_fit_is_refused(words: list[str], said: str) -> None:
    refused = CliRunner().invoke(app, [*TORUS, *words])
    assert refused.exit_code == 2
    assert said in " ".join(refused.stderr.split())


def test_a_packet_on_its_way_is_kept_out_by_a_mark_that_nothing_moves() -> None:
    """Of one slot a VC: the mark stands where the packet enters the ring, and no other packet is sent."""
    network = Network("ring and a way in", 4, [0, 1, 2, 3, 1], [1, 2, 0, 0, 3], inject=[3, 1], eject=[3, 1])
    steps = {(5, 1): 3, (3, 1): 0, (6, 0): 4}  # from a port or VC, by address

    def rule(at: int, address: int, out: np.ndarray) -> int:
        out[0] = steps.get((at, address), EJECT)
        return int((at, address) in steps or (at, address) in ((0, 1), (6, 1), (4, 0), (5, 0)))

    relation = Relation(network, 1, rule)
    made = bubble(relation, "critical", packets=1, rings=[(0, 1, 2)])
    verdict = check(relation, flow=made.flow)
    assert verdict.deadlock_free is False
    assert replay(relation, verdict.configuration, cycles=200).stuck


def ports(relation: Relation, slots: int, own: int) -> FlowControl:
    """The VCs of each channel share slots."""
    pools = tuple(Pool(tuple(range(a, b)), slots, own) for a, b in pairwise(relation.vcs.first.tolist()))
    return replace(technique("vct"), name="ports", packets=own + slots, pools=pools)


def test_a_dateline_holds_where_each_vc_has_a_slot_of_its_own_and_not_where_all_are_shared() -> None:
    """Packets before the dateline take all slots of a port; those beyond, which would drain, get none."""
    relation = dimension_order(ring(6), 2)
    far = [3, 4, 5, 0, 1, 2]

    def run(flow: FlowControl) -> Run:
        return simulate(
            relation, 1.0, flow=flow, packet_length=2, buffer_depth=4, warmup=0, measure=3000, traffic=far
        )

    stuck = run(ports(relation, 2, 0))
    assert stuck.outcome == "deadlock"
    assert stuck.deadlock is not None
    assert stuck.deadlock.flow == ports(relation, 2, 0)
    held = Counter(message.held[0] for message in stuck.deadlock.messages)
    for message in stuck.deadlock.messages:
        for v in message.wanted:
            assert not stuck.deadlock.flow.takes(held, (), message.held[-1], v)
    drained = run(ports(relation, 1, 1))
    assert drained.deadlock is None
    assert drained.packets > 100


@pytest.mark.parametrize(
    ("flow", "options", "said"),
    [
        (
            (2, 0),
            {
                "subnets": 2,
                "packet_length": PACKET_LENGTH,
                "classes": [TrafficClass(messages=[Message(4, subnet=1)])],
            },
            "goes with one subnet only",
        ),
        ((2, 0), {"switching": "saf"}, "ports: .*, so it goes with vct, not with saf"),
        ((1, 2), {}, "give a buffer_depth of 12"),
    ],
)
def test_what_pools_do_not_go_with_is_refused(flow: tuple[int, int], options: Any, said: str) -> None:
    relation = dimension_order(ring(4), 2)
    with pytest.raises((SimulationError, RelationError), match=said):
        simulate(relation, 0.1, flow=ports(relation, *flow), **{"packet_length": 4, "buffer_depth": 8} | options)


def test_older_files_of_rings_are_read_and_replayed(tmp_path: Path) -> None:
    """A file with a rule of rings in place of pools, as earlier versions wrote it; damaged ones are refused."""
    file = tmp_path / "knot.json"
    words = ["check", "torus(4, 4)", "--routing", "dimension_order(dateline='none')", "--export", str(file)]
    assert CliRunner().invoke(app, [*words, "--bubble", f'localised(rings="{ONE_END}")']).exit_code == 1
    content = json.loads(file.read_text())
    flow = content["configuration"].pop("flow")
    loose = [vc for pool in flow["pools"] for vc in pool.get("unguarded", [])]
    rings = [pool["vcs"] for pool in flow["pools"]]
    content["configuration"]["bubble"] = {"rule": "localised", "packets": 2, "rings": rings, "unguarded": loose}
    file.write_text(json.dumps(content))
    answer = json.loads(CliRunner().invoke(app, ["replay", str(file), "--json"]).stdout)
    assert answer["replay"]["stuck"] is True
    for damaged in ({"rule": "none"}, 3, content["configuration"]["bubble"] | {"rings": 4}):
        content["configuration"]["bubble"] = damaged
        file.write_text(json.dumps(content))
        refused = CliRunner().invoke(app, ["replay", str(file)])
        assert (refused.exit_code, "no rule of rings" in refused.stderr) == (2, True)
