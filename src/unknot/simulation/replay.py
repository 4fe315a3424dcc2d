"""Replay of a deadlock configuration in the simulator."""

from __future__ import annotations

from dataclasses import dataclass

from unknot.verify.verdict import Configuration


@dataclass(frozen=True)
class Replay:
    """What became of a configuration that was put into the simulator.

    Attributes
    ----------
    stuck : bool
        No message of it moved until the end, and the detector found the knot.
    injected : bool
        True when the messages were injected at their terminals and travelled there; False when they were placed.
    cycles : int
        Cycles simulated.
    waits : tuple of (int, tuple of int)
        Who waits for whom: for each message, by position in the configuration, the messages that hold what it
        wants.
    found : Configuration or None
        The knot as the detector reports it.
    """

    stuck: bool
    injected: bool
    cycles: int
    waits: tuple[tuple[int, tuple[int, ...]], ...]
    found: Configuration | None
