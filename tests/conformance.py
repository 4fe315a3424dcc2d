"""Checks of networks: consistent, and the same after conversions and faults."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network, from_networkx, to_networkx
from unknot.network.edges import read_edge_list, write_edge_list
from unknot.verify.testing import ConformanceError


def check_network(network: Network) -> None:
    """Check that a network is consistent and survives conversions and faults.

    Raises
    ------
    ConformanceError
        With the first property that does not hold.
    """
    _check_arrays(network)
    if from_networkx(to_networkx(network)) != network:
        raise ConformanceError(f"{network.name}: it does not come back the same from networkx")
    _check_edge_list(network)
    if network.num_routers > 2:
        _check_faults(network)


def _check_arrays(network: Network) -> None:
    for key in ("source", "target", "latency", "inject", "eject", "coordinates"):
        array = getattr(network, key)
        if array is not None and (array.dtype != np.int32 or array.flags.writeable):
            raise ConformanceError(f"{network.name}: {key} must be a read-only int32 array")
    for key, ends in (("outgoing", network.source), ("incoming", network.target)):
        first, channels = getattr(network, key)
        if sorted(channels.tolist()) != list(range(network.num_channels)) or first[-1] != network.num_channels:
            raise ConformanceError(f"{network.name}: {key} does not list every channel once")
        if (np.repeat(np.arange(network.num_routers), np.diff(first)) != ends[channels]).any():
            raise ConformanceError(f"{network.name}: {key} lists a channel at the wrong router")
    names = _names(network)
    for router in {0, network.num_routers // 2, network.num_routers - 1}:
        if names.count(names[router]) == 1 and network.router(names[router]) != router:
            raise ConformanceError(f"{network.name}: router {names[router]} is not found by its name")


def _names(network: Network) -> list[str]:
    return [network.router_name(r) for r in range(network.num_routers)]


def _check_edge_list(network: Network) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.txt"
        try:
            write_edge_list(network, path)
        except NetworkError:
            return  # a lonely router, or a name that a text file cannot hold
        again = read_edge_list(path)
    if _ends(network) != _ends(again) or not np.array_equal(network.latency, again.latency):
        raise ConformanceError(f"{network.name}: it does not come back the same from an edge list")


def _ends(network: Network) -> list[tuple[str, str]]:
    """The channels as pairs of names, which an edge list keeps while routers may be numbered anew."""
    names = network.router_labels or [str(r) for r in range(network.num_routers)]
    return [(names[u], names[v]) for u, v in zip(network.source.tolist(), network.target.tolist(), strict=True)]


def _check_faults(network: Network) -> None:
    """Check that one fault after the other leaves the same network and origin as both at once."""
    first, last = 0, network.num_routers - 1
    both = network.without(routers=[first, last])
    once = network.without(routers=[first])
    then = once.without(routers=[once.num_routers - 1])
    if both != then:
        raise ConformanceError(f"{network.name}: two faults one after the other differ from both at once")
    for key in ("routers", "channels", "terminals"):
        if not np.array_equal(getattr(both.origin, key), getattr(then.origin, key)):
            raise ConformanceError(f"{network.name}: the origin of the {key} is lost by a second fault")
    assert both.origin is not None
    routers, kept = both.origin.routers, both.origin.channels
    if network.origin is not None:
        routers = np.searchsorted(network.origin.routers, routers).astype(np.int32)
        kept = np.searchsorted(network.origin.channels, kept).astype(np.int32)
    if not np.array_equal(routers[both.source], network.source[kept]):
        raise ConformanceError(f"{network.name}: surviving channels do not begin where they began")
