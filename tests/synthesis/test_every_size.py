"""Verdicts for meshes of every size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unknot._base.errors import RelationError
from unknot._base.switching import SWITCHINGS
from unknot.certificates import Rejected, plain
from unknot.network.families import mesh
from unknot.synthesis import Space, every_size
from unknot.synthesis.proofs import kind_of, proof_of
from unknot.synthesis.ranking import Proof, RankEdge, closed_walks, ranked
from unknot.synthesis.rule import Rule, rule_from
from unknot.synthesis.rule_reading import NotUniform, rule_of
from unknot.verify import check


def accept(rule: Rule, proof: Proof, switching: str) -> None:
    claim = proof.claim(rule.offers, switching, rule.waits)
    plain.check_rule(claim, claim["proof"])


PROVED = [
    ("mesh(1)", "dimension_order", "wormhole-nonatomic", "order"),
    ("mesh(2)", "dimension_order", "wormhole-nonatomic", "order"),
    ("mesh(3)", "dimension_order", "wormhole", "order"),
    ("mesh(2)", "west_first", "wormhole-nonatomic", "order"),
    ("mesh(2)", "north_last", "vct", "order"),
    ("mesh(2)", "negative_first", "saf", "order"),
    ("mesh(2)", "planar_adaptive", "wormhole", "order"),
    ("mesh(2)", "vba", "wormhole-nonatomic", "order"),
    ("mesh(2)", "duato", "vct", "escape"),
    ("mesh(2)", "duato", "wormhole", "drain"),
    ("mesh(2)", "lcfaa", "vct", "escape"),
    ("mesh(2)", "schwiebert", "wormhole", "drain"),
]


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize(("family", "routing", "switching", "kind"), PROVED)
def test_proved_for_every_size(family: str, routing: str, switching: str, kind: str) -> None:
    verdict = every_size(family, routing, switching)
    assert verdict.deadlock_free
    assert verdict.uniform
    assert verdict.proof is not None
    assert verdict.proof.kind == kind
    assert verdict.holds


@pytest.mark.long
@pytest.mark.parametrize("routing", ["lcfaa", "planar_adaptive"])
def test_three_dimensions(routing: str) -> None:
    assert every_size("mesh(3)", routing, "vct").holds


def test_lcfaa_deadlocks_by_wormhole_on_every_mesh_from_three_by_three() -> None:
    verdict = every_size("mesh(2)", "lcfaa", "wormhole")
    assert verdict.deadlock_free is False
    assert verdict.refuted_on == (3, 3)
    assert verdict.holds


def test_what_depends_on_the_position_is_decided_size_by_size() -> None:
    verdict = every_size("mesh(2)", "odd_even", "wormhole", time_limit=600)
    assert (verdict.deadlock_free, verdict.uniform) == (None, False)
    assert "position" in verdict.reason
    assert (3, 3) in verdict.decided


def test_permissions_are_those_of_the_algorithm() -> None:
    """The relation of the permissions answers as the algorithm does."""
    from unknot.routing import lcfaa

    ours, theirs = rule_of("lcfaa", ((3, 3), (4, 4))).on((5, 4)), lcfaa(mesh(5, 4))
    assert (ours.vcs.counts == theirs.vcs.counts).all()
    for address in range(theirs.num_addresses):
        todo = (theirs.num_vcs + theirs.sources(address)).tolist()
        seen = {*todo}
        for at in todo:
            shown = {(c.vc, c.waits) for c in theirs.candidates(at, address)}
            assert shown == {(c.vc, c.waits) for c in ours.candidates(at, address)}
            todo += [vc for vc, _ in shown if vc is not None and vc not in seen]
            seen |= {vc for vc, _ in shown if vc is not None}


@pytest.mark.parametrize("routing", ["valiant", "o1turn", "up_down"])
def test_other_algorithms_are_not_uniform(routing: str) -> None:
    with pytest.raises(NotUniform):
        rule_of(routing, ((3, 3), (4, 4)))


def test_hypercubes_are_one_network() -> None:
    with pytest.raises(RelationError, match="one network"):
        every_size("hypercube(3)", "dimension_order")


@pytest.mark.parametrize("family", ["mesh(n)", "mesh(n, n)", " mesh ( k )", "hypercube(n)"])
def test_a_letter_is_no_number_of_dimensions(family: str) -> None:
    with pytest.raises(RelationError, match=r"a number of dimensions is needed .*mesh\(2\) .*mesh\(3\)"):
        every_size(family, "dimension_order")


def test_no_time() -> None:
    with pytest.raises(RelationError, match="a positive number of seconds"):
        every_size("mesh(2)", "dimension_order", time_limit=0)


@settings(max_examples=6)
@given(st.randoms(use_true_random=False), st.sampled_from(SWITCHINGS))
def test_proofs_of_random_rules_hold_on_meshes(random: object, switching: str) -> None:
    """Whatever has a proof is free on meshes; under non-atomic allocation what has none is not free on large ones."""
    space = Space(((1, 1), (1, 1)))
    bits = np.array([random.random() < 0.6 for _ in space.permissions])  # type: ignore[attr-defined]
    for (held, signs), outs in space.outs.items():
        if not any(bits[space.number[held, signs, out]] for out in outs):
            bits[space.number[held, signs, outs[0]]] = True
    rule = rule_from(space, bits)
    proof = proof_of(space, rule.offers, switching)  # type: ignore[arg-type]
    free = [check(rule.on((side, side)), switching, shorten=False).deadlock_free for side in (2, 4)]
    if proof is not None:
        accept(rule, proof, switching)
        assert all(free)
    elif switching == "wormhole-nonatomic":
        assert not check(rule.on((8, 8)), switching, shorten=False).deadlock_free


def test_proofs_that_were_changed_are_rejected() -> None:
    rule = rule_of("duato", ((3, 3), (4, 4)))
    proof = proof_of(rule.space, rule.offers, "wormhole", waits=rule.waits)
    assert proof is not None
    accept(rule, proof, "wormhole")
    for wrong in (
        replace(proof, levels=proof.levels[1:]),
        replace(proof, levels=proof.levels[:-1]),
        replace(proof, escapes=proof.escapes[1:]),
        replace(proof, kind="order"),
    ):
        with pytest.raises(Rejected):
            accept(rule, wrong, "wormhole")
    with pytest.raises(Rejected):
        accept(rule, proof, "wormhole-nonatomic")
    with pytest.raises(Rejected):
        accept(replace(rule, offers=np.zeros_like(rule.offers)), proof, "wormhole")
    assert kind_of("wormhole") == "drain"


def test_edges_that_close_a_walk_have_no_ranking() -> None:
    up, down = RankEdge(0, 1, (1,), True), RankEdge(1, 0, (-1,), True)
    assert isinstance(ranked([up, down], 2, 1), list)
    assert closed_walks([up, down], 1)
    levels = ranked([up, replace(down, way=(1,))], 2, 1)
    assert isinstance(levels, tuple)
    assert isinstance(ranked([replace(up, strict=False), replace(down, strict=False)], 2, 1), tuple)


def test_sixteen_vcs_are_enough_without_cycles_in_three_dimensions() -> None:
    """A virtual network for each choice of directions in y and z, with both directions of x (Linder & Harden)."""
    space = Space(((4, 4), (2, 2), (2, 2)))
    offers = np.zeros(len(space.permissions), dtype=bool)
    for i, (held, signs, out) in enumerate(space.permissions):
        down = [_network(space, kind) for kind in (held, out) if kind != space.injection]
        mine = (signs[1] < 0, signs[2] < 0) if held == space.injection else down[0]
        offers[i] = down[-1] == mine
    rule = rule_from(space, offers)
    assert len(rule.provided(states=True)) == 8
    proof = proof_of(space, rule.offers, "wormhole-nonatomic")
    assert proof is not None
    accept(rule, proof, "wormhole-nonatomic")
    assert check(rule.on((3, 3, 3)), "wormhole-nonatomic").deadlock_free


def _network(space: Space, kind: int) -> tuple[bool, bool]:
    """Whether the virtual network of a type of VC goes down y, and down z."""
    t = space.types[kind]
    if t.dimension == 0:
        return bool(t.index & 2), bool(t.index & 1)
    return (t.sign < 0, bool(t.index)) if t.dimension == 1 else (bool(t.index), t.sign < 0)
