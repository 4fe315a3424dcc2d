"""NetworkX graphs in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unknot.network.model import Network

if TYPE_CHECKING:
    import networkx as nx


def to_networkx(network: Network) -> nx.MultiDiGraph:
    """A `networkx.MultiDiGraph` that `from_networkx` reads back identical.

    Nodes are router numbers with `label` and `coordinates`; edges are keyed by channel number and carry `latency`
    and `ports`; the graph carries name, terminals, radices and dimension names.
    """
    import networkx as nx

    graph = nx.MultiDiGraph(
        name=network.name,
        inject=network.inject.tolist(),
        eject=network.eject.tolist(),
        radices=list(network.radices),
        dimensions=list(network.dimensions),
    )
    if network.terminal_labels is not None:
        graph.graph["terminal_labels"] = list(network.terminal_labels)
    for router in range(network.num_routers):
        attributes: dict[str, Any] = {}
        if network.router_labels is not None:
            attributes["label"] = network.router_labels[router]
        if network.coordinates is not None:
            attributes["coordinates"] = tuple(network.coordinates[router].tolist())
        graph.add_node(router, **attributes)
    ports = network.ports.tolist() if network.ports is not None else None
    rows = zip(network.source.tolist(), network.target.tolist(), network.latency.tolist(), strict=True)
    for channel, (u, v, latency) in enumerate(rows):
        graph.add_edge(u, v, key=channel, latency=latency)
        if ports is not None:
            graph[u][v][channel]["ports"] = tuple(ports[channel])
    return graph


def from_networkx(graph: nx.Graph, name: str | None = None) -> Network:
    """A network from any NetworkX graph.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        An undirected edge becomes two channels. Edge attribute `latency` (default 1) and the attributes written by
        `to_networkx` are honoured. Nodes other than 0 … n − 1 become labels, numbered in the graph's order.
    name : str, optional
        Name of the network; by default that of the graph.

    Raises
    ------
    NetworkError
        If the graph has no node or an attribute is not usable.
    """
    nodes = list(graph.nodes)
    plain = set(nodes) == set(range(len(nodes)))
    if plain:
        nodes = list(range(len(nodes)))
    index = {node: i for i, node in enumerate(nodes)}
    labels = [graph.nodes[node].get("label", None if plain else str(node)) for node in nodes]
    coordinates = [graph.nodes[node].get("coordinates") for node in nodes]
    rows: list[tuple[int, int, int, int, tuple[int, int] | None]] = []
    edges = graph.edges(keys=True, data=True) if graph.is_multigraph() else graph.edges(data=True)
    for order, (u, v, *key, data) in enumerate(edges):
        channel = key[0] if key and isinstance(key[0], int) and graph.is_directed() else order
        rows.append((channel, index[u], index[v], data.get("latency", 1), data.get("ports")))
    rows.sort(key=lambda row: row[0])
    if not graph.is_directed():
        rows = [
            row
            for order, u, v, latency, _ in rows
            for row in ((order, u, v, latency, None), (order, v, u, latency, None))[: 1 if u == v else 2]
        ]
    kept = graph.graph
    gridded = bool(kept.get("radices")) and all(c is not None for c in coordinates)
    ports = [row[4] for row in rows]
    return Network(
        name=name or kept.get("name") or "graph",
        num_routers=len(nodes),
        source=[row[1] for row in rows],  # type: ignore[arg-type]
        target=[row[2] for row in rows],  # type: ignore[arg-type]
        latency=[row[3] for row in rows],  # type: ignore[arg-type]
        inject=kept.get("inject"),
        eject=kept.get("eject"),
        coordinates=coordinates if gridded else None,  # type: ignore[arg-type]
        radices=tuple(kept.get("radices", ())) if gridded else (),
        dimensions=tuple(kept.get("dimensions", ())) if gridded else (),
        router_labels=None if any(label is None for label in labels) else tuple(labels),
        terminal_labels=kept.get("terminal_labels"),
        ports=ports if rows and None not in ports else None,  # type: ignore[arg-type]
    )
