"""Topologies for gem5's Garnet: a Python file to put into gem5's configs/topologies."""

from __future__ import annotations

import json
import keyword
import re
from pathlib import Path

import numpy as np

from unknot._base.errors import NetworkError
from unknot._base.output import write_text
from unknot.fabrics.format import Format, refusing
from unknot.network import Network, grid
from unknot.network.interchange import require_equal

_TEXT = '''\
"""{title}

Put this file into configs/topologies of gem5 and name it with --topology={name}.
Controllers are dealt out to the {terminals} terminals in turn.
"""

from m5.params import *
from m5.objects import *

from topologies.BaseTopology import SimpleTopology

NUM_ROUTERS = {routers}

# The router at which each terminal sits.
TERMINALS = {seats}

# Channels: source, target, latency in cycles, weight. Garnet takes routes of the least weight, and of several
# channels on such routes the lightest.
CHANNELS = {channels}


class {name}(SimpleTopology):
    description = {title_text}

    def __init__(self, controllers):
        self.nodes = controllers

    def makeTopology(self, options, network, IntLink, ExtLink, Router):
        network.routers = [
            Router(router_id=i, latency=getattr(options, "router_latency", 1)) for i in range(NUM_ROUTERS)
        ]
        network.ext_links = [
            ExtLink(
                link_id=i,
                ext_node=node,
                int_node=network.routers[TERMINALS[i % len(TERMINALS)]],
                latency=getattr(options, "link_latency", 1),
            )
            for i, node in enumerate(self.nodes)
        ]
        network.int_links = [
            IntLink(
                link_id=len(self.nodes) + i,
                src_node=network.routers[source],
                dst_node=network.routers[target],
                latency=latency,
                weight=weight,
            )
            for i, (source, target, latency, weight) in enumerate(CHANNELS)
        ]
'''


def write_garnet(network: Network, path: str | Path) -> None:
    """Write a topology whose class is called as the file.

    On a product of lines and rings the channels of dimension i weigh i + 1, which makes Garnet's routes go dimension
    by dimension; else all weigh 1.

    Raises
    ------
    NetworkError
        For bandwidths other than 1, parallel channels, of which Garnet keeps one, channels back to their own router,
        terminals that eject where they do not inject, no terminals, and a file name that is no name of a Python
        class.
    """
    name = Path(path).stem
    if not re.fullmatch(r"[A-Za-z_]\w*", name) or keyword.iskeyword(name):
        raise NetworkError(f"{Path(path).name}: gem5 needs a class called as the file, and {name!r} is no such name")
    require_equal(network, "this file for gem5")
    pairs = network.ends
    if len(set(pairs)) < len(pairs):
        raise NetworkError(f"network {network.name!r} has parallel channels, of which Garnet would keep one")
    for u, v in pairs:
        if u == v:
            raise NetworkError(
                f"a channel of {network.router_name(u)} leads back to itself, where no route of Garnet goes"
            )
    if not np.array_equal(network.inject, network.eject):
        raise NetworkError(f"network {network.name!r} has terminals that inject and eject at two routers")
    if not network.num_terminals:
        raise NetworkError(f"network {network.name!r} has no terminals, so no place for gem5's controllers")
    try:
        weight = (grid(network).dimension + 1).tolist()
    except NetworkError:
        weight = [1] * len(pairs)
    rows = [(u, v, c, w) for (u, v), c, w in zip(pairs, network.latency.tolist(), weight, strict=True)]
    title = "".join(c if c.isprintable() and c not in '"\\' else " " for c in network.name).strip() or name
    text = _TEXT.format(
        name=name,
        title=title,
        title_text=json.dumps(title),
        routers=network.num_routers,
        terminals=network.num_terminals,
        seats=_listed([str(r) for r in network.inject.tolist()]),
        channels=_listed([str(row) for row in rows]),
    )
    write_text(path, text)


def _listed(items: list[str]) -> str:
    """A list over several lines."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) < 96:
            lines[-1] += f" {item},"
        else:
            lines.append(f"    {item},")
    return "[\n" + "\n".join(lines) + "\n]" if lines else "[]"


_SIGN = re.compile(
    r"^from (?:topologies\.)?BaseTopology import|^\s*def makeTopology\(|^class \w+\((?:Simple|Base)Topology\)", re.M
)
_NOT_READ = "a gem5 topology is a program, which is not run; keep the network in another format"
FORMAT = Format(
    "garnet", "a gem5 topology", (".py",), refusing(_NOT_READ), write_garnet, _SIGN.search,
    frozenset({"latencies", "terminals"}), "program",
)  # fmt: skip
