"""Deadlocks of packets that queue in VCs: a cycle of dependencies, filled."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

import numpy as np

from unknot._base.arrays import Ints
from unknot.certificates.verdict import Configuration, Message
from unknot.network.graph import hops_around, path_to, reached_from, shortest_cycle, strong_components
from unknot.verify.closed_sets import own_terminals
from unknot.verify.effort import Effort
from unknot.verify.explorer import Explorer
from unknot.verify.states import Dependencies


def queued_cycle(graph: Dependencies, buffer_depth: int, effort: Effort | None = None) -> Configuration:
    """A deadlock configuration under non-atomic allocation, from a cycle of dependencies.

    One message fills each VC of the cycle and has committed to the next. Its reachability is `injected` when every
    message enters its VC straight from a terminal of its own, else `scheduled`: the order is the one of the proof.

    Time is that of one more visit to every state, O(states), and a search for a short cycle. Of a graph of some of
    the addresses only, packets for those alone are sent.

    Parameters
    ----------
    graph : Dependencies
        With a cycle.
    buffer_depth : int
        Flits per VC; each message is as long.

    Raises
    ------
    TimeUpError
        If the time of `effort` runs out.
    """
    effort = effort or Effort()
    least = _depths(graph, effort)
    source, inside = graph.source, graph.inner
    depth = _lowest(graph, source, np.where(inside, least, np.iinfo(np.int64).max))
    kept = np.flatnonzero(inside & (least <= depth))
    cycle = shortest_cycle(source[kept], graph.target[kept])
    messages = _messages(graph, cycle, depth, buffer_depth, effort)
    ordered = [messages[i] for i in _parking_order(cycle, messages)]
    direct = all(not m.lead for m in messages) and len({m.source for m in messages}) == len(messages)
    return Configuration("wormhole-nonatomic", buffer_depth, "injected" if direct else "scheduled", tuple(ordered))


def _depths(graph: Dependencies, effort: Effort) -> Ints:
    """Return for each dependency the fewest VCs from injection to a state at which it arises."""
    from unknot.verify.exact_kernel import nearest

    relation = graph.relation
    least = np.full(graph.target.size, np.iinfo(np.int64).max)
    depth = np.zeros(relation.num_vcs, dtype=np.int64)
    edge = np.asarray(graph.first, dtype=np.int64)
    for address, (order, first, offered) in Explorer(relation).visits("ways to cycles", effort, graph.addresses):
        nearest(relation.sources(address).size, order, first, offered, edge, graph.target, depth, least)
    return least


def _lowest(graph: Dependencies, source: Ints, least: Ints) -> int:
    """The smallest depth whose dependencies, with all shallower ones, have a cycle."""

    def cyclic(depth: int) -> bool:
        kept = least <= depth
        return bool(strong_components(source[kept], graph.target[kept], graph.relation.num_vcs)[1].any())

    depths = np.flatnonzero(np.bincount(least[least < np.iinfo(np.int64).max])).tolist()
    return int(depths[bisect_left(depths[:-1], True, key=cyclic)])


def _messages(graph: Dependencies, cycle: list[int], depth: int, buffer_depth: int, effort: Effort) -> list[Message]:
    """Return for each VC of the cycle a message that comes by a shortest way to depend on the next.

    From terminals of their own where all can be entered directly.
    """
    relation, vcs = graph.relation, graph.relation.num_vcs
    after = dict(hops_around(cycle))
    messages: dict[int, Message] = {}
    doors: dict[int, dict[int, int]] = {vc: {} for vc in cycle}
    for address, visit in Explorer(relation).visits("packets on the cycle", effort, graph.addresses):
        if not np.isin(visit.order, cycle).any():
            continue
        steps = visit.steps
        ports = [at for at in steps if at >= vcs]
        before = reached_from(ports, steps.__getitem__)
        for at in cycle:
            path = path_to(at, before) if after[at] in steps.get(at, ()) else []
            if not 1 < len(path) <= depth + 1:
                continue
            if at not in messages or len(path) - 1 <= len(messages[at].lead):
                lead = tuple(path[1:-1])
                messages[at] = Message(path[0] - vcs, address, buffer_depth, lead, (at,), (after[at],))
            if len(path) == 2:
                doors[at] = {port - vcs: address for port in ports if at in steps[port]} | doors[at]
        if all(doors.values()) and len({terminal for door in doors.values() for terminal in door}) >= len(cycle):
            break
    effort.spent("packets on the cycle", graph.addresses, graph.addresses)
    own = own_terminals(list(doors.values()))
    return [
        replace(messages[vc], source=t, address=doors[vc][t], lead=()) if own else messages[vc]
        for vc, t in zip(cycle, own or cycle, strict=True)
    ]


def _parking_order(cycle: list[int], messages: list[Message]) -> list[int]:
    """Positions on the cycle, sorted so that each message parks before the VCs on its way are filled."""
    from graphlib import TopologicalSorter

    place = {vc: i for i, vc in enumerate(cycle)}
    sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(len(cycle)), ()))
    for i, message in enumerate(messages):
        for vc in message.lead:
            if vc in place:
                sorter.add(place[vc], i)
    return list(sorter.static_order())
