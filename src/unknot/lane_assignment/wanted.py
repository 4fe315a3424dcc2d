"""What `lanes` looks for, and how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from unknot._base.errors import RelationError, require_known
from unknot._base.numbers import require_whole
from unknot.verify.failures import PARTS, Parts

FIRST = ("lanes", "load")


@dataclass(frozen=True)
class LaneEffort:
    """How long `lanes` searches, in steps that are counted; the result does not depend on the machine.

    Parameters
    ----------
    tries : int
        Starts of the search for a low highest load: the routes found first, and the best of the named routings that
        are shortest paths by tables, in as few lanes. Then, in networks of up to about 100 routers, as many by other
        orders, while no bound shows that the load is the lowest.
    moves : int, optional
        Most moves of each start for each pair, in rounds of 200, 400, 800, …; by default 33 million for all pairs,
        and at least 1,400 for each. It ends earlier where no load can be lower.
    rounds : int
        Rounds of annealing with the same number of lanes before the search gives up, each twice as long as the last.
    conflicts : int
        Most conflicts of the solver that searches exactly, where the annealing found no way.

    Raises
    ------
    RelationError
        If a number makes no sense.

    Examples
    --------
    >>> from unknot.lane_assignment import lanes
    >>> lanes("ring(5)", effort=LaneEffort(tries=1, moves=200)).count
    2
    """

    tries: int = 4
    moves: int | None = None
    rounds: int = 7
    conflicts: int = 200_000

    def __post_init__(self) -> None:
        require_whole("lanes: tries", self.tries, 1, error=RelationError)
        if self.moves is not None:
            require_whole("lanes: effort", self.moves, 0, unit="moves for each pair", error=RelationError)


@dataclass(frozen=True)
class Aim:
    """Properties of the routes that `lanes` looks for.

    Parameters
    ----------
    most : int, optional
        Routes are also sought in more lanes than are needed, up to this many, for their loads: see `Lanes.front`.
    first : {"lanes", "load"}
        Which routes of the front are taken: those in the fewest lanes, or those of the lowest highest load.
    worst : bool
        Seek routes in as many lanes whose worst permutation loads channels little, and say its load: of all in which
        each terminal sends to one other at most and receives from one. The load of all flows comes after that.
    limit : int, optional
        Lanes there are at most; an error if no routes are found in them.
    survive : {"links", "channels", "routers", "any"}, optional
        After every single failure of these that leaves terminals connected, every pair shall have a path that climbs
        in one of the lanes, longer if need be; for free paths. Their proofs: `unknot.remedies.repaired_faults`.

    Raises
    ------
    RelationError
        If a word is unknown.

    Examples
    --------
    >>> from unknot.lane_assignment import lanes
    >>> lanes("mesh(3, 3)", aim=Aim(first="load", most=2), tries=1).count
    1
    """

    most: int | None = None
    first: str = "lanes"
    worst: bool = False
    limit: int | None = None
    survive: Parts | None = None

    def __post_init__(self) -> None:
        require_known("lanes: unknown first", self.first, FIRST, RelationError)
        if self.survive is not None:
            require_known("lanes: unknown kind of failures to survive", self.survive, PARTS, RelationError)


class SearchFields(TypedDict, total=False):
    """Fields of `LaneEffort` and `Aim`, which `lanes` also takes by themselves."""

    tries: int
    rounds: int
    conflicts: int
    most: int | None
    first: str
    worst: bool
    limit: int | None
    survive: Parts | None
