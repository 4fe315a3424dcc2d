"""Pieces of the plain checker by themselves, each against what its definition says of a system of a few places."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tests.certificates.test_forged import CIRCLE, TWO, one_way
from unknot.certificates import Rejected, document, plain
from unknot.certificates.documents import network_of, table_of
from unknot.network import from_edges
from unknot.network.families import mesh
from unknot.routing import dimension_order
from unknot.verify.update import update


def test_loads_are_flows_over_capacities() -> None:
    network, flows = plain.Network(TWO), [[0, 2, 0.5], [1, 2, 1.5], [2, 0, 1.25]]
    assert plain.load_shown(network, flows, [0.5, 3], [1, 2]) == Fraction(9, 13)
    assert plain.load_shown(network, flows, [0.5, 3], [0, 0]) == Fraction(1, 2)
    assert plain.load_shown(network, flows, None, [1, 0]) == 2
    line = plain.Network(network_of(from_edges([(0, 1), (1, 2)], directed=True)))
    assert plain.load_shown(line, [[0, 2, 1], [1, 2, 1]], None, [0, 1]) == 2, (
        "nothing is sent to the first two routers"
    )
    with pytest.raises(Rejected, match="no way to router 0 for something"):
        plain.load_shown(plain.Network({**TWO, "source": [0], "target": [1]}), flows, None, [1])


def test_proofs_without_entries_show_that_nothing_is_needed() -> None:
    table = plain.Table(plain.Network(network_of(CIRCLE)), table_of(one_way()))
    changes, nothing = {"kind": "pairs"}, {"cycles": [], "paid": []}
    escapes, no_knot = {"switching": "vct", "minimal": True}, {"knots": list[Any]()}
    shown = plain.check_changes(table, {**changes, "least": 0}, nothing)
    assert shown == "at least 0 pairs change where all routes fit into one lane"
    shown = plain.check_escapes(table, {**escapes, "least": 0}, no_knot)
    assert shown == "can deadlock under vct with fewer than 0 added VCs that lead nearer to turn to"
    assert not plain.check_escapes(table, {**escapes, "minimal": False, "least": 0}, no_knot).count("nearer")
    with pytest.raises(Rejected, match="do not add up to 1"):
        plain.check_changes(table, {**changes, "least": 1}, nothing)
    for kept in ({**escapes, "switching": "wormhole-nonatomic"}, escapes):
        table.commits = kept is escapes
        with pytest.raises(Rejected, match="keeps its choice"):
            plain.check_escapes(table, {**kept, "least": 0}, no_knot)
    table.commits = False
    with pytest.raises(Rejected, match="more than 0 added VCs"):
        plain.check_escapes(table, {**escapes, "least": 1}, no_knot)


def test_changes_are_paid_where_they_are_made() -> None:
    """A changed route is its sender's, with turns anywhere; changed entries are those at a route's first turn."""
    table = plain.Table(plain.Network(network_of(CIRCLE)), table_of(one_way()))

    def shown(kind: str, amount: int, *paid: tuple[int, int, int, int]) -> str:
        proof = {"cycles": [[0, 1, 2, 3, amount]], "paid": [[*one, amount] for one in paid]}
        return plain.check_changes(table, {"kind": kind, "least": 1}, proof)

    first = (0, 1, 0, 3), (1, 2, 1, 3), (2, 3, 2, 1), (3, 0, 3, 1)
    assert shown("pairs", plain.PARTS, *first).startswith("at least 1 pairs change")
    assert shown("entries", plain.PARTS // 2, *first).startswith("at least 1 entries change")
    with pytest.raises(Rejected, match="a change pays more than 1"):
        shown("entries", plain.PARTS, *first)
    later = (0, 1, 0, 3), (1, 2, 0, 3), (2, 3, 2, 1), (3, 0, 2, 1)
    assert shown("pairs", plain.PARTS // 2, *later).startswith("at least 1 pairs change")
    with pytest.raises(Rejected, match="a change pays more than 1"):
        shown("pairs", plain.PARTS // 2 + 1, *later)
    with pytest.raises(Rejected, match="terminal 0 and address 3 do not remove the turn 1, 2"):
        shown("entries", plain.PARTS // 2, *later)


@pytest.mark.parametrize("switching", plain.SWITCHINGS)
def test_packets_of_a_deadlock_while_routers_are_updated_wait_for_what_they_say(switching: str) -> None:
    base = dimension_order(mesh(2, 2))
    claim, *_ = update(base, dimension_order(mesh(2, 2), order=[1, 0]), switching).claims
    content = document(base.network, None, [claim])
    assert f"deadlock under {switching} while routers are updated" in plain.accept(content)[0]
    message = content["claims"][0]["proof"]["messages"][0]
    for wrong in ([], [message["held"][0]], [*message["wanted"], message["held"][0]]):
        message["wanted"] = wrong
        with pytest.raises(Rejected, match="packet 1 does not wait at"):
            plain.accept(content)


def test_paths_after_failures_enter_no_system_again() -> None:
    """Where a limit allows an AS more than once, a path may enter it again, but never goes back."""
    row = {**TWO, "routers": 3, "source": [0, 1, 1, 2], "target": [1, 0, 2, 1], "inject": [0, 2], "eject": [0, 2]}
    nothing: dict[str, Any] = {"channels": [], "routers": []}
    about = {"kind": "links", "more": 0, "failed": nothing, "kept": nothing, "unless": []}
    for systems, limit, forward in (([65001, 65002, 65003], 0, True), ([65001, 65002, 65001], 0, False),
                                    ([65001, 65002, 65001], 1, True)):  # fmt: skip
        failures = plain.AnnouncedRoutes(plain.Network(row), {**about, "systems": systems, "limit": limit})
        assert [*failures.following(0)] == [2] * forward


def test_a_packet_that_is_granted_waits_for_that_alone() -> None:
    table = plain.Table(plain.Network(network_of(CIRCLE)), table_of(one_way()))
    packet = {"source": 0, "address": 1, "way": [0]}
    assert plain.sent_to(table, packet, -2) == [4, 0]
    assert plain.sent_to(table, {**packet, "way": []}, 0) == [4]
    for to in (-1, -3, 1):
        with pytest.raises(Rejected, match="does not wait for what is granted"):
            plain.sent_to(table, packet, to)


def test_a_member_that_holds_nothing_of_a_chunk_has_not_received_it() -> None:
    """The only part has the number 1, which nothing must be taken for."""
    claim = {"kind": "broadcast", "nodes": 2, "channels": [[0, 1, 1, 1, 0, 1]], "members": [0, 1], "root": 0}
    about = {**claim, "size": [1, 1], "time": [1, 1]}
    sent = {"chunks": [[1, 1, 0, None]], "steps": [[[0, 0, 1, False, [0]]]]}
    assert plain.check_schedule(about, sent).endswith("done in 1")
    with pytest.raises(Rejected, match="member 1 does not end with all of chunk 0"):
        plain.check_schedule(about, {**sent, "steps": []})


def test_blocks_and_groups_are_not_of_every_operation() -> None:
    channels = [[a, b, 1, 1, 0, 1] for a in range(4) for b in range(4) if a != b]
    claim = {"nodes": 4, "channels": channels, "members": [0, 1, 2, 3], "root": None}
    claim |= {"size": [1, 1], "time": [1, 1]}
    blocks = {"blocks": [[[1, 1]] * 4] * 4}
    groups = {"groups": [[0, 1], [2, 3]]}
    assert plain.Collective({**claim, "kind": "all_to_all", **blocks}).due
    assert plain.Collective({**claim, "kind": "all_to_all", **groups}).grouped
    rooted = {"kind": "broadcast", "root": 0, **groups}
    for wrong in ({"kind": "all_gather", **blocks}, {"kind": "all_to_all", **blocks, **groups}, rooted):
        with pytest.raises(Rejected, match="groups and blocks are for other operations"):
            plain.Collective({**claim, **wrong})
    for rows in ([[[1, 1]] * 4] * 3, [[[1, 1]] * 4, 4, [[1, 1]] * 4, [[1, 1]] * 4]):
        with pytest.raises(Rejected, match="a row and a column for each member"):
            plain.Collective({**claim, "kind": "all_to_all", "blocks": rows})


def test_the_work_on_a_tree_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three nodes, of which two leaves have one entry fixed, and in each two facts of one and two entries."""
    facts: Any = [({(0, 1, 2)}, set()), ({(0, 1, 3)}, {(4, 5)})]
    tree = [{"entry": [0, 1, 2]}, *[{"multipliers": [[0, 10**9], [1, 0]]}] * 2]
    for entry in ([0], [0, 1, 2, 3], [0, 1, 2**62]):
        with pytest.raises(Rejected, match="entry"):
            plain.removals_shown(facts, [{"entry": entry}, *tree[1:]])
    monkeypatch.setattr("unknot.certificates.plain.worms.SEARCH_STEPS", 3 + 2 * plain.KEEPING + 2 * (2 + 3))
    assert plain.removals_shown(facts, tree) == 1
    monkeypatch.setattr("unknot.certificates.plain.worms.SEARCH_STEPS", plain.SEARCH_STEPS - 1)
    with pytest.raises(plain.Unchecked, match="steps is too large"):
        plain.removals_shown(facts, tree)


def test_worms_that_lead_to_the_same_are_followed_once() -> None:
    """Thirty VCs in a row, each held by two worms that wait for the next; nothing holds the last."""
    ahead = {v: frozenset({v + 1}) for v in range(30)}
    worms: Any = {v: {(frozenset({v}), then), (frozenset({v}), then | {v})} for v, then in ahead.items()}
    steps = plain.Steps()
    assert not plain.holdable(0, {**worms, 30: set()}, steps)
    assert plain.SEARCH_STEPS - steps.left < 1000
    assert plain.holdable(0, {**worms, 30: {(frozenset({30}), frozenset({0}))}}, steps)


def test_the_first_channel_counts_for_the_oldest_packet() -> None:
    """The only channel is VC 0: a packet waits there for the one before it, and that one for ejection."""
    network = plain.Network({**TWO, "source": [0], "target": [1], "inject": [0, 1], "eject": [0, 1]})
    for last, times in (([plain.EJECT], [6, 3]), ([], [4, 1])):  # without a candidate nothing is waited for
        states = [[[0, *last], [1, 0]]]
        about = {"vcs": [1], "commits": False, "destination": [1], "sources": [[0]], "states": states}
        table = plain.Table(network, about)
        assert [plain.hop_times(table, how, 1) for how in ("round_robin", "oldest_first")] == times


def mesh_rules(least: int, **changes: Any) -> plain.Rules:
    """The clauses of rules in one dimension with two types up and one down."""
    claim = {"counts": [[2, 1]], "short": False, "adaptive": "paths", "least": least, "symmetric": []}
    return plain.Rules({**claim, **changes})


def test_clauses_of_a_path_follow_it_type_by_type() -> None:
    rules = mesh_rules(2)
    for wrong in ([[0, 1, 1]], [[0]], [[0, 1], [0, -1]], [[1, 1]], [[0, 0]], [], 1):
        with pytest.raises(Rejected, match="path"):
            rules.path(wrong)
    begin = len(rules.clauses)
    rules.path([[0, 1], [0, 1]])
    on = [[rules("on", 0, k, out) for out in (0, 1)] for k in (0, 1)]
    expected = [(*on[0],), *((-on[0][out], rules("hop", (-1, (1,), out))) for out in (0, 1)), (*on[1],)]
    ends = product((0, 1), repeat=2)
    expected += [(-on[0][a], -on[1][b], rules("hop", (a, (1,), b))) for a, b in ends]
    assert rules.clauses[begin:] == expected
    assert mesh_rules(1).clauses[-1] == tuple(mesh_rules(1)("all", (sign,)) for sign in (1, -1))


def test_types_of_one_dimension_lead_back_if_as_many_go_up_as_down() -> None:
    rules = mesh_rules(2)
    assert rules.cycle([0, 2])
    for wrong in ([0], [0, 1], [0, 1, 2], []):
        with pytest.raises(Rejected, match="do not lead back"):
            rules.cycle(wrong)


def test_rules_of_three_dimensions_may_be_adaptive_in_all_classes() -> None:
    assert mesh_rules(8, counts=[[1, 1]] * 3).full


def test_rules_are_as_symmetric_as_a_claim_says() -> None:
    """Both images of two add clauses: the exchange of directions, and that of dimensions."""
    both = [[1, 0, 3, 2], [2, 3, 0, 1]]
    counts = [[1, 1], [1, 1]]
    for image in both:
        alone = mesh_rules(4, counts=counts, symmetric=[image])
        rules = mesh_rules(4, counts=counts, symmetric=both)
        images = {(-rules("hop", hop), rules("hop", rules.moved(image, hop))) for hop in rules.hops}
        assert images <= {*rules.clauses}
        assert len(alone.clauses) < len(rules.clauses)


def test_what_follows_a_hop_of_a_class_is_of_that_class() -> None:
    rules = mesh_rules(1, adaptive="states")
    assert not any(None in meaning for meaning in rules.number)
    for hop in rules.hops:
        for then in rules.comes(hop):
            for onward in ((*then, out) for out in rules.outs(*then)):
                kind = plain.class_of(hop[1])
                clause = -rules("of", kind, hop), -rules("hop", onward), rules("of", kind, onward)
                assert clause in rules.clauses


def test_a_packet_holds_one_vc_unless_it_is_a_worm() -> None:
    rules = mesh_rules(2, counts=[[1, 1], [1, 1]])
    message = {"source": [0, 0], "target": [1, 1], "way": [0], "holds": 1}
    two = {"source": [0, 0], "target": [2, 1], "way": [0, 2], "holds": 2}
    for name, whole in (("saf", False), ("vct", False), ("wormhole", True)):
        switching = plain.SWITCHINGS[name]
        assert rules.deadlock(switching, [message])
        if whole:
            assert rules.deadlock(switching, [two])
            continue
        with pytest.raises(Rejected, match=f"comes over 2 VCs holds 2 under {switching}"):
            rules.deadlock(switching, [two])


def test_offsets_of_ranks_have_a_range() -> None:
    rules = mesh_rules(2)
    level = {"gradient": [[1], [0], [-1]], "offset": [-(2**60), 0, 2**60 - 1]}
    assert plain.Ranks(rules, [level]).rises([0], [1], strict=True)
    for wrong in (2**60, -(2**60) - 1):
        with pytest.raises(Rejected, match="offset"):
            plain.Ranks(rules, [{**level, "offset": [0, wrong, 0]}])


def test_packets_to_a_terminal_go_on_by_one_channel() -> None:
    """Where two channels lead on from a channel, each has a variable of its own for what follows."""
    network = mesh(3, 3)
    about = {"lanes": 1, "changes": "none", "table": False, "flows": None, "least": [1, 1], "capacity": None}
    encoder = plain.LoadEncoder(plain.Network(network_of(network)), about)
    encoder.serve((0, 8), 1)
    begun = plain.closure(encoder.begin((0, 8)), lambda c: encoder.after((0, 8), c))
    forks = {(c, e) for c in begun for e in encoder.after((0, 8), c) if len(encoder.after((0, 8), c)) > 1}
    known = {meaning[1:]: number for meaning, number in encoder.number.items() if meaning[0] == "next"}
    assert {*known} == {((0, c), 8, e) for c, e in forks}
    assert len(forks) == 8
    assert not any(None in meaning for meaning in encoder.number)
    before = len(encoder.clauses)
    encoder.limit()
    added = {frozenset(clause) for clause in encoder.clauses[before:]}
    assert all(
        frozenset((-known[(0, c), 8, e], -known[(0, c), 8, f])) in added for c, e in forks for d, f in forks
        if c == d and e != f
    )  # fmt: skip


@pytest.mark.parametrize("turns", [[], [[0, 1, 0]], [[0, 1, 0, 2, 0]], [[0, 1, 0, 2], [1]]])
def test_turns_are_four_numbers(turns: list[list[int]]) -> None:
    encoder = plain.Encoder(plain.Network(network_of(CIRCLE)), 1)
    with pytest.raises(Rejected, match="turn"):
        plain.check_turns(encoder, {(0, 2)}, turns)


def test_corners_of_a_short_mesh_are_0_and_1() -> None:
    message = {"source": [2, 0], "target": [0, 0], "way": [1], "holds": 1}
    large, short = (mesh_rules(2, counts=[[1, 1], [1, 1]], short=short) for short in (False, True))
    assert large.deadlock(plain.SWITCHINGS["vct"], [message])
    with pytest.raises(Rejected, match="source: "):
        short.deadlock(plain.SWITCHINGS["vct"], [message])


@pytest.mark.parametrize("corner", [0, 2**31 - 2])
def test_packets_around_a_square_of_any_mesh(corner: int) -> None:
    square = [(0, 0), (1, 0), (1, 1), (0, 1)]
    ends = [[[corner + x for x in square[(i + k) % 4]] for k in (0, 2)] for i in range(4)]
    messages = [
        {"source": a, "target": b, "way": [w], "holds": 1} for (a, b), w in zip(ends, (0, 2, 1, 3), strict=True)
    ]
    rules = mesh_rules(4, counts=[[1, 1], [1, 1]])
    hops = {(-1, (1, 1), 0), (-1, (-1, 1), 2), (-1, (-1, -1), 1), (-1, (1, -1), 3)}
    assert rules.deadlock(plain.SWITCHINGS["vct"], messages) == {(False, hop) for hop in hops}
    for holds in (0, 2):
        with pytest.raises(Rejected, match=f"holds {holds} under vct"):
            rules.deadlock(plain.SWITCHINGS["vct"], [{**messages[0], "holds": holds}, *messages[1:]])
    with pytest.raises(Rejected, match="source: "):
        rules.deadlock(plain.SWITCHINGS["vct"], [{**messages[0], "source": [2**31, 0]}, *messages[1:]])


VCT = plain.SWITCHINGS["vct"]


def round_circle(rule: str, packets: int, *unguarded: int) -> tuple[plain.Table, plain.Pools]:
    """A cycle of four VCs as one ring; places 4 to 7 are the ports of terminals."""
    table = plain.Table(plain.Network(network_of(CIRCLE)), table_of(one_way()))
    about = {"rule": rule, "packets": packets, "rings": [[0, 1, 2, 3]], "unguarded": [*unguarded]}
    flow = plain.flow_of({"bubble": about})
    return table, plain.Pools(table.vcs, flow.packets, flow.pools)


def test_what_room_is_kept_in_a_ring() -> None:
    """Who enters leaves a packet's room, but not by the unguarded VC; packets of the ring need none."""
    _, rings = round_circle("localised", 2, 3)
    assert [rings.room(4, 0), rings.room(3, 0), rings.room(7, 3)] == [True] * 3
    for packet, at in ((1, 4), (2, 7)):
        rings.move(packet, at, at - 4)
    assert [rings.room(4, 0), rings.room(3, 0), rings.room(7, 3)] == [False, True, True]
    _, rings = round_circle("global", 1, 3)
    for packet, at, free in ((1, 4, True), (2, 5, True), (3, 6, False)):
        rings.move(packet, at, at - 4)
        assert [rings.room(6, 2), rings.room(2, 3), rings.room(7, 3)] == [free, True, True]


def test_a_mark_goes_back_when_a_packet_of_the_ring_takes_the_last_slot() -> None:
    _, rings = round_circle("critical", 2, 3)
    assert (rings.marked, rings.room(4, 0)) == ([0], True)
    rings.move(1, 4, 0)
    assert (rings.marked, rings.room(4, 0), rings.room(3, 0)) == ([0], False, True)
    for packet in (2, 3):
        rings.move(packet, 7, 3)
    rings.move(1, 0, 1)
    rings.move(2, 3, 0)
    assert rings.marked == [0]
    rings.move(3, 3, 0)
    assert (rings.marked, rings.queues[0], rings.queues[3]) == ([3], [2, 3], [])


@pytest.mark.parametrize("second", [4, 9])
@pytest.mark.parametrize("packets", [1, 2])
def test_a_packet_enters_a_ring_that_is_empty_below_it(packets: int, second: int) -> None:
    """VC 0 leads to a ring of two, whose other VC is full if it is above; then an empty VC is not room for two."""
    row = {**TWO, "routers": 3, "source": [0, 1, 2], "target": [1, 2, 1], "inject": [0, 2], "eject": [0, 2]}
    states = [[[3, 0], [0, 1], [1, plain.EJECT]]]
    about = {"vcs": [1] * 3, "commits": False, "destination": [1], "sources": [[0]], "states": states}
    table = plain.Table(plain.Network(row), about)
    flow = plain.flow_of({"bubble": {"rule": "global", "packets": packets, "rings": [[1, 2]], "unguarded": []}})
    proof = {"kind": "bubble", "rank": [5, 3, second]}
    if packets == 2 or second == 4:
        plain.check_free(table, flow, proof)
        return
    with pytest.raises(Rejected, match="for nothing that drains"):
        plain.check_free(table, flow, proof)


@pytest.mark.parametrize("first", [0, 1])
def test_a_mark_stays_where_no_packet_of_its_ring_moves(first: int) -> None:
    """Packets go to terminal 3, but never from VC 3 to 0; so the only slot of VC 0 is marked, and of no other."""
    network, senders = plain.Network(network_of(CIRCLE)), [*range(first, 3)]
    states = [[*([4 + t, t] for t in senders), *([t, t + 1] for t in senders[:-1]), [2, plain.EJECT]]]
    about = {"vcs": [1] * 4, "commits": False, "destination": [3], "sources": [senders], "states": states}
    table = plain.Table(network, about)
    flow = plain.flow_of({"bubble": {"rule": "critical", "packets": 1, "rings": [[0, 1, 2, 3]], "unguarded": []}})
    proof = {"kind": "bubble", "rank": [3, 2, 1, 0]}
    if first:
        plain.check_free(table, flow, proof)
        return
    with pytest.raises(Rejected, match="waits at the injection port of terminal 0 for nothing that drains"):
        plain.check_free(table, flow, proof)


def test_a_packet_of_a_ring_goes_where_its_candidates_lead() -> None:
    ahead = [{"source": 0, "address": 2, "length": 1, "lead": [], "held": [0], "wanted": [1]} for _ in range(2)]
    for way, why in (
        ([0, 1], "packet 2 cannot go from channel 0"),
        ([3], "cannot go from the injection port of terminal 0"),
    ):
        table, rings = round_circle("critical", 3, 3)
        messages = [ahead[0], {**ahead[1], "held": way}]
        proof = {"reachability": "scheduled", "buffer_depth": 3, "messages": messages}
        with pytest.raises(Rejected, match=why):
            plain.check_queued_deadlock(table, rings, VCT, proof)
    full = [{"source": t, "address": (t + 2) % 4, "length": 1, "lead": [], "held": [t], "wanted": [(t + 1) % 4]}
            for t in range(4)]  # fmt: skip
    proof = {"reachability": "scheduled", "buffer_depth": 1, "messages": full}
    plain.check_queued_deadlock(*round_circle("global", 1, 0, 1, 2, 3), VCT, proof)
    for elsewhere in ({"source": 4}, {"address": 4}):
        foreign = {**proof, "messages": [full[0] | elsewhere, *full[1:]]}
        with pytest.raises(Rejected, match="begins at a terminal that sends to its address"):
            plain.check_queued_deadlock(*round_circle("global", 1, 0, 1, 2, 3), VCT, foreign)
    with pytest.raises(Rejected, match="packet 4 cannot go"):
        plain.check_queued_deadlock(*round_circle("global", 1), VCT, proof)


def test_steps_of_phases_are_of_nodes_and_chunks_that_are_there() -> None:
    claim = {"shape": [2, 2], "phases": [0, 1, 0], "chunks": 2, "slots": 1, "together": False, "fixed_order": False}
    for shape, chunks, step in (([2, 2], 2, [0, 2]), ([2, 1], 3, [2, 0])):
        about = {**claim, "shape": shape, "chunks": chunks, "deadlock_free": False}
        with pytest.raises(Rejected, match="there is no such node, or no such chunk"):
            plain.check_phases(about, {"kind": "run", "run": [step]})


@pytest.mark.parametrize("large", [{"shape": [1] * 100_000}, {"shape": [999, 999], "chunks": 999}])
def test_phases_that_are_too_many_to_follow_are_not_checked(large: dict[str, Any]) -> None:
    claim = {"shape": [2, 2], "phases": [0], "chunks": 2, "slots": 1, "together": False, "fixed_order": False}
    plain.Phased(claim)
    with pytest.raises(plain.Unchecked, match="are more than the"):
        plain.Phased({**claim, **large})
    with pytest.raises(Rejected, match="the list is empty"):
        plain.Phased({**claim, "phases": []})
