"""Where packets of two routers may go, and why a turn is taken or not."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.errors import UnknotError
from unknot_explore.design import Design
from unknot_explore.questions import Tell
from unknot_explore.questions.pictured import asked, numbers_in_whole

if TYPE_CHECKING:
    from unknot.routing.relation import Relation
    from unknot.verify.states import Dependencies

MOST_PATHS = 40
"""Most paths that are written out."""
MOST_STATES = 50_000
"""Most places of a packet that are followed."""
MOST_SHOWN = 6
"""Most addresses named in a sentence."""


def paths(design: Design, given: dict[str, Any], tell: Tell) -> None:
    """All that packets from one router to another may do: the channels they may take, and paths with their VCs."""
    relation, network = design.relation(), design.built()
    start, end = (network.router(str(given[key])) for key in ("from", "to"))
    sources, targets = (
        np.flatnonzero(network.inject == start),
        np.flatnonzero(network.eject[relation.destination] == end),
    )
    if not sources.size or not targets.size:
        where = network.router_name(start if not sources.size else end)
        raise UnknotError(
            f"router {where} has no terminal, so no packet {'starts' if not sources.size else 'ends'} there"
        )
    address, port = int(targets[0]), relation.num_vcs + int(sources[0])
    after, ends = _followed(relation, port, address)
    channels = numbers_in_whole(design.whole(), network)
    used = sorted({channels[int(relation.vcs.channel[vc])] for row in after.values() for vc in row})
    listed = _listed(after, ends, port)
    name = relation.vcs.name
    tell(
        {
            "channels": used,
            "paths": [[name(vc) for vc in path] for path in listed],
            "more": len(listed) == MOST_PATHS,
            "stuck": sorted(name(at) for at, row in after.items() if not row and at not in ends)[:MOST_SHOWN],
            "from": network.router_name(start),
            "to": network.router_name(end),
            **asked(design, "analyse"),
        }
    )


def _followed(relation: Relation, port: int, address: int) -> tuple[dict[int, list[int]], set[int]]:
    """The next VCs of each place that packets to an address come to, and the places from which they leave."""
    after, ends, queue = dict[int, list[int]](), set[int](), deque([port])
    while queue and len(after) < MOST_STATES:
        at = queue.popleft()
        if at in after:
            continue
        offered = [candidate.vc for candidate in relation.candidates(at, address)]
        if None in offered:
            ends.add(at)
        after[at] = [vc for vc in offered if vc is not None]
        queue.extend(after[at])
    return after, ends


def _listed(after: dict[int, list[int]], ends: set[int], port: int) -> list[list[int]]:
    """Paths from the port that come to no VC twice, short ones first."""
    found, queue = list[list[int]](), deque([[port]])
    for _ in range(MOST_STATES):
        if not queue or len(found) == MOST_PATHS:
            break
        path = queue.popleft()
        if path[-1] in ends:
            found.append(path[1:])
        queue.extend([*path, vc] for vc in after.get(path[-1], ()) if vc not in path)
    return found


def turn(design: Design, given: dict[str, Any], tell: Tell) -> None:
    """Why packets take a turn or not, and whether taking the turn would close a cycle."""
    from unknot.verify.states import dependencies

    relation = design.relation()
    network, vcs = relation.network, relation.vcs
    names = [network.router(str(given[key])) for key in ("a", "b", "c")]
    into, out = network.between(*names[:2]), network.between(*names[1:])
    a, b, c = map(network.router_name, names)
    if not into or not out:
        ends = (a, b) if not into else (b, c)
        raise UnknotError(f"there is no channel from {ends[0]} to {ends[1]}, so {a} → {b} → {c} is no turn")
    graph = dependencies(relation)
    before = [vc for channel in into for vc in range(int(vcs.first[channel]), int(vcs.first[channel + 1]))]
    behind = [vc for channel in out for vc in range(int(vcs.first[channel]), int(vcs.first[channel + 1]))]
    taken = [vc for vc in before if set(graph.target[graph.first[vc] : graph.first[vc + 1]].tolist()) & {*behind}]
    cycle = _way(graph, behind, {*before})
    closing = _closed(relation, cycle, taken=bool(taken))
    channels = numbers_in_whole(design.whole(), network)
    tell(
        {
            "allowed": bool(taken),
            "words": [_reason(design, relation, (a, b, c), taken), closing],
            "cycle": [channels[int(vcs.channel[vc])] for vc in cycle],
            "turn": f"{a}->{b}->{c}",
        }
    )


def _reason(design: Design, relation: Relation, names: tuple[str, str, str], taken: list[int]) -> str:
    """Why a turn is taken or not."""
    a, b, c = names
    if taken:
        return f"Packets that come to {b} from {a} may go on to {c}."
    if f"{a}->{b}->{c}" in design.turns:
        return f"You forbade {a} → {b} → {c}."
    return f"{relation.name} offers packets that come to {b} from {a} no way on to {c}."


def _closed(relation: Relation, cycle: list[int], *, taken: bool) -> str:
    """Whether the turn is on a cycle of dependencies, or would close one."""
    if not cycle:
        return (
            "The turn is on no cycle of channels." if taken else "Taking the turn would close no cycle of channels."
        )
    around = " → ".join(relation.vcs.name(vc) for vc in cycle[:MOST_SHOWN])
    around += " → …" if len(cycle) > MOST_SHOWN else ""
    does = "is on" if taken else "would close"
    return f"The turn {does} a cycle of channels, in which packets may wait for each other: {around}."


def _way(graph: Dependencies, starts: list[int], ends: set[int]) -> list[int]:
    """A shortest way of dependencies from some VCs to others; empty without one."""
    came: dict[int, int] = dict.fromkeys(starts, -1)
    queue = deque(starts)
    while queue:
        vc = queue.popleft()
        if vc in ends:
            way = [vc]
            while came[way[-1]] >= 0:
                way.append(came[way[-1]])
            return way[::-1]
        for after in graph.target[graph.first[vc] : graph.first[vc + 1]].tolist():
            if after not in came:
                came[after] = vc
                queue.append(after)
    return []
