"""The decision with end points against exhaustive exploration, and its evidence against the plain checker."""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.verify.protocols.campaign import RULES, agrees, compare, methods_agree
from tests.verify.protocols.exploration import Exploration
from tests.verify.protocols.worms import QueueingWorms, Worms
from unknot._base.deadline import Deadline
from unknot._base.errors import RelationError, UnknotError
from unknot._base.switching import SWITCHINGS, Switching
from unknot.certificates import Rejected, accept, document
from unknot.certificates.plain import Unchecked
from unknot.network import Network
from unknot.network.families import line, mesh, ring
from unknot.routing import EJECT, Addressing, Relation, dimension_order, in_classes
from unknot.verify import check
from unknot.verify.protocols import Follow, MessageClass, Protocol, Queue, check_protocol, protocol
from unknot.verify.protocols.decision import by_search
from unknot.verify.protocols.evidence import blocked, claims, holds, steps
from unknot.verify.protocols.machine import events, step
from unknot.verify.protocols.machine_state import Event, State
from unknot.verify.protocols.runs import replayed
from unknot.verify.protocols.system import System
from unknot.verify.protocols.verdict import ProtocolVerdict, assumptions, for_any_room


@given(st.integers(0, 10**6), st.sampled_from(["saf", "vct"]))
def test_small_systems_as_explored(seed: int, switching: str) -> None:
    assert agrees(seed, switching)[0] != "open"


@pytest.mark.long
@given(st.integers(0, 10**6), st.sampled_from(SWITCHINGS))
def test_every_method_says_the_same(seed: int, switching: Switching) -> None:
    methods_agree(seed, switching, 0.3)


@pytest.mark.campaign
@pytest.mark.parametrize("switching", SWITCHINGS)
def test_methods_on_the_same_systems(switching: Switching) -> None:
    seen = Counter(one for seed in range(300) for one in methods_agree(seed, switching))
    assert min(seen["ranks", True], seen["search of all states", False]) > 20


@pytest.mark.campaign
def test_two_thousand_systems() -> None:
    seen = compare(0, 5200)
    assert seen["decided"] >= 2000
    assert seen["open"] <= 0.02 * seen["decided"]
    assert min(seen["free"], seen["deadlock"]) >= 0.25 * seen["decided"]
    assert min(seen[name] for name in RULES) >= 100


@pytest.mark.campaign
@pytest.mark.parametrize("switching", ["wormhole", "wormhole-nonatomic"])
def test_systems_of_worms(switching: str) -> None:
    assert compare(0, 1400, [switching])["decided"] >= 100


def test_headers_that_commit_stay_where_they_wait_to_the_end_of_the_run() -> None:
    """The end of a run lets other messages move: not the blocked header to a candidate that it did not choose."""

    def rule(at: int, address: int, out: np.ndarray) -> int:
        here = at // 2 if at < 6 else at - 6
        here = (here + 1) % 3 if at < 6 else here
        out[:2] = (EJECT, EJECT) if here == address else (2 * here, 2 * here + 1)
        return 1 if here == address else 2

    relation = Relation(Network("one way round", 3, [0, 1, 2], [1, 2, 0]), 2, rule, commits=True)
    verdict = check_protocol(relation, protocol("sink"))
    assert verdict.deadlock_free is False
    assert verdict.run is not None
    assert replayed(verdict.system, verdict.run)
    assert holds(verdict)


def test_classes_apart_need_queues_apart() -> None:
    apart = in_classes(dimension_order(mesh(3, 3)))
    assert check_protocol(apart, protocol("request_reply")).deadlock_free
    assert check_protocol(apart, protocol("request_reply(queues='shared', depth=3)")).deadlock_free is False
    assert check_protocol(dimension_order(mesh(3, 3)), protocol("request_reply")).deadlock_free is False
    assert check_protocol(dimension_order(mesh(3, 3)), protocol("sink")).deadlock_free


@functools.cache
def two_requests() -> tuple[Relation, ProtocolVerdict]:
    """Two terminals on shared VCs with two requests of one message each: free of deadlock by all states."""
    relation = dimension_order(mesh(2))
    return relation, check_protocol(relation, protocol("request_reply(depth=1, outstanding=2)"), time_limit=300)


@pytest.mark.long
def test_limits_and_deep_queues() -> None:
    """Two terminals on shared VCs of one message: with three requests each they deadlock, with two they cannot."""
    assert holds(two_requests()[1])
    for outstanding, depth, free in ((3, 1, False), (3, 6, True), (None, 6, False)):
        described = protocol(f"request_reply(depth={depth}, outstanding={outstanding})")
        verdict = check_protocol(dimension_order(mesh(2)), described, time_limit=300)
        assert verdict.deadlock_free is free
        assert bool(verdict.ample) is (depth == 6 and bool(free))
        assert holds(verdict)


@pytest.mark.parametrize("queues", ["separate", "shared"])
def test_too_few_transactions_for_a_cycle(queues: str) -> None:
    """Six messages of different terminals make a cycle of requests and replies: four terminals have too few."""
    described = protocol(f"request_reply('{queues}', outstanding=1)")
    verdict = check_protocol(dimension_order(mesh(2, 2)), described)
    assert verdict.deadlock_free
    assert holds(verdict)
    good = document(verdict.system.relation.network, verdict.system.relation, claims(verdict))
    for change in ({"outstanding": 2}, {"outstanding": None}):
        changed = copy.deepcopy(good)
        changed["claims"][0]["protocol"].update(change)
        with pytest.raises(Rejected):
            accept(changed)


@pytest.mark.parametrize(
    ("size", "queues", "switching", "transactions"),
    [
        (3, "separate", "vct", 6),
        (4, "shared", "saf", 6),
        (3, "shared", "wormhole", 2),
        (2, "separate", "wormhole", 4),
    ],
)
def test_limits_reached_by_a_cycle(size: int, queues: str, switching: str, transactions: int) -> None:
    relation = dimension_order(mesh(size, size))
    verdict = check_protocol(relation, protocol(f"request_reply('{queues}', outstanding=1)"), switching)
    assert verdict.deadlock_free is False
    assert verdict.smallest
    assert sum(event.act == "begin" for event in verdict.run or ()) == transactions
    assert holds(verdict)


@pytest.mark.long
def test_a_deadlock_among_many_terminals_is_shown_to_be_smallest() -> None:
    """Without a limit it does not matter who began what, so the checker follows any number of terminals."""
    verdict = check_protocol(dimension_order(mesh(7, 7)), protocol("request_reply"))
    assert verdict.smallest
    assert holds(verdict)
    limited = claims(verdict)[0]
    limited["protocol"]["outstanding"] = 6
    with pytest.raises(Unchecked, match="with a limit"):
        accept(document(verdict.system.relation.network, verdict.system.relation, [limited]))


def test_a_deadlock_that_is_not_the_smallest() -> None:
    """Worms of one place each need six requests; with longer ones four are enough."""
    relation = dimension_order(mesh(3, 3))
    verdict = check_protocol(relation, protocol("request_reply"))
    claim = claims(verdict)[0] | {"switching": "wormhole"}
    claim["proof"]["smallest"] = True
    with pytest.raises(Rejected, match="cycle of places"):
        accept(document(relation.network, relation, [claim]))
    claim["proof"]["smallest"] = False
    accept(document(relation.network, relation, [claim]))


def test_vcs_that_hold_several_messages() -> None:
    """Three requests each deadlock in VCs of one message and not in deeper ones; the checker agrees."""
    relation, described = dimension_order(line(2)), protocol("request_reply(outstanding=3)")
    for room, free in ((1, False), (2, True)):
        verdict = check_protocol(relation, described, room=room)
        assert (verdict.deadlock_free, holds(verdict)) == (free, True)
    made = document(relation.network, relation, claims(verdict))
    made["claims"][0]["protocol"]["room"] = 1
    with pytest.raises(Rejected):
        accept(made)
    for technique, kind in (("wormhole", "request_reply"), ("vct", "axi")):
        with pytest.raises(RelationError, match="give no length of messages"):
            check_protocol(relation, protocol(kind), technique, room=2)


def test_a_depth_of_vcs_that_may_decide_leaves_the_answer_open() -> None:
    relation = dimension_order(line(2))
    limited, free = check_protocol(relation, protocol("request_reply(outstanding=3)")), two_requests()[1]
    for verdict, said in (
        (limited, "a deadlock with messages as long as a VC, 64 flits"),
        (free, "free of deadlock"),
    ):
        assert for_any_room(verdict, 64).deadlock_free is None
        assert said in for_any_room(verdict, 64).established
    for verdict in (check_protocol(relation, protocol("request_reply")), check_protocol(relation, protocol("sink"))):
        assert for_any_room(verdict, 64) is verdict


def test_more_messages_at_once_than_places_of_a_queue_are_no_deadlock_of_worms() -> None:
    """Three acknowledgements enter a queue of three at once, of which worms are followed on two places."""
    write = MessageClass("write", (Follow("ack", count=3),))
    described = Protocol("wide", (write, MessageClass("ack")), (("write",),), {"ack": 3})
    relation = in_classes(dimension_order(line(2)), described.networks)
    for technique in ("wormhole", "wormhole-nonatomic"):
        system = System(relation, described, technique == "wormhole-nonatomic")
        searched = by_search(system, technique, Deadline.of(0.5, "search"))
        assert (check_protocol(relation, described, technique).deadlock_free, searched.deadlock_free) == (True, None)
        assert "3 messages enter one at once" in searched.established


def test_assumptions_of_answers() -> None:
    relation = in_classes(dimension_order(line(2)), protocol("coherence").networks)
    verdict = check_protocol(relation, protocol("coherence"))
    assert any("no node stalls a message" in one for one in assumptions(verdict.system, "vct"))
    assert "messages as long as a VC" in assumptions(verdict.system, "vct")
    assert "messages of any length" in assumptions(verdict.system, "wormhole")


def test_reserved_room_for_replies() -> None:
    """Replies that never wait for room at their terminal still wait in VCs behind requests, but not in their own."""
    request = MessageClass("request", follows=(Follow("reply"),), receive="all")
    for reserved, apart, free in ((False, True, False), (True, True, True), (True, False, False)):
        reply = MessageClass("reply", receive="reply" if reserved else "all", reserved=reserved)
        described = Protocol("reads", (request, reply), (("request",),), {}, {}, 4)
        base = dimension_order(mesh(2))
        relation = in_classes(base) if apart else base
        assert check_protocol(relation, described, time_limit=300).deadlock_free is free


@pytest.mark.long
@pytest.mark.sampled(0.125)
@pytest.mark.parametrize("switching", ["saf", "vct", "wormhole", "wormhole-nonatomic"])
def test_every_technique(switching: str) -> None:
    base = dimension_order(mesh(3, 3))
    for text, parts, free in (
        ("coherence", True, True),
        ("coherence", False, False),
        ("cache_transfer", True, True),
        ("cache_transfer(networks=3)", True, False),
        ("rdma", True, False),
        ("collective", True, False),
        ("axi", True, False),
        ("axi(address_buffer=1)", True, True),
        ("axi('shared', 1)", True, False),
    ):
        described = protocol(text)
        relation = in_classes(base, described.networks) if parts else base
        verdict = check_protocol(relation, described, switching, time_limit=300)
        assert verdict.deadlock_free is free, (text, switching)
        assert holds(verdict), (text, switching)


def test_a_network_that_deadlocks_by_itself() -> None:
    relation = dimension_order(ring(4))
    assert not check(relation).deadlock_free
    verdict = check_protocol(relation, protocol("sink"))
    assert verdict.deadlock_free is False
    assert verdict.run is not None


def test_changed_evidence_is_rejected() -> None:
    relation = in_classes(dimension_order(mesh(2)))
    free, shared = (
        check_protocol(relation, protocol(t)) for t in ("request_reply", "request_reply(queues='shared')")
    )
    good = document(relation.network, relation, [*claims(free), *claims(shared)])
    assert [line.split(": ")[1] for line in accept(good)] == [
        "with request_reply (separate queues) free of deadlock under vct",
        "with request_reply (shared queues) deadlock under vct",
    ]
    first, second = good["claims"]
    for change in (
        lambda c: c[0]["proof"].update(rank=first["proof"]["rank"][::-1]),
        lambda c: c[0]["proof"].update(ample=["receive request"]),
        lambda c: c[0].update(protocol=second["protocol"]),
        lambda c: c[1].update(protocol=first["protocol"]),
        lambda c: c[1]["proof"]["run"].pop(),
        lambda c: c[1]["proof"]["run"].pop(0),
        lambda c: c[1]["proof"].update(run=[]),
        lambda c: c[1]["protocol"].update(outstanding=1),
        lambda c: c[1]["protocol"]["send"]["all"].update(depth=2),
    ):
        changed = copy.deepcopy(good)
        change(changed["claims"])
        with pytest.raises(Rejected):
            accept(changed)


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(content, (dict, list)):
        for key in content if isinstance(content, dict) else range(min(len(content), 6)):
            yield from places(content[key], (*path, key))


def test_states_that_cannot_empty_show_nothing() -> None:
    """Three requests each deadlock."""
    relation, verdict = two_requests()
    good = document(relation.network, relation, claims(verdict))
    assert accept(good)[0].endswith("free of deadlock under vct: from each of 413 states all messages can leave")
    changed = copy.deepcopy(good)
    changed["claims"][0]["protocol"].update(outstanding=3)
    with pytest.raises(Rejected, match="not all messages can leave"):
        accept(changed)


LIMITED = Protocol(
    "limited",
    (
        MessageClass("request", (Follow("reply"),), send="all", receive="all"),
        MessageClass("reply", send="all", receive="all"),
    ),
    (("request",),),
    outstanding=1,
)


@given(st.integers(0, 10**6))
def test_small_systems_of_worms_as_explored(seed: int) -> None:
    assert agrees(seed, "wormhole")[0] != "open"
    agrees(seed, "wormhole-nonatomic", states=350)


@pytest.mark.parametrize("seed", [0, 1])
def test_worms_that_are_taken_together_or_commit(seed: int) -> None:
    """A request and its data on ways of their own, which alone are consumed together; headers that choose a VC."""
    taken = MessageClass("aw", (Follow("b"),), together="w", send="out", receive="in", network="request")
    classes = (taken, MessageClass("w", send="out", receive="in", network="request"), MessageClass("b"))
    described = Protocol("writes", classes, (("aw", "w"),), {"out": 2}, {"in": Queue(ordered=bool(seed))}, 1)
    relation = replace(dimension_order(mesh(2), 2), commits=bool(seed))
    verdict = check_protocol(relation, described, "wormhole")
    explored = Worms(relation, described, 20_000).deadlocks()
    assert verdict.deadlock_free is not explored
    assert verdict.deadlock_free is not None
    assert holds(verdict) or (relation.commits and verdict.deadlock_free)


@pytest.mark.parametrize(("switching", "ordered", "free"), [
    ("vct", True, True), ("wormhole", True, False), ("wormhole", False, True), ("wormhole-nonatomic", True, False),
])  # fmt: skip
def test_data_that_comes_before_that_of_another_address(switching: str, ordered: bool, free: bool) -> None:
    """Two addresses stand in one queue, and the second's data comes first: a queue of one message has two VCs."""
    relation = _two_channels()
    classes = (MessageClass("aw", together="w", carries="w", network="aw"), MessageClass("w", network="aw"))
    described = Protocol("writes", classes, (("aw",),), {"aw": 2}, {"aw": Queue(ordered=ordered)}, 2)
    verdict = check_protocol(relation, described, switching)
    assert verdict.deadlock_free is free
    assert holds(verdict)
    twin = {"wormhole": Worms, "wormhole-nonatomic": QueueingWorms}.get(switching, Exploration)
    assert twin(relation, described, 100_000).deadlocks() is not free


@pytest.mark.long
def test_worms_that_choose_behind_tails_are_free_by_all_states() -> None:
    classes = (MessageClass("aw", together="w", carries="w", network="aw"), MessageClass("w", network="aw"))
    described = Protocol("writes", classes, (("aw",),), outstanding=1)
    for relation in (_two_channels(), dimension_order(mesh(2))):
        verdict = check_protocol(relation, described, "wormhole-nonatomic")
        assert (verdict.method, verdict.deadlock_free, holds(verdict)) == ("search of all states", True, True)


@given(st.integers(0, 10**6))
def test_a_header_that_chose_waits_for_that_alone(seed: int) -> None:
    """The checker makes the same moves; after a choice neither goes on with a move to another candidate."""
    chance = random.Random(seed)
    system = System(_two_channels(), protocol("collective(steps=1, outstanding=6)"), queueing=True, worms=True)
    state, run = State(), list[Event]()
    while len(run) < 60 and (possible := list(events(system, state, (0,)))):
        choices = [event for event in possible if event.act == "choose"]
        run.append(chance.choice(choices or possible))
        state = step(system, state, run[-1])
        if choices:
            break
    made = ProtocolVerdict(False, "wormhole-nonatomic", "a walk", "", system, tuple(run))
    assert "move" not in _refused(made)
    if run[-1].act == "choose":
        other = run[-1]._replace(act="move", to=1 - run[-1].to)
        assert replayed(system, (*run, other)) is None
        assert f"will wait for {system.place_name(run[-1].to)} alone" in steps(made)[-1]
        assert f"move {len(run)}:" in _refused(replace(made, run=(*run, other)))
        assert f"move {len(run) - 1}: headers choose" in _refused(replace(made, switching="wormhole"))


def _refused(verdict: ProtocolVerdict) -> str:
    """Why the checker does not accept a run: one of its moves, or because something can still move."""
    relation = verdict.system.relation
    try:
        accept(document(relation.network, relation, claims(verdict)))
    except Rejected as error:
        return str(error).replace("can move on", "goes on")
    return ""


def _two_channels() -> Relation:
    """A terminal that sends to another one over two channels."""
    network = Network("pair with two channels", 2, [0, 0, 1, 1], [1, 1, 0, 0])

    def rule(at: int, address: int, out: np.ndarray) -> int:
        here = 1 - at // 2 if at < 4 else at - 4
        out[:2] = (EJECT, EJECT) if here == address else (0, 1)
        return 1 if here == address else 2

    return Relation(network, 1, rule, addresses=Addressing(may_use=[[False, True], [False, False]]))


def test_a_limit_that_is_enough_for_short_messages_and_not_for_worms() -> None:
    """Each of two requests is long enough to keep the send queue that the other's reply needs."""
    relation = dimension_order(mesh(2))
    short = check_protocol(relation, LIMITED)
    assert short.deadlock_free
    (states,) = claims(short)
    with pytest.raises(Rejected, match="not all messages can leave"):
        accept(document(relation.network, relation, [states | {"switching": "wormhole"}]))
    verdict = check_protocol(relation, LIMITED, "wormhole")
    assert verdict.deadlock_free is False
    assert holds(verdict)
    held = "the head of receive queue all of t1, its tail still in send queue all of t0"
    assert any(line.endswith(held) for line in steps(verdict))
    assert {one.waits_for for one in blocked(verdict)} == {"send queue all of t0", "send queue all of t1"}
    good = document(relation.network, relation, claims(verdict))
    for change in (
        lambda run: run.pop(),
        lambda run: run.pop(2),
        lambda run: run[3].__setitem__(6, 0),
        lambda run: run.append(run[0]),
    ):
        changed = copy.deepcopy(good)
        change(changed["claims"][0]["proof"]["worms"])
        with pytest.raises(Rejected):
            accept(changed)
    apart = replace(LIMITED, classes=(MessageClass("request", (Follow("reply"),)), MessageClass("reply")))
    free = check_protocol(in_classes(relation), apart, "wormhole")
    assert free.deadlock_free
    assert holds(free)


def test_damaged_evidence_raises_nothing_else(seed: int) -> None:
    relation = in_classes(dimension_order(mesh(2)))
    kinds = [protocol(f"request_reply(queues='{queues}')") for queues in ("separate", "shared")]
    made = [claim for one in kinds for claim in claims(check_protocol(relation, one))]
    made += claims(check_protocol(relation, LIMITED, "wormhole"))
    text = json.dumps(document(relation.network, relation, made))
    draw = random.Random(seed)
    for path in places(json.loads(text)["claims"]):
        for junk in draw.sample((None, True, -1, 10**30, "x", [], {}, [[]], [[1]], {"x": 1}, 1.5), 4):
            content = json.loads(text)
            at = content["claims"]
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = junk
            with contextlib.suppress(Rejected):
                accept(content)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(
        RelationError, match="the protocol coherence with 3 classes on 3 networks has request, forward"
    ):
        check_protocol(in_classes(dimension_order(mesh(2))), protocol("coherence"))
    with pytest.raises(UnknotError, match="at least two terminals"):
        check_protocol(dimension_order(mesh(1)), protocol("sink"))


def test_few_terminals_near_each_other_deadlock_among_many() -> None:
    verdict = check_protocol(
        "mesh(8, 8)", protocol("axi(write='shared', address_buffer=1)"), routing="dimension_order"
    )
    assert verdict.deadlock_free is False
    assert sum(event.act == "begin" for event in verdict.run or ()) == 2
