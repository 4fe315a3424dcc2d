"""Rules made to order: the fewest VCs, their evidence, and rules that work."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from unknot import deliver
from unknot._base.errors import RelationError
from unknot._base.switching import Switching
from unknot.certificates import Rejected, evidence_holds
from unknot.network.families import mesh
from unknot.search.effort import SearchEffort
from unknot.simulation import simulate
from unknot.synthesis import Request, Space, accept, decide, design, distributions, impossible
from unknot.synthesis.rule import rule_from
from unknot.synthesis.search import Search, clause_of
from unknot.synthesis.space import moved, symmetries
from unknot.verify import check
from unknot_papers.bnr.table import bnr

LEAST = [("vct", 5), ("saf", 5), ("wormhole", 6), ("wormhole-nonatomic", 6)]


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("adaptive", ["states", "paths"])
@pytest.mark.parametrize(("switching", "least"), LEAST)
def test_two_dimensions(switching: str, least: int, adaptive: str) -> None:
    designed = design("mesh(2)", switching, adaptive=adaptive, every=True)  # type: ignore[arg-type]
    assert (designed.vcs, designed.fewest, designed.lower_bound) == (least, True, least)
    assert all(one.holds for one in designed.decisions)
    assert [one.space.counts for one in designed.decisions if one.outcome == "found"] == [
        ((1, 1), (2, 2)) if least == 6 else ((1, 1), (1, 2))
    ]
    assert designed.best is not None
    assert designed.best.rule is not None
    assert designed.best.proof is not None
    relation = designed.best.rule.on((4, 3))
    verdict = check(relation, switching)
    assert verdict.deadlock_free
    assert evidence_holds(relation, verdict)
    delivery = deliver(relation)
    assert delivery.delivered
    assert delivery.minimal
    kinds = bnr(relation)
    assert all(kind.provided for kind in kinds)
    if adaptive == "states":
        assert all(kind.kept for kind in kinds)


def test_three_dimensions_by_cut_through() -> None:
    """LCFAA's 3n − 1 is the least: two dimensions without a further VC are too few already."""
    designed = design(3, "vct")
    assert (designed.vcs, designed.fewest) == (8, True)
    assert all(one.holds for one in designed.decisions)
    assert all(one.evidence.space.dimensions == 2 for one in designed.decisions if one.outcome == "impossible")
    assert designed.best is not None
    assert designed.best.rule is not None
    assert check(designed.best.rule.on((3, 3, 3)), "vct").deadlock_free


@pytest.mark.campaign
@pytest.mark.parametrize(("family", "switching"), [("mesh(2)", "vct"), ("mesh(2)", "wormhole"), ("mesh(3)", "vct")])
def test_rules_are_free_on_larger_meshes_and_in_saturated_runs(family: str, switching: Switching) -> None:
    decision = design(family, switching).best
    assert decision is not None
    assert decision.rule is not None
    relation = decision.rule.on((8, 8) if family == "mesh(2)" else (4, 4, 4))
    verdict = check(relation, switching)
    assert verdict.deadlock_free
    assert evidence_holds(relation, verdict)
    for seed in range(3):
        run = simulate(relation, 1.0, packet_length=4, switching=switching, seed=seed, warmup=2_000, measure=20_000)
        assert run.deadlock is None


def test_evidence_that_was_changed_is_rejected() -> None:
    one = decide(((1, 1), (1, 2)), "wormhole")
    evidence = one.evidence
    accept(evidence)
    with pytest.raises(Rejected):
        accept(replace(evidence, steps=()))
    assert impossible.evidence_holds(evidence)
    assert not impossible.evidence_holds(replace(evidence, steps=()))
    with pytest.raises(Rejected):
        accept(replace(evidence, refuted=evidence.refuted[:1]))
    with pytest.raises(Rejected):
        accept(replace(evidence, switching="vct"))
    with pytest.raises(Rejected):
        accept(replace(evidence, space=Space(((1, 1), (2, 2)))))
    first = evidence.refuted[0]
    message = first.configuration.messages[0]
    worse = replace(first.configuration, messages=(message, message))
    with pytest.raises(Rejected):
        accept(replace(evidence, refuted=(replace(first, configuration=worse), *evidence.refuted[1:])))


def test_walks_that_do_not_return_are_rejected() -> None:
    evidence = decide(((1, 1), (1, 2)), "wormhole-nonatomic").evidence
    accept(evidence)
    with pytest.raises(Rejected, match="do not lead back"):
        accept(replace(evidence, walks=((0, 0), *evidence.walks)))
    with pytest.raises(Rejected):
        accept(replace(evidence, walks=()))


def test_a_clause_forbids_just_the_rules_with_its_deadlock() -> None:
    """A rule that breaks the clause of a configuration has this deadlock, whatever else it permits."""
    space = Space(((1, 1), (1, 2)))
    search = Search(space, Request(), "wormhole")
    assert search.survive((3, 3), SearchEffort()) is None
    random = np.random.default_rng(0)
    for deadlock in search.refuted:
        frame = search.frame(deadlock.sides)
        clause = clause_of(frame, deadlock.configuration)
        offers = random.random(len(space.permissions)) < 0.5
        for message in deadlock.configuration.messages:
            state = frame.held(message.held[-1]), frame.signs(message.held[-1], message.address)
            offers[[space.number[(*state, frame.type_of[vc])] for vc in message.wanted]] = True
        offers[[-1 - x for x in clause if x < 0]] = True
        offers[[x - 1 for x in clause if x > 0]] = False
        assert check(search.frame(deadlock.sides).relation(offers), "wormhole").deadlock_free is False


def test_hypercubes_take_fewer_or_as_many() -> None:
    designed = design("hypercube(2)", "vct")
    assert designed.fewest
    assert designed.vcs is not None
    assert designed.vcs <= 5
    assert designed.best is not None
    assert designed.best.rule is not None
    assert check(designed.best.rule.on(mesh(2, 2)), "vct").deadlock_free


def test_partial_adaptivity() -> None:
    """One VC for each direction provides two of the four BNRs, not three, under every technique but one."""
    for switching in ("vct", "wormhole", "wormhole-nonatomic"):
        counts = ((1, 1), (1, 1))
        most = [decide(counts, switching, Request(least=k)) for k in range(5)]
        outcomes = [one.outcome for one in most]
        provided = outcomes.index("impossible") - 1
        assert outcomes == ["found"] * (provided + 1) + ["impossible"] * (4 - provided)
        rule = most[provided].rule
        assert rule is not None
        assert len(rule.provided(states=True)) == provided
        assert sum(kind.provided for kind in bnr(rule.on((4, 4)))) == provided
        assert all(one.holds for one in most)


def test_symmetries() -> None:
    space = Space(((1, 2), (2, 1)))
    every = list(symmetries(space))
    assert len(every) == len({*every}) == 8
    for image in every:
        assert {moved(space, image, p) for p in space.permissions} == {*space.permissions}


def test_refutations_of_something_else_are_not_enough() -> None:
    """A refutation holds for the request, technique and VCs that it is about."""
    one = decide(((1, 1), (1, 2)), "wormhole-nonatomic")
    assert one.outcome == "impossible"
    assert one.holds
    for wrong in (
        replace(one, switching="vct"),
        replace(one, request=Request(least=3)),
        replace(one, space=Space(((1, 2), (2, 2)))),
        replace(one, evidence=None),
    ):
        assert not wrong.holds


def test_what_is_asked_must_make_sense() -> None:
    for wrong in ("mesh(2, 2)", "torus(2)", "mesh", "mesh(0)", "mesh(7)"):
        with pytest.raises(RelationError):
            design(wrong)
    with pytest.raises(RelationError, match=r"wrap link.*unknot check"):
        design("torus(2)")
    with pytest.raises(RelationError, match="BNRs"):
        design(2, least=5)
    with pytest.raises(RelationError):
        design(2, time_limit=0)
    with pytest.raises(RelationError):
        Space(((0, 1),))


def test_time_limits_end_the_search() -> None:
    began = time.monotonic()
    designed = design(3, "wormhole-nonatomic", time_limit=1.0)
    assert time.monotonic() - began < 200
    assert not designed.complete or designed.fewest


def test_ctrl_c_keeps_what_was_found() -> None:
    def interrupt(text: str, done: int, total: int) -> None:
        if "x+ 1, x- 1, y+ 1, y- 2" in text:
            raise KeyboardInterrupt

    designed = design(2, "wormhole", progress=interrupt)
    assert not designed.complete
    assert (designed.best, designed.lower_bound) == (None, 5)
    assert [one.outcome for one in designed.decisions] == ["impossible"]


def test_distributions() -> None:
    assert distributions(2, 4) == [((1, 1), (1, 1))]
    assert distributions(3, 8) == [((1, 1), (1, 1), (1, 3)), ((1, 1), (1, 1), (2, 2)), ((1, 1), (1, 2), (1, 2))]
    assert all(sum(map(sum, counts)) == 9 for counts in distributions(4, 9))


def test_unreachable_permissions_are_left_out() -> None:
    space = Space(((1, 1), (1, 1)))
    rule = rule_from(space, np.ones(len(space.permissions), dtype=bool))
    assert rule.offers.all()
    assert "++" in rule.text
