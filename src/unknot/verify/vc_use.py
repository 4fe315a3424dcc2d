"""Number of virtual channels of a relation, and those that no message ever takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.shown import Brief
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.verify.states import Explorer


@dataclass(frozen=True, eq=False, repr=False)
class VcUse(Brief):
    """Virtual channels (VCs) of a relation.

    Attributes
    ----------
    total : int
    per_channel : (int, int)
        Fewest and most VCs of a channel.
    per_router : (int, int)
        Fewest and most VCs that leave a router.
    unused : int64 array
        VCs that no message can ever sit on, whatever source and address; ascending. `relation.vcs.name` names them.
    idle_channels : int64 array
        Channels all of whose VCs are unused; ascending.
    needed_per_channel : int
        Most VCs of a channel that are used.
    """

    total: int
    per_channel: tuple[int, int]
    per_router: tuple[int, int]
    unused: npt.NDArray[np.int64]
    idle_channels: npt.NDArray[np.int64]
    needed_per_channel: int


@takes_relation
def vc_use(relation: Relation) -> VcUse:
    """Count the VCs of a relation and find those that are in no reachable state.

    Time is linear in the transitions between reachable states; memory is that of one address.

    Raises
    ------
    RelationError
        If a reachable state breaks the relation's contract.
    """
    network, vcs = relation.network, relation.vcs
    explorer = Explorer(relation)
    used = np.zeros(vcs.router.size, dtype=bool)
    for address in range(relation.num_addresses):
        order, _, _ = explorer.visit(address)
        used[order] = True
    used = used[: vcs.total]
    leaving = np.zeros(network.num_routers, dtype=np.int64)
    np.add.at(leaving, network.source, vcs.counts)
    taken = np.zeros(network.num_channels, dtype=np.int64)
    np.add.at(taken, vcs.channel[used], 1)
    return VcUse(
        total=vcs.total,
        per_channel=_range(vcs.counts),
        per_router=_range(leaving),
        unused=np.flatnonzero(~used),
        idle_channels=np.flatnonzero(taken == 0),
        needed_per_channel=int(taken.max(initial=0)),
    )


def _range(values: npt.NDArray[np.integer]) -> tuple[int, int]:
    return (int(values.min()), int(values.max())) if values.size else (0, 0)
