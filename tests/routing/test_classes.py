"""Message classes: networks apart, so every verdict is that of the routing they are made of."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.drawing import draw_until
from tests.reference.brute_force import TooLargeError, deadlock, states_of
from tests.reference.exploration import comes_to_block
from tests.strategies import networks, relations
from unknot import deliver, replay
from unknot._base.errors import UnknotError
from unknot._base.switching import SWITCHINGS
from unknot.certificates import accept_verdict, evidence_holds
from unknot.cli.program import app
from unknot.fabrics.named import network
from unknot.network.families import mesh, ring
from unknot.routing import Relation, dimension_order, in_classes, message_classes, o1turn, ugal
from unknot.routing.classes import share
from unknot.routing.named import routing, routings
from unknot.routing.parts import Addressing
from unknot.simulation import simulate
from unknot.verify import check
from unknot.verify.adaptivity import adaptivity
from unknot.verify.loads import loads
from unknot.verify.testing import check_relation

NAMED = (
    ("ring(5)", "dimension_order"),
    ("ring(5)", "dimension_order(dateline='none')"),
    ("torus(3, 3)", "duato"),
    ("mesh(3, 3)", "west_first"),
    ("mesh(3, 3)", "lcfaa"),
    ("mesh(4, 2)", "lcfaa"),
    ("mesh(3, 3)", "o1turn"),
    ("mesh(2, 3)", "romm"),
    ("mesh(2, 2)", "fully_adaptive"),
    ("complete(4)", "two_trees"),
    ("irregular(8, 3, 1)", "lash"),
    ("dragonfly(2, 4, 2)", "dragonfly_minimal"),
    ("hypercube(3)", "p_cube(minimal=False)"),
)
NAMED = tuple((net, base) for net, base in NAMED if base.partition("(")[0] in routings())


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize(("net", "base"), NAMED, ids=[" ".join(row) for row in NAMED])
def test_verdicts_and_figures_of_named_routings_are_those_of_the_base(net: str, base: str) -> None:
    one = routing(network(net), base)
    two = in_classes(one)
    assert two.vcs.counts.tolist() == (2 * one.vcs.counts).tolist()
    for switching in SWITCHINGS:
        verdict = check(two, switching)
        assert verdict.deadlock_free is check(one, switching).deadlock_free
        accept_verdict(two, verdict)
        if verdict.configuration is not None:
            assert replay(two, verdict.configuration).stuck
            held = {vc for message in verdict.configuration.messages for vc in message.held}
            kinds = {int(two.vcs.index[vc]) * 2 // int(two.vcs.counts[two.vcs.channel[vc]]) for vc in held}
            assert len(kinds) == 1, "a smallest knot is of one class"
    before, after = deliver(one), deliver(two)
    assert (after.delivered, after.minimal, after.longest_route) == (
        before.delivered,
        before.minimal,
        before.longest_route,
    )
    assert adaptivity(two).mean == pytest.approx(adaptivity(one).mean)
    assert loads(two).channel == pytest.approx(loads(one).channel)
    assert dict(two.claims) == dict(one.claims)
    assert (two.claims_minimal, two.commits, two.source) == (one.claims_minimal, one.commits, one.source)


def test_verdicts_of_random_relations_are_those_of_the_base_and_of_brute_force() -> None:
    """Either may be open where packets block each other that nothing shows to come there; then there is no proof."""
    seen: Counter[str] = Counter()

    @settings(max_examples=10, deadline=None)
    @given(relations(networks(max_routers=4, max_channels=6)), st.integers(1, 3))
    def compare(relation: Relation, many: int) -> None:
        classes = in_classes(relation, [f"class {k}" for k in range(many)])
        for switching in SWITCHINGS:
            verdict = check(classes, switching, buffer_depth=1)
            base = check(relation, switching, buffer_depth=1)
            assert (verdict.deadlock_free is True) == (base.deadlock_free is True)
            if verdict.certificate is not None and verdict.certificate.kind == "states":
                # Worms that block each other by definition, but never come there.
                if evidence_holds(relation, base):
                    accept_verdict(classes, verdict)
                with suppress(TooLargeError):
                    assert not comes_to_block(classes, switching, 2_000)
                continue
            accept_verdict(classes, verdict)
            seen[f"free {verdict.deadlock_free}"] += 1
            try:
                expected = deadlock(classes, switching, limit=4_000)
            except TooLargeError:
                continue
            seen["brute force"] += 1
            assert (verdict.deadlock_free is True) == (expected is None)
            assert (verdict.deadlock_free is None) == (verdict.reachability == "not-established")

    draw_until(lambda: min(seen["free True"], seen["free False"], seen["brute force"]) > 5, compare)


def test_each_class_has_vcs_of_its_own_and_the_routes_of_the_base() -> None:
    base = o1turn(mesh(3, 3), 4)
    relation = in_classes(base, ("a", "b", "c"))
    assert relation.classes == ("a", "b", "c")
    assert relation.num_addresses == 3 * base.num_addresses
    found, wanted = states_of(relation), states_of(base)
    for address in range(relation.num_addresses):
        kind, of_base = divmod(address, base.num_addresses)
        assert relation.destination[address] == base.destination[of_base]
        vcs = np.array([at for at in found[address] if at < relation.num_vcs])
        assert (relation.vcs.index[vcs] // 4 == kind).all()
        before = {at for at in wanted[of_base] if at < base.num_vcs}
        moved = base.vcs.index[sorted(before)] + 4 * kind
        assert set(vcs.tolist()) == set((relation.vcs.first[base.vcs.channel[sorted(before)]] + moved).tolist())
        assert relation.candidates(int(relation.vcs.first[0] + 4 * ((kind + 1) % 3)), address) == []
    assert relation.address_name(0) == f"{base.address_name(0)} (a)"
    assert list(relation.address_labels or ())[-1].endswith(" (c)")


def test_channels_may_differ_in_vcs_and_sources_in_addresses() -> None:
    relation = in_classes(routing(network("mesh(3, 2)"), "romm"))
    assert relation.may_use is not None
    assert (relation.may_use[:, :36] == relation.may_use[:, 36:]).all()
    check_relation(relation, compiled=False)
    uneven = in_classes(routing(network("mesh(3, 3)"), "lcfaa"), ("one", "two", "three"))
    assert set(uneven.vcs.counts.tolist()) == {3, 6}
    check_relation(in_classes(routing(network("mesh(3, 2)"), "lcfaa")), compiled=False)


def test_by_name_with_all_vcs_shared_out() -> None:
    relation = routing(network("torus(3, 3)"), "message_classes(base='dimension_order', names=['up', 'down'])", 4)
    assert relation.vcs.counts.max() == 4
    assert relation.classes == ("up", "down")
    assert relation.claims == routing(network("torus(3, 3)"), "dimension_order", 2).claims
    assert message_classes(mesh(3, 3)).classes == ("request", "reply")
    assert share(6, ["a", "b"]) == 3
    assert share(None, ["a", "b"]) is None
    run = simulate(relation, 0.1, warmup=200, measure=1_000, switching="wormhole")
    assert run.stable
    assert run.utilisation.sum() > 0


def test_a_counterexample_is_explained_written_and_replayed(tmp_path: Path) -> None:
    def unknot(*words: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, list(words))
        return result.exit_code, result.output

    text, file = "message_classes(base='dimension_order(dateline=\"none\")')", tmp_path / "knot.json"
    code, out = unknot("check", "ring(5)", "--routing", text, "--explain", "--export", str(file))
    assert code == 1
    assert "(request)" in out or "(reply)" in out
    assert unknot("replay", str(file))[0] == 0
    assert unknot("check", "ring(5)", "--routing", "message_classes(base='dimension_order')", "--vcs", "4")[0] == 0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: in_classes(dimension_order(mesh(3)), ()), "at least one"),
        (lambda: in_classes(dimension_order(mesh(3)), ("a", "a")), "no two alike"),
        (lambda: in_classes(dimension_order(mesh(3)), "ab"), "got 'ab'"),
        (lambda: in_classes(dimension_order(mesh(3)), ("a", "")), "at least one"),
        (lambda: in_classes(message_classes(mesh(3))), "has message classes already: request, reply"),
        (lambda: in_classes(ugal(mesh(3, 3))), "ugal: its packets compare"),
        (
            lambda: message_classes(mesh(3), 3),
            "3 VCs per channel cannot be shared out equally among request and reply",
        ),
        (lambda: message_classes(mesh(3), 1), "1 VCs"),
        (lambda: message_classes(ring(4), base="lcfaa"), "is a ring"),
        (lambda: message_classes(mesh(3), base="dimension_ordre"), "did you mean dimension_order"),
        (
            lambda: Relation(mesh(3), 1, lambda at, address, out: 0, addresses=Addressing(classes=("a", "b"))),
            "3 addresses for 2 message",
        ),
    ],
)
def test_classes_that_cannot_be(make, words: str) -> None:
    with pytest.raises(UnknotError, match=words):
        make()
