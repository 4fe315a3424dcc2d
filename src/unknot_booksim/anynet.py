"""BookSim's `anynet` files: a line for a router, with the nodes and routers it is joined to and the latencies.

``router 0 node 0 router 1 15`` puts node 0 at router 0 and a channel of 15 cycles from router 0 to router 1; unless a
line of router 1 gives another, a channel of 1 cycle leads back. Grammar and meaning are those
of readFile in BookSim 2.0's src/networks/anynet.cpp. There are no comments, no names and no parallel channels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import numpy as np

from unknot._base.errors import NetworkError, TextError
from unknot._base.input import read_lines
from unknot._base.output import write_text
from unknot.fabrics.format import FabricText, Format
from unknot.network import Network
from unknot.network.interchange import require_equal

_WORD = re.compile(r"\S+")
Place = tuple[int, int]
"""Line and column."""


def read_booksim(path: str | Path) -> Network:
    """Read an `anynet` file. Nodes become terminals; channels are numbered as they are named, implied ones last.

    Raises
    ------
    TextError
        With file, line and column: a word that is not expected, a node at two routers, a channel named twice (BookSim
        keeps the last), a gap in the numbers, a node that is not one cycle from its router.
    """
    lines = read_lines(path, growth=100)
    reading = _Reading(path, lines)
    for number, line in enumerate(lines, start=1):
        words = [(match.group(), (number, match.start() + 1)) for match in _WORD.finditer(line)]
        reading.row([*words, ("", (number, len(line.rstrip()) + 1))])
    return reading.network()


def write_booksim(network: Network, path: str | Path) -> None:
    """Write an `anynet` file that `read_booksim` reads back with the same channels and terminals.

    Raises
    ------
    NetworkError
        For bandwidths other than 1, parallel channels, a channel without an opposite, and a terminal that ejects
        where it does not inject: BookSim cannot express them.
    """
    require_equal(network, "BookSim's anynet")
    if (at := np.flatnonzero(network.inject != network.eject)).size:
        t = int(at[0])
        raise NetworkError(
            f"terminal {network.terminal_name(t)} injects at {network.router_name(int(network.inject[t]))} and "
            f"ejects at {network.router_name(int(network.eject[t]))}; a node of BookSim's anynet sits at one router"
        )
    pairs = set(network.ends)
    if len(pairs) < network.num_channels:
        raise NetworkError(f"network {network.name!r} has parallel channels, which BookSim's anynet has not")
    for u, v in pairs:
        if (v, u) not in pairs:
            raise NetworkError(
                f"no channel leads back from {network.router_name(v)} to {network.router_name(u)}; BookSim's anynet "
                "has channels both ways"
            )
    seats: list[list[int]] = [[] for _ in range(network.num_routers)]
    for terminal, router in enumerate(network.inject.tolist()):
        seats[router].append(terminal)
    text = []
    rows = zip(network.source.tolist(), network.target.tolist(), network.latency.tolist(), strict=True)
    for router, channels in groupby(rows, key=lambda row: row[0]):
        words = [f"router {router}", *(f"node {t}" for t in seats[router])]
        seats[router] = []
        words += [f"router {v}" + (f" {cycles}" if cycles > 1 else "") for _, v, cycles in channels]
        text.append(" ".join(words))
    alone = set(range(network.num_routers)) - set(network.source.tolist())
    text += [" ".join([f"router {r}", *(f"node {t}" for t in seats[r])]) for r in sorted(alone)]
    write_text(path, "\n".join(text) + "\n", encoding="ascii")


@dataclass
class _Reading(FabricText):
    """Routers, channels and nodes of the lines read so far."""

    routers: dict[int, Place] = field(default_factory=dict)
    channels: dict[tuple[int, int], tuple[int, Place]] = field(default_factory=dict)
    seats: dict[int, tuple[int, Place]] = field(default_factory=dict)

    def row(self, words: list[tuple[str, Place]]) -> None:
        """Take in the words of a line, the last of which is empty."""
        if len(words) == 1:
            return
        if words[0][0] != "router":
            hint = ": BookSim would make a router of that number, too" if words[0][0] == "node" else ""
            raise self.error(f"a line begins with `router`, not {words[0][0]!r}{hint}", *words[0][1])
        head = self._number(*words[1])
        self.routers.setdefault(head, words[0][1])
        i = 2
        while i < len(words) - 1:
            kind, at = words[i]
            if kind not in ("router", "node"):
                raise self.error(f"`router` or `node` is needed, not {kind!r}", *at)
            number, cycles, i = self._number(*words[i + 1]), 1, i + 2
            if i < len(words) - 1 and words[i][0] not in ("router", "node"):
                cycles = self._number(*words[i], least=1)
                i += 1
            (self._node if kind == "node" else self._channel)(head, number, cycles, at)

    def _number(self, text: str, at: Place, least: int = 0) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 9 and int(text) >= least):
            what = "a latency, a whole number of at least 1," if least else "a number"
            raise self.error(f"{what} is needed here, not {text!r}" if text else f"{what} is missing", *at)
        return int(text)

    def _node(self, router: int, node: int, cycles: int, at: Place) -> None:
        if cycles != 1:
            raise self.error(
                f"node {node} is {cycles} cycles from its router; terminals are always 1 cycle from theirs", *at
            )
        home, (line, _) = self.seats.setdefault(node, (router, at))
        if home != router:
            raise self.error(f"node {node} sits at router {home} by line {line}", *at)

    def _channel(self, source: int, target: int, cycles: int, at: Place) -> None:
        self.routers.setdefault(target, at)
        if (source, target) in self.channels:
            before = self.channels[source, target][1][0]
            raise self.error(
                f"router {source} is joined to router {target} by line {before} already; BookSim would keep one", *at
            )
        self.channels[source, target] = cycles, at

    def network(self) -> Network:
        if not self.routers:
            raise TextError("no router in this file", self.where)
        self._complete("router", self.routers)
        self._complete("node", {node: at for node, (_, at) in self.seats.items()})
        channels = {pair: cycles for pair, (cycles, _) in self.channels.items()}
        for u, v in self.channels:
            channels.setdefault((v, u), 1)
        return Network(
            wires=list(channels.values()),
            name=Path(self.where).name,
            num_routers=len(self.routers),
            source=[u for u, _ in channels],
            target=[v for _, v in channels],
            inject=[self.seats[node][0] for node in range(len(self.seats))],
        )

    def _complete(self, kind: str, places: Mapping[int, Place]) -> None:
        for number, at in places.items():
            if number >= len(places):
                missing = next(i for i in range(len(places)) if i not in places)
                numbers = f"there is {kind} {number}, but no {kind} {missing}"
                raise self.error(f"{kind}s are numbered from 0 without gaps; {numbers}", *at)


_SIGN = re.compile(r"\A\s*router\s+\d+\s+(?:node|router)\s+\d+", re.M)
FORMAT = Format(
    "booksim", "a BookSim anynet file", (".anynet",), read_booksim, write_booksim, _SIGN.search,
    frozenset({"latencies", "terminals"}),
)  # fmt: skip
