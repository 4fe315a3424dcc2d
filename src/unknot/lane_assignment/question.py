"""Question of a search for lanes: the pairs to serve, the paths that may serve them, and what is known beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from unknot._base.errors import RelationError, require_known
from unknot.lane_assignment.annealing import bits_in
from unknot.lane_assignment.evidence import Evidence
from unknot.lane_assignment.flows import only
from unknot.lane_assignment.forced import cycle_of_routes, forced_cycle
from unknot.lane_assignment.path_set import Demand, Flags, Ints, demand, of_pairs, packed, path_set, unpacked
from unknot.lane_assignment.tables import Hops, LaneTable, free_table, paths_of_table, table_of
from unknot.network import Network
from unknot.routing.relation import Relation

if TYPE_CHECKING:
    from unknot.lane_assignment.orders_kernel import PathSet

PATHS = ("free", "table", "given")
CHANGES = ("rising", "any", "ports")


@dataclass(frozen=True, eq=False)
class Question:
    """Question that a search is to answer.

    Attributes
    ----------
    network : Network
    paths : {"free", "table", "given"}
    changes : {"none", "shared", "rising", "any", "ports"}
        How packets may change lanes; "shared": not, and both directions of a pair share a lane.
    path_set : PathSet
    demand : Demand or None
        Who sends to whom, where paths are not given.
    table : LaneTable or None
        The given paths.
    given : Relation or None
        The relation whose paths are given.
    sends : bool array or None
        Who sends to whom, if not everyone to everyone.
    reason : ForcedCycle, RouteCycle or None
        Why one lane is not enough.
    """

    network: Network
    paths: str
    changes: str
    path_set: PathSet
    demand: Demand | None
    table: LaneTable | None
    given: Relation | None
    sends: Flags | None
    reason: Evidence | None

    @property
    def hops(self) -> Hops | None:
        """Hops of shortest paths, where routes are those of a table that is to be found."""
        return self.demand.distances.table if self.demand is not None and self.paths == "table" else None

    @property
    def pairs(self) -> int:
        """Pairs of routers, or of routers and rows of the given table."""
        return int(bits_in(self.path_set.wanted).sum())

    @property
    def paths_per_step(self) -> float:
        """Channels by which a router may go on to a destination, in the mean."""
        choices = int(np.count_nonzero(unpacked(self.path_set.nearer, self.path_set.home.size)))
        return float(choices / max(1, self.path_set.wanted.shape[0] * self.path_set.home.size))

    def table_of(self, taken: Ints) -> LaneTable:
        """The given tables, or those by which channels are taken to destinations."""
        if self.demand is None:
            assert self.table is not None
            return self.table
        return free_table(self.demand, self.path_set, taken)


def question_of(
    network: Network, paths: str, changes: str, routing: Relation | str | None, flows: npt.ArrayLike | None
) -> Question:
    """Return the question that the arguments of a search for lanes ask.

    Raises
    ------
    NetworkError
        If some terminal has no way to another, or the flows make no sense.
    RelationError
        If another argument makes no sense, or given paths are not those of tables.
    """
    require_known("lanes: unknown paths", paths, PATHS, RelationError)
    if (paths == "given") != (routing is not None):
        raise RelationError(
            "lanes: given paths are those of a routing: give --paths given and --routing NAME together (in Python "
            "paths='given' and routing=), or neither"
        )
    if routing is None:
        pairs = demand(network, flows)
        served = of_pairs(path_set(pairs), packed(pairs.wanted), both_ways=changes == "shared")
        return Question(network, paths, changes, served, pairs, None, None, pairs.sends, forced_cycle(pairs))
    from unknot.routing.named import routing as named

    relation = named(network, routing) if isinstance(routing, str) else routing
    relation = relation if flows is None else only(relation, flows)
    table = table_of(relation, flows)
    served = of_pairs(paths_of_table(table), packed(table.wanted), both_ways=changes == "shared")
    sends = None if flows is None else np.asarray(flows) > 0
    return Question(network, paths, changes, served, None, table, relation, sends, cycle_of_routes(table))
