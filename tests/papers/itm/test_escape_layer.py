"""Escape layer of a network: its cost, its verdicts, and the routings beside it."""

from __future__ import annotations

from unknot._base.switching import SWITCHINGS
from unknot.network import from_edges
from unknot.network.families import ring
from unknot.routing import fully_adaptive, up_down
from unknot.verify import adaptivity, check, deliver, loads
from unknot_papers.itm import itm_escape
from unknot_papers.itm.escape_layer import LAYERS, escape_layer

FAN = from_edges([(0, 1), (1, 2), (2, 0), (1, 3), (2, 3), (2, 4), (3, 4), (0, 4), (0, 1)])
"""Four triangles in a strip, and a cable beside the mesh; two cables join 0 and 1."""


def test_figures_are_those_of_each_routing() -> None:
    heard: list[tuple[str, int, int]] = []
    found = escape_layer(FAN, progress=lambda *news: heard.append(news))
    mesh = found.spanning.mesh
    assert mesh is not None
    edges = {frozenset(edge) for edge in mesh.edges.tolist()}
    channels = zip(FAN.source.tolist(), FAN.target.tolist(), strict=True)
    assert found.added_vcs == sum(frozenset(ends) in edges for ends in channels)
    layers = itm_escape(FAN, kind="exterior", mesh=mesh)
    assert found.verdicts == {switching: check(layers, switching).deadlock_free for switching in SWITCHINGS}
    relations = {
        LAYERS: layers,
        "up*/down*, one path": up_down(FAN, choice="first"),
        "up*/down*, adaptive": up_down(FAN, choice="shortest"),
        "all shortest paths": fully_adaptive(FAN),
    }
    assert [routes.routing for routes in found.routes] == list(relations)
    for routes in found.routes:
        relation = relations[routes.routing]
        load = loads(relation)
        assert (routes.longest, routes.mean_hops) == (deliver(relation).longest_route, load.mean_hops)
        assert (routes.adaptivity, routes.throughput) == (adaptivity(relation).mean, load.throughput)
    steps = ["looking for a mesh", *(f"verdict, {s}" for s in SWITCHINGS), *relations, ""]
    assert heard == [(steps[0], 0, 1), *((step, i, 8) for i, step in enumerate(steps[1:]))]
    small = escape_layer(FAN, compared=4)
    assert (small.verdicts, small.routes, small.added_vcs) == ({}, (), found.added_vcs)
    assert escape_layer(FAN, compared=5).verdicts == found.verdicts


def test_a_network_without_a_mesh_is_compared_without_layers() -> None:
    found = escape_layer(ring(6))
    assert (found.spanning.mesh, found.added_vcs, found.verdicts) == (None, 0, {})
    assert (found.itself, found.chordal) == ("", False)
    assert found.why_not
    assert next(routes.routing for routes in found.routes) == "up*/down*, one path"
    assert len(found.routes) == 3
