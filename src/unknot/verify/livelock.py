"""Can a packet go round for ever? Cycles of states, by name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.shown import Brief
from unknot.network.model import IntArray, Offsets
from unknot.routing.relation import EJECT, VC_MASK, Relation
from unknot.routing.taking import takes_relation
from unknot.verify.states import Explorer

SHOWN = 100
"""Cycles that are kept."""
STARTS = 32
"""States of a component from which a short cycle is sought."""


@dataclass(frozen=True, repr=False)
class Livelock(Brief):
    """Whether every route ends.

    Attributes
    ----------
    free : bool
        No address has a cycle of reachable states, so that every route ends whatever is selected.
    addresses : int
        Addresses that have cycles.
    cycles : tuple of (tuple of input VCs, address)
        For the first `SHOWN` of them a short cycle, beginning at its lowest input VC.
    """

    free: bool
    addresses: int
    cycles: tuple[tuple[tuple[int, ...], int], ...]

    def describe(self, relation: Relation) -> list[str]:
        """The cycles by names of virtual channels."""
        name = relation.vcs.name
        return [
            f"bound for {relation.address_name(address)}: {' ⟶ '.join(name(at) for at in (*input_vcs, input_vcs[0]))}"
            for input_vcs, address in self.cycles
        ]


@takes_relation
def livelock(relation: Relation) -> Livelock:
    """Look for cycles of reachable states, address by address.

    A cycle need not be fatal: a selection that leaves it now and then delivers every packet. Without cycles no
    selection can keep a packet in the network for ever. Time is linear in the transitions.

    Raises
    ------
    RelationError
        If a reachable state breaks the relation's contract.
    """
    from unknot.verify.graph_kernel import strong_components

    explorer = Explorer(relation)
    slot = np.full(relation.vcs.router.size, -1, dtype=np.int64)
    cycles: list[tuple[tuple[int, ...], int]] = []
    addresses = 0
    for address in range(relation.num_addresses):
        order, first, value = explorer.visit(address)
        slot[order] = np.arange(order.size)
        vc = value & VC_MASK
        kept = vc != EJECT
        after = slot[vc[kept]].astype(np.int32)
        before = np.concatenate([[0], np.cumsum(kept)])[first].astype(np.int64)
        label, cyclic = np.empty(order.size, dtype=np.int32), np.empty(order.size, dtype=bool)
        strong_components(before, after, label, cyclic)
        if cyclic.any():
            addresses += 1
            if len(cycles) < SHOWN:
                cycle = _shortest(before, after, label, np.flatnonzero(cyclic))
                input_vcs = order[cycle].tolist()
                low = input_vcs.index(min(input_vcs))
                cycles.append((tuple(input_vcs[low:] + input_vcs[:low]), address))
    return Livelock(not addresses, addresses, tuple(cycles))


def _shortest(first: Offsets, after: IntArray, label: IntArray, cyclic: npt.NDArray[np.int64]) -> list[int]:
    """Return the shortest cycle through one of the first few nodes of the smallest cyclic component."""
    sizes = np.bincount(label[cyclic])
    smallest = min(set(label[cyclic].tolist()), key=lambda component: (int(sizes[component]), component))
    best: list[int] = []
    for start in cyclic[label[cyclic] == smallest][:STARTS].tolist():
        parent, queue = {start: -1}, [start]
        for node in queue:
            steps = after[first[node] : first[node + 1]].tolist()
            if start in steps:
                cycle = [node]
                while parent[cycle[-1]] >= 0:
                    cycle.append(parent[cycle[-1]])
                best = cycle[::-1] if not best or len(cycle) < len(best) else best
                break
            for step in steps:
                if step not in parent and label[step] == smallest:
                    parent[step] = node
                    queue.append(step)
    return best
