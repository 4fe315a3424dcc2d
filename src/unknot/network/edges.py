"""Networks from lists of edges, in Python and in text files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from unknot._base.errors import NetworkError, TextError
from unknot._base.input import read_text
from unknot._base.output import write_text
from unknot.network.bandwidth import read, written
from unknot.network.interchange import from_attributes
from unknot.network.model import Network

_CYCLES = re.compile(r"[0-9]{1,9}")
_GROWTH = 150
"""Bytes of memory for a byte of text at the peak of reading."""
_TERMINAL = re.compile(r"^\s*(\S+)\s+@\s+(\S+)(?:\s+->\s+(\S+))?\s*$")
_EDGE = re.compile(r"^\s*(\S+)\s+(?:(->|--)\s+)?(\S+)(?:\s+((?=\S+\s*$)\S+|[0-9]+)(?:\s+(\S+))?)?\s*$")
Edge = tuple[object, object] | tuple[object, object, int] | tuple[object, object, int, object]


def from_edges(
    edges: Iterable[Edge],
    *,
    directed: bool = False,
    name: str = "edges",
) -> Network:
    """The network whose links (or, if `directed`, channels) are the given pairs.

    Parameters
    ----------
    edges : iterable of (u, v), (u, v, latency) or (u, v, latency, bandwidth)
        Ends may be anything printable. If they are exactly the numbers 0 … n − 1, these number the routers;
        otherwise routers are numbered in order of first appearance and labelled by the printed end. A repeated
        edge is a parallel link.
    directed : bool
        Whether a pair is one channel and not a link.
    name : str
        Name of the result.

    Returns
    -------
    Network
        The network.

    Raises
    ------
    NetworkError
        If an edge is not a pair, or there is none.

    Examples
    --------
    >>> network = from_edges([("left", "middle"), ("middle", "right", 4)])
    >>> network.num_routers, network.num_channels, network.router_name(2)
    (3, 4, 'right')
    """
    rows: list[tuple[str, str, int, float | None]] = []
    for edge in edges:
        row = tuple(edge)
        if len(row) not in (2, 3, 4):
            raise NetworkError(f"{name}: an edge is a pair, optionally with a latency and bandwidth; got {edge!r}")
        latency = row[2] if len(row) > 2 else 1
        if isinstance(latency, bool) or not isinstance(latency, int):
            raise NetworkError(f"{name}: the latency of {row[0]}–{row[1]} must be a whole number, got {latency!r}")
        rate = read(row[3], f"{name}: the bandwidth of {row[0]}–{row[1]}") if len(row) == 4 else None
        rows.append((str(row[0]), str(row[1]), latency, None if rate == 1 else rate))
    if not rows:
        raise NetworkError(f"{name}: no edges, so no network")
    nodes: dict[str, dict[str, Any]] = {end: {} for row in rows for end in row[:2]}
    joined = [(u, v, directed, {"latency": cycles, "bandwidth": rate}) for u, v, cycles, rate in rows]
    return from_attributes(nodes, joined, {}, name)


def is_edge_list(text: str) -> bool:
    """Whether the beginning of a text, but for the last line, may be that of an edge list with an edge."""
    lines = [
        row
        for line in text.split("\n")[: -1 if text.count("\n") > 1 else None]
        if (row := line.split("#", 1)[0].strip())
    ]
    pairs = [bool(_TERMINAL.match(line) or _EDGE.match(line)) for line in lines if " " in line or "\t" in line]
    return all(pairs) and any(pairs)


def read_edge_list(path: str | Path) -> Network:
    """Read a text file with one edge a line: ``u v [latency [bandwidth]]`` or ``u -> v [latency [bandwidth]]``.

    ``u v`` (or ``u -- v``) is a link, two channels; ``u -> v`` is one channel. ``#`` starts a comment; a line with a
    single name names a router that has its channels on other lines. ``t @ u`` is terminal t at router u, and
    ``t @ u -> v`` one that injects at u and ejects at v; without any such line each router has one terminal.

    Raises
    ------
    TextError
        With file, line and column, for a line that is none of these.
    """
    text = read_text(path, what="an edge list is plain UTF-8", growth=_GROWTH)
    channels: list[tuple[str, str, int, float]] = []
    alone: list[tuple[str, int, str]] = []
    seats: dict[str, tuple[str, str]] = {}
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.split("#", 1)[0]
        if not line.strip():
            continue
        if len(line.split()) == 1:
            alone.append((line.strip(), number, raw))
            continue
        if match := _TERMINAL.match(line):
            name, u, v = match.groups(default=match[2])
            if name in seats:
                raise TextError(f"a second terminal is called {name}", path, number, 1, raw)
            seats[name] = u, v
            alone += [(u, number, raw), (v, number, raw)]
            continue
        match = _EDGE.match(line)
        if match is None or {match[1], match[3]} & {"->", "--"}:
            expected = "expected `u v`, `u v latency`, `u -> v latency`, `u -> v latency bandwidth` or `t @ u`"
            raise TextError(expected, path, number, 1, raw)
        u, arrow, v, latency, bandwidth = match.groups()
        if latency is not None and (not _CYCLES.fullmatch(latency) or int(latency) < 1):
            raise TextError("a latency is a whole number of at least 1", path, number, match.start(4) + 1, raw)
        cycles = int(latency or 1)
        try:
            rate = 1.0 if bandwidth is None else read(bandwidth, "a bandwidth")
        except NetworkError as error:
            raise TextError(str(error), path, number, match.start(5) + 1, raw) from None
        channels.append((u, v, cycles, rate))
        if arrow != "->" and u != v:
            channels.append((v, u, cycles, rate))
    if not channels:
        raise TextError("no edge in this file", path)
    joined = {end for channel in channels for end in channel[:2]}
    for name, number, raw in alone:
        if name not in joined:
            raise TextError(f"router {name} has no channel anywhere in this file", path, number, 1, raw)
    network = from_edges(channels, directed=True, name=Path(path).name)
    if not seats:
        return network
    inject, eject = ([network.router(ends[i]) for ends in seats.values()] for i in (0, 1))
    names = None if list(seats) == [f"t{t}" for t in range(len(seats))] else tuple(seats)
    return replace(
        network, inject=np.array(inject), eject=np.array(eject), places=replace(network.places, terminal_labels=names)
    )


def write_edge_list(network: Network, path: str | Path) -> None:
    """Write ``u -> v latency`` lines that `read_edge_list` reads back with the same channels, terminals and names.

    Where any channel has another bandwidth than 1 it follows the latency.

    Names that contain white space or ``#``, and names that two routers or two terminals share, are refused.
    """
    names = [
        str(r) if network.router_labels is None else network.router_labels[r] for r in range(network.num_routers)
    ]
    each = np.arange(network.num_routers)
    plain = network.terminal_labels is None and np.array_equal(network.inject, each)
    ends = [] if plain and np.array_equal(network.eject, each) else [network.inject.tolist(), network.eject.tolist()]
    own = [f"t{t}" for t in range(network.num_terminals)] if ends else []
    terminals = list(network.terminal_labels or own)
    for kind, called in (("router", names), ("terminal", terminals)):
        for name in called:
            if not name or any(c.isspace() or c == "#" for c in name):
                raise NetworkError(f"{kind} name {name!r} cannot stand in an edge list: it has white space or '#'")
        if len(set(called)) < len(called):
            twice = next(name for name in called if called.count(name) > 1)
            raise NetworkError(f"two {kind}s are called {twice!r}; an edge list would take them for one")
    silent = np.setdiff1d(np.arange(network.num_routers), np.concatenate([network.source, network.target]))
    if silent.size:
        raise NetworkError(f"router {names[int(silent[0])]} has no channel and cannot stand in an edge list")
    columns = network.source.tolist(), network.target.tolist(), network.latency.tolist(), network.bandwidth.tolist()
    has_rates = bool((network.bandwidth != 1).any())
    lines = [
        f"{names[u]} -> {names[v]} {latency}{f' {written(rate)}' if has_rates else ''}\n"
        for u, v, latency, rate in zip(*columns, strict=True)
    ]
    for name, u, v in zip(terminals, *ends, strict=True) if ends else ():
        lines.append(f"{name} @ {names[u]}{'' if u == v else f' -> {names[v]}'}\n")
    write_text(path, f"# {network.name}\n" + "".join(lines))
