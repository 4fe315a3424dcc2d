"""Every step that a packet may take, of a relation and of BookSim, in one form."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

from unknot.routing import Relation
from unknot.routing.relation import EJECT, VC_MASK

Row = tuple[int, ...]
CASES = tuple(
    f"topology={topology};{keys};routing_function={routing}"
    for topology, sizes, routings in (
        (
            "mesh", ("k=3;n=2;num_vcs=5", "k=2;n=3;num_vcs=9", "k=5;n=1;num_vcs=7"),
            ("dor", "min_adapt", "planar_adapt"),
        ),
        ("mesh", ("k=3;n=2;num_vcs=4", "k=2;n=3;num_vcs=2", "k=4;n=1;num_vcs=6"), ("xy_yx", "romm", "valiant")),
        (
            "torus", ("k=3;n=2;num_vcs=6", "k=4;n=2;num_vcs=4", "k=2;n=3;num_vcs=4", "k=5;n=1;num_vcs=4"),
            ("dim_order", "dim_order_bal", "min_adapt"),
        ),
        ("fly", ("k=3;n=2;num_vcs=2", "k=2;n=4;num_vcs=3"), ("dest_tag",)),
        ("fattree", ("k=3;n=2;num_vcs=2", "k=2;n=4;num_vcs=1"), ("nca", "anca")),
        ("qtree", ("k=4;n=3;num_vcs=2",), ("nca",)),
        ("tree4", ("k=4;n=3;num_vcs=1",), ("nca", "anca")),
        (
            "cmesh", ("k=4;n=2;c=4;xr=2;yr=2;x=4;y=4;num_vcs=2",),
            ("dor", "dor_no_express", "xy_yx", "xy_yx_no_express"),
        ),
        ("cmesh", ("k=6;n=2;c=4;xr=2;yr=2;x=6;y=6;num_vcs=1",), ("dor", "dor_no_express")),
        (
            "flatfly",
            (
                "k=4;n=1;c=4;xr=2;yr=2;x=2;y=2;num_vcs=4", "k=3;n=2;c=1;xr=1;yr=1;x=3;y=3;num_vcs=2",
                "k=2;n=4;c=1;xr=1;yr=1;x=4;y=4;num_vcs=2", "k=9;n=1;c=1;xr=1;yr=1;x=3;y=3;num_vcs=2",
            ),
            ("ran_min", "xyyx", "valiant"),
        ),
        ("flatfly", ("k=4;n=1;c=4;xr=2;yr=2;x=2;y=2;num_vcs=2;use_noc_latency=0",), ("ran_min",)),
        ("cmesh", ("k=4;n=2;c=4;xr=2;yr=2;x=4;y=4;num_vcs=1;use_noc_latency=0",), ("dor",)),
        ("dragonflynew", ("k=1;n=1;num_vcs=3", "k=2;n=1;num_vcs=2"), ("min",)),
    )
    for keys in sizes
    for routing in routings
)  # fmt: skip
"""Keys of the configurations that are compared."""


def steps(relation: Relation) -> set[Row]:
    """(destination, router before, router, VC before, next router, VC) for each step; −1 outside of the network."""
    network, vcs = relation.network, relation.vcs
    source, target, channel = network.source.tolist(), network.target.tolist(), vcs.channel.tolist()
    index, out = vcs.index.tolist(), np.zeros(vcs.total + 1, dtype=np.int64)
    found = set()
    for address, to in enumerate(relation.destination.tolist()):
        todo = [relation.num_vcs + int(s) for s in relation.sources(address) if s != to]
        seen = set(todo)
        for at in todo:
            if at < relation.num_vcs:
                state = source[channel[at]], target[channel[at]], index[at]
            else:
                state = -1, int(network.inject[at - relation.num_vcs]), -1
            for vc in (value & VC_MASK for value in out[: relation.rule(at, address, out)].tolist()):
                if vc == EJECT:
                    found.add((to, *state, -1, -1))
                    continue
                found.add((to, *state, target[channel[vc]], index[vc]))
                if vc not in seen:
                    seen.add(vc)
                    todo.append(vc)
    return found


def summary(found: set[Row], channels: Iterable[Row], homes: Iterable[Row]) -> dict[str, int | str]:
    """The number of steps; digests of them, of the latencies of channels they take, and of the routers of nodes.

    Parameters
    ----------
    channels : of (source, target, latency)
    homes : of (node, first router, last router)
    """
    taken = {(step[2], step[4]) for step in found}
    lengths = sorted({row for row in channels if row[:2] in taken})
    return {
        "steps": len(found),
        "digest": _digest(sorted(found)),
        "latencies": _digest(lengths),
        "homes": _digest(sorted(homes)),
    }


def _digest(rows: list[Row]) -> str:
    text = "\n".join(" ".join(map(str, row)) for row in rows)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
