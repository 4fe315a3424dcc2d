"""Audit of a made fabric: a random regular network of switches with hosts, and Up*/Down* forwarding tables."""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.prover import peak
from unknot.fabrics import Fabric
from unknot.network import Network, distances_from
from unknot.network.families import random_regular
from unknot.verify.audit import audit


def fabric(switches: int, degree: int, hosts: int) -> Fabric:
    """Switches, each with the same number of links and of hosts; LIDs for the hosts and then for the switches."""
    network = random_regular(switches, degree, seed=1)
    ports, used = _ports(network)
    tables = _tables(network, ports)
    inject = np.repeat(np.arange(switches, dtype=np.int32), hosts)
    host_port = used[inject] + 1 + np.tile(np.arange(hosts, dtype=np.int32), switches)
    owners = inject.size + switches
    to_hosts = np.repeat(tables, hosts, axis=1)
    to_hosts[inject, np.arange(inject.size)] = host_port
    return Fabric(
        name="made",
        network=replace(network, inject=inject, eject=inject, wires=replace(network.wires, ports=ports)),
        switch_guid=np.arange(1, switches + 1, dtype=np.uint64),
        port_guid=np.arange(1, owners + 1, dtype=np.uint64),
        node_guid=np.arange(1, inject.size + 1, dtype=np.uint64),
        switch_ports=used + hosts,
        host_port=host_port,
        lids=np.arange(1, owners + 1, dtype=np.int32),
        owner=np.arange(owners, dtype=np.int32),
        fabric_file="made",
        tables=np.concatenate([to_hosts, tables], axis=1),
        tables_file="made",
    )


def _ports(network: Network) -> tuple[Any, Any]:
    """Port numbers at both ends of each channel, and how many ports each switch has used."""
    used = np.zeros(network.num_routers, dtype=np.int32)
    ports = np.zeros((network.num_channels, 2), dtype=np.int32)
    number = {}
    ends = list(zip(network.source.tolist(), network.target.tolist(), strict=True))
    for u, v in ends:
        used[u] += 1
        number[u, v] = int(used[u])
    for channel, (u, v) in enumerate(ends):
        ports[channel] = number[u, v], number[v, u]
    return ports, used


def _tables(network: Network, ports: Any) -> Any:
    """Down to the switch from wherever that is possible, else up to where that is soonest."""
    routers = network.num_routers
    rank = distances_from(network, 0).astype(np.int64) * routers + np.arange(routers)
    down = rank[network.target] > rank[network.source]
    out_first, leaving = network.outgoing
    in_first, entering = network.incoming
    downwards = np.argsort(rank).tolist()
    tables = np.zeros((routers, routers), dtype=np.int16)
    for home in range(routers):
        away = np.full(routers, routers)
        away[home] = 0
        todo = [home]
        for v in todo:
            for c in entering[in_first[v] : in_first[v + 1]].tolist():
                u = int(network.source[c])
                if down[c] and away[u] == routers:
                    away[u], tables[u, home] = away[v] + 1, ports[c, 0]
                    todo.append(u)
        for u in downwards:
            if away[u] == routers:
                ups = [c for c in leaving[out_first[u] : out_first[u + 1]].tolist() if not down[c]]
                best = min(ups, key=lambda c: away[network.target[c]])
                away[u], tables[u, home] = away[network.target[best]] + 1, ports[best, 0]
    return tables


def once(switches: int, degree: int, hosts: int) -> tuple[float, float, float]:
    """Processor and clock seconds and megabytes of an audit, compilation of the rules included."""
    audit(fabric(16, 4, 2))
    large = fabric(switches, degree, hosts)
    begin = time.process_time(), time.perf_counter()
    verdict = audit(large)
    processor, clock = time.process_time() - begin[0], time.perf_counter() - begin[1]
    assert verdict.holds
    return processor, clock, peak()


def main() -> None:
    for switches, degree, hosts in ((512, 12, 1), (512, 12, 4), (270, 18, 37)):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            processor, clock, most = pool.apply(once, (switches, degree, hosts))
        print(
            f"{switches} switches, {switches * hosts} hosts: {processor:.2f} s of processors, {clock:.2f} s, "
            f"compilation of the rules included; largest resident size {most:.0f} MB",
            flush=True,
        )


if __name__ == "__main__":
    main()
