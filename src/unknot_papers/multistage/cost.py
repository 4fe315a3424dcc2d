"""Cost of multistage networks: stages, switches, crosspoints, links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unknot.network import Network
from unknot.network.families import benes, omega
from unknot.network.stages import stages
from unknot_papers.multistage.paths import count_paths
from unknot_papers.rcbn import composite_banyan, rcbn

MAX_COUNTED = 4096
"""Most terminals of a network whose paths are counted for every pair."""


@dataclass(frozen=True)
class Cost:
    """Sizes of a multistage network.

    Attributes
    ----------
    name : str
    terminals, stages, switches : int
    crosspoints : int
        Inputs times outputs of each switch, terminals counted as inputs of the first and outputs of the last stage.
    links : int
        Channels between stages.
    paths_min, paths_max : int or None
        Fewest and most paths of a pair of terminals; None when there are too many pairs to count.
    """

    name: str
    terminals: int
    stages: int
    switches: int
    crosspoints: int
    links: int
    paths_min: int | None
    paths_max: int | None


def cost(network: Network) -> Cost:
    """Count what a network is made of."""
    view, routers = stages(network), network.num_routers
    into = np.bincount(network.target, minlength=routers) + np.bincount(network.inject, minlength=routers)
    out = np.bincount(network.source, minlength=routers) + np.bincount(network.eject, minlength=routers)
    paths = count_paths(network) if network.num_terminals <= MAX_COUNTED else None
    return Cost(
        name=network.name,
        terminals=network.num_terminals,
        stages=view.count,
        switches=routers,
        crosspoints=int((into.astype(np.int64) * out).sum()),
        links=network.num_channels,
        paths_min=None if paths is None else int(paths.min()),
        paths_max=None if paths is None else int(paths.max()),
    )


def costs(terminals: int) -> list[Cost]:
    """Omega, composite banyan, RCBN and Beneš networks of the same size, a power of 2 of at least 8."""
    return [cost(family(terminals)) for family in (omega, composite_banyan, rcbn, benes)]
