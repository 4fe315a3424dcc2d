"""Properties beside deadlock: seconds for each, after compilation."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from unknot.network.families import mesh, torus
from unknot.routing import Relation, duato, fully_adaptive, odd_even, vba
from unknot.verify import adaptivity, best_loads, deliver, fault_sweep, livelock, loads, vc_use
from unknot_papers.bnr import bnr

RELATIONS: tuple[Callable[[], Relation], ...] = (
    lambda: duato(mesh(16, 16)),
    lambda: duato(mesh(32, 32)),
    lambda: odd_even(mesh(32, 32)),
    lambda: vba(mesh(8, 8, 8)),
)
PROPERTIES: tuple[Callable[[Relation], Any], ...] = (deliver, livelock, adaptivity, bnr, vc_use, loads)


def seconds(function: Callable[..., Any], *arguments: Any, **options: Any) -> float:
    begin = time.perf_counter()
    function(*arguments, **options)
    return time.perf_counter() - begin


def main() -> None:
    warm = duato(mesh(3, 3))
    for function in PROPERTIES:
        function(warm)
    for make in RELATIONS:
        relation = make()
        assert relation.compiled is not None
        spent = "  ".join(f"{f.__name__} {seconds(f, relation):.2f}" for f in PROPERTIES)
        print(f"{relation.name} on {relation.network.name}: {spent} s", flush=True)
    for relation in (fully_adaptive(mesh(8, 8)), duato(torus(8, 8))):
        spent = seconds(best_loads, relation)
        print(f"best_loads of {relation.name} on {relation.network.name}: {spent:.2f} s", flush=True)
    for routing in ("dimension_order", "duato", "up_down"):
        spent = seconds(fault_sweep, mesh(8, 8), routing)
        print(f"fault_sweep of {routing} on mesh(8, 8), 112 links: {spent:.1f} s", flush=True)


if __name__ == "__main__":
    main()
