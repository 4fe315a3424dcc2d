"""What passes a channel, and when: whether there is room for a further transfer."""

from __future__ import annotations

from typing import Any

Time = Any
"""A number: rounded, or a fraction."""


class ChannelUse:
    """What passes a channel, and when: transfers one after the other, or slower ones beside each other."""

    def __init__(self, bandwidth: Time, near: Time) -> None:
        self.bandwidth, self.near = bandwidth, near
        self.last: Time = near - near
        self.alone: Time = self.last
        self.shared = list[tuple[Time, Time, Time]]()

    def free(self, begins: Time, lasts: Time, rate: Time) -> Time | None:
        """Return the next time with possible room for a rate; None if there is room at `begins`."""
        if self.last <= begins + self.near:
            return None
        if rate + self.near >= self.bandwidth:
            return self.last
        if self.alone > begins + self.near:
            return self.alone
        during = [one for one in self.shared if one[1] > begins + self.near and one[0] + self.near < begins + lasts]
        for at in {begins, *(one[0] for one in during)}:
            there = [one for one in during if one[0] <= at + self.near and one[1] > at + self.near]
            if sum((one[2] for one in there), rate) > self.bandwidth + self.near:
                return min(one[1] for one in there)
        return None

    def add(self, begins: Time, lasts: Time, rate: Time) -> None:
        """Note a transfer; none begins before the last exclusive one or the last on an empty channel."""
        if rate >= self.bandwidth or self.last <= begins:
            self.alone = self.last if rate < self.bandwidth else begins + lasts
            self.shared.clear()
        if rate < self.bandwidth:
            self.shared.append((begins, begins + lasts, rate))
        self.last = max(self.last, begins + lasts)
