"""What a collective operation runs on: nodes and directed channels, and how messages pass them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from math import gcd, lcm
from typing import Any, Generic, TypeVar

from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.bandwidth import fraction
from unknot_collectives.operation import Operation

Number = TypeVar("Number")
"""A fraction, or a whole number."""


@dataclass(frozen=True)
class Channel:
    """A directed channel: bytes per unit of time, and the time of the first byte on the wire."""

    source: int
    target: int
    bandwidth: Fraction
    latency: Fraction = Fraction(0)


@dataclass(frozen=True)
class Platform:
    """Nodes joined by channels; those that are no members are switches.

    Attributes
    ----------
    name : str
        Of the network.
    num_nodes : int
        Members and switches.
    channels : tuple of Channel
        Each one way.
    members : tuple of int
        Nodes that take part.
    overhead : Fraction
        Cost of a message, in time: on the first and the last channel of its path, those of its sender and receiver,
        the message is longer by what the slowest channel carries in that time, and other channels wait for as long.
        Each transfer is a message; in a step chunks on one path are one together.

    Raises
    ------
    NetworkError
        If a channel or member is at no node, a channel has no bandwidth or a negative latency, or the overhead is
        negative.

    Examples
    --------
    >>> Platform("pair", 2, (Channel(0, 1, Fraction(1, 2)),), (0, 1)).members
    (0, 1)
    """

    name: str
    num_nodes: int
    channels: tuple[Channel, ...]
    members: tuple[int, ...]
    overhead: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        nodes = range(self.num_nodes)
        if self.overhead < 0:
            raise NetworkError(f"{self.name}: a message costs no negative time, got an overhead of {self.overhead}")
        for channel in self.channels:
            if channel.source not in nodes or channel.target not in nodes:
                raise NetworkError(f"{self.name}: {channel} joins no two of the nodes 0 to {self.num_nodes - 1}")
            if channel.bandwidth <= 0 or channel.latency < 0:
                raise NetworkError(f"{self.name}: {channel} needs a positive bandwidth and no negative latency")
        for member in self.members:
            if member not in nodes:
                raise NetworkError(f"{self.name}: member {member} is none of the nodes 0 to {self.num_nodes - 1}")

    def slowest(self, path: Sequence[int]) -> Fraction:
        """Return the bandwidth of the slowest channel of a path."""
        return min(self.channels[number].bandwidth for number in path)

    def claim(self, operation: Operation, time: Fraction) -> dict[str, Any]:
        """Return what claims on the time of an operation on the platform have in common."""
        groups = {"groups": [list(group) for group in operation.groups]} if operation.groups else {}
        blocks = [[list(Fraction(block).as_integer_ratio()) for block in row] for row in operation.blocks]
        return {
            **groups,
            **({"blocks": blocks} if blocks else {}),
            **({"overhead": [*self.overhead.as_integer_ratio()]} if self.overhead else {}),
            "kind": operation.kind,
            "nodes": self.num_nodes,
            "channels": [
                [c.source, c.target, *c.bandwidth.as_integer_ratio(), *c.latency.as_integer_ratio()]
                for c in self.channels
            ],
            "members": list(operation.members),
            "root": operation.root,
            "size": [*operation.size.as_integer_ratio()],
            "time": [*time.as_integer_ratio()],
        }

    def reversed(self) -> Platform:
        """Return the platform with each channel in the other direction."""
        turned = tuple(Channel(c.target, c.source, c.bandwidth, c.latency) for c in self.channels)
        return replace(self, channels=turned)


def platform_of(
    network: Network,
    bandwidth: Fraction = Fraction(1),
    terminal: Fraction = Fraction(1),
    stages: int = 0,
    overhead: Fraction = Fraction(0),
) -> Platform:
    """Return a network as a platform: its terminals are the members, nodes after the routers.

    Parameters
    ----------
    network : Network
        The network.
    bandwidth, terminal : Fraction
        Factor of the bandwidths of the channels between routers, and flits per cycle of each terminal in each
        direction.
    stages : int
        Cycles of a header in a router, `Router.header_cycles`, which then count as latency, as do the channels of
        terminals, so that a message alone takes as long as flit by flit; 0: channels between routers alone.
    overhead : Fraction
        Cycles that each message costs.

    Returns
    -------
    Platform
        Nodes and channels.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> platform_of(ring(4)).members
    (4, 5, 6, 7)
    """
    columns = network.source.tolist(), network.target.tolist(), network.latency.tolist(), network.bandwidth.tolist()
    channels = [
        Channel(a, b, bandwidth * fraction(rate), Fraction(latency + stages))
        for a, b, latency, rate in zip(*columns, strict=True)
    ]
    members = tuple(range(network.num_routers, network.num_routers + network.num_terminals))
    enter, leave = (Fraction(1), Fraction(stages + 1)) if stages else (Fraction(0), Fraction(0))
    for member, enters, leaves in zip(members, network.inject.tolist(), network.eject.tolist(), strict=True):
        channels += [Channel(member, enters, terminal, enter), Channel(leaves, member, terminal, leave)]
    nodes = network.num_routers + network.num_terminals
    return Platform(network.name, nodes, tuple(channels), members, overhead)


@dataclass(frozen=True)
class Passage(Generic[Number]):
    """How a transfer passes its path: at one rate, on each channel from when the first byte comes.

    Times and rates are fractions, or multiples of common units.

    Attributes
    ----------
    begins : tuple of numbers
        By channel of the path, after the start.
    costs : number
        How long the overhead is.
    lasts : number
        How long the first and the last channel are in use; others are not during the overhead.
    rate : number
    arrives : number
        When all has arrived, after the start.
    """

    begins: tuple[Number, ...]
    costs: Number
    lasts: Number
    rate: Number
    arrives: Number

    def over(self, path: Sequence[int]) -> Iterator[tuple[int, Any, Any]]:
        """Yield the channels of the path, when each begins to be used after the start, and how long it is."""
        for place, (channel, begins) in enumerate(zip(path, self.begins, strict=True)):
            inner: Any = self.costs if 0 < place < len(path) - 1 else 0
            yield channel, begins + inner, self.lasts - inner


def passage(
    platform: Platform, size: Fraction, path: Sequence[int], rate: Fraction | None = None
) -> Passage[Fraction]:
    """Return how a message of some bytes passes a path, at a rate or at the bandwidth of the slowest channel."""
    slowest = platform.slowest(path)
    rate = rate or slowest
    *begins, end = accumulate((platform.channels[number].latency for number in path), initial=Fraction(0))
    costs = platform.overhead * slowest / rate
    lasts = costs + size / rate
    return Passage(tuple(begins), costs, lasts, rate, end + lasts)


def in_whole_numbers(numbers: Sequence[Fraction]) -> tuple[list[int], Fraction]:
    """Return fractions as multiples of their largest common unit, and the unit."""
    scale = lcm(*(number.denominator for number in numbers))
    scaled = [number.numerator * (scale // number.denominator) for number in numbers]
    common = gcd(*scaled) or 1
    return [number // common for number in scaled], Fraction(common, scale)
