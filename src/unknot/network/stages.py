"""Views of a network in layers: stages of switches by coordinates, and levels above the terminals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unknot._base.arrays import Flags, Ints
from unknot._base.errors import NetworkError
from unknot.network.metrics import hops_from_any
from unknot.network.model import IntArray, Network

STAGE_AND_ROW = ("stage", "row")
"""Names of the dimensions of a multistage network."""


@dataclass(frozen=True, eq=False)
class Stages:
    """Stage and row of every switch of a multistage network; each channel leads from one stage to the next.

    Attributes
    ----------
    stage, row : int32 arrays, shape (routers,)
    router : int32 array, shape (stages, rows)
        The router at each place, or −1 where there is none (or none any more).
    """

    stage: IntArray
    row: IntArray
    router: IntArray

    @property
    def count(self) -> int:
        """Number of stages."""
        return int(self.router.shape[0])


def is_multistage(network: Network) -> bool:
    """Whether the routers of a network are switches in stages and rows."""
    return network.coordinates is not None and network.dimensions == STAGE_AND_ROW


def stages(network: Network) -> Stages:
    """View a network as stages of switches, possibly with faults.

    Raises
    ------
    NetworkError
        If its dimensions are not stage and row, a channel does not lead to the next stage, two switches stand at one
        place, or a terminal does not inject at the first and eject at the last stage.
    """
    if network.coordinates is None or network.dimensions != STAGE_AND_ROW:
        raise NetworkError(
            f"network {network.name!r} is no multistage network: its routers have no stage and row; use one such as "
            "omega(16) or benes(16)"
        )
    at = network.coordinates
    stage, row = np.ascontiguousarray(at[:, 0]), np.ascontiguousarray(at[:, 1])
    wrong = np.flatnonzero(stage[network.target] != stage[network.source] + 1)
    if wrong.size:
        raise NetworkError(
            f"network {network.name!r}: channel {network.channel_name(int(wrong[0]))} does not lead to the next stage"
        )
    router = np.full(network.radices, -1, dtype=np.int32)
    router[stage, row] = np.arange(network.num_routers)
    twin = np.flatnonzero(router[stage, row] != np.arange(network.num_routers))
    if twin.size:
        raise NetworkError(
            f"network {network.name!r}: {network.router_name(int(twin[0]))} stands where another switch stands"
        )
    last = network.radices[0] - 1
    for ends, stage_of_ends, verb in ((network.inject, 0, "injects"), (network.eject, last, "ejects")):
        outside = np.flatnonzero(stage[ends] != stage_of_ends)
        if outside.size:
            terminal = int(outside[0])
            raise NetworkError(
                f"network {network.name!r}: terminal {network.terminal_name(terminal)} {verb} at stage "
                f"{stage[ends[terminal]]}, not at stage {stage_of_ends}"
            )
    for array in (stage, row, router):
        array.setflags(write=False)
    return Stages(stage, row, router)


def reaches(network: Network, *, back: bool = False) -> Flags:
    """Mask of switches with a path to, or from, each terminal: bool array, shape (routers, terminals).

    Parameters
    ----------
    back : bool
        From the terminals on, instead of to them.

    Notes
    -----
    O(channels × terminals) time, one byte for every switch and terminal.
    """
    view = stages(network)
    near, far, ends = network.source, network.target, network.eject
    if back:
        near, far, ends = far, near, network.inject
    to, column = np.unique(ends, return_inverse=True)
    reach = np.zeros((network.num_routers, to.size), dtype=bool)
    reach[to, np.arange(to.size)] = True
    order = view.stage[network.source]
    for stage in range(view.count - 1)[:: 1 if back else -1]:
        channels = np.flatnonzero(order == stage)
        np.logical_or.at(reach, near[channels], reach[far[channels]])
    return np.asarray(reach[:, column])


def levels(network: Network) -> Ints | None:
    """The level of each router, or None when some channel does not lead from a level to the next.

    The first coordinate where that is called ``level``; else the hops to the nearest of the routers with terminals
    or, where all have some, of those with more than the fewest.

    Returns
    -------
    int64 array, shape (routers,), or None
        0 at the bottom.
    """
    if network.coordinates is not None and network.dimensions[:1] == ("level",):
        level = network.coordinates[:, 0].astype(np.int64)
    else:
        level = hops_from_any(network, np.flatnonzero(seated(network)), either_way=True)
    steps = np.abs(level[network.source] - level[network.target])
    return level if level.min() >= 0 and bool((steps == 1).all()) else None


def seated(network: Network) -> Flags:
    """Routers with terminals, or, where all have some, those with more than the fewest; all where all are alike."""
    ends = np.bincount(np.concatenate([network.inject, network.eject]), minlength=network.num_routers)
    fewest = 0 if ends.min() == ends.max() else int(ends.min())
    return np.asarray(ends > fewest)
