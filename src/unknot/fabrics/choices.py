"""Groups of ports that adaptive switches choose from, the tables that name them, and who uses which table."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from unknot._base.arrays import Flags, Ints

STATIC = -1
"""Group of a LID that a switch does not choose a port for."""
KEYS = 16
"""Service levels, or lanes in their place."""


@dataclass(frozen=True, eq=False)
class ChoiceTable:
    """One table of a switch; arrays of equal length.

    Attributes
    ----------
    lids : int64 array
        Ascending.
    ports : int64 array
        Port of static routing.
    groups : int64 array
        Number of the group that the switch chooses from, or `STATIC`.
    """

    lids: Ints
    ports: Ints
    groups: Ints


@dataclass
class SwitchGroups:
    """Adaptive routing of one switch.

    Attributes
    ----------
    line : int
        Where its block begins.
    groups : dict
        Ports by number and sub-group.
    tables : dict
        By number; those above 0 are private tables.
    private : dict
        Table number for each service level, by input port; empty where no file tells.
    by_lane : frozenset of int or None
        Service levels of which the input lane stands in place of the level; None where no file tells.
    enabled : int
        Bits of the levels at which the switch chooses.
    """

    line: int
    groups: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    tables: dict[int, ChoiceTable] = field(default_factory=dict)
    private: dict[int, tuple[int, ...]] = field(default_factory=dict)
    by_lane: frozenset[int] | None = None
    enabled: int = (1 << KEYS) - 1

    @property
    def adapts(self) -> bool:
        """Whether the switch chooses a port of some packets."""
        return bool(self.enabled) and any((table.groups != STATIC).any() for table in self.tables.values())

    def members(self, group: int) -> tuple[int, ...]:
        """Ports of all sub-groups of a group, ascending."""
        return tuple(
            sorted({port for (number, _), ports in self.groups.items() if number == group for port in ports})
        )

    def table_of(self, port: int) -> Ints:
        """Number of the table that packets from a port use, by level."""
        return np.array(self.private.get(port, (0,) * KEYS), dtype=np.int64)

    def choosing(self) -> Flags:
        """Whether the switch chooses, by level."""
        return (self.enabled >> np.arange(KEYS) & 1).astype(bool)
