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
    """Mark of a type: the unit of a number."""

    name: str


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

Cycles = Annotated[float, Unit("cycles")]
WholeCycles = Annotated[int, Unit("cycles")]
Load = Annotated[float, Unit("flits per cycle")]
Seconds = Annotated[float, Unit("s")]
Flits = Annotated[int, Unit("flits")]
Hops = Annotated[int, Unit("hops")]
MeanHops = Annotated[float, Unit("hops")]
