"""Networks as NetworkX graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import networkx as nx

    from unknot.network.model import Network


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
