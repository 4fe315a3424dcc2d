"""Flows of a collective operation between NICs, at parts of their line rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unknot._base.arrays import Floats, Ints
from unknot._base.errors import RelationError
from unknot.network.model import IntArray

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


@dataclass(frozen=True)
class JobRanks:
    """NICs of a job by rank, those of a host one after another.

    Attributes
    ----------
    nics : tuple of tuple of int
        Terminals of each NIC: one, or one for its port in each plane of the network.
    operation : str
    gpus : int
        NICs of a host.
    """

    nics: tuple[tuple[int, ...], ...]
    operation: str
    gpus: int = 1

    @property
    def planes(self) -> int:
        """Ports of each NIC, in as many planes."""
        return len(self.nics[0]) if self.nics else 1

    @property
    def job(self) -> Job:
        """Flows, at line rate of a port: in each plane from port to port."""
        jobs = [job_of(ports, self.operation, self.gpus) for ports in [*zip(*self.nics, strict=True)] or [()]]
        return Job(
            *(np.concatenate([getattr(job, part) for job in jobs]) for part in ("source", "target", "rate", "rank"))
        )

    def hosts(self, switch: IntArray) -> list[tuple[tuple[int, ...], ...]]:
        """Switches of the ports of each NIC of each host, by the switch of each terminal."""
        rows = [tuple(int(switch[port]) for port in nic) for nic in self.nics]
        return [tuple(rows[start : start + self.gpus]) for start in range(0, len(rows), self.gpus)]

    def rails(self, switch: IntArray) -> int:
        """Number of switches, or of sets of switches, at which each host has NICs; 1 where hosts differ."""
        counts = {len({*host}) for host in self.hosts(switch)}
        return counts.pop() if len(counts) == 1 else 1

    def is_aligned(self, switch: IntArray) -> bool:
        """Whether hosts with NICs at the same switches have these at the same places."""
        order: dict[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]] = {}
        return all(order.setdefault(tuple(sorted(host)), host) == host for host in self.hosts(switch))

    def aligned(self, switch: IntArray) -> JobRanks:
        """Ranks with the NICs of each host in the order of their switches."""
        if self.is_aligned(switch):
            return self
        return self._ordered(
            [
                start + place
                for start, host in zip(range(0, len(self.nics), self.gpus), self.hosts(switch), strict=True)
                for place in sorted(range(len(host)), key=host.__getitem__)
            ]
        )

    def by_switches(self, switch: IntArray) -> JobRanks:
        """Ranks with aligned hosts, those at the same switches one after another."""
        one = self.aligned(switch)
        hosts = one.hosts(switch)
        order = sorted(range(len(hosts)), key=lambda host: sorted(hosts[host]))
        return one._ordered([host * self.gpus + place for host in order for place in range(self.gpus)])

    def _ordered(self, order: Sequence[int]) -> JobRanks:
        return replace(self, nics=tuple(self.nics[rank] for rank in order))
