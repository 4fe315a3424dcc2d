"""Scenes of answers, compared with the answers."""

from __future__ import annotations

import numpy as np

from unknot._base.units import Scale
from unknot.network.families import mesh, ring, torus
from unknot.report.scenes import faults_scene, knot_scene, loop_scene, order_scene, protocol_scene
from unknot.routing import dimension_order
from unknot.verify import Failures, check
from unknot.verify.failures import parts_of
from unknot.verify.fault_sweep import fault_sweep
from unknot.verify.protocols import check_protocol, protocol
from unknot.verify.protocols.evidence import blocked, steps
from unknot_collectives import collective
from unknot_collectives.drawing import WINDOWS, busy_scene, busy_times


def test_moves_of_a_protocol_are_those_of_the_run() -> None:
    verdict = check_protocol("ring(4)", protocol("request_reply"), routing="dimension_order", vcs=2)
    story = protocol_scene(verdict).data["story"]
    assert [words for _, _, words in story["steps"]] == ["the system is empty", *steps(verdict)]
    stuck = {number for number, _, _ in story["steps"][-1][1]}
    places = sorted(story["lanes"][vc]["name"] for _, vc, _ in story["steps"][-1][1])
    assert places == sorted(one.place for one in blocked(verdict))
    for number in stuck:  # in a hang each waits for another of the hang
        assert {*story["messages"][number]["waits"]} <= stuck
        assert story["messages"][number]["waits"]


def test_a_protocol_without_a_hang_shows_its_system() -> None:
    verdict = check_protocol("mesh(2, 2)", protocol("request_reply"), routing="message_classes")
    data = protocol_scene(verdict).data
    assert "story" not in data
    assert len(data["network"]["names"]) == 8


def test_failures_have_their_channels_and_outcomes() -> None:
    network = mesh(3, 3)
    sweep = fault_sweep(network, routing="west_first", failures=Failures("any"))
    scene = faults_scene(network, "any", sweep, parts_of(network, "any"), sweep.routing)
    assert scene.words == "Outcomes of 21 sets of failures: undelivered 19, holds 2."
    cases = scene.data["cases"]
    assert len(cases["rows"]) == len(sweep.tried)
    outcomes = {one.parts: one.outcome for one in sweep.tried}
    for row in cases["rows"]:
        (part,) = (cases["parts"][number] for number in row["parts"])
        assert row["words"].startswith(outcomes[part["name"],])
        assert row["holds"] is (outcomes[part["name"],] in sweep.harmless)
        for c in part["channels"]:
            ends = network.router_name(int(network.source[c])), network.router_name(int(network.target[c]))
            assert all(end in part["name"] for end in ends)
        assert [network.router_name(r) for r in part["routers"]] in ([], [part["name"]])


def test_of_a_large_network_the_part_concerned_is_shown() -> None:
    network = torus(30, 30)
    relation = dimension_order(network, 1, dateline="none")
    configuration = check(relation).configuration
    assert configuration is not None
    data = knot_scene(relation, configuration).data
    assert len(data["network"]["names"]) < 100
    for lane in data["story"]["lanes"].values():
        channel = lane["channel"]
        ends = (data["network"][end][channel] for end in ("source", "target"))
        assert lane["name"] == "→".join(data["network"]["names"][end] for end in ends)
    circle = network.between(0, 1) + network.between(1, 2)
    loop = loop_scene(network, circle, [circle[:1]], ["one"]).data
    assert (len(loop["network"]["names"]), loop["loop"]["ring"], loop["loop"]["flows"][0]["channels"]) == (
        3,
        [0, 1],
        [0],
    )
    assert loop_scene(network, [], [], []).network is network


def test_the_order_of_a_proof_rises_along_routes() -> None:
    relation = dimension_order(mesh(3, 3))
    channels, shares = order_scene(relation, check(relation)).data["order"]
    share = dict(zip(channels, shares, strict=True))
    (right, on) = (relation.network.between(a, a + 1)[0] for a in (0, 1))
    assert share[right] < share[on]


def test_busy_channels_add_up_to_their_busy_times() -> None:
    schedule = collective(ring(4), block=24)
    names = [str(node) for node in range(8)]
    data = busy_scene(schedule, ring(4), names).data["busy"]
    step, busy = data["end"] / WINDOWS, busy_times(schedule)
    whole = sum(end - start for times in busy.values() for start, end, _ in times)
    assert np.isclose(step * sum(sum(row["shares"]) for row in data["rows"]), whole, rtol=0.02)
    assert {row["channel"] for row in data["rows"]} - {None} == {c for c in busy if c < ring(4).num_channels}


def test_times_of_channels_have_units_and_no_powers_of_ten() -> None:
    schedule, names = collective(ring(4), block=1_000_000), [str(node) for node in range(8)]
    scenes = [busy_scene(schedule, ring(4), names, Scale.of(units)) for units in (None, "1 GHz, 32 B")]
    assert [scene.views["busy"]["unit"] for scene in scenes] == ["cycles", "ms"]
    assert "8 channels over 2,000,003 cycles, by the model." in scenes[0].words
    assert "8 channels over 2 ms, by the model." in scenes[1].words
    assert "e+" not in "".join(scene.still for scene in scenes)
    assert ">2,000,003 cycles<" in scenes[0].still
