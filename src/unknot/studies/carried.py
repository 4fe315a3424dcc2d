"""Traffic that a design's routing carries: with UGAL's choice of ways, and under the worst permutation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot._base.errors import RelationError
from unknot._base.memory import SizeError
from unknot.routing import Relation
from unknot.studies.adversaries import Adversaries
from unknot.verify.loads import each_load
from unknot.verify.permutations import worst_permutation

FEW = "adversarial is of the worst of {} permutations: there are too many pairs for all"
"""Note on a design that is too large for its worst permutation."""


def decisions(relation: Relation) -> list[Relation]:
    """Return a routing, and of UGAL also its direct ways alone, which packets take without congestion."""
    if relation.direct is None:
        return [relation]
    senders, homes = np.indices((relation.network.num_terminals,) * 2)
    direct = np.zeros((relation.network.num_terminals, relation.num_addresses), dtype=bool)
    direct[senders, relation.direct_addresses(senders, homes)] = True
    usable = direct if relation.may_use is None else direct & relation.may_use
    return [
        relation,
        replace(
            relation,
            addresses=replace(relation.addresses, may_use=usable),
            preference=replace(relation.preference, direct=None, decides=None),
        ),
    ]


def of_worst_permutation(relation: Relation, hard: Adversaries) -> tuple[float, str]:
    """Return what a routing carries of its worst permutation, or of the worst of a few and a note that says so."""
    try:
        return max(worst_permutation(one).throughput for one in decisions(relation)), ""
    except (SizeError, RelationError):
        each = (each_load(one, hard.traffic) for one in decisions(relation))
        few = min(max(split.throughput for split in of_one) for of_one in zip(*each, strict=True))
        return few, FEW.format(len(hard.traffic))
