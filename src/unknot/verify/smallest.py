"""The smallest deadlock configuration: fewest messages, and of those fewest held VCs, with proof.

Two bounds meet. From below: follow from each worm one VC that it waits for to the worm that holds it; some worms come
back to the first. So no configuration has fewer messages than a shortest closed walk has steps in the graph "one worm
may hold e and wait for e′", nor, with as many, fewer held VCs than such a walk has at least. From above: constraint
solving for a configuration of just that size in a growing neighbourhood of the walk. Where the bounds do not meet,
which happens when headers wait for several VCs, the solver minimizes over all VCs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np

from unknot._base.arrays import starts
from unknot._base.deadline import MINUTE, Deadline, clock, counts_work
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING, Switching, switching_named
from unknot.certificates.verdict import Configuration, Reachability
from unknot.network.graph import hops_around, path_to, reached_from, shortest_cycle
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.verify.check import check
from unknot.verify.closed_sets import circles
from unknot.verify.effort import Effort, TimeUpError
from unknot.verify.exact import Surroundings
from unknot.verify.exact_model import Worm, fewest
from unknot.verify.remainder import Remainder, on_cycles
from unknot.verify.states import dependencies
from unknot.verify.witness import configuration, require_depth

AROUND = 2
"""Times the routers of a shortest closed walk around which smaller configurations are looked for first."""
MOST_VCS = 5000
"""VCs in states left over up to which closed walks are looked for."""


@dataclass(frozen=True)
class Smallest:
    """Smallest deadlock configuration that was found, and lower bounds on the size of any.

    Attributes
    ----------
    configuration : Configuration or None
        The smallest one found; None when there is none, or none was found in time.
    messages_bound : int
        No configuration has fewer messages; 0 when there is no deadlock at all.
    held_bound : int
        No configuration with as few messages as this one holds fewer VCs.
    proved : bool
        Whether it is known that there is nothing smaller; with no configuration, that there is no deadlock. Smaller
        sets of messages to which no way was shown count too, unless it is proved that no deadlock is ever reached.
    method : str
        How that is known, or what is missing.

    Examples
    --------
    >>> answer = smallest("ring(4)", routing="dimension_order")
    >>> answer.messages_bound, answer.proved, len(answer.configuration.messages)
    (4, True, 4)
    """

    configuration: Configuration | None
    messages_bound: int
    held_bound: int
    proved: bool
    method: str


@takes_relation
@counts_work
def smallest(
    relation: Relation,
    switching: str = DEFAULT_SWITCHING,
    *,
    time_limit: float | Deadline = MINUTE,
    buffer_depth: int = BUFFER_DEPTH,
    known: Configuration | None = None,
) -> Smallest:
    """Find a deadlock configuration with the fewest messages, and among these one with the fewest VCs held.

    Among equally small ones, one whose messages come straight from terminals of their own is preferred.

    Parameters
    ----------
    relation : Relation
        The routing; or a network, with its `routing`.
    switching : {"vct", "saf", "wormhole", "wormhole-nonatomic"}
    time_limit : float or Deadline
        Seconds for visiting states and for the solver; the bound from below, in between, takes time for one search
        from every reachable state on cycles of dependencies, and nodes × edges of the graph of who may wait for whom.
    buffer_depth : int
        Flits per VC, for the message lengths.
    known : Configuration, optional
        One that was found before. It is the answer when nothing smaller is found and nothing as small with a better
        grade.

    Returns
    -------
    Smallest
        The configuration, and a lower bound on its messages.

    Raises
    ------
    RelationError
        If the relation breaks its contract at a reachable state, or an argument makes no sense.

    Examples
    --------
    >>> smallest("torus(4, 4)", routing="fully_adaptive").messages_bound
    4
    """
    technique = switching_named(switching)
    deadline = Deadline.of(time_limit, "smallest")
    end = deadline.end
    require_depth(buffer_depth, "smallest")
    effort = Effort(end=end)
    graph = dependencies(relation, effort)
    if graph.complete and graph.acyclic:
        return Smallest(None, 0, 0, True, "no deadlock: the channel dependency graph is acyclic")
    try:
        rest = on_cycles(graph, technique, effort=effort).pruned() if graph.complete else None
    except TimeUpError:
        rest = None
    if rest is None:
        return Smallest(known, 1, 0, False, "time ran out before all states were visited")
    if not rest.input_vc.size:
        return Smallest(None, 0, 0, True, "no deadlock: nothing is left by the fixpoint")
    search = _SmallestSearch(relation, technique, rest, end)
    search.bound()
    search.meet()
    if search.best is None:
        if search.proved:
            return Smallest(None, 0, 0, True, "no deadlock: exhausted by constraint solving")
        return Smallest(known, search.messages, 0, False, "time ran out before any configuration was found")
    configured = configuration(relation, search.best, technique, int(buffer_depth), as_it_is=True)
    method = search.method
    if known is None and not configured.reachable:
        verdict = check(relation, technique, time_limit=deadline, shorten=False)
        if verdict.deadlock_free:
            return Smallest(None, 0, 0, True, f"no deadlock: {verdict.established}")
        method += "; no way into it was shown"
    if (
        known is not None
        and known.reachable
        and not configured.reachable
        and _order(configured)[:2] < _order(known)[:2]
    ):
        unreached = f"a smaller one has {len(configured.messages)} messages, but no way into it was shown"
        return Smallest(known, search.messages, 0, False, unreached)
    if known is not None and _order(known) <= _order(configured):
        configured = known
    return Smallest(configured, search.messages, search.held, search.proved, method)


class _SmallestSearch:
    """The bounds so far, the best configuration so far, and where to look next."""

    def __init__(self, relation: Relation, technique: Switching, rest: Remainder, end: float) -> None:
        self.relation, self.technique, self.rest, self.end = relation, technique, rest, end
        self.surroundings = Surroundings(relation, np.unique(rest.input_vc))
        self.messages = self.held = 1
        self.best: list[Worm] | None = None
        self.proved = False
        self.method = "time ran out before the bounds met"
        self.seeds: list[int] = [int(relation.network.source[relation.vcs.channel[rest.input_vc[0]]])]

    def bound(self) -> None:
        """The bound from below, and the routers of a walk that attains it."""
        from unknot.verify.exact_kernel import FAR, round_trip, spans

        vcs = np.unique(self.rest.input_vc)
        if vcs.size > MOST_VCS:
            return
        number = np.full(self.relation.num_vcs, -1, dtype=np.int64)
        number[vcs] = np.arange(vcs.size)
        span = np.empty((vcs.size, vcs.size), dtype=np.int16)
        rest = self.rest
        spans(
            vcs.size, number[rest.input_vc], *rest.onward, rest.heads.first, rest.waits.first,
            number[rest.waits.entries], span.ravel(),
        )  # fmt: skip
        tail, waited = np.nonzero(span < FAR)
        steps = len(shortest_cycle(tail, waited, most=vcs.size))
        walk = np.zeros(steps, dtype=np.int64)
        weight = span[tail, waited].astype(np.int64)
        self.held = int(round_trip(starts(tail, vcs.size), waited.astype(np.int64), weight, steps, walk))
        self.messages = steps
        routers: list[int] = []
        for v, w in hops_around(walk.tolist()):
            path = _path(self.rest, int(vcs[v]), int(vcs[w]), int(span[v, w]))
            channels = self.relation.vcs.channel[[*path, int(vcs[w])]]
            routers += self.relation.network.source[channels].tolist()
        self.seeds = list(dict.fromkeys(routers))

    def meet(self) -> None:
        """Look for small configurations in windows around the seeds, until one is proved smallest."""
        count = len(self.seeds) + 1
        everywhere = len(self.surroundings.near)
        while not self.proved and clock() < self.end:
            known = self.best is not None and len(self.best) == self.messages
            if known and count > AROUND * len(self.seeds) and self.exclude():
                return
            order = self.surroundings.around(self.seeds, count)
            whole = len(order) >= everywhere
            vcs = self.surroundings.window(order).vcs
            part = self.rest.cut(self.rest.on(vcs)).pruned()
            if part.input_vc.size:
                self._look(part, whole)
            elif whole:
                self.proved = True
            if whole:
                break
            count *= 2

    def _look(self, part: Remainder, whole: bool) -> None:
        left = self.end - clock()
        worms, proved = fewest(part.merged(), left if whole else left / 4, messages=self.messages, held=self.held)
        if isinstance(worms, bool):
            self.proved = whole and worms is False
            return
        size = _size(worms)
        if self.best is None or size < _size(self.best):
            self.best = worms
        if size == (self.messages, self.held):
            self.proved = True
            self.method = "a closed walk of waiting as a bound from below, met by constraint solving"
        elif whole and proved:
            self.messages, self.held = size
            self.proved = True
            self.method = "constraint solving over all VCs"
        if self.proved:
            self._prefer_terminals(part, size)

    def exclude(self) -> bool:
        """Look for configurations of as many messages on fewer VCs; return whether there is surely none."""
        held = _size(self.best or [])[1]
        try:
            for vcs in circles(self.rest.merged(), self.messages, held - 1, self.end):
                part = self.rest.cut(self.rest.on(np.array(sorted(vcs)))).pruned()
                if len(vcs) >= held or not part.input_vc.size:
                    continue
                worms, proved = fewest(part.merged(), self.end - clock(), messages=self.messages)
                if worms is True or (worms and not proved):
                    return False
                if isinstance(worms, list) and _size(worms) < (self.messages, held):
                    self.best, held = worms, _size(worms)[1]
        except TimeUpError:
            return False
        self.held, self.proved = held, True
        self.method = "a closed walk of waiting as a bound from below, and all cycles of worms on fewer VCs"
        self._prefer_terminals(self.rest, (self.messages, held))
        return True

    def _prefer_terminals(self, part: Remainder, size: tuple[int, int]) -> None:
        """Prefer a configuration of the same size that is injected straight from terminals, if the part has one."""
        left = min(5.0, self.end - clock())
        if left > 0 and part.enters.any():
            worms, _ = fewest(part.merged(), left, messages=size[0], held=size[1], injected=self.relation)
            if isinstance(worms, list) and _size(worms) == size:
                self.best = worms


def _order(configuration: Configuration) -> tuple[int, int, int]:
    """Key that orders configurations by messages, then held VCs, then grade; the least is the best."""
    held = sum(len(message.held) for message in configuration.messages)
    return len(configuration.messages), held, get_args(Reachability).index(configuration.reachability)


def _size(worms: list[Worm]) -> tuple[int, int]:
    return len(worms), sum(len(worm.path) for worm in worms)


def _path(rest: Remainder, tail: int, waited: int, length: int) -> list[int]:
    """The VCs of a worm of a given length that holds one at its tail and waits for another."""
    for start in rest.on(np.array([tail])).tolist():
        before = reached_from([start], rest.onward.at)
        for s in before:
            waits = [w for head in rest.heads.at(s) for w in rest.waits.at(head)]
            if waited in waits and len(path := path_to(s, before)) == length:
                vcs: list[int] = rest.input_vc[path].tolist()
                return vcs
    return [tail]
