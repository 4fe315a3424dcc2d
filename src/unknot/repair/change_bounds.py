"""Lower bounds on what a repair changes: routes or entries of tables in one lane.

Routes in one lane must not close a cycle of turns, so each cycle of turns that the given routes take loses one, and
with it every route that takes it. In the linear relaxation of this cycles get weights, which changes pay: what is due
for a turn is shared out among groups of changes one of which at least is needed to take it from all routes, and no
change pays more than 1 in all. Then changes cost at least the sum of the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from unknot._base.deadline import NEVER, Deadline
from unknot._base.shown import Brief
from unknot.certificates import Rejected, plain
from unknot.certificates.documents import Document, plain_table
from unknot.lanes.tables import Table
from unknot.network.graph import light_cycles
from unknot.repair.programs import SCALE, Program
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation

Turn = tuple[int, int]
Unit = tuple[int, int]
"""A router and an address: the route from there, or the entry of its table."""
Groups = dict[Turn, list[tuple[Unit, ...]]]
"""Groups of changes by turn: one change at least of each group is needed to take the turn from all routes."""
Kind = Literal["pairs", "entries"]
MOST_GROUPS = 150_000
"""Most groups for which linear programs are solved."""


@dataclass(frozen=True, repr=False)
class ChangeBound(Brief):
    """Proof that fewer changes are not enough.

    Attributes
    ----------
    kind : {"pairs", "entries"}
        What is counted: pairs of a source router and an address whose routes change, or entries of tables (router,
        address).
    cycles : tuple of (tuple of int, int)
        Cycles of channels that the routes take one after the other, each with its weight in parts of `SCALE`.
    paid : tuple of (turn, group, int)
        What each group of changes pays for a turn, in the same parts.

    Examples
    --------
    >>> from unknot.repair import repair
    >>> few = next(r for r in repair("ring(5)", routing="shortest_paths") if r.kind == "few changed routes")
    >>> few.change.evidence.kind, few.change.lower_bound
    ('pairs', 2)
    """

    kind: Kind
    cycles: tuple[tuple[tuple[int, ...], int], ...]
    paid: tuple[tuple[Turn, tuple[Unit, ...], int], ...]

    @property
    def least(self) -> int:
        """Changes that are needed at least."""
        return -(-sum(weight for _, weight in self.cycles) // SCALE)


def change_bound(table: Table, kind: Kind, deadline: Deadline = NEVER) -> ChangeBound | None:
    """The best bound of linear programming in a time; None if routes close no cycle, or the program is too large."""
    addresses = np.unique(table.addresses.row, return_index=True)[1].tolist()
    groups = _groups(table, kind, addresses)
    cycles = light_cycles(dict.fromkeys(groups, 0.0))
    if not cycles or sum(len(members) for members in groups.values()) > MOST_GROUPS:
        return None
    known, price = dict.fromkeys(cycles), None
    for _ in range(60):
        turns = sorted({turn for cycle in known for turn in _turns(cycle)})
        alternatives = [(turn, group) for turn in turns for group in groups[turn]]
        units = sorted({unit for _, group in alternatives for unit in group})
        rows = [
            (0.0, [(("turn", turn), -1.0), *((("unit", unit), 1.0) for unit in group)])
            for turn, group in alternatives
        ]
        rows += [(1.0, [(("turn", turn), 1.0) for turn in _turns(cycle)]) for cycle in known]
        program = Program.of(rows, [*(("turn", turn) for turn in turns), *(("unit", unit) for unit in units)])
        solved = program.cheapest(np.repeat([0.0, 1.0], [len(turns), len(units)]), deadline.left)
        if solved.status != 0:
            break
        price, paying, priced = -np.asarray(solved.ineqlin.marginals), alternatives, [*known]
        weight = dict(zip(turns, solved.x.tolist(), strict=False))
        more = light_cycles({turn: weight.get(turn, 0.0) for turn in groups})
        more = [cycle for cycle in more if cycle not in known]
        if not more or deadline.over:
            break
        known.update(dict.fromkeys(more))
    if price is None:
        return None
    weights = [int(max(0.0, x) * SCALE * (1 - 1e-5)) for x in price[len(paying) :]]
    paid = [(turn, group, int(max(0.0, x) * SCALE)) for (turn, group), x in zip(paying, price, strict=False)]
    return ChangeBound(
        kind,
        tuple((cycle, w) for cycle, w in zip(priced, weights, strict=False) if w),
        tuple(entry for entry in paid if entry[2]),
    )


def bound_claim(relation: Relation, bound: ChangeBound) -> Document:
    """The bound as a claim of a document; raise `Rejected` if somebody pays who does not send."""
    network = relation.network
    terminal: dict[Unit, int] = {}
    for unit in {group[0] for _, group, _ in bound.paid}:
        router, address = unit
        for source in relation.sources(address).tolist() if 0 <= address < relation.num_addresses else ():
            if network.inject[source] == router and source != relation.destination[address]:
                terminal[unit] = source
        if unit not in terminal:
            raise Rejected(f"nobody sends from router {router} to address {address}")
    proof = {
        "cycles": [[*cycle, weight] for cycle, weight in bound.cycles],
        "paid": [[*turn, terminal[group[0]], group[0][1], amount] for turn, group, amount in bound.paid],
    }
    return {"subject": "changes", "kind": bound.kind, "least": bound.least, "proof": proof}


@takes_relation
def accept_changes(relation: Relation, bound: ChangeBound) -> int:
    """The number of changes that the bound shows to be needed; raise `Rejected` if it does not hold.

    Parameters
    ----------
    bound : ChangeBound
        The bound with its evidence.

    Returns
    -------
    int
        The bound that holds.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.repair import repair
    >>> from unknot.routing import shortest_paths
    >>> relation = shortest_paths(ring(5))
    >>> few = next(r for r in repair(relation) if r.kind == "few changed routes")
    >>> accept_changes(relation, few.change.evidence)
    2
    """
    claim = bound_claim(relation, bound)
    proof = claim["proof"]
    sends = np.zeros((relation.network.num_terminals, relation.num_addresses), dtype=bool)
    for *_, source, address, _ in proof["paid"]:
        sends[source, address] = True
    plain.check_changes(plain_table(replace(relation, may_use=sends)), claim, proof)
    return bound.least


def _turns(cycle: Sequence[int]) -> list[Turn]:
    return list(pairwise([*cycle, cycle[0]])) if cycle else []


def _groups(table: Table, kind: Kind, addresses: Sequence[int]) -> Groups:
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
