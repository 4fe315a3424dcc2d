"""A topology, a routing, a flow control, a format, a pattern and a claim with its checker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from unknot import EJECT, Network, Relation, RelationError
from unknot.certificates import plain
from unknot.certificates.plain.registry import Checker
from unknot.fabrics import Format
from unknot.flow_control import FlowControl, Pool, technique
from unknot.traffic import Pattern
from unknot.traffic.pattern import to


def wheel(spokes: int) -> Network:
    """A hub, router 0, joined to every router of a ring."""
    rim = range(1, spokes + 1)
    links = [(0, i) for i in rim] + [(i, i % spokes + 1) for i in rim]
    both = links + [(b, a) for a, b in links]
    return Network(f"wheel({spokes})", spokes + 1, *map(list, zip(*both, strict=True)))


def by_hub(network: Network) -> Relation:
    """Over the hub, whatever the destination."""
    if not network.name.startswith("wheel"):
        raise RelationError(f"by_hub needs a wheel, not {network.name}")
    router, home, channels = network.target, network.eject, network.num_channels
    channel = np.full((network.num_routers, network.num_routers), -1)
    channel[network.source, network.target] = np.arange(channels)

    def rule(at, address, out):
        here = router[at] if at < channels else at - channels
        there = home[address]
        out[0] = EJECT if here == there else channel[here, there if here == 0 else 0]
        return 1

    return Relation(network, 1, rule, name="by_hub")


def shared_room(relation: Relation, slots: int = 4) -> FlowControl:
    """All VCs share some slots."""
    pool = Pool(tuple(range(relation.num_vcs)), slots)
    return replace(technique("vct"), name=f"shared_room(slots={slots})", packets=slots, pools=(pool,))


def next_door(network: Network) -> Pattern:
    """Each terminal sends to the one after it."""
    return to(network, "next_door", (np.arange(network.num_terminals) + 1) % network.num_terminals)


def read_pairs(path: Path) -> Network:
    """Read a file that has two numbers of routers in each line."""
    source, target = np.loadtxt(path, dtype=np.int64, comments="#", ndmin=2).T
    return Network(Path(path).stem, int(max(source.max(), target.max())) + 1, source, target)


def write_pairs(network: Network, path: Path) -> None:
    """Write such a file."""
    lines = [f"{a} {b}\n" for a, b in zip(network.source.tolist(), network.target.tolist(), strict=True)]
    Path(path).write_text("# pairs\n" + "".join(lines), encoding="utf-8")


PAIRS = Format(
    "pairs", "a file of pairs", (".pairs",), read_pairs, write_pairs, lambda text: text.startswith("# pairs")
)


def check_diameter(network: plain.Network, claim: Any, proof: Any) -> str:
    """Check that every router has a way of a number of hops at most to every other."""
    most = plain.field(claim, "most", int)
    for home in range(network.routers):
        hops = network.hops_to(home)
        if len(hops) < network.routers or max(hops.values()) > most:
            raise plain.Rejected(f"a router is more than {most} hops from router {home}")
    return f"at most {most} hops between routers"


DIAMETER = Checker("network", check_diameter, ("most",))
