"""Prover and simulator agree: what is proved free never ties itself up, what is refuted stays stuck in its replay."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawing import draw_until
from tests.faulty_routings import correct_algorithms
from tests.strategies import networks, relations
from unknot import deliver, replay
from unknot._base.switching import SWITCHINGS, Switching
from unknot.certificates import accept_configuration
from unknot.network import Network
from unknot.network.families import hypercube, mesh, torus
from unknot.routing import Relation, dimension_order, duato, fully_adaptive
from unknot.simulation import simulate
from unknot.verify import check


def compare(relation: Relation, switching: Switching, seed: int, seen: Counter[str]) -> None:
    verdict = check(relation, switching, buffer_depth=2)
    if verdict.configuration is not None:
        result = replay(relation, verdict.configuration, cycles=200)
        assert result.stuck, verdict.configuration
        assert result.knot is not None
        seen[f"{switching} sticks"] += 1
    elif (delivery := deliver(relation)).delivered and delivery.pairs:
        run = simulate(
            relation, 1.0, packet_length=2, switching=switching, buffer_depth=2, seed=seed, warmup=0, measure=1500
        )
        assert run.deadlock is None, run.reason
        seen[f"{switching} flows"] += 1


def test_random_relations() -> None:
    seen: Counter[str] = Counter()
    cases = given(
        relations(networks(max_routers=5, max_channels=10)), st.sampled_from(SWITCHINGS), st.integers(0, 99)
    )
    some = settings(max_examples=10)(
        cases(lambda relation, switching, seed: compare(relation, switching, seed, seen))
    )
    answers = [f"{switching} {answer}" for switching in SWITCHINGS for answer in ("sticks", "flows")]
    draw_until(lambda: min(seen[answer] for answer in answers) > 0, some)


@pytest.mark.campaign
def test_campaign() -> None:
    """Thousands of relations, new ones every time."""
    seen: Counter[str] = Counter()
    cases = given(
        relations(networks(max_routers=6, max_channels=14)), st.sampled_from(SWITCHINGS), st.integers(0, 99)
    )
    fresh = settings(max_examples=5_000)(
        cases(lambda relation, switching, seed: compare(relation, switching, seed, seen))
    )
    draw_until(lambda: sum(seen.values()) > 3_000, fresh)
    print({key: seen[key] for key in sorted(seen)})


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize("network", [mesh(4, 4), torus(5, 4), hypercube(3)], ids=lambda network: network.name)
@pytest.mark.parametrize("algorithm", [dimension_order, fully_adaptive, duato], ids=lambda f: f.__name__)
def test_algorithms(network: Network, switching: Switching, algorithm: object) -> None:
    relation = algorithm(network)  # type: ignore[operator]
    verdict = check(relation, switching)
    if verdict.configuration is not None:
        assert replay(relation, verdict.configuration).stuck
    else:
        run = simulate(relation, 0.9, packet_length=3, switching=switching, seed=1, warmup=0, measure=3000)
        assert run.deadlock is None, run.reason


def one_sided(relation: Relation, seed: int) -> Relation:
    """The relation under adversarial traffic: each terminal sends to one address only, drawn at random."""
    random = Random(seed)
    use = np.zeros((relation.network.num_terminals, relation.num_addresses), dtype=bool)
    for terminal in range(relation.network.num_terminals):
        mine = (
            range(relation.num_addresses) if relation.may_use is None else np.flatnonzero(relation.may_use[terminal])
        )
        away = [a for a in mine if relation.destination[a] != terminal]
        if away:
            use[terminal, random.choice(away)] = True
    return replace(
        relation,
        addresses=replace(relation.addresses, may_use=use),
        preference=replace(relation.preference, direct=None),
    )


def agree(relation: Relation, switching: Switching, cycles: int, seeds: range, seen: Counter[str]) -> None:
    """What is proved free runs under adversarial traffic at full load; what is refuted sticks in its replay."""
    verdict = check(relation, switching, buffer_depth=2)
    if verdict.configuration is not None:
        assert replay(relation, verdict.configuration, cycles=100).stuck
        seen["sticks"] += 1
        return
    for seed in seeds:
        part = relation if seed % 4 == 0 else one_sided(relation, seed)
        run = simulate(
            part, 1.0, packet_length=1 + seed % 2 if switching in ("saf", "vct") else 1 + 2 * (seed % 4),
            switching=switching, buffer_depth=2, seed=seed, warmup=0, measure=cycles,
        )  # fmt: skip
        assert run.deadlock is None, f"{relation.name} on {relation.network.name}: {run.reason}"
        assert run.packets > 0
        seen["flows"] += 1


def test_every_routing_of_the_package() -> None:
    seen: Counter[str] = Counter()
    for i, (_, relation) in enumerate(correct_algorithms(20, 1)):
        agree(relation, SWITCHINGS[i % 4], 150, range(i, i + 1), seen)
    assert seen["flows"] > 15
    assert seen["sticks"] > 1


@pytest.mark.campaign
def test_every_routing_of_the_package_for_long() -> None:
    """Every technique, several networks each, traffic to all and to one each, short packets and long."""
    seen: Counter[str] = Counter()
    for _, relation in correct_algorithms(150, 3):
        for switching in SWITCHINGS:
            agree(relation, switching, 3000, range(8), seen)
    print(dict(seen))
    assert seen["flows"] > 1000


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_the_checker_accepts_the_knot_a_run_came_to(switching: Switching) -> None:
    """Whatever the technique, and also where a long packet holds several VCs."""
    relation = dimension_order(torus(6, 6), 1)
    length = 4 if switching in ("saf", "vct") else 14
    run = simulate(relation, 0.6, packet_length=length, switching=switching, buffer_depth=4, seed=3, warmup=0)
    assert run.deadlock is not None
    several = any(len(message.held) > 1 for message in run.deadlock.messages)
    assert several == (switching not in ("saf", "vct"))
    accept_configuration(relation, run.deadlock)
    assert replay(relation, run.deadlock).stuck
