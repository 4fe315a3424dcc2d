"""Blocks of a matrix, groups at once, barriers and hierarchies: by brute force, and replayed by the checker."""

import random
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from tests.collectives.test_bounds import without_latency
from tests.collectives.test_chunks import drawn_platform
from unknot._base.errors import NetworkError, UnknotError
from unknot.certificates import Rejected, document
from unknot.certificates.plain import accept
from unknot.fabrics.named import network as named
from unknot.network.families import torus
from unknot.routing import dimension_order
from unknot.routing.named import routing
from unknot.simulation.engine.router import Router
from unknot_collectives import (
    Operation,
    Platform,
    best,
    bound,
    candidates,
    group_of,
    messages_of,
    optimal,
    platform_of,
    textbook,
)  # fmt: skip
from unknot_collectives.choice import by_algorithm
from unknot_collectives.comparison import compared
from unknot_collectives.evidence import by_lengths
from unknot_collectives.execution import execute
from unknot_collectives.lengths import _of_classes
from unknot_collectives.msccl import program_of
from unknot_collectives.orders import near_members
from unknot_collectives.platform import Channel
from unknot_collectives.textbook import algorithms

ONE = Fraction(1)


def simple_paths(platform: Platform, one: int, other: int, seen: tuple[int, ...] = ()) -> Iterator[list[int]]:
    """All simple paths from one node to another."""
    for number, channel in enumerate(platform.channels):
        if channel.source == one and channel.target not in (one, *seen):
            if channel.target == other:
                yield [number]
            else:
                yield from ([number, *rest] for rest in simple_paths(platform, channel.target, other, (*seen, one)))


def arborescences(platform: Platform, root: int, part: Sequence[int], up: bool) -> Iterator[np.ndarray]:
    """Use of channels by all trees of paths between members, from a root or to it."""
    others, members = [m for m in part if m != root], set(part)
    inner = {pair: list(simple_paths(platform, *pair)) for pair in product(part, part) if pair[0] != pair[1]}
    for pair, paths in inner.items():  # a path through a member of the group is two edges of a tree
        inner[pair] = [path for path in paths if not members & {platform.channels[c].target for c in path[:-1]}]
    for parents in product(part, repeat=len(others)):
        parent = dict(zip(others, parents, strict=True))
        if any(parent[m] == m for m in others) or not all(_reaches(parent, m, root) for m in others):
            continue
        edges = [(m, parent[m]) if up else (parent[m], m) for m in others]
        for chosen in product(*(inner[edge] for edge in edges)):
            use = np.zeros(len(platform.channels))
            for path in chosen:
                np.add.at(use, path, 1)
            yield use


def _reaches(parent: dict[int, int], member: int, root: int) -> bool:
    for _ in parent:
        member = parent.get(member, root)
    return member == root


def by_all_trees(platform: Platform, operation: Operation) -> float:
    """Least time of the busiest channel, however chunks are shared among trees: the optimum."""
    columns, rows = list[np.ndarray](), list[int]()
    demands, any_root = 0, operation.kind == "all_reduce"
    for part in operation.parts:
        for roots in [part] if any_root else [[root] for root in part]:
            for root in roots:
                if any_root:
                    ups, downs = (
                        np.unique(np.array(list(arborescences(platform, root, part, up))), axis=0)
                        for up in (True, False)
                    )
                    columns += [a + b for a, b in product(ups, downs)]
                else:
                    columns += list(arborescences(platform, root, part, operation.kind == "reduce_scatter"))
            rows += [demands] * (len(columns) - len(rows))
            demands += 1
    width = np.array([float(c.bandwidth) for c in platform.channels])
    use = np.hstack([np.array(columns).T, -width[:, None]])
    due = np.zeros((demands, len(columns) + 1))
    due[rows, np.arange(len(columns))] = 1
    cost = np.append(np.zeros(len(columns)), 1)
    solved = linprog(cost, use, np.zeros(len(width)), due, np.ones(demands), method="highs")
    return float(solved.fun) * float(operation.size)


def by_trees(draw: random.Random, *, grouped: bool) -> tuple[Fraction, Fraction, float] | None:
    """Bound, busiest channel of the packed trees and optimum over all trees: one group of 3, or two of 2.

    None for a graph that does not join its members.
    """
    nodes = draw.randint(4, 5) if grouped else draw.randint(3, 5)
    pairs = [(a, b) for a in range(nodes) for b in range(a) if draw.random() < 0.8]
    ends = [(a, b, Fraction(draw.randint(1, 4))) for a, b in pairs]
    channels = tuple(Channel(*way, rate) for a, b, rate in ends for way in ((a, b), (b, a)))
    members = tuple(range(4 if grouped else 3))
    platform = Platform("drawn", nodes, channels, members)
    kind = draw.choice(("all_gather", "reduce_scatter", "all_reduce"))
    operation = Operation(kind, members, Fraction(6), groups=((0, 1), (2, 3)) if grouped else ())
    try:
        lower, schedule = bound(platform, operation), optimal(platform, operation)
    except NetworkError as error:
        assert "no channel leads" in str(error)  # noqa: PT017
        return None
    assert accept(document(None, None, [lower.claim(), schedule.claim()]))
    return lower.time, schedule.busiest, by_all_trees(platform, operation)


@pytest.mark.long
def test_all_trees_of_small_platforms_are_no_faster() -> None:
    draw, tight = random.Random(), 0
    for number in range(24):
        if (times := by_trees(draw, grouped=number % 2 == 1)) is not None:
            lower, busiest, least = times
            assert float(lower) <= least * (1 + 1e-9)
            assert float(busiest) == pytest.approx(least)
            tight += float(lower) > least * (1 - 1e-9)
    assert tight > 6


def expert_blocks(draw: random.Random, count: int) -> tuple[tuple[Fraction, ...], ...]:
    """Whole numbers, many of them 0, and something on the diagonal that is not sent."""
    rows = [[Fraction(draw.choice((0, 0, 1, 2, 7))) for _ in range(count)] for _ in range(count)]
    rows[0][1] = ONE
    return tuple(map(tuple, rows))


@pytest.mark.long
def test_blocks_of_a_matrix() -> None:
    """Each schedule is accepted and not below the bound; that of flows reaches it; equal blocks are as without."""
    draw = random.Random()
    for _ in range(25):
        platform = drawn_platform(draw, balanced=True)
        blocks = expert_blocks(draw, len(platform.members))
        operation = Operation("all_to_all", platform.members, Fraction(5, 2), blocks=blocks)
        lower = bound(platform, operation)
        names = [name for name in algorithms("all_to_all") if name != "group_shift"]  # which takes coordinates
        made = [textbook(platform, operation, name) for name in names]
        fluid = optimal(platform, operation)
        assert accept(document(None, None, [lower.claim(), fluid.claim(), *(one.claim() for one in made)]))
        assert min(one.time for one in (*made, fluid)) >= lower.time
        steady = bound(without_latency(platform), operation).time
        assert float(fluid.busiest) == pytest.approx(float(steady), rel=2e-3)
        equal = tuple((ONE,) * len(blocks) for _ in blocks)
        whole = Operation("all_to_all", platform.members, Fraction(5, 2))
        alike = Operation("all_to_all", platform.members, Fraction(5, 2), blocks=equal)
        assert bound(platform, alike).time == bound(platform, whole).time
        claim = lower.claim()
        claim["time"] = [lower.time.numerator * 1001, lower.time.denominator * 1000]
        with pytest.raises(Rejected, match="may take less"):
            accept(document(None, None, [claim]))


@pytest.mark.parametrize("text", ["dragonfly(4, 2, 2)", "hyperx([2, 3], 3)", "torus(3, 4)", "fat_tree(3, 2)"])
def test_a_shift_by_groups_sends_once_to_each_and_loads_pairs_of_groups_alike(text: str) -> None:
    network = named(text, where="NETWORK")
    platform = platform_of(network)
    operation = Operation("all_to_all", platform.members)
    group = group_of(network, operation)
    assert group.places is not None
    shift = textbook(platform, operation, "group_shift", group)
    assert accept(document(None, None, [shift.claim()]))
    axes = list(zip(*group.places.values(), strict=True))
    first = next(k for k, axis in enumerate(axes) if len(set(axis)) > 1)
    many = len(set(axes[first]))
    each = len(platform.members) // many
    for step in range(shift.steps):
        sends = [(sent.source, sent.target) for sent in shift.transfers if sent.step == step]
        assert len({one for one, _ in sends}) == len({other for _, other in sends}) == len(sends)
        pairs = [(group.places[one][first], group.places[other][first]) for one, other in sends]
        assert max(pairs.count(pair) for pair in pairs) <= -(-each // many)


@pytest.mark.campaign
def test_a_shift_by_groups_keeps_terminals_busier_than_random_orders() -> None:
    network = named("dragonfly(4, 2, 2)", where="NETWORK")
    platform = platform_of(network)
    operation = Operation("all_to_all", platform.members, Fraction(4))
    relation, router = routing(network, "dragonfly_minimal"), Router(internal_speedup=2)
    made = by_algorithm(
        platform, operation, ["group_shift", "random"], group=group_of(network, operation), pieces=(1,)
    )
    one, other = compared(made, [bound(platform, operation)], relation, buffer_depth=32, router=router).tables[0]
    assert (one.algorithm, other.algorithm) == ("group_shift", "random")
    assert one.ratio < 1.15 < 1.25 < other.ratio
    assert re.fullmatch(r"terminal t\d+ sends \d\d% of the time; messages wait for each other", other.limit)


def test_damaged_blocks_and_groups_are_rejected() -> None:
    platform = platform_of(torus(3))
    blocks = ((ONE, 2 * ONE, ONE), (ONE, ONE, 0 * ONE), (ONE, ONE, ONE))
    claim = optimal(platform, Operation("all_to_all", platform.members, blocks=blocks)).claim()
    for damage, words in (
        ([[[1, 1]] * 3] * 3, "bytes together"), ([[[1, 1]] * 3] * 2, "a row and a column"), (None, "blocks"),
        ([[[1, 0]] * 3] * 3, "a block"),
    ):  # fmt: skip
        with pytest.raises(Rejected, match=words):
            accept(document(None, None, [{**claim, "blocks": damage}]))
    four = platform_of(torus(2, 2))
    one, other = four.members[:2], four.members[2:]
    claim = textbook(four, Operation("all_reduce", four.members, groups=(one, other)), "ring").claim()
    for groups in ([list(one)], [list(one), list(one)], [list(four.members), []], [[*one, other[0]], [other[1]]]):
        with pytest.raises(Rejected, match="groups"):
            accept(document(None, None, [{**claim, "groups": groups}]))
    del claim["groups"]
    with pytest.raises(Rejected, match="are expected"):
        accept(document(None, None, [claim]))


@pytest.mark.long
@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("kind", ["all_gather", "reduce_scatter", "all_reduce", "barrier", "all_to_all"])
def test_groups_run_at_once(kind: str) -> None:
    """Columns of a torus: each schedule is accepted, runs flit by flit, and takes no less than the bound."""
    network = torus(4, 4)
    platform = platform_of(network)
    groups = tuple(platform.members[i::4] for i in range(4))
    operation = Operation(kind, platform.members, Fraction(8), groups=groups)
    lower = bound(platform, operation)
    for name in algorithms(kind):
        try:
            schedule = textbook(platform, operation, name, group=group_of(network, operation))
        except NetworkError as error:
            assert name == "hierarchical"
            assert "near members" in str(error)  # noqa: PT017
            continue
        assert accept(document(None, None, [lower.claim(), schedule.claim()])), name
        run = execute(dimension_order(network, 2), schedule)
        assert run.makespan is not None
        assert run.makespan >= lower.time
    if kind != "barrier":
        chosen = best(candidates(platform, operation, group=group_of(network, operation)), Fraction(8))
        assert lower.time <= chosen.time <= Fraction(3, 2) * lower.time


def test_a_barrier_takes_the_rounds_of_its_dissemination() -> None:
    platform = platform_of(torus(5))
    barrier = Operation("barrier", platform.members, ONE)
    schedule = textbook(platform, barrier, "dissemination")
    assert (schedule.steps, len(messages_of(torus(5), schedule))) == (3, 15)
    lower = bound(platform, barrier)
    assert accept(document(None, None, [schedule.claim(), lower.claim()]))
    assert lower.time == 3  # two hops, and a flit
    claim = schedule.claim()
    claim["kind"] = "all_reduce"
    with pytest.raises(Rejected, match="would add"):
        accept(document(None, None, [claim]))
    chosen = best(candidates(platform, barrier), ONE)
    assert chosen.pieces == 1
    assert chosen.time <= schedule.time


def test_hierarchies_keep_to_fast_channels() -> None:
    """Two chassis of 4 members on a switch each, and slow cards: between them go a quarter of the bytes of a ring."""
    pairs = [(gpu, 8 + gpu // 4, 8) for gpu in range(8)] + [(gpu, 10, 1) for gpu in range(8)]
    ends = [(a, b, rate) for one, two, rate in pairs for a, b in ((one, two), (two, one))]
    platform = Platform("two of 4", 11, tuple(Channel(a, b, Fraction(rate)) for a, b, rate in ends), tuple(range(8)))
    assert near_members(platform, platform.members) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    operation = Operation("all_reduce", platform.members, Fraction(64))
    schedule = textbook(platform, operation, "hierarchical")
    assert accept(document(None, None, [schedule.claim(), bound(platform, operation).claim()]))
    slow = [c for c, channel in enumerate(platform.channels) if 10 in (channel.source, channel.target)]
    sent = sum(schedule.chunks[t.chunk].size for t in schedule.transfers if set(slow) & set(t.path))
    assert sent == 2 * 4 * Fraction(64, 8) * 2  # each way, for each place, its 8th of both chassis, up and down
    assert schedule.time < textbook(platform, operation, "ring").time
    with pytest.raises(NetworkError, match="near members"):
        near_members(platform_of(torus(4)), platform_of(torus(4)).members)


def test_lengths_of_classes_are_those_of_the_whole_program() -> None:
    """With and without coordinates the bound is within 1 % of that by the whole program."""
    for text in ("torus(4, 6)", "mesh(3, 4)", "dragonfly(2)", "hypercube(3)"):
        platform = without_latency(platform_of(named(text, where="TEST"), terminal=Fraction(8)))
        operation = Operation("all_to_all", platform.members)
        exact = bound(platform, operation).time
        lengths = _of_classes(platform, operation)
        rounded = np.rint(lengths / lengths.max() * 2520)
        assert float(by_lengths(platform, operation, tuple(map(int, rounded))).time) >= 0.99 * float(exact)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "broadcast", "root": 0, "groups": ((0, 1), (2, 3))}, "has no groups"),
        ({"kind": "all_gather", "groups": ((0, 1), (2,))}, "at least two members"),
        ({"kind": "all_gather", "groups": ((0, 1), (1, 2))}, "one of the groups"),
        ({"kind": "all_gather", "blocks": ((ONE,) * 4,) * 4}, "blocks are for all_to_all"),
        ({"kind": "all_to_all", "blocks": ((ONE,) * 4,) * 3}, "4 rows of 4 for its members; got 3 rows of 4"),
        ({"kind": "all_to_all", "blocks": ((-ONE,) * 4,) * 4}, "not be negative"),
        ({"kind": "all_to_all", "blocks": ((0 * ONE,) * 4,) * 4}, "one of them must be sent"),
        (
            {"kind": "all_to_all", "groups": ((0, 1), (2, 3)), "blocks": ((ONE,) * 4,) * 4},
            "by a matrix has no groups",
        ),
    ],
)
def test_operations_that_cannot_be(options: dict[str, object], words: str) -> None:
    with pytest.raises(UnknotError, match=words):
        Operation(members=(0, 1, 2, 3), **options)  # type: ignore[arg-type]


def test_programs_have_one_group_and_one_size() -> None:
    platform = platform_of(torus(4))
    grouped = Operation("all_reduce", platform.members, groups=(platform.members[:2], platform.members[2:]))
    with pytest.raises(NetworkError, match="of one group"):
        program_of(textbook(platform, grouped, "ring"))
