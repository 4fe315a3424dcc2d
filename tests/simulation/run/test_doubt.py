"""Runs near the load that a network takes at most: which are called saturated, and which are carried."""

from __future__ import annotations

import numpy as np
import pytest

from unknot._base.switching import Switching
from unknot.fabrics.named import network
from unknot.routing import duato
from unknot.routing.named import routing, routings
from unknot.simulation import simulate

NETWORKS = [
    ("torus(4, 4)", "duato", 3), ("torus(6, 6)", "duato", 3), ("mesh(4, 4)", "dimension_order", 2),
    ("mesh(4, 4)", "west_first", 1), ("mesh(6, 6)", "duato", 2), ("ring(8)", "dimension_order", 2),
    ("hypercube(4)", "dimension_order", 1), ("hypercube(4)", "duato", 2), ("petersen()", "hop_number", None),
    ("petersen()", "up_down", 1), ("tree(2, 3)", "up_down", 2), ("irregular(12, 4, 1)", "up_down", 2),
    ("irregular(16, 4, 2)", "two_trees", None), ("random_regular(16, 3, seed=1)", "up_down", 4),
    ("de_bruijn(2, 4)", "de_bruijn", None), ("shuffle_exchange(4)", "shuffle_exchange", None),
    ("cube_connected_cycles(3)", "cube_connected_cycles", None), ("complete(8)", "hop_number", None),
    ("line(8)", "dimension_order", 2), ("torus(3, 3, 3)", "dimension_order", 2),
]  # fmt: skip
NETWORKS = [case for case in NETWORKS if case[1] in routings()]
LOADS = (0.8, 0.9, 0.95, 1.0, 1.05)
"""Parts of what is accepted at load 1."""


@pytest.mark.campaign
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_load_that_is_carried_with_rare_jams_is_not_saturated(seed: int) -> None:
    relation = duato(network("torus(6, 6)"), vcs=3)
    run = simulate(
        relation, 0.30, packet_length=20, buffer_depth=2, switching="wormhole-nonatomic", seed=seed
    )  # fmt: skip
    assert run.outcome == "stable"


@pytest.mark.campaign
@pytest.mark.parametrize(("text", "named", "vcs"), NETWORKS)
@pytest.mark.parametrize("length", [1, 8, 20])
def test_what_is_called_saturated_is_and_what_is_called_stable_is_carried(
    text: str, named: str, vcs: int | None, length: int
) -> None:
    """The truth is what a run of 16 windows with another seed accepts, where that is clear."""
    random = np.random.default_rng(length)
    relation = routing(network(text), named, vcs)
    switching: Switching = "wormhole-nonatomic" if length == 20 else "vct"
    depth = 4 if length == 20 else length
    point = {"packet_length": length, "switching": switching, "buffer_depth": depth}
    plateau = simulate(relation, 1.0, warmup=3000, measure=6000, **point)  # type: ignore[arg-type]
    load = min(1.0, float(random.choice(LOADS)) * plateau.accepted_load)
    run = simulate(relation, load, seed=int(random.integers(1000)), **point)  # type: ignore[arg-type]
    if run.outcome == "saturated":
        assert run.accepted_load < run.offered_load
    shortest = max(5000, int(30_000 * length / (load * relation.network.num_terminals)))
    long = simulate(relation, load, seed=7, warmup=4 * shortest, measure=12 * shortest, **point)  # type: ignore[arg-type]
    short = 1 - long.accepted_load / load
    if run.outcome == "saturated":
        assert short > -0.005, "a longer run accepts more than is offered"
        assert long.outcome != "stable", long
    elif run.outcome == "stable":
        assert short < 0.01, long
