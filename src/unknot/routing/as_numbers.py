"""Numbers of autonomous systems in a fabric of BGP routers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.network.graph import components
from unknot.network.metrics import hops_from_any

PLANS = ("switch", "rfc7938")


def as_plan(network: Network, plan: str | Sequence[int]) -> list[int]:
    """Return the AS of every router; see `bgp`."""
    if plan == "switch":
        return list(range(network.num_routers))
    if plan == "rfc7938":
        if network.coordinates is not None and network.dimensions[:1] == ("level",):
            keys: list[tuple[int, ...]] = [
                (level, *digits[level:]) for level, *digits in network.coordinates.tolist()
            ]
        elif network.origin is None:
            keys = _clusters(network)
        else:
            raise RelationError(
                f"bgp: plan rfc7938 needs tiers, which failures hide in {network.name}; give the AS of every router"
            )
        numbers = {key: number for number, key in enumerate(sorted(set(keys)))}
        return [numbers[key] for key in keys]
    if isinstance(plan, str):
        raise RelationError(
            f"bgp: there is no plan {plan!r}; known are {', '.join(PLANS)}, or the AS of every router"
        )
    kept = network.numbering.routers.tolist()
    if len(plan) <= max(kept, default=-1) or (network.origin is None and len(plan) != len(kept)):
        raise RelationError(
            f"bgp: {len(plan)} ASes in the plan; {network.name} needs one for each of its {network.num_routers} "
            f"routers, got {plan!r}"
        )
    return [plan[router] for router in kept]


def _clusters(network: Network) -> list[tuple[int, ...]]:
    """Tier of each router, by hops from the nearest terminal, and its cluster: what is connected below that tier."""
    tier = hops_from_any(network, network.inject)
    keys: list[tuple[int, ...]] = [(0, router) for router in range(network.num_routers)]
    for level in range(1, int(tier.max()) + 1):
        inner = np.maximum(tier[network.source], tier[network.target]) <= level
        part, _ = components(network, inner)
        for router in np.flatnonzero(tier == level).tolist():
            keys[router] = level, int(part[router])
    return keys
