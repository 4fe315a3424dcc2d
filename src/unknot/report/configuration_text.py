"""A deadlock configuration in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from unknot._base.arrays import columns
from unknot._base.phrases import count, listed
from unknot.certificates.verdict import Configuration, Message, Reachability
from unknot.network import Network
from unknot.network.graph import shortest_cycle
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation

if TYPE_CHECKING:
    from unknot.simulation.traces.replay import Replay

MAX_STARTS = 500
"""Messages through which a cycle is looked for."""

REACHED: dict[Reachability, str] = {
    "injected": "Every message reaches back to its own terminal: injecting all messages makes the deadlock.",
    "scheduled": "Injecting the messages in order, each after its predecessor stands still, makes the deadlock.",
    "not-established": (
        "Each message by itself can reach its place; whether all messages can at once was not shown."
    ),
}


@takes_relation
def describe(relation: Relation, configuration: Configuration, *, packet_length: int | None = None) -> list[str]:
    """Describe what each message holds and waits for, the cycle of waiting messages, and how it is reached.

    Parameters
    ----------
    configuration : Configuration
        The packets that block each other.
    packet_length : int, optional
        For a knot that a simulation ran into: the flits of its packets. Nothing is then said of how it is reached.

    Returns
    -------
    list of str
        One sentence of introduction, one entry per message in order, one for the cycle, one for the reachability.

    Examples
    --------
    >>> from unknot.verify import check
    >>> configuration = check("ring(4)", routing="dimension_order").configuration
    >>> sentences = describe("ring(4)", configuration, routing="dimension_order")
    >>> len(sentences)
    7
    >>> print(sentences[1])
    Message 1: t0 at (0) → t2 at (2), 8 flits, holds (0)→(1); waits for (1)→(2) (held by message 2).
    """
    messages = configuration.messages
    if configuration.queued:
        return _in_queues(relation, configuration)
    held = sum(len(message.held) for message in messages)
    each = "The header waits" if len(messages) == 1 else "Each header waits"
    ring, holder = circle(configuration), configuration.holder
    knot = " → ".join(str(m + 1) for m in [*ring, ring[0]]) if ring else ""
    return [
        f"{count(len(messages), 'message')} on {count(held, 'virtual channel')} can never move again. "
        f"{each} only for virtual channels held by messages of the deadlock.",
        *(
            f"Message {i + 1}: {describe_message(relation, m, i, holder, packet_length or m.length)}"
            for i, m in enumerate(messages)
        ),
        *([f"Messages wait for each other in a cycle: message {knot}."] if knot else []),
        *([] if packet_length else [reached(configuration)]),
    ]


def reached(configuration: Configuration) -> str:
    """How the messages come to stand as they do."""
    if configuration.order:
        moves = ", ".join(str(k + 1) for k in configuration.order)
        return f"Their headers go on by a virtual channel each in the order of messages {moves}."
    return REACHED[configuration.reachability]


def _in_queues(relation: Relation, configuration: Configuration) -> list[str]:
    """The messages of a deadlock that stand in queues, several to a virtual channel."""
    vcs, lines, messages, flow = relation.vcs, list[str](), configuration.messages, configuration.flow
    packets = configuration.buffer_depth // max(message.length for message in messages)
    for number, message in enumerate(messages, start=1):
        place = f"in {vcs.name(message.held[-1])}" if message.held else "at its port"
        awaited = listed([vcs.name(vc) for vc in message.wanted], "or")
        does = f"waits {place} for {awaited}" if awaited else f"stands {place} behind another"
        if message.lead and not message.held:
            does = "has left the network"
        lines.append(f"Message {number}: {journey(relation, message)}, {does}.")
    return [
        f"{count(len(messages), 'message')} can never move again. Virtual channels have room for "
        f"{count(packets, 'packet')} each{f', under {flow.name}' if flow is not None else ''}.",
        *lines,
        reached(configuration),
    ]


def describe_message(
    relation: Relation, message: Message, index: int, holder: Mapping[int, int], flits: int | None = None
) -> str:
    """A message in words: its source, its target, the VCs it holds and waits for, and their holders."""
    vcs = relation.vcs
    requested = []
    for vc in message.wanted:
        by = holder.get(vc)
        who = "itself" if by == index else f"message {by + 1}" if by is not None else "nobody"
        requested.append(f"{vcs.name(vc)} (held by {who})")
    held = listed([vcs.name(vc) for vc in message.held])
    long = f", {count(flits, 'flit')}" if flits else ""
    return f"{journey(relation, message)}{long}, holds {held}; waits for {listed(requested, 'or') or 'nothing'}."


def journey(relation: Relation, message: Message) -> str:
    """Source and destination of a message."""
    network, target = relation.network, int(relation.destination[message.address])
    start = network.terminal_name(message.source) + _seat(network, int(network.inject[message.source]))
    return f"{start} → {relation.address_name(message.address)}{_seat(network, int(network.eject[target]))}"


def _seat(network: Network, router: int) -> str:
    """The router of a terminal, where its name does not say it."""
    return "" if network.terminal_labels is not None else f" at {network.router_name(router)}"


def waits(configuration: Configuration) -> list[tuple[int, ...]]:
    """Return for each message the positions of the holders it waits for, or of the first message in its VC."""
    holder = configuration.holder
    holders = []
    for i, message in enumerate(configuration.messages):
        if message.wanted:
            holders.append({holder[vc] for vc in message.wanted if vc in holder})
        else:
            holders.append({holder[vc] for vc in message.held[-1:]} - {i})
    return [tuple(sorted(others)) for others in holders]


def circle(configuration: Configuration) -> list[int]:
    """A short cycle of messages each of which waits for the next; empty when there is none."""
    pairs = [(m, other) for m, holders in enumerate(waits(configuration)) for other in holders]
    tail, head = columns(pairs)
    return shortest_cycle(tail, head, MAX_STARTS)


def replayed(replay: Replay | None) -> list[str]:
    """Describe in a sentence the outcome of a configuration in the simulator."""
    if replay is None:
        return []
    how = "injected at the terminals" if replay.injected else "placed in the buffers"
    if replay.stuck:
        return [f"In the simulator no message, {how}, had moved after {count(replay.cycles, 'cycle')}."]
    return [f"In the simulator the messages, {how}, did not stay blocked within {count(replay.cycles, 'cycle')}."]
