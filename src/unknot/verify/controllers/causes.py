"""Causes, stalls and waits of messages: a sufficient condition for tables of any size.

After Li, Goens, Oswald, Nagarajan and Sorin, "Determining the Minimum Number of Virtual Networks for Different
Coherence Protocols", ISCA 2024. A message causes another one if some node takes the first and sends the second.
A node that stalls a message waits for what its kind has sent, and all that this causes. Such a message may
stand in a queue behind a stalled one, and so on. Without a cycle of stalled messages there is no deadlock, for
any number of nodes, if the protocol ends each transaction on a network that blocks nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from unknot.network.graph import reached_from
from unknot.verify.controllers.cells import Send
from unknot.verify.controllers.table import StateTable

Stall = tuple[str, str]
"""A kind of nodes, and a message that it stalls."""


def causes(table: StateTable) -> dict[str, set[str]]:
    """By message, the messages that are sent when one is taken."""
    caused: dict[str, set[str]] = {name: set() for name in table.messages}
    for kind, rule in table.rules():
        if rule.event not in kind.begun:
            sent = {one.message for one in rule.does if isinstance(one, Send)}
            caused.setdefault(rule.event, set()).update(sent)
    return caused


def stalls(table: StateTable) -> list[Stall]:
    """Messages that a kind of nodes stalls at the head of a queue."""
    stalled = {(kind.name, rule.event) for kind, rule in table.rules() if rule.answer == "stall"}
    return sorted(one for one in stalled if one[1] in table.messages)


def awaited(table: StateTable) -> dict[str, set[str]]:
    """Messages for which nodes of each kind may wait: all sent by the kind, and all consequences."""
    caused = causes(table)
    sent: dict[str, set[str]] = {}
    for kind, rule in table.rules():
        sent.setdefault(kind.name, set()).update(one.message for one in rule.does if isinstance(one, Send))
    return {name: set(reached_from(first, caused.__getitem__)) for name, first in sent.items()}


def takers(table: StateTable) -> dict[str, set[str]]:
    """By message, the kinds of nodes that take or stall one."""
    kinds: dict[str, set[str]] = {}
    for kind, rule in table.rules():
        kinds.setdefault(rule.event, set()).add(kind.name)
    return kinds


def acyclic(table: StateTable, network: Sequence[int]) -> bool:
    """Whether no stalled messages can wait for each other in a cycle under a mapping of groups to networks."""
    listed, waits, kinds = stalls(table), awaited(table), takers(table)
    carrier = {name: network[table.groups.index(table.group(name))] for name in table.messages}

    def queues(message: str) -> set[tuple[str, int]]:
        return {(kind, carrier[message]) for kind in kinds.get(message, ())}

    def behind(stall: Stall) -> list[Stall]:
        """Stalls in front of messages for which a stalled message waits."""
        needed = set().union(*(queues(message) for message in waits[stall[0]]))
        return [one for one in listed if (one[0], carrier[one[1]]) in needed]

    return not any(stall in reached_from(behind(stall), behind) for stall in listed)
