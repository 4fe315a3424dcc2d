"""Routes in lanes, as they are found: the result of `lanes`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.quantities import Hops, MeanHops
from unknot._base.shown import Brief
from unknot._base.three_valued import ThreeValued
from unknot.lane_assignment.evidence import Evidence, shows
from unknot.lane_assignment.laned import PairRoutes, laned
from unknot.lane_assignment.path_set import Flags, Floats, Ints
from unknot.lane_assignment.tables import LaneTable
from unknot.network import Network
from unknot.routing.lane_tables import tabled
from unknot.routing.relation import Relation
from unknot.search.bound import Bound


class BoundedLoad(ThreeValued, asks="lowest_load"):
    """The highest load, and a lower bound on it."""

    relation: Relation
    load_evidence: Bound | None
    if TYPE_CHECKING:  # fields of some heirs, properties of others; a property here would be the default of the field

        @property
        def load(self) -> Floats: ...

        @property
        def count(self) -> int: ...

    @property
    def highest_load(self) -> float:
        """Highest load of a channel, in routes or in the units of the flows, over its bandwidth."""
        return float(self.load.max(initial=0.0))

    @property
    def load_bound(self) -> float | None:
        """Lower bound on the highest load of such paths in as many lanes; None for given paths."""
        return None if self.load_evidence is None else float(self.load_evidence.least)

    @property
    def load_gap(self) -> float | None:
        """How far the highest load is above its lower bound, as a share of the bound; 0: no load is lower."""
        bound = self.load_bound
        return None if bound is None else self.highest_load / bound - 1 if bound > 0 else 0.0

    @property
    def lowest_load(self) -> bool | None:
        """True: no such paths in as many lanes have a lower highest load; None: that is not shown."""
        return True if self.load_gap == 0 else None

    @property
    def load_bound_holds(self) -> bool | None:
        """Whether the separate checker accepts the lower bound on the load; None: there is none to check."""
        return None if self.load_evidence is None else self.load_evidence.evidence_holds(self.relation.network)


def disagreement(questions: Sequence[str]) -> str:
    """Words about questions to which search and checker have different answers; none without questions."""
    if not questions:
        return ""
    return f" Search and checker disagree about {', '.join(questions)}, so that is open: please report it."


@dataclass(frozen=True, eq=False, kw_only=True)
class LaneFigures(BoundedLoad, asks="fewest_lanes"):
    """What every search for lanes finds: routes, loads, and bounds on fewer lanes.

    Attributes
    ----------
    relation : Relation
        Lane l has VC l of every channel.
    lower_bound : int
        Fewer lanes are impossible: shown by `evidence`, or because there is no fewer than one.
    evidence : ForcedCycle, Refutation, RouteCycle or None
        Why `lower_bound` − 1 lanes are not enough.
    paths : {"free", "table", "given"}
    pairs : int
        Pairs of routers that are served.
    tried : dict of int to (int, int)
        For each number of lanes that was not enough the rounds of search, and the fewest pairs left without a route.
    conflicts : dict of int to int
        For each number of lanes that an exact search left open its conflicts; 0: it was too large for one.
    disagreements : tuple of str
        Questions that are open because search and checker have different answers: a fault of the program.
    moves : int
        Moves of the search.
    complete : bool
        Whether the search ended by itself, not by the time limit or Ctrl-C.
    sends : bool array or None
        The flows that are served, if not all.
    given : Relation or None
        The relation whose paths were given.
    both_ways : bool
        Whether the two directions of each pair of routers share a lane.
    """

    relation: Relation
    lower_bound: int
    evidence: Evidence | None
    paths: str
    pairs: int
    tried: dict[int, tuple[int, int]]
    conflicts: dict[int, int]
    disagreements: tuple[str, ...]
    moves: int
    complete: bool
    sends: Flags | None = None
    given: Relation | None = None
    both_ways: bool = False

    @property
    def mean_load(self) -> float:
        """Mean load of the channels."""
        return float(self.load.mean()) if self.load.size else 0.0

    @property
    def fewest(self) -> bool:
        """Whether fewer lanes are shown to be impossible."""
        return self.count == self.lower_bound

    @property
    def fewest_lanes(self) -> bool | None:
        """True: fewer lanes are shown to be impossible; None: that is not shown."""
        return self.fewest or None


@dataclass(frozen=True, eq=False, repr=False)
class RoutesInLanes(BoundedLoad):
    """Routes in lanes that packets keep, the lane of each pair, and the orders of the lanes.

    Attributes
    ----------
    routes : PairRoutes or LaneTable
        The tables behind the relation.
    lane : int64 array, shape (routers, columns of the routes or rows of the table)
        The lane of each pair; −1: none is needed. Columns are terminals by the routers where they eject.
    lane_load : float64 array, shape (lanes, channels)
        What each lane of a channel carries of its load.
    key : float64 array, same shape
        In its lane, the channels of every route climb in it.
    load_evidence : Bound or None
        Why no such paths have a lower highest load than `load_bound`; None for given paths.
    worst_load : float or None
        Highest load of a channel under any permutation, where each terminal sends 1 to one other; None: not sought.
    """

    routes: PairRoutes | LaneTable
    lane: Ints
    lane_load: Floats
    key: Floats
    load_evidence: Bound | None = None
    worst_load: float | None = None

    @property
    def count(self) -> int:
        """Number of lanes."""
        return len(self.key)

    @property
    def load(self) -> Floats:
        """Load of each channel, in routes (pairs of terminals) or in the units of the flows, over its bandwidth."""
        return np.asarray(self.lane_load.sum(axis=0))

    @property
    def lane_pairs(self) -> tuple[int, ...]:
        """Pairs in each lane."""
        return tuple(np.bincount(self.lane[self.lane >= 0], minlength=len(self.lane_load)).tolist())

    @property
    def lane_highest(self) -> tuple[float, ...]:
        """Highest load of a channel in each lane."""
        return tuple(self.lane_load.max(axis=1, initial=0.0).tolist())

    def relation_on(self, network: Network, sends: Flags | None, vcs: int | None) -> Relation:
        """The relation with this number of VCs per channel; by default one for each lane."""
        if isinstance(self.routes, LaneTable):
            table, minimal = self.routes, self.routes.minimal
            return tabled(table.addresses, table.next_channel, self.lane, self.count, vcs=vcs, minimal=minimal)
        return laned(network, self.routes, vcs=vcs, sends=sends)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Lanes(Brief, RoutesInLanes, LaneFigures):
    """Routes in lanes that packets keep. An address is lane · terminals + terminal; each lane has its own order.

    Attributes
    ----------
    front : tuple of (int, float)
        Numbers of lanes for which routes were made, each with the lowest highest load that was found.
    history : tuple of (float, int)
        Seconds after which routes in a number of lanes were found.
    lmc : int
        Each terminal has 2^lmc addresses.
    single_load : float or None
        Highest load of the routes to one address of each terminal with which the search began, where there are more.

    Examples
    --------
    >>> from unknot.lane_assignment import lanes
    >>> routes = lanes("ring(5)")
    >>> routes.count, routes.lower_bound, routes.relation
    (2, 2, <Relation lanes (2 lanes) on ring(5), 20 VCs>)
    >>> routes = lanes("ring(6)", "table", lmc=1)
    >>> routes.single_load, routes.highest_load, routes.load_bound
    (5.0, 4.5, 4.5)
    """

    front: tuple[tuple[int, float], ...] = ()
    history: tuple[tuple[float, int], ...] = ()
    lmc: int = 0
    single_load: float | None = None

    @property
    def least_count(self) -> int:
        """The fewest lanes for which routes were found."""
        return min((lanes for lanes, _ in self.front), default=self.count)

    @property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts the evidence; None: there is none to check."""
        return shows(
            self.relation.network, self.evidence, self.lower_bound, sends=self.sends, relation=self.given,
            changes="shared" if self.both_ways else "none",
        )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LongerLanes(Brief, RoutesInLanes):
    """Routes that may be longer than shortest paths, in lanes.

    Attributes
    ----------
    relation : Relation
    hops, shortest : int64 arrays, shape (routers, columns)
        Hops of the routes and of shortest paths; 0 where none is needed. Columns are routers that eject, or
        terminals by these routers.
    wanted : bool array, same shape
    load_evidence : Bound or None
        Why no paths have a lower highest load than `load_bound`; where all routes are shortest paths, why no shortest
        ones in as many lanes have.
    moves : int
        Moves of the search.
    complete : bool
        Whether the search ended by itself, not by the time limit or Ctrl-C.

    Examples
    --------
    >>> from unknot.lane_assignment import longer_lanes
    >>> routes = longer_lanes("ring(6)", 1)
    >>> routes.count, routes.longest_detour
    (1, 2)
    """

    relation: Relation
    hops: Ints
    shortest: Ints
    wanted: Flags
    moves: int
    complete: bool

    @property
    def mean_hops(self) -> MeanHops:
        """Mean length of the routes of all pairs of routers, in hops."""
        return float(self.hops[self.wanted].mean()) if self.wanted.any() else 0.0

    @property
    def mean_shortest(self) -> MeanHops:
        """Hops of shortest paths, over all pairs of routers: no routes have a lower mean."""
        return float(self.shortest[self.wanted].mean()) if self.wanted.any() else 0.0

    @property
    def longest_detour(self) -> Hops:
        """Hops that some route has more than a shortest path."""
        return int((self.hops - self.shortest)[self.wanted].max(initial=0))

    @property
    def longer_pairs(self) -> int:
        """Pairs of routers whose route is no shortest path."""
        return int(np.count_nonzero(self.hops[self.wanted] > self.shortest[self.wanted]))

    @property
    def pairs(self) -> int:
        """Pairs of routers."""
        return int(np.count_nonzero(self.wanted))
