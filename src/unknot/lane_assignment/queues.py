"""The fewest lossless queues for the routes of an Ethernet fabric, and the rules by which switches change tags."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.errors import RelationError
from unknot.certificates import plain
from unknot.certificates.documents import network_of
from unknot.lane_assignment.agreed import refute
from unknot.lane_assignment.figures import disagreement
from unknot.lane_assignment.flow_paths import FlowGraph, Path, Tagging, by_bounces
from unknot.lane_assignment.forced import RouteCycle, TurnOfPair, climbing, cycle_of_turns
from unknot.lane_assignment.lane_refutation import Refutation
from unknot.lane_assignment.lane_search import Solution
from unknot.lane_assignment.served_pairs import ServedPairs
from unknot.lane_assignment.walks import GivenWalks
from unknot.network import Network
from unknot.network.graph import reached_from, survivors
from unknot.network.metrics import hops_from_any
from unknot.routing.lossless import SENT
from unknot.routing.parts import Addressing, Published
from unknot.routing.relation import EJECT, Out, Relation
from unknot.search.bound import Bound
from unknot.search.effort import SearchEffort

CONFLICTS = 200_000
"""Most conflicts of the solver for a number of queues."""
RULES = {"one": "one queue", "bounces": "Tagger, a tag for each bounce", "solver": "an exact search"}
Key = tuple[int, int, int]
"""Incoming channel (`SENT`: from a host), tag, and outgoing channel."""


@dataclass(frozen=True, eq=False)
class LosslessQueues:
    """The fewest lossless queues for some routes, with which no cycle of buffers is left.

    A tag stands for a queue and priority group, and packets come from hosts with tag 1. A switch rewrites it by input
    port, tag and output port, as its TCAM can.

    Attributes
    ----------
    count : int
        Lossless queues for each class.
    lower_bound : int
        Fewer are impossible, by `claim`.
    established : str
        By whom the tags are.
    bounces : int or None
        Queues that Tagger takes, by bounces of a Clos; None where there are no tiers.
    tags : dict
        The tag with which a packet leaves, by incoming channel, tag and outgoing channel.
    claim : dict or None
        Evidence for the lower bound, for `unknot.certificates`; None: it is 1.
    """

    network: Network
    count: int
    lower_bound: int
    established: str
    bounces: int | None
    tags: dict[Key, int]
    claim: dict[str, Any] | None

    @property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts the lower bound; None: there is nothing to check."""
        return None if self.claim is None else Bound(self.claim).evidence_holds(self.network)

    @property
    def rules(self) -> list[Key]:
        """The keys of `tags` that change the tag."""
        return sorted(key for key, new in self.tags.items() if new != key[1])

    @property
    def entries(self) -> list[str]:
        """Entries of the switches' TCAMs in words, with the neighbours at sets of ports.

        A packet that no entry matches keeps its tag. Input ports with the same output ports share an entry.
        """
        network = self.network
        leaving: defaultdict[tuple[int, Key], list[int]] = defaultdict(list)
        for came, tag, leaves in self.rules:
            rewrites = came, tag, self.tags[came, tag, leaves]
            leaving[int(network.source[leaves]), rewrites].append(leaves)
        coming: defaultdict[tuple[int, int, int, tuple[int, ...]], list[int]] = defaultdict(list)
        for (router, (came, tag, new)), channels in leaving.items():
            coming[router, tag, new, tuple(channels)].append(came)

        def names(channels: Iterable[int], ends: Any) -> str:
            return ", ".join("hosts" if c == SENT else network.router_name(int(ends[c])) for c in channels)

        return [
            f"{network.router_name(router)}: from {names(came, network.source)}, tag {tag}, "
            f"to {names(leaves, network.target)}: tag {new}"
            for (router, tag, new, leaves), came in sorted(coming.items(), key=lambda entry: entry[0][0])
        ]

    def relation(self, routes: Relation) -> Relation:
        """Return a routing in these queues, also of a network after failures: the VC of a next channel is its tag."""
        network, count, total = routes.network, self.count, routes.network.num_channels
        here = {whole: c for c, whole in enumerate(survivors(self.network, network).channels.tolist())}
        becomes = np.zeros((total * count + 1, total), dtype=np.int64)
        for (came, tag, leaves), new in self.tags.items():
            if leaves in here and (came == SENT or came in here):
                becomes[total * count if came == SENT else here[came] * count + tag - 1, here[leaves]] = new - 1
        rule = routes.rule

        def tagged(at: int, address: int, out: Out) -> int:
            row = min(at, total * count)
            many = rule(at // count if at < total * count else at - total * count + total, address, out)
            for i in range(many):
                if out[i] != EJECT:
                    out[i] = out[i] * count + becomes[row, out[i]]
            return many

        name = f"{routes.name} in {count} queues"
        addresses = Addressing(routes.destination, routes.may_use, routes.address_labels)
        return Relation(
            network, count, tagged, name, addresses, commits=True, published=Published(source=routes.source)
        )


@counts_work
def fewest_queues(graph: FlowGraph, edges: Iterable[int], *, time_limit: float | Deadline = MINUTE) -> LosslessQueues:
    """Find the fewest lossless queues for the paths of flows, and prove that fewer are impossible.

    Tags by input port, tag and output port do as well as lanes that change at any hop: with an order of all virtual
    channels, the lowest one of the next channel that is higher than the present one is never a worse choice. So the
    encoder of `unknot.lane_assignment` for given routes decides it, about the parts of paths that can be on a cycle.

    Parameters
    ----------
    edges : iterable of int
        Switches with hosts, from which tiers are counted.
    time_limit : float or Deadline
        Seconds for the exact search; when they are over `lower_bound` may be below `count`.

    Raises
    ------
    RelationError
        If packets circle, there are too many paths, or no tags are known in time.

    Examples
    --------
    >>> from unknot.lane_assignment.flow_paths import graph_of_relations
    >>> from unknot.routing.ethernet import ospf
    >>> relation = ospf("ring(7)")
    >>> queues = fewest_queues(graph_of_relations(relation.network, [relation]), range(7))
    >>> queues.count, queues.lower_bound, queues.evidence_holds
    (2, 2, True)
    """
    deadline = Deadline.of(time_limit, "queues")
    network, parts = graph.network, graph.circling
    if not parts:
        return LosslessQueues(network, 1, 1, RULES["one"], 1, _tags(graph, lambda came, tag, leaves: 1), None)
    options: dict[str, dict[Key, int] | None] = {"bounces": None, "solver": None}
    tiers = hops_from_any(network, list(edges))
    if (tiers[network.source] != tiers[network.target]).all():
        options["bounces"] = _free(graph, by_bounces(network, tiers))
    search, effort = _QueueQuestion(graph, parts), SearchEffort(deadline.end)
    known_counts = [_count(tags) for tags in options.values() if tags]
    answer, low, claim = search.fewest("any", min(known_counts, default=plain.MOST_LANES + 1), effort)
    if answer is not None:
        options["solver"] = _free(graph, search.tagging(answer, low))
    known = {name: tags for name, tags in options.items() if tags}
    if not known:
        raise RelationError(f"{network.name}: no tags are known in {deadline.seconds:g} s; give more time")
    name = min(known, key=lambda one: _count(known[one]))
    counts = {name: _count(tags) for name, tags in known.items()}
    rule = RULES[name] + disagreement(effort.disagreements)
    return LosslessQueues(network, counts[name], low, rule, counts.get("bounces"), known[name], claim)


def _count(tags: dict[Key, int]) -> int:
    return max(tags.values(), default=1)


def _tags(graph: FlowGraph, tagging: Tagging) -> dict[Key, int]:
    """The tags that packets have, from hosts on with tag 1."""
    tags: dict[Key, int] = {}

    def onward(at: tuple[int, int]) -> Iterator[tuple[int, int]]:
        place, tag = at
        for then in graph.after[place]:
            key = graph.came[place], tag, graph.came[then]
            yield then, tags.setdefault(key, tagging(*key))

    reached_from([(n, 1) for n, channel in enumerate(graph.came) if channel == SENT], onward)
    return tags


def _free(graph: FlowGraph, tagging: Tagging) -> dict[Key, int] | None:
    """The tags that packets have, if no cycle of buffers is left; else None."""
    tags = _tags(graph, tagging)
    many = _count(tags) + 1
    turns = [(came * many + tag, leaves * many + new) for (came, tag, leaves), new in tags.items() if came != SENT]
    return None if climbing(turns, graph.network.num_channels * many) is None else tags


class PathQuestion:
    """The question for the encoder in how many lanes some paths close no cycle: an address for each path."""

    def __init__(self, network: Network, paths: Iterable[Path]) -> None:
        self.paths = list(dict.fromkeys(paths))
        inject = {int(router): t for t, router in reversed([*enumerate(network.inject)])}
        eject = {int(router): t for t, router in reversed([*enumerate(network.eject)])}
        source, target = network.source, network.target
        starts = [inject[int(source[path[0]])] for path in self.paths]
        ends = [eject.get(int(target[path[-1]]), -1) for path in self.paths]
        if -1 in ends:
            lost = network.router_name(int(target[self.paths[ends.index(-1)][-1]]))
            raise RelationError(f"{network.name}: packets are lost at {lost}, for want of a route")
        channels = network.num_channels
        rows = [
            [[channels + start, path[0]], *map(list, pairwise(path)), [path[-1], plain.EJECT]]
            for start, path in zip(starts, self.paths, strict=True)
        ]
        self.document = {
            "name": "paths", "vcs": [1] * channels, "commits": True, "destination": ends,
            "sources": [[start] for start in starts], "states": rows,
        }  # fmt: skip
        table = plain.Table(plain.Network(network_of(network)), self.document)
        self.pairs = [(start, address) for address, start in enumerate(starts)]
        walks = GivenWalks(dict(zip(self.pairs, self.paths, strict=True)))
        home = [int(network.eject[end]) for end in ends]
        self.served = ServedPairs(network, self.pairs, walks, home, given=table)

    def circle(self) -> RouteCycle:
        """A cycle of turns of these paths: why one queue is too few."""
        taker = {turn: pair for pair, path in zip(self.pairs, self.paths, strict=True) for turn in pairwise(path)}
        return RouteCycle(tuple(TurnOfPair(*turn, *taker[turn]) for turn in cycle_of_turns(list(taker))))

    def fewest(self, changes: str, enough: int, effort: SearchEffort) -> tuple[Solution | None, int, dict[str, Any]]:
        """Orders of the fewest lanes, the number below which lanes are refuted, and the claim that refutes them.

        Parameters
        ----------
        changes : str
            Whether packets keep their lane, as of `unknot.lane_assignment.agreed.refute`.
        enough : int
            So many lanes, two at least, are known to do, and fewer are sought.
        """
        low, claim = 2, self.claim(self.circle(), 1, changes)
        while low < enough:
            answer = refute(self.served, low, effort, changes=changes, conflicts=CONFLICTS)
            if not isinstance(answer, Refutation):
                return (answer if isinstance(answer, Solution) else None), low, claim
            low, claim = low + 1, self.claim(answer, low, changes)
        return None, low, claim

    def claim(self, evidence: RouteCycle | Refutation, impossible: int, changes: str) -> dict[str, Any]:
        """The claim that a number of lanes is too few for given paths."""
        return {
            "subject": "lanes of routes", "impossible": impossible, "changes": changes,
            "relation": self.document, "proof": evidence.proof,
        }  # fmt: skip


class _QueueQuestion(PathQuestion):
    """The question for whole paths that have a part that can be on a cycle."""

    def __init__(self, graph: FlowGraph, parts: dict[Path, int]) -> None:
        super().__init__(graph.network, (graph.whole(part, place) for part, place in parts.items()))
        self.graph = graph

    def tagging(self, answer: Solution, count: int) -> Tagging:
        """Tags by keys of virtual channels: the lowest that climbs; the lowest of all where no cycle can close."""
        part, keys = self.graph.part, np.sort(answer.keys.reshape(-1, count), axis=1)

        def tagged(came: int, tag: int, leaves: int) -> int:
            if came == SENT or part[came] != part[leaves]:
                return 1
            return 1 + min(count - 1, int(np.searchsorted(keys[leaves], keys[came, tag - 1], side="right")))

        return tagged
