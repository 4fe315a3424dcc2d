"""Lower bounds on what a repair changes: routes or entries of tables in one lane.

Routes in one lane must not close a cycle of turns, so each cycle of turns that the given routes take loses one, and
with it every route that takes it. In the linear relaxation of this cycles get weights, which changes pay: what is due
for a turn is shared out among groups of changes one of which at least is needed to take it from all routes, and no
change pays more than 1 in all. Then changes cost at least the sum of the weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from unknot._base.deadline import NEVER, Deadline
from unknot.lane_assignment.tables import LaneTable
from unknot.network.graph import hops_around, light_cycles
from unknot.routing.relation import Relation
from unknot.search.bound import Bound
from unknot.search.programs import SCALE, Row, cut

Turn = tuple[int, int]
Unit = tuple[int, int]
"""A router and an address: the route from there, or the entry of its table."""
Groups = dict[Turn, list[tuple[Unit, ...]]]
"""Groups of changes by turn: one change at least of each group is needed to take the turn from all routes."""
Variable = tuple[str, tuple[int, int]]
"""A "turn" that is lost, or a "unit" that is changed."""
Named = tuple[tuple[int, ...], tuple[Unit, ...]]
"""A cycle of channels without a group, or a turn with a group of changes."""
Kind = Literal["pairs", "entries"]
LOWERED = 1e-5
"""Share by which weights of cycles are lowered."""
MOST_GROUPS = 150_000
"""Most groups for which linear programs are solved."""


def change_bound(relation: Relation, table: LaneTable, kind: Kind, deadline: Deadline = NEVER) -> Bound | None:
    """The best bound of linear programming in a time; None if routes close no cycle, or the program is too large.

    Parameters
    ----------
    relation : Relation
    table : LaneTable
        Its tables.
    kind : {"pairs", "entries"}
        What is counted: pairs of a source router and an address whose routes change, or entries of tables (router,
        address).

    Examples
    --------
    >>> from unknot.routing.named import routing
    >>> from unknot.lane_assignment.tables import table_of
    >>> relation = routing("ring(5)", "shortest_paths")
    >>> bound = change_bound(relation, table_of(relation), "pairs")
    >>> bound.kind, bound.least
    ('changes', Fraction(2, 1))
    """
    addresses = np.unique(table.addresses.row, return_index=True)[1].tolist()
    groups = _groups(table, kind, addresses)
    if sum(len(members) for members in groups.values()) > MOST_GROUPS:
        return None

    def cuts(value: Mapping[Variable, float]) -> Iterator[tuple[Named, Row[Variable]]]:
        for cycle in light_cycles({turn: value.get(("turn", turn), 0.0) for turn in groups}):
            turns = hops_around(cycle)
            yield (cycle, ()), (1.0, [(("turn", turn), 1.0) for turn in turns])
            for turn in turns:
                for group in groups[turn]:
                    needed = [(("unit", unit), 1.0) for unit in group]
                    yield (turn, group), (0.0, [(("turn", turn), -1.0), *needed])

    weights = cut(cuts, lambda variable: float(variable[0] == "unit"), deadline)
    if not weights:
        return None
    # Weights are lowered a little more than payments, so that errors of the solver leave no turn unpaid.
    cycles = [[*cycle, int(weight * (1 - LOWERED))] for (cycle, group), weight in weights.items() if not group]
    paid = [
        [*turn, _terminal(relation, *group[0]), group[0][1], weight]
        for (turn, group), weight in weights.items() if group
    ]  # fmt: skip
    least = -(-sum(weight for *_, weight in cycles) // SCALE)
    proof = {"cycles": cycles, "paid": paid}
    return Bound({"subject": "changes", "kind": kind, "least": least, "proof": proof})


def _terminal(relation: Relation, router: int, address: int) -> int:
    """A terminal at a router that sends to an address."""
    senders = relation.sources(address)
    here = (relation.network.inject[senders] == router) & (senders != relation.destination[address])
    return int(senders[here][-1])


def payers(relation: Relation, bound: Bound) -> Relation:
    """The relation for the senders alone whose routes a bound names: the checker follows no other route."""
    sends = np.zeros((relation.network.num_terminals, relation.num_addresses), dtype=bool)
    for *_, source, address, _ in bound.claim["proof"]["paid"]:
        sends[source, address] = True
    return replace(relation, addresses=replace(relation.addresses, may_use=sends))


def _groups(table: LaneTable, kind: Kind, addresses: Sequence[int]) -> Groups:
    """For each turn, groups of changes: no route takes it only if one change of each group is made."""
    network, groups = table.network, Groups()
    for start, row, channel in table.steps():
        for s, r, c in zip(start.tolist(), row.tolist(), channel.tolist(), strict=True):
            here, address = int(network.target[c]), addresses[r]
            if here != table.home[r]:
                group = groups.setdefault((c, int(table.next_channel[r, here])), [])
                if kind == "pairs":
                    group.append(((s, address),))
                elif network.source[c] == s:
                    group.append(((s, address), (here, address)))
    return groups
