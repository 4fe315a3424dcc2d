"""Seconds and bytes per channel that it takes to read a network from its description; NetworkX where it can do it."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import networkx as nx

from unknot.network.tod import network

RDT = """
R = ring(256)
T(s) = step(R, s) * step(R, s)
D(s) = step(R, s) (*) step(R, s)
T(1) | D(2) | T(8) | D(16) | T(64)
"""


def rdt_in_networkx(n: int = 256) -> nx.Graph:
    rings = {s: nx.circulant_graph(n, [s]) for s in (1, 2, 8, 16, 64)}
    straight, diagonal = nx.cartesian_product, nx.tensor_product
    products = ((1, straight), (2, diagonal), (8, straight), (16, diagonal), (64, straight))
    return nx.compose_all([product(rings[s], rings[s]) for s, product in products])


def cube_in_networkx(n: int) -> nx.Graph:
    graph = line = nx.path_graph(2)
    for _ in range(n - 1):
        graph = nx.cartesian_product(graph, line)
    return graph


CASES: list[tuple[str, str, float, Callable[[], nx.Graph] | None]] = [
    ("ring(1024) ** 2", "ring(1024) ** 2", 1.0, None),
    ("ring(256) ** 2", "ring(256) ** 2", 1.0, lambda: nx.cartesian_product(nx.cycle_graph(256), nx.cycle_graph(256))),
    ("ring(2) ** 20", "ring(2) ** 20", 5.0, None),
    ("ring(2) ** 12", "ring(2) ** 12", 5.0, lambda: cube_in_networkx(12)),
    ("RDT(2,4), 256 × 256", RDT, 2.0, rdt_in_networkx),
    ("complete(64) (*) complete(32)", "complete(64) (*) complete(32)", 2.0,
     lambda: nx.tensor_product(nx.complete_graph(64), nx.complete_graph(32))),
    ("de Bruijn B(2, 20)", "{u -> 2*u % 2**20, u -> (2*u + 1) % 2**20 for u in 2**20}", 5.0, None),
    ("star graph S(8)", "cayley(swap(8, 0, i) for i in 1..7)", 2.0, None),
]  # fmt: skip


def timed(make: Callable[[], object], runs: int = 3) -> float:
    """Least seconds of some runs."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        make()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    network("step(ring(4), 2) | line(4)")
    for name, text, goal, other in CASES:
        seconds = timed(lambda text=text: network(text))  # type: ignore[misc]
        tracemalloc.start()
        made = network(text)
        kept, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        theirs = f", NetworkX {timed(other, 1):.2f} s" if other is not None else ""
        print(
            f"{name}: {made.num_routers} routers, {made.num_channels} channels: {seconds:.3f} s (goal {goal:g} s), "
            f"{kept / made.num_channels:.0f} B per channel, {peak / made.num_channels:.0f} on the way{theirs}",
            flush=True,
        )
    text = f"{{{', '.join(f'{i} -- {(i + 1) % 4096}' for i in range(4096))}}}"
    print(f"ring of {len(text)} characters, edge by edge: read in {timed(lambda: network(text)):.2f} s")


if __name__ == "__main__":
    main()
