"""Dead switches and links of multistage networks.

A switch that is marked dead stays where it is but loses its links, so terminals keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError, UnknotError
from unknot.network import Network
from unknot.network.stages import reaches
from unknot_papers.multistage.permute import permute
from unknot_papers.multistage.realisation import Realisation, permutation

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

    def names(self, network: Network) -> list[str]:
        """The marks in writing."""
        return [network.router_name(r) for r in self.switches] + [network.channel_name(c) for c in self.links]


def marked(network: Network, marks: Marks) -> Network:
    """The network without its dead links and without the links of its dead switches; itself if nothing is dead."""
    if not marks.switches and not marks.links:
        return network
    dead = np.zeros(network.num_routers, dtype=bool)
    dead[list(marks.switches)] = True
    gone = np.flatnonzero(dead[network.source] | dead[network.target])
    return network.without(channels=[*gone.tolist(), *marks.links])


def permute_with_faults(
    network: Network,
    wanted: str | Sequence[int] | npt.NDArray[np.integer],
    marks: Marks,
    *,
    time_limit: float = 60.0,
) -> Realisation:
    """`permute` on a network of which switches and links are dead.

    Raises
    ------
    UnknotError
        Also if the switches of a single-stage network are dead, where no message takes a link.
    """
    if network.radices and network.radices[0] == 1 and marks.switches:
        raise UnknotError(f"{network.name} has one stage only: a dead switch takes its terminals with it")
    return permute(marked(network, marks), permutation(network, wanted), time_limit=time_limit)


def unreachable_pairs(network: Network, marks: Marks) -> int:
    """Pairs of terminals between which no path is left."""
    left = marked(network, marks)
    return int(np.count_nonzero(~reaches(left)[left.inject]))
