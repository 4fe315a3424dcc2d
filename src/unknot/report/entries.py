"""States of a relation that packets can come to, with their candidates, as tables list them."""

from __future__ import annotations

from collections.abc import Iterator

from unknot.routing.relation import Relation, decode
from unknot.routing.taking import takes_relation
from unknot.verify.states import Explorer

Entry = tuple[int, int, int, list[tuple[int | None, int, bool]]]
"""A state: router, input VC, address, and candidates: VC (None: ejection), tier, whether a blocked header waits."""


@takes_relation
def entries(relation: Relation) -> Iterator[Entry]:
    """Router, input VC, address and candidates (VC or None, tier, waits) of every state packets can come to."""
    explorer, router = Explorer(relation), relation.vcs.router
    for address in range(relation.num_addresses):
        if not relation.sources(address).size:
            continue
        order, first, candidates_of_all = explorer.visit(address)
        for i, at in enumerate(order.tolist()):
            candidates = [decode(int(x)) for x in candidates_of_all[first[i] : first[i + 1]]]
            yield int(router[at]), at, address, [(c.vc, c.tier, c.waits) for c in candidates]
