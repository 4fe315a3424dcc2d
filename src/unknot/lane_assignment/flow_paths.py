"""Paths that flows take where ECMP has several: a graph of places, the parts that can be on a cycle, and bounces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from unknot._base.arrays import Ints, columns
from unknot._base.errors import RelationError
from unknot.certificates import plain
from unknot.certificates.documents import plain_table
from unknot.lane_assignment.forced import Turn
from unknot.network import Network
from unknot.network.graph import path_to, reached_from, strong_components, survivors
from unknot.routing.lossless import SENT, Walk
from unknot.routing.relation import Relation

MOST_PATHS = 20_000
"""Most paths that are listed."""
CIRCLING = "packets circle on these routes until their TTL ends; no number of queues helps, mend the routes first"
Path = tuple[int, ...]
"""Channels, one after another."""
Tagging = Callable[[int, int, int], int]
"""The tag of a packet that came by a channel (`SENT`: from a host) with a tag, when it leaves by another."""


@dataclass(frozen=True, eq=False)
class FlowGraph:
    """Places reached by packets, under one or several sets of routes, with their successors.

    Attributes
    ----------
    network : Network
    came : tuple of int
        The channel by which a packet came to each place; `SENT` where it starts.
    after : tuple of tuple of int
        The next places of each.
    """

    network: Network
    came: tuple[int, ...]
    after: tuple[tuple[int, ...], ...]

    @cached_property
    def turns(self) -> set[Turn]:
        """Channels that follow one another on some path."""
        came = self.came
        return {(came[n], came[m]) for n, onward in enumerate(self.after) if came[n] != SENT for m in onward}

    @cached_property
    def part(self) -> list[int]:
        """Number of each channel's strongly connected part, by turns."""
        tail, head = columns(sorted(self.turns))
        label, _ = strong_components(tail, head, self.network.num_channels)
        return [int(part) for part in label]

    def together(self, place: int, then: int) -> bool:
        """Whether a step joins two channels of the same part and so can lie on a cycle."""
        return self.came[place] != SENT and self.part[self.came[place]] == self.part[self.came[then]]

    def _steps(self, along: Callable[[int, int], bool] | None) -> list[list[int]]:
        return [[m for m in onward if along is None or along(n, m)] for n, onward in enumerate(self.after)]

    def tails(self, along: Callable[[int, int], bool] | None = None) -> list[set[Path]]:
        """Channels of all ways on from each place along some steps, by default all steps.

        Raises
        ------
        RelationError
            If packets come back to a place, or a place has more than `MOST_PATHS` ways on.
        """
        steps = self._steps(along)
        try:
            order = list(TopologicalSorter(dict(enumerate(steps))).static_order())
        except CycleError:
            raise RelationError(f"{self.network.name}: {CIRCLING}") from None
        tails: list[set[Path]] = [set() for _ in steps]
        for place in order:
            longer = {(self.came[m], *tail) for m in steps[place] for tail in tails[m]}
            tails[place] = longer or {()}
            if len(longer) > MOST_PATHS:
                raise RelationError(
                    f"{self.network.name}: more than {MOST_PATHS:,} paths of flows, the most that are listed"
                )
        return tails

    def paths(self, along: Callable[[int, int], bool] | None = None) -> dict[Path, int]:
        """All longest paths along some steps, by default all steps, each with a place at which it begins."""
        steps, tails = self._steps(along), self.tails(along)
        entered = {m for onward in steps for m in onward}
        paths: dict[Path, int] = {}
        for place, onward in enumerate(steps):
            if onward and place not in entered:
                own = () if self.came[place] == SENT else (self.came[place],)
                paths |= {own + tail: place for tail in tails[place]}
        parts = {path[i:j] for path in paths for i in range(len(path)) for j in range(i + 2, len(path) + 1)
                 if j - i < len(path)}  # fmt: skip
        return {path: place for path, place in sorted(paths.items()) if path not in parts}

    @cached_property
    def circling(self) -> dict[Path, int]:
        """The parts of paths that can be on a cycle of turns; none: there is no cycle."""
        return self.paths(self.together)

    def whole(self, part: Path, place: int) -> Path:
        """A path of packets from start to end, through a given part from a given place on."""
        sent = [n for n, channel in enumerate(self.came) if channel == SENT]
        way = path_to(place, reached_from(sent, self.after.__getitem__))
        lead = [self.came[n] for n in way[1:-1]]
        reached = {place}
        for channel in part[1:]:
            reached = {m for n in reached for m in self.after[n] if self.came[m] == channel}
        end, rest = min(reached), list[int]()
        while self.after[end]:
            end = self.after[end][0]
            rest.append(self.came[end])
        return (*lead, *part, *rest)


def graph_of_walk(walk: Walk) -> FlowGraph:
    """The paths of packets in a lossless fabric, whatever their queues: through tunnels too."""
    number = {place: i for i, place in enumerate(walk.steps)}
    after = tuple(tuple(map(number.__getitem__, walk.after(place))) for place in number)
    return FlowGraph(walk.model.fabric.network, tuple(place.channel for place in number), after)


def graph_of_relations(network: Network, relations: Iterable[Relation]) -> FlowGraph:
    """The paths of flows under any of several routings, each on the network or on what failures left of it.

    Examples
    --------
    >>> from unknot.routing.ethernet import ospf
    >>> relation = ospf("xgft([1, 3], [1, 2])")
    >>> len(graph_of_relations(relation.network, [relation]).paths())
    12
    """
    came, after = list[int](), list[tuple[int, ...]]()
    for relation in relations:
        table, channels = plain_table(relation), survivors(network, relation.network).channels.tolist()
        for rows in table.may:
            number = {at: len(came) + i for i, at in enumerate(rows)}
            came += [channels[table.channel[at]] if at < table.vcs else SENT for at in rows]
            after += [tuple(number[v] for v in onward if v != plain.EJECT) for onward in rows.values()]
    return FlowGraph(network, tuple(came), tuple(after))


def by_bounces(network: Network, tiers: Ints) -> Tagging:
    """Tags of a Clos: plus one at each turn from down to up, so that k bounces take k + 1 tags.

    S. Hu, Y. Zhu, P. Cheng, C. Guo, K. Tan, J. Padhye, K. Chen: Tagger: practical PFC deadlock prevention in data
    center networks. CoNEXT 2017.
    """
    rises = (tiers[network.source] < tiers[network.target]).tolist()

    def tagged(came: int, tag: int, leaves: int) -> int:
        return tag + (came >= 0 and not rises[came] and rises[leaves])

    return tagged
