"""Schedules that are searched for on small platforms."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from benchmarks.collective_exact import least_time
from benchmarks.collective_gaps import KINDS, drawn

from unknot._base.errors import NetworkError
from unknot.certificates import document
from unknot.certificates.plain import accept
from unknot.network import Network, families
from unknot.routing import Relation, dimension_order, nca
from unknot.routing.contract import EJECT, VC_MASK
from unknot.traffic.trace import addresses
from unknot_collectives import Operation, best, bound, candidates, platform_of, textbook
from unknot_collectives.on_routes import ScheduleRoutes
from unknot_collectives.operation import ROOTED
from unknot_collectives.platform import Channel, Platform
from unknot_collectives.searching import searched


@pytest.mark.sampled(1 / 4)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_found_is_replayed_whole_and_no_slower(kind: str) -> None:
    draw = random.Random()
    platform = drawn(draw)
    size = Fraction(draw.randint(1, 30))
    root = draw.choice(platform.members) if kind in ROOTED else None
    operation = Operation(kind, platform.members, size, root)
    limit = bound(platform, operation)
    start = textbook(platform, operation, "direct")
    found = searched(start).exact()
    assert len(accept(document(None, None, [limit.claim(), found.claim()]))) == 2, platform
    assert all(chunk.size.denominator == 1 for chunk in found.chunks)
    every = best(candidates(platform, operation), size)
    assert every.time <= best(candidates(platform, operation, ["direct"]), size).time
    assert found.time == searched(start).exact().time


@pytest.mark.parametrize(("members", "flits", "least"), [(2, 3, 5), (3, 1, 4)])
def test_the_least_time_behind_a_switch_is_that_by_hand(members: int, flits: int, least: int) -> None:
    one, row = Fraction(1), tuple(range(1, members + 1))
    channels = [Channel(*pair, one, one) for m in row for pair in ((0, m), (m, 0))]
    platform = Platform("star", members + 1, tuple(channels), row)
    for kind in ("all_reduce", "reduce_scatter"):
        operation = Operation(kind, row, Fraction(flits))
        expected = least if kind == "all_reduce" else 2 + flits * (members - 1)
        assert least_time(platform, operation, Fraction(expected + 1), 60.0) == expected
        assert bound(platform, operation, in_time=True).time <= expected


def test_a_message_of_one_flit_is_not_cut() -> None:
    platform = platform_of(families.ring(5))
    operation = Operation("all_reduce", platform.members, Fraction(1))
    made = searched(textbook(platform, operation, "binomial")).exact()
    assert {chunk.size for chunk in made.chunks} == {Fraction(1)}


@pytest.mark.parametrize(
    ("network", "routing"), [(families.mesh(2, 3), dimension_order), (families.fat_tree(2, 2), nca)]
)
def test_what_is_searched_follows_a_routing(network: Network, routing: Callable[[Network], Relation]) -> None:
    platform, relation = platform_of(network), routing(network)
    operation = Operation("all_reduce", platform.members, Fraction(5))
    routes = ScheduleRoutes(relation)
    made, tree = (
        best(candidates(platform, operation, [name], pieces=(1,), routes=routes), Fraction(5))
        for name in ("searched", "binomial")
    )
    assert made.time <= tree.time
    first, last = network.num_routers, network.num_channels
    for sent in made.transfers:
        assert sent.path[0] == last + 2 * (sent.source - first)
        assert sent.path[-1] == last + 2 * (sent.target - first) + 1
        assert sent.path[1:-1] in permitted(relation, sent.source - first, sent.target - first)


def permitted(relation: Relation, source: int, target: int) -> set[tuple[int, ...]]:
    """All routes from a terminal to another one, by asking the relation for every candidate."""
    (address,) = addresses(relation, source, target)
    found, waiting = set[tuple[int, ...]](), [(relation.num_vcs + source, tuple[int, ...]())]
    out = np.zeros(relation.max_candidates, dtype=np.int64)
    while waiting:
        at, route = waiting.pop()
        for vc in (out[: relation.rule(at, address, out)] & VC_MASK).tolist():
            if vc == EJECT:
                found.add(route)
            else:
                waiting.append((vc, (*route, int(relation.vcs.channel[vc]))))
    return found


def test_many_members_and_exchanges_are_refused() -> None:
    for network, name, words in (
        (families.ring(9), "ring", "8 members at most"),
        (families.ring(4), "exchange", "does not go along trees"),
    ):
        platform = platform_of(network)
        operation = Operation("all_reduce", platform.members, Fraction(8))
        with pytest.raises(NetworkError, match=words):
            searched(textbook(platform, operation, name))
