"""Seconds to grow, recognise and order triangular meshes, and to find one hidden in a network."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

from unknot.network import Network, from_edges
from unknot_papers.itm import chordal, grow, itm, network_of, recognise, spanning


def timed(make: Callable[[], object], runs: int = 5) -> float:
    """Median seconds."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        make()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def renumbered(network: Network, seed: int) -> Network:
    number = list(range(network.num_routers))
    random.Random(seed).shuffle(number)
    return from_edges(
        [
            (number[u], number[v])
            for u, v in zip(network.source.tolist(), network.target.tolist(), strict=True)
            if u < v
        ]
    )


def main() -> None:
    recognise(itm(5))
    chordal(itm(5))
    assert grow(5).circle is not None
    for n in (1_000, 10_000, 100_000, 1_000_000):
        mesh = grow(n, seed=3)
        network = network_of(mesh, "mesh")
        parts = {
            "grow": timed(lambda n=n: grow(n, seed=3)),  # type: ignore[misc]
            "recognise": timed(lambda network=network: recognise(network)),  # type: ignore[misc]
            "order": timed(lambda n=n: grow(n, seed=3).circle),  # type: ignore[misc]
            "chordal": timed(lambda network=network: chordal(network)),  # type: ignore[misc]
        }
        parts_text = ", ".join(f"{name} {seconds:.4f} s" for name, seconds in parts.items())
        print(f"{n} routers: {parts_text} (goal for 100,000 in all: 5 s)", flush=True)
    for n, extra in ((60, 60), (200, 100), (1_000, 500), (5_000, 1_000)):
        hidden = renumbered(itm(n, degree=8, extra=extra, seed=5), 1)
        start = time.perf_counter()
        spanned = spanning(hidden)
        seconds = time.perf_counter() - start
        answer = f"{'found' if spanned.mesh is not None else 'not found'}, {spanned.method}, {seconds:.2f} s"
        print(f"mesh hidden in {n} routers with {extra} more links: {answer}", flush=True)


if __name__ == "__main__":
    main()
