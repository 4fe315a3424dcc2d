"""Runs with the end points of a protocol beside exhaustive exploration, and replays of the prover's deadlocks."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.verify.protocols.exploration import Exploration, TooLarge
from tests.verify.protocols.systems import PAIRS, random_system
from tests.verify.protocols.test_decision import LIMITED
from unknot._base.errors import RelationError, SimulationError
from unknot.cli.program import app
from unknot.network.families import mesh
from unknot.routing import EJECT, dimension_order, in_classes
from unknot.simulation.engine.router import Router
from unknot.simulation.protocol_replay import replayed_in_flits
from unknot.simulation.protocol_run import simulate_protocol
from unknot.verify.protocols import ProtocolVerdict, check_protocol, protocol
from unknot.verify.protocols.machine import events, step
from unknot.verify.protocols.machine_state import Event, State
from unknot.verify.protocols.system import System


@given(st.integers(0, 10**6))
@settings(max_examples=3)
def test_runs_deadlock_only_where_exploration_does_and_else_drain(seed: int) -> None:
    relation, described = random_system(random.Random(seed))
    more = any(one.carries for one in described.classes)
    try:
        deadlocks = Exploration(relation, described, 400).deadlocks()
        for switching, flits, depth in (("vct", 1, 1 + more), ("saf", 2, 2 + 2 * more), ("vct", 2, 7)):
            run = simulate_protocol(
                relation, described, 1.0, switching=switching, packet_length=flits, buffer_depth=depth, cycles=300,
                drained=True, seed=seed,
            )  # fmt: skip
            assert deadlocks or not run.deadlock
            assert run.deadlock or run.done == run.begun == run.created
            assert run.deadlock == bool(run.blocked)
    except (TooLarge, RelationError):
        return


def test_queues_that_open_again_let_their_messages_go() -> None:
    """A queue that is held from outside the engine was forgotten by routers on the fast path."""
    relation = dimension_order(mesh(2), 2)
    run = simulate_protocol(
        relation, protocol("sink"), 1.0, switching="vct", packet_length=1, buffer_depth=1, cycles=300, drained=True,
        seed=113,
    )  # fmt: skip
    assert run.done == run.created > 0


@pytest.mark.long
def test_deadlocks_of_the_prover_replay_flit_by_flit() -> None:
    base = dimension_order(mesh(3, 3))
    for text in ("request_reply", "cache_transfer(networks=3)", "axi('shared')", "collective"):
        described = protocol(text)
        for relation in (base, in_classes(base, described.networks)):
            verdict = check_protocol(relation, described)
            if verdict.run is not None:
                for switching in ("vct", "saf", "wormhole"):
                    assert replayed_in_flits(verdict.system, switching, verdict.run, 200)
                assert not replayed_in_flits(verdict.system, "vct", verdict.run[:-1], 200)


@pytest.mark.parametrize("seed", [216, 400])
def test_headers_that_committed_to_a_full_candidate_stay_in_a_replay(seed: int) -> None:
    """They chose anew after the last move, and went on where another candidate was free."""
    relation, described = random_system(random.Random(seed))
    verdict = check_protocol(relation, described)
    assert relation.commits
    assert verdict.run is not None
    for switching in ("vct", "saf"):
        assert replayed_in_flits(verdict.system, switching, verdict.run, 200)


@pytest.mark.long
@given(st.integers(0, 10**6))
@settings(max_examples=4)
def test_random_deadlocks_of_worms_replay_flit_by_flit(seed: int) -> None:
    with suppress(RelationError):
        verdict = check_protocol(*random_system(random.Random(seed), PAIRS), "wormhole", time_limit=2)
        if verdict.run is not None and verdict.system.worms:
            assert replayed_in_flits(verdict.system, "wormhole", verdict.run, 200)
            assert not replayed_in_flits(verdict.system, "wormhole", verdict.run[:-1], 200)


def test_deadlocks_of_worms_replay_flit_by_flit() -> None:
    """Each of two requests is long enough to keep the send queue that the other's reply needs."""
    verdict = check_protocol(dimension_order(mesh(2)), LIMITED, "wormhole")
    assert verdict.run is not None
    assert replayed_in_flits(verdict.system, "wormhole", verdict.run, 200)
    assert not replayed_in_flits(verdict.system, "wormhole", verdict.run[:-1], 200)


@pytest.mark.parametrize("switching", ["vct", "wormhole"])
def test_packets_of_two_messages_replay_flit_by_flit(switching: str) -> None:
    """The first message of one write is received, and its data stays behind in the network."""
    replays_if_it_carries(check_protocol(dimension_order(mesh(2)), protocol("axi"), switching))


@given(st.integers(0, 10**6))
@settings(max_examples=2)
def test_random_packets_of_two_messages_replay_flit_by_flit(seed: int) -> None:
    with suppress(RelationError):
        replays_if_it_carries(check_protocol(*random_system(random.Random(seed)), time_limit=2))
    with suppress(RelationError):
        replays_if_it_carries(check_protocol(*random_system(random.Random(seed), PAIRS), "wormhole", time_limit=2))


def replays_if_it_carries(verdict: ProtocolVerdict) -> None:
    if verdict.run is not None and any(one.carries for one in verdict.system.classes):
        for switching in ("wormhole",) if verdict.system.worms else ("vct", "saf"):
            assert replayed_in_flits(verdict.system, switching, verdict.run, 200)
            assert not replayed_in_flits(verdict.system, switching, verdict.run[:-1], 200)


@pytest.mark.parametrize("text", ["axi('apart')", "axi", "request_reply"])
def test_deadlocks_under_nonatomic_allocation_replay(text: str) -> None:
    verdict = check_protocol(dimension_order(mesh(2)), protocol(text), "wormhole-nonatomic")
    assert verdict.run is not None
    assert replayed_in_flits(verdict.system, "wormhole-nonatomic", verdict.run, 200)
    assert not replayed_in_flits(verdict.system, "wormhole-nonatomic", verdict.run[:-1], 200)


def walk(system: System, seed: int) -> list[Event]:
    """Moves at random, choices of full candidates before others, until nothing can move; none if that takes long."""
    chance, state, run = random.Random(seed), State(), list[Event]()
    while len(run) < 120:
        possible = list(events(system, state, tuple(range(system.terminals)) if len(run) < 60 else ()))
        if not possible:
            return run if state else []
        choices = [event for event in possible if event.act == "choose"]
        run.append(chance.choice(choices or possible))
        state = step(system, state, run[-1], len(run))
    return []


@pytest.mark.parametrize("seed", [6, 69])
def test_headers_that_chose_a_full_candidate_wait_for_it_in_a_replay(seed: int) -> None:
    system = System(*random_system(random.Random(seed), PAIRS), True, worms=True)
    run = walk(system, seed)
    assert any(event.act == "choose" for event in run)
    assert replayed_in_flits(system, "wormhole-nonatomic", run, 200)


@given(st.integers(0, 10**6), st.sampled_from(["vct", "saf", "wormhole", "wormhole-nonatomic"]))
@settings(max_examples=20)
def test_random_moves_replay_flit_by_flit(seed: int, switching: str) -> None:
    relation, described = random_system(random.Random(seed), PAIRS)
    system = System(relation, described, switching == "wormhole-nonatomic", worms=switching.startswith("worm"))
    with suppress(RelationError):
        run = walk(system, seed)
        assert not run or replayed_in_flits(system, switching, run, 200)


@pytest.mark.sampled(1 / 2)
@pytest.mark.parametrize("switching", ["saf", "vct", "wormhole", "wormhole-nonatomic"])
def test_packets_of_two_messages_deadlock_or_come_apart_and_arrive(switching: str) -> None:
    """Address and data of a write are received apart: with a buffer for the address every write ends."""
    relation = in_classes(dimension_order(mesh(3)), ["request", "response"])
    size = {"switching": switching, "packet_length": 2, "buffer_depth": 5}
    run = simulate_protocol(relation, protocol("axi(address_buffer=1)"), 0.6, cycles=100, drained=True, **size)
    assert run.done == run.begun == run.created > 0
    assert run.consumed["aw"] == run.consumed["w"] == run.consumed["b"] > 0
    stuck = simulate_protocol(relation, protocol("axi"), 0.6, cycles=2000, **size)
    assert stuck.deadlock
    assert "aw" in {one.message for one in stuck.blocked}


def test_packets_that_could_part_on_their_way_are_refused() -> None:
    relation = dimension_order(mesh(2))
    with pytest.raises(SimulationError, match="routing_delay of at least 1"):
        simulate_protocol(relation, protocol("axi"), 0.1, router=Router(routing_delay=0))
    away = int(np.flatnonzero(relation.network.source == 1)[0])
    onward = {(int(np.flatnonzero(relation.network.target == 1)[0]), 1): (EJECT, away)}

    def rule(at: int, address: int, out: np.ndarray) -> int:
        row = onward.get((at, address)) or [one.vc if one.vc is not None else EJECT
                                            for one in relation.candidates(at, address)]  # fmt: skip
        out[: len(row)] = row
        return len(row)

    with pytest.raises(SimulationError, match=r"may go on from .* although they have arrived"):
        simulate_protocol(replace(relation, rule=rule), protocol("axi"), 0.5)


def test_limits_hold_and_the_same_seed_gives_the_same_run() -> None:
    relation = in_classes(dimension_order(mesh(3, 3)))
    runs = [
        simulate_protocol(relation, protocol(f"request_reply(outstanding={limit})"), 1.0, cycles=400, seed=seed)
        for limit, seed in ((1, 1), (1, 1), (8, 1), (1, 2))
    ]
    assert runs[0] == runs[1] != runs[3]
    assert runs[0].done < runs[2].done


@pytest.mark.long
def test_with_queues_that_hold_all_that_may_come_every_transaction_ends() -> None:
    """Two terminals with VCs of one message and three requests each can deadlock; with deep queues not."""
    relation = dimension_order(mesh(2))
    shallow = check_protocol(relation, protocol("request_reply(outstanding=3)"))
    assert shallow.run is not None
    assert replayed_in_flits(shallow.system, "vct", shallow.run, 200)
    deep = protocol("request_reply(depth=6, outstanding=3)")
    run = simulate_protocol(relation, deep, 1.0, buffer_depth=1, cycles=500, drained=True)
    assert run.done == run.created
    assert not run.deadlock


def test_the_command() -> None:
    words = ["simulate", "mesh(3, 3)", "--protocol", "request_reply", "--load", "0.5", "--measure", "600", "--json"]
    stuck = CliRunner().invoke(app, [*words, "--routing", "dimension_order"])
    assert stuck.exit_code == 0
    answer = json.loads(stuck.stdout)
    assert answer["deadlock"]
    assert answer["blocked"][0]["waits_for"] != "the message before it"
    replay = CliRunner().invoke(app, [*words[:4], "--routing", "dimension_order", "--json"])
    assert json.loads(replay.stdout)["replayed"] is True
    free = CliRunner().invoke(app, [*words, "--routing", "message_classes"])
    assert not json.loads(free.stdout)["deadlock"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--protocol", "request_reply", "--load", "0.1", "--packet-length", "1:0.5, 2:0.5"], "one --packet-length"),
        (["--protocol", "request_replay", "--load", "0.1"], "did you mean request_reply"),
        (["--protocol", "request_reply", "--load", "2"], "load must be from 0 to 1"),
        (
            ["--protocol", "request_reply", "--load", "0.1", "--traffic", "transpose"],
            "--traffic is about",
        ),
        (["--protocol", "axi", "--load", "0.1", "--packet-length", "5"], "10 flits does not fit a buffer of 8"),
        (
            ["--protocol", "axi", "--load", "0.1", "--packet-length", "9", "--switching", "wormhole"],
            "buffer_depth of at least packet_length",
        ),
        (["--protocol", "request_reply", "--load", "0.1", "--packet-length", "9"], "does not fit a buffer of 8"),
    ],
)
def test_what_does_not_fit_is_refused(words: list[str], said: str) -> None:
    refused = CliRunner().invoke(app, ["simulate", "mesh(2, 2)", "--routing", "dimension_order", *words])
    assert refused.exit_code == 2
    assert said in " ".join(refused.stderr.split())


def test_numbers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(SimulationError, match="cycles"):
        simulate_protocol(dimension_order(mesh(2)), protocol("sink"), 0.1, cycles=0)
