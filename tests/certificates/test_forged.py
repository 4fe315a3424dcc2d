"""Certificates that claim a little more than is true, one for each place of the plain checker that must notice."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import relations, table_relation
from unknot.certificates import Rejected, document, plain, verdict_claim
from unknot.certificates.documents import network_of, table_of
from unknot.network import Network
from unknot.network.families import mesh, ring
from unknot.routing import EJECT, Relation, dimension_order, duato
from unknot.routing.flow_controls import bubble
from unknot.synthesis import every_size
from unknot.verify import check
from unknot.verify.protocols import check_protocol, protocol
from unknot.verify.protocols.evidence import claims
from unknot.verify.update import update

TWO = {"name": "two", "routers": 2, "source": [0, 1], "target": [1, 0], "inject": [0, 0, 1], "eject": [0, 0, 1]}
CIRCLE = Network("circle", 4, [0, 1, 2, 3], [1, 2, 3, 0])


def one_way() -> Relation:
    """Shortest paths round a cycle of four routers, which deadlock."""
    places = {**{at: (at + 1) % 4 for at in range(4)}, **{4 + t: t for t in range(4)}}
    return table_relation(
        CIRCLE, 1, {(at, a): [EJECT if router == a else router] for at, router in places.items() for a in range(4)}
    )


def size(relation: Relation, switching: str, least: int, held: int) -> str:
    """What is shown of the claim that no deadlock has fewer packets, and no such one fewer VCs."""
    claim = {"subject": "size", "switching": switching, "least": least, "held": held, "proof": {}}
    return plain.accept(document(relation.network, relation, [claim]))[0]


def test_flows_between_the_same_routers_add_up() -> None:
    sent, parts, whole, largest = plain.flow_amounts(plain.Network(TWO), [[0, 2, 0.5], [1, 2, 1.5], [2, 0, 1.25]])
    assert (sent, parts, whole, largest) == ([{1: 5}, {0: 8}], 4, 1, 6)


def test_each_channel_has_its_capacity() -> None:
    network = plain.Network(TWO)
    assert plain.capacities(network, None) == [1, 1]
    assert plain.capacities(network, [0.5, 3]) == [Fraction(1, 2), 3]
    for wrong in ([1], [1, 1, 1], [1, 0], "11"):
        with pytest.raises(Rejected, match="capacity: "):
            plain.capacities(network, wrong)


def test_a_candidate_that_is_never_waited_for_is_not_there_twice() -> None:
    assert plain.joined([-3, 4, -1], [1, 4, 2, -6, -1, -2]) == [-3, 4, -1, 2, -2]


def test_channels_may_have_no_vc() -> None:
    """Nothing is sent to terminal 0 of a line, so that the channel to it needs none."""
    network = plain.Network({**TWO, "inject": [0, 1], "eject": [0, 1]})
    states = [[[1, plain.EJECT]], [[0, plain.EJECT], [1, 0], [2, plain.EJECT]]]
    about = {"vcs": [1, 0], "commits": False, "destination": [0, 1], "sources": [[0], [0, 1]], "states": states}
    assert plain.Table(network, about).channel == [0]
    twice = [[[at, row, row] for at, *row in rows] for rows in states]
    assert plain.Mixed(network, {"relation": {**about, "states": twice}}).either.channel == [0]


@pytest.mark.parametrize("switching", plain.SWITCHINGS)
def test_the_smallest_deadlock_of_a_one_way_ring(switching: str) -> None:
    """Of four channels: two packets that hold two of them each, or four where a packet is in one."""
    relation, packets = one_way(), 2 if switching.startswith("wormhole") else 4
    more = ", nor one of 2 packets fewer than 4 VCs" if packets == 2 else ""
    shown = f"no deadlock under {switching} has fewer than {packets} packets{more}"
    assert size(relation, switching, packets, 4).partition(": ")[2] == shown
    with pytest.raises(Rejected, match=f"{packets} packets may wait for each other, and not {packets + 1} at least"):
        size(relation, switching, packets + 1, packets + 1)
    with pytest.raises(Rejected, match=f"{packets} packets may wait for each other on 4 VCs or fewer"):
        size(relation, switching, packets, 5)
    with pytest.raises(Rejected, match="4 packets hold 4 VCs at least, and not 3"):
        size(relation, switching, 4, 3)
    fewer = size(relation, switching, 1, 9)  # there are no deadlocks of one packet, so none that holds few VCs
    assert fewer.endswith("has fewer than 1 packets, nor one of 1 packets fewer than 9 VCs")


def test_headers_that_keep_a_choice_wait_for_it_alone() -> None:
    """By Duato's escape nothing deadlocks, unless a header queues behind another packet for one candidate."""
    relation = duato(mesh(2, 2), 2)
    assert size(relation, "wormhole", 99, 99).endswith("has fewer than 99 packets")
    with pytest.raises(Rejected, match="packets may wait for each other, and not 99 at least"):
        size(relation, "wormhole-nonatomic", 99, 99)


def accepted(claim: dict[str, Any], **changes: Any) -> str:
    """What is shown of a claim about two routings of a mesh of four routers, with other entries."""
    return plain.accept(document(mesh(2, 2), None, [claim | changes]))[0]


def test_packets_follow_the_old_routing_before_the_new_one() -> None:
    """Two cycles of four packets: from each router one by the old routing, and one once the router is updated."""
    base, other = dimension_order(mesh(2, 2)), dimension_order(mesh(2, 2), order=[1, 0])
    deadlock, batches = update(base, other).claims
    before, after = (
        [{"source": t, "address": 3 - t, "lead": [], "held": [v], "wanted": [w]} for t, (v, w) in enumerate(ends)]
        for ends in (((0, 3), (2, 1), (4, 7), (6, 5)), ((1, 4), (3, 6), (5, 0), (7, 2)))
    )
    proof = {"updated": [0, 1, 2, 3], "messages": [*before, *after]}
    assert accepted(deadlock, proof=proof).endswith("deadlock under vct while routers are updated")
    late = [after[1], *before, after[0], *after[2:]]
    for wrong in ({"messages": late}, {"updated": [0, 2, 3]}):
        with pytest.raises(Rejected, match="its router has not got yet, or no longer has"):
            accepted(deadlock, proof=proof | wrong)
    with pytest.raises(Rejected, match="the moments do not show 'any order'"):
        accepted(batches, how="any order", proof={"moments": batches["proof"]["moments"][:1]})


def test_a_header_that_keeps_its_choice_waits_for_one_candidate() -> None:
    table = plain.Table(plain.Network(network_of(CIRCLE)), table_of(one_way()))
    messages = [
        {"source": at, "address": (at + 2) % 4, "lead": [], "held": [at], "wanted": [(at + 1) % 4]} for at in range(4)
    ]
    removed, kept = plain.knot_clause(table, plain.SWITCHINGS["wormhole-nonatomic"], messages)
    assert (len(removed), kept) == (8, set())
    messages[0]["wanted"] = [1, 2]
    with pytest.raises(Rejected, match="wanted: a list of 1 whole numbers"):
        plain.knot_clause(table, plain.SWITCHINGS["wormhole-nonatomic"], messages)


@pytest.mark.parametrize(("kind", "more"), [("all_to_all", ""), ("all_gather", ", if members alone copy and add up")])
def test_a_time_that_channels_need_and_a_longer_one(kind: str, more: str) -> None:
    """Two members have a byte for each other, and a channel each way."""
    claim = {"kind": kind, "nodes": 2, "members": [0, 1], "root": None, "size": [1, 1], "time": [1, 1]}
    claim["channels"] = [[0, 1, 1, 1, 0, 1], [1, 0, 1, 1, 0, 1]]
    shown = plain.check_collective(claim, {"lengths": [1, 1]})
    assert shown == f"{kind} of 2 members, size 1: not below 1{more}"
    assert plain.check_collective(claim, {"cut": [0]}) == f"{kind} of 2 members, size 1: not below 1"
    with pytest.raises(Rejected, match="lengths: "):
        plain.check_collective(claim, {"lengths": [10**12, 1]})
    for time, proof in product(([2, 1], [1001, 1000]), ({"lengths": [1, 1]}, {"cut": [0]})):
        with pytest.raises(Rejected, match="it may take less"):
            plain.check_collective({**claim, "time": time}, proof)


def queues(network: Network, outstanding: int) -> plain.Ends:
    """Terminals that send requests of one message and replies on shared VCs, with queues of one message each."""
    described = protocol("request_reply(depth=1, outstanding=1)")
    (claim,) = claims(check_protocol(dimension_order(mesh(2)), described))
    table = plain.Table(plain.Network(network_of(network)), table_of(dimension_order(network)))
    return plain.Ends(table, {**claim["protocol"], "outstanding": outstanding})


def test_each_state_of_two_terminals_is_explored() -> None:
    assert [plain.emptied(queues(mesh(2), most), plain.SWITCHINGS["vct"]) for most in (1, 2)] == [47, 413]
    with pytest.raises(Rejected, match="there is a state from which not all messages can leave"):
        plain.emptied(queues(mesh(2), 3), plain.SWITCHINGS["vct"])
    alone = queues(mesh(2), 1)
    alone.limit, alone.begins = None, [["request"]]
    for rule in alone.classes.values():
        rule["follows"] = []
    assert (
        plain.emptied(alone, plain.SWITCHINGS["vct"]) == 64
    )  # each terminal's send queue, VC and receive queue, empty or not


def test_messages_that_hold_several_places_are_worms_of_wormhole() -> None:
    for switching, worms in (("wormhole", True), ("wormhole", False), ("vct", False)):
        assert plain.Play(queues(mesh(2), 1), [], plain.SWITCHINGS[switching], worms).held == {}
    with pytest.raises(Rejected, match="worms are those of wormhole"):
        plain.Play(queues(mesh(2), 1), [], plain.SWITCHINGS["vct"], True)


@pytest.mark.parametrize(("most", "why"), [(12, "2 classes of 5 terminals are more"), (13, "VCs are more than")])
def test_queues_of_many_terminals_are_not_checked(most: int, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = queues(mesh(5), 1)
    for file in ("ends", "tables"):
        monkeypatch.setattr(f"unknot.certificates.plain.{file}.MOST_VCS", most)
    with pytest.raises(plain.Unchecked, match=why):
        plain.extended(ends, 1, [])


def test_queues_of_terminals_are_routers_of_their_own() -> None:
    """Two routers, then the terminals, and for worms the second place of each queue: to send, then to receive."""
    short, long = (plain.extended(queues(mesh(2), 1), stages, []).network for stages in (1, 2))
    assert (short.routers, short.source, short.target) == (4, [0, 1, 2, 3, 0, 1], [1, 0, 0, 1, 2, 3])
    assert long.source == [0, 1, 2, 3, 4, 5, 0, 1, 6, 7]
    assert (long.routers, long.target) == (8, [1, 0, 4, 5, 0, 1, 6, 7, 2, 3])


def test_what_is_no_pair_is_not_among_all_pairs() -> None:
    pairs = plain.AllPairs(plain.Network(TWO))
    assert [pair in pairs for pair in ((0, 1), (1, 0), (0, 0), (0,), (0, 1, 1), None)] == [True, True, *[False] * 4]


def test_what_is_said_has_a_thousand_characters_at_most() -> None:
    assert len(str(Rejected("why " * 1000))) == 1000


def test_an_escape_is_not_enough_for_worms() -> None:
    """By vct lcfaa is free on meshes of every size; by wormhole it deadlocks on 3 by 3."""
    claim = every_size("mesh(2)", "lcfaa", "vct").claim
    plain.check_rule(claim, claim["proof"])
    worms = claim | {"switching": "wormhole", "proof": claim["proof"] | {"kind": "drain"}}
    with pytest.raises(Rejected, match="drain: the escape rises after the hop"):
        plain.check_rule(worms, worms["proof"])


@given(relations(), st.data())
def test_the_level_of_a_state_is_that_of_a_walk_over_ranks_as_high(relation: Relation, data: st.DataObject) -> None:
    table = plain.Table(plain.Network(network_of(relation.network)), table_of(relation))
    rank = data.draw(st.lists(st.integers(0, 4), min_size=table.vcs, max_size=table.vcs))

    def waits(at: int, address: int, low: int) -> bool:
        """Whether a header comes over ranks as high to where it waits for ranks as high alone."""
        reached = plain.closure(
            [at], lambda here: [v for v in table.may[address].get(here, ()) if v != plain.EJECT and rank[v] >= low]
        )
        choices = [one for here in reached for one in table.choices(here, address) if plain.EJECT not in one]
        return any(min(rank[v] for v in choice) >= low for choice in choices)

    for address, may in enumerate(table.may):
        levels = {at: max((low for low in range(5) if waits(at, address, low)), default=None) for at in may}
        level = plain.drain_levels(table, address, rank)
        assert level == {at: low for at, low in levels.items() if low is not None}


def test_ranks_of_bubbles_are_those_of_all_vcs() -> None:
    relation = dimension_order(ring(4), dateline="none")
    claim = verdict_claim(check(relation, flow=bubble(relation, "localised")))
    for rank in (claim["proof"]["rank"][:-1], [*claim["proof"]["rank"], 0]):
        with pytest.raises(Rejected, match="rank"):
            plain.accept(document(relation.network, relation, [claim | {"proof": claim["proof"] | {"rank": rank}}]))


def test_candidates_of_the_routing_before_are_waited_for_only_where_the_new_one_has_none() -> None:
    """Who came to a router before it was updated may be beside the old candidates, but waits for the new ones."""
    base, other = dimension_order(mesh(2, 2)), dimension_order(mesh(2, 2), order=[1, 0])
    claim, _ = update(base, other).claims
    mixed = plain.Mixed(plain.Network(network_of(base.network)), claim)
    address, at = next((a, p) for a, rows in enumerate(mixed.answers) for p, (old, new) in rows.items() if old != new)
    old, new = mixed.answers[address][at]
    here = {mixed.router[at]}

    def after(passed: set[int]) -> tuple[set[int], list[int]]:
        table = mixed.table(here, set(), passed, set())
        return set(table.may[address][at]), table.waits[address][at]

    assert after(here) == ({*old, *new}, new)
    assert after(set()) == (set(new), new)
    assert [mixed.table(set(), updating, set(), set()).commits for updating in (set(), here)] == [False, True]
    mixed.answers[address][at] = old, []
    assert after(here) == (set(old), old)
