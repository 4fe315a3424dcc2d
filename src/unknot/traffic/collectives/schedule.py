"""Collective operations as schedules: who sends what to whom, in which step, and after what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from unknot._base.errors import NetworkError
from unknot._base.memory import require
from unknot._base.shown import Brief
from unknot.network import Network


@dataclass(frozen=True)
class Send:
    """One message of a schedule.

    Attributes
    ----------
    step : int
        Steps count from 0; a terminal sends its messages in the order of their steps.
    source, destination : int
        Terminals.
    blocks : tuple of int
        Terminals whose data the message carries.
    size : int
        Length in blocks: as many as it carries, or one if it carries their sum.
    needs : tuple of int
        Sends, by position in the schedule, that must have arrived before it starts.
    """

    step: int
    source: int
    destination: int
    blocks: tuple[int, ...]
    size: int
    needs: tuple[int, ...] = ()


@dataclass(frozen=True, repr=False)
class Schedule(Brief):
    """A collective operation on a network.

    Attributes
    ----------
    operation : str
        `broadcast`, `multicast`, `scatter`, `gather`, `all_gather`, `reduce` or `all_reduce`.
    network : Network
    root : int
        Terminal from which data spread, or at which they meet.
    members : tuple of int
        Terminals that take part, the root among them.
    sends : tuple of Send
        Ordered by step.
    """

    operation: str
    network: Network = field(repr=False)
    root: int
    members: tuple[int, ...]
    sends: tuple[Send, ...] = field(repr=False)

    @property
    def steps(self) -> int:
        """Number of steps."""
        return max((send.step + 1 for send in self.sends), default=0)

    def step(self, number: int) -> tuple[int, ...]:
        """Sends of one step, by position."""
        return tuple(i for i, send in enumerate(self.sends) if send.step == number)

    def needed(self) -> list[int]:
        """Return for each send those that must have arrived before it starts: bit k of the number for send k.

        Raises
        ------
        SizeError
            If the numbers take more memory than may be used: messages² / 8 bytes at most.
        """
        require(f"what {len(self.sends)} messages wait for", len(self.sends) ** 2 // 8)
        needed: list[int] = []
        for send in self.sends:
            before = 0
            for i in send.needs:
                before |= 1 << i | needed[i]
            needed.append(before)
        return needed


def holdings(schedule: Schedule) -> dict[int, frozenset[int]]:
    """Members whose data each member has at the end, all sends done in order.

    Raises
    ------
    NetworkError
        If a message carries what its source does not have by then, or adds up something twice.
    """
    spreads = schedule.operation in ("broadcast", "multicast", "scatter")
    start = {m: {m} for m in schedule.members}
    if spreads:
        whole = set(schedule.members) if schedule.operation == "scatter" else {schedule.root}
        start = {m: (whole if m == schedule.root else set()) for m in schedule.members}
    held = {m: set(blocks) for m, blocks in start.items()}
    arrived: dict[int, set[int]] = {}
    adds = schedule.operation in ("reduce", "all_reduce")
    for i, send in enumerate(schedule.sends):
        known = set(start[send.source]).union(
            *(arrived[j] for j in send.needs if schedule.sends[j].destination == send.source)
        )
        if not set(send.blocks) <= known:
            missing = schedule.network.terminal_name(min(set(send.blocks) - known))
            source = schedule.network.terminal_name(send.source)
            raise NetworkError(
                f"{schedule.operation}: in step {send.step} {source} sends data of {missing} that it does not have"
            )
        arrived[i] = set(send.blocks)
        both = held[send.destination] & arrived[i]
        if adds and both and held[send.destination] != both:
            raise NetworkError(f"{schedule.operation}: data of {len(both)} members would be added up twice")
        held[send.destination] |= arrived[i]
    return {m: frozenset(blocks) for m, blocks in held.items()}


def terminals_named(network: Network, terminals: Sequence[int] | None) -> list[int]:
    """Terminals that are given, or all; each once, in the order given.

    Raises
    ------
    NetworkError
        If one does not exist or is named twice.
    """
    if terminals is None:
        return list(range(network.num_terminals))
    for terminal in terminals:
        if isinstance(terminal, bool) or not 0 <= terminal < network.num_terminals:
            last = network.num_terminals - 1
            raise NetworkError(f"{network.name} has terminals 0 to {last}; there is no {terminal!r}")
    if len(set(terminals)) < len(terminals):
        twice = next(t for i, t in enumerate(terminals) if t in terminals[:i])
        raise NetworkError(f"terminal {network.terminal_name(twice)} is named twice")
    return [int(terminal) for terminal in terminals]
