"""Names of routers, terminals and channels in every message, and these by their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from unknot._base.arrays import Ints, Rows, grouped
from unknot._base.errors import NetworkError, near, visible
from unknot._base.shown import Drawn
from unknot.network.bandwidth import Bandwidths
from unknot.network.parts import IntArray, Origin

_INDEX = re.compile(r"[0-9]{1,18}")
_ARROW = re.compile(r"\s*(<->|↔|->|→)\s*")


class Named(Drawn):
    """Base of `Network`: channels of each router, names, and routers and terminals by their names."""

    name: str
    num_routers: int
    source: IntArray
    target: IntArray
    latency: IntArray
    bandwidth: Bandwidths
    ports: IntArray | None
    inject: IntArray
    eject: IntArray
    coordinates: IntArray | None
    radices: tuple[int, ...]
    dimensions: tuple[str, ...]
    router_labels: tuple[str, ...] | None
    terminal_labels: tuple[str, ...] | None
    origin: Origin | None

    @property
    def num_channels(self) -> int:
        """Number of directed channels."""
        return int(self.source.size)

    @property
    def num_terminals(self) -> int:
        """Number of terminals."""
        return int(self.inject.size)

    @cached_property
    def outgoing(self) -> Rows:
        """Channels by source: ``channels[first[r]:first[r + 1]]`` leave router r, in index order."""
        return grouped(self.source, self.num_routers)

    @cached_property
    def incoming(self) -> Rows:
        """Channels by target: ``channels[first[r]:first[r + 1]]`` enter router r, in index order."""
        return grouped(self.target, self.num_routers)

    @cached_property
    def terminals_at(self) -> Ints:
        """Number of terminals that inject at each router: int64 array, shape (routers,)."""
        return np.bincount(self.inject, minlength=self.num_routers).astype(np.int64)

    @property
    def ends(self) -> list[tuple[int, int]]:
        """Source and target of every channel, listed anew each time."""
        return [*zip(self.source.tolist(), self.target.tolist(), strict=True)]

    def ends_of(self, channel: int) -> tuple[int, int]:
        """Return source and target of a channel."""
        return int(self.source[channel]), int(self.target[channel])

    @cached_property
    def turns(self) -> Rows:
        """Channels that may follow each channel: all out of the router at its end, in index order."""
        return self.outgoing.take(self.target)

    def router_name(self, router: int) -> str:
        """Label, else coordinates, else number of a router (after faults, its number before them)."""
        if self.router_labels is not None:
            return visible(self.router_labels[router])
        if self.coordinates is not None:
            return "(" + ",".join(str(c) for c in self.coordinates[router].tolist()) + ")"
        return f"r{router if self.origin is None else self.origin.routers[router]}"

    def terminal_name(self, terminal: int) -> str:
        """Label of a terminal, else ``t`` and its number (after faults, its number before them)."""
        if self.terminal_labels is not None:
            return visible(self.terminal_labels[terminal])
        return f"t{terminal if self.origin is None else self.origin.terminals[terminal]}"

    def channel_name(self, channel: int) -> str:
        """Source and target of a channel, with port numbers where they are known."""
        ends = [self.router_name(int(self.source[channel])), self.router_name(int(self.target[channel]))]
        if self.ports is not None:
            ends = [f"{end}[{port}]" for end, port in zip(ends, self.ports[channel].tolist(), strict=True)]
            return "→".join(ends)
        twins = self.between(*self.ends_of(channel))
        return "→".join(ends) + (f"#{twins.index(channel)}" if len(twins) > 1 else "")

    def between(self, source: int, target: int) -> list[int]:
        """Return the channels from one router to another."""
        return [c for c in self.outgoing.at(source) if self.target[c] == target]

    def channels_named(self, name: str | int) -> list[int]:
        """Channels by number or text: ``(1,1)->(1,2)``, with ``<->`` those back too, or the name of a channel.

        Raises
        ------
        NetworkError
            If there are none.
        """
        if isinstance(name, (int, np.integer)):
            if not 0 <= name < self.num_channels:
                last = self.num_channels - 1
                raise NetworkError(f"network {self.name!r} has no channel {name}: channels are numbered 0 to {last}")
            return [int(name)]
        start, arrow, stop = (*_ARROW.split(name.strip(), 1), "", "")[:3]
        if not arrow:
            raise NetworkError(f"{name!r} is no channel; name it by its routers, such as (1,1)->(1,2)")
        if arrow in ("->", "→") and re.search(r"[#\[]", stop):
            exactly = f"{start}→{stop}".replace(" ", "")
            if exact := [c for c in range(self.num_channels) if self.channel_name(c).replace(" ", "") == exactly]:
                return exact
        a, b = self.router(start), self.router(stop)
        channels = self.between(a, b) + (self.between(b, a) if arrow in ("<->", "↔") else [])
        if not channels:
            ends = f"from {self.router_name(a)} to {self.router_name(b)}"
            raise NetworkError(f"network {self.name!r} has no channel {ends}")
        return channels

    def router(self, name: str | int) -> int:
        """Index of a router given by index, label, or coordinates text such as ``(3,4)``."""
        return _numbered(self.name, name, "router", self.num_routers, self.router_labels, self.router_name)

    def terminal(self, name: str | int) -> int:
        """Index of a terminal given by index or name, or by the name of a router that has a single one.

        Without names of terminals, the name of a router comes before an index in text.
        """
        own = self._alone.get(name.replace(" ", "")) if isinstance(name, str) else None
        if own is not None:
            return own
        return _numbered(self.name, name, "terminal", self.num_terminals, self.terminal_labels, self.terminal_name)

    @cached_property
    def _alone(self) -> dict[str, int]:
        """The only terminal at a router, by the name of the router where no other router or terminal has it."""
        routers = self.terminals_at
        terminals = {
            self.router_name(r).replace(" ", ""): t
            for t, (r, out) in enumerate(zip(self.inject.tolist(), self.eject.tolist(), strict=True))
            if routers[r] == 1 and r == out
        }
        labels = Counter(label.replace(" ", "") for label in self.router_labels or ())
        taken = {label.replace(" ", "") for label in self.terminal_labels or ()}
        return {name: t for name, t in terminals.items() if labels[name] < 2 and name not in taken}


def _numbered(
    network: str,
    name: str | int,
    kind: str,
    count: int,
    labels: Sequence[str] | None,
    name_of: Callable[[int], str],
) -> int:
    """Return the number of a router or terminal that is named by its number, label or coordinates."""
    text = str(name).replace(" ", "")
    if isinstance(name, (int, np.integer)) or (labels is None and _INDEX.fullmatch(name.strip())):
        if 0 <= int(name) < count:
            return int(name)
        raise NetworkError(f"network {network!r} has no {kind} {name}: {kind}s are numbered 0 to {count - 1}")
    names = labels if labels is not None else [name_of(i) for i in range(count)]
    matches = [index for index, known in enumerate(names) if known.replace(" ", "") == text]
    if len(matches) > 1:
        raise NetworkError(
            f"network {network!r} has {len(matches)} {kind}s called {name!r}; give the number of one of them, "
            f"such as {matches[0]} or {matches[1]}"
        )
    if matches:
        return matches[0]
    raise NetworkError(f"network {network!r} has no {kind} called {name!r}; {near(str(name), names[:2000])}")
