"""The closed vocabulary in which claims name flow control, and files of before in which rings had a rule."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from unknot import replay
from unknot._base.errors import UnknotError
from unknot.certificates import Rejected, Unchecked, document, plain, question, verdict_claim
from unknot.certificates.flow_words import flow_words
from unknot.certificates.verdict_checker import accept_configuration
from unknot.cli.answers.configuration_file import configuration_on, read_configuration, write_configuration
from unknot.cli.questions import question_of
from unknot.cli.questions.about import About
from unknot.flow_control import FlowControl, technique
from unknot.flow_control.pools import Pool
from unknot.network.families import mesh, ring
from unknot.routing import Relation, dimension_order
from unknot.routing.flow_controls import damq
from unknot.verify import check

OLDER = Path(__file__).parent / "older"
ROUTING = "dimension_order(dateline='none')"
RING = dimension_order(ring(4), dateline="none")


def older(name: str) -> Any:
    return json.loads((OLDER / f"{name}.json").read_text(encoding="utf-8"))


def rings(*unguarded: int) -> FlowControl:
    """The global rule on both rings."""
    pools = [
        Pool(vcs, 8, 0, "slot of the pool", frozenset(pairwise((*vcs, vcs[0]))), frozenset(unguarded))
        for vcs in ((0, 2, 4, 6), (1, 7, 5, 3))
    ]
    return replace(technique("vct"), packets=2, pools=tuple(pools))


def evidence(relation: Relation, flow: FlowControl) -> Any:
    made = document(relation.network, relation, [verdict_claim(check(relation, flow=flow))])
    return json.loads(json.dumps(made))


@pytest.mark.parametrize(
    ("name", "says", "rule"),
    [
        ("free", "free of deadlock", "localised"),
        ("stuck", "deadlock", ""),
        ("alone", "deadlock", "critical(packets=1)"),
    ],
)
def test_files_of_before_are_still_accepted(name: str, says: str, rule: str) -> None:
    content = older(name)
    assert content["claims"][0]["bubble"]["rule"]
    (shown,) = plain.accept(content)
    assert f"{says} under vct with room for" in shown
    if not rule:
        return
    asked = question_of(About("ring(4)", ROUTING), [f"deadlock_free({says != 'deadlock'}, bubble='{rule}')"])
    assert asked["claims"][0]["flow"]["pools"]
    assert plain.accept(content, asked)
    foreign = question_of(About("ring(4)", ROUTING), ["deadlock_free(bubble='global')"])
    with pytest.raises(Rejected, match="something else by flow was asked for"):
        plain.accept(content, foreign)


def test_exported_files_of_before_are_read_and_replayed(tmp_path: Path) -> None:
    file = read_configuration(OLDER / "configuration.json")
    knot = configuration_on(RING, file)
    assert knot.flow is not None
    assert {pool.keeps for pool in knot.flow.pools} == {"slot of the pool"}
    accept_configuration(RING, knot)
    assert replay(RING, knot, cycles=50).stuck
    again = tmp_path / "again.json"
    write_configuration(RING, knot, again, network=file.network, routing=file.routing, vcs=file.vcs)
    before = json.loads(again.read_text(encoding="utf-8"))
    for pool in before["configuration"]["flow"]["pools"]:
        del pool["own"]  # as of a number that came later
    (tmp_path / "before.json").write_text(json.dumps(before), encoding="utf-8")
    assert configuration_on(RING, read_configuration(tmp_path / "before.json")) == knot
    assert "bubble" not in json.loads(again.read_text(encoding="utf-8"))["configuration"]
    assert configuration_on(RING, read_configuration(again)) == knot
    loose = replace(
        knot, flow=replace(knot.flow, pools=tuple(replace(p, unguarded=frozenset()) for p in knot.flow.pools))
    )
    with pytest.raises(Rejected, match="cannot go from"):
        accept_configuration(RING, loose)


def test_a_question_names_a_flow_control_of_its_routing() -> None:
    """Another flow control does not count, nor a technique alone; other claims are about techniques."""
    relation = dimension_order(ring(4), vcs=2)
    free, stuck = (evidence(relation, damq(relation, reserved=own)) for own in (1, 0))
    named = partial(About, "ring(4)", "dimension_order", 2)
    for switching, own, accepted in (
        ("damq", free, True), ("damq(reserved=1)", free, True), ("damq(reserved=0)", free, False),
        ("damq(slots=3)", free, False), ("vct", free, False), ("damq(reserved=0)", stuck, False),
        ("bubble('global')", free, False),
    ):  # fmt: skip
        asked = question_of(named(switching), ["deadlock_free"])
        if accepted:
            assert "free of deadlock under vct with room for 5 packets per VC, 8 pools" in plain.accept(own, asked)[0]
            continue
        with pytest.raises(Rejected, match=r"was asked for|claims deadlock_free False"):
            plain.accept(own, asked)
    assert plain.accept(stuck, question_of(named("damq(reserved=0)"), ["deadlock_free(False)"]))
    assert plain.accept(stuck, question_of(named("damq(reserved=0)"), []))
    for elsewhere in ("size", "faults", "protocol('request_reply')"):
        with pytest.raises(UnknotError, match="is a flow control of a relation, under which there is no answer"):
            question_of(named("damq"), [elsewhere])


def test_an_order_of_pools_says_nothing() -> None:
    content = evidence(RING, rings())
    asked = json.loads(json.dumps(question(RING, content["claims"])))
    pools = content["claims"][0]["flow"]["pools"]
    pools[0]["hops"].reverse()
    pools[0]["vcs"].reverse()
    pools.reverse()
    content["claims"][0]["flow"]["name"] = "another"
    assert plain.accept(content, asked)
    pools.append(copy.deepcopy(pools[0]))
    with pytest.raises(Rejected, match="something else by flow was asked for"):
        plain.accept(content, asked)


def test_what_is_left_out_is_that_of_vct() -> None:
    named = {"subject": "deadlock", "switching": "vct"}
    assert plain.flow_of({"flow": {}}) == plain.flow_of(named)
    words = {"holds": "row", "enters": "tail", "may_change": False}
    assert plain.flow_of({"flow": words}) == plain.SWITCHINGS["wormhole-nonatomic"]
    for name, made in plain.SWITCHINGS.items():
        said = flow_words(technique(name))
        assert plain.flow_of({"flow": said, "switching": name}).words == made.words
        assert said["name"] == name
    with pytest.raises(Rejected, match="is not wormhole"):
        plain.flow_of({"flow": {}, "switching": "wormhole"})


UNKNOWN: list[dict[str, Any]] = [
    {"shares": "everything"},
    {"holds": "nothing"},
    {"enters": "whenever"},
    {"enters": "empty"},
    {"may_change": False},
    {"holds": "row", "enters": "tail"},
    {"holds": "row", "enters": "empty", "packets": 2},
    {"pools": [{"vcs": [0], "slots": 1, "keeps": "secrets"}]},
    {"pools": [{"vcs": [0], "slots": 1, "lends": 3}]},
    {"pools": [{"vcs": [0, 1], "slots": 4, "own": 1, "hops": [[0, 1]]}]},
]


@pytest.mark.parametrize("words", UNKNOWN, ids=str)
def test_what_the_vocabulary_cannot_say_is_not_checked(
    words: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = evidence(RING, rings())
    content["claims"][0]["flow"] |= words
    with pytest.raises(Unchecked):
        plain.accept(content)
    with pytest.raises(Unchecked):
        plain.accept(content, question(RING, content["claims"]))
    file = tmp_path / "evidence.json"
    file.write_text(json.dumps(content))
    assert plain.main([str(file)]) == 3
    assert "not checked" in capsys.readouterr().out
    with pytest.raises(Rejected, match="was asked for"):
        plain.accept(content, question(RING, evidence(RING, rings())["claims"]))


MALFORMED: list[tuple[dict[str, Any], str]] = [
    ({"packets": 0}, "packets"),
    ({"packets": True}, "packets"),
    ({"may_change": 1}, "may_change"),
    ({"pools": {}}, "pools"),
    ({"pools": [[0, 1]]}, "pool"),
    ({"pools": [{"vcs": [0]}]}, "slots"),
    ({"pools": [{"vcs": [], "slots": 1}]}, "each of them once"),
    ({"pools": [{"vcs": [0, 0], "slots": 1}]}, "each of them once"),
    ({"pools": [{"vcs": [0, 8], "slots": 1}]}, "VCs of another relation, which has 8"),
    ({"pools": [{"vcs": [0, 2], "slots": 1, "hops": [[0, 4]]}]}, "hops between these"),
    ({"pools": [{"vcs": [0, 2], "slots": 1, "hops": [[0]]}]}, "hops"),
    ({"pools": [{"vcs": [0], "slots": -1}]}, "slots"),
]


@pytest.mark.parametrize(("words", "why"), MALFORMED, ids=str)
def test_pools_that_are_none_are_rejected(words: dict[str, Any], why: str) -> None:
    content = evidence(RING, rings())
    content["claims"][0]["flow"] |= words
    with pytest.raises(Rejected, match=why):
        plain.accept(content)
    with pytest.raises(Rejected, match="packets"):
        plain.flow_of({"bubble": {"rule": "global", "packets": 0, "rings": [[0, 1]], "unguarded": []}})


def test_other_subjects_know_the_named_techniques_alone() -> None:
    relation = dimension_order(mesh(2, 2))
    for flow in (flow_words(rings()), {"holds": "row", "enters": "empty or packet"}):
        claim = {"subject": "size", "flow": flow, "least": 1, "proof": {}}
        with pytest.raises(Unchecked, match="nothing but deadlock is known of"):
            plain.accept(document(relation.network, relation, [claim]))
    claim = {"subject": "size", "flow": {"holds": "row", "enters": "empty"}, "least": 1, "proof": {}}
    assert plain.accept(document(relation.network, relation, [claim]))


def test_packets_take_whole_cells() -> None:
    """What is free is free with any cells; packets that block each other fill cells, and no other cells count."""
    free, stuck = (verdict_claim(check(dimension_order(ring(4), vcs=vcs))) for vcs in (2, 1))
    for claim, vcs in ((free, 2), (stuck, 1)):
        del claim["switching"]
        relation = dimension_order(ring(4), vcs=vcs)
        asked = question(relation, [claim | {"flow": {"cell": 4}}])
        content = document(relation.network, relation, [claim | {"flow": {"cell": 4}}])
        assert "cells of 4 flits" in plain.accept(content, asked)[0]
        with pytest.raises(Rejected, match="something else by flow"):
            plain.accept(document(relation.network, relation, [claim | {"flow": {"cell": 2}}]), asked)
    for cell in (3, 16):
        with pytest.raises(Rejected, match="does not fill its VCs"):
            plain.accept(document(RING.network, RING, [stuck | {"flow": {"cell": cell}}]))
    content = older("stuck")
    flow = flow_words(rings(6))
    del content["claims"][0]["bubble"], content["claims"][0]["switching"]
    for cell, fits in ((2, True), (4, True), (3, False), (8, False)):
        content["claims"][0]["flow"] = flow | {"cell": cell}
        if fits:
            assert plain.accept(content)
            continue
        with pytest.raises(Rejected, match="have no room for 2 packets"):
            plain.accept(content)


def test_a_pool_is_said_by_all_its_fields_and_with_one_that_is_not_known_nothing_is_checked() -> None:
    """As with a new field of which the checker knows nothing yet."""

    @dataclass(frozen=True)
    class Guarded(Pool):
        leave: int = 0

    flow = rings()
    assert {*flow_words(flow)["pools"][0]} == {field.name for field in fields(Pool)}
    said = [
        Guarded(**{field.name: getattr(pool, field.name) for field in fields(Pool)}, leave=1) for pool in flow.pools
    ]
    claim = verdict_claim(check(RING, flow=flow)) | {"flow": flow_words(replace(flow, pools=tuple(said)))}
    with pytest.raises(Unchecked, match="'leave' is no word of flow control that is known here"):
        plain.accept(document(RING.network, RING, [claim]))


def test_packets_that_fit_behind_others_block_each_other_as_worms_do() -> None:
    """Evidence for or against deadlock of worms holds; of packets that follow tails, or are in one VC, none does."""
    fits = {"holds": "row", "enters": "empty or packet"}
    for relation in (dimension_order(ring(4), vcs=2), RING):
        verdict = check(relation, "wormhole")
        claim = {**verdict_claim(verdict), "flow": fits}
        del claim["switching"]
        (shown,) = plain.accept(document(relation.network, relation, [claim]))
        assert "under wormhole for packets that fit behind others" in shown
        assert ("free of deadlock" in shown) is bool(verdict.deadlock_free)
    escape = {**claim, "deadlock_free": True, "proof": {"kind": "escape", "rank": [0] * 8}}
    with pytest.raises(Rejected, match="a proof of kind 'escape' shows nothing about wormhole"):
        plain.accept(document(RING.network, RING, [escape]))


def test_a_packet_that_leaves_makes_room_for_others() -> None:
    """The last slot that may be taken is taken by a packet that leaves; then all are in each other's way again."""
    content = older("stuck")
    proof = content["claims"][0]["proof"]
    first, many = proof["messages"][0], len(proof["messages"])
    gone = {**first, "address": (first["source"] + 1) % 4, "lead": first["held"], "held": [], "wanted": []}
    order = [number for number, message in enumerate(proof["messages"]) for _ in (*message["lead"], *message["held"])]
    proof["messages"].append(gone)
    for at, accepted in ((0, True), (len(order), False)):
        proof["order"] = [*order[:at], many, many, *order[at:]]
        if accepted:
            assert plain.accept(content)
            continue
        with pytest.raises(Rejected, match=f"packet {many + 1} cannot go"):
            plain.accept(content)
    proof["order"] = [*order, many]
    with pytest.raises(Rejected, match="once more if it leaves"):
        plain.accept(content)
    proof["messages"], proof["order"] = [gone], [0, 0]
    with pytest.raises(Rejected, match="after which some are left"):
        plain.accept(content)
    gone["address"] = first["address"]
    with pytest.raises(Rejected, match=r"cannot go from .* to ejection"):
        plain.accept(content)
