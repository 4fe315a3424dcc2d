"""Designed topologies beside known ones: ``python -m benchmarks.topologies golf|cubes|chiplets``, or ``maps FOLDER
[SYMMETRY]``.

Rows are Markdown for docs/results/topologies.md. Seconds are of processor time. FOLDER has maps as NetSmith publishes
them (repository cgreen18/netsmith_icpp24): files `.map` of 0 and 1, the links from each router of a grid, row by row,
whose width is 5, or 8 for 48 and 64 routers. Each is designed anew in its own ports and longest link, both ways if
the map is, and keeps a symmetry if one is given. Chiplets stand on a grid of 8 × 8; each known network of them is
designed anew in the ports of each chiplet, the longest link, and the length of all links together. Both sides are
routed in lanes and simulated alike: 2 terminals a router, uniform traffic, 4 VCs of 8 flits, shared out among the
lanes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.deadline import Deadline, begun, counts_work
from unknot.lane_assignment import Lanes, lanes
from unknot.network import Network
from unknot.network.families import mesh
from unknot.network.metrics import measure
from unknot.search.effort import SearchEffort
from unknot.simulation import saturation
from unknot.synthesis.topology import cubes, designed, requested, throughput_of
from unknot.synthesis.topology.limits import LinkLimits
from unknot.synthesis.topology.request import TopologyRequest
from unknot.synthesis.topology.shortening import Found, candidates

Links = npt.NDArray[np.bool_]
"""Whether a channel leads from a node to another."""
Floats = npt.NDArray[np.float64]
FREE = LinkLimits()

GOLF = {
    (36, 3): (4, 3.067, 1), (64, 8): (3, 1.927, 1), (96, 3): (6, 4.272, 4), (256, 8): (4, 2.736, 16),
    (300, 7): (4, 3.012, 20), (384, 3): (9, 6.226, 8), (512, 8): (4, 3.111, 32), (1024, 3): (11, 7.679, 16),
    (1024, 8): (5, 3.505, 64),
}  # fmt: skip
"""Nodes and degree: diameter and mean hops of the winner of Graph Golf 2016 (National Institute of Informatics), and
the order of the symmetry that the search keeps."""
SEARCHING = 0.6
"""Share of a minute of work, which takes up to about a minute of processor time."""


@counts_work
def shortest(wanted: TopologyRequest, *, time_limit: float | Deadline | None = None) -> Found:
    """The network of fewest hops that a part of a minute of work finds."""
    effort = SearchEffort(begun(time_limit).part(SEARCHING).end)
    found = [one for one in candidates(wanted, "hops", 0, effort) if one is not None]
    return min(found, key=lambda one: one.total)


def golf() -> Iterator[list[Any]]:
    """Yield rows of the contest: the least mean hops within a minute of processor time."""
    yield ["nodes, ports", "winner: diameter, mean hops", "found", "above", "seconds"]
    for (size, ports), (far, mean, order) in GOLF.items():
        wanted = requested(Network("nodes", size, [], []), ports=ports, symmetry=order)
        began = time.process_time()
        best = shortest(wanted)
        ours = best.total / (size * (size - 1))
        seconds = time.process_time() - began
        above = f"{ours / mean - 1:.2%}"
        yield [f"{size}, {ports}", f"{far}, {mean}", f"{best.diameter}, {ours:.4f}", above, f"{seconds:.0f}"]


def of_cubes() -> Iterator[list[Any]]:
    """Yield rows of cubes: what is carried by proof, beside what no routes on the tori exceed."""
    yield ["cubes", "mean hops", "carries", "torus at most", "twisted at most", "gain", "checked", "seconds"]
    for count in (2, 4, 16):
        began = time.process_time()
        nodes, limits = cubes(4, 4, 4, count=count)
        wanted = requested(nodes, ports=6, limits=limits, symmetry=count)
        made = designed(wanted, "throughput" if count == 2 else "hops")
        plain, twisted = (throughput_of(one) for one in made.known[:2])
        checked = made.throughput_holds, twisted.evidence.evidence_holds(made.known[1])
        yield [
            f"{count}", f"{made.mean_hops:.3f}", f"{made.throughput:.3f}", f"{plain.most:.3f}", f"{twisted.most:.3f}",
            f"{made.throughput / twisted.most - 1:.1%}", all(checked), f"{time.process_time() - began:.0f}",
        ]  # fmt: skip


TERMINALS, VCS, DEPTH, STEP = 2, 4, 8, 0.01
"""Terminals of a router, VCs of a channel, slots of a VC, and steps of the load in which saturation is sought."""
ROUTING = 0.2
"""Share of a minute of work for the routes of a network."""


HEAD = [
    "map", "ports, reach", "mean hops", "flows carry", "lanes", "routes carry", "saturation", "ratio", "seconds",
]  # fmt: skip


def of_maps(folder: str, order: str = "1") -> Iterator[list[Any]]:
    """Yield rows of published maps: theirs and ours in the same ports and reach."""
    yield HEAD
    for path in sorted(Path(folder).glob("*.map")):
        table = np.abs(np.loadtxt(path)) > 0
        size = len(table)
        width = 8 if size in (48, 64) else 5
        yield beside(path.stem, mesh(width, size // width), table, int(order))


ROW = 8
"""Chiplets in a row and in a column."""
HAMMING = {"{4} and {2, 5}": ((4,), (2, 5)), "{3} and {3}": ((3,), (3,)), "{2, 4} and {2, 4}": ((2, 4), (2, 4))}
"""Distances of links in rows and in columns, beside those of a mesh."""


def of_chiplets() -> Iterator[list[Any]]:
    """Yield rows of networks of chiplets: theirs, and ours in the same ports, reach and length of links."""
    yield HEAD
    near = range(ROW)
    folded = {*((0, 1), (ROW - 2, ROW - 1)), *((at, at + 2) for at in range(ROW - 2))}
    yield chiplets("folded torus", on_lines(folded, folded))
    grid = {(at, at + 1) for at in range(ROW - 1)}
    diagonal = {((x, y), (x + 1, y + way)) for x in near for y in near for way in (1, -1) if x < ROW - 1}
    inside = {(one, other) for one, other in diagonal if 0 <= other[1] < ROW}
    yield chiplets("OctaMesh", on_lines(grid, grid) | inside)
    for name, (rows, columns) in HAMMING.items():
        far = [grid | {(at, at + by) for by in some for at in range(ROW - by)} for some in (rows, columns)]
        yield chiplets(f"sparse Hamming {name}", on_lines(*far))


Place = tuple[int, int]


def on_lines(rows: set[Place], columns: set[Place]) -> set[tuple[Place, Place]]:
    """Links between places that are joined in each row, and in each column."""
    across = {((a, y), (b, y)) for a, b in rows for y in range(ROW)}
    return across | {((x, a), (x, b)) for a, b in columns for x in range(ROW)}


def chiplets(name: str, links: set[tuple[Place, Place]]) -> list[Any]:
    """Row of a network of chiplets, all links both ways."""
    nodes = mesh(ROW, ROW)
    assert nodes.coordinates is not None
    number = {tuple(place): router for router, place in enumerate(nodes.coordinates.astype(int).tolist())}
    table = np.zeros((ROW * ROW, ROW * ROW), dtype=bool)
    for one, other in links:
        table[number[one], number[other]] = table[number[other], number[one]] = True
    length = float(lengths(nodes, table).sum())
    ports = {router: int(many) for router, many in enumerate(table.sum(axis=1))}
    return beside(name, nodes, table, 1, LinkLimits(ports=ports, length=length))


def lengths(nodes: Network, table: Links) -> Floats:
    """Lengths of the channels of a table."""
    source, target = np.nonzero(table)
    assert nodes.coordinates is not None
    along = (nodes.coordinates[source] - nodes.coordinates[target]).astype(np.float64)
    return np.asarray(np.linalg.norm(along, axis=1))


def beside(name: str, nodes: Network, table: Links, order: int, limits: LinkLimits = FREE) -> list[Any]:
    """Row of a known network, and of a design in its ports and longest link, and within limits."""
    began = time.process_time()
    reach = float(lengths(nodes, table).max())
    ports = int(max(table.sum(axis=0).max(), table.sum(axis=1).max()))
    both_ways = bool((table == table.T).all())
    wanted = requested(nodes, ports=ports, reach=reach, both_ways=both_ways, symmetry=order, limits=limits)
    shown = [carried(anew(wanted)), carried(wanted.network_of(table, name))]
    both = [" / ".join(figures) for figures in zip(*(one[:-1] for one in shown), strict=True)]
    ratio = f"{shown[0][-1] / shown[1][-1]:.3f}"
    return [name, f"{ports}, {reach:.2f}", *both, ratio, f"{time.process_time() - began:.0f}"]


@counts_work
def anew(wanted: TopologyRequest, *, time_limit: float | Deadline | None = None) -> Network:
    """Design a network in a part of a minute of work."""
    return designed(wanted, time_limit=begun(time_limit).part(SEARCHING)).network


@counts_work
def routed(network: Network, *, time_limit: float | Deadline | None = None) -> Lanes:
    """Find routes in lanes in a part of a minute of work."""
    return lanes(network, vcs=VCS, time_limit=begun(time_limit).part(ROUTING))


def carried(network: Network) -> tuple[Any, ...]:
    """Mean hops, throughput by flows, lanes, throughput by routes in lanes, and saturation, all per router."""
    ends = np.repeat(np.arange(network.num_routers), TERMINALS)
    wide = Network(
        network.name, network.num_routers, network.source, network.target, inject=ends, places=network.places
    )
    routes = routed(wide)
    point = TERMINALS * saturation(routes.relation, traffic="uniform_others", tolerance=STEP, buffer_depth=DEPTH).load
    hops = measure(network).mean_distance or 0.0
    by_routes = TERMINALS * (wide.num_terminals - 1) / routes.highest_load
    return (
        f"{hops:.3f}",
        f"{TERMINALS * throughput_of(wide).least:.3f}",
        f"{routes.count}",
        f"{by_routes:.3f}",
        f"{point:.2f}",
        point,
    )


KINDS: dict[str, Callable[..., Iterator[list[Any]]]] = {
    "golf": golf, "cubes": of_cubes, "chiplets": of_chiplets, "maps": of_maps,
}  # fmt: skip

if __name__ == "__main__":
    for number, row in enumerate(KINDS[sys.argv[1]](*sys.argv[2:])):
        print("|", " | ".join(map(str, row)), "|", flush=True)
        if number == 0:
            print("|---" * len(row), "|", sep="")
