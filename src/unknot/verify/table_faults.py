"""Faults of cables, channels or switches of a fabric whose forwarding tables stay as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from unknot.compressed_rows import grouped
from unknot.errors import RelationError, near
from unknot.fabrics import Fabric
from unknot.frames import Row
from unknot.memory import require
from unknot.network import distances_from
from unknot.progress import Progress, with_bar
from unknot.routing.forwarding_table import destinations, route_lengths, senders, switchboard
from unknot.verify.audit_routes import cables_of, routes_by_channel
from unknot.verify.fault_sweep import PART, SET, Parts, parts_of, sets_of_parts

Outcome = Literal["disconnected", "cut", "holds"]
OUTCOMES: tuple[Outcome, ...] = ("disconnected", "cut", "holds")

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TableFault:
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

    parts: tuple[str, ...]
    outcome: Outcome
    lost_pairs: int
    severed_pairs: int
    pairs: int
    dead_hosts: int
    example: str


@dataclass(frozen=True, eq=False)
class TableFaults:
    """Outcomes of all faults that were tried; `rows` names every pair that one of them cuts off.

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
    """

    fabric: Fabric
    kind: Parts
    faults: int
    possible: int
    sampled: bool
    pairs: int
    undelivered_before: int
    tried: tuple[TableFault, ...]
    _routes: _Routes
    _sets: tuple[tuple[int, ...], ...]

    @property
    def survives(self) -> bool:
        """Whether no fault cuts off a pair of surviving hosts."""
        return all(fault.outcome == "holds" for fault in self.tried)

    @property
    def counts(self) -> dict[Outcome, int]:
        """Number of faults with each outcome, the worst first; outcomes that do not occur are left out."""
        found = Counter(fault.outcome for fault in self.tried)
        return {outcome: found[outcome] for outcome in OUTCOMES if found[outcome]}

    def rows(self, most: int | None = None) -> Iterator[Row]:
        """Yield the pairs that are cut off, with the fault: `parts`, `source`, `destination`, `lid`, `severed`.

        Parameters
        ----------
        most : int, optional
            Only those of so many faults, the most harmful first.
        """
        for fault, numbers in zip(self.tried[:most], self._sets, strict=False):
            parts = ", ".join(fault.parts)
            for row in self._routes.lost(numbers, self.kind).rows():
                yield {"parts": parts, **row}


@with_bar
def table_faults(
    fabric: Fabric,
    *,
    kind: Parts = "links",
    faults: int = 1,
    budget: int | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> TableFaults:
    """Let every cable, channel or switch fail, and count the pairs of hosts that lose their route.

    The tables stay as they are, as between a fault and the subnet manager's answer to it. All routes are followed
    once, so a fault costs no more than the routes over it: O(switches × LIDs × hops) time and memory in all.

    Parameters
    ----------
    fabric : Fabric
        With tables.
    kind : {"links", "channels", "routers"}
        What fails: cables, single directions of them, or switches with their hosts.
    faults : int
        How many fail at once.
    budget : int, optional
        Most sets of parts to try; of more, that number is drawn at random. By default all single faults, and else
        1000 sets.
    seed : int
        Seeds that draw.

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
    if kind not in ("links", "channels", "routers"):
        raise RelationError(f"faults: unknown kind {kind!r}; {near(str(kind), ('channels', 'links', 'routers'))}")
    if faults < 1 or (budget is not None and budget < 1):
        raise RelationError(f"faults: at least 1 fault and a budget of at least 1 are wanted, got {faults}, {budget}")
    routes = _Routes(fabric)
    parts = routes.parts(kind)
    possible = comb(len(parts), faults)
    if not possible:
        raise RelationError(f"faults: {faults} of {len(parts)} {kind} of {fabric.name} cannot fail at once")
    most = budget or (possible if faults == 1 else 1000)
    require(f"a list of {min(possible, most)} sets of failed {kind}", min(possible, most) * (SET + PART * faults))
    found = []
    chosen = sets_of_parts(len(parts), faults, possible, most, seed)
    for i, numbers in enumerate(chosen):
        lost = routes.lost(numbers, kind)
        found.append((lost.fault(tuple(parts[n][0] for n in numbers)), numbers))
        if progress is not None:
            progress(f"{', '.join(found[-1][0].parts)}: {found[-1][0].outcome}", i + 1, len(chosen))
    found.sort(key=lambda one: (-one[0].lost_pairs, -one[0].severed_pairs))
    return TableFaults(
        fabric, kind, faults, possible, len(chosen) < possible, routes.pairs, routes.pairs - routes.delivered,
        tuple(fault for fault, _ in found), routes, tuple(numbers for _, numbers in found),
    )  # fmt: skip


class _Routes:
    """The routes between hosts, and for each channel those that take it.

    A place r · LIDs + i is the switch r where hosts send to the LID i.
    """

    def __init__(self, fabric: Fabric) -> None:
        board = switchboard(fabric)
        self.fabric, self.network = fabric, fabric.network
        self.lids = destinations(fabric, "host-to-host")
        sends = senders(fabric, "host-to-host")
        self.owner = fabric.owner[self.lids]
        self.home = self.network.eject[self.owner].astype(np.int64)
        self.hosts = np.bincount(board.network.inject[sends], minlength=self.network.num_routers)
        next_channel = board.next_channel[:, self.lids]
        hops = route_lengths(self.network, next_channel)
        at, column = np.nonzero((hops >= 0) & (self._weight() > 0))
        steps = int(hops[at, column].sum())
        require(f"the routes of {fabric.name}, {steps:,} hops in all,", 40 * steps)
        self.pairs = int(self._weight().sum())
        self.delivered = int(self._weight()[at, column].sum())
        self._first, self._places = routes_by_channel(self.network.target, next_channel, at, column)

    def _weight(self, alive: npt.NDArray[np.bool_] | None = None) -> Places:
        """Pairs at each place, by shape (switches, LIDs)."""
        weight = np.repeat(self.hosts[:, None], self.lids.size, axis=1).astype(np.int64)
        weight[self.home, np.arange(self.lids.size)] -= 1
        if alive is not None:
            weight[~alive] = 0
            weight[:, ~alive[self.home]] = 0
        return weight

    @cached_property
    def cables(self) -> list[tuple[str, tuple[int, ...]]]:
        return [(name, (forth, back)) for name, forth, back in cables_of(self.fabric)]

    def parts(self, kind: Parts) -> list[tuple[str, tuple[int, ...]]]:
        """Name of each part, and its channels or its switch."""
        return self.cables if kind == "links" else list(parts_of(self.network, kind))

    def lost(self, numbers: tuple[int, ...], kind: Parts) -> _Lost:
        """Return the routes that are lost with some parts."""
        network = self.network
        alive = np.ones(network.num_routers, dtype=bool)
        dead = np.zeros(network.num_channels, dtype=bool)
        if kind == "routers":
            alive[list(numbers)] = False
            dead = ~(alive[network.source] & alive[network.target])
        elif kind == "channels":
            dead[list(numbers)] = True
        else:
            dead[[channel for number in numbers for channel in self.cables[number][1]]] = True
        crossing = [self._places[self._first[c] : self._first[c + 1]] for c in np.flatnonzero(dead).tolist()]
        places = np.unique(np.concatenate(crossing)) if crossing else np.zeros(0, dtype=np.int64)
        at, column = places // self.lids.size, places % self.lids.size
        kept = alive[at] & alive[self.home[column]]
        return _Lost(self, alive, dead, at[kept], column[kept])


@dataclass(frozen=True)
class _Lost:
    """The places whose routes a fault cuts, among those of surviving switches."""

    routes: _Routes
    alive: npt.NDArray[np.bool_]
    dead: npt.NDArray[np.bool_]
    at: Places
    column: Places

    def fault(self, names: tuple[str, ...]) -> TableFault:
        routes = self.routes
        weight = routes.hosts[self.at] - (self.at == routes.home[self.column])
        severed = int(weight[self.severed].sum())
        lost = int(weight.sum())
        outcome: Outcome = "disconnected" if severed else "cut" if lost else "holds"
        first = next(self.rows(), None)
        pairs = routes.pairs if self.alive.all() else int(routes._weight(self.alive).sum())
        dead_hosts = int(routes.hosts[~self.alive].sum())
        example = "" if first is None else f"{first['source']} to LID {first['lid']} ({first['destination']})"
        return TableFault(names, outcome, lost, severed, pairs, dead_hosts, example)

    @cached_property
    def severed(self) -> npt.NDArray[np.bool_]:
        """Mask of the places that have no way to their LID left."""
        network = self.routes.network
        left = ~self.dead
        edges = (np.ones(np.count_nonzero(left), dtype=np.int8), (network.source[left], network.target[left]))
        graph = csr_array(edges, shape=(network.num_routers, network.num_routers))
        part = connected_components(graph, directed=True, connection="strong")[1]
        home = self.routes.home[self.column]
        found: npt.NDArray[np.bool_] = part[self.at] != part[home]
        if found.any():
            remaining = network.without(channels=np.flatnonzero(self.dead).tolist())
            for r in np.unique(self.at[found]).tolist():
                found[self.at == r] &= distances_from(remaining, r)[home[self.at == r]] < 0
        return found

    def rows(self) -> Iterator[Row]:
        routes, fabric = self.routes, self.routes.fabric
        network = routes.network
        by_switch = grouped(network.inject, network.num_routers)
        for r, column, severed in zip(self.at.tolist(), self.column.tolist(), self.severed.tolist(), strict=True):
            owner = int(routes.owner[column])
            lid = f"0x{int(fabric.lids[routes.lids[column]]):04x}"
            for host in by_switch[1][by_switch[0][r] : by_switch[0][r + 1]].tolist():
                if host != owner:
                    source, destination = network.terminal_name(host), network.terminal_name(owner)
                    yield {"source": source, "destination": destination, "lid": lid, "severed": severed}
