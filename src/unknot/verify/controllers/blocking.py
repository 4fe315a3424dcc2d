"""Messages of several addresses that wait behind each other's stalled messages.

A queue is a node's queue of a virtual network. It stands still if a message may be at its head that its node stalls.
In a deadlock all queues with messages stand still. Seen from an address, each of its queues has a stalled head of its
own or waits behind that of another address. So a set of states of single addresses is enough to decide: those whose
queues all stand still through heads of states of the set. The greatest such set is empty where there is no deadlock,
of any number of addresses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from unknot.verify.controllers.reachable import WaitingQueues
from unknot.verify.controllers.steps import ASIDE, Controllers, ControllerStep, State, moves

Queue = tuple[int, int]
"""A node and the number of a virtual network."""


@dataclass(frozen=True)
class Standing(WaitingQueues):
    """What waits in a state of one address.

    Attributes
    ----------
    moving : bool
        Whether something moves whatever other addresses do: a message set aside is taken, or the table lacks a cell.
    waits : bool
        Whether anything waits for ever if nothing moves: a message, or a core whose requests are all stalled.
    """

    moving: bool
    waits: bool


def standing(controllers: Controllers, state: State) -> Standing:
    """Say what waits in a state."""
    full, stalls, moving = set(), set(), False
    refused: set[int] = set()
    for channel, message in controllers.heads(state):
        node = channel.target
        event = controllers.table.messages[message[0]]
        outcomes = controllers.outcomes(node, state[0][node], event, channel.source, message)
        if channel.group == ASIDE:
            moving |= any(moves(ControllerStep(node, event, channel, message), one) for one in outcomes)
            continue
        full.add((node, channel.group))
        moving |= not outcomes
        if any(one.answer == "stall" for one in outcomes):
            stalls.add((node, channel.group))
    for node, row in enumerate(state[0]):
        kind = controllers.kinds[node]
        moving |= any(controllers.outcomes(node, row, event, node, ()) for event in kind.timers)
        answers = [controllers.outcomes(node, row, event, node, ()) for event in kind.core]
        if any(answers) and all(one.answer != "take" for several in answers for one in several):
            refused.add(node)
    return Standing(frozenset(full), frozenset(stalls), moving, bool(refused or state[1]))


@dataclass(frozen=True)
class QueuePattern:
    """Queues of a state of one address under a mapping to virtual networks.

    Attributes
    ----------
    needs : frozenset of (node, network)
        Queues with messages and no stalled head of the address.
    blocks : frozenset of (node, network)
        Queues with a stalled head.
    """

    needs: frozenset[Queue]
    blocks: frozenset[Queue]


def pattern(one: WaitingQueues, network: Sequence[int]) -> QueuePattern:
    """The queues of a state, where each group has a virtual network."""
    blocks = frozenset((node, network[group]) for node, group in one.stalls)
    return QueuePattern(frozenset((node, network[group]) for node, group in one.full) - blocks, blocks)


def blocked(
    controllers: Controllers, patterns: Iterable[QueuePattern], *, anywhere: bool = False
) -> list[QueuePattern]:
    """The greatest set of patterns whose queues all stand still through heads of the set, up to names of caches.

    With `anywhere` a head stands in front of all queues of its network.
    """

    def kinds(queues: Iterable[Queue]) -> frozenset[tuple[str, int]]:
        return frozenset(("" if anywhere else controllers.kinds[node].name, network) for node, network in queues)

    left = {one: (kinds(one.needs), kinds(one.blocks)) for one in patterns}
    while True:
        heads = frozenset().union(*(blocks for _, blocks in left.values()))
        kept = {one: sides for one, sides in left.items() if sides[0] <= heads}
        if len(kept) == len(left):
            return list(kept)
        left = kept


class WaitingStates:
    """States of one address by their waiting messages, the first found of each kind first."""

    def __init__(self, controllers: Controllers, kinds: Mapping[WaitingQueues, list[int]]) -> None:
        self.controllers, self.kinds = controllers, kinds

    def blocked(self, network: Sequence[int]) -> Mapping[QueuePattern, list[int]]:
        """States that may be part of a deadlock under a mapping, by their patterns."""
        patterns: dict[QueuePattern, list[int]] = {}
        for one, states in self.kinds.items():
            patterns.setdefault(pattern(one, network), []).extend(states)
        return {one: patterns[one] for one in blocked(self.controllers, patterns)}
