"""The checker: it rejects what is corrupted, whichever field it is, and needs nothing of the prover."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawing import draw_until
from tests.reference.brute_force import TooLargeError, deadlock
from tests.reference.legality import certificate_holds, complaints
from tests.strategies import networks, relations
from tests.verify.constructions import FREE_FOUR_WIDE, FREE_THREE_WIDE, by_signs
from unknot._base.switching import SWITCHINGS, Switching
from unknot.certificates import (
    Certificate,
    Configuration,
    Message,
    Rejected,
    Unchecked,
    Verdict,
    accept_verdict,
    evidence_holds,
    plain,
)
from unknot.certificates import verdict_checker as checker
from unknot.network.families import mesh, ring, torus
from unknot.routing import Relation, dimension_order, duato
from unknot.verify import check

ROOT = Path(__file__).parents[2]
SMALL = relations(networks(max_routers=4))


def accepted(relation: Relation, verdict: Verdict) -> bool:
    try:
        accept_verdict(relation, verdict)
    except Rejected:
        return False
    return True


def corrupted_message(draw: Any, relation: Relation, message: Message) -> Message:
    """A message with one field changed: a number off by a little, VCs dropped, inserted, replaced, exchanged."""
    field = draw(st.sampled_from(["source", "address", "length", "lead", "held", "wanted"]))
    value = getattr(message, field)
    if isinstance(value, int):
        return replace(message, **{field: value + draw(st.sampled_from([-2, -1, 1, 2, 5]))})
    vcs = list(value)
    place = draw(st.integers(0, max(0, len(vcs) - 1)))
    change = draw(st.sampled_from(["drop", "insert", "replace", "exchange", "empty"]))
    vc = draw(st.integers(-1, relation.num_vcs + 1))
    if change == "insert":
        vcs.insert(place, vc)
    elif change == "empty":
        vcs = []
    elif vcs and change == "drop":
        del vcs[place]
    elif vcs and change == "replace":
        vcs[place] = vc
    elif vcs:
        other = draw(st.integers(0, len(vcs) - 1))
        vcs[place], vcs[other] = vcs[other], vcs[place]
    return replace(message, **{field: tuple(vcs)})


def corrupted(draw: Any, relation: Relation, found: Configuration) -> Configuration:
    """A configuration with one thing changed."""
    messages = list(found.messages)
    i, j = draw(st.integers(0, len(messages) - 1)), draw(st.integers(0, len(messages) - 1))
    change = draw(st.sampled_from(["message", "message", "message", "drop", "twice", "exchange", "depth", "grade"]))
    if change == "message":
        messages[i] = corrupted_message(draw, relation, messages[i])
    elif change == "drop":
        del messages[i]
    elif change == "twice":
        messages.insert(i, messages[j])
    elif change == "exchange":
        messages[i], messages[j] = messages[j], messages[i]
    elif change == "depth":
        return replace(found, buffer_depth=found.buffer_depth + draw(st.sampled_from([-3, -1, 1])))
    else:
        return replace(
            found, reachability=draw(st.sampled_from(["injected", "scheduled", "not-established", "", "sure"]))
        )
    return replace(found, messages=tuple(messages))


def test_corrupted_configurations() -> None:
    """Any field of any message, and of the whole: what is accepted after the change is a deadlock all the same."""
    seen: Counter[str] = Counter()

    @given(SMALL, st.sampled_from(SWITCHINGS), st.data())
    @settings(max_examples=12)
    def cases(relation: Relation, switching: Switching, data: st.DataObject) -> None:
        verdict = check(relation, switching, buffer_depth=2)
        if verdict.configuration is None:
            return
        for _ in range(5):
            changed = corrupted(data.draw, relation, verdict.configuration)
            if changed == verdict.configuration:
                continue
            holds = accepted(relation, replace(verdict, configuration=changed))
            seen[f"{holds}"] += 1
            if holds:
                assert complaints(relation, changed) == []

    draw_until(lambda: seen["False"] > 60 and seen["True"] > 4, cases)


def test_corrupted_certificates() -> None:
    """Ranks, core, kind or technique changed: what is accepted is what the inequalities allow, and is free."""
    seen: Counter[str] = Counter()

    @given(SMALL, st.sampled_from(SWITCHINGS), st.data())
    @settings(max_examples=15)
    def cases(relation: Relation, switching: Switching, data: st.DataObject) -> None:
        verdict = check(relation, switching)
        certificate = verdict.certificate
        if certificate is None or certificate.kind == "states" or relation.num_vcs == 0:
            return
        for _ in range(4):
            changed, technique = corrupted_certificate(data.draw, certificate), switching
            if data.draw(st.integers(0, 3)) == 3:
                technique = data.draw(st.sampled_from(SWITCHINGS))
            claim = replace(verdict, certificate=changed, switching=technique)
            holds = accepted(relation, claim)
            seen["False"] += not holds
            if changed.kind != "exhausted" and changed.core is None and changed.kind == certificate.kind:
                proves = changed.kind in plain.SWITCHINGS[technique].proofs
                assert holds == (proves and certificate_holds(relation, changed))
            if holds:
                try:
                    assert deadlock(relation, technique, limit=20_000) is None
                    seen["True"] += 1
                except TooLargeError:
                    seen["too large"] += 1

    draw_until(lambda: min(seen["True"], seen["False"]) > 30, cases)


def corrupted_certificate(draw: Any, certificate: Certificate) -> Certificate:
    rank = certificate.rank.copy()
    a, b = draw(st.integers(0, rank.size - 1)), draw(st.integers(0, rank.size - 1))
    change = draw(st.sampled_from(["exchange", "equal", "shift", "negate", "random", "core", "kind"]))
    if change == "exchange":
        rank[[a, b]] = rank[[b, a]]
    elif change == "equal":
        rank[a] = rank[b]
    elif change == "shift":
        rank[a] += draw(st.sampled_from([-2, -1, 1, 2]))
    elif change == "negate":
        rank = -rank
    elif change == "random":
        rank = np.array([draw(st.integers(-2, 3)) for _ in rank], dtype=np.int64)
    elif change == "core":
        core = np.zeros(rank.size, dtype=bool) if certificate.core is None else certificate.core.copy()
        core[a] ^= True
        return replace(certificate, core=core)
    else:
        return replace(certificate, kind=draw(st.sampled_from(["order", "escape", "drain", "exhausted"])))
    return replace(certificate, rank=rank)


@given(SMALL, st.sampled_from(SWITCHINGS), st.data())
def test_compiled_and_plain_walks_agree(relation: Relation, switching: Switching, data: st.DataObject) -> None:
    verdict = check(relation, switching)
    if verdict.certificate is None or relation.num_vcs == 0:
        return
    claim = replace(verdict, certificate=corrupted_certificate(data.draw, verdict.certificate))
    with pytest.MonkeyPatch.context() as patch:
        plain = accepted(relation, claim)
        patch.setattr(checker, "PLAIN", -1)
        assert accepted(relation, claim) == plain


def test_a_compiled_rule_that_answers_otherwise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain rule has no dateline, the compiled one in its place has."""
    network = ring(6)
    safe, unsafe = dimension_order(network, 2), dimension_order(network, 2, dateline="none")
    verdict = check(safe, "vct")
    unsafe.__dict__["compiled"] = safe.compiled
    assert evidence_holds(unsafe, verdict) is False
    monkeypatch.setattr(checker, "PLAIN", -1)
    monkeypatch.setattr(checker, "is_small", lambda *_: False)
    with pytest.raises(Rejected, match="compiled, the rule answers otherwise"):
        accept_verdict(unsafe, verdict)


def test_evidence_of_the_wrong_shape() -> None:
    relation = duato(mesh(3, 3))
    verdict = check(relation, "vct")
    assert verdict.certificate is not None
    rank = verdict.certificate.rank
    for wrong in (rank[:-1], np.append(rank, 0), rank.reshape(1, -1), rank + 2**60, rank[:0]):
        assert (
            evidence_holds(relation, replace(verdict, certificate=replace(verdict.certificate, rank=wrong))) is False
        )
    assert evidence_holds(relation, replace(verdict, switching="wormhole-nonatomic")) is False
    assert evidence_holds(relation, replace(verdict, deadlock_free=None)) is None


def claim_on(relation: Relation, *windows: tuple[list[int], list[int]]) -> Verdict:
    """That all VCs, of one rank, are struck out by some windows; by default by one that is the whole."""
    core = np.ones(relation.num_vcs, dtype=bool)
    every = list(range(relation.num_vcs))
    steps = tuple((np.array(never), np.array(window)) for never, window in windows or [(every, every)])
    return Verdict(True, "wormhole", "", "", "", certificate=Certificate("exhausted", 0 * core, core, steps))


def test_a_core_too_large_to_search_again_is_said_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all VCs of a ring as core everything rests on the search."""
    relation = dimension_order(ring(6), 2)
    accept_verdict(relation, claim_on(relation))
    one = dimension_order(ring(6), 1)
    with pytest.raises(Rejected, match="can be held"):
        accept_verdict(one, claim_on(one))
    hard = by_signs(mesh(3, 3), FREE_THREE_WIDE)
    verdict = check(hard, "wormhole")
    monkeypatch.setattr("unknot.certificates.plain.worms.SEARCH_STEPS", 20)
    with pytest.raises(Unchecked, match="too large"):
        accept_verdict(hard, verdict)
    assert evidence_holds(hard, verdict) is None


def test_the_search_agrees_with_brute_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unknot.certificates.plain.worms.SEARCH_STEPS", 5_000)
    seen: Counter[object] = Counter()

    @given(relations(networks(max_routers=4), kinds=["escape", "loose"]))
    @settings(max_examples=15)
    def cases(relation: Relation) -> None:
        try:
            expected = deadlock(relation, "wormhole", limit=20_000)
        except TooLargeError:
            return
        if relation.num_vcs == 0:
            return
        holds = evidence_holds(relation, claim_on(relation))
        assert holds in (None, expected is None)
        seen[holds] += 1

    draw_until(lambda: min(seen[True], seen[False]) > 4, cases)


@given(relations(networks(max_routers=4), kinds=["escape", "loose"]), st.data())
def test_what_windows_strike_out_no_deadlock_holds(relation: Relation, data: st.DataObject) -> None:
    """Whatever the windows, in whatever order: what is accepted is free."""
    if relation.num_vcs == 0:
        return
    vcs = st.lists(st.integers(0, relation.num_vcs - 1), max_size=relation.num_vcs)
    steps = data.draw(st.lists(st.tuples(vcs, vcs), max_size=3))
    rest = sorted({*range(relation.num_vcs)} - {vc for never, _ in steps for vc in never})
    claim = claim_on(relation, *steps, (rest, list(range(relation.num_vcs))))
    try:
        if accepted(relation, claim):
            assert deadlock(relation, "wormhole", limit=20_000) is None
    except TooLargeError:
        return


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize(
    ("table", "wide", "length"), [(FREE_THREE_WIDE, 3, 3), (FREE_THREE_WIDE, 3, 5), (FREE_FOUR_WIDE, 4, 5)]
)
def test_a_core_is_searched_again(table: dict[str, str], wide: int, length: int) -> None:
    """Narrow meshes that only an exact search proves free; with one step changed, nothing is."""
    relation = by_signs(mesh(wide, length), table)
    verdict = check(relation, "wormhole")
    certificate = verdict.certificate
    assert certificate is not None
    assert certificate.kind == "exhausted"
    accept_verdict(relation, verdict)
    steps = certificate.windows
    (first, around), rest = steps[0], steps[1:]
    core = np.flatnonzero(certificate.core)
    held = np.setdiff1d(around, first)[:1]
    wrong = [
        (),
        rest,
        steps[::-1],
        ((first, first), *rest),
        ((first, around[:0]), *rest),
        ((core, around), *rest),
        ((np.append(first, held), around), *rest),
    ]
    for windows in wrong:
        with pytest.raises(Rejected, match=r"can be held|not struck out|outside its window"):
            accept_verdict(relation, replace(verdict, certificate=replace(certificate, windows=windows)))


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_thousands_of_states_are_walked_compiled(switching: Switching) -> None:
    relation = dimension_order(torus(12, 12), 2)
    verdict = check(relation, switching)
    assert relation.num_vcs * relation.num_addresses > checker.PLAIN
    accept_verdict(relation, verdict)
    assert verdict.certificate is not None
    rank = verdict.certificate.rank.copy()
    rank[[0, -1]] = rank.max() + 5, rank.min() - 5
    assert evidence_holds(relation, replace(verdict, certificate=replace(verdict.certificate, rank=rank))) is False


SEARCHERS = ("verify", "lanes", "repair", "design", "simulation")


def loaded_by(code: str) -> list[str]:
    """Modules of those who search that a fresh process has loaded after some code."""
    code += "\nprint(*sorted(name for name in sys.modules if name.startswith(SEARCHERS)), sep='\\n')"
    head = f"import sys\nSEARCHERS = {tuple(f'unknot.{room}' for room in SEARCHERS)}\n"
    ran = subprocess.run([sys.executable, "-c", head + code], capture_output=True, text=True, check=True)
    return ran.stdout.split()


def test_the_checkers_load_nothing_of_those_who_search() -> None:
    assert loaded_by("import unknot.verify") != []
    examples = sorted(str(path) for path in (ROOT / "examples" / "evidence").glob("*.json"))
    assert len(examples) > 1
    files = "from unknot.certificates import accept, plain\n"
    assert loaded_by(files + f"for path in {examples}:\n    assert accept(plain.read(path))") == []
    # The order of the VCs by number proves a path free, and not a ring.
    verdict = (
        "import numpy as np\n"
        "from unknot.certificates import Certificate, Verdict, evidence_holds\n"
        "from unknot.routing import dimension_order\n"
        "from unknot.network.families import mesh, ring\n"
        "for network, free in ((mesh(2), True), (ring(5), False)):\n"
        "    relation = dimension_order(network, 1)\n"
        "    order = Certificate('order', np.arange(relation.num_vcs))\n"
        "    assert evidence_holds(relation, Verdict(True, 'vct', '', '', '', certificate=order)) is free\n"
    )
    assert loaded_by(verdict + "import unknot.certificates.walk_kernel") == []
