"""Whether a deadlock lasts whatever cores begin later."""

from __future__ import annotations

from collections.abc import Sequence

from unknot.verify.controllers.joined import Deadlock, Joints, Queue
from unknot.verify.controllers.steps import ASIDE, ControllerStep, Message, MessageLine, State, moves

Heads = dict[Queue, tuple[int, MessageLine, Message]]
"""By queue, the address and the message at its head."""
MOST_LATER = 20_000
"""States of an address after a deadlock that are looked at."""


def lasts(joints: Joints, deadlock: Deadlock) -> bool | None:
    """Whether the stalled heads of a deadlock are stalled for ever; None beyond `MOST_LATER` states of an address.

    Each address goes on alone: its cores begin what they like, and messages are taken from queues that still move.
    So more can happen than in a real run.
    """
    order = dict(deadlock.order)
    queues: Heads = {}
    for address, state in enumerate(deadlock.states):
        for channel, message in joints.stalled(address, state, order, deadlock.homes):
            queue = joints.queue(channel.target, channel.group, address, deadlock.homes)
            queues.setdefault(queue, (address, channel, message))
    answers = [_lasts(joints, deadlock, address, queues) for address in range(len(deadlock.states))]
    return False if False in answers else None if None in answers else True


def _lasts(joints: Joints, deadlock: Deadlock, address: int, queues: Heads) -> bool | None:
    controllers = joints.controllers
    heads = [(channel, message) for at, channel, message in queues.values() if at == address]
    seen = {deadlock.states[address]}
    left = [*seen]
    while left:
        state = left.pop()
        if not all(_stalled(joints, state, channel, message) for channel, message in heads):
            return False
        for step, outcome in controllers.offered(state):
            if outcome is None or not moves(step, outcome) or _stands(joints, deadlock, address, step, queues):
                continue
            after = controllers.after(state, step, outcome)
            if after not in seen:
                if len(seen) >= MOST_LATER:
                    return None
                seen.add(after)
                left.append(after)
    return True


def _stands(joints: Joints, deadlock: Deadlock, address: int, step: ControllerStep, queues: Heads) -> bool:
    channel = step.channel
    if channel is None or channel.group == ASIDE:
        return False
    return joints.queue(channel.target, channel.group, address, deadlock.homes) in queues


def _stalled(joints: Joints, state: State, channel: MessageLine, message: Message) -> bool:
    """Whether a node can do nothing but stall a message."""
    event = joints.controllers.table.messages[message[0]]
    row = state[0][channel.target]
    outcomes: Sequence[object] = [
        one.answer for one in joints.controllers.outcomes(channel.target, row, event, channel.source, message)
    ]
    return bool(outcomes) and all(answer == "stall" for answer in outcomes)
