"""Why does it hang? Routers change from one safe routing to another, and packets of both close a cycle.

Up*/down* routing is free of deadlock from any root. When the root of a network moves, as when the switch at the root
is to be taken out of service, routers are updated one after the other, and packets of both routings meet.
Run it with ``python examples/hangs/update.py``.
"""

from __future__ import annotations

import time

from unknot.network.families import irregular
from unknot.report.configuration_text import describe
from unknot.routing import up_down
from unknot.verify import check, update


def main() -> None:
    """Judge both routings, the update in any order, and in the order that is found."""
    began = time.monotonic()
    network = irregular(12, 4, 1)
    old, new = up_down(network, root=0), up_down(network, root=7)
    for routing in (old, new):
        print(f"{routing.name}: {check(routing).established}")

    change = update(old, new)
    print(f"\nfrom the one to the other, routers in any order: {change.established}")
    if change.configuration is not None:
        names = ", ".join(network.router_name(router) for router in change.updated)
        print(f"for example when these have been updated: {names}")
        for line in describe(change.relation, change.configuration):
            print(f"  {line}")
        print("  They stay blocked for good." if change.lasts else "  They go on when the next routers are updated.")
    print(f"{len(change.lost)} states where a packet comes to a router that has no way for it any more, or not yet")

    if change.order is not None and change.order.batches:
        print("\na safe order; wait before each batch until packets sent before have arrived:")
        for number, batch in enumerate(change.order.batches, start=1):
            print(f"  {number}: {', '.join(network.router_name(router) for router in batch)}")
    print(f"the checker accepts the evidence: {change.evidence_holds}")
    print(f"\n{time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
