"""Processor time and memory of `audit` and `repair` on a Clos of Ethernet switches with three tiers.

``python -m benchmarks.ethernet_size PODS LEAVES SPINES CORES [cut] [repair]`` writes a folder with a prefix at each
leaf, routes by all shortest paths as `show ip route json` has them, and a list of cables; then the audit runs in a
process of its own. ``16 16 4 64`` has 384 switches, ``32 18 18 324`` has 1,476 for 10,368 hosts. ``cut`` leaves two
leaves of a pod one spine each, so that their packets bounce and PFC deadlocks; ``repair`` repairs instead.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import tempfile
from pathlib import Path
from typing import Any

import networkx as nx

from benchmarks.large_fabric import measured


def clos(pods: int, leaves: int, spines: int, cores: int) -> nx.Graph[str]:
    """Leaves and spines of each pod, all joined; spine s of each pod to the same cores."""
    graph: nx.Graph[str] = nx.Graph()
    for pod in range(pods):
        for spine in range(spines):
            graph.add_edges_from((f"leaf{pod}-{leaf}", f"spine{pod}-{spine}") for leaf in range(leaves))
            graph.add_edges_from((f"spine{pod}-{spine}", f"core{core}") for core in range(spine, cores, spines))
    return graph


def write(folder: Path, graph: nx.Graph[str]) -> None:
    """Write the files of a fabric: each leaf has a prefix."""
    tables: dict[str, dict[str, Any]] = {switch: {} for switch in graph}
    for number, leaf in enumerate(sorted(switch for switch in graph if switch.startswith("leaf"))):
        prefix, hops = f"10.{number // 250}.{number % 250}.0/24", nx.single_source_shortest_path_length(graph, leaf)
        for switch, far in hops.items():
            ports = [f"to-{other}" for other in graph[switch] if hops[other] < far] or ["hosts"]
            nexthops = [{"fib": True, "active": True, "interfaceName": port} for port in ports]
            protocol = "bgp" if far else "connected"
            tables[switch][prefix] = [{"protocol": protocol, "selected": True, "nexthops": nexthops}]
    for switch, table in tables.items():
        (folder / switch).mkdir()
        (folder / switch / "route.json").write_text(json.dumps(table), encoding="utf-8")
    cables = "".join(f"{a} to-{b} {b} to-{a}\n" for a, b in graph.edges)
    (folder / "cables.txt").write_text(cables, encoding="utf-8")


def main() -> None:
    """Write a Clos, audit it, and print what the audit took."""
    graph = clos(*map(int, sys.argv[1:5]))
    if "cut" in sys.argv:
        spines = range(int(sys.argv[3]))
        graph.remove_edges_from(
            (f"leaf0-{leaf}", f"spine0-{one}") for leaf in (0, 1) for one in spines if one != leaf
        )
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "fabric"
        folder.mkdir()
        # Another process writes: what this one holds would count as the command's own.
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            pool.apply(write, (folder, graph))
        asked = ["audit", f"{folder}"]
        if "repair" in sys.argv:
            asked = ["repair", f"{folder}", "--out", f"{scratch}/repaired"]
        print(f"{graph.number_of_nodes()} switches, {graph.number_of_edges()} cables: {measured(asked)}")


if __name__ == "__main__":
    main()
