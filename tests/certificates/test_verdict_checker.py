"""Each reason for which the checker rejects a verdict, shown by evidence that is right but for that."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from tests.reference.legality import certificate_holds, complaints
from tests.strategies import table_relation
from unknot._base.switching import SWITCHINGS
from unknot.certificates import (
    Certificate,
    Configuration,
    Message,
    Rejected,
    Unchecked,
    Verdict,
    accept_verdict,
    evidence_holds,
)
from unknot.certificates import verdict_checker as checker
from unknot.network import from_edges
from unknot.network.families import mesh, ring
from unknot.routing import EJECT, NO_WAIT, TIER, Relation, dimension_order
from unknot.verify import check

RING = dimension_order(ring(7), 1, dateline="none")
CHANNEL = {(int(a), int(b)): i for i, (a, b) in enumerate(zip(RING.network.source, RING.network.target, strict=True))}


def way(*routers: int) -> tuple[int, ...]:
    return tuple(CHANNEL[pair] for pair in pairwise(routers))


def worm(*routers: int, to: int, lead: int = 0) -> Message:
    """A message at the first router's terminal that passed these routers and waits for the next one's channel."""
    vcs, step = way(*routers), (routers[1] - routers[0]) % 7
    wanted = way(routers[-1], (routers[-1] + step) % 7)
    return Message(routers[0], to, 2 * (len(vcs) - lead), vcs[:lead], vcs[lead:], wanted)


WORMS = (worm(0, 1, 2, to=3), worm(2, 3, 4, to=5), worm(4, 5, 6, to=0), worm(6, 0, to=1))
BASE = Configuration("wormhole", 2, "injected", WORMS)
LATER = replace(
    BASE,
    reachability="scheduled",
    messages=(worm(1, 2, 3, to=4, lead=1), worm(3, 4, 5, to=6), worm(5, 6, 0, to=1), worm(0, 1, 2, to=3)),
)
"""The first message passes the VC in which the last one stands."""
AROUND = (worm(0, 6, 5, to=4), worm(5, 4, 3, to=2), worm(3, 2, 1, to=0), worm(1, 0, to=6))
BOTH = replace(BASE, messages=(*WORMS, *AROUND), reachability="scheduled")
"""Both ways around: one terminal sends two messages, each straight from it."""


def claim(found: Configuration, switching: Any = None) -> Verdict:
    free = None if found.reachability == "not-established" else False
    return Verdict(free, switching or found.switching, "", "", "", configuration=found)


@pytest.mark.parametrize(
    ("found", "grades"),
    [
        (BASE, {"injected", "scheduled", "not-established"}),
        (replace(BASE, switching="wormhole-nonatomic"), {"injected", "scheduled", "not-established"}),
        (LATER, {"scheduled", "not-established"}),
        (replace(LATER, messages=LATER.messages[::-1]), {"not-established"}),
        (BOTH, {"scheduled", "not-established"}),
    ],
)
def test_grades(found: Configuration, grades: set[Any]) -> None:
    for grade in ("injected", "scheduled", "not-established", "sure", ""):
        graded: Any = replace(found, reachability=grade)
        assert evidence_holds(RING, claim(graded)) is (grade in grades)
        assert (complaints(RING, graded) == []) is (grade in grades)


def first(**changes: Any) -> Configuration:
    return replace(BASE, messages=(replace(WORMS[0], **changes), *WORMS[1:]))


OWN = "has messages, on VCs at least 1 flit deep"


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (replace(BASE, messages=()), OWN),
        (replace(BASE, messages=(*WORMS, WORMS[0])), "and so does message 1"),
        (replace(BASE, buffer_depth=0, messages=tuple(replace(m, length=0) for m in WORMS)), OWN),
        (replace(BASE, switching="vct"), "the verdict is another than this configuration shows"),
        (first(address=7), "message 1 is not sent by its source"),
        (first(address=-4), "message 1 is not sent by its source"),
        (first(held=()), "message 1 does not fill its VCs, or holds none"),
        (first(source=99), "message 1 is not sent by its source"),
        (first(length=3), "message 1 does not fill its VCs"),
        (first(length=5), "message 1 does not fill its VCs"),
        (first(source=1), "message 1 cannot go from"),
        (first(held=way(0, 1) + way(4, 3)), "message 1 cannot go from"),
        (first(wanted=()), "message 1 does not wait for what it has to"),
        (first(wanted=WORMS[0].wanted * 2), "message 1 does not wait for what it has to"),
        (first(wanted=WORMS[0].held[1:]), "message 1 does not wait for what it has to"),
        (first(address=2, wanted=()), "message 1 does not wait for what it has to"),
        (replace(BASE, messages=WORMS[:-1]), "message 3 does not wait for what it has to, all of it held"),
        (replace(BASE, messages=WORMS[1:]), "message 3 does not wait for what it has to, all of it held"),
        (replace(LATER, messages=LATER.messages[::-1]), "message 4 would have to pass itself, or one that stands"),
    ],
)
def test_configurations_with_one_thing_wrong(found: Configuration, why: str) -> None:
    with pytest.raises(Rejected, match=why):
        accept_verdict(RING, claim(found, "wormhole"))


def test_a_packet_of_one_buffer() -> None:
    """Virtual cut-through and store-and-forward: a message holds one VC."""
    short = tuple(worm(i, (i + 1) % 7, to=(i + 3) % 7) for i in range(7))
    for switching in SWITCHINGS:
        found = replace(BASE, messages=short, switching=switching)
        accept_verdict(RING, claim(found))
        long = replace(BASE, switching=switching)
        if switching in ("saf", "vct"):
            with pytest.raises(Rejected, match=f"message 1 holds several VCs under {switching}"):
                accept_verdict(RING, claim(long))


def test_one_message_commits_to_a_queue() -> None:
    """Where messages queue, two cannot have committed to the same VC."""
    network = from_edges([("a", "b"), ("c", "b"), ("b", "a")], directed=True)
    relation = table_relation(network, 1, {(3, 1): [0], (0, 1): [2], (2, 1): [0], (5, 1): [1], (1, 1): [2]})
    back, forth = Message(0, 1, 1, (0,), (2,), (0,)), Message(0, 1, 1, (), (0,), (2,))
    third = Message(2, 1, 1, (), (1,), (2,))
    for switching in ("wormhole", "wormhole-nonatomic"):
        two = Configuration(switching, 1, "scheduled", (back, forth))
        accept_verdict(relation, claim(two))
        three = replace(two, messages=(back, forth, third))
        assert evidence_holds(relation, claim(three)) is (switching == "wormhole")
        # A VC with a tail further up its worm holds no tail of its own.
        loop = replace(two, messages=(Message(0, 1, 2, (), (0, 2), (0,)), third))
        assert evidence_holds(relation, claim(loop)) is (switching == "wormhole")


def test_a_header_that_commits_waits_for_one_of_its_candidates() -> None:
    network = from_edges([("a", "b"), ("b", "a"), ("a", "b"), ("b", "a")], directed=True)
    back, forth = (int(np.flatnonzero(network.source == router)[0]) for router in (1, 0))
    table = {
        (4, 1): [forth],
        (forth, 1): np.flatnonzero(network.source == 1).tolist(),
        (5, 0): [back],
        (back, 0): [forth],
    }
    found = Configuration(
        "wormhole", 1, "scheduled", (Message(0, 1, 1, (), (forth,), (back,)), Message(1, 0, 1, (), (back,), (forth,)))
    )
    for commits in (False, True):
        relation = table_relation(network, 1, table, commits=commits)
        assert evidence_holds(relation, claim(found)) is commits


def test_evidence_of_the_other_kind() -> None:
    certificate = Certificate("order", np.arange(RING.num_vcs), None, ())
    bare = Verdict(True, "wormhole", "", "", "")
    for wrong in (
        bare,
        replace(bare, deadlock_free=False),
        replace(bare, configuration=BASE),
        replace(bare, deadlock_free=False, certificate=certificate),
        replace(bare, configuration=BASE, certificate=certificate),
        replace(claim(BASE), certificate=certificate),
    ):
        with pytest.raises(Rejected, match=r"a (proof|deadlock) needs evidence of its own kind, and no other"):
            accept_verdict(RING, wrong)
    with pytest.raises(Rejected, match="'telepathy' is none of saf, vct"):
        accept_verdict(RING, claim(replace(BASE, switching="telepathy")))  # type: ignore[arg-type]
    with pytest.raises(Unchecked, match="an open question has no evidence to check"):
        accept_verdict(RING, replace(bare, deadlock_free=None))


PATHS = from_edges([("a", "b"), ("b", "c"), ("c", "a")], directed=True)
"""VC 0 goes from a to b, 1 from b to c, 2 from c to a; input VCs 3, 4 and 5 inject at a, b and c."""
TABLES: list[dict[tuple[int, int], list[int]]] = [
    {(3, 1): [0], (0, 1): [EJECT], (4, 2): [1], (1, 2): [EJECT], (5, 0): [2], (2, 0): [EJECT]},
    {(3, 2): [0], (0, 2): [1], (1, 2): [EJECT], (4, 2): [1], (5, 1): [2], (2, 1): [0], (0, 1): [EJECT]},
    {(3, 2): [0], (0, 2): [1], (1, 2): [2, EJECT], (2, 2): [0]},
    {(3, 2): [0], (0, 2): [1], (1, 2): [2 + NO_WAIT, EJECT], (2, 2): [0]},
    {(3, 2): [0], (0, 2): [1], (1, 2): [2], (2, 2): [0]},
    {(4, 0): [1], (1, 0): [2], (2, 0): [EJECT], (5, 1): [2], (2, 1): [0], (0, 1): []},
]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("commits", [False, True])
def test_every_ranking_of_three_channels(table: dict[tuple[int, int], list[int]], commits: bool) -> None:
    """The walk accepts a ranking if and only if the inequalities hold in a plain account of them."""
    relation = table_relation(PATHS, 1, table, commits=commits)
    for kind, switching in (("order", "saf"), ("escape", "vct"), ("drain", "wormhole")):
        for rank in product((-1, 0, 1), repeat=3):
            found = Certificate(kind, np.array(rank), None, ())  # type: ignore[arg-type]
            holds = evidence_holds(relation, Verdict(True, switching, "", "", "", certificate=found))  # type: ignore[arg-type]
            assert holds is certificate_holds(relation, found), (kind, rank)


@pytest.mark.parametrize(("kind", "switching"), [("order", "saf"), ("escape", "vct"), ("drain", "wormhole")])
def test_how_large_ranks_may_be(kind: Any, switching: Any) -> None:
    relation = table_relation(PATHS, 1, TABLES[0])
    for largest, fits in ((2**60 - 1, True), (2**60, False)):
        for rank in (largest, -largest):
            found = Certificate(kind, np.full(3, rank), None, ())
            assert evidence_holds(relation, Verdict(True, switching, "", "", "", certificate=found)) is fits


def test_a_certificate_names_where_it_fails() -> None:
    relation = table_relation(PATHS, 1, TABLES[1], name="two ways")
    for rank, vc, address in (((0, 0, -1), 0, 2), ((1, 2, 1), 2, 1)):
        why = re.escape(f"fails at {relation.vcs.name(vc)} for {relation.address_name(address)}")
        found = Certificate("order", np.array(rank), None, ())
        with pytest.raises(Rejected, match=f"the order certificate {why}"):
            accept_verdict(relation, Verdict(True, "vct", "", "", "", certificate=found))
    wrong: Any
    for wrong, switching in (("escape", "wormhole"), ("drain", "vct"), ("wish", "vct")):
        found = Certificate(wrong, np.arange(3), None, ())
        with pytest.raises(Rejected, match=f"3 ranks of a kind that proves {switching} are needed, not '{wrong}'"):
            accept_verdict(relation, Verdict(True, switching, "", "", "", certificate=found))  # type: ignore[arg-type]


def test_no_channel_at_all() -> None:
    alone = dimension_order(mesh(1), 1)
    verdict = check(alone, "wormhole")
    assert verdict.deadlock_free
    accept_verdict(alone, verdict)


@pytest.mark.parametrize("at", range(3, 9))
def test_an_answer_that_is_none_names_its_input_vc(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One input VC answers with a VC of another router: compiled or plain, the evidence is not of this relation."""
    line = dimension_order(mesh(3), 1)
    good = {
        (here, address): [EJECT if c.vc is None else c.vc for c in line.candidates(here, address)]
        for here in range(line.num_vcs + 3)
        for address in range(3)
        if here < line.num_vcs or here - line.num_vcs != address
    }
    verdict = check(line, "vct")
    address = 0 if at != line.num_vcs else 2
    wrong = (at, address) if (at, address) in good else (line.num_vcs + 1, address)
    out = [vc for vc in range(line.num_vcs) if line.network.source[vc] != line.vcs.router[wrong[0]]]
    relation = table_relation(line.network, 1, {**good, wrong: [out[0]]}, name="off")
    for most in (checker.PLAIN, -1):
        monkeypatch.setattr(checker, "PLAIN", most)
        with pytest.raises(Rejected, match=re.escape(f"not of this relation: off at {relation.vcs.name(wrong[0])}")):
            accept_verdict(relation, verdict)


def test_a_rule_that_fails_is_none_of_the_relation() -> None:
    line = dimension_order(mesh(3), 1)
    verdict = check(line, "vct")
    with pytest.raises(Rejected, match=r"the evidence is not of this relation: .*dimension_order.* at "):
        accept_verdict(replace(line, rule=lambda at, address, out: 1 // 0), verdict)


def _with(compiled: Relation, plain: Relation) -> Relation:
    plain.__dict__["compiled"] = compiled.compiled
    return plain


def test_compiled_answers_are_compared_at_every_kind_of_input_vc(monkeypatch: pytest.MonkeyPatch) -> None:
    """At one input VC beyond the first channel, and at one injection port, the compiled rule answers otherwise."""
    tables = [dict(TABLES[5]) for _ in range(3)]
    tables[1][2, 0] = []
    tables[2][5, 1] = []
    for table in tables[1:]:
        monkeypatch.setattr(checker, "PLAIN", -1)
        monkeypatch.setattr(checker, "is_small", lambda *_: False)
        relation = _with(table_relation(PATHS, 1, tables[0]), table_relation(PATHS, 1, table))
        found = Certificate("order", np.array([2, 0, 1]), None, ())
        with pytest.raises(Rejected, match="compiled, the rule answers otherwise"):
            accept_verdict(relation, Verdict(True, "vct", "", "", "", certificate=found))


def test_compiled_answers_are_compared_throughout_a_large_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain rule agrees at the 130 injection ports and nowhere else."""
    monkeypatch.setattr(checker, "is_small", lambda *_: False)
    line = dimension_order(mesh(130), 1)
    silent = replace(line, rule=lambda at, address, out: line.rule(at, address, out) if at >= line.num_vcs else 0)
    with pytest.raises(Rejected, match="compiled, the rule answers otherwise"):
        accept_verdict(_with(line, silent), check(line, "vct"))


@pytest.mark.parametrize("other", [1, 0 + TIER, 0 + NO_WAIT], ids=["VC", "tier", "mark"])
def test_compiled_answers_are_compared_candidate_by_candidate(other: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many candidates, all of them legal and climbing, but one of them is another one."""
    network = from_edges([("a", "b"), ("a", "b")], directed=True)
    one, changed = ({(2, 1): [1, first], (0, 1): [EJECT], (1, 1): [EJECT]} for first in (0, other))
    monkeypatch.setattr(checker, "PLAIN", -1)
    monkeypatch.setattr(checker, "is_small", lambda *_: False)
    relation = table_relation(network, 1, one)
    found = Verdict(True, "vct", "", "", "", certificate=Certificate("order", np.array([0, 1]), None, ()))
    accept_verdict(relation, found)
    with pytest.raises(Rejected, match="compiled, the rule answers otherwise"):
        accept_verdict(_with(relation, table_relation(network, 1, changed)), found)
