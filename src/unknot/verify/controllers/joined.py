"""Deadlocks of several addresses, put together from runs of single ones.

Runs of addresses interleave freely, but for two things: queues in front of which a stalled message stands, which a
run needs only in the end, and networks that keep the order of messages of different addresses. The search looks for
an interleaving that keeps to the order and ends with all queues blocked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, permutations

from unknot.verify.controllers.blocking import QueuePattern, standing
from unknot.verify.controllers.reachable import Reached
from unknot.verify.controllers.renaming import Renaming
from unknot.verify.controllers.steps import ASIDE, Controllers, ControllerStep, Message, MessageLine, State
from unknot.verify.controllers.table import StateTable

MOST_PAIRS = 4000
"""Combinations of states that are tried."""
MOST_POSITIONS = 20_000
"""Interleavings of a combination that are looked at."""
AddressRun = list[tuple[ControllerStep, State]]
"""Steps for an address, each with the state after it."""
Place = tuple[int, int]
"""A node, and the address of which it is the home; 0 for nodes of all addresses."""


Line = tuple[Place, int, Place]
"""Messages of all addresses from a node to another: target, group, source."""
Queue = tuple[Place, int]
"""A node, and the number of a virtual network."""
Order = Mapping[Line, tuple[int, ...]]


@dataclass(frozen=True)
class JointStep:
    """A step for an address."""

    address: int
    step: ControllerStep
    after: State


@dataclass(frozen=True)
class Deadlock:
    """A run of several addresses after which all queues with messages stand still.

    Attributes
    ----------
    moves : tuple of JointStep
        The run.
    states : tuple of State
        The last state of each address.
    homes : int
        1: all addresses have the same home; otherwise each has its own.
    order : tuple of (line, addresses)
        Addresses of the messages on each ordered line from a node to another, the oldest first.
    heads : tuple of (address, line, message)
        With finite queues, the messages at their heads.
    """

    moves: tuple[JointStep, ...]
    states: tuple[State, ...]
    homes: int
    order: tuple[tuple[Line, tuple[int, ...]], ...] = ()
    heads: tuple[tuple[int, MessageLine, Message], ...] = ()

    @property
    def sure(self) -> bool:
        """Whether no step depends on a condition that was left out."""
        return not any(move.step.merged for move in self.moves)


class Joints:
    """Search for deadlocks of several addresses."""

    def __init__(self, controllers: Controllers, reached: Reached | None, network: Sequence[int]) -> None:
        self.controllers, self.reached, self.network = controllers, reached, network
        self.names = Renaming(controllers)
        self.runs: dict[int, AddressRun] = {}

    def run(self, number: int) -> AddressRun:
        """Steps to a state with its own names of caches."""
        if number not in self.runs and self.reached is not None:
            run = self.reached.alone(number)
            last = run[-1][1] if run else self.controllers.start
            state = self.reached.state(number)
            order = next(one for one in self.names.renamed if self.names.exchanged(last, one) == state)
            self.runs[number] = self._renamed(run, order)
        return self.runs[number]

    def place(self, node: int, address: int, homes: int) -> Place:
        shared = homes == 1 or self.controllers.kinds[node].many
        return node, 0 if shared else address

    def deadlock(self, blocked: Mapping[QueuePattern, list[int]], addresses: int = 2) -> Deadlock | None:
        """Look for a deadlock of at most so many addresses."""
        for one, states in blocked.items():
            if not one.needs and (found := self._joined([self.run(states[0])], 1)):
                return found
        tried = 0
        for count in range(2, addresses + 1):
            for group in self._candidates(blocked, count):
                tried += 1
                if tried > MOST_PAIRS:
                    return None
                for homes in (count, 1):
                    if found := self._joined(group, homes):
                        return found
        return None

    def _candidates(self, blocked: Mapping[QueuePattern, list[int]], count: int) -> Iterator[list[AddressRun]]:
        """Runs of addresses whose last states block each other, if caches are exchanged."""
        listed = list(blocked.items())
        for chosen in combinations_with_replacement(range(len(listed)), count):
            for orders in self._fitting([listed[i][0] for i in chosen]):
                for pick in range(max(len(listed[i][1]) for i in chosen)):
                    yield [
                        self._renamed(self.run(states[min(pick, len(states) - 1)]), order)
                        for (_, states), order in zip((listed[i] for i in chosen), orders, strict=True)
                    ]

    def _fitting(self, patterns: Sequence[QueuePattern]) -> Iterator[list[tuple[int, ...]]]:
        """Names of caches for each address, such that the queues of all stand still."""
        identity = tuple(range(self.controllers.caches))

        def chosen(orders: list[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
            if len(orders) < len(patterns):
                for order in permutations(identity) if orders else [identity]:
                    yield from chosen([*orders, order])
                return
            renamed = [self._queues(one, order) for one, order in zip(patterns, orders, strict=True)]
            heads = [queue for one in renamed for queue in one.blocks]
            if all(one.needs <= {*heads} for one in renamed):
                yield orders

        yield from chosen([])

    def _queues(self, one: QueuePattern, order: tuple[int, ...]) -> QueuePattern:
        to = self.names.renamed[order]
        return QueuePattern(
            frozenset((to[node], network) for node, network in one.needs),
            frozenset((to[node], network) for node, network in one.blocks),
        )

    def _renamed(self, run: Iterable[tuple[ControllerStep, State]], order: tuple[int, ...]) -> AddressRun:
        to, changed = self.names.renamed[order], []
        for step, state in run:
            one: State = ((), ((step.channel, (step.message,)),)) if step.channel else ((), ())
            channels = self.names.exchanged(one, order)[1]
            moved = step._replace(node=to[step.node])
            if channels:
                moved = moved._replace(channel=channels[0][0], message=channels[0][1][0])
            changed.append((moved, self.names.exchanged(state, order)))
        return changed

    def _joined(self, runs: Sequence[Sequence[tuple[ControllerStep, State]]], homes: int) -> Deadlock | None:
        """Interleave runs so that networks keep their orders and nothing moves in the end."""
        seen: set[object] = set()
        stack: list[tuple[tuple[int, ...], dict[Line, tuple[int, ...]], tuple[JointStep, ...]]] = [
            ((0,) * len(runs), {}, ())
        ]
        while stack and len(seen) < MOST_POSITIONS:
            at, order, moves = stack.pop()
            if all(i == len(run) for i, run in zip(at, runs, strict=True)):
                states = tuple(run[-1][1] for run in runs)
                if self.stands(states, order, homes):
                    return Deadlock(moves, states, homes, tuple(order.items()))
                continue
            for address, run in enumerate(runs):
                if at[address] == len(run):
                    continue
                step, after = run[at[address]]
                before = run[at[address] - 1][1] if at[address] else self.controllers.start
                queues = self._onward(order, address, step, before, after, homes)
                if queues is None:
                    continue
                position = (*at[:address], at[address] + 1, *at[address + 1 :])
                key = (position, tuple(sorted(queues.items(), key=repr)))
                if key not in seen:
                    seen.add(key)
                    stack.append((position, queues, (*moves, JointStep(address, step, after))))
        return None

    def line(self, channel: MessageLine, address: int, homes: int) -> Line:
        """The line of a channel of an address."""
        return self.place(channel.target, address, homes), channel.group, self.place(channel.source, address, homes)

    def _onward(
        self,
        order: dict[Line, tuple[int, ...]],
        address: int,
        step: ControllerStep,
        before: State,
        after: State,
        homes: int,
    ) -> dict[Line, tuple[int, ...]] | None:
        """Addresses of messages on each ordered channel after a step; None where the message is not the first."""
        order = dict(order)
        taken = step.channel
        if taken is not None and taken.group != ASIDE and self.controllers.ordered[taken.group]:
            line = self.line(taken, address, homes)
            if order[line][0] != address:
                return None
            order[line] = order[line][1:]
        were: dict[MessageLine, tuple[Message, ...]] = dict(before[1])
        for channel, messages in after[1]:
            if channel.group != ASIDE and self.controllers.ordered[channel.group]:
                kept = len(were.get(channel, ())) - (channel == taken)
                line = self.line(channel, address, homes)
                order[line] = order.get(line, ()) + (address,) * (len(messages) - kept)
        return {line: row for line, row in order.items() if row}

    def stands(self, states: Sequence[State], order: Order, homes: int, *, surely: bool = False) -> bool:
        """Whether each queue with messages has a message that may be at its head and is stalled, or surely is."""
        full: set[Queue] = set()
        still: set[Queue] = set()
        for address, state in enumerate(states):
            one = standing(self.controllers, state)
            if one.moving:
                return False
            full |= {self.queue(node, group, address, homes) for node, group in one.full}
            stalled = self.stalled(address, state, order, homes, surely=surely)
            still |= {self.queue(channel.target, channel.group, address, homes) for channel, _ in stalled}
        return full <= still

    def queue(self, node: int, group: int, address: int, homes: int) -> Queue:
        """The queue of a group of messages of an address at a node."""
        return self.place(node, address, homes), self.network[group]

    def stalled(
        self, address: int, state: State, order: Order, homes: int, *, surely: bool = False
    ) -> Iterator[tuple[MessageLine, Message]]:
        """Messages of an address that may be the head of their queue, and are stalled there."""
        for channel, message in self.controllers.heads(state):
            if channel.group == ASIDE:
                continue
            first = order.get(self.line(channel, address, homes), (address,))[0] == address
            event = self.controllers.table.messages[message[0]]
            row = state[0][channel.target]
            outcomes = self.controllers.outcomes(channel.target, row, event, channel.source, message)
            stalls = [one.answer == "stall" and not (surely and one.merged) for one in outcomes]
            if first and (all(stalls) if surely and stalls else any(stalls)):
                yield channel, message


def each_alone(table: StateTable) -> StateTable:
    """The table with a network for each message, in order where its own network was."""
    ordered = tuple(name for name in table.messages if table.network(name) in table.ordered)
    return replace(table, networks={}, ordered=ordered, inside=())


def stands_apart(controllers: Controllers, deadlock: Deadlock) -> bool:
    """Whether a deadlock is there with a network for each message too.

    The run is one of such networks; messages that stood behind others of their network may be heads there.
    """
    finest = Controllers(each_alone(controllers.table), controllers.caches)

    def apart(state: State) -> State:
        channels: dict[MessageLine, tuple[Message, ...]] = {}
        for channel, messages in state[1]:
            for message in messages:
                group = ASIDE if channel.group == ASIDE else finest.group_of[message[0]]
                own = channel._replace(group=group)
                channels[own] = (*channels.get(own, ()), message)
        return state[0], tuple(sorted(channels.items()))

    order: dict[Line, tuple[int, ...]] = {}
    joints = Joints(finest, None, range(len(finest.groups)))
    for (target, group, source), addresses in deadlock.order:
        left = [list(_on_line(joints, deadlock, i, (target, group, source))) for i in range(len(deadlock.states))]
        for address in addresses:
            line = (target, finest.group_of[left[address].pop(0)[0]], source)
            order[line] = (*order.get(line, ()), address)
    return joints.stands([apart(state) for state in deadlock.states], order, deadlock.homes)


def _on_line(joints: Joints, deadlock: Deadlock, address: int, line: Line) -> Iterator[Message]:
    """Messages of an address on a line, the oldest first."""
    for channel, messages in deadlock.states[address][1]:
        if line == joints.line(channel, address, deadlock.homes):
            yield from messages
