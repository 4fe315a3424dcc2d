"""Highest loads of 40 networks: `lanes` beside the best named routing, LASH and DFSSSP in as few lanes as they fit.

``python -m benchmarks.lanes_load [NAMES]`` prints the table of docs/lanes.md, or the rows of networks whose names
begin with one of NAMES; ``--simulate`` adds saturation. The networks were chosen before the search was tuned.

Measured for each: lanes; highest load, in routes from terminal to terminal or units of the flows; the lower bound on
it that the checker accepts. With ``--simulate`` the load up to which uniform traffic is stable, with the same four
VCs of eight flits per channel, shared out among the lanes. A named routing counts if its routes are shortest paths by
tables; its lanes are the fewest that are found for its routes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx
import numpy as np

from benchmarks.lanes import network
from unknot._base.errors import UnknotError
from unknot.lanes import lanes
from unknot.network import Network, from_networkx
from unknot.routing import Relation
from unknot.routing.named import routing

TEXTS = (
    "mesh(4, 4)", "mesh(6, 6)", "mesh(8, 8)", "mesh(6, 4)", "mesh(4, 4, 4)",
    "torus(4, 4)", "torus(5, 5)", "torus(8, 8)", "torus(3, 4, 5)", "torus(4, 4, 4)", "ring(6)", "ring(12)",
    "hypercube(3)", "hypercube(4)", "hypercube(5)", "hypercube(6)", "hypercube(7)",
    "hyperx([4, 4])", "hyperx([8, 8])", "hyperx([4, 4, 4])", "complete(8)",
    "fat_tree(2, 4)", "fat_tree(4, 2)", "fat_tree(4, 3)", "xgft([4, 4], [1, 2])",
    "regular(3, 16)", "regular(3, 32)", "regular(4, 32)", "regular(4, 64)", "regular(6, 48)",
    "chordal_ring(16, [8, -8])", "slim_fly(5)", "dragonfly(2, 4, 2)", "kautz(2, 4)",
)  # fmt: skip
"""Grids, cubes, HyperX, fat trees, random graphs; Spidergon, Slim Fly, dragonfly and Kautz."""
CHIPS = {
    "VOPD": (
        (4, 3),
        "0-1:70 1-2:362 2-3:362 3-4:362 4-5:357 5-6:353 6-7:300 7-8:313 8-9:313 9-10:94 8-6:500 3-11:49 11-4:27",
    ),
    "MPEG-4": (
        (4, 3),
        "0-5:190 1-5:0.5 2-5:60 3-5:600 4-5:40 5-6:910 5-7:32 5-8:670 5-9:173 7-10:500 7-11:250 5-1:0.5 5-2:40",
    ),
}
"""MB/s between cores, after core graphs of two video decoders; each core at the router of its number in a mesh."""
BACKBONES = ("sndlib/abilene", "sndlib/geant", "sndlib/germany50", "topozoo/Uunet")
NAMED = (
    "dimension_order", "dimension_order(dateline='none')", "nca(up='modulo')", "destination_tag", "p_cube",
    "hyperx_dimension_order", "shortest_paths", "dragonfly_minimal", "lash", "dfsssp",
)  # fmt: skip
"""Routings of the catalogue that have one route for each pair, on networks that they take."""
VCS, DEPTH = 4, 8


@dataclass(frozen=True)
class Row:
    """Lanes and load of one routing on a network."""

    routing: str
    lanes: int
    load: float
    relation: Relation


def networks() -> Iterator[tuple[Network, np.ndarray | None]]:
    """The networks, each with its flows; None: uniform traffic."""
    for text in TEXTS:
        yield network(text), None
    for name, (sides, text) in CHIPS.items():
        mesh = network(f"mesh({sides[0]}, {sides[1]})")
        flows = np.zeros((mesh.num_terminals,) * 2)
        for flow in text.split():
            ends, rate = flow.split(":")
            source, target = map(int, ends.split("-"))
            flows[source, target] = float(rate)
        yield Network(name, 12, mesh.source, mesh.target, inject=mesh.inject, eject=mesh.eject), flows
    import topohub

    for key in BACKBONES:
        graph = nx.convert_node_labels_to_integers(nx.Graph(nx.node_link_graph(topohub.get(key), edges="edges")))
        yield from_networkx(nx.Graph(graph.edges), name=key), None


def named(built: Network, flows: np.ndarray | None) -> Iterator[Row]:
    """The named routings that the network takes, in as few lanes as are found for their routes."""
    for text in NAMED:
        try:
            routes = lanes(built, "given", routing=routing(built, text), flows=flows, vcs=VCS, time_limit=10.0)
        except UnknotError:
            continue
        if routes.routes.minimal:
            yield Row(text, routes.count, routes.highest_load, routes.relation)


def stable(relation: Relation) -> str:
    """The load up to which uniform traffic is stable."""
    from unknot.simulation import saturation

    return f"{saturation(relation, traffic='uniform_others', tolerance=0.02, buffer_depth=DEPTH).load:.2f}"


def main(words: list[str]) -> None:
    """Print the table."""
    chosen = tuple(word for word in words if word != "--simulate")
    lanes("torus(5, 5)")
    print("| network | `lanes`: lanes, load | bound | seconds | named routings: lanes, load |\n|---|---|---|---|---|")
    for built, flows in networks():
        if chosen and not built.name.startswith(chosen):
            continue
        began = time.process_time()
        routes = lanes(built, flows=flows, vcs=VCS)
        seconds = time.process_time() - began
        others = list(named(built, flows))
        cells = [
            built.name, f"{routes.count}, {routes.highest_load:g}", f"{routes.load_bound or 0:.4g}", f"{seconds:.1f}",
            "; ".join(f"{row.routing} {row.lanes}, {row.load:g}" for row in others),
        ]  # fmt: skip
        if "--simulate" in words and flows is None:
            best = min(others, key=lambda row: (row.lanes, row.load))
            cells[1] += f", stable up to {stable(routes.relation)}"
            cells[-1] += f"; {best.routing} stable up to {stable(best.relation)}"
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
