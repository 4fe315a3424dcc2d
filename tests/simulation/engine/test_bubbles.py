"""Bubble flow control in the simulator: the naive twin, the prover's deadlocks, and none where it says free."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reference.sim_bubbles import BubbleSimulator
from tests.reference.uniform_pairs import uniform
from tests.simulation.engine.test_flit_kernel import side_by_side
from tests.simulation.options import routers
from tests.verify.test_bubbles import systems
from unknot.network.families import ring, torus
from unknot.routing import Relation, dimension_order
from unknot.routing.bubble import RULES, Bubble, bubble
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.engine.sources import Sources
from unknot.verify import deliver


def agree(
    relation: Relation, made: Bubble, length: int, rest: int, chance: float, seed: int, router: Router = DEFAULT
) -> None:
    """Run both; buffers have `rest` flits more than the packets fill."""
    options = {"depth": made.packets * length + rest, "chance": chance, "seed": seed, "router": router}
    pairs = uniform(relation)
    twin = BubbleSimulator(relation, made, length=length, pairs=pairs, **options)
    engine = Engine(
        relation, "vct", Sources(chance, pairs, length), buffer_depth=options["depth"], seed=seed, router=router,
        bubble=made,
    )  # fmt: skip
    if seed % 2:
        engine.calls_from = -(10**12)  # the routing cache is made at once
    for _ in side_by_side(twin, engine):
        assert engine.state.rings.mark.tolist() == engine.state.out_row[twin.marks].tolist()


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(systems(), st.integers(1, 4), st.integers(0, 3), st.sampled_from([0.1, 0.3, 1.0]), st.integers(0, 99))
def test_twin_on_random_rings(
    system: tuple[Relation, Bubble], length: int, rest: int, chance: float, seed: int
) -> None:
    relation, made = system
    if relation.num_vcs > 1 and made.rings != ((0, 1),) and deliver(relation).delivered:
        agree(relation, made, length, min(rest, length - 1), chance / length, seed)


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("load", [0.2, 1.0])
def test_twin_on_a_torus(rule: str, load: float) -> None:
    relation = dimension_order(torus(4, 3))
    agree(relation, bubble(relation, rule, packets=2), 2, 1, load / 2, 3)


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(RULES), routers(), st.integers(0, 99))
def test_twin_with_router_options(rule: str, router: Router, seed: int) -> None:
    """Steps within a cycle are not compared: the twin takes them one by one in all routers, the kernel in each."""
    relation = dimension_order(torus(4, 3), 2)
    router = replace(router, iterations=1, own_slots=0, most_slots=0, internal_speedup=1.0, output_buffer=0)
    agree(relation, bubble(relation, rule, packets=2), 2, 0, 0.4, seed, router)
