"""What switches that route adaptively choose from: groups of ports, and tables that name them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Choice:
    """Routing of a LID at a switch: a static port, how the switch chooses, and the number of a group (−1: none)."""

    port: int
    state: str
    group: int


@dataclass
class SwitchGroups:
    """Groups of one switch by number and sub-group, and its choices by private table and LID."""

    line: int
    groups: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    choices: dict[int, dict[int, Choice]] = field(default_factory=dict)

    @property
    def adapts(self) -> bool:
        """Whether the switch chooses a port of some packets."""
        return any(choice.state != "Static" for table in self.choices.values() for choice in table.values())
