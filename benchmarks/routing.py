"""Seconds and memory to build routings of large networks; and one query each, since rules answer from what was built.

Irregular networks of 10,000 switches have the goal of 30 s and 2 GB. Tori of 100,000 routers tabulate nothing.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import time

import numpy as np

from unknot.fabrics.named import network
from unknot.routing import Relation
from unknot.routing.named import routing

IRREGULAR = "irregular(10000, 8, 1, seed=0)"
TORUS = "torus(50, 50, 40)"
CASES: list[tuple[str, str, float, float]] = [
    (IRREGULAR, "up_down", 30, 2),
    (IRREGULAR, 'up_down(root=0, levels="dfs", choice="any")', 30, 2),
    (IRREGULAR, "hop_number", 30, 2),
    (IRREGULAR, 'hop_number(choice="all")', 30, 2),
    (IRREGULAR, "two_trees", 30, 2),
    (IRREGULAR, "two_trees(root=0, bypass=True)", 30, 2),
    (IRREGULAR, "shortest_paths", 30, 2),
    ("irregular(1000, 8, 1, seed=0)", "lash", 60, 2),
    ("irregular(1000, 8, 1, seed=0)", "dfsssp", 60, 2),
    (TORUS, "hop_number", 5, 1),
    (TORUS, "ring_lexicographic", 5, 0.5),
    (TORUS, "shortest_paths", 5, 0.5),
    ("de_bruijn(2, 17)", "de_bruijn", 5, 0.5),
    ("cube_connected_cycles(13)", "cube_connected_cycles", 5, 0.5),
]


def follow(relation: Relation, routes: int = 50) -> float:
    """Mean hops of some routes through the compiled rule, so that it is compiled and every table is read."""
    rule = relation.compiled.ctypes
    out = np.zeros(relation.max_candidates, dtype=np.int64)
    draw = np.random.default_rng(1)
    hops = 0
    for _ in range(routes):
        source, address = draw.integers(relation.network.num_terminals, size=2).tolist()
        if relation.may_use is not None:
            address = int(np.flatnonzero(relation.may_use[source])[address])
        at = relation.num_vcs + source
        while rule(at, address, out.ctypes.data) and (vc := int(out[0])) < relation.num_vcs:
            at = vc
            hops += 1
    return hops / routes


def one(text: str, words: str) -> None:
    """Build one routing in this process and print what it took."""
    import resource

    made = network(text)
    routing(network("irregular(20, 4, 1, seed=0)"), "up_down")
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    relation = routing(made, words)
    built = time.perf_counter() - start
    start = time.perf_counter()
    hops = follow(relation)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    used = f"{(peak - before) / 1e6:.2f} GB more (peak {peak / 1e6:.2f} GB)"
    followed = f"compiled and 50 routes of {hops:.1f} hops followed in {time.perf_counter() - start:.2f} s"
    print(f"{words} on {text}: {built:.2f} s, {used}, {followed}, up to {int(relation.vcs.counts.max())} VCs")


def main() -> None:
    for text, words, seconds, memory in CASES:
        code = f"from benchmarks.routing import one; one({text!r}, {words!r})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        print(f"{done.stdout.strip()} (goal {seconds:g} s, {memory:g} GB)", flush=True)


if __name__ == "__main__":
    main()
