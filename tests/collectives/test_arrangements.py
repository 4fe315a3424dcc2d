"""Orders of members along trees and exchanges, against all orders written out."""

import random
from fractions import Fraction
from itertools import permutations

import pytest

from tests.collectives.test_chunks import drawn_platform
from unknot._base.errors import NetworkError
from unknot.network import families
from unknot_collectives import Group, Operation, Schedule, platform_of, textbook
from unknot_collectives.arrangements import ARRANGED, arranged
from unknot_collectives.operation import KINDS, ROOTED


def cost(schedule: Schedule) -> tuple[float, float]:
    return float(sum(busy for _, busy in schedule.costs)), float(schedule.latency)


def test_no_order_of_a_few_members_is_better() -> None:
    draw, done = random.Random(), 0
    while done < 12:
        platform = drawn_platform(draw, nodes=6)
        kind, name = draw.choice(KINDS), draw.choice(ARRANGED)
        members = platform.members[:5]
        root = members[0] if kind in ROOTED else None
        operation = Operation(kind, members, Fraction(1), root)
        try:
            rows = [(members[0], *row) for row in permutations(members[1:])] if root is not None else None
            every = [textbook(platform, operation, name, Group(row, root)) for row in rows or permutations(members)]
        except NetworkError:
            continue
        if len(members) < 3:
            continue
        group = arranged(platform, operation, name, Group(members, root))
        made = textbook(platform, operation, name, group)
        assert sorted(group.row) == sorted(members)
        assert cost(made) == pytest.approx(min(map(cost, every))), (platform, operation, name)
        done += 1


def test_beyond_the_order_gets_better_and_a_root_stays() -> None:
    platform = platform_of(families.fat_tree(4, 2))
    mixed = tuple(random.Random(2).sample(platform.members, 16))
    operation = Operation("broadcast", mixed, Fraction(1), mixed[3])
    group = arranged(platform, operation, "binomial", Group(mixed, mixed[3]))
    before, after = (cost(textbook(platform, operation, "binomial", one)) for one in (Group(mixed, mixed[3]), group))
    assert after < before
    assert group.row[0] == mixed[3]
    assert group == arranged(platform, operation, "binomial", Group(mixed, mixed[3]))


def test_groups_are_ordered_apart() -> None:
    platform = platform_of(families.mesh(2, 4))
    members = platform.members
    groups = (members[:4], members[4:])
    operation = Operation("all_gather", members, Fraction(1), groups=groups)
    row = arranged(platform, operation, "bruck", Group(members)).row
    assert [set(row[:4]), set(row[4:])] == [set(group) for group in groups]
