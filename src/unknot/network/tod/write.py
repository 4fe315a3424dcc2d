"""From network to text: the factors of products of lines and rings where there are any, else an edge list."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network, grid
from unknot.network.model import Offsets
from unknot.network.tod.parse import LONGEST
from unknot.network.tod.plan import MAX_CHANNELS
from unknot.network.tod.read import network as read_text

_WORDS = {"for", "in", "if", "then", "else", "and", "or", "not", "true", "True", "false", "False", "include"}
_NAME = re.compile(r"[^\W\d]\w*")
WIDTH = 100


def write(network: Network) -> str:
    """A text of the language that reads back as this network, channel by channel and name by name.

    Meshes, tori, hypercubes, other products of lines and rings and complete networks are written by their factors;
    other networks as a list of edges.

    Raises
    ------
    NetworkError
        If the text could not be read back: the network is very large and irregular, or two routers have the same
        coordinates.

    Notes
    -----
    O(channels). The name of the network stands in a comment, its `origin` is not written.

    Examples
    --------
    >>> print(write(read_text("ring(4, latency=3) * line(2)")), end="")
    # ring(4, latency=3) * line(2)
    ring(4, latency=3) * line(2)
    """
    text = _by_factors(network)
    labels = network.router_labels
    if text is None:
        unique = labels is not None and len(set(labels)) == len(labels)
        text = _edge_list(network, labels if unique else None)
        labels = None if unique else labels
        if network.coordinates is not None:
            if len(np.unique(network.coordinates, axis=0)) < network.num_routers:
                raise NetworkError(
                    f"network {network.name!r}: two routers have the same coordinates, which a text cannot say"
                )
            rows = _listing([json.dumps(row) for row in network.coordinates.tolist()])
            text = f"coordinates({text}, {rows}, radices={list(network.radices)})"
    if labels is not None:
        text = f"labels({text}, {_texts(labels)})"
    if network.coordinates is not None and network.dimensions != _default_names(network):
        text = f"dimensions({text}, {_texts(network.dimensions)})"
    text = _with_terminals(network, text)
    if network.ports is not None:
        text = f"ports({text}, {_listing([json.dumps(row) for row in network.ports.tolist()])})"
    comment = " ".join("".join(c if c.isprintable() else " " for c in network.name).split())
    text = f"# {comment}\n{text}\n"
    if len(text) > LONGEST:
        raise NetworkError(
            f"network {network.name!r}: as text it has {len(text)} characters, and {LONGEST} can be read back; "
            "write another format"
        )
    return text


def _by_factors(network: Network) -> str | None:
    """Return the text of a product of lines and rings, or of a complete network; None of any other."""
    text = _product(network) if network.coordinates is not None else _without_coordinates(network)
    if text is None:
        return None
    size = max(MAX_CHANNELS, network.num_channels, network.num_routers * max(1, len(network.radices)))
    made = read_text(text, max_channels=size)
    same = all(
        np.array_equal(getattr(made, key), getattr(network, key)) for key in ("source", "target", "latency")
    ) and (network.coordinates is None or np.array_equal(made.coordinates, network.coordinates))  # type: ignore[arg-type]
    return text if same else None


def _without_coordinates(network: Network) -> str | None:
    n = network.num_routers
    if n == 1 and not network.num_channels:
        return "hypercube(0)"
    if n < 2 or network.num_channels != n * (n - 1):
        return None
    latency = int(network.latency[0])
    return f"complete({n}{_latency(latency)})"


def _product(network: Network) -> str | None:
    try:
        product = grid(network)
    except NetworkError:
        return None
    factors: list[tuple[str, int, int]] = []
    for i, k in enumerate(network.radices):
        latencies = np.unique(network.latency[product.dimension == i])
        if latencies.size > 1:
            return None
        one_way = not (product.channel[:, 2 * i + 1] >= 0).any() and (product.channel[:, 2 * i] >= 0).any()
        kind = "directed" if one_way else "ring" if product.wraps[i] else "line"
        factors.append((kind, k, int(latencies[0]) if latencies.size else 1))
    kinds, sides, latencies_of = {f[0] for f in factors}, [f[1] for f in factors], {f[2] for f in factors if f[1] > 1}
    if len(factors) > 1 and len(latencies_of) == 1 and len(kinds - {"line"} if 2 in sides else kinds) <= 1:
        latency = _latency(latencies_of.pop())
        if set(sides) == {2} and kinds == {"line"}:
            return f"hypercube({len(sides)}{latency})"
        short = [kind for kind, k, _ in factors if k > 2]
        if short and "directed" not in kinds and len(set(short)) == 1 and min(sides) > 1:
            return f"{'torus' if short[0] == 'ring' else 'mesh'}({', '.join(map(str, sides))}{latency})"
    return " * ".join(_factor(factor, len(list(same))) for factor, same in groupby(factors)) or None


def _factor(factor: tuple[str, int, int], times: int) -> str:
    kind, k, latency = factor
    name = "ring" if kind == "directed" else kind
    directed = ", directed=true" if kind == "directed" else ""
    return f"{name}({k}{_latency(latency)}{directed})" + (f" ** {times}" if times > 1 else "")


def _latency(cycles: int) -> str:
    return "" if cycles == 1 else f", latency={cycles}"


def _edge_list(network: Network, labels: Sequence[str] | None) -> str:
    n = network.num_routers
    names = [str(r) for r in range(n)] if labels is None else [_quoted(label) for label in labels]
    upward = _upward(network)
    channels = np.arange(network.num_channels) if upward is None else upward
    ends = np.stack([network.source[channels], network.target[channels]], axis=1).ravel()
    seen, first = np.unique(ends, return_index=True)
    in_order = seen.size == n and (labels is None or bool((np.diff(first) > 0).all()))
    if in_order:
        declared = []
    elif labels is None:
        declared = [names[r] for r in np.setdiff1d(np.arange(n), seen).tolist()]
    else:
        declared = names
    text = "{" + _wrapped([*declared, *_edges(network, names, channels)]) + "}"
    return text if upward is None else f"undirected({text})"


def _upward(network: Network) -> Offsets | None:
    """The channels to routers of higher number, if `undirected` makes the network of them."""
    up = np.flatnonzero(network.source < network.target)
    if 2 * up.size != network.num_channels or not up.size or bool((up == 2 * np.arange(up.size)).all()):
        return None
    source = np.concatenate([network.source[up], network.target[up]])
    order = np.argsort(source, kind="stable")
    target = np.concatenate([network.target[up], network.source[up]])[order]
    latency = np.tile(network.latency[up], 2)[order]
    same = all(
        np.array_equal(one, two)
        for one, two in ((source[order], network.source), (target, network.target), (latency, network.latency))
    )
    return up if same else None


def _edges(network: Network, names: Sequence[str], channels: Offsets) -> Iterator[str]:
    """A link where a channel is followed by its opposite, else the channel."""
    source, target, latency = (getattr(network, key)[channels].tolist() for key in ("source", "target", "latency"))
    c, last = 0, len(source) - 1
    while c <= last:
        u, v, time = source[c], target[c], latency[c]
        cycles = "" if time == 1 else f" : {time}"
        if c < last and u != v and (source[c + 1], target[c + 1], latency[c + 1]) == (v, u, time):
            yield f"{names[u]} -- {names[v]}{cycles}"
            c += 2
        else:
            yield f"{names[u]} -> {names[v]}{cycles}"
            c += 1


def _with_terminals(network: Network, text: str) -> str:
    n, inject, eject = network.num_routers, network.inject, network.eject
    same = np.array_equal(inject, eject)
    each, rest = divmod(inject.size, n)
    if not (same and rest == 0 and np.array_equal(inject, np.repeat(np.arange(n), each))):
        ends = f", eject={eject.tolist()}" if not same else ""
        text = f"terminals({text}, inject={inject.tolist()}{ends})"
    elif each != 1:
        text = f"terminals({text}, {each})"
    if network.terminal_labels is not None:
        text = f"terminal_labels({text}, {_texts(network.terminal_labels)})"
    return text


def _default_names(network: Network) -> tuple[str, ...]:
    count = len(network.radices)
    return tuple("xyz"[:count]) if count <= 3 else tuple(f"d{i}" for i in range(count))


def _quoted(label: str) -> str:
    plain = _NAME.fullmatch(label) is not None and label not in _WORDS and not keyword.iskeyword(label)
    return label if plain else json.dumps(label)


def _texts(labels: Sequence[str]) -> str:
    return _listing([json.dumps(label) for label in labels])


def _listing(items: Sequence[str]) -> str:
    return "[" + _wrapped(items) + "]"


def _wrapped(items: Sequence[str]) -> str:
    """The items with commas between them, on one line if they fit, else on several."""
    if sum(len(item) + 2 for item in items) <= WIDTH:
        return ", ".join(items)
    lines, line = [], ""
    for item in items:
        if line and len(line) + len(item) > WIDTH:
            lines.append(line)
            line = ""
        line += f"{item}, "
    return "\n    " + "\n    ".join(part.rstrip() for part in [*lines, line.removesuffix(", ")]) + "\n"
