"""Highest loads of 40 networks: `lanes` beside the best named routing, and OpenSM's LASH, DFSSSP and Nue.

``python -m benchmarks.lanes_load [NAMES]`` (``make lanes-load``) prints the table of docs/lanes.md, or the rows of
networks whose names begin with one of NAMES. The 40 networks were chosen before the search was tuned;
``--drawn N --seed S`` draws N others instead. ``--simulate`` adds saturation. Without OpenSM (Debian's packages
opensm, ibsim-utils, infiniband-diags, ibutils) or topohub their columns and rows are left out, and it is said so.

Measured for each: lanes; highest load, in routes from terminal to terminal or units of the flows; the lower bound on
it that the checker accepts. A named routing counts if its routes are shortest paths by tables. All routes of others
are put into the fewest lanes that are found for them; Nue is run for as many lanes as `lanes` needs. With
``--simulate`` the load up to which uniform traffic is stable, with the same four VCs of eight flits per channel,
shared out among the lanes.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx
import numpy as np

from benchmarks import opensm
from benchmarks.lanes import network
from unknot._base import deadline
from unknot._base.errors import UnknotError
from unknot.lane_assignment import Lanes, lanes
from unknot.network import Network, from_networkx
from unknot.routing.fabric_relation import fabric_relation
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
STEP = 0.005
"""Steps of the load in which saturation is sought."""
ENOUGH = 0.98
"""Saturation, over the best of as many lanes, below which a row is marked."""
ENGINES = ("lash", "dfsssp", "nue")
DRAWN = (
    "mesh({a}, {b})", "torus({a}, {b})", "ring({n})", "regular(3, {even})", "regular(4, {n})", "hyperx([{a}, {b}])",
    "irregular({n}, 4, 1, seed={seed})", "fat_tree({k}, 2)", "chordal_ring({even}, [3, -3])", "kautz({k}, 2)",
)  # fmt: skip
"""Networks of which some are drawn."""


@dataclass(frozen=True)
class Row:
    """Lanes, load and saturation of one routing on a network; or why it has none.

    Attributes
    ----------
    stable : float or None
        The load up to which uniform traffic is stable, where it was simulated.
    """

    routing: str
    routes: Lanes | None
    stable: float | None = None
    reason: str = ""

    @property
    def rank(self) -> tuple[int, float]:
        """Lanes, then highest load."""
        assert self.routes is not None
        return self.routes.count, round(self.routes.highest_load, 6)

    def __str__(self) -> str:
        if self.routes is None:
            return self.reason
        longer = "" if self.routes.relation.claims_minimal else "*"
        simulated = "" if self.stable is None else f", {self.stable:.3f}"
        return f"{self.routes.count}, {self.routes.highest_load:g}{longer}{simulated}"


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
    try:
        import topohub
    except ImportError:
        print("backbones are left out: pip install 'unknot[bench]'", file=sys.stderr)
        return
    for key in BACKBONES:
        graph = nx.convert_node_labels_to_integers(nx.Graph(nx.node_link_graph(topohub.get(key), edges="edges")))
        yield from_networkx(nx.Graph(graph.edges), name=key), None


def drawn(count: int, seed: int) -> Iterator[tuple[Network, np.ndarray | None]]:
    """As many other networks, drawn by a seed."""
    random = np.random.default_rng(seed)
    known = set(TEXTS)
    while count:
        a, b, n, k = (int(random.integers(*ends)) for ends in ((3, 8), (3, 8), (8, 41), (2, 5)))
        text = DRAWN[random.integers(len(DRAWN))].format(a=a, b=b, n=n, even=2 * (n // 2), k=k, seed=seed)
        if text not in known:
            known.add(text)
            count -= 1
            yield network(text), None


def named(built: Network, flows: np.ndarray | None) -> Iterator[Row]:
    """The named routings that the network takes, in as few lanes as are found for their routes."""
    for text in NAMED:
        try:
            routes = lanes(built, "given", routing=routing(built, text), flows=flows, vcs=VCS, time_limit=10.0)
        except UnknotError:
            continue
        if routes.relation.claims_minimal:
            yield Row(text, routes)


def deployed(built: Network, flows: np.ndarray | None, engine: str, most: int) -> Row:
    """OpenSM's routes, in as few lanes as are found for them; Nue may use `most`."""
    fabric = opensm.routed(built, engine, *(("--nue_max_num_vls", str(most)) if engine == "nue" else ()))
    if isinstance(fabric, str):
        return Row(engine, None, reason=fabric)
    sends = None if flows is None else opensm.flows_of(fabric, flows)
    try:
        relation = fabric_relation(fabric)
        return Row(engine, lanes(fabric.network, "given", routing=relation, flows=sends, vcs=VCS, time_limit=10.0))
    except UnknotError as error:
        return Row(engine, None, reason=str(error))


def simulated(row: Row) -> Row:
    """The row with the load up to which uniform traffic is stable; as it is where VCs are too few."""
    from unknot.simulation import saturation

    if row.routes is None or row.routes.count > VCS:
        return row
    point = saturation(row.routes.relation, traffic="uniform_others", tolerance=STEP, buffer_depth=DEPTH)
    return Row(row.routing, row.routes, point.load)


def verdict(ours: Row, others: list[Row]) -> str:
    """What another has that `lanes` has not, among routes along shortest paths in no more lanes."""
    there = [row for row in others if row.routes is not None and row.routes.relation.claims_minimal]
    better = [f"{row.routing} is lower" for row in there if row.rank < ours.rank]
    for row in others:
        if (
            row.stable
            and ours.stable is not None
            and row.rank[0] == ours.rank[0]
            and ours.stable < ENOUGH * row.stable
        ):
            better.append(f"{row.routing} carries more ({ours.stable / row.stable:.3f})")
    return "; ".join(better) or "none is better"


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument("--drawn", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    engines = () if opensm.missing() else ENGINES
    if opensm.missing():
        print(f"OpenSM is left out: apt-get install {' '.join(opensm.missing())}", file=sys.stderr)
    deadline.compiling.clock = time.process_time  # type: ignore[method-assign]
    lanes("torus(5, 5)")
    heads = ("network", "`lanes`", "no load is below", "seconds", "best named routing", *engines, "")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for built, flows in drawn(options.drawn, options.seed) if options.drawn else networks():
        if options.names and not built.name.startswith(tuple(options.names)):
            continue
        began = time.process_time()
        ours = Row("lanes", lanes(built, flows=flows, vcs=VCS))
        seconds = time.process_time() - began
        best = min(named(built, flows), key=lambda row: row.rank, default=Row("", None, reason="none"))
        others = [best, *(deployed(built, flows, engine, ours.rank[0]) for engine in engines)]
        if options.simulate and flows is None:
            ours, *others = map(simulated, (ours, *others))
        assert ours.routes is not None
        bound = f"{ours.routes.load_bound or 0:.4g}"
        name = f"{best.routing} " if best.routes is not None else ""
        cells = [
            str(ours),
            bound,
            f"{seconds:.1f}",
            f"{name}{others[0]}",
            *map(str, others[1:]),
            verdict(ours, others),
        ]
        print(f"| {built.name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
