"""Dead switches and links of multistage networks.

A switch that is marked dead stays where it is but loses its links, so terminals keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError
from unknot.network import Network

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Marks:
    """Dead switches and links.

    Attributes
    ----------
    switches : tuple of int
        Routers.
    links : tuple of int
        Channels.
    """

    switches: tuple[int, ...] = ()
    links: tuple[int, ...] = ()

    @classmethod
    def of(cls, network: Network, names: Iterable[str]) -> Marks:
        """Marks from names: ``s2r5`` is a switch, ``s0r1-s1r3`` every link between two switches.

        Raises
        ------
        NetworkError
            If there is no such switch or link.
        """
        switches, links = [], []
        for name in names:
            ends = re.split(r"\s*(?:→|->|-)\s*", name.strip())
            if len(ends) == 1:
                switches.append(network.router(ends[0]))
                continue
            if len(ends) != 2:
                raise NetworkError(f"{name!r} is neither a switch such as s2r5 nor a link such as s0r1-s1r3")
            between = network.between(network.router(ends[0]), network.router(ends[1]))
            if not between:
                raise NetworkError(f"network {network.name!r} has no link from {ends[0]} to {ends[1]}")
            links += between
        return cls(tuple(dict.fromkeys(switches)), tuple(dict.fromkeys(links)))

    def channels(self, network: Network) -> Numbers:
        """The channels that carry nothing, ascending: those of dead links and of dead switches."""
        dead = np.isin(network.source, self.switches) | np.isin(network.target, self.switches)
        dead[list(self.links)] = True
        return np.flatnonzero(dead)

    def names(self, network: Network) -> list[str]:
        """The marks in writing."""
        return [network.router_name(r) for r in self.switches] + [network.channel_name(c) for c in self.links]


def marked(network: Network, marks: Marks) -> Network:
    """The network without its dead links and without the links of its dead switches; itself if nothing is dead."""
    gone = marks.channels(network)
    return network.without(channels=gone.tolist()) if gone.size else network
