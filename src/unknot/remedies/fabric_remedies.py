"""Remedies for the forwarding tables of an InfiniBand fabric; one terminal stands for the hosts of a switch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unknot._base.deadline import Deadline
from unknot._base.errors import UnknotError
from unknot._base.progress import Progress
from unknot.fabrics.fabric import NO_ENTRY, UNKNOWN_PORT, Fabric
from unknot.fabrics.levels import UNKNOWN, columns_of_hosts
from unknot.fabrics.opensm_files import lmc_of, reassigned
from unknot.lane_assignment.figures import Lanes
from unknot.lane_assignment.lanes import lanes as fewest_lanes
from unknot.lane_assignment.load_bounds import load_bound
from unknot.lane_assignment.path_set import Floats, demand
from unknot.lane_assignment.tables import LaneTable, table_of
from unknot.lane_assignment.trees import trees
from unknot.network import Network
from unknot.remedies.adaptive_lanes import adaptive_lanes
from unknot.remedies.rerouted import rerouted
from unknot.remedies.shorter_groups import shorter_groups
from unknot.routing.adaptive_fabric import Member
from unknot.routing.forwarding_table import DROP, EJECT_HERE
from unknot.routing.relation import Relation
from unknot.routing.switchboard import destinations, switchboard
from unknot.routing.up_down import up_down_table
from unknot.search.bound import Bound
from unknot.search.effort import SearchEffort
from unknot.verify.audit_merged import merged_relation

DATA_LANES = 8
"""Virtual lanes that most switches have for data."""
EACH = 0.3
"""Share of the time that is left for the search for each remedy."""
MOST_WORK = 50_000_000
"""Most LIDs × channels for which each LID has a tree of its own: some 10 s."""

MOST_HOPS = 300_000
"""Most hops of all routes together among which few changes are sought: some seconds."""


@dataclass(frozen=True)
class FabricSearch:
    """Limits of the search, whether two directions share a level, and the LMC, if it shall be another."""

    deadline: Deadline
    seed: int
    both_ways: bool
    progress: Progress
    lmc: int | None = None

    @property
    def effort(self) -> SearchEffort:
        """The limits of a remedy."""
        return SearchEffort(self.deadline.part(EACH).end, self.seed, self.progress)


@dataclass(frozen=True, eq=False)
class FabricRemedy:
    """Other tables, levels or LIDs of a fabric.

    Attributes
    ----------
    fabric : Fabric
    about : Network or Relation
        What the bound is about: the fabric with its hosts that have LIDs, or the routing as it is.
    bound : Bound or None
        Why no such routes between hosts have a lower highest load, or no fewer ports of groups are enough; None where
        the routes stay.
    lanes : int
        Virtual lanes.
    complete : bool
        Whether the search ended by itself.
    taken : tuple of (int, int, int)
        Ports that are taken out of groups of adaptive switches; the tables then stay.
    """

    fabric: Fabric
    about: Network | Relation
    bound: Bound | None
    lanes: int = 1
    complete: bool = True
    taken: tuple[Member, ...] = ()


def fabric_remedies(fabric: Fabric, search: FabricSearch) -> dict[str, Callable[[], FabricRemedy]]:
    """What makes each kind of remedy.

    With another LMC than that of the fabric all LIDs are assigned anew, see `reassigned`, so no table stays. Where
    switches choose ports, tables stay, and what they choose from changes.

    Raises
    ------
    UnknotError
        If there are not enough LIDs, or another LMC is asked for where switches choose ports.
    """
    bare = replace(fabric, levels=None, levels_file="", more_levels=fabric.more_levels[:0], lanes=None, lanes_file="")
    if fabric.adaptive and fabric.groups is not None:
        if search.lmc is not None:
            raise UnknotError(
                f"{fabric.name}: groups of adaptive switches have rows of LIDs, so LIDs are not assigned anew; leave "
                "out --lmc, or judge the tables alone (--assume static)"
            )
        return {
            "adaptive-lanes": lambda: _adaptive_lanes(bare, search),
            "shorter-groups": lambda: _shorter_groups(fabric, search),
        }
    bare = replace(bare, multicast=None)
    made = {"new-tables": lambda: _new_tables(bare, search), "one-lane": lambda: _one_lane(bare, search)}
    if search.lmc is not None and search.lmc != lmc_of(fabric):
        bare = reassigned(bare, search.lmc)
        return made
    near = {"same-routes": lambda: _same_routes(bare, search), "few-entries": lambda: _few_entries(bare, search)}
    return near | made


def _adaptive_lanes(fabric: Fabric, search: FabricSearch) -> FabricRemedy:
    effort = SearchEffort(search.deadline.part(EACH).end, search.seed, search.progress)
    found = adaptive_lanes(fabric, DATA_LANES, effort)
    return FabricRemedy(_with_levels(fabric, found.lane), found.network, found.bound, found.count, found.complete)


def _shorter_groups(fabric: Fabric, search: FabricSearch) -> FabricRemedy:
    effort = search.effort
    found = shorter_groups(fabric, effort)
    change = found.change
    return FabricRemedy(found.fabric, change.original, change.evidence, complete=change.complete, taken=found.taken)


def _in_lanes(network: Network, paths: str, search: FabricSearch, **options: Any) -> Lanes:
    return fewest_lanes(
        network, paths, time_limit=search.deadline.part(EACH), seed=search.seed, progress=search.progress,
        both_ways=search.both_ways, limit=DATA_LANES, **options,
    )  # fmt: skip


def _as_it_is(fabric: Fabric) -> Relation:
    """The routing by the tables as they are, with a sender at each switch."""
    if np.any(fabric.tables == UNKNOWN_PORT):
        raise UnknotError("some entries of the tables as they are are unknown")
    merged = merged_relation(fabric, switchboard(fabric), "host-to-host")
    assert merged is not None  # without levels hosts of a switch are alike
    return merged[0]


def _same_routes(fabric: Fabric, search: FabricSearch) -> FabricRemedy:
    relation = _as_it_is(fabric)
    routes = _in_lanes(relation.network, "given", search, routing=relation)
    return FabricRemedy(_with_lanes(fabric, routes), _hosts(fabric), None, routes.count, routes.complete)


def _few_entries(fabric: Fabric, search: FabricSearch) -> FabricRemedy:
    """Tables in one lane close to the present tables; LIDs of switches keep their entries."""
    relation, network = _as_it_is(fabric), fabric.network
    table = table_of(relation)
    hops = sum(row.size for _, row, _ in table.steps())
    if hops > MOST_HOPS:
        raise UnknotError(f"the routes have {hops:,} hops in all, and few changes are sought among {MOST_HOPS:,}")
    effort = search.effort
    change = rerouted(relation, table, 1, effort, kind="entries")
    if change is None or network.ports is None or fabric.tables is None:
        raise UnknotError("no tables for one lane were found near those there are")
    changed, columns, tables = table_of(change.relation), destinations(fabric, "host-to-host"), fabric.tables.copy()
    then = changed.next_channel[changed.addresses.row].T
    tables[:, columns] = np.where(then >= 0, network.ports[then, 0], tables[:, columns])
    return FabricRemedy(replace(fabric, tables=tables), _hosts(fabric), None, complete=effort.complete)


def _new_tables(fabric: Fabric, search: FabricSearch) -> FabricRemedy:
    hosts = _hosts(fabric)
    routes = _in_lanes(hosts, "table", search, lmc=lmc_of(fabric))
    return FabricRemedy(
        _with_lanes(_with_tables(fabric, routes), routes), hosts, routes.load_evidence, routes.count, routes.complete
    )


def _one_lane(fabric: Fabric, search: FabricSearch) -> FabricRemedy:
    """Tables in one lane, with a tree for each LID, or in large fabrics for all LIDs of a switch."""
    network, homes, hosts, lids = fabric.network, _homes(fabric), _hosts(fabric), 1 << lmc_of(fabric)
    effort = search.effort
    bound = load_bound(demand(hosts), time_limit=effort.bounding, longer=True, pieces=lids)
    answering = np.flatnonzero(homes >= 0)
    senders = hosts.terminals_at.astype(float)
    ends, tree = homes[answering].astype(np.int64), np.arange(answering.size)
    many: Floats = (fabric.owner[answering] < network.num_terminals) / lids
    if answering.size * network.num_channels > MOST_WORK:
        ends, tree = np.unique(ends, return_inverse=True)
        many = np.bincount(tree, many).astype(np.float64)
    step, _ = trees(network, ends, np.outer(many, senders), effort, floor=float(bound.least))
    next_channel = np.full((network.num_routers, homes.size), DROP)
    next_channel[:, answering] = np.where(step < 0, EJECT_HERE, step)[tree].T
    made = replace(fabric, tables=_entries(fabric, next_channel))
    return FabricRemedy(made, hosts, bound, complete=effort.complete)


def _hosts(fabric: Fabric) -> Network:
    """The network with those host ports alone that have LIDs."""
    network, talking = fabric.network, _talking(fabric)
    at = network.inject[talking]
    names = tuple(network.terminal_name(host) for host in talking.tolist())
    return replace(network, inject=at, eject=at, places=replace(network.places, terminal_labels=names))


def _talking(fabric: Fabric) -> np.ndarray:
    """Hosts that have a LID."""
    return np.unique(fabric.owner[columns_of_hosts(fabric)])


def _homes(fabric: Fabric) -> np.ndarray:
    """Switch of each LID; −1 where nobody answers."""
    network = fabric.network
    return np.concatenate([network.eject, np.arange(network.num_routers), [-1]])[fabric.owner]


def _entries(fabric: Fabric, next_channel: np.ndarray) -> np.ndarray:
    """Channels as output ports, with those of hosts and of the switches themselves."""
    ports = np.zeros((0, 2)) if fabric.network.ports is None else fabric.network.ports
    leaving = np.append(ports[:, 0], NO_ENTRY)
    own = np.concatenate([fabric.host_port, np.zeros(fabric.network.num_routers, dtype=np.int32), [NO_ENTRY]])
    leaving_ports = np.where(next_channel >= 0, leaving[next_channel], NO_ENTRY)
    return np.where(next_channel == EJECT_HERE, own[fabric.owner], leaving_ports).astype(np.int16)


def _with_tables(fabric: Fabric, routes: Lanes) -> Fabric:
    """The found tables for LIDs of hosts; LIDs of switches follow a host at the switch, else Up*/Down*."""
    assert isinstance(routes.routes, LaneTable)
    network, table = fabric.network, routes.routes
    next_channel = up_down_table(network, _homes(fabric))
    rows = _rows(fabric, table)
    own = rows >= 0
    chosen = table.next_channel[rows[own]].T
    next_channel[:, own] = np.where(chosen >= 0, chosen, next_channel[:, own])
    next_channel[_homes(fabric)[own], own] = EJECT_HERE
    return replace(fabric, tables=_entries(fabric, next_channel))


def _rows(fabric: Fabric, table: LaneTable) -> np.ndarray:
    """The row of each LID: its own, or for a switch the row of a host at the switch; −1 without such a host."""
    row_at = {int(home): row for row, home in enumerate(table.home)}
    rows = np.array([row_at.get(home, -1) for home in _homes(fabric).tolist()])
    for number, host in enumerate(_talking(fabric).tolist()):
        own = np.flatnonzero(fabric.owner == host)
        rows[own] = table.addresses.row[table.addresses.destination == number][: own.size]
    return rows


def _with_lanes(fabric: Fabric, routes: Lanes) -> Fabric:
    """The fabric with the lane of each pair of hosts as its service level."""
    if routes.count == 1:
        return fabric
    assert isinstance(routes.routes, LaneTable)
    table, columns = routes.routes, destinations(fabric, "host-to-host")
    rows = table.addresses.row if routes.paths == "given" else _rows(fabric, table)[columns]
    return _with_levels(fabric, np.maximum(routes.lane[:, rows], 0))


def _with_levels(fabric: Fabric, lane: np.ndarray) -> Fabric:
    """The fabric with lanes as service levels, by switch and LID of a host."""
    network, columns = fabric.network, destinations(fabric, "host-to-host")
    hosts = network.num_terminals
    levels = np.full((hosts + network.num_routers, fabric.lids.size), UNKNOWN, dtype=np.int8)
    sends = np.isin(np.arange(hosts), fabric.owner)
    for own, column in zip(lane.T, columns.tolist(), strict=True):
        who = int(fabric.owner[column])
        levels[:hosts, column] = np.where(sends, own[network.inject], UNKNOWN)
        levels[who, column] = UNKNOWN
    return replace(fabric, levels=levels)
