"""Configurations stick exactly when they are deadlocks; every prescribed step is checked."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.simulation.relations import clockwise
from unknot._base.errors import RelationError, SimulationError
from unknot._base.switching import SWITCHINGS, Switching
from unknot.certificates.verdict import Configuration, Message, Reachability
from unknot.network import Network
from unknot.routing import EJECT, Relation
from unknot.simulation import replay
from unknot.simulation.traces.recording import record


def upward(relation: Relation) -> list[int]:
    """VC 0 of the channel up from each router."""
    network, k = relation.network, relation.network.num_routers
    return [int(relation.vcs.first[network.between(r, (r + 1) % k)[0]]) for r in range(k)]


def ring_of_worms(
    relation: Relation, span: int, switching: Switching, reachability: Reachability = "injected", depth: int = 4
) -> Configuration:
    """Worms that each hold `span` VCs of the ring and wait for the next one's tail."""
    up, k = upward(relation), relation.network.num_routers
    messages = [
        Message(
            source=start,
            address=(start + span + 1) % k,
            length=span * depth,
            lead=(),
            held=tuple(up[(start + i) % k] for i in range(span)),
            wanted=(up[(start + span) % k],),
        )
        for start in range(0, k, span)
    ]
    return Configuration(switching, depth, reachability, tuple(messages))


@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize("reachability", ["injected", "scheduled", "not-established"])
def test_a_ring_of_single_vcs_sticks(switching: Switching, reachability: Reachability) -> None:
    configuration = ring_of_worms(clockwise(4), 1, switching, reachability)
    found = replay(clockwise(4), configuration, cycles=777)
    assert found.stuck
    assert found.injected == (reachability != "not-established")
    assert found.waits == ((0, (1,)), (1, (2,)), (2, (3,)), (3, (0,)))
    assert found.knot is not None
    assert sorted(m.held for m in found.knot.messages) == sorted(m.held for m in configuration.messages)
    assert found.cycles >= 777


@pytest.mark.parametrize("switching", ["wormhole", "wormhole-nonatomic"])
@pytest.mark.parametrize("reachability", ["injected", "scheduled", "not-established"])
def test_a_ring_of_long_worms_sticks(switching: Switching, reachability: Reachability) -> None:
    relation = clockwise(9)
    configuration = ring_of_worms(relation, 3, switching, reachability)
    found = replay(relation, configuration)
    assert found.stuck
    assert found.waits == ((0, (1,)), (1, (2,)), (2, (0,)))
    assert found.knot is not None
    assert {(m.held, m.wanted) for m in found.knot.messages} == {(m.held, m.wanted) for m in configuration.messages}
    assert found.knot.reachability == "injected"


def test_a_lead_is_followed() -> None:
    relation = clockwise(4)
    up = upward(relation)
    configuration = ring_of_worms(relation, 1, "wormhole", "scheduled")
    far = dataclasses.replace(configuration.messages[2], source=1, lead=(up[1],), held=(up[2],))
    messages = (far, *configuration.messages[:2], configuration.messages[3])
    found = replay(relation, dataclasses.replace(configuration, messages=messages))
    assert found.stuck
    assert found.injected


@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize("reachability", ["injected", "scheduled", "not-established"])
def test_an_open_ring_does_not_stick(switching: Switching, reachability: Reachability) -> None:
    configuration = ring_of_worms(clockwise(4), 1, switching, reachability)
    found = replay(clockwise(4), dataclasses.replace(configuration, messages=configuration.messages[:3]))
    assert not found.stuck
    assert found.knot is None
    assert found.waits == ((0, ()), (1, ()), (2, ()))


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_an_escape_frees_it_unless_headers_have_committed(switching: Switching) -> None:
    relation = clockwise(4, escape=True)
    found = replay(relation, ring_of_worms(relation, 1, switching))
    assert found.stuck == (switching == "wormhole-nonatomic")


@pytest.mark.parametrize("missing", range(4))
def test_messages_are_placed_beside_a_router_of_many_outputs(missing: int) -> None:
    """The second word of such a router stands for no input: its rows would be those of later routers."""
    network = Network(
        "ring and spare", 5, [0, 1, 2, 3] + 70 * [0], [1, 2, 3, 0] + 70 * [4], inject=range(4), eject=range(4)
    )
    router = np.append(network.target, network.inject)

    def rule(at: int, address: int, out: np.ndarray) -> int:
        out[0] = EJECT if router[at] == address else router[at]
        return 1

    relation = Relation(network, 1, rule)
    messages = tuple(Message(k, (k + 3) % 4, 4, (), (k,), ((k + 1) % 4,)) for k in range(4))
    configuration = Configuration("vct", 4, "not-established", messages)
    assert replay(relation, configuration).stuck
    others = messages[:missing] + messages[missing + 1 :]
    assert not replay(relation, dataclasses.replace(configuration, messages=others)).stuck


def test_a_schedule_that_cannot_be_followed_does_not_stick() -> None:
    """Message 2 must pass through a VC that message 1 already blocks, so it never comes to its place."""
    relation = clockwise(5)
    up = upward(relation)
    first = Message(0, 2, 4, (), (up[0],), (up[1],))
    second = Message(4, 2, 4, (up[4], up[0]), (up[1],), ())
    found = replay(relation, Configuration("wormhole", 4, "scheduled", (first, second)))
    assert not found.stuck


def broken(**changes: object) -> Configuration:
    configuration = ring_of_worms(clockwise(4), 1, "wormhole")
    message = dataclasses.replace(configuration.messages[0], **changes)  # type: ignore[arg-type]
    return dataclasses.replace(configuration, messages=(message, *configuration.messages[1:]))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"held": (upward(clockwise(4))[2],)}, "to (2)→(3), which is not offered"),
        ({"lead": (upward(clockwise(4))[0],)}, "message 1 .* from .0.→.1. .* for t2"),
        ({"length": 5}, "message 1 does not fill its VCs"),
        ({"held": (), "length": 0}, "or holds none"),
        ({"source": 9}, "message 1 is not sent by its source"),
        ({"source": 3, "lead": (upward(clockwise(4))[3],)}, "ports of their own"),
        ({"held": (upward(clockwise(4))[0], upward(clockwise(4))[1]), "length": 8}, "and so does message 1"),
    ],
)
def test_an_impossible_configuration_is_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(RelationError) as error:
        replay(clockwise(4), broken(**changes))
    import re

    assert re.search(said if ".*" in said else re.escape(said), str(error.value))


def test_nonatomic_commitment_must_be_offered() -> None:
    configuration = ring_of_worms(clockwise(4), 1, "wormhole-nonatomic")
    message = dataclasses.replace(configuration.messages[0], wanted=(upward(clockwise(4))[3],))
    with pytest.raises(RelationError, match="not offered"):
        replay(clockwise(4), dataclasses.replace(configuration, messages=(message, *configuration.messages[1:])))


def test_bad_arguments() -> None:
    configuration = ring_of_worms(clockwise(4), 1, "wormhole")
    with pytest.raises(SimulationError, match="cycles must be"):
        replay(clockwise(4), configuration, cycles=0)
    with pytest.raises(RelationError, match="has messages, on VCs"):
        replay(clockwise(4), dataclasses.replace(configuration, messages=()))


@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize("reachability", ["injected", "scheduled", "not-established"])
def test_a_recording_follows_every_flit(switching: Switching, reachability: Reachability) -> None:
    span = 1 if switching in ("saf", "vct") else 2
    relation = clockwise(4)
    configuration = ring_of_worms(relation, span, switching, reachability)
    recording = record(relation, configuration, cycles=50)
    assert recording.replay == replay(relation, configuration, cycles=50)
    first, last = recording.frames[0], recording.frames[-1]
    assert last.flits == {(k, vc): 4 for k, message in enumerate(configuration.messages) for vc in message.held}
    assert first == last if reachability == "not-established" else first.flits == {}
    for before, after in zip(recording.frames, recording.frames[1:], strict=False):
        assert before.cycle < after.cycle
        for k, message in enumerate(configuration.messages):
            # Flits on a channel are in no buffer, so only those at the end of the path never become fewer.
            end = [frame.flits.get((k, message.held[-1]), 0) for frame in (before, after)]
            assert end[0] <= end[1]
            assert sum(flits for (m, _), flits in after.flits.items() if m == k) <= message.length
