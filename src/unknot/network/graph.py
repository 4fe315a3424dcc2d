"""Networks as attributes, as NetworkX graphs, and as a hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import networkx as nx

    from unknot.network.model import Network


@dataclass(frozen=True)
class Description:
    """A network as attributes: of the graph, of each router, of each channel (source, target, attributes)."""

    graph: dict[str, Any]
    nodes: list[dict[str, Any]]
    edges: list[tuple[int, int, dict[str, Any]]]


def describe(network: Network) -> Description:
    """The attributes from which `unknot.network.interchange.from_attributes` makes the same network."""
    graph: dict[str, Any] = {"name": network.name, "inject": network.inject.tolist(), "eject": network.eject.tolist()}
    if network.terminal_labels is not None:
        graph["terminal_labels"] = list(network.terminal_labels)
    graph |= {"radices": list(network.radices), "dimensions": list(network.dimensions)}
    nodes: list[dict[str, Any]] = [{} for _ in range(network.num_routers)]
    if network.coordinates is not None:
        for node, row in zip(nodes, network.coordinates.tolist(), strict=True):
            node["coordinates"] = tuple(row)
    if network.router_labels is not None:
        for node, label in zip(nodes, network.router_labels, strict=True):
            node["label"] = label
    rows = zip(network.source.tolist(), network.target.tolist(), network.latency.tolist(), strict=True)
    edges: list[tuple[int, int, dict[str, Any]]] = [(u, v, {"latency": cycles}) for u, v, cycles in rows]
    if network.ports is not None:
        for (_, _, attributes), pair in zip(edges, network.ports.tolist(), strict=True):
            attributes["ports"] = tuple(pair)
    return Description(graph, nodes, edges)


def to_networkx(network: Network) -> nx.MultiDiGraph:
    """A `networkx.MultiDiGraph` that `from_networkx` reads back identical.

    Nodes are router numbers with `label` and `coordinates`; edges are keyed by channel number and carry `latency`
    and `ports`; the graph carries name, terminals, radices and dimension names.
    """
    import networkx as nx

    described = describe(network)
    graph = nx.MultiDiGraph(**described.graph)
    graph.add_nodes_from(enumerate(described.nodes))
    graph.add_edges_from((u, v, channel, edge) for channel, (u, v, edge) in enumerate(described.edges))
    return graph


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
