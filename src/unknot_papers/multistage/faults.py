"""Dead switches and links of multistage networks, and tags that go round them.

A switch that is marked dead stays where it is but loses its links, so terminals keep their numbers. Tags are chosen
with the marks known before a message starts, which Ren, Gu, Pan & Liu (2003) call pre-fault-tolerance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError, UnknotError
from unknot.network import Network
from unknot.network.stages import reaches, stages
from unknot_papers.multistage.permute import permute
from unknot_papers.multistage.realisation import Realisation, permutation
from unknot_papers.rcbn.tags import CASES, Tags, alternate_tags, rows_of
from unknot_papers.rcbn.topology import size_of_rcbn

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
    method: str = "auto",
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
    return permute(marked(network, marks), permutation(network, wanted), method=method, time_limit=time_limit)


def tags_avoiding(
    network: Network,
    marks: Marks,
    sources: npt.ArrayLike,
    destinations: npt.ArrayLike,
    cases: Sequence[int] = CASES,
) -> tuple[npt.NDArray[np.bool_], Tags]:
    """Return for each pair of an RCBN the primary tag, or else an alternate one, that avoids everything dead.

    Of several the one is taken that differs from the primary tag in the fewest digits.

    Returns
    -------
    found : bool array
        False where every tag meets something dead; the tag is then the primary one.
    tags : Tags
    """
    n = size_of_rcbn(network)
    s, d = (np.array(ends, dtype=np.int64).ravel() for ends in np.broadcast_arrays(sources, destinations))
    pair, tags = alternate_tags(s, d, n, cases)
    rows = rows_of(s[pair] >> 1, tags)
    view = stages(network)
    dead = np.zeros(network.radices, dtype=bool)
    where = np.array(marks.switches, dtype=np.int64)
    dead[view.stage[where], view.row[where]] = True
    meets: npt.NDArray[np.bool_] = np.asarray(dead[np.arange(view.count), rows].any(axis=1))
    for link in marks.links:
        stage = view.stage[network.source[link]]
        meets |= (rows[:, stage] == view.row[network.source[link]]) & (
            rows[:, stage + 1] == view.row[network.target[link]]
        )
    first = np.searchsorted(pair, np.arange(s.size))
    ones, bars = tags.ones[first][pair], tags.bars[first][pair]
    changed = np.bitwise_count((tags.ones ^ ones) | (tags.bars ^ bars)).astype(np.int64)
    order = np.lexsort((np.arange(pair.size), changed, meets, pair))
    best = order[np.searchsorted(pair[order], np.arange(s.size))]
    avoids = ~meets[best]
    best = np.where(avoids, best, first)
    return avoids, Tags(tags.digits, tags.ones[best], tags.bars[best])


def unreachable_pairs(network: Network, marks: Marks) -> int:
    """Pairs of terminals between which no path is left."""
    left = marked(network, marks)
    return int(np.count_nonzero(~reaches(left)[left.inject]))
