"""Runs as rows of a table: what was simulated first, then what was found."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from unknot._base.frames import Row
from unknot.simulation.engine.router import Router

if TYPE_CHECKING:
    from unknot.simulation.run.run import Run

POINT = ("network", "routing", "vcs", "switching", "traffic", "packet_length", "buffer_depth")
FOUND = (
    "offered_load", "seed", "accepted_load", "accepted_half_width", "latency_mean", "latency_half_width",
    "latency_p50", "latency_p95", "latency_p99", "latency_max", "network_latency_mean", "hops_mean",
    "stable", "outcome",
)  # fmt: skip
COUNTS = ("reason", "packets", "cycles", "warmup", "measured", "flit_hops", "lost_packets")


def row(run: Run) -> Row:
    """A run in plain values: loads in flits per terminal and cycle, times in cycles.

    Examples
    --------
    >>> import unknot
    >>> found = row(unknot.simulate("ring(4)", 0.1, routing="dimension_order", vcs=2, measure=500))
    >>> found["network"], found["vcs"], found["switching"], found["stable"]
    ('ring(4)', 2, 'vct', True)
    """
    found: Row = {name: getattr(run, name) for name in POINT}
    if run.lengths:
        found["packet_length"] = ", ".join(f"{length}:{share:g}" for length, share in run.lengths)
    changed = {f.name: value for f in fields(Router) if (value := getattr(run.router, f.name)) != f.default}
    found["router"] = ", ".join(f"{name}={value}" for name, value in changed.items())
    found["bursts"] = "" if run.bursts is None else f"{run.bursts.begin:g}, {run.bursts.end:g}"
    found |= {name: getattr(run, name) for name in FOUND}
    found["deadlock"] = run.deadlock is not None
    return found | {name: getattr(run, name) for name in COUNTS}
