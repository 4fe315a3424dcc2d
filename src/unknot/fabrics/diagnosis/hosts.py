"""Hosts: on switches that have none by design, with fewer ports than others, and on another rail than others.

Ports of one adapter have its node GUID. Adapters of one host have a name in common, such as ``n1 HCA-2`` or ``n1
mlx5_2``: that is a hint, since the cables do not show it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from unknot._base.phrases import count as count_of
from unknot._base.phrases import few
from unknot.fabrics.diagnosis.finding import Finding
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.nodes import ADAPTER
from unknot.network.recognised import Structure

USUAL = 0.75
"""Share of hosts that have as many ports before others count as lacking some."""


def hosts_on_spines(fabric: Fabric, structure: Structure) -> list[Finding]:
    """Name hosts on switches above the lowest level of a fat tree or dragonfly+."""
    if structure.level is None or not structure.is_known:
        return []
    network, found = fabric.network, defaultdict(list)
    for terminal, router in enumerate(network.inject.tolist()):
        if structure.level[router] > 0:
            found[router].append(terminal)
    return [
        Finding(
            "host on a spine",
            f"{few([network.terminal_name(t) for t in terminals])}: on {network.router_name(router)}, at level "
            f"{structure.level[router]}, where other switches have no hosts",
            tuple(fabric.host_cable(terminal).name for terminal in terminals),
            (network.router_name(router),),
            len(terminals),
        )
        for router, terminals in found.items()
    ]


def adapters(fabric: Fabric) -> dict[str, dict[str, int]]:
    """Return the ports of each host by the names of adapters, of hosts whose adapters are named."""
    hosts: dict[str, dict[str, int]] = defaultdict(dict)
    for terminal in range(fabric.network.num_terminals):
        if match := ADAPTER.match(fabric.network.terminal_name(terminal)):
            hosts[match[1]].setdefault(match[2], terminal)
    return {host: ports for host, ports in hosts.items() if ports}


def hosts_with_fewer_ports(fabric: Fabric) -> list[Finding]:
    """Name hosts with fewer ports than most: by the ports of an adapter, and by adapters with one name.

    Where some adapters have no names, a host's may be among these, and names tell nothing.
    """
    network = fabric.network
    by_guid: dict[str, list[int]] = defaultdict(list)
    for terminal, guid in enumerate(fabric.node_guid.tolist()):
        by_guid[network.terminal_name(terminal).partition("[")[0] + f" 0x{guid:016x}"].append(terminal)
    nameless = sum(network.terminal_name(t).startswith("0x") for t in range(network.num_terminals))
    by_name = {host: [*ports.values()] for host, ports in adapters(fabric).items() if not nameless}
    found: dict[int, Finding] = {}
    for groups in (by_guid, by_name):
        count = Counter(len(ports) for ports in groups.values())
        most = max(count, key=lambda size: (count[size], size), default=0)
        if most < 2 or count[most] < USUAL * sum(count.values()):
            continue
        kinds = {_kind(network.terminal_name(ports[0])) for ports in groups.values() if len(ports) == most}
        for ports in (ports for ports in groups.values() if len(ports) < most):
            if _kind(network.terminal_name(ports[0])) not in kinds:
                continue
            name, where = network.terminal_name(ports[0]), network.router_name(int(network.inject[ports[0]]))
            found[ports[0]] = Finding(
                "single-homed host", f"{name} has {count_of(len(ports), 'port')}, most hosts have {most}",
                (fabric.host_cable(ports[0]).name,), (where,),
            )  # fmt: skip
    return [*found.values()]


def _kind(name: str) -> str:
    """A name without its numbers: hosts of other kinds, such as those for storage, may have fewer ports by design."""
    return re.sub(r"(0x)?[0-9a-f]*[0-9][0-9a-f]*", "#", name.partition("[")[0], flags=re.I)


def rails(fabric: Fabric) -> tuple[str, list[Finding]]:
    """Return the rails that names of adapters show, in words, and hosts with an adapter on another rail's switch.

    The adapters of a rail have one name, and its switches have adapters of that rail alone, nearly.
    """
    network, hosts = fabric.network, adapters(fabric)
    names: Counter[str] = Counter(name for ports in hosts.values() for name in ports)
    common = [name for name, times in sorted(names.items()) if times >= USUAL * len(hosts)]
    if len(common) < 2 or len(hosts) < 4:
        return "", []
    on: dict[int, Counter[str]] = defaultdict(Counter)
    named = [(name, terminal) for ports in hosts.values() for name, terminal in ports.items() if name in common]
    for name, terminal in named:
        on[int(network.inject[terminal])][name] += 1
    rail = {router: count.most_common(1)[0] for router, count in on.items()}
    ports_of = {router: sum(count.values()) for router, count in on.items()}
    if sum(times for _, times in rail.values()) < 0.9 * sum(ports_of.values()):
        return "", []
    findings = [
        Finding(
            "host on another rail",
            f"{network.terminal_name(terminal)} is on {network.router_name(router)}, where others have "
            f"{rail[router][0]}",
            (fabric.host_cable(terminal).name,),
            (network.router_name(router),),
        )
        for name, terminal in named
        for router in (int(network.inject[terminal]),)
        if name != rail[router][0] and rail[router][1] >= USUAL * ports_of[router]
    ]
    return f"{len(common)} rails by the names of adapters: {few(common)}", findings
