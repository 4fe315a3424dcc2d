"""A hash of a network."""

from __future__ import annotations

import hashlib

import numpy as np

from unknot.network.model import Network


def digest(network: Network) -> str:
    """A hash of everything that makes up a network, its names included."""
    state = hashlib.sha256()
    for key in ("source", "target", "latency", "inject", "eject", "coordinates", "ports"):
        array = getattr(network, key)
        state.update(f"{key} {None if array is None else array.shape}".encode())
        if array is not None:
            state.update(np.ascontiguousarray(array, dtype="<i4").tobytes())
    for key in ("num_routers", "radices", "dimensions", "router_labels", "terminal_labels"):
        state.update(repr((key, getattr(network, key))).encode())
    return state.hexdigest()
