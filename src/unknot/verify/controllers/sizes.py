"""Sizes of queues and of tables of transactions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Sizes:
    """Room of nodes.

    Parameters
    ----------
    rooms : mapping of str to int
        Messages that the queue of a node holds, by virtual network, those under way to it and set aside included; any
        number where nothing is said.
    entries : mapping of str to int
        Addresses for which a node may be in a state that takes an entry, by kind of nodes.
    homes : int
        1: all addresses have the same home; otherwise each has its own.

    Examples
    --------
    >>> Sizes({"requests": 2}, {"cache": 1}).rooms["requests"]
    2
    """

    rooms: Mapping[str, int] = field(default_factory=dict)
    entries: Mapping[str, int] = field(default_factory=dict)
    homes: int = 1
