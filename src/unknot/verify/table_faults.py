"""Faults of cables, channels or switches of a fabric whose forwarding tables stay as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any, Literal, get_args

import numpy as np

from unknot._base.arrays import Flags, grouped
from unknot._base.memory import require
from unknot._base.progress import Progress, found, reported, with_bar
from unknot._base.three_valued import all_hold
from unknot.certificates.documents import Document
from unknot.fabrics import Fabric
from unknot.fabrics.fabric import PLANE
from unknot.network import distances_from
from unknot.network.graph import components
from unknot.routing.forwarding_table import forwarding_table, route_lengths
from unknot.routing.relation import Relation
from unknot.routing.switchboard import destinations, switchboard
from unknot.verify.audit_findings import open_tables
from unknot.verify.audit_merged import Entries, cables_of, pairs_by_switch, routes_by_channel
from unknot.verify.failures import (
    EACH_LINK,
    Failures,
    Part,
    Parts,
    Tried,
    TriedFault,
    failed_of,
    parts_of,
    sets_of_parts,
)

Outcome = Literal["disconnected", "cut", "holds"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True)
class TableFault(TriedFault):
    """Parts that fail at once, and the pairs that lose their route.

    A pair is a host port that sends and a LID of another host port.

    Attributes
    ----------
    parts : tuple of str
        Names of the failed cables, channels or switches.
    outcome : {"disconnected", "cut", "holds"}
        `disconnected`: for some lost pairs no way is left, whatever the routing. `cut`: new tables could serve every
        lost pair. `holds`: no pair is lost.
    lost_pairs : int
        Pairs of surviving hosts that had a route and lose it.
    severed_pairs : int
        Those of them for which no way is left.
    pairs : int
        Pairs of surviving hosts.
    dead_hosts : int
        Host ports at the failed switches.
    example : str
        The first lost pair.
    """

    outcome: Outcome
    lost_pairs: int
    severed_pairs: int
    pairs: int
    dead_hosts: int
    example: str


@dataclass(frozen=True, eq=False)
class TableFaults(Tried):
    """Outcomes of all tried faults; `rows` names every pair cut off by a fault.

    Attributes
    ----------
    fabric : Fabric
    kind : {"links", "channels", "routers"}
    faults : int
        Parts that fail at once.
    possible : int
        Sets of that many parts.
    sampled : bool
        Whether only some of them were tried.
    pairs, undelivered_before : int
        Pairs of host ports and LIDs without any fault, and those of them that have no route even then.
    tried : tuple of TableFault
        The most harmful first.
    unknown_because : tuple of str
        Why routes are not all known: then no answer is yes.
    """

    fabric: Fabric
    kind: Parts
    faults: int
    possible: int
    sampled: bool
    pairs: int
    undelivered_before: int
    tried: tuple[TableFault, ...]
    unknown_because: tuple[str, ...]
    _routes: _TableRoutes
    _failed: tuple[tuple[int, ...], ...]
    outcomes = OUTCOMES
    harmless = frozenset({"holds"})

    @property
    def survives(self) -> bool | None:
        """Whether no fault cuts off a pair of surviving hosts; None: none that is known, and not all are known."""
        return all_hold([super().survives, None if self.unknown_because else True])

    @property
    def relation(self) -> Relation:
        """The routes between hosts, without pairs that have none even without faults."""
        return self._routes.relation

    @property
    def claim(self) -> Document:
        """What every fault cuts off, as a claim of a document about the relation."""
        both = [failed_of(self.fabric.network, self.kind, numbers) for numbers in self._failed]
        failed = [{"channels": channels, "routers": routers} for routers, channels in both]
        counts = [{"lost": fault.lost_pairs, "severed": fault.severed_pairs} for fault in self.tried]
        faults = [{**parts, **count} for parts, count in zip(failed, counts, strict=True)]
        return {"subject": "cuts", "faults": faults, "proof": {}}

    def rows(self, most: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield the pairs that are cut off, with the fault: `parts`, `source`, `destination`, `lid`, `severed`.

        Parameters
        ----------
        most : int, optional
            Number of faults, the most harmful first; by default all.
        """
        for fault, failed in zip(self.tried[:most], self._failed, strict=False):
            parts = ", ".join(fault.parts)
            for row in self._routes.lost(failed, self.kind).rows():
                yield {"parts": parts, **row}


@with_bar
def table_faults(
    fabric: Fabric,
    *,
    failures: Failures = EACH_LINK,
    progress: Progress | None = None,
) -> TableFaults:
    """Let every cable, channel or switch fail, and count the pairs of hosts that lose their route.

    The tables stay as they are, as between a fault and the subnet manager's answer to it. All routes are followed
    once, so a fault costs no more than the routes over it: O(switches × LIDs × hops) time and memory in all.

    Parameters
    ----------
    fabric : Fabric
        With tables.
    failures : Failures
        What fails: links are cables, channels single directions of them, and routers switches with their hosts. By
        default all single faults are tried, and else 1000 sets.

    Raises
    ------
    UnknotError
        If the fabric has no tables, or an argument makes no sense.
    SizeError
        If the routes do not fit the memory.

    Examples
    --------
    >>> from unknot.fabrics import read_fabric
    >>> found = table_faults(read_fabric("examples/fabrics/opensm-ring12-lash"))
    >>> found.tried[0].lost_pairs, found.tried[0].pairs, found.tried[0].outcome
    (36, 132, 'cut')
    """
    kind, faults, routes = failures.kind, failures.at_once, _TableRoutes(fabric)
    parts = fabric_parts(fabric, kind)
    possible = comb(len(parts), faults)
    most = possible if faults == 1 and failures.budget is None else failures.most
    chosen = sets_of_parts(f"{kind} of {fabric.name}", parts, faults, most, failures.seed)
    outcomes = ((routes.lost(one.numbers, kind).fault(one.names), one.numbers) for one in chosen)
    tried = []
    for one in reported(outcomes, len(chosen), progress, lambda one: str(one[0])):
        tried.append(one)
        found(f"most pairs cut off: {max(fault.lost_pairs for fault, _ in tried):,}")
    tried.sort(key=lambda one: (-one[0].lost_pairs, -one[0].severed_pairs))
    return TableFaults(
        fabric, kind, faults, possible, len(chosen) < possible, routes.pairs,
        routes.pairs - routes.delivered - routes.unknown, tuple(fault for fault, _ in tried), routes.unknown_because,
        routes, tuple(failed for _, failed in tried),
    )  # fmt: skip


def fabric_parts(fabric: Fabric, kind: Parts) -> list[Part]:
    """Return the parts of a fabric that may fail; cables have names with ports."""
    return [*(cables_of(fabric) if kind in ("links", "cables") else parts_of(fabric.network, kind))]


class _TableRoutes:
    """The routes between hosts, and for each channel the table entries of its routes."""

    def __init__(self, fabric: Fabric) -> None:
        board = switchboard(fabric)
        self.fabric, self.network = fabric, fabric.network
        self.lids = destinations(fabric, "host-to-host")
        self.owner = fabric.owner[self.lids]
        self.home, self.weight = pairs_by_switch(fabric, board, "host-to-host")
        self.hosts = grouped(self.network.inject, self.network.num_routers)
        self._next_channel = next_channel = board.next_channel[:, self.lids]
        hops = route_lengths(self.network, next_channel)
        self._arrives = hops >= 0
        self.unknown = int(self.weight[hops < -1].sum())
        some = f"{self.unknown:,} of {int(self.weight.sum()):,} pairs have no known route: "
        self.unknown_because = tuple(
            (some if "entries" in words else "") + words
            for words in open_tables(fabric)
            if self.unknown or "entries" not in words
        )
        at, column = np.nonzero(self._arrives & (self.weight > 0))
        steps = int(hops[at, column].sum())
        require(f"the routes of {fabric.name}, {steps:,} hops in all,", 40 * steps)
        self.pairs = int(self.weight.sum())
        self.delivered = int(self.weight[at, column].sum())
        self._crossing = routes_by_channel(self.network.target, next_channel, at, column)

    @property
    def relation(self) -> Relation:
        """The routes that arrive."""
        sends = self._arrives[self.network.inject] & (self.owner != np.arange(self.network.num_terminals)[:, None])
        labels = [self.fabric.lid_name(int(i)) for i in self.lids]
        name = f"the tables of {self.fabric.name}"
        return forwarding_table(
            self.network, self._next_channel, destination=self.owner, may_use=sends, address_labels=labels, name=name
        )

    def lost(self, failed: tuple[int, ...], kind: Parts) -> _Lost:
        """Return the routes that are lost with some switches (of kind `routers`) or channels."""
        network = self.network
        alive = np.ones(network.num_routers, dtype=bool)
        routers, channels = failed_of(network, kind, failed)
        alive[routers] = False
        dead = ~(alive[network.source] & alive[network.target])
        dead[channels] = True
        at, column = np.divmod(np.unique(self._crossing.take(np.flatnonzero(dead)).entries), self.lids.size)
        kept = alive[at] & alive[self.home[column]]
        return _Lost(self, alive, dead, at[kept], column[kept])


@dataclass(frozen=True)
class _Lost:
    """The table entries whose routes a fault cuts, from and to surviving switches."""

    routes: _TableRoutes
    alive: Flags
    dead: Flags
    at: Entries
    column: Entries

    def fault(self, names: tuple[str, ...]) -> TableFault:
        routes = self.routes
        weight = routes.weight[self.at, self.column]
        severed = int(weight[self.severed].sum())
        lost = int(weight.sum())
        outcome: Outcome = "disconnected" if severed else "cut" if lost else "holds"
        first = next(self.rows(), None)
        pairs = routes.pairs if self.alive.all() else int(routes.weight[self.alive][:, self.alive[routes.home]].sum())
        dead_hosts = int(np.count_nonzero(~self.alive[routes.network.inject]))
        example = "" if first is None else f"{first['source']} to LID {first['lid']} ({first['destination']})"
        return TableFault(names, outcome, lost, severed, pairs, dead_hosts, example)

    @cached_property
    def severed(self) -> Flags:
        """Mask of the entries that have no way to their LID left."""
        network = self.routes.network
        part, _ = components(network, ~self.dead)
        home = self.routes.home[self.column]
        severed: Flags = part[self.at] != part[home]
        if severed.any():
            remaining = network.without(channels=np.flatnonzero(self.dead).tolist())
            for r in np.unique(self.at[severed]).tolist():
                severed[self.at == r] &= distances_from(remaining, r)[home[self.at == r]] < 0
        return severed

    def rows(self) -> Iterator[dict[str, Any]]:
        routes, fabric = self.routes, self.routes.fabric
        network = routes.network
        for r, column, severed in zip(self.at.tolist(), self.column.tolist(), self.severed.tolist(), strict=True):
            owner = int(routes.owner[column])
            lid = f"0x{int(fabric.lids[routes.lids[column]]) % PLANE:04x}"
            for host in routes.hosts.at(r):
                if host != owner:
                    source, destination = network.terminal_name(host), network.terminal_name(owner)
                    yield {"source": source, "destination": destination, "lid": lid, "severed": severed}
