"""Hosts and LIDs of a fabric that its switches treat alike, and the pairs that each class of them stands for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Ints
from unknot.fabrics.fabric import Fabric
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.switchboard import levels_of, with_replies


@dataclass(frozen=True, eq=False)
class AlikeClasses:
    """Classes of things that are routed alike.

    Attributes
    ----------
    of : int64 array
        Number of the class of each thing.
    first : int64 array, shape (classes,)
        First thing of each class.
    """

    of: Ints
    first: Ints

    @classmethod
    def numbered(cls, of: Ints) -> AlikeClasses:
        """Classes by their numbers, which begin at 0."""
        return cls(of, np.unique(of, return_index=True)[1])

    def counts(self, kept: Flags | None = None) -> Ints:
        """How many things each class has, of some or all."""
        return np.bincount(self.of if kept is None else self.of[kept], minlength=self.first.size)


def classes_of_hosts(fabric: Fabric, variant: npt.NDArray[np.int32], lane: npt.NDArray[np.int8]) -> AlikeClasses:
    """Return classes of the hosts of a switch that are routed alike."""
    classes: dict[tuple[int, bytes, bytes], int] = {}
    of = np.zeros(fabric.network.num_terminals, dtype=np.int64)
    for host, (router, port) in enumerate(
        zip(fabric.network.inject.tolist(), fabric.host_port.tolist(), strict=True)
    ):
        lanes = b"" if lane.shape[:2] == (1, 1) else lane[router, port].tobytes()
        key = router, variant[router, port].tobytes(), lanes
        of[host] = classes.setdefault(key, len(classes))
    return AlikeClasses.numbered(of)


def classes_of_lids(entries: npt.NDArray[np.int32], fabric: Fabric, lids: Ints) -> AlikeClasses:
    """Return classes of the LIDs of a switch that all switches route alike."""
    home, known = fabric.network.eject[fabric.owner[lids]], dict[tuple[int, bytes], int]()
    by_lid = np.ascontiguousarray(entries.transpose(2, 0, 1)).reshape(lids.size, -1)
    column = [
        known.setdefault((at, row.tobytes()), len(known)) for at, row in zip(home.tolist(), by_lid, strict=True)
    ]
    return AlikeClasses.numbered(np.array(column, dtype=np.int64))


def with_terminals(network: Network, first: Ints) -> Network:
    """The network with a terminal for each class of hosts, called after the first of the class."""
    names = tuple(network.terminal_name(host) for host in first.tolist())
    at = network.inject[first]
    return replace(network, inject=at, eject=at, places=replace(network.places, terminal_labels=names))


def pairs_of_classes(
    fabric: Fabric, lids: Ints, hosts: AlikeClasses, addresses: AlikeClasses, *, replies: bool
) -> tuple[npt.NDArray[np.uint16], IntArray]:
    """Return service levels, as bits, and number of the pairs that two classes stand for, of hosts and of LIDs.

    Pairs in different planes are no pairs.
    """
    owner = fabric.owner[lids]
    sends = np.isin(np.arange(hosts.of.size), fabric.owner)
    pairs = np.outer(hosts.counts(sends), addresses.counts())
    level = np.zeros(pairs.shape, dtype=np.uint16)
    np.subtract.at(pairs, (hosts.of[owner], addresses.of), 1)
    if fabric.levels is not None:
        own = levels_of(fabric, np.arange(hosts.of.size, dtype=np.int32), lids)
        own = with_replies(own, owner) if replies else own
        own[owner, np.arange(lids.size)] = 0
        for host in np.flatnonzero(sends).tolist():
            np.bitwise_or.at(level[hosts.of[host]], addresses.of, own[host])
    apart = ~fabric.same_plane(owner[addresses.first])[fabric.network.inject[hosts.first]]
    pairs[apart], level[apart] = 0, 0
    return level, pairs.astype(np.int32)
