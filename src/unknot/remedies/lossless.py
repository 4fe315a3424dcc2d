"""Tags of lossless queues as SONiC's QoS maps: which traffic class a packet gets, and how ports rewrite its DSCP."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.errors import UnknotError
from unknot._base.input import read_json
from unknot._base.output import scratch_folder, write_text
from unknot._base.phrases import few
from unknot._base.three_valued import ThreeValued
from unknot.fabrics.ethernet.document import files_of
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.fabrics.ethernet.qos import DSCPS
from unknot.lane_assignment.class_paths import queues_by_classes
from unknot.lane_assignment.flow_paths import graph_of_walk
from unknot.lane_assignment.queues import Key, LosslessQueues, fewest_queues
from unknot.network import Network
from unknot.remedies.route_maps import RouteMaps, judge_route_maps, write_route_maps
from unknot.routing.lossless import SENT, PfcModel, Walk
from unknot.routing.lossless_classes import ClassWalk
from unknot.verify.audit_ethernet import EthernetAudit, audit_ethernet

FREE = (2, 6, 5, 1, 7)
"""Numbers of further queues, priority groups and traffic classes, in the order in which they are taken."""
RULES = "rules.txt"
HOSTS = "HOST_PORTS"
"""Stands for the ports of hosts where no file names them."""
Tables = dict[str, Any]
Rows = dict[tuple[int, int], dict[int, int]]
"""Tags of a switch by channel and tag of arrival, and by the channel of departure."""


@dataclass(frozen=True, eq=False)
class RepairedFabric(ThreeValued, asks="holds"):
    """The fewest lossless queues of a fabric, and the audits before and after.

    Attributes
    ----------
    after : EthernetAudit or None
        Of the files that were written, read back; None: SONiC's maps cannot express the rules.
    refused : str
        Why SONiC's maps cannot express the rules; empty: they can.
    maps : RouteMaps
        Instead of more queues: routes without valleys by FRR's route-maps.
    """

    before: EthernetAudit
    queues: LosslessQueues
    after: EthernetAudit | None = None
    refused: str = ""
    maps: RouteMaps | None = None

    @property
    def holds(self) -> bool | None:
        """Whether the fabric as written cannot deadlock, delivers all, and drops nothing lossless; None: open."""
        return not self.refused if self.after is None else self.after.holds


@counts_work
def repair_lossless(
    fabric: EthernetFabric, out: str | Path | None = None, *, time_limit: float | Deadline = MINUTE
) -> RepairedFabric:
    """Find the fewest lossless queues for the routes of a fabric; write them, read them back and audit again.

    Parameters
    ----------
    out : str or Path, optional
        A new folder, or an empty one: what was read, with other QoS maps, the rules in words, and route-maps of FRR
        that make more queues needless. By default a temporary one.

    Raises
    ------
    UnknotError
        If packets circle or are lost, or the folder holds files.

    Examples
    --------
    >>> from unknot.fabrics.ethernet.folder import read_ethernet
    >>> repaired = repair_lossless(read_ethernet("examples/ethernet/dual-tor-one-queue"))
    >>> repaired.before.deadlock_free, repaired.queues.count, repaired.queues.lower_bound
    (False, 2, 2)
    """
    deadline = Deadline.of(time_limit, "repair")
    if out is None:
        with scratch_folder() as scratch:
            return repair_lossless(fabric, scratch / fabric.name, time_limit=deadline)
    folder = Path(out)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UnknotError(f"{folder} exists; name a new folder")
    for router, qos in enumerate(fabric.qos):
        for port, maps in qos.ports.items():
            if maps.dot1p_to_tc is not None:
                raise UnknotError(
                    f"{fabric.name}: {fabric.network.router_name(router)} {port} tells classes by 802.1p, but tags "
                    "of a repair are DSCPs; give its row of PORT_QOS_MAP dscp_to_tc_map in place of dot1p_to_tc_map"
                )
    before = audit_ethernet(fabric, time_limit=deadline)
    model = PfcModel(fabric, tuple(mark.dscp for mark in PfcModel(fabric).marks[:1]))
    queues = queues_by_classes(ClassWalk(model), fabric.edges)
    queues = queues or fewest_queues(graph_of_walk(Walk(model)), fabric.edges, time_limit=deadline)
    shutil.copytree(fabric.folder, folder, dirs_exist_ok=True)
    network = fabric.network
    write_text(folder / RULES, "".join(f"{line}\n" for line in queues.entries))
    write_route_maps(fabric, folder)
    repaired, files = RepairedFabric(before, queues, maps=judge_route_maps(fabric, folder)), files_of(folder)
    try:
        if alien := [name for name, kinds in files.items() if "nvue.json" in kinds]:
            raise UnknotError(f"{few(alien)}: Cumulus Linux takes no maps of SONiC; {RULES} has the rules")
        rows = _rows(network, queues.tags)
        tables = [
            _Switch(fabric, queues.count, router, rows[router]).tables() for router in range(network.num_routers)
        ]
    except UnknotError as error:
        return replace(repaired, refused=str(error))
    for router, own in enumerate(tables):
        name = network.router_name(router)
        path = files[name].get("config_db.json", folder / f"{name}.config_db.json")
        whole = read_json(path) if path.exists() else {}
        for tunnel in whole.get("TUNNEL", {}).values():
            for field in [key for key in tunnel if key.startswith(("encap_tc", "decap_"))]:
                del tunnel[field]
        write_text(path, json.dumps(whole | own, indent=2) + "\n")
    again = read_ethernet(folder).one_vrf
    again = replace(again, name=fabric.name, network=replace(again.network, name=network.name))
    return replace(repaired, after=audit_ethernet(again, time_limit=deadline))


def classes_of(fabric: EthernetFabric) -> dict[int, int]:
    """The DSCP of each lossless class by the number of its queue; without `config_db.json` 3 for queue 3."""
    if not any(one.configured for one in fabric.qos):
        return {3: 3}
    of_hosts = [port for edge in fabric.edges for port in fabric.host_ports[edge]]
    every = [port for own in fabric.qos for port in own.ports.values()]
    ports = {*of_hosts} if any(port.lossless for port in of_hosts) else {*every}
    pairs = [(port.tc_to_group[port.dscp_to_tc[dscp]], dscp, port) for port in ports for dscp in DSCPS]
    return dict(sorted(((group, dscp) for group, dscp, port in pairs if group in port.lossless), reverse=True))


def _rows(network: Network, tags: Mapping[Key, int]) -> list[Rows]:
    """Tags of departure for each switch, by channel and tag of arrival."""
    rows: list[Rows] = [{(SENT, 1): {}} for _ in range(network.num_routers)]
    ends = network.ends
    for (came, tag, leaves), new in sorted(tags.items()):
        near, far = ends[leaves]
        rows[far].setdefault((leaves, new), {})
        rows[near].setdefault((came, tag), {})[leaves] = new
    return rows


class _Switch:
    """The maps of a switch. Tags of an incoming port that leave alike, or not at all, share a traffic class."""

    def __init__(self, fabric: EthernetFabric, count: int, router: int, rows: Rows) -> None:
        self.fabric, self.router, self.network = fabric, router, fabric.network
        self.classes, self.count = classes_of(fabric), count
        free = [n for n in FREE if n not in self.classes]
        self.name = self.network.router_name(router)
        if len(self.classes) * (count - 1) > len(free):
            raise UnknotError(
                f"{fabric.name}: {len(self.classes)} classes in {count} queues each are more than the "
                f"{len(free) + len(self.classes)} that leave one for lossy traffic"
            )
        self.number = {(group, 1): group for group in self.classes}
        self.number |= {(group, tag): free.pop(0) for tag in range(2, count + 1) for group in self.classes}
        self.dscp = {key: self.classes[key[0]] if key[1] == 1 else n for key, n in self.number.items()}
        self.shared: list[dict[int, int]] = []
        self.members: list[set[int]] = []
        self.colour: dict[tuple[int, int], int] = {}
        for (came, tag), row in rows.items():
            fits = (
                c for c, other in enumerate(self.shared)
                if came not in self.members[c] and all(other.get(e, new) == new for e, new in row.items())
            )  # fmt: skip
            c = next(fits, len(self.shared))
            if c == len(self.shared):
                self.shared.append({})
                self.members.append(set())
            self.shared[c] |= row
            self.members[c].add(came)
            self.colour[came, tag] = c
        ports = *fabric.qos[router].ports, ""
        lossy = {tc for port in ports for tc in self._plain(port) if tc not in self.number.values()}
        spare = [n for n in range(1, 8) if n not in lossy and n not in self.number.values()]
        self.tc: dict[tuple[int, int], int] = {}
        for group in self.classes:
            own = [n for (one, _), n in self.number.items() if one == group]
            while len(own) < len(self.shared) and spare:
                own.append(spare.pop())
            if len(own) < len(self.shared):
                raise UnknotError(
                    f"{self.name}: these rules take {len(self.shared)} traffic classes for each lossless class, more "
                    "than SONiC's maps have free; its TCAM has to hold the rules themselves"
                )
            self.tc |= {(group, c): own[c] for c in range(len(self.shared))}

        self.stray = spare[0] if spare else 0

    def _plain(self, port: str) -> list[int]:
        """The traffic class at a port of each DSCP that is not of a tag; 0 where a tag takes its class."""
        qos = self.fabric.qos[self.router]
        tcs = qos.port(port).dscp_to_tc if qos.configured else (0,) * 64
        taken = set(self.number.values())
        return [0 if tc in taken or dscp in self.dscp.values() else tc for dscp, tc in enumerate(tcs)]

    def tables(self) -> Tables:
        """The QoS tables of the switch."""
        ends = self.fabric.ends
        came = {ends[c][1].name: c for c in np.flatnonzero(self.network.target == self.router).tolist()}
        leaves = {ends[c][0].name: c for c in np.flatnonzero(self.network.source == self.router).tolist()}
        kinds = "DSCP_TO_TC_MAP", "TC_TO_PRIORITY_GROUP_MAP", "TC_TO_QUEUE_MAP", "TC_TO_DSCP_MAP"
        tables: Tables = {kind: {} for kind in (*kinds, "PORT_QOS_MAP", "BUFFER_PG", "BUFFER_PROFILE")}
        tables["MAP_PFC_PRIORITY_TO_QUEUE"] = {"UNKNOT": {str(n): str(n) for n in range(8)}}
        tables["BUFFER_PROFILE"] = {"UNKNOT": {"xoff": "268736", "xon": "2288", "size": "1248", "dynamic_th": "0"}}
        lossless, qos = sorted(self.number.values()), self.fabric.qos[self.router]
        hosts = sorted({*qos.ports} - {*came})
        if self.router in self.fabric.edges and not hosts:
            hosts = [HOSTS]
        # Ports of hosts stay without PFC, unless none has it.
        without = {port for port in hosts if not qos.port(port).lossless}
        without = set() if without == {*hosts} else without
        for port in [*hosts, *sorted(came)]:
            row = (
                {} if port in without else {"pfc_enable": ",".join(map(str, lossless)), "pfc_to_queue_map": "UNKNOT"}
            )
            maps = self._incoming(port, came.get(port, SENT), port not in without)
            maps += self._outgoing(leaves.get(port, SENT))
            for kind, field, content in zip(
                kinds, ("dscp_to_tc_map", "tc_to_pg_map", "tc_to_queue_map", "tc_to_dscp_map"), maps, strict=True
            ):
                if content:
                    text = {str(key): str(to) for key, to in sorted(content.items())}
                    name = next((one for one, other in tables[kind].items() if other == text), f"UNKNOT_{port}")
                    tables[kind][name], row[field] = text, name
            tables["PORT_QOS_MAP"][port] = row
            tables["BUFFER_PG"] |= {f"{port}|{n}": {"profile": "UNKNOT"} for n in lossless if port not in without}
        return {kind: rows for kind, rows in tables.items() if rows}

    def _incoming(self, port: str, channel: int, lossless: bool) -> list[dict[int, int]]:
        """Traffic classes by DSCP and priority groups by class; tags that no route brings here are lossy.

        What hosts send with the DSCP of a tag leaves with DSCP 0, and at ports without PFC any lossless class.
        """
        tcs, groups = dict(enumerate(self._plain(port))), dict.fromkeys(range(8), 0)
        for (group, tag), number in self.number.items():
            colour = self.colour.get((channel, tag)) if lossless else None
            if colour is not None:
                tcs[self.dscp[group, tag]] = self.tc[group, colour]
                groups[self.tc[group, colour]] = number
            elif channel == SENT:
                tcs[self.dscp[group, tag]] = self.stray
        return [tcs, groups]

    def _outgoing(self, channel: int) -> list[dict[int, int]]:
        """Queues by traffic class, and DSCPs where a tag changes."""
        queues, dscps = {n: 0 if n in self.number.values() else n for n in range(8)}, dict[int, int]()
        if self.router in self.fabric.edges:
            queues[self.stray], dscps[self.stray] = 0, 0
        changes = any(self.shared[c].get(channel, tag) != tag for (_, tag), c in self.colour.items())
        for (group, colour), tc in self.tc.items():
            tag = self.shared[colour].get(channel)
            queues[tc] = self.number[group, tag or 1]
            if tag is not None and changes:
                dscps[tc] = self.dscp[group, tag]
        return [queues, dscps]
