"""Designed topologies beside known ones: ``python -m benchmarks.topologies golf|cubes|maps FOLDER [SYMMETRY]``.

Rows are Markdown for docs/results/topologies.md. Seconds are of processor time. FOLDER has maps as NetSmith publishes
them (repository cgreen18/netsmith_icpp24): files `.map` of 0 and 1, the links from each router of a grid, row by row,
whose width is 5, or 8 for 48 and 64 routers. Each is designed anew in its own ports and longest link, both ways if
the map is, and keeps a symmetry if one is given. Both are routed in lanes and simulated alike: 2 terminals a router,
uniform traffic, 4 VCs of 8 flits, shared out among the lanes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from unknot._base.deadline import Deadline, begun, counts_work
from unknot.lane_assignment import Lanes, lanes
from unknot.network import Network
from unknot.network.families import mesh
from unknot.network.metrics import measure
from unknot.search.effort import SearchEffort
from unknot.simulation import saturation
from unknot.synthesis.topology import cubes, designed, requested, throughput_of
from unknot.synthesis.topology.request import TopologyRequest
from unknot.synthesis.topology.shortening import Found, candidates

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


def of_maps(folder: str, order: str = "1") -> Iterator[list[Any]]:
    """Yield rows of published maps: theirs and ours in the same ports and reach."""
    figures = ["mean hops", "flows carry", "lanes", "routes carry", "saturation"]
    yield ["map", "ports, reach", *figures, "ratio", "seconds"]
    for path in sorted(Path(folder).glob("*.map")):
        began = time.process_time()
        table = np.abs(np.loadtxt(path)) > 0
        size = len(table)
        width = 8 if size in (48, 64) else 5
        nodes = mesh(width, size // width)
        places = nodes.coordinates
        assert places is not None
        source, target = np.nonzero(table)
        reach = float(np.hypot(*(places[source] - places[target]).T).max())
        ports = int(max(table.sum(axis=0).max(), table.sum(axis=1).max()))
        wanted = requested(
            nodes, ports=ports, reach=reach, both_ways=bool((table == table.T).all()), symmetry=int(order)
        )
        ours = anew(wanted)
        shown = [carried(ours), carried(wanted.network_of(table, path.stem))]
        both = [" / ".join(figures) for figures in zip(*(one[:-1] for one in shown), strict=True)]
        ratio = f"{shown[0][-1] / shown[1][-1]:.3f}"
        yield [path.stem, f"{ports}, {reach:.2f}", *both, ratio, f"{time.process_time() - began:.0f}"]


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


if __name__ == "__main__":
    for number, row in enumerate({"golf": golf, "cubes": of_cubes, "maps": of_maps}[sys.argv[1]](*sys.argv[2:])):
        print("|", " | ".join(map(str, row)), "|", flush=True)
        if number == 0:
            print("|---" * len(row), "|", sep="")
