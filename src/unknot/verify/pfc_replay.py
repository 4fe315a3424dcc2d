"""Packets of some flows under PFC, tick by tick: whether they come to stand still for ever.

Ports are at times busy with other classes, senders silent and receivers congested, by lot; all of it can happen.
In the end every port serves this class alone, every host receives and nobody sends: what is left then is a deadlock.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from random import Random

from unknot.routing.lossless import Hop, Place, Walk

THRESHOLD = 2
"""Packets in a priority group at which it pauses its sender; what can happen does not depend on it."""
TICKS, SEEDS = 2000, 24
"""Ticks in which senders send; runs with other lots."""
CHANGE = 0.06
"""Probability that a port or a sender changes between busy and idle in a tick."""


@dataclass(frozen=True)
class Flow:
    """A flow: the place at which it starts, and its steps by the choice of the hash at each switch."""

    start: Place
    hops: tuple[Hop, ...]

    def place(self, steps: int) -> Place:
        """The place after some steps."""
        return self.hops[steps - 1].place if steps else self.start


@dataclass(frozen=True)
class Standstill:
    """Packets that never move again although every host receives and every port is idle.

    Attributes
    ----------
    seed : int
        Seed of the run.
    held : tuple of (int, int, int)
        Channel, priority group, and number of packets in it.
    """

    seed: int
    held: tuple[tuple[int, int, int], ...]


@dataclass(eq=False)
class _Run:
    """A run: packets by flow and steps gone, in the queues of ports, and their number in each priority group."""

    walk: Walk
    flows: list[Flow]
    random: Random
    queues: dict[tuple[int, int], deque[tuple[int, int]]] = field(default_factory=dict)
    held: dict[tuple[int, int], int] = field(default_factory=dict)
    busy: dict[int, bool] = field(default_factory=dict)

    def enqueue(self, flow: int, steps: int) -> None:
        """Put a packet into the queue of its next step; at its last switch into that of its host."""
        place, hops = self.flows[flow].place(steps), self.flows[flow].hops
        last = len(self.flows) + flow
        queue = (hops[steps].channel, hops[steps].queue) if steps < len(hops) else (-1 - last, 0)
        self.queues.setdefault(queue, deque()).append((flow, steps))
        self.held[place.channel, place.group] = self.held.get((place.channel, place.group), 0) + 1

    def paused(self, channel: int, queue: int) -> bool:
        """Whether a group at the far end pauses a queue; a host, with a negative number, is congested or not."""
        groups = self.walk.model.pauses[channel].items() if channel >= 0 else ()
        return any(q == queue and self.held.get((channel, g), 0) >= THRESHOLD for g, q in groups)

    def lot(self, key: int) -> bool:
        """Whether a port is busy in this tick, or a host, by a negative number, silent or congested."""
        if self.random.random() < CHANGE:
            self.busy[key] = not self.busy.get(key, False)
        return self.busy.get(key, False)

    def serve(self, *, free: bool) -> bool:
        """Send a packet of each idle port that is not paused; whether there was one."""
        ready = [key for key, line in self.queues.items() if line and not self.paused(*key)]
        self.random.shuffle(ready)
        moving = {key[0]: key for key in ready if free or not self.lot(key[0])}
        for key in moving.values():
            flow, steps = self.queues[key].popleft()
            place = self.flows[flow].place(steps)
            self.held[place.channel, place.group] -= 1
            if steps < len(self.flows[flow].hops):
                self.enqueue(flow, steps + 1)
        return bool(moving)


def replay(walk: Walk, flows: list[Flow]) -> Standstill | None:
    """Run some flows until they stand still for ever.

    Returns
    -------
    Standstill or None
        What is left in the first run that does not drain; None if all do.
    """
    for seed in range(SEEDS):
        run = _Run(walk, flows, Random(seed))
        for _ in range(TICKS):
            for number, flow in enumerate(flows):
                step = flow.hops[0]
                if not run.lot(-1 - number) and (number, 0) not in run.queues.get((step.channel, step.queue), ()):
                    run.enqueue(number, 0)
            run.serve(free=False)
        while run.serve(free=True):
            pass
        left = tuple((c, g, n) for (c, g), n in sorted(run.held.items()) if n and c >= 0)
        if left:
            return Standstill(seed, left)
    return None
