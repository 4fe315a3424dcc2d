"""Selection functions: fair ties, and the one that a routing names."""

from __future__ import annotations

import pytest

from tests.simulation.engine.test_flit_kernel import agree
from unknot import Relation, Run
from unknot.errors import SimulationError
from unknot.routing import destination_tag, dimension_order, in_classes, nca
from unknot.simulation import Router, simulate
from unknot.simulation.engine.state import SELECTIONS
from unknot.simulation.run.options import router_of
from unknot.topologies import butterfly, fat_tree, mesh


@pytest.fixture(scope="module")
def tree() -> Relation:
    return nca(fat_tree(4, 3), 4)


def run(relation: Relation, router: Router) -> Run:
    options = {"switching": "wormhole-nonatomic", "buffer_depth": 16, "warmup": 1000, "measure": 2000}
    return simulate(relation, 0.6, router=router, **options)  # type: ignore[arg-type]


def test_ties_of_most_credits_are_broken_fairly(tree: Relation) -> None:
    """Without that all packets of an idle router go up by its first port, and 0.266 is accepted."""
    found = run(tree, Router(selection="most_credits"))
    assert found.accepted_load == pytest.approx(0.6, abs=0.01)
    assert found.latency_mean == pytest.approx(65, abs=15)


def test_nca_selects_at_random_unless_the_router_says_otherwise(tree: Relation) -> None:
    by_default = run(tree, Router())
    assert by_default == run(tree, Router(selection="random"))
    assert by_default.router.selection == "random"
    assert by_default.stable
    assert by_default.latency_mean == pytest.approx(32.7, abs=1.0)
    assert run(tree, Router(selection="first")).accepted_load < 0.3
    assert in_classes(tree, ("request", "reply")).selection == "random"
    assert nca(fat_tree(2, 2), up="modulo").selection is None


def test_a_routing_without_a_selection_of_its_own_requests_all() -> None:
    relation = dimension_order(mesh(2, 2), 2)
    found, stated = (
        simulate(relation, 0.3, router=Router(selection=name), measure=300, switching="wormhole")
        for name in (None, "all")
    )
    assert found.router == Router()
    assert (found.latency_mean, found.flit_hops) == (stated.latency_mean, stated.flit_hops)


def test_an_unknown_selection_of_a_relation_is_refused() -> None:
    relation = dimension_order(mesh(2, 2))
    odd = Relation(relation.network, 1, relation.rule, selection="any")
    with pytest.raises(SimulationError, match="unknown selection 'any'"):
        simulate(odd, 0.1, switching="wormhole")
    assert router_of("selection=first").selection == "first"


@pytest.mark.parametrize("selection", SELECTIONS)
def test_twin_on_a_fat_tree(selection: str) -> None:
    relation = nca(fat_tree(3, 2), 2)
    agree(relation, "wormhole-nonatomic", 2, 4, 0.3, 3, router=Router(selection=selection))  # type: ignore[arg-type]
    agree(relation, "vct", 2, 4, 0.3, 4)


def test_a_network_without_channels_has_as_many_vcs_as_wanted() -> None:
    """BookSim 2 with its `singleconfig`, 8 VCs on a single switch at load 1, accepts 0.626."""
    single = Router(routing_delay=0, allocator="separable_input_first")
    accepted = [
        simulate(
            destination_tag(butterfly(10, 1), vcs),
            1.0,
            switching="wormhole-nonatomic",
            router=single,
            warmup=500,
            measure=5000,
        ).accepted_load
        for vcs in (1, 2, 8)
    ]
    assert accepted[0] < accepted[1] < accepted[2] == pytest.approx(0.626, abs=0.03)
