"""Runs of controllers in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from unknot.verify.controllers.decision import TableVerdict
from unknot.verify.controllers.finite import LeastRooms
from unknot.verify.controllers.joined import Deadlock, Joints, JointStep
from unknot.verify.controllers.mapping import numbered
from unknot.verify.controllers.steps import ASIDE, Controllers, Message, MessageLine, State

LETTERS = "ABC"
"""Names of addresses."""


@dataclass(frozen=True)
class StalledMessage:
    """A message that stands at the head of a queue for ever.

    Attributes
    ----------
    address : str
    message : str
    node : str
        Who stalls it.
    state : str
        The state of the node for the address.
    network : list of str
        Messages of the virtual network whose queue stands behind it.
    behind : int
        Messages in that queue.
    """

    address: str
    message: str
    node: str
    state: str
    network: list[str]
    behind: int


def steps(verdict: TableVerdict) -> list[str]:
    """The run to the deadlock in words; without one, the run to a cell that is missing."""
    controllers, found = Controllers(verdict.table, verdict.caches), verdict.deadlock
    if found is None:
        moves = tuple(JointStep(0, step, after) for step, after in verdict.missing)
        found = Deadlock(moves, (controllers.start,), 1)
    words, before = [], dict.fromkeys(range(len(found.states)), controllers.start)
    for move in found.moves:
        step = move.step
        name = _name(controllers, found, step.node, move.address)
        sent = "".join(
            f"; sends {controllers.table.messages[message[0]]} to "
            f"{_name(controllers, found, channel.target, move.address)}"
            for channel, message in _sent(before[move.address], move.after, step.channel)
        )
        row = controllers.states[controllers.kinds[step.node].name][move.after[0][step.node][0]]
        act = "takes" if step.channel is not None else "begins"
        words.append(f"{LETTERS[move.address]}: {name} {act} {step.event}{sent}; is in {row}")
        before[move.address] = move.after
    return words


def virtual_networks(verdict: TableVerdict) -> str:
    """How many virtual networks are needed, in words."""
    if verdict.fewest == 0:
        return "no number is enough: messages block each other with a network for each"
    if verdict.fewest is not None:
        fewer = "fewer are not enough" if verdict.fewest_proved else "whether fewer are enough is open"
        return f"{verdict.fewest} without deadlock" + (f"; {fewer}" if verdict.fewest > 1 else "")
    if verdict.by_causes:
        number = len(verdict.by_causes)
        enough = f"{number} {'is' if number == 1 else 'are'} enough"
        return f"{enough} if each transaction ends on a network that blocks nothing"
    return "not known"


def rooms_in_words(least: LeastRooms | None) -> str | None:
    """The least rooms of queues, in words."""
    if least is None:
        return None
    tried = len(least.smaller)
    others = f"each of {tried} choices before has a deadlock" if tried else "none is cheaper"
    if not least.proved:
        others = f"not all of {tried} cheaper choices are decided"
    if least.rooms is None and not least.proved:
        return f"not settled: not all of {tried} choices are decided"
    if least.rooms is None:
        return f"none up to the largest that were tried; {others}"
    return f"{_sizes(least)}; {others}{', with any limits too' * (least.proved and bool(least.front))}"


def front_in_words(least: LeastRooms | None) -> list[str]:
    """The least rooms for each limit of entries, in words."""
    return [
        f"{_sizes(one)}: {sum(one.rooms.values())} messages, {_refuted(one)}"
        if one.rooms
        else f"{_entries(one)}: no rooms up to the largest that were tried, {_refuted(one)}"
        for one in (least.front if least is not None else ())
    ]


def _refuted(one: LeastRooms) -> str:
    return f"{len(one.smaller)} choices before {'refuted' if one.proved else 'not all decided'}"


def _entries(one: LeastRooms) -> str:
    return ", ".join(f"entries of a {name} {number}" for name, number in one.limits.items())


def _sizes(one: LeastRooms) -> str:
    rooms = ", ".join(f"{name} {number}" for name, number in (one.rooms or {}).items())
    return f"{_entries(one)}, {rooms}" if one.limits else rooms


def stalled(verdict: TableVerdict) -> list[StalledMessage]:
    """Heads of queues in the deadlock."""
    deadlock, table = verdict.deadlock, verdict.table
    if deadlock is None:
        return []
    controllers, network = Controllers(table, verdict.caches), numbered(table)
    if deadlock.heads:
        return [_head(controllers, deadlock, *one) for one in deadlock.heads]
    joints, order = Joints(controllers, None, network), dict(deadlock.order)
    heads: dict[object, StalledMessage] = {}
    for address, state in enumerate(deadlock.states):
        for channel, message in joints.stalled(address, state, order, deadlock.homes):
            queue = joints.queue(channel.target, channel.group, address, deadlock.homes)
            kind, own = controllers.kinds[channel.target].name, network[channel.group]
            groups = zip(table.messages, controllers.group_of, strict=True)
            heads.setdefault(
                queue,
                StalledMessage(
                    LETTERS[address],
                    table.messages[message[0]],
                    _name(controllers, deadlock, channel.target, address),
                    controllers.states[kind][state[0][channel.target][0]],
                    [name for name, group in groups if network[group] == own],
                    sum(_in_queue(joints, deadlock, queue)) - 1,
                ),
            )
    return list(heads.values())


def _head(
    controllers: Controllers, deadlock: Deadlock, address: int, line: MessageLine, message: Message
) -> StalledMessage:
    """A message at the head of a finite queue."""
    table, name = controllers.table, controllers.table.messages[message[0]]
    kind, network = controllers.kinds[line.target], table.network(name)
    queue = [
        one
        for at, state in enumerate(deadlock.states)
        for other, messages in state[1]
        for one in messages
        if other.target == line.target
        and table.network(table.messages[one[0]]) == network
        and (deadlock.homes == 1 or kind.many or at == address)
    ]
    state = controllers.states[kind.name][deadlock.states[address][0][line.target][0]]
    node = _name(controllers, deadlock, line.target, address)
    return StalledMessage(LETTERS[address], name, node, state, table.designed[network], len(queue) - 1)


def _in_queue(joints: Joints, deadlock: Deadlock, queue: object) -> Iterator[int]:
    for address, state in enumerate(deadlock.states):
        for channel, messages in state[1]:
            if channel.group != ASIDE and queue == joints.queue(
                channel.target, channel.group, address, deadlock.homes
            ):
                yield len(messages)


def _sent(before: State, after: State, taken: MessageLine | None) -> Iterator[tuple[MessageLine, Message]]:
    """Messages that a step added."""
    were = dict(before[1])
    for channel, messages in after[1]:
        rest = list(messages)
        for message in were.get(channel, ()):
            if message in rest:
                rest.remove(message)
        yield from ((channel, message) for message in rest if channel.group != ASIDE)


def _name(controllers: Controllers, deadlock: Deadlock, node: int, address: int) -> str:
    name = controllers.names[node]
    apart = deadlock.homes > 1 and not controllers.kinds[node].many
    return f"{name} of {LETTERS[address]}" if apart else name
