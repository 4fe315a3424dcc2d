"""A cost for each message: in schedules, bounds, evidence, and on the command line."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.collectives.test_chunks import drawn_platform, operation_on
from tests.collectives.test_collective_command import run
from tests.reference.collectives import replayed
from unknot._base.errors import NetworkError
from unknot.certificates import Rejected, document
from unknot.certificates.plain import accept
from unknot.network.families import ring
from unknot_collectives import Operation, Platform, best, bound, candidates, optimal, platform_of, textbook, timed
from unknot_collectives.operation import KINDS
from unknot_collectives.platform import Channel
from unknot_collectives.textbook import algorithms
from unknot_collectives.timing import steady


def star(many: int, overhead: int, late: int = 0) -> Platform:
    """Members on a switch by channels of bandwidth 1."""
    ends = [ends for m in range(many) for ends in ((m, many), (many, m))]
    channels = tuple(Channel(a, b, Fraction(1), Fraction(late)) for a, b in ends)
    return Platform("star", many + 1, channels, tuple(range(many)), Fraction(overhead))


def test_each_message_costs_once_and_chunks_of_a_step_on_one_path_are_one() -> None:
    platform = star(4, 10, late=1)
    gather = Operation("all_gather", platform.members, Fraction(3))
    ring_time = textbook(platform, gather, "ring").time
    assert ring_time == 3 * (10 + 3 + 2)  # three steps of one chunk
    bruck = textbook(platform, gather, "bruck")
    assert bruck.steps == 2
    assert bruck.time == (10 + 3 + 2) + (10 + 6 + 2)  # the second step has two chunks in a message


@pytest.mark.parametrize(("many", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3)])
@pytest.mark.parametrize("kind", ["broadcast", "reduce", "gather", "scatter", "all_reduce", "barrier"])
def test_on_one_port_the_number_that_has_the_data_doubles_at_best(kind: str, many: int, rounds: int) -> None:
    platform = star(many, 100)
    whole = operation_on(platform, kind, Fraction(1))
    limit = bound(platform, whole)
    assert 100 * rounds <= limit.time <= 100 * rounds + many
    accept(document(None, None, [limit.claim()]))
    if kind in ("broadcast", "reduce"):
        fastest = best(candidates(platform, whole, ["binomial", "direct"]), Fraction(1))
        assert fastest.time <= (100 + 1) * rounds
        accept(document(None, None, [fastest.claim()]))


def test_schedules_of_drawn_platforms_are_replayed_and_not_below_their_bounds() -> None:
    draw, done = random.Random(), 0
    for _ in range(12):
        platform = replace(drawn_platform(draw), overhead=Fraction(draw.randint(1, 9), draw.choice((1, 2))))
        operation = operation_on(platform, draw.choice(KINDS), Fraction(draw.randint(1, 30)))
        limit, made = bound(platform, operation), list[Any]()
        accept(document(None, None, [limit.claim()]))
        for name in algorithms(operation.kind):
            with suppress(NetworkError):
                whole = textbook(platform, operation, name)
                made += [whole, whole.pipelined(draw.randint(1, 4))]
                made.append(timed(made[-1]))
        with suppress(NetworkError):
            packed = optimal(platform, operation)
            made += [packed, steady(packed, draw.randint(1, 5)).exact()]
        for schedule in made:
            assert schedule.time == replayed(schedule) >= limit.time, (platform, schedule.name)
            accept(document(None, None, [schedule.claim()]))
            done += 1
    assert done > 20


def least_time(platform: Platform, owners: tuple[int, ...], needs: Callable[[int, int], bool], overhead: int) -> int:
    """The least time in which chunks of one flit come to who needs them, by all messages of several chunks.

    Channels of bandwidth 1 join members, and each carries a message at a time.
    """
    channels, chunks, members = platform.channels, range(len(owners)), platform.members
    start = tuple(sum(1 << i for i in chunks if owners[i] == m) for m in members)
    goal = [sum(1 << i for i in chunks if needs(i, m)) for m in members]
    states, time = {(start, ((0, 0),) * len(channels))}, 0
    while True:
        following = set()
        for has, busy in states:
            if all(mask & goal[m] == goal[m] for m, mask in enumerate(has)):
                return time
            options = []
            for (ends, _), c in zip(busy, channels, strict=True):
                able = has[c.source] & ~has[c.target] if ends <= time else 0
                some = [mask for mask in range(1, 1 << len(owners)) if mask & ~able == 0]
                options.append([None, *some])
            for chosen in product(*options):
                flying = tuple(
                    was if mask is None else (time + overhead + mask.bit_count() + int(c.latency), mask)
                    for was, mask, c in zip(busy, chosen, channels, strict=True)
                )
                after = list(has)
                for (ends, mask), c in zip(flying, channels, strict=True):
                    after[c.target] |= mask if ends == time + 1 else 0
                following.add((tuple(after), tuple(one if one[0] > time else (0, 0) for one in flying)))
        states, time = following, time + 1


def test_no_bound_is_above_the_least_time_of_all_messages() -> None:
    draw, tight = random.Random(), 0
    for case in range(6):
        pairs = [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1)][: draw.randint(3, 4)]
        overhead = draw.randint(1, 3)
        channels = tuple(Channel(a, b, Fraction(1)) for a, b in pairs)
        platform = Platform("three", 3, channels, (0, 1, 2), Fraction(overhead))
        kind = ("broadcast", "all_gather", "gather")[case % 3]
        operation = Operation(kind, (0, 1, 2), Fraction(1), None if kind == "all_gather" else 0)
        owners = (0,) if kind == "broadcast" else (0, 1, 2)
        least = least_time(platform, owners, lambda _, m: kind != "gather" or m == 0, overhead)  # noqa: B023
        limit = bound(platform, operation, in_time=True)
        accept(document(None, None, [limit.claim()]))
        assert limit.time <= least
        tight += limit.time * 2 >= least
    assert tight


def test_damaged_claims_are_rejected() -> None:
    platform = star(5, 100)
    limit = bound(platform, operation_on(platform, "broadcast", Fraction(1)))
    claim = limit.claim()
    assert claim["proof"] == {"rounds": "source"}
    for changed, words in (
        ({"time": [301, 1]}, "messages that cost 100 may be done in 300, before 301"),
        ({"overhead": [99, 1]}, "may be done in 297"),
        ({"proof": {"rounds": "target"}}, "may be done in 100"),
        ({"proof": {"rounds": "both"}}, "rounds"),
        ({"channels": []}, "no channels lead"),
    ):
        with pytest.raises(Rejected, match=words):
            accept(document(None, None, [claim | changed]))
    sent = textbook(platform, limit.operation, "binomial").claim()
    del sent["overhead"]
    with pytest.raises(Rejected, match="the transfers take"):
        accept(document(None, None, [sent]))
    with pytest.raises(NetworkError, match="costs no negative time"):
        replace(platform, overhead=Fraction(-1))


def test_few_large_messages_are_chosen_where_messages_cost(tmp_path: Path) -> None:
    evidence = tmp_path / "evidence.json"
    words = "ring(5)", "--operation", "all_gather", "--size", "4", "--algorithm", "bruck, ring", "--json"
    costs = "--overhead", "500", "--evidence", str(evidence)
    free, costly = (json.loads(run(*words, *more)[1]) for more in ((), costs))
    assert costly["algorithm"] == "bruck" != free["algorithm"]
    assert costly["overhead"] == 500
    assert costly["time"] >= costly["bound"] >= 1500
    accept(json.loads(evidence.read_text()))
    assert "rounds of messages" in run(*words[:-1], "--overhead", "500")[1]


def test_runs_with_an_overhead_are_not_below_the_bound() -> None:
    words = "ring(4)", "--operation", "broadcast", "--size", "2", "--routing", "dimension_order", "--vcs", "2"
    answer = json.loads(run(*words, "--overhead", "60", "--algorithm", "binomial, chain", "--json")[1])
    assert answer["measured"] >= answer["bound"] >= 120
    assert answer["algorithm"] == "binomial"


def test_platforms_of_networks() -> None:
    platform = platform_of(ring(4), overhead=Fraction(7))
    assert platform.overhead == platform.reversed().overhead == 7
    assert "overhead" in platform.claim(Operation("barrier", platform.members), Fraction(1))
    assert "overhead" not in platform_of(ring(4)).claim(Operation("barrier", (4, 5)), Fraction(1))
