"""Quantities: types of numbers in results, with the unit that screens show, or the name that answers have instead.

A result states each of its fields once: its type here, its text in the docstring. JSON, schema, table and frame of
`unknot.cli.answers` follow from both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any


@dataclass(frozen=True)
class Unit:
    """Mark of a type: the unit of a number, in the singular and the plural."""

    single: str
    plural: str

    def of(self, figure: float) -> str:
        """The unit of a number."""
        return self.single if figure == 1 else self.plural


CYCLES, FLITS, HOPS = Unit("cycle", "cycles"), Unit("flit", "flits"), Unit("hop", "hops")
LOAD = Unit("flit per cycle", "flits per cycle")
GBPS = Unit("Gb/s", "Gb/s")


@dataclass(frozen=True)
class By:
    """Mark of a type: `write`, given a value and the network or relation that it belongs to, makes its JSON.

    Attributes
    ----------
    write : callable
        The function.
    gives : type, optional
        The type in JSON, where it is another one.
    """

    write: Callable[[Any, Any], Any]
    gives: Any = None


def _named(function: Callable[[Any, int], str]) -> By:
    return By(lambda value, subject: function(subject, value) if isinstance(value, int) else value, str)


VcNumber = Annotated[int, _named(lambda subject, vc: subject.of.vcs.name(vc))]
AddressNumber = Annotated[int, _named(lambda subject, address: subject.of.address_name(address))]
TerminalNumber = Annotated[int, _named(lambda subject, terminal: subject.network.terminal_name(terminal))]
ChannelNumber = Annotated[int, _named(lambda subject, channel: subject.network.channel_name(channel))]
RouterNumber = Annotated[int, _named(lambda subject, router: subject.network.router_name(router))]

Cycles = Annotated[float, CYCLES]
WholeCycles = Annotated[int, CYCLES]
Load = Annotated[float, LOAD]
Flits = Annotated[int, FLITS]
Hops = Annotated[int, HOPS]
MeanHops = Annotated[float, HOPS]
DataRate = Annotated[float, GBPS]
