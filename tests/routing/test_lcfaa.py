"""LCFAA: what its authors claim, and that wormhole switching refutes it."""

from __future__ import annotations

import itertools

import pytest

from unknot import replay
from unknot._base.errors import RelationError
from unknot.certificates import accept_verdict
from unknot.certificates.verdict import Configuration, Message
from unknot.network import Network
from unknot.network.families import mesh, torus
from unknot.routing import lcfaa
from unknot.verify import check, deliver
from unknot.verify.testing import ConformanceError, check_relation


def test_on_a_line_the_claims_hold() -> None:
    check_relation(lcfaa(mesh(5)), compiled=False)


@pytest.mark.parametrize("network", [mesh(3, 3), mesh(2, 2, 2)], ids=lambda n: n.name)
def test_wormhole_switching_refutes_the_claim_and_whole_packets_bear_it_out(network: Network) -> None:
    relation = lcfaa(network)
    verdicts = {switching: check(relation, switching) for switching in relation.claims}
    assert relation.claims == {"saf": True, "vct": True, "wormhole": True}
    assert {switching: v.deadlock_free for switching, v in verdicts.items()} == {
        "saf": True,
        "vct": True,
        "wormhole": False,
    }
    for verdict in verdicts.values():
        accept_verdict(relation, verdict)
    found = verdicts["wormhole"].configuration
    assert found is not None
    assert found.reachability == "injected"
    assert replay(relation, found).stuck
    delivery = deliver(relation)
    assert delivery.delivered
    assert delivery.minimal
    with pytest.raises(ConformanceError, match="claims that under wormhole it cannot deadlock"):
        check_relation(relation, compiled=False)


def test_the_counterexample_by_hand() -> None:
    """Four worms on a 3 × 3 mesh, written down from the published rules alone."""
    network = mesh(3, 3)
    relation = lcfaa(network)

    def worm(*routers: str, to: str, wants: str) -> Message:
        stops = [network.router(r) for r in routers]
        held = [int(relation.vcs.first[network.between(a, b)[0]]) for a, b in itertools.pairwise(stops)]
        wanted = int(relation.vcs.first[network.between(stops[-1], network.router(wants))[0]])
        return Message(stops[0], network.router(to), len(held) * 4, (), tuple(held), (wanted,))

    messages = (
        worm("(2,2)", "(1,2)", "(1,1)", "(1,0)", to="(0,0)", wants="(0,0)"),
        worm("(1,0)", "(0,0)", to="(0,2)", wants="(0,1)"),
        worm("(0,0)", "(0,1)", "(1,1)", "(2,1)", to="(2,2)", wants="(2,2)"),
        worm("(2,1)", "(2,2)", to="(1,2)", wants="(1,2)"),
    )
    knot = Configuration("wormhole", 4, "injected", messages)
    for message in messages:
        found = relation.candidates(message.held[-1], message.address)
        assert tuple(c.vc for c in found if c.waits) == message.wanted
    assert {vc for m in messages for vc in m.wanted} <= set(knot.holder)
    assert replay(relation, knot).stuck


def test_vcs_at_a_router_inside() -> None:
    for n in (1, 2, 3, 4):
        network = mesh(*[3] * n)
        inside = network.router("(" + ",".join("1" * n) + ")")
        assert lcfaa(network).vcs.counts[network.source == inside].sum() == 3 * n - 1


def test_the_published_cases() -> None:
    network = mesh(3, 3)
    relation = lcfaa(network)

    def offered(place: int, home: str) -> list[tuple[str, int, bool]]:
        return [
            (relation.vcs.name(c.vc), c.tier, c.waits)
            for c in relation.candidates(place, network.router(home))
            if c.vc is not None
        ]

    at = relation.num_vcs + network.router("(1,1)")
    assert offered(at, "(0,0)") == [("(1,1)→(0,1)", 0, True), ("(1,1)→(1,0) VC 0", 0, True)]
    assert offered(at, "(1,2)") == [("(1,1)→(1,2)", 0, True)]
    assert offered(at, "(1,0)") == [("(1,1)→(1,0) VC 0", 0, False), ("(1,1)→(1,0) VC 1", 1, True)]
    on_one = int(relation.vcs.first[network.between(network.router("(1,2)"), network.router("(1,1)"))[0]]) + 1
    assert offered(on_one, "(1,0)") == [("(1,1)→(1,0) VC 1", 1, True)]


def test_rings_are_refused() -> None:
    with pytest.raises(RelationError, match="lcfaa needs a mesh"):
        lcfaa(torus(4, 4))
