"""Nodes and cables as descriptions of fabrics list them, and what is doubtful about them."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

from unknot._base.phrases import few
from unknot.fabrics.rates import Rate

Place = tuple[str, int]
"""A port: key of its node, and port number (0: the management port of a switch)."""
AGGREGATION = "Aggregation Node"
"""Part of the names of nodes inside switches that reduce data (SHARP)."""
ADAPTER = re.compile(r"^(.+?)\s+((?:HCA|hfi|mlx|ibp|ib|opa)[\w-]*\d)(?:\[\d+\])?$", re.I)
"""Name of an adapter behind that of its host."""
_GATEWAY = re.compile(r"\b(?:gateway|skyway|bridgex)\b", re.I)
ROLES = {"router": "routers to other subnets", "gateway": "gateways to Ethernet"}
"""Ends of traffic that are no hosts, in words."""


@dataclass
class FabricNode:
    """A switch or an end of traffic; `routes` marks a router to other subnets."""

    key: str
    switch: bool
    guid: int
    name: str
    num_ports: int
    line: int
    routes: bool = False

    @property
    def role(self) -> str:
        """One of ``switch``, ``host``, ``router``, ``gateway`` and ``aggregation``, by type and name."""
        if self.switch:
            return "switch"
        if AGGREGATION in self.name:
            return "aggregation"
        return "router" if self.routes else "gateway" if _GATEWAY.search(self.name) else "host"


@dataclass
class Cable:
    """The far end of a cable as listed at the near end, whether the link carries data, and its rate."""

    far: Place
    line: int
    up: bool
    rate: Rate


def rates_of(cables: dict[Place, Cable], labels: dict[str, str]) -> tuple[dict[Place, tuple[str, Rate]], list[str]]:
    """Return the name and rate of each cable, for both ends: where these differ, the slower; and words about them.

    Parameters
    ----------
    cables : dict
        Each cable at both of its ends.
    labels : dict
        Names of nodes.
    """
    runs, differing = dict[Place, tuple[str, Rate]](), dict[str, None]()
    for near, cable in cables.items():
        name = " – ".join(f"{labels[key]}[{port}]" for key, port in sorted((near, cable.far)))
        both = sorted((cable.rate, cables[cable.far].rate), key=str, reverse=True)
        whole = [rate for rate in both if rate.is_whole]
        rate = min(whole, key=lambda rate: rate.data) if whole else both[0]
        if len({one.data for one in whole}) > 1:
            differing[f"{name} at {rate.words}"] = None
        runs[near] = name, rate
    shown = few([*differing])
    return runs, [f"cables with two rates at their ends, of which the slower counts: {shown}"] if differing else []


def doubtful_hosts(nodes: dict[str, FabricNode], cabled: Container[str]) -> tuple[list[str], list[str]]:
    """Return hosts without a cable, left out of the fabric, and words about all ends of traffic but cabled hosts.

    The last node of a file may lack its cables because the file is cut off.
    """
    words, last = [], next(reversed(nodes), None)
    collecting = [node for node in nodes.values() if node.role == "aggregation"]
    if collecting:
        words.append(
            f"{len(collecting)} nodes called {AGGREGATION}, the first {collecting[0].key}, which reduce data inside "
            "switches (SHARP), are no hosts, and their traffic is not judged"
        )
    for role, what in ROLES.items():
        ends = [node.name or node.key for node in nodes.values() if node.role == role and node.key in cabled]
        if ends:
            words.append(f"{len(ends)} {what} count as ends of traffic beside the hosts: {few(ends)}")
    bare = [key for key, node in nodes.items() if not node.switch and key not in cabled and key != last]
    if bare:
        named = few([nodes[key].name or key for key in bare])
        words.append(f"{len(bare)} hosts without a cable are taken for none of the fabric: {named}")
    return bare, words
