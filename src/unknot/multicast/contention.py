"""Which messages of a schedule may meet on a channel, under any route the relation permits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot.errors import RelationError
from unknot.multicast.schedule import Schedule
from unknot.routing.relation import EJECT, VC_MASK, Relation
from unknot.simulation.addresses import addresses
from unknot.verify.states import Explorer


@dataclass(frozen=True)
class Meeting:
    """Two messages, by position in the schedule, and a channel that both may use at a time.

    Attributes
    ----------
    one, other : int
    channel : int
    same_step : bool
        Whether both belong to one step; else the later one may start before the earlier has arrived.
    """

    one: int
    other: int
    channel: int
    same_step: bool


def contention(relation: Relation, schedule: Schedule) -> list[Meeting]:
    """Messages that may share a channel and are not kept apart by what they wait for.

    Messages of one terminal are sent one after the other and are not counted.

    Returns
    -------
    list of Meeting
        One for each two messages, by step. O(messages² · channels / 64) beside visiting each destination's states.

    Raises
    ------
    RelationError
        If the schedule is for another network, or a terminal has no address for another.
    """
    used = channels_used(relation, schedule)
    packed = np.packbits(used, axis=1)
    before = schedule.needed()
    found = []
    for i, one in enumerate(schedule.sends):
        shared = (packed[i] & packed[i + 1 :]).any(axis=1)
        for j in (np.flatnonzero(shared) + i + 1).tolist():
            other = schedule.sends[j]
            if one.source == other.source or i in before[j] or j in before[i]:
                continue
            channel = int(np.flatnonzero(used[i] & used[j])[0])
            found.append(Meeting(i, j, channel, one.step == other.step))
    return found


def channels_used(relation: Relation, schedule: Schedule) -> npt.NDArray[np.bool_]:
    """Channels each message may use: bool array, shape (messages, channels)."""
    same_network(relation, schedule)
    space = Explorer(relation)
    places = relation.vcs
    used = np.zeros((len(schedule.sends), relation.network.num_channels), dtype=bool)
    by_address: dict[int, list[int]] = {}
    for i, send in enumerate(schedule.sends):
        for address in addresses(relation, send.source, send.destination):
            by_address.setdefault(address, []).append(i)
    for address, members in by_address.items():
        order, first, value = space.visit(address)
        row = {int(at): k for k, at in enumerate(order)}
        ways = {at: (value[first[k] : first[k + 1]] & VC_MASK).tolist() for at, k in row.items()}
        for i in members:
            todo = [relation.num_vcs + schedule.sends[i].source]
            seen = set(todo)
            while todo:
                for vc in ways[todo.pop()]:
                    if vc != EJECT and vc not in seen:
                        seen.add(vc)
                        todo.append(vc)
                        used[i, places.channel[vc]] = True
    return used


def same_network(relation: Relation, schedule: Schedule) -> None:
    """Refuse a schedule that was made for another network."""
    if schedule.network is not relation.network and schedule.network != relation.network:
        raise RelationError(
            f"the schedule is for {schedule.network.name}, the routing {relation.name} for {relation.network.name}"
        )
