"""An 8×8 torus without deadlock: the fewest lanes, why one is not enough, what it costs, and what faults change.

Run it with ``python examples/lanes.py``; ``--quick`` takes a ring of six routers. It writes the tables into
lanes.json, or the file named.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from unknot.lane_assignment import lanes
from unknot.network.families import ring, torus
from unknot.remedies import relaned
from unknot.report.export import export
from unknot.routing import shortest_paths
from unknot.verify import check


def main() -> None:
    """Refute, find lanes, write them, and survive a fault."""
    began, quick = time.monotonic(), "--quick" in sys.argv
    files = [Path(word) for word in sys.argv[1:] if not word.startswith("--")]
    tables = files[0] if files else Path("lanes.json")
    network = ring(6) if quick else torus(8, 8)
    print(f"shortest paths in one lane: {check(shortest_paths(network))!r}")
    routes = lanes(network, "table")
    print(f"by tables in {routes.count} lanes: {check(routes.relation)!r}")
    print(f"at least {routes.lower_bound}; the separate checker accepts it: {routes.evidence_holds}")
    print(f"highest load {routes.highest_load:g}, mean {routes.mean_load:g}")
    export(routes.relation, tables)
    print(f"tables: {tables}")
    after = relaned(routes, network.without(channels=[0]))
    print(f"one channel less: {after.count} lanes, {after.changed} of {after.pairs} routes change")
    print(f"from nothing to an answer: {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
