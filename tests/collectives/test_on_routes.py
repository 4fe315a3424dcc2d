"""Schedules on the routes that a network has."""

import json
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from typer.testing import CliRunner

from unknot.certificates import accept, document
from unknot.cli.program import app
from unknot.network import families
from unknot.routing import dimension_order, nca
from unknot_collectives import Operation, bound, platform_of, textbook
from unknot_collectives.choice import best, candidates
from unknot_collectives.on_routes import on_routes, shortest_routes


@pytest.mark.long
@pytest.mark.parametrize("kind", ["all_to_all", "all_gather", "all_reduce", "reduce_scatter", "barrier"])
def test_a_moved_schedule_does_the_same(kind):
    network = families.fat_tree(2, 3)
    platform = platform_of(network)
    operation = Operation(kind, platform.members, Fraction(48))
    routes = shortest_routes(network)
    made = best(candidates(platform, operation, pieces=(1, 2), routes=routes), Fraction(48))
    lower = bound(platform, operation)
    assert lower.time <= made.time
    assert len(accept(document(None, None, [lower.claim(), made.claim()]))) == 2


@pytest.mark.long
def test_an_exchange_on_a_fat_tree_meets_its_bound():
    """One shortest path for each pair takes four times as long."""
    network = families.fat_tree(4, 2)
    platform = platform_of(network)
    operation = Operation("all_to_all", platform.members, Fraction(64))
    alone, spread = (
        best(candidates(platform, operation, ["direct"], routes=routes), Fraction(64)).time
        for routes in (None, shortest_routes(network))
    )
    assert spread <= Fraction(105, 100) * bound(platform, operation).time
    assert alone > 3 * spread


def test_a_routing_without_a_choice_gives_its_own_paths():
    """Dimension order goes along the first dimension first."""
    network = families.mesh(3, 3)
    platform = platform_of(network)
    moved = on_routes(
        textbook(platform, Operation("all_gather", platform.members), "direct"), dimension_order(network)
    )
    for sent in moved.transfers:
        routers = [platform.channels[c].target for c in sent.path[:-1]]
        turned = np.diff(network.coordinates[routers], axis=0).nonzero()[1].tolist()
        assert turned == sorted(turned)
        assert len(turned) == np.abs(network.coordinates[routers[0]] - network.coordinates[routers[-1]]).sum()


def test_latencies_that_differ_keep_their_shortest_paths():
    assert shortest_routes(families.fat_tree(2, 3, latency=[1, 3])) is None


def test_the_command_shows_what_the_network_can_do():
    words = ["collective", "fat_tree(4, 2)", "--operation", "all_to_all", "--algorithm", "direct", "--json"]
    assert 1 <= json.loads(CliRunner().invoke(app, words).stdout)["ratio"] <= 1.05


def test_routes_of_reductions_lead_to_who_adds_up():
    network = families.fat_tree(2, 2)
    platform = platform_of(network)
    moved = on_routes(textbook(platform, Operation("reduce_scatter", platform.members), "direct"), nca(network))
    for sent in moved.transfers:
        ends = [(platform.channels[c].source, platform.channels[c].target) for c in sent.path]
        assert (ends[0][0], ends[-1][1]) == (sent.source, sent.target)
        assert all(a[1] == b[0] for a, b in pairwise(ends))
