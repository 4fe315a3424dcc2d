"""A floor plan of a network: cabinets in rows, lengths of cables, and what switches and cables cost."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from unknot._base.arrays import Floats, Ints
from unknot._base.errors import NetworkError, near
from unknot._base.numbers import is_number
from unknot._base.toml_places import read_toml
from unknot.network.model import Network

_WORDS = ("source", "date")
"""Keys of prices that are no numbers."""


@dataclass(frozen=True)
class Prices:
    """Prices in dollars, and the measures in metres of the floor that lengths of cables follow from.

    The default prices are assumptions, of the order of 10 Gb/s Ethernet about 2011: compare designs by them, and give
    your own for a budget. Cabinets of 1 m in a square, 1 m within one, and 2 m more between two: M. Besta, T.
    Hoefler: Slim Fly: a cost effective low-diameter network topology. SC 2014.

    Attributes
    ----------
    port : float
        A port of a switch that is in use.
    electrical, electrical_metre : float
        A cable up to `reach`, and each metre of it.
    optical, optical_metre : float
        A longer cable, and each metre of it.
    terminal, terminal_metre : float
        The cable of a terminal, which is electrical and as long as one within a cabinet, and each metre of it.
    reach : float
        Longest electrical cable.
    within : float
        A cable within a cabinet.
    pitch : float
        From a cabinet to the next, along a row or across.
    more : float
        Added to the distance of two cabinets.
    cabinet : float
        Switches in a cabinet; those of a group of a dragonfly share one whatever their number.
    source, date : str
        Where prices are from, and of when.
    """

    port: float = 500.0
    electrical: float = 40.0
    electrical_metre: float = 16.0
    optical: float = 376.0
    optical_metre: float = 5.0
    terminal: float = 40.0
    terminal_metre: float = 6.0
    reach: float = 5.0
    within: float = 1.0
    pitch: float = 1.0
    more: float = 2.0
    cabinet: float = 8
    source: str = "assumptions, of the order of 10 Gb/s Ethernet"
    date: str = "about 2011"

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if field.name not in _WORDS):
            number = getattr(self, name)
            if not is_number(number) or not 0 <= number < math.inf:
                raise NetworkError(f"prices: {name} is a number, not negative, got {number!r}")
        if self.cabinet < 1:
            raise NetworkError(f"prices: a cabinet has at least one switch, got {self.cabinet!r}")


@dataclass(frozen=True)
class Bill:
    """Ports, cables and cost of a network on its floor.

    Attributes
    ----------
    switches, ports, cabinets : int
        Ports in use, of links and of terminals.
    radix : int
        Most ports in use of a switch.
    electrical, optical : int
        Cables between switches.
    metres : float
        Length of these cables.
    cost : float
        Of ports, cables between switches and cables of terminals.
    """

    switches: int
    ports: int
    radix: int
    cabinets: int
    electrical: int
    optical: int
    metres: float
    cost: float


def read_prices(path: str | Path) -> Prices:
    """Read prices from a TOML file; what it leaves out keeps its default.

    Raises
    ------
    TextError
        If the file cannot be read, or has a key that is no price or no number; NetworkError if one is negative.
    """
    prices, known = read_toml(path, "a list of prices"), [field.name for field in fields(Prices)]
    for name, number in prices.document.items():
        if name not in known:
            raise prices.error((name,), f"unknown price; {near(name, known)}", at_key=True)
        if name in _WORDS:
            if not isinstance(number, str):
                raise prices.error((name,), f"{name} is a text, got {number!r}", at_key=True)
        elif not is_number(number):
            raise prices.error((name,), f"{name} is a number, got {number!r}", at_key=True)
    return Prices(**{"source": str(path), "date": "of no date", **prices.document})


def bill(network: Network, prices: Prices | None = None) -> Bill:
    """Count the cables of a network by their class on a floor plan, and what all costs.

    Switches go into cabinets in their order, those of a dragonfly's group into one; cabinets stand row by row in a
    square, and a cable between two takes their distance along rows and across. A cable is a pair of opposite
    channels, or a channel without its opposite.

    Raises
    ------
    NetworkError
        If terminals send and receive at different switches.

    Examples
    --------
    >>> from unknot.network.families import torus
    >>> bill(torus(4, 4)).electrical, bill(torus(4, 4)).metres
    (32, 48.0)
    """
    prices = prices or Prices()
    if not np.array_equal(network.inject, network.eject):
        raise NetworkError(
            f"{network.name}: terminals send and receive at different switches, which has no floor plan"
        )
    length = _lengths(network, prices)
    short = length <= prices.reach
    electrical, optical = int(short.sum()), int((~short).sum())
    terminals = network.num_terminals
    ports = 2 * length.size + terminals
    cost = ports * prices.port + terminals * (prices.terminal + prices.terminal_metre * prices.within)
    cost += electrical * prices.electrical + prices.electrical_metre * float(length[short].sum())
    cost += optical * prices.optical + prices.optical_metre * float(length[~short].sum())
    cabinets = int(_cabinets(network, prices).max()) + 1
    return Bill(network.num_routers, ports, _radix(network), cabinets, electrical, optical, float(length.sum()), cost)


def _radix(network: Network) -> int:
    """Most ports of a switch: links in the direction that has more channels, and terminals."""
    links = np.maximum(network.outgoing.width, network.incoming.width)
    return int((links + network.terminals_at).max(initial=0))


def _cabinets(network: Network, prices: Prices) -> Ints:
    """The cabinet of each switch."""
    if network.coordinates is not None and "group" in network.dimensions:
        return network.coordinates[:, network.dimensions.index("group")].astype(np.int64)
    return np.arange(network.num_routers) // int(prices.cabinet)


def _lengths(network: Network, prices: Prices) -> Floats:
    """Metres of each cable."""
    cabinet = _cabinets(network, prices)
    side = math.ceil(math.sqrt(int(cabinet.max()) + 1))
    ends = network.source.astype(np.int64), network.target.astype(np.int64)
    # Channels each way between two switches share cables: as many as there are in the direction that has more.
    pair, count = np.unique(ends[0] * network.num_routers + ends[1], return_counts=True)
    a, b = np.divmod(pair, network.num_routers)
    key, place = np.unique(np.minimum(a, b) * network.num_routers + np.maximum(a, b), return_inverse=True)
    cables = np.zeros(key.size, dtype=np.int64)
    np.maximum.at(cables, place, count)
    a, b = (cabinet[end] for end in np.divmod(np.repeat(key, cables), network.num_routers))
    apart = np.abs(a // side - b // side) + np.abs(a % side - b % side)
    return np.where(a == b, prices.within, prices.pitch * apart + prices.more)
