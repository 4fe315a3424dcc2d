"""Fewest queues by classes of destinations: as by single paths."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from benchmarks.ethernet_size import clos, write

from unknot._base.errors import RelationError
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.lane_assignment.class_paths import ClassPaths, queues_by_classes
from unknot.lane_assignment.flow_paths import by_bounces, graph_of_walk
from unknot.lane_assignment.queues import _tags, fewest_queues
from unknot.network.metrics import hops_from_any
from unknot.routing.lossless import PfcModel, Walk
from unknot.routing.lossless_classes import ClassWalk


def cut_clos(seed: int) -> nx.Graph[str]:
    """A Clos with two or three tiers without some cables, in one piece."""
    random = np.random.default_rng(seed)
    while True:
        graph = clos(2, 3, 2, 2)
        edges = [*graph.edges]
        graph.remove_edges_from(edges[i] for i in random.permutation(len(edges))[: 2 + seed % 4])
        if nx.is_connected(graph):
            return graph


@pytest.mark.parametrize("seed", range(12))
def test_queues_and_tags_are_those_of_single_paths(seed: int, tmp_path: Path) -> None:
    write(tmp_path, cut_clos(seed))
    fabric = read_ethernet(tmp_path)
    model = PfcModel(fabric, (0,))
    walk, graph = ClassWalk(model), graph_of_walk(Walk(model))
    tiers = hops_from_any(fabric.network, list(fabric.edges))
    assert {*ClassPaths(walk).turns} == graph.turns
    assert ClassPaths(walk).tags(by_bounces(fabric.network, tiers)) == _tags(graph, by_bounces(fabric.network, tiers))
    ours, whole = queues_by_classes(walk, fabric.edges), fewest_queues(graph, fabric.edges)
    if ours is None:
        assert whole.count > 2 or whole.bounces != 2
    else:
        assert (ours.count, ours.lower_bound, ours.tags) == (whole.count, whole.lower_bound, whole.tags)
        assert (ours.established, ours.bounces) == (whole.established, whole.bounces)
        assert ours.evidence_holds is (None if ours.count == 1 else True)


def test_both_answers_occur_and_circling_packets_are_refused(tmp_path: Path) -> None:
    counts = set()
    for seed in range(12):
        folder = tmp_path / f"{seed}"
        folder.mkdir()
        write(folder, cut_clos(seed))
        fabric = read_ethernet(folder)
        queues = queues_by_classes(ClassWalk(PfcModel(fabric, (0,))), fabric.edges)
        counts.add(queues and queues.count)
    assert {1, 2} <= counts
    text = (folder / "spine0-0" / "route.json").read_text()
    leaf = next(edge[1] for edge in cut_clos(11).edges("spine0-0") if edge[1].startswith("leaf"))
    (folder / "spine0-0" / "route.json").write_text(text.replace("to-core", f"to-{leaf}-").replace(f"{leaf}-0", leaf))
    fabric = read_ethernet(folder)
    with pytest.raises(RelationError, match="packets circle"):
        queues_by_classes(ClassWalk(PfcModel(fabric, (0,))), fabric.edges)
