"""Remedies for a routing that can deadlock, with the cost of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from unknot._base.deadline import MINUTE, NEVER, Deadline, clock, counts_work
from unknot._base.errors import RelationError
from unknot._base.progress import Progress, activity, found, with_bar
from unknot._base.switching import DEFAULT_SWITCHING
from unknot.certificates.documents import Document
from unknot.flow_control.techniques import technique
from unknot.lane_assignment.evidence import bound_claim as lane_bound_claim
from unknot.lane_assignment.figures import Lanes
from unknot.lane_assignment.flows import flows_of
from unknot.lane_assignment.lanes import lanes as fewest_lanes
from unknot.lane_assignment.tables import LaneTable, paths_of, table_of
from unknot.remedies.escape import Escaped, escaped
from unknot.remedies.pruned import Pruned, Unprunable, pruned
from unknot.remedies.rerouted import Rerouted, rerouted
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.search.effort import SearchEffort

BEFORE = 0.2
"""Most of the time for the routes as they are."""
LONGEST = "fewer candidates"
Change = Lanes | Rerouted | Pruned | Unprunable | Escaped
Tasks = dict[str, Callable[[SearchEffort], Change | None]]
"""How to look for each kind of remedy."""
Paths = dict[tuple[int, int], frozenset[tuple[int, ...]]]


@dataclass(frozen=True, eq=False)
class Remedy:
    """A safe relation in place of one that was refuted.

    Attributes
    ----------
    kind : str
        What changes. Of tables: "same routes" (only the lanes), "few changed routes" and "few changed entries" (the
        lanes stay as many as they are), "new tables", "new routes" (shortest paths, each its own). Of adaptive
        relations: "fewer candidates", "escape VCs", "minimal escape VCs", "new routes".
    change : Lanes, Rerouted, Pruned, Unprunable or Escaped
        What takes the place of the relation, and why less is impossible.
    cost : int or None
        Lanes, changed routes or entries, removed candidates or added VCs: see `unit`. None: the remedy is impossible.
    unit : str
        What is counted.
    lower_bound : int
        What is shown to be needed at least.
    changed_pairs : int or None
        Pairs of routers whose route has other channels than before; None if they are not compared.
    pairs : int or None
        Pairs of routers that are compared.

    Examples
    --------
    >>> for remedy in repair("ring(5)", routing="shortest_paths")[:3]:
    ...     print(remedy.kind, remedy.cost, remedy.unit)
    ...
    same routes 2 lanes
    few changed routes 2 pairs
    few changed entries 2 entries
    """

    kind: str
    change: Change
    cost: int | None
    unit: str
    lower_bound: int
    changed_pairs: int | None
    pairs: int | None

    @property
    def relation(self) -> Relation:
        """The relation of the remedy.

        Raises
        ------
        RelationError
            If the remedy is impossible.
        """
        if isinstance(self.change, Unprunable):
            raise RelationError(
                f"{self.change.original.name}: whatever candidates are removed, it is not safe and connected"
            )
        return self.change.relation

    @property
    def lane_pairs(self) -> tuple[int, ...]:
        """Pairs of routers in each lane, where packets keep one of several."""
        return self.change.lane_pairs if isinstance(self.change, Lanes) and self.change.count > 1 else ()

    @property
    def lane_highest(self) -> tuple[float, ...]:
        """The highest load of a channel in each lane."""
        return self.change.lane_highest if isinstance(self.change, Lanes) and self.change.count > 1 else ()

    @property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts why less is impossible; None: there is nothing to check."""
        return self.change.evidence_holds

    @property
    def bound_claims(self) -> list[Document]:
        """Why less is impossible, as claims of a document about the relation that was refuted."""
        change = self.change
        if change.evidence is None:
            return []
        if isinstance(change, Lanes):
            return [lane_bound_claim(change.evidence, change.sends, change.given)]
        return [change.evidence.claim]


@takes_relation
@with_bar
@counts_work
def repair(
    relation: Relation,
    *,
    lanes: int | None = None,
    switching: str = DEFAULT_SWITCHING,
    minimal: bool = False,
    both_ways: bool = False,
    time_limit: float | Deadline = MINUTE,
    seed: int = 1,
    progress: Progress | None = None,
) -> tuple[Remedy, ...]:
    """Remedies, from those that change least to new routes; see `Remedy.kind`.

    What is shown of tables holds under all switching techniques.

    Parameters
    ----------
    relation : Relation
        By tables, or adaptive.
    lanes : int, optional
        Lanes of the routing with few changes; by default as many as the relation has VCs.
    switching : str
        For adaptive relations: what has to be safe.
    minimal : bool
        What is left of an adaptive relation shall take shortest paths only.
    both_ways : bool
        Of tables, in several lanes: the two directions of a pair share a lane, see `lanes`; few changed routes, which
        do not, are then sought in one lane alone.
    time_limit : float or Deadline
        Seconds for all of them.
    seed : int
        Of the searches.
    progress : callable, optional
        Called with the stage and how far it is, see `unknot._base.progress`.

    Returns
    -------
    tuple of Remedy
        The remedies, each with its cost and lower bound.

    Raises
    ------
    RelationError
        If some packets do not arrive.

    Examples
    --------
    >>> from unknot.routing import shortest_paths
    >>> from unknot.remedies import repair
    >>> from unknot.network.families import torus
    >>> [(r.kind, r.cost, r.unit, r.lower_bound) for r in repair(shortest_paths(torus(5)))][:2]
    [('same routes', 2, 'lanes', 2), ('few changed routes', 2, 'pairs', 2)]
    """
    deadline = Deadline.of(time_limit, "repair")
    table = _table(relation)
    effort = SearchEffort(deadline.end, seed, progress)
    if table is None:
        return _remedies(_adaptive(relation, switching, minimal), effort, None, NEVER)
    before = paths_of(relation, deadline.part(BEFORE))
    few = relation.vcs.widest if lanes is None else lanes
    return _remedies(_of_tables(relation, table, few, both_ways), effort, before, deadline)


def _of_tables(relation: Relation, table: LaneTable, few: int, both_ways: bool) -> Tasks:
    tasks: Tasks = {"same routes": lambda part: _lanes(relation, "given", part, both_ways=both_ways)}
    if few == 1 or not both_ways:
        tasks["few changed routes"] = lambda part: rerouted(relation, table, few, part)
    if few == 1:
        tasks["few changed entries"] = lambda part: rerouted(relation, table, few, part, kind="entries")
    tasks["new tables"] = lambda part: _lanes(relation, "table", part, both_ways=both_ways)
    tasks["new routes"] = lambda part: _lanes(relation, "free", part)
    return tasks


def _adaptive(relation: Relation, switching: str, minimal: bool) -> Tasks:
    return {
        LONGEST: lambda part: pruned(relation, part, switching=switching, minimal=minimal),
        "escape VCs": lambda part: _escaped(relation, switching, part, minimal=False),
        "minimal escape VCs": lambda part: _escaped(relation, switching, part, minimal=True),
        "new routes": lambda part: _lanes(relation, "free", part),
    }


def _remedies(tasks: Tasks, effort: SearchEffort, before: Paths | None, deadline: Deadline) -> tuple[Remedy, ...]:
    """Run each task with an equal share of the time that is left; Ctrl-C goes on to the next.

    What others leave is for fewer candidates, whose bound takes all the time that it is given. When the time is over,
    those that follow the first remedy are left out.
    """
    changes: dict[str, Change] = {}
    for number, (kind, task) in enumerate(sorted(tasks.items(), key=lambda task: task[0] == LONGEST)):
        now = clock()
        if effort.over and any(not isinstance(change, Unprunable) for change in changes.values()):
            break
        share = max(0.1, (effort.deadline - now) / (len(tasks) - number))
        with activity():
            change = task(replace(effort, deadline=now + share, tried={}, moves=0, progress=_named(kind, effort)))
        if change is not None:
            changes[kind] = change
            found(f"remedies so far: {', '.join(changes)}")
    return tuple(_remedy(kind, changes[kind], before, deadline) for kind in tasks if kind in changes)


def _named(kind: str, effort: SearchEffort) -> Progress | None:
    """Progress of the search for a kind of remedy."""
    tell = effort.progress
    return None if tell is None else lambda stage, done, total: tell(f"{kind}: {stage}", done, total)


def _lanes(relation: Relation, paths: str, effort: SearchEffort, *, both_ways: bool = False) -> Lanes:
    return fewest_lanes(
        relation.network,
        paths,
        routing=relation if paths == "given" else None,
        flows=None if paths == "given" else flows_of(relation),
        time_limit=effort.limit,
        both_ways=both_ways,
        seed=effort.seed,
        progress=effort.progress,
    )


def _escaped(relation: Relation, switching: str, effort: SearchEffort, *, minimal: bool) -> Escaped | None:
    """Return the remedy by escapes; None if headers keep their choice, or there is no spanning tree both ways."""
    if technique(switching).keeps:
        return None
    try:
        return escaped(relation, switching=switching, minimal=minimal, time_limit=effort.limit, seed=effort.seed)
    except RelationError:
        return None


def _table(relation: Relation) -> LaneTable | None:
    """The tables of a relation; None if it is adaptive."""
    from unknot.verify import deliver

    try:
        return table_of(relation)
    except RelationError:
        if not deliver(relation).delivered:
            raise
        return None


def _remedy(kind: str, change: Change, before: Paths | None, deadline: Deadline) -> Remedy:
    changed = pairs = None
    if before is not None and not isinstance(change, Unprunable):
        after = paths_of(change.relation, deadline)
        pairs = None if after is None else len(before)
        changed = None if after is None else sum(after[pair] != path for pair, path in before.items())
    if isinstance(change, Lanes):
        return Remedy(kind, change, change.count, "lanes", change.lower_bound, changed, pairs)
    if isinstance(change, Rerouted):
        return Remedy(kind, change, change.changed, change.kind, change.lower_bound, changed, pairs)
    if isinstance(change, Escaped):
        return Remedy(kind, change, change.added, "VCs", change.lower_bound, None, None)
    if isinstance(change, Pruned):
        return Remedy(kind, change, len(change.removed), "candidates", change.lower_bound, None, None)
    return Remedy(kind, change, None, "candidates", 0, None, None)
