"""Hosts and LIDs of a fabric that its switches treat alike, and the pairs that each class of them stands for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot.fabrics.fabric import Fabric
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.switchboard import levels_of, with_replies


def classes_of_hosts(fabric: Fabric, variant: npt.NDArray[np.int32], lane: npt.NDArray[np.int8]) -> tuple[Ints, Ints]:
    """The class of each host, and the first host of each: hosts of a switch that are routed alike."""
    classes: dict[tuple[int, bytes, bytes], int] = {}
    group = np.zeros(fabric.network.num_terminals, dtype=np.int64)
    for host, (router, port) in enumerate(
        zip(fabric.network.inject.tolist(), fabric.host_port.tolist(), strict=True)
    ):
        lanes = b"" if lane.shape[:2] == (1, 1) else lane[router, port].tobytes()
        key = router, variant[router, port].tobytes(), lanes
        group[host] = classes.setdefault(key, len(classes))
    return group, np.unique(group, return_index=True)[1]


def same_columns(entries: npt.NDArray[np.int32], fabric: Fabric, lids: Ints) -> tuple[Ints, Ints]:
    """The first of each set of LIDs that all switches route alike and that one switch has, and the set of each."""
    home, known = fabric.network.eject[fabric.owner[lids]], dict[tuple[int, bytes], int]()
    by_lid = np.ascontiguousarray(entries.transpose(2, 0, 1)).reshape(lids.size, -1)
    column = [
        known.setdefault((at, row.tobytes()), len(known)) for at, row in zip(home.tolist(), by_lid, strict=True)
    ]
    numbers = np.array(column, dtype=np.int64)
    return np.unique(numbers, return_index=True)[1], numbers


def with_terminals(network: Network, first: Ints) -> Network:
    """The network with a terminal for each class of hosts, called after the first of the class."""
    names = tuple(network.terminal_name(host) for host in first.tolist())
    at = network.inject[first]
    return replace(network, inject=at, eject=at, places=replace(network.places, terminal_labels=names))


def pairs_of_classes(
    fabric: Fabric, lids: Ints, groups: tuple[Ints, int], columns: tuple[Ints, int], *, replies: bool
) -> tuple[npt.NDArray[np.uint16], IntArray]:
    """Service levels and number of the pairs that each class of hosts and set of LIDs stand for."""
    (group, classes), (column, sets), owner = groups, columns, fabric.owner[lids]
    level = np.zeros((classes, sets), dtype=np.uint16)
    sends = np.isin(np.arange(group.size), fabric.owner)
    pairs = np.outer(np.bincount(group[sends], minlength=classes), np.bincount(column, minlength=sets))
    np.subtract.at(pairs, (group[owner], column), 1)
    if fabric.levels is not None:
        hosts = np.arange(group.size, dtype=np.int32)
        own = levels_of(fabric, hosts, lids)
        own = with_replies(own, owner) if replies else own
        own[owner, np.arange(lids.size)] = 0
        for host in np.flatnonzero(sends).tolist():
            np.bitwise_or.at(level[group[host]], column, own[host])
    return level, pairs.astype(np.int32)
