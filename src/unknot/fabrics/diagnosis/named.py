"""Names of cables and ends of a fabric."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from unknot.fabrics.fabric import Fabric, FabricCable


@dataclass(frozen=True, eq=False)
class Cables:
    """The cables of a fabric between switches, each by the channel from its lower router or, at one router, port."""

    fabric: Fabric

    @cached_property
    def forward(self) -> list[int]:
        """One channel of each cable."""
        return [*self._named]

    @cached_property
    def _named(self) -> dict[int, FabricCable]:
        return {cable.channel: cable for cable in self.fabric.cables if cable.terminal < 0}

    @cached_property
    def between(self) -> dict[tuple[int, ...], list[int]]:
        """Cables of each pair of routers, the lower first."""
        found = defaultdict(list)
        for channel, cable in self._named.items():
            found[cable.routers].append(channel)
        return dict(found)

    def name(self, channel: int) -> str:
        """A cable with its ports."""
        return self._named[channel].name

    def names(self, pairs: list[tuple[int, int]]) -> tuple[str, ...]:
        """All cables of some pairs."""
        channels = [channel for pair in pairs for channel in self.between.get(pair, [])]
        return tuple(self.name(channel) for channel in channels)

    def switch(self, router: int) -> str:
        """A switch."""
        return self.fabric.network.router_name(router)
