"""Refutations of numbers of lanes, as evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unknot._base.shown import Brief
from unknot.lane_assignment.walks import Failures, Pair
from unknot.search.solver import Steps


@dataclass(frozen=True, eq=False, repr=False)
class Refutation(Brief):
    """A proof that a number of lanes is not enough for shortest paths.

    Attributes
    ----------
    lanes : int
        The number of lanes that is impossible.
    pairs : tuple of pairs of routers
        Pairs that these lanes cannot serve. Lanes that packets keep are numbered in the order in which these use
        them.
    cycles : tuple of tuples of int
        Cycles of channels, the turns of which no lane permits all. Where lanes change they are of virtual channels:
        that of channel c in lane l is c · lanes + l.
    steps : tuple of pairs of tuples of int
        Clauses that follow one from another, each with the clauses by which it follows; the last is empty. Variables
        and clauses are numbered as `unknot.certificates.plain.Encoder` does.
    changes : {"none", "shared", "rising", "any"}
        What is impossible: lanes that packets keep, that both directions of a pair share, or that packets change.
    failures : tuple of tuples of int
        The channels of each failure after which every pair shall keep a path; a pair after failure f, from 1, has
        f times the number of routers added to its end.
    ordered : bool
        Whether the clauses state an order of all channels for each lane, in which its turns go on; there are no
        cycles then.

    Examples
    --------
    >>> from unknot import Network
    >>> from unknot.lane_assignment import lanes
    >>> proof = lanes(Network("one-way ring", 7, range(7), [1, 2, 3, 4, 5, 6, 0])).evidence
    >>> proof.lanes, len(proof.pairs)
    (3, 13)
    """

    lanes: int
    pairs: tuple[Pair, ...]
    cycles: tuple[tuple[int, ...], ...]
    steps: Steps
    changes: str = "none"
    failures: Failures = ()
    ordered: bool = False

    @property
    def proof(self) -> dict[str, Any]:
        """The proof as plain data, for the checker."""
        return {
            "kind": "refutation",
            "pairs": [list(pair) for pair in self.pairs],
            "cycles": [list(cycle) for cycle in self.cycles],
            "order": self.ordered,
            "steps": [[list(literals), list(hints)] for literals, hints in self.steps],
        }


@dataclass(frozen=True, eq=False, repr=False)
class RouteRefutation(Refutation):
    """A proof that a number of lanes is not enough for given routes.

    Attributes
    ----------
    pairs : tuple of (int, int)
        Source terminals and addresses; the other attributes are those of `Refutation`.

    Examples
    --------
    >>> from unknot import Network
    >>> from unknot.lane_assignment import lanes
    >>> ring = Network("one-way ring", 7, range(7), [1, 2, 3, 4, 5, 6, 0])
    >>> proof = lanes(ring, "given", routing="shortest_paths").evidence
    >>> type(proof).__name__, proof.lanes
    ('RouteRefutation', 3)
    """
