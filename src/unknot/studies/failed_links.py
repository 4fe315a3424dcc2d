"""Networks without a share of their links, and routings for what is left."""

from __future__ import annotations

import numpy as np

from unknot._base.errors import NetworkError, RelationError
from unknot._base.numbers import is_number
from unknot._base.work import counting_work
from unknot.network import Network, components
from unknot.routing import Relation
from unknot.routing.customary import customary
from unknot.routing.named import routing
from unknot.verify.delivery import deliver

DRAWS = 100
"""Draws of failed links before a network counts as one that they take apart."""


def without_links(network: Network, share: float, seed: int = 1) -> Network:
    """The network without a random share of its links, at least one, drawn so that the network stays connected.

    Raises
    ------
    NetworkError
        If the share is not from 0 to below 1, or a hundred draws take the network apart.
    """
    if not is_number(share) or not 0 <= share < 1:
        raise NetworkError(f"failed links are a share from 0 to below 1, got {share!r}")
    pairs = np.unique(np.sort(np.stack([network.source, network.target], axis=1), axis=1), axis=0)
    count = max(1, round(share * len(pairs))) if share else 0
    if not count:
        return network
    random = np.random.default_rng(seed)
    for _ in range(DRAWS):
        chosen = pairs[random.permutation(len(pairs))[:count]]  # a larger share has the links of a smaller one, too
        left = network.without(links=[(int(a), int(b)) for a, b in chosen])
        if components(left)[1] == 1:
            return left
    raise NetworkError(f"{network.name}: {count} failed links of {len(pairs)} took it apart in each of {DRAWS} draws")


def routing_of_rest(whole: Network, named: str, share: float, seed: int) -> Relation:
    """The routing of a design on what is left, or lanes, which take any network."""
    left = without_links(whole, share, seed)
    try:
        relation = routing(left, named, where="DESIGN") if named else customary(left)
        if left is whole or deliver(relation).delivered:
            return relation
    except (NetworkError, RelationError):
        if left is whole:
            raise
    with counting_work():
        return routing(left, "lanes(time_limit=20)")
