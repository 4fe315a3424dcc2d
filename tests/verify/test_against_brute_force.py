"""The prover against the brute force: random small networks and relations, every switching technique."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawing import draw_until
from tests.reference.brute_force import TooLargeError, deadlock
from tests.reference.exploration import comes_to_block, network_for, reachable_deadlock
from tests.reference.legality import certificate_holds, complaints
from tests.strategies import networks, relations, table_relation
from unknot._base.switching import SWITCHINGS, Switching
from unknot.certificates import Rejected, Verdict, accept_verdict
from unknot.network.families import complete, line, mesh, ring, torus
from unknot.routing import Relation, dimension_order
from unknot.verify import check

CHEAP = ("acyclic", "empty greatest fixpoint", "greatest fixpoint of waiting", "cycle in the")
"""How methods begin that decide without an exact search."""

ANY = relations(networks(loops=True, strongly_connected=None))
CONNECTED = relations(networks(max_routers=5, max_channels=9))
FAMILIES = st.sampled_from([ring(3), ring(4), mesh(2, 2), complete(3), line(4), mesh(3, 2)]).flatmap(relations)


def compare(relation: Relation, seen: Counter[str], limit: int = 20_000) -> None:
    """Decide one relation both ways under every technique; verdict, evidence and grade must hold."""
    for switching in SWITCHINGS:
        try:
            expected = deadlock(relation, switching, limit=limit)
        except TooLargeError:
            seen["too large for brute force"] += 1
            continue
        verdict = check(relation, switching, buffer_depth=1)
        assert verdict.switching == switching
        if verdict.certificate is not None and verdict.certificate.kind == "states":
            accept_verdict(relation, verdict)
            assert expected is not None
            seen["a deadlock that is never reached"] += 1
            with suppress(TooLargeError):
                assert not comes_to_block(relation, switching, 2_000)
            continue
        said = f"{switching}: {verdict.method}; brute force: {expected}"
        assert (verdict.deadlock_free is True) == (expected is None), said
        assert (verdict.deadlock_free is None) == (verdict.reachability == "not-established"), said
        accept_verdict(relation, verdict)
        if verdict.certificate is not None and verdict.certificate.kind != "exhausted":
            assert certificate_holds(relation, verdict.certificate)
        seen["compared"] += 1
        seen[f"{switching} {'free' if verdict.deadlock_free else 'deadlock'}"] += 1
        seen["not decided by the cheap tests"] += not verdict.method.startswith(CHEAP)
        if verdict.configuration is not None:
            assert complaints(relation, verdict.configuration) == []
            seen[f"{verdict.reachability}"] += 1
            confirm_reachable(relation, verdict, seen)


def confirm_reachable(relation: Relation, verdict: Verdict, seen: Counter[str]) -> None:
    """A configuration that says how it is reached lives in a network where exploration finds a deadlock too."""
    configuration = verdict.configuration
    if configuration is None or configuration.reachability == "not-established" or relation.num_vcs > 5:
        return
    lengths = tuple(sorted({message.length for message in configuration.messages}))
    network = network_for(relation, verdict.switching, depth=configuration.buffer_depth, lengths=lengths)
    try:
        assert reachable_deadlock(network, limit=2_000) is not None, f"{configuration} is not reachable"
    except TooLargeError:
        seen["too large to explore"] += 1
    else:
        seen["reached by exploration"] += 1


@pytest.mark.parametrize(("strategy", "examples"), [(ANY, 20), (CONNECTED, 20), (FAMILIES, 20)])
def test_prover_equals_brute_force(strategy: st.SearchStrategy[Relation], examples: int) -> None:
    seen: Counter[str] = Counter()
    some = settings(max_examples=examples)(given(strategy)(lambda relation: compare(relation, seen)))
    answers = [f"{switching} {answer}" for switching in SWITCHINGS for answer in ("free", "deadlock")]
    draw_until(lambda: min(seen[answer] for answer in answers) > examples // 10, some)


@pytest.mark.campaign
@pytest.mark.parametrize("strategy", [ANY, CONNECTED, FAMILIES])
def test_campaign(strategy: st.SearchStrategy[Relation]) -> None:
    """Thousands of relations, new ones every time."""
    seen: Counter[str] = Counter()
    fresh = settings(max_examples=4_000)(given(strategy)(lambda relation: compare(relation, seen, limit=100_000)))
    draw_until(lambda: seen["compared"] > 12_000 and seen["not decided by the cheap tests"] > 0, fresh)
    print({key: seen[key] for key in sorted(seen)})


@given(relations(networks(max_routers=4)), st.sampled_from(SWITCHINGS), st.data())
def test_corrupted_evidence_is_rejected(relation: Relation, switching: Switching, data: st.DataObject) -> None:
    """A configuration damaged anywhere, a certificate with the ranks of two VCs exchanged, set equal or missing."""
    verdict = check(relation, switching)
    if verdict.certificate is not None:
        rank = verdict.certificate.rank.copy()
        with pytest.raises(Rejected):
            accept_verdict(
                relation, replace(verdict, certificate=replace(verdict.certificate, rank=np.append(rank, 0)))
            )
        if rank.size > 1 and verdict.certificate.kind != "exhausted":
            a, b = data.draw(st.integers(0, rank.size - 1)), data.draw(st.integers(0, rank.size - 1))
            rank[a], rank[b] = (rank[b], rank[a]) if data.draw(st.booleans()) else (rank[b], rank[b])
            changed = replace(verdict.certificate, rank=rank)
            if certificate_holds(relation, changed):
                accept_verdict(relation, replace(verdict, certificate=changed))
            else:
                with pytest.raises(Rejected):
                    accept_verdict(relation, replace(verdict, certificate=changed))
        return
    assert verdict.configuration is not None
    messages = verdict.configuration.messages
    index = data.draw(st.integers(0, len(messages) - 1))
    message = messages[index]
    damages = {
        "a wanted VC is forgotten": replace(message, wanted=message.wanted[1:]),
        "it has another length": replace(message, length=message.length + 1),
        "it holds nothing": replace(message, held=()),
        "its address does not exist": replace(message, address=relation.num_addresses),
        "it comes from nowhere": replace(message, source=relation.network.num_terminals),
        "it is longer at the tail": replace(message, held=(message.held[-1], *message.held)),
    }
    damage = data.draw(st.sampled_from(sorted(damages)))
    damaged = replace(verdict.configuration, messages=(*messages[:index], damages[damage], *messages[index + 1 :]))
    assert complaints(relation, damaged) != []
    with pytest.raises(Rejected):
        accept_verdict(relation, replace(verdict, configuration=damaged))


@given(relations(networks(max_routers=4)), st.sampled_from(SWITCHINGS), st.data())
def test_lonely_messages_are_rejected(relation: Relation, switching: Switching, data: st.DataObject) -> None:
    """Take a message out of a configuration: legal and accepted exactly if the rest still blocks itself."""
    verdict = check(relation, switching)
    if verdict.configuration is None:
        return
    messages = verdict.configuration.messages
    index = data.draw(st.integers(0, len(messages) - 1))
    fewer = replace(verdict.configuration, messages=messages[:index] + messages[index + 1 :])
    held = {vc for message in fewer.messages for vc in message.held}
    broken = not fewer.messages or any(not set(message.wanted) <= held for message in fewer.messages)
    assert (complaints(relation, fewer) != []) == broken
    if broken:
        with pytest.raises(Rejected):
            accept_verdict(relation, replace(verdict, configuration=fewer))


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_false_verdicts_are_rejected(switching: Switching) -> None:
    """No ranking of VCs makes a relation free that is not; tried are its own, others' and many random ones."""
    free, unsafe = dimension_order(ring(4), 2), dimension_order(ring(4), 2, dateline="none")
    proof = check(free, switching)
    assert proof.deadlock_free
    accept_verdict(free, proof)
    with pytest.raises(Rejected):
        accept_verdict(unsafe, proof)
    certificate = proof.certificate
    assert certificate is not None

    @settings(max_examples=50)
    @given(st.permutations(certificate.rank.tolist()))
    def shuffled(rank: list[int]) -> None:
        with pytest.raises(Rejected):
            accept_verdict(unsafe, replace(proof, certificate=replace(certificate, rank=np.array(rank))))

    shuffled()
    with pytest.raises(Rejected):
        accept_verdict(unsafe, replace(proof, certificate=replace(certificate, rank=np.zeros_like(certificate.rank))))


def test_contradictory_verdicts_are_rejected() -> None:
    """Free with a configuration, deadlocked without one, another technique's name on the evidence."""
    unsafe = dimension_order(ring(4))
    verdict = check(unsafe, "vct")
    accept_verdict(unsafe, verdict)
    for wrong in (
        replace(verdict, deadlock_free=True),
        replace(verdict, configuration=None),
        replace(verdict, deadlock_free=True, configuration=None),
    ):
        with pytest.raises(Rejected):
            accept_verdict(unsafe, wrong)


def planted(relation: Relation, at: int, address: int) -> Relation:
    """The relation with one VC number wrong: at one state the other VC of the same channel is offered."""
    table: dict[tuple[int, int], list[int]] = {}
    width = relation.num_vcs + relation.network.num_terminals
    for a in range(relation.num_addresses):
        for place in range(width):
            out = np.zeros(relation.max_candidates, dtype=np.int64)
            table[place, a] = out[: relation.rule(place, a, out)].tolist()
    wrong = table[at, address][0]
    table[at, address] = [wrong ^ 1]
    return table_relation(relation.network, relation.vcs, table, name="planted")


@pytest.mark.parametrize("network", [ring(4), ring(5), torus(4, 2)], ids=lambda network: network.name)
def test_planted_dateline_errors_are_caught(network: object) -> None:
    """One wrong VC at one state of a dateline rule: the verdict equals the brute force, and some do deadlock."""
    relation = dimension_order(network, 2)  # type: ignore[arg-type]
    assert check(relation, "vct").deadlock_free
    caught = 0
    for address in range(0, relation.num_addresses, 3):
        for at in range(relation.num_vcs):
            home = int(relation.network.eject[relation.destination[address]])
            if relation.vcs.router[at] == home:
                continue
            faulty = planted(relation, at, address)
            verdict = check(faulty, "vct")
            assert verdict.deadlock_free == (deadlock(faulty, "vct") is None)
            accept_verdict(faulty, verdict)
            caught += not verdict.deadlock_free
    assert caught > 0
