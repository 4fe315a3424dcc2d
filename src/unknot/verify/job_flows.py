"""Flows of a collective operation between NICs, at parts of their line rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unknot._base.arrays import Floats, Ints
from unknot._base.errors import RelationError

OPERATIONS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
MOST_FLOWS = 3_000_000


@dataclass(frozen=True, eq=False)
class Job:
    """Flows of a job between terminals, each at a part of the line rate of a NIC.

    Attributes
    ----------
    source, target : int64 array, shape (flows,)
    rate : float64 array, shape (flows,)
        At line rate of the NICs.
    rank : int64 array, shape (flows, 2)
        Members of the flow, by rank.
    """

    source: Ints
    target: Ints
    rate: Floats
    rank: Ints


def job_of(members: Sequence[int], operation: str, gpus: int = 1) -> Job:
    """Return the flows of an operation among NICs at terminals, in the order of their ranks.

    Of a ring (all_reduce, all_gather, reduce_scatter) each NIC sends to that of the same place in the next host, all
    at line rate. In an all_to_all each sends to all NICs of other hosts alike.

    Parameters
    ----------
    members : sequence of int
        The terminal of each NIC; several may be at one.
    operation : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}
    gpus : int
        NICs of a host, which follow one another; within a host nothing is sent.

    Raises
    ------
    RelationError
        If there are fewer than two hosts, or hosts are not whole.
    """
    ranks = np.arange(len(members), dtype=np.int64)
    if gpus < 1 or ranks.size % gpus or ranks.size < 2 * gpus:
        raise RelationError(f"{ranks.size} members are not two or more hosts with {gpus} NICs each")
    if operation == "all_to_all":
        if ranks.size**2 > MOST_FLOWS:
            raise RelationError(f"all_to_all: {ranks.size**2:,} flows; at most {MOST_FLOWS:,} are drawn")
        near, far = (side.reshape(-1) for side in np.meshgrid(ranks, ranks, indexing="ij"))
        apart = near // gpus != far // gpus
        near, far = near[apart], far[apart]
        rate = np.full(near.size, 1 / (ranks.size - gpus))
    elif operation in OPERATIONS:
        near, far, rate = ranks, (ranks + gpus) % ranks.size, np.ones(ranks.size)
    else:
        raise RelationError(f"there is no operation {operation!r}; known are {', '.join(OPERATIONS)}")
    terminals = np.asarray(members, dtype=np.int64)
    return Job(terminals[near], terminals[far], rate, np.stack([near, far], axis=1))
