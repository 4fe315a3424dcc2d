"""Names of cables and ends of a fabric."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unknot.fabrics.fabric import Fabric


@dataclass(frozen=True, eq=False)
class Cables:
    """The cables of a fabric between switches, each by the channel from its lower router or, at one router, port."""

    fabric: Fabric

    @cached_property
    def forward(self) -> list[int]:
        """One channel of each cable."""
        network = self.fabric.network
        ports = np.zeros((network.num_channels, 2)) if network.ports is None else network.ports
        loops = (network.source == network.target) & (ports[:, 0] < ports[:, 1])
        return np.flatnonzero((network.source < network.target) | loops).tolist()

    @cached_property
    def between(self) -> dict[tuple[int, int], list[int]]:
        """Cables of each pair of routers, the lower first."""
        network = self.fabric.network
        found = defaultdict(list)
        for channel in self.forward:
            found[int(network.source[channel]), int(network.target[channel])].append(channel)
        return dict(found)

    def name(self, channel: int) -> str:
        """A cable with its ports."""
        network = self.fabric.network
        ends = network.router_name(int(network.source[channel])), network.router_name(int(network.target[channel]))
        if network.ports is None:
            return " – ".join(ends)
        return " – ".join(f"{end}[{port}]" for end, port in zip(ends, network.ports[channel].tolist(), strict=True))

    def names(self, pairs: list[tuple[int, int]]) -> tuple[str, ...]:
        """All cables of some pairs."""
        channels = [channel for pair in pairs for channel in self.between.get(pair, [])]
        return tuple(self.name(channel) for channel in channels)

    def switch(self, router: int) -> str:
        """A switch."""
        return self.fabric.network.router_name(router)
