"""Selection functions: fair ties, and the one that a routing names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.reference.sim_parts import Packet
from tests.reference.sim_terminals import Terminal
from tests.simulation.engine.test_flit_kernel import agree
from tests.simulation.scripted import Scripted
from unknot import Relation, Run, SizeError, memory_limit
from unknot._base.errors import SimulationError
from unknot.network.families import butterfly, fat_tree, hyperx, mesh, torus
from unknot.routing import (
    destination_tag,
    dimension_order,
    hyperx_dimwar,
    hyperx_minimal,
    hyperx_omniwar,
    in_classes,
    nca,
)
from unknot.routing.parts import Preference
from unknot.simulation import Router, simulate
from unknot.simulation.engine.codes import SELECTIONS
from unknot.simulation.run.options import router_of


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
    odd = Relation(relation.network, 1, relation.rule, preference=Preference(selection="any"))
    with pytest.raises(SimulationError, match="unknown selection 'any'"):
        simulate(odd, 0.1, switching="wormhole")
    assert router_of("selection=first").selection == "first"


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("selection", SELECTIONS)
def test_twin_on_a_fat_tree(selection: str) -> None:
    relation = nca(fat_tree(3, 2), 2)
    agree(relation, "wormhole-nonatomic", 2, 4, 0.3, 3, router=Router(selection=selection))  # type: ignore[arg-type]
    agree(relation, "vct", 2, 4, 0.3, 4)


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize("commits", [True, False])
@pytest.mark.parametrize("switching", ["wormhole", "vct"])
def test_twin_on_a_hyperx(switching: str, commits: bool) -> None:
    """The least weight, chosen once or anew each cycle, with channels of different lengths."""
    network = hyperx([3, 2], 2, latency=[1, 3])
    for relation in (hyperx_omniwar(network, 4), hyperx_dimwar(network, 4)):
        agree(replace(relation, commits=commits), switching, 2, 4, 0.4, 5)


class Queued(Scripted):
    """One packet from terminal 0 to terminal 1, behind whose direct channel flits wait in some VC."""

    def __init__(self, vc: int, flits: int, router: Router) -> None:
        self.vc, self.flits = vc, flits
        super().__init__(hyperx_dimwar(hyperx([4], latency=2), 4), [(0, Packet(1, 1, 0, 0))], router=router)

    def create(self, terminal: Terminal) -> None:
        self.output[self.vc].credits = 64 - self.flits
        super().create(terminal)


@pytest.mark.parametrize("router", [Router(), Router(routing_delay=3, credit_delay=5)])
def test_least_weight_weighs_queues_by_the_hops_that_are_left(router: Router) -> None:
    """A direct hop weighs empty + flits, a deroute twice empty; only flits in VCs that the packet may take count."""
    empty = router.header_cycles + router.credit_delay + 2 * 2
    for vc, flits, direct in ((1, empty, True), (1, empty + 1, False), (0, empty + 1, False), (2, 60, True)):
        run = Queued(vc, flits, router)
        (first, *_) = run.allocated
        assert (run.number(first[2]) in (0, 1)) is direct


@pytest.mark.campaign
def test_weighted_adaptive_routing_keeps_up_with_minimal_routing_under_uniform_traffic() -> None:
    """With as many VCs in use; there is hardly a deroute where nothing is congested, and many where something is."""
    network = hyperx([5, 5], 5)
    minimal = hyperx_minimal(network, 2)
    at_most = accepted(minimal, 0.6, Router())
    fast = Router(internal_speedup=2.0)
    assert accepted(minimal, 0.6, fast, "tornado") < 0.35
    for relation in (hyperx_omniwar(network, 4), hyperx_dimwar(network, 4)):
        assert accepted(relation, 0.6, Router()) > at_most - 0.01
        assert simulate(relation, 0.1, warmup=250, measure=250).hops_mean == pytest.approx(2 * 4 / 5, rel=0.05)
        assert accepted(relation, 0.8, fast) == pytest.approx(0.8, abs=0.01)
        assert accepted(relation, 0.6, fast, "tornado") > 0.4


def accepted(relation: Relation, load: float, router: Router, traffic: str = "uniform") -> float:
    depth = 64 if router.queues else 8
    options = {"switching": "vct", "buffer_depth": depth, "warmup": 250, "measure": 250}
    return simulate(relation, load, router=router, traffic=traffic, **options).accepted_load  # type: ignore[arg-type]


def test_a_table_of_distances_is_held_against_the_limit() -> None:
    relation = dimension_order(torus(50, 50), 2)
    with memory_limit("128M"), pytest.raises(SizeError, match="simulation of torus"):
        simulate(relation, 0.1, router=Router(selection="least_weight"))


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
