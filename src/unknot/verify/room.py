"""When a packet may enter a VC: room for whole packets, and the rule of rings that it enters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unknot.routing.bubble import Bubble

Held = Mapping[int, int] | Sequence[int]
"""Packets in each VC."""


@dataclass(frozen=True)
class Room:
    """VCs with room for a number of packets, with bubble flow control or without.

    Attributes
    ----------
    packets : int
    bubble : Bubble or None
    """

    packets: int
    bubble: Bubble | None = None

    @property
    def marks(self) -> tuple[int, ...]:
        """The VC of the marked slot of each ring, before anything is sent; none without marks."""
        bubble = self.bubble
        return tuple(ring[0] for ring in bubble.rings) if bubble is not None and bubble.rule == "critical" else ()

    def takes(self, held: Held, marks: Sequence[int], at: int, vc: int) -> bool:
        """Whether a packet in an input VC, or at a port, may go to a VC."""
        bubble, room = self.bubble, self.packets - held[vc]
        entered = bubble.entered(at, vc) if bubble is not None and room > 0 else ()
        if bubble is None or not entered:
            return room > 0
        if bubble.rule == "localised":
            return room > 1
        if bubble.rule == "critical":
            return room > sum(marks[r] == vc for r in entered)
        return all(sum(self.packets - held[v] for v in bubble.rings[r]) > 1 for r in entered)

    def marks_after(self, held: Held, marks: tuple[int, ...], at: int, vc: int) -> tuple[int, ...]:
        """Marks after the move of a packet; a mark on the taken slot goes back to the slot left."""
        if self.bubble is None or not marks or held[vc] < self.packets:
            return marks
        before = self.bubble.before.get(vc, {})
        return tuple(at if mark == vc and before.get(r) == at else mark for r, mark in enumerate(marks))
