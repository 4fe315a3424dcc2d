"""Bounds of collective operations, compared with all cuts, and checked by the plain checker."""

import copy
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from tests.collectives.test_chunks import drawn_platform, operation_on
from unknot._base.errors import NetworkError, UnknotError
from unknot.certificates import Rejected, document
from unknot.certificates.plain import accept
from unknot.network.families import mesh, ring, torus
from unknot_collectives import best, candidates
from unknot_collectives.bounds import bound, left_out
from unknot_collectives.operation import KINDS, ROOTED, Operation
from unknot_collectives.platform import Channel, Platform, platform_of


def must_leave(operation: Operation, inside: set[int]) -> int:
    """Blocks whose owner is inside and that someone outside needs, by listing them."""
    members, root = operation.members, operation.root
    within, without = [m for m in members if m in inside], [m for m in members if m not in inside]
    if operation.kind in ("all_reduce", "barrier"):
        return min(1, len(within) * len(without))
    if operation.kind in ("broadcast", "scatter"):
        blocks = without if root in within else []
        return len(blocks) if operation.kind == "scatter" else min(1, len(blocks))
    if operation.kind in ("reduce", "gather"):
        blocks = within if root in without else []
        return len(blocks) if operation.kind == "gather" else min(1, len(blocks))
    return len([1 for _ in (within if operation.kind == "all_gather" else without)]) if within and without else 0


def by_all_cuts(platform: Platform, operation: Operation) -> Fraction | None:
    worst = Fraction(0)
    for count in range(1, platform.num_nodes):
        for nodes in combinations(range(platform.num_nodes), count):
            inside = set(nodes)
            leaving = sum(
                (c.bandwidth for c in platform.channels if c.source in inside and c.target not in inside), Fraction(0)
            )
            amount = must_leave(operation, inside) * operation.size
            if amount and not leaving:
                return None
            worst = max(worst, amount / leaving if amount else worst)
    if operation.kind in ("all_reduce", "barrier"):
        # Where switches do not add up, members send and receive this much in all.
        members, total = set(operation.members), 2 * (len(operation.members) - 1) * operation.size
        worst = max(worst, total / sum(c.bandwidth for c in platform.channels if c.source in members))
        worst = max(worst, total / sum(c.bandwidth for c in platform.channels if c.target in members))
    return worst


def test_all_cuts_of_small_platforms_are_no_worse() -> None:
    draw, bounded = random.Random(33), 0
    for _ in range(120):
        nodes = draw.randint(2, 6)
        pairs = [(a, b) for a in range(nodes) for b in range(nodes) if a != b and draw.random() < 0.7]
        channels = tuple(Channel(a, b, Fraction(draw.randint(1, 9), draw.randint(1, 4))) for a, b in pairs)
        members = tuple(draw.sample(range(nodes), draw.randint(2, nodes)))
        kind = draw.choice(KINDS[:-1])
        operation = Operation(kind, members, Fraction(7, 3), members[0] if kind in ROOTED else None)
        platform = Platform("drawn", nodes, channels, members)
        expected = by_all_cuts(platform, operation)
        if expected is None:
            with pytest.raises(NetworkError, match="no channel leads"):
                bound(platform, operation)
            continue
        least = bound(platform, operation)
        assert least.time == expected or (least.lengths and least.time > expected), (platform, operation)
        assert accept(document(None, None, [least.claim()]))
        bounded += 1
    assert bounded > 75


def test_terminals_or_the_network_limit_an_all_gather() -> None:
    for width, time in ((1, 961), (4, 241)):
        platform = platform_of(torus(4, 4), terminal=Fraction(width))
        assert bound(platform, Operation("all_gather", platform.members, Fraction(64))).time == time


def damage(claim: dict[str, Any], key: str, entry: object) -> dict[str, Any]:
    other = copy.deepcopy(claim)
    (other["proof"] if key in ("cut", "target") else other)[key] = entry
    return other


@pytest.mark.parametrize(
    ("key", "entry"),
    [
        ("time", [962, 1]), ("time", [960, 0]), ("time", 960), ("size", [63, 1]), ("size", None), ("kind", "scatter"),
        ("kind", "gossip"), ("root", 16), ("nodes", 31), ("nodes", True), ("members", [16]), ("members", [16, 16]),
        ("members", [99, 16]), ("channels", []), ("channels", [[0, 1, 1, 1]]), ("channels", [[0, 99, 1, 1, 0, 1]]),
        ("cut", []),
        ("target", 99), ("target", "all"), ("cut", [32]), ("cut", list(range(32))), ("cut", None),
    ],
)  # fmt: skip
def test_damaged_claims_are_rejected(key: str, entry: object) -> None:
    platform = platform_of(torus(4, 4))
    claim = bound(platform, Operation("all_gather", platform.members, Fraction(64))).claim()
    changed = damage(claim, key, entry)
    if (key, entry) == ("channels", []):  # nothing leaves at all: the time is infinite, and the claim holds
        assert accept(document(None, None, [changed]))
        return
    with pytest.raises(Rejected):
        accept(document(None, None, [changed]))


def test_operations_and_platforms_that_cannot_be() -> None:
    for wrong in (("gossip", (0, 1)), ("all_gather", (0,)), ("all_gather", (0, 0)), ("broadcast", (0, 1))):
        with pytest.raises(UnknotError):
            Operation(*wrong)
    with pytest.raises(UnknotError, match="positive"):
        Operation("all_gather", (0, 1), Fraction(0))
    with pytest.raises(UnknotError, match="no root"):
        Operation("all_gather", (0, 1), root=1)
    for channel in (Channel(0, 2, Fraction(1)), Channel(0, 1, Fraction(0))):
        with pytest.raises(NetworkError):
            Platform("wrong", 2, (channel,), (0, 1))


def without_latency(platform: Platform) -> Platform:
    return replace(platform, channels=tuple(replace(c, latency=Fraction(0)) for c in platform.channels))


def all_to_all(platform: Platform) -> Fraction:
    least = bound(platform, Operation("all_to_all", platform.members))
    claim = least.claim()
    assert accept(document(None, None, [claim]))
    claim["time"] = [least.time.numerator * 1001, least.time.denominator * 1000]
    with pytest.raises(Rejected, match="may take less"):
        accept(document(None, None, [claim]))
    return least.time


def test_all_to_all_on_graphs_whose_optimum_is_known() -> None:
    """On a ring channels share the sum of distances evenly; a terminal receives n - 1."""
    for n in range(3, 8):
        hops = n * sum(min(d, n - d) for d in range(n))
        links = without_latency(platform_of(ring(n), terminal=Fraction(100)))
        assert all_to_all(links) == max(Fraction(hops, 2 * n), Fraction(n - 1, 100))
        assert all_to_all(without_latency(platform_of(ring(n), bandwidth=Fraction(100)))) == n - 1


def test_no_cut_shows_more_than_the_flow() -> None:
    draw = random.Random(34)
    for _ in range(40):
        nodes = draw.randint(2, 5)
        pairs = [(a, b) for a in range(nodes) for b in range(nodes) if a != b and draw.random() < 0.9]
        channels = tuple(Channel(a, b, Fraction(draw.randint(1, 9), draw.randint(1, 4))) for a, b in pairs)
        platform = Platform("drawn", nodes, channels, tuple(range(nodes)))
        cuts = [set(c) for k in range(1, nodes) for c in combinations(range(nodes), k)]
        leaving = [sum(c.bandwidth for c in channels if c.source in s and c.target not in s) for s in cuts]
        if not all(leaving):
            with pytest.raises(NetworkError, match="no flow"):
                all_to_all(platform)
            continue
        worst = max(Fraction(len(s) * (nodes - len(s))) / room for s, room in zip(cuts, leaving, strict=True))
        assert all_to_all(platform) >= worst * Fraction(999_999, 1_000_000)


def test_latencies_raise_bounds_and_no_schedule_is_below() -> None:
    """Cuts and pairs of members, with what a channel can carry while it is of use, against schedules of all kinds."""
    draw, raised = random.Random(), 0
    for _ in range(24):
        plain = without_latency(drawn_platform(draw, nodes=5))
        late = tuple(replace(c, latency=Fraction(draw.randint(0, 9), draw.randint(1, 3))) for c in plain.channels)
        platform = replace(plain, channels=late)
        whole = operation_on(platform, draw.choice(KINDS), Fraction(draw.randint(1, 20), 3))
        least, schedule = bound(platform, whole), best(candidates(platform, whole, pieces=(1, 3)), whole.size)
        quick = bound(platform, whole, quick=True)
        assert accept(document(None, None, [least.claim(), quick.claim(), schedule.claim()])), (platform, whole)
        assert quick.time <= schedule.time, (platform, whole)
        assert bound(plain, whole).time <= least.time <= schedule.time, (platform, whole)
        raised += least.time > bound(plain, whole).time
        claim = least.claim()
        claim["time"] = [least.time.numerator * 1001, least.time.denominator * 1000]
        with pytest.raises(Rejected, match="may take less"):
            accept(document(None, None, [claim]))
    assert raised > 10


def test_two_members_far_apart() -> None:
    """Five hops of latency 3, and a block of 8 over the narrowest end."""
    ends = [(n, n + 1) for n in range(5)] + [(n + 1, n) for n in range(5)]
    line = Platform("line", 6, tuple(Channel(a, b, Fraction(2), Fraction(3)) for a, b in ends), (0, 5))
    least = bound(line, Operation("broadcast", (0, 5), Fraction(8), root=0))
    assert least.time == 5 * 3 + Fraction(8, 2)


def test_what_a_bound_leaves_out_among_many_members_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    platform = platform_of(torus(4, 4))
    gather, pairs = (Operation(kind, platform.members) for kind in ("all_gather", "all_to_all"))
    assert left_out(platform, gather) == left_out(platform, pairs) == ""
    monkeypatch.setattr("unknot_collectives.bounds.MOST_CUTS", 10)
    monkeypatch.setattr("unknot_collectives.bounds.MOST_EVEN", 10)
    assert left_out(platform, pairs).startswith("the bound is by plain lengths of channels")
    # All terminals of a torus are alike: a cut before one of them says all. On a mesh they are not.
    mesh_platform = platform_of(mesh(4, 4))
    assert left_out(mesh_platform, Operation("all_gather", mesh_platform.members)) == (
        "the bound is by cuts before some of the members; others were not looked at among 16 members"
    )
