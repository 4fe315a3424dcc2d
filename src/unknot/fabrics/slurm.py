"""Slurm's `topology.conf` for its plugin topology/tree: which nodes share a switch, and which switches lie close.

Slurm takes a tree; a fabric seldom is one. Switches with hosts are its leaves. What lies above is taken by distance:
the switches at most k cables from a leaf fall into parts, and the leaves of each part lie under one switch of the
file. So a pod of a fat tree is one switch, however many there are in it; a torus, whose switches all have hosts, is
one switch above all of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from unknot._base.errors import NetworkError, TextError
from unknot._base.output import write_text
from unknot.fabrics.format import Format
from unknot.fabrics.hosts import hosts_of
from unknot.network import Network
from unknot.network.model import IntArray

_NODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


def read_slurm(path: str | Path) -> Network:
    """Refuse: a tree of switches does not say which cables there are.

    Raises
    ------
    TextError
        Always.
    """
    raise TextError("a topology.conf of Slurm does not say which cables there are; give the fabric itself", path)


def write_slurm(network: Network, path: str | Path) -> None:
    """Write a line for each switch with hosts, and lines for what lies above.

    A node of Slurm is called as the first word of a host's name, as in ``node7 HCA-1``; a host with ports at several
    switches stands at the first of these. In names of switches what Slurm does not take becomes ``_``.

    Raises
    ------
    NetworkError
        If there are no terminals, one ejects where it does not inject, or its name begins with no name for a node.

    Notes
    -----
    Time is O((switches² + channels) · levels).
    """
    nodes = _nodes(network)
    level = _levels(network, sorted(set(nodes.values())))
    used: dict[str, int] = {}
    groups: dict[tuple[int, ...], str] = {
        (r,): _name(network.router_name(r), used) for r in sorted(set(nodes.values()))
    }
    seats: defaultdict[int, list[str]] = defaultdict(list)
    for node, router in nodes.items():
        seats[router].append(node)
    text = [f"# {network.num_routers} switches, {len(nodes)} nodes"]
    text += [f"SwitchName={name} Nodes={','.join(seats[leaf])}" for (leaf, *_), name in groups.items()]
    for height in range(max(level) + 1):
        for leaves, top in _parts(network, level, height):
            inside = set(leaves)
            under = [group for group in groups if inside.issuperset(group)]
            if len(under) < 2:
                continue
            words = f"level{height}" if len(top) != 1 else network.router_name(top[0])
            name = _name(words, used)
            text.append(f"SwitchName={name} Switches={','.join(groups.pop(group) for group in under)}")
            groups[leaves] = name
    write_text(path, "\n".join(text) + "\n")


def _nodes(network: Network) -> dict[str, int]:
    """The switch of each node, in the order of the terminals."""
    if not network.num_terminals:
        raise NetworkError(f"network {network.name!r} has no terminals, so no nodes for Slurm")
    if not np.array_equal(network.inject, network.eject):
        raise NetworkError(
            f"network {network.name!r} has terminals that inject and eject at two routers; no node can"
        )
    switch_of: dict[str, int] = {}
    for (host, _), router in zip(hosts_of(network), network.inject.tolist(), strict=True):
        node = (host.split() or [""])[0]
        if not _NODE.fullmatch(node):
            raise NetworkError(f"{host!r} begins with no name for a node of Slurm: letters, digits, '.', '_' and '-'")
        switch_of.setdefault(node, router)
    return switch_of


def _levels(network: Network, leaves: list[int]) -> list[int]:
    """Fewest cables to a switch with nodes; −1 where there is no way."""
    level = np.full(network.num_routers, -1)
    level[leaves] = 0
    height = 0
    while (level == height).any():
        for near, far in ((network.source, network.target), (network.target, network.source)):
            reached = far[level[near] == height]
            level[reached[level[reached] < 0]] = height + 1
        height += 1
    levels: list[int] = level.tolist()
    return levels


def _parts(network: Network, level: list[int], height: int) -> list[tuple[tuple[int, ...], list[int]]]:
    """Return, for each connected part of the switches up to a level, its leaves and its switches at this level."""
    inside = (np.array(level) >= 0) & (np.array(level) <= height)
    cables = inside[network.source] & inside[network.target]
    ends: tuple[IntArray, IntArray] = (network.source[cables], network.target[cables])
    size = network.num_routers
    _, part = connected_components(coo_array((np.ones(ends[0].size), ends), shape=(size, size)), directed=False)
    members: defaultdict[int, list[int]] = defaultdict(list)
    for router in np.flatnonzero(inside).tolist():
        members[int(part[router])].append(router)
    return [
        (tuple(r for r in routers if level[r] == 0), [r for r in routers if level[r] == height])
        for routers in members.values()
    ]


def _name(words: str, used: dict[str, int]) -> str:
    """A name that Slurm takes and no other switch has."""
    name = _NOT_IN_NAMES.sub("_", words).strip("_.-") or "switch"
    used[name] = used.get(name, 0) + 1
    while used[name] > 1:
        name = f"{name}_{used[name]}"
        used[name] = used.get(name, 0) + 1
    return name


_SIGN = re.compile(r"^SwitchName=", re.M | re.I)
FORMAT = Format(
    "slurm", "a topology.conf of Slurm", (".conf",), read_slurm, write_slurm, _SIGN.search,
    frozenset({"terminals", "router names", "terminal names"}), "program", joins_ports=True,
    one_switch=True,
)  # fmt: skip
