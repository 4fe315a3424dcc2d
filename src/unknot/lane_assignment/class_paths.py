"""The fewest lossless queues of large fabrics: paths of packets by classes of destinations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from unknot._base.errors import RelationError
from unknot.lane_assignment.flow_paths import CIRCLING, Tagging, by_bounces, graph_of_walk
from unknot.lane_assignment.forced import Turn, climbing, cycle_of_turns
from unknot.lane_assignment.queues import RULES, Key, LosslessQueues, PathQuestion
from unknot.network.metrics import hops_from_any
from unknot.routing.lossless import SENT, PacketPlace, Walk
from unknot.routing.lossless_classes import ClassWalk, members


@dataclass(frozen=True, eq=False)
class ClassPaths:
    """Turns and tags of packets to all destinations.

    Attributes
    ----------
    walk : ClassWalk
    """

    walk: ClassWalk

    @cached_property
    def turns(self) -> dict[Turn, int]:
        """Channels that follow one another on some path, each pair with a destination."""
        turns: dict[Turn, int] = {}
        for place, part in self.walk.steps():
            if place.channel != SENT and part.hops:
                to = next(members(part.destinations))
                for hop in part.hops:
                    turns.setdefault((place.channel, hop.channel), to)
        return turns

    def tags(self, tagging: Tagging) -> dict[Key, int]:
        """The tags that packets have, from hosts on with tag 1."""
        tags, known = dict[Key, int](), dict[tuple[PacketPlace, int], int]()
        todo = {(place, 1): some for place, some in self.walk.starts.items()}
        while todo:
            now, todo = todo, defaultdict(int)
            for (place, tag), some in now.items():
                before = known.get((place, tag), 0)
                known[place, tag] = before | some
                for part in self.walk.after(place, some & ~before):
                    for hop in part.hops:
                        key = place.channel, tag, hop.channel
                        if key not in tags:
                            tags[key] = tagging(*key)
                        todo[hop.place, tags[key]] |= part.destinations
        return tags

    def through(self, turns: Iterable[Turn]) -> list[tuple[int, ...]]:
        """A path from host to host through each of some turns."""
        turns = [*turns]
        graph = graph_of_walk(Walk(self.walk.model, only={self.turns[turn] for turn in turns}))
        place_of = {
            (came, graph.came[then]): place for place, came in enumerate(graph.came) for then in graph.after[place]
        }
        return [graph.whole(turn, place_of[turn]) for turn in turns]


def queues_by_classes(walk: ClassWalk, edges: Iterable[int]) -> LosslessQueues | None:
    """Find the fewest lossless queues where one is enough, or where two by bounces of a Clos are.

    Two are then the fewest, as paths through a cycle of turns show. None: single paths have to be listed.

    Parameters
    ----------
    walk : ClassWalk
    edges : iterable of int
        Switches with hosts, from which tiers are counted.

    Raises
    ------
    RelationError
        If packets circle.

    Examples
    --------
    >>> from unknot.fabrics.ethernet.folder import read_ethernet
    >>> from unknot.routing.lossless import PfcModel
    >>> fabric = read_ethernet("examples/ethernet/frr-two-links-down")
    >>> queues = queues_by_classes(ClassWalk(PfcModel(fabric)), fabric.edges)
    >>> queues.count, queues.lower_bound, queues.evidence_holds
    (2, 2, True)
    """
    network, paths = walk.model.fabric.network, ClassPaths(walk)
    if walk.circling:
        raise RelationError(f"{network.name}: {CIRCLING}")
    circle = cycle_of_turns([*paths.turns])
    if not circle:
        return LosslessQueues(network, 1, 1, RULES["one"], 1, paths.tags(lambda came, tag, leaves: 1), None)
    tiers = hops_from_any(network, list(edges))
    if (tiers[network.source] == tiers[network.target]).any():
        return None
    tags = paths.tags(by_bounces(network, tiers))
    most = max(tags.values())
    size = most + 1
    turns = ((came * size + tag, leaves * size + new) for (came, tag, leaves), new in tags.items() if came != SENT)
    if most > 2 or climbing(turns, network.num_channels * size) is None:
        return None
    question = PathQuestion(network, paths.through(circle))
    claim = question.claim(question.circle(), 1, "any")
    return LosslessQueues(network, 2, 2, RULES["bounces"], 2, tags, claim)
