"""Slurm's files about a network: `topology.conf` (topology/tree), and `topology.yaml` with a tree and blocks.

Slurm wants a tree. Its lowest switches are those with hosts; above stands what the cables show: blocks of the levels
of a fat tree, groups of a dragonfly, and each connected part as a whole. A host is a node once, at the switch of its
first port: ports of one host are those that `hosts_of` joins, and adapters such as ``n1 HCA-2``. Switches above have
names of their own, since several switches together are one step up.

Sources: topology.conf(5), topology.yaml(5) and the Topology Guide of Slurm.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from unknot._base.arrays import IntArray, Ints
from unknot._base.errors import NetworkError
from unknot._base.output import write_text
from unknot.fabrics.format import Format, refusing
from unknot.fabrics.ibsim import hosts_of
from unknot.fabrics.nodes import ADAPTER
from unknot.network import Network
from unknot.network.graph import components
from unknot.network.recognised import recognised

Switch = tuple[str, list[str], bool]
"""Name of a switch, its nodes or the switches below it, and whether they are nodes."""


def hostlist(names: Sequence[str]) -> str:
    """Return names in Slurm's short form.

    Examples
    --------
    >>> hostlist(["n08", "n09", "n10", "n12", "login"])
    'n[08-10,12],login'
    """
    ranges: dict[tuple[str, int], list[list[int]]] = defaultdict(list)
    plain = []
    for name in sorted(names, key=lambda name: (len(name), name)):
        match = re.fullmatch(r"(.*?)([0-9]+)", name)
        if match is None:
            plain.append(name)
            continue
        own, number = ranges[match[1], len(match[2])], int(match[2])
        if own and own[-1][1] == number - 1:
            own[-1][1] = number
        else:
            own.append([number, number])
    short = []
    for (prefix, width), own in ranges.items():
        texts = [f"{a:0{width}}" + f"-{b:0{width}}" * (a != b) for a, b in own]
        short.append(f"{prefix}[{','.join(texts)}]" if texts[1:] or "-" in texts[0] else prefix + texts[0])
    return ",".join([*short, *plain])


def switches_of(network: Network) -> tuple[list[Switch], list[Switch]]:
    """Return the switches of Slurm's tree from below to above, and its blocks: switches, each with all of its nodes.

    Raises
    ------
    NetworkError
        If there is no host.
    """
    if not network.num_terminals:
        raise NetworkError(f"network {network.name!r} has no hosts, so nothing for Slurm to place")
    seat: dict[str, int] = {}
    for (host, _), router in zip(hosts_of(network), network.inject.tolist(), strict=True):
        match = ADAPTER.match(host)
        seat.setdefault(_plain(match[1] if match else host), router)
    nodes: dict[int, list[str]] = defaultdict(list)
    for host, router in seat.items():
        nodes[router].append(host)
    labels = network.router_labels
    names = [_plain(labels[router] if labels else f"S{router}") for router in sorted(nodes)]
    if len({*names}) < len(names):
        names = [f"switch{router}" for router in sorted(nodes)]
    tree: list[Switch] = [(name, nodes[router], True) for name, router in zip(names, sorted(nodes), strict=True)]
    top, below = dict(zip(sorted(nodes), names, strict=True)), {name: own for name, own, _ in tree}
    blocks, number = tree[:], 0
    for part in _steps(network):
        joined: dict[int, dict[str, None]] = defaultdict(dict)
        for router, name in top.items():
            joined[int(part[router])][name] = None
        for label, own in joined.items():
            if len(own) > 1:
                number += 1
                name = f"unknot{number}"
                tree.append((name, [*own], False))
                below[name] = [node for each in own for node in below[each]]
                top.update({router: name for router in top if part[router] == label})
        if len(joined) > 1:
            blocks = [(name, below[name], True) for name in dict.fromkeys(top.values())]
    return tree, blocks


def _steps(network: Network) -> Iterator[Ints | IntArray]:
    """Yield labels of routers: equal below one switch of Slurm; small parts first, connected parts last."""
    built = recognised(network)
    if built.group is not None and built.level is None:
        yield built.group
    if built.level is not None:
        for level in range(1, int(built.level.max())):
            kept = built.level <= level
            yield components(network, kept[network.source] & kept[network.target])[0]
    yield components(network)[0]


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name)


def _write_conf(network: Network, path: Path) -> None:
    lines = ["# TopologyPlugin=topology/tree"]
    for name, own, leaf in switches_of(network)[0]:
        lines.append(f"SwitchName={name} {'Nodes' if leaf else 'Switches'}={hostlist(own)}")
    write_text(path, "\n".join(lines) + "\n")


def _write_yaml(network: Network, path: Path) -> None:
    tree, blocks = switches_of(network)
    lines = ["- topology: tree", "  cluster_default: true", "  tree:", "    switches:"]
    for name, own, leaf in tree:
        lines += [f"      - switch: {name}", f"        {'nodes' if leaf else 'children'}: {hostlist(own)}"]
    size = min(len(own) for _, own, _ in blocks)
    lines += [
        "- topology: block",
        "  cluster_default: false",
        "  block:",
        f"    block_sizes: [{size}]",
        "    blocks:",
    ]
    for name, own, _ in blocks:
        lines += [f"      - block: {name}", f"        nodes: {hostlist(own)}"]
    write_text(path, "\n".join(lines) + "\n")


_NOT_READ = "Slurm's files name no cables; give the fabric from which they were written"
_KEEPS = frozenset({"terminals", "terminal names", "router names"})
CONF = Format(
    "slurm", "Slurm's topology.conf", (".conf",), refusing(_NOT_READ), _write_conf,
    re.compile(r"^SwitchName=\S+ +(?:Nodes|Switches)=", re.M).search, _KEEPS, "program", joins_ports=True,
)  # fmt: skip
YAML = Format(
    "slurmyaml", "Slurm's topology.yaml", (".yaml", ".yml"), refusing(_NOT_READ), _write_yaml,
    re.compile(r"^- topology: ", re.M).search, _KEEPS, "program", joins_ports=True,
)  # fmt: skip
