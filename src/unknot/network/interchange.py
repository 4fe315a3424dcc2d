"""NetworkX graphs in and out, and networks from nodes and edges with attributes.

Attributes of the graph: `name`, `inject`, `eject`, `terminal_labels`, `radices`, `dimensions`; of a node: `label`,
`coordinates`; of an edge: `latency`, `bandwidth`, `ports`. Any other is ignored. Values are what `to_networkx`
writes, or texts as formats without lists have them: numbers with blanks or commas between them, names as a JSON list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.errors import NetworkError, shown
from unknot._base.numbers import is_whole
from unknot.network.bandwidth import read, written
from unknot.network.model import Network
from unknot.network.parts import Places, Wires

if TYPE_CHECKING:
    import networkx as nx

Attributes = Mapping[str, Any]
Edge = tuple[Any, Any, bool, Attributes]
"""Source, target, whether it is one channel and not a link, attributes."""

_NUMBER = re.compile(r"[+-]?[0-9]{1,10}")
_LARGEST = 2**31 - 1


def from_networkx(graph: nx.Graph, name: str | None = None) -> Network:
    """A network from any NetworkX graph.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        An undirected edge becomes two channels, and so does one with the attribute ``directed=False``. Other
        attributes are those of this module. Channels are numbered by the keys of the edges where these are
        0 … m − 1, else in the order of the graph.
    name : str, optional
        Name of the network; by default that of the graph.

    Returns
    -------
    Network
        The network.

    Raises
    ------
    NetworkError
        If the graph has no node or an attribute is not usable.

    Examples
    --------
    >>> import networkx as nx
    >>> network = from_networkx(nx.petersen_graph(), "petersen")
    >>> network.num_routers, network.num_channels
    (10, 30)
    """
    directed = graph.is_directed()
    if graph.is_multigraph():
        keyed = list(graph.edges(keys=True, data=True))
        numbers = [key for _, _, key, _ in keyed]
        if all(isinstance(key, int) for key in numbers) and set(numbers) == set(range(len(numbers))):
            keyed.sort(key=lambda row: row[2])
        rows = [(u, v, attributes) for u, v, _, attributes in keyed]
    else:
        rows = list(graph.edges(data=True))
    edges = []
    for u, v, attributes in rows:
        one_way = attributes.get("directed")
        edges.append((u, v, one_way if isinstance(one_way, bool) else directed, attributes))
    kept = graph.graph
    return from_attributes(dict(graph.nodes(data=True)), edges, kept, name or kept.get("name") or "graph")


def from_attributes(nodes: Mapping[Any, Attributes], edges: Sequence[Edge], graph: Attributes, name: str) -> Network:
    """A network from nodes, edges and their attributes, with channels in the order of the edges.

    Nodes whose names are 0 … n − 1 number the routers; others are numbered in order and give the routers their names,
    unless they have a `label`.

    Raises
    ------
    NetworkError
        By name: an edge to a node that is not there, an attribute that is not usable.
    """
    if not nodes:
        raise NetworkError("this graph has no nodes, so there is no network: a network has at least one router")
    order = list(nodes)
    names = [str(node) for node in order]
    plain = set(names) == {str(i) for i in range(len(names))}
    if plain:
        order.sort(key=lambda node: int(str(node)))
        names = [str(i) for i in range(len(names))]
    index = {node: i for i, node in enumerate(order)}
    own_labels = [nodes[node].get("label") for node in order]
    labels = None
    if not plain or any(label is not None for label in own_labels):
        labels = tuple(name if label is None else str(label) for label, name in zip(own_labels, names, strict=True))
    channels = _channels(edges, index)
    coordinates, radices = _coordinates([(name, nodes[node]) for name, node in zip(names, order, strict=True)], graph)
    return Network(
        name=name,
        num_routers=len(order),
        **channels,
        inject=_terminals("inject", graph, len(order)),
        eject=_terminals("eject", graph, len(order)),
        places=Places(
            coordinates=coordinates,
            radices=radices,
            dimensions=tuple(_names("dimensions", graph) or ()) if radices else (),
            router_labels=labels,
            terminal_labels=_names("terminal_labels", graph),
        ),
    )


def in_order(keys: Iterable[object]) -> list[int]:
    """Numbers of edges: their keys where these are 0 … m − 1 (as numbers or as text), else their places."""
    words = [str(key) for key in keys]
    numbered = set(words) == {str(i) for i in range(len(words))}
    return [int(word) for word in words] if numbered else list(range(len(words)))


def _channels(edges: Sequence[Edge], index: Mapping[Any, int]) -> dict[str, Any]:
    """Ends and wires of the channels of a network."""
    source: list[int] = []
    target: list[int] = []
    latency: list[int] = []
    bandwidth: list[float] = []
    ports: list[list[int]] = []
    for u, v, one_way, attributes in edges:
        where = f"edge {shown(u)} – {shown(v)}"
        for end in (u, v):
            if end not in index:
                raise NetworkError(f"{where} ends at {shown(end)}, but there is no such node")
        stated = attributes.get("latency")
        cycles = _numbers(1 if stated is None else stated, f"latency of {where}")
        if len(cycles) != 1 or cycles[0] < 1:
            raise NetworkError(f"latency of {where}: a latency is a whole number of at least 1 cycle")
        plugs = attributes.get("ports")
        pair = None if plugs is None else _numbers(plugs, f"ports of {where}")
        if pair is not None and len(pair) != 2:
            raise NetworkError(f"ports of {where}: two numbers are needed, at source and target")
        both = not one_way and u != v
        source += [index[u], index[v]] if both else [index[u]]
        target += [index[v], index[u]] if both else [index[v]]
        latency += cycles * (1 + both)
        rate = attributes.get("bandwidth")
        bandwidth += [1.0 if rate is None else read(rate, f"bandwidth of {where}")] * (1 + both)
        if pair is not None:
            ports += [pair, pair[::-1]] if both else [pair]
    listed = ports if ports and len(ports) == len(source) else None
    return {"source": source, "target": target, "wires": Wires(latency, bandwidth, listed)}


def _coordinates(
    nodes: Sequence[tuple[str, Attributes]], graph: Attributes
) -> tuple[list[list[int]] | None, tuple[int, ...]]:
    """Coordinates and radices, when the graph has radices and every node has coordinates."""
    if graph.get("radices") is None or any(attributes.get("coordinates") is None for _, attributes in nodes):
        return None, ()
    radices = _numbers(graph["radices"], "radices")
    coordinates = []
    for name, attributes in nodes:
        row = _numbers(attributes["coordinates"], f"coordinates of node {shown(name)}")
        if len(row) != len(radices) or not all(0 <= x < k for x, k in zip(row, radices, strict=True)):
            raise NetworkError(f"coordinates of node {shown(name)}: {row} do not fit the radices {radices}")
        coordinates.append(row)
    return (coordinates, tuple(radices)) if radices else (None, ())


def _terminals(key: str, graph: Attributes, routers: int) -> list[int] | None:
    if graph.get(key) is None:
        return None
    terminals = _numbers(graph[key], key)
    for router in terminals:
        if not 0 <= router < routers:
            raise NetworkError(f"{key} names router {router}, but they are numbered 0 to {routers - 1}")
    return terminals


def _numbers(value: object, what: str) -> list[int]:
    """The whole numbers of an attribute: one, a list, or a text."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    words = value if isinstance(value, (list, tuple)) else [value]
    if isinstance(value, str):
        words = value.replace(",", " ").split()
    numbers: list[int] = []
    word: Any
    for word in words:
        written = isinstance(word, str) and _NUMBER.fullmatch(word)
        if not (is_whole(word) or written) or abs(int(word)) > _LARGEST:
            raise NetworkError(f"{what}: whole numbers are needed, not {shown(word)}")
        numbers.append(int(word))
    return numbers


def _names(key: str, graph: Attributes) -> tuple[str, ...] | None:
    value = graph.get(key)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = 0
    if value is not None and not isinstance(value, (list, tuple)):
        raise NetworkError(f"{key} must be a list of names, as JSON")
    return None if value is None else tuple(str(name) for name in value)


def to_networkx(network: Network) -> nx.MultiDiGraph:
    """Return the network as a NetworkX graph, as `Network.to_networkx` does.

    Parameters
    ----------
    network : Network
        The network.

    Returns
    -------
    nx.MultiDiGraph
        The graph, an edge for each channel.

    Examples
    --------
    >>> from unknot.network.families import hypercube
    >>> to_networkx(hypercube(3)).number_of_edges()
    24
    """
    return network.to_networkx()


def require_equal(network: Network, where: str) -> None:
    """Refuse a network with other bandwidths than 1 where they have no place.

    Raises
    ------
    NetworkError
    """
    if (other := np.flatnonzero(network.bandwidth != 1)).size:
        channel = int(other[0])
        raise NetworkError(
            f"channel {network.channel_name(channel)} of {network.name} passes {written(network.bandwidth[channel])} "
            f"flits per cycle; {where} has channels of one flit per cycle only: `with_bandwidth(1)` drops bandwidths"
        )
