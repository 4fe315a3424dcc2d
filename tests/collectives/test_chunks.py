"""Schedules of chunks: replayed by the plain checker, which rejects whatever is damaged."""

import copy
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from unknot._base.errors import NetworkError
from unknot.certificates import Rejected, document
from unknot.certificates.plain import accept
from unknot.certificates.plain.reading import EACH, PURSE, Purse
from unknot.certificates.plain.schedule import check_schedule as accept_schedule
from unknot.network.families import ring, torus
from unknot_collectives.bounds import bound
from unknot_collectives.operation import KINDS, ROOTED, Operation
from unknot_collectives.platform import Channel, Platform, platform_of
from unknot_collectives.schedule import Schedule
from unknot_collectives.textbook import Group, algorithms, textbook
from unknot_collectives.timing import timed
from unknot_collectives.transfers import Chunk, Transfer


def drawn_platform(draw: random.Random, *, nodes: int = 6, balanced: bool = False) -> Platform:
    """A connected platform: a cycle of its nodes, and more channels; balanced ones have both directions alike."""
    count = draw.randint(2, nodes)
    order = draw.sample(range(count), count)
    pairs = [(order[i - 1], order[i]) for i in range(count)]
    pairs += [(a, b) for a in range(count) for b in range(count) if a != b and draw.random() < 0.3]
    rates = [Fraction(draw.randint(1, 6), draw.choice((1, 1, 2))) for _ in pairs]
    late = [Fraction(draw.randint(0, 4), 3) for _ in pairs]
    channels = [Channel(a, b, rate, t) for (a, b), rate, t in zip(pairs, rates, late, strict=True)]
    if balanced:
        channels += [Channel(c.target, c.source, c.bandwidth, c.latency) for c in channels]
    members = tuple(draw.sample(range(count), draw.randint(2, count)))
    return Platform("drawn", count, tuple(channels), members)


def operation_on(platform: Platform, kind: str, size: Fraction = Fraction(12)) -> Operation:
    return Operation(kind, platform.members, size, platform.members[-1] if kind in ROOTED else None)


def naive_time(schedule: Schedule) -> Fraction:
    time = Fraction(0)
    for step in range(schedule.steps):
        sends = [t for t in schedule.transfers if t.step == step]
        on = schedule.platform.channels
        time += max(sum(on[c].latency for c in t.path) for t in sends)
        busy = [sum(schedule.chunks[t.chunk].size for t in sends if c in t.path) for c in range(len(on))]
        time += max(b / c.bandwidth for b, c in zip(busy, on, strict=True))
    return time


def test_every_algorithm_on_drawn_platforms_is_accepted_and_not_below_the_bound() -> None:
    draw, done = random.Random(), 0
    for _ in range(25):
        platform = drawn_platform(draw)
        operation = operation_on(platform, draw.choice(KINDS))
        least = bound(platform, operation).time
        for algorithm in algorithms(operation.kind):
            try:
                whole = textbook(platform, operation, algorithm)
            except NetworkError as error:
                assert any(words in str(error) for words in ("members, not", "no coordinates", "near members"))  # noqa: PT017
                continue
            pieces = draw.randint(1, 5)
            schedule = whole.pipelined(pieces)
            assert accept(document(None, None, [schedule.claim()])), (platform, algorithm)
            assert schedule.time == naive_time(schedule) >= least
            late, busy, _ = whole.pipelined_costs(pieces)
            assert late + busy == pytest.approx(float(schedule.time))
            done += 1
    assert done > 40


def test_known_times() -> None:
    """Rings and buckets do as the textbooks say: a terminal that sends a flit per cycle sends 15 blocks of 64."""
    network = torus(4, 4)
    platform = platform_of(network)
    assert network.coordinates is not None
    places = {m: tuple(at) for m, at in zip(platform.members, network.coordinates.tolist(), strict=True)}
    for kind, factor in (("all_gather", 960), ("reduce_scatter", 960), ("all_reduce", 120)):
        for algorithm in ("ring", "bidirectional_ring", "bucket"):
            group = Group(platform.members, None, places)
            schedule = textbook(platform, operation_on(platform, kind, Fraction(64)), algorithm, group=group)
            assert schedule.time - schedule.latency == factor
    trees = textbook(platform, operation_on(platform, "broadcast", Fraction(64)), "double_tree")
    assert trees.pipelined(1).time == 265
    assert trees.pipelined(4).time == 155


CHANGES: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda claim: claim.update(time=[1, 1]), "the transfers take"),
    (lambda claim: claim.update(size=[13, 1]), "bytes together, not 13"),
    (lambda claim: claim["proof"]["steps"][0].pop(), "would lose"),
    (lambda claim: claim["proof"]["steps"].pop(), "does not end"),
    (lambda claim: claim["proof"]["steps"][0].append(claim["proof"]["steps"][0][0]), "would add"),
    (lambda claim: claim["proof"]["steps"][0][0].__setitem__(3, 1), "reduces and path"),
    (lambda claim: claim["proof"]["steps"][-1].append(claim["proof"]["steps"][0][0]), "would add"),
    (lambda claim: claim["proof"]["steps"][0][0][4].clear(), "do not lead"),
    (lambda claim: claim["proof"]["steps"][0][0][4].append(0), "do not lead"),
    (lambda claim: claim["proof"]["chunks"].pop(), "bytes together|a transfer|index"),
    (lambda claim: claim["proof"]["chunks"][0].__setitem__(2, []), "are expected"),
    (lambda claim: claim.update(kind="all_gather"), "are expected"),
]


@pytest.mark.parametrize(("change", "words"), CHANGES)
def test_damaged_schedules_are_rejected(change: Callable[[dict[str, Any]], Any], words: str) -> None:
    platform = platform_of(torus(3))
    claim = copy.deepcopy(textbook(platform, operation_on(platform, "all_reduce"), "ring").claim())
    assert accept(document(None, None, [claim]))
    change(claim)
    with pytest.raises(Rejected, match=words):
        accept(document(None, None, [claim]))


def test_what_replaces_may_lose_nothing_and_switches_keep_nothing() -> None:
    platform = platform_of(torus(3))
    claim = textbook(platform, operation_on(platform, "reduce"), "chain").claim()
    claim["proof"]["steps"][0][0][3] = False
    with pytest.raises(Rejected, match="would lose"):
        accept(document(None, None, [claim]))
    claim = textbook(platform, operation_on(platform, "broadcast"), "chain").claim()
    first = claim["proof"]["steps"][0][0]
    first[2], first[4] = claim["channels"][first[4][0]][1], first[4][:1]
    with pytest.raises(Rejected, match="cannot send"):
        accept(document(None, None, [claim]))


def test_algorithms_that_do_not_fit_say_so() -> None:
    platform = platform_of(torus(3))
    gather = operation_on(platform, "all_gather")
    with pytest.raises(NetworkError, match=r"2, 4, 8, … members, not 3; bruck"):
        textbook(platform, gather, "recursive_doubling")
    with pytest.raises(NetworkError, match="no coordinates"):
        textbook(platform, gather, "bucket")
    with pytest.raises(NetworkError, match="a member at each place of a grid, not 2 of 4"):
        textbook(platform, gather, "bucket", group=Group((3, 4), None, {3: (0, 0), 4: (1, 1)}))
    with pytest.raises(NetworkError, match="did you mean ring"):
        textbook(platform, gather, "rinf")
    apart = Platform("apart", 3, (Channel(0, 1, Fraction(1)),), (0, 1, 2))
    with pytest.raises(NetworkError, match="no channel leads from member"):
        textbook(apart, operation_on(apart, "all_gather"), "ring")


def test_starts_that_cannot_be_are_rejected() -> None:
    """Two transfers on a channel at a time, a chunk sent before it is there, and other damage."""
    ends = [(0, 1), (1, 2), (2, 0)]
    cycle = Platform("cycle", 3, tuple(Channel(a, b, Fraction(2), Fraction(1)) for a, b in ends), (0, 1, 2))
    ringed = timed(textbook(cycle, Operation("all_gather", (0, 1, 2), Fraction(4)), "ring"))
    assert ringed.time == 6
    for damage, words in (
        (lambda sends: sends[3].__setitem__(5, 2), "cannot send"),
        (lambda sends: sends[0].__setitem__(5, 2), r"at a time|cannot send"),
        (lambda sends: sends.append([*sends[0][:5], 1, 1]), "more at a time"),
        (lambda sends: sends[0].__setitem__(5, 9), r"cannot send|transfers take"),
        (lambda sends: sends[0].pop(), "reduces and path"),
        (lambda sends: sends.pop(), "does not end"),
        (lambda sends: sends[0].__setitem__(0, 7), "no chunk 7"),
    ):
        claim = copy.deepcopy(ringed.claim())
        damage(claim["proof"]["sends"])
        with pytest.raises(Rejected, match=words):
            accept(document(None, None, [claim]))


def test_what_members_exchange_in_a_step_keeps_its_barriers() -> None:
    platform = platform_of(ring(4))
    with pytest.raises(NetworkError, match="exchange parts of a chunk"):
        timed(textbook(platform, Operation("all_reduce", platform.members), "recursive_doubling"))


@pytest.mark.parametrize("starts", [False, True])
def test_a_document_pays_for_its_own_check_however_many_transfers_it_has(starts: bool) -> None:
    platform = platform_of(torus(4, 4))
    schedule = textbook(platform, operation_on(platform, "all_to_all"), "direct")
    content = document(None, None, [(timed(schedule) if starts else schedule).claim()])
    purse = Purse(content, 1)
    kept, whole = PURSE.set(purse), purse.left
    accept_schedule(content["claims"][0], content["claims"][0]["proof"])
    PURSE.reset(kept)
    # Ten times as many transfers cost 60 units more for each, by the logarithms of sorting.
    assert whole - purse.left + 60 * len(schedule.transfers) < EACH * purse.entries


def test_starts_without_a_common_unit_are_checked_as_fractions() -> None:
    channel = Channel(0, 1, Fraction(1), Fraction(1, 10007))
    platform = Platform("pair", 2, (channel, replace(channel, source=1, target=0)), (0, 1))
    parts = [Fraction(1, prime) for prime in (9973, 9967, 9949, 9941, 9931)]
    chunks = tuple(Chunk(size, 0, None) for size in (*parts, 1 - sum(parts)))
    sends = tuple(Transfer(0, number, 0, 1, (0,)) for number in range(len(chunks)))
    starts = tuple(sum((chunk.size for chunk in chunks[:number]), Fraction(0)) for number in range(len(chunks)))
    operation = Operation("broadcast", (0, 1), Fraction(1), 0)
    made = Schedule("parts", platform, operation, chunks, sends, starts)
    accept(document(None, None, [made.claim()]))
    early = replace(made, starts=(*starts[:-1], starts[-1] - Fraction(1, 10**9)))
    with pytest.raises(Rejected, match="more at a time than its bandwidth"):
        accept(document(None, None, [early.claim()]))
