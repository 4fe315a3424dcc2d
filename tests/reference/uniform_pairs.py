"""Uniform traffic, for tests of engines."""

from __future__ import annotations

from unknot.routing.relation import Relation
from unknot.simulation.engine.pairs import Pairs, pairs_of
from unknot.traffic import Pattern


def uniform(relation: Relation, *, self_traffic: bool = True) -> Pairs:
    """Uniform traffic over the pairs the relation serves, that of a terminal to itself included or not."""
    return pairs_of(relation, Pattern("uniform", itself=self_traffic))
