"""Rates of the cables of Ethernet switches, by the speeds of their ports."""

from __future__ import annotations

from collections import Counter

import numpy as np

from unknot._base.arrays import Floats
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.routes import Port


def cable_rates(fabric: EthernetFabric) -> tuple[Floats | None, float | None]:
    """Return Gb/s of each channel, and the commonest of ports to hosts; None where the files do not tell.

    Parameters
    ----------
    fabric : EthernetFabric
    """
    speed = {
        Port(fabric.network.router_name(router), name): port.speed / 1000
        for router, own in enumerate(fabric.qos)
        for name, port in own.buffers.ports.items()
        if port.speed
    }
    cabled = {end for end, _ in fabric.ends}
    hosts = Counter(rate for port, rate in speed.items() if port not in cabled)
    if not cabled <= {*speed}:
        return None, None
    rates = np.array([min(speed[near], speed[far]) for near, far in fabric.ends])
    return rates, hosts.most_common(1)[0][0] if hosts else None
