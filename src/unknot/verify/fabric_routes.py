"""Pairs of hosts without a route, and what routes are safe on a fabric whatever a subnet manager picks among them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields

import numpy as np

from unknot._base.arrays import Flags, IntArray, Ints
from unknot._base.phrases import few
from unknot.fabrics import Fabric
from unknot.fabrics.diagnosis import Diagnosis, EngineSafety, Finding
from unknot.fabrics.diagnosis.diagnosing import in_order
from unknot.network import Network, distances_from
from unknot.network.graph import components, strong_components
from unknot.network.recognised import Structure
from unknot.routing.forwarding_table import route_lengths
from unknot.routing.switchboard import destinations, switchboard
from unknot.traffic.patterns import PatternLike
from unknot.verify.fabric_loads import Capacity, capacity_of, with_routed_loads

MOST_STEPS = 400_000_000
"""Channels × switches with hosts up to which dependencies of all shortest paths are looked at: some seconds."""


@dataclass(frozen=True, eq=False, repr=False)
class RoutedDiagnosis(Diagnosis):
    """Diagnosis of cables, hosts and routes.

    Attributes
    ----------
    capacity : Capacity or None
        How much of their line rate hosts get on the forwarding tables; None without tables.
    """

    capacity: Capacity | None = None


def with_routes(fabric: Fabric, diagnosis: Diagnosis, traffic: PatternLike = "uniform_others") -> RoutedDiagnosis:
    """Add pairs of hosts without a route to a diagnosis, and which routing engines are safe on the fabric.

    Parameters
    ----------
    fabric : Fabric
        With tables, routes are theirs; else hosts count that no cables lead to.
    diagnosis : Diagnosis
        Of its cables.
    traffic : str, array or callable
        As for `unknot.verify.fabric_loads.capacity_of`.

    Examples
    --------
    >>> from unknot.fabrics import read_fabric
    >>> from unknot.fabrics.diagnosis import diagnose
    >>> fabric = read_fabric("examples/fabrics/opensm-torus8x8-dor")
    >>> [(one.engine, one.safe) for one in with_routes(fabric, diagnose(fabric)).engines[:2]]
    [('minhop', None), ('updn', True)]
    """
    findings, remarks, capacity = diagnosis.findings, diagnosis.remarks, None
    if fabric.tables is not None:
        capacity, load = capacity_of(fabric, traffic)
        findings = with_routed_loads(fabric, findings, load)
        remarks = (*remarks, *["loads on the tables leave out that switches choose ports"] * bool(fabric.adaptive))
    known = {field.name: getattr(diagnosis, field.name) for field in fields(diagnosis)} | {
        "findings": tuple(in_order([*pairs_without_route(fabric), *findings])),
        "engines": engines_for(fabric.network, diagnosis.structure),
        "remarks": remarks,
    }
    return RoutedDiagnosis(**known, capacity=capacity)


def pairs_without_route(fabric: Fabric) -> list[Finding]:
    """Name hosts without a route from all other hosts, by the tables where known, else by cables."""
    network = fabric.network
    if fabric.tables is None:
        return _cut_off(network)
    columns = destinations(fabric, "host-to-host")
    hops = route_lengths(network, switchboard(fabric).next_channel[:, columns])
    owner = fabric.owner[columns]
    sends = network.terminals_at
    lost = (hops == -1) * sends[:, None]
    lost[network.eject[owner], np.arange(owner.size)] = np.where(
        hops[network.eject[owner], np.arange(owner.size)] == -1, sends[network.eject[owner]] - 1, 0
    )
    found = []
    by_host: Counter[int] = Counter()
    for column in np.flatnonzero(lost.any(axis=0)).tolist():
        by_host[int(owner[column])] += int(lost[:, column].sum())
    for host, count in by_host.most_common():
        column = int(np.flatnonzero(owner == host)[0])
        names = [network.router_name(r) for r in np.flatnonzero(lost[:, column]).tolist()]
        others = "1 other host" if count == 1 else f"{count:,} other hosts"
        words = f"{network.terminal_name(host)} has no route from {others}, at {few(names)}"
        found.append(Finding("no route", words, (), tuple(names), count))
    return found


def _cut_off(network: Network) -> list[Finding]:
    """Name the hosts of parts that no cable joins to the largest."""
    part = components(network)[0][network.inject]
    if not part.size:
        return []
    largest = np.bincount(part).argmax()
    found = []
    for one in np.unique(part[part != largest]).tolist():
        hosts = np.flatnonzero(part == one)
        names = [network.terminal_name(host) for host in hosts.tolist()]
        switches = tuple(network.router_name(r) for r in np.unique(network.inject[hosts]).tolist())
        pairs = 2 * hosts.size * (part.size - hosts.size)
        words = f"no cables lead from {few(names)} to most other hosts"
        found.append(Finding("no route", words, (), switches, int(pairs)))
    return found


def engines_for(network: Network, structure: Structure) -> tuple[EngineSafety, ...]:
    """Return whether each routing engine is safe on a fabric, whatever routes the engine picks.

    Parameters
    ----------
    network : Network
        The fabric as it is.
    structure : Structure
        What it was recognised as.
    """
    shortest = all_shortest_paths_are_safe(network)
    minhop = {
        True: "no choice of shortest paths closes a loop of dependencies",
        False: "shortest paths depend on one another in a loop, so some choices can deadlock",
        None: "the fabric is too large to look at all shortest paths",
    }[shortest]
    rows: list[tuple[str, bool | None, str]] = [("minhop", shortest or None, minhop)]
    levelled = structure.level is not None and bool(
        (np.abs(structure.level[network.source] - structure.level[network.target]) == 1).all()
    )
    if structure.kind == "fat tree":
        why = "every cable leads from a level to the next" if levelled else "cables skip or stay in a level"
        rows.append(
            (
                "ftree",
                levelled or None,
                f"{why}; true as long as the log of OpenSM names no other engine to which it fell back",
            )
        )
    rows.append(
        (
            "updn",
            True,
            "up and then down closes no loop on any fabric; true as long as OpenSM falls back to no other engine",
        )
    )
    if structure.kind in ("torus", "mesh", "hypercube"):
        whole = structure.kind != "torus" and not structure.differences
        order = "safe only if all switches have dimensions at ports in one order: judge its tables with unknot audit"
        rows.append(("dor", None, order if whole else "rings, or missing cables, close loops in one lane"))
    if structure.kind == "torus" and len(structure.radices) in (2, 3):
        rows.append(("torus-2QoS", None, "datelines by service levels, for hosts that ask for path records"))
    rows.append(("lash, dfsssp, nue", None, "layers by service levels; judge their tables with unknot audit"))
    rows.append(("unknot repair", True, "tables in one lane, or with levels, proved before they are written"))
    return tuple(EngineSafety(*row) for row in rows)


def all_shortest_paths_are_safe(network: Network) -> bool | None:
    """Return whether no shortest paths between hosts can close a loop of dependencies; None where too many.

    A channel depends on the next one if both lie on a shortest path from some host to another.

    Examples
    --------
    >>> from unknot.network.families import fat_tree, torus
    >>> all_shortest_paths_are_safe(fat_tree(4, 2)), all_shortest_paths_are_safe(torus(5, 5))
    (True, False)
    """
    homes = np.unique(network.eject)
    if network.num_channels * homes.size > MOST_STEPS:
        return None
    away = np.stack([distances_from(network, int(home), reverse=True) for home in homes], axis=1)
    leads = _on_shortest_paths(network, away)
    tails: list[Ints] = []
    heads: list[Ints] = []
    for router in range(network.num_routers):
        into, out = network.incoming.of(router), network.outgoing.of(router)
        both = leads[into].astype(np.float32) @ leads[out].astype(np.float32).T > 0
        rows, columns = np.nonzero(both)
        tails.append(into[rows])
        heads.append(out[columns])
    tail, head = np.concatenate(tails), np.concatenate(heads)
    return not strong_components(tail, head, network.num_channels)[1].any()


def _on_shortest_paths(network: Network, away: IntArray) -> Flags:
    """Which channels lie on a shortest path from some host to each destination: shape (channels, destinations)."""
    here, there = away[network.source], away[network.target]
    nearer = (here == there + 1) & (there >= 0)
    reached = np.zeros(away.shape, dtype=bool)
    reached[np.unique(network.inject)] = True
    leads = np.zeros(nearer.shape, dtype=bool)
    for hops in range(int(away.max()), 0, -1):
        step = nearer & (here == hops) & reached[network.source]
        leads |= step
        channel, column = np.nonzero(step)
        reached[network.target[channel], column] = True
    return leads
