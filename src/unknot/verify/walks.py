"""Walks of packets by equal shares of candidates, also where they may go round."""

from __future__ import annotations

from typing import Any

import numpy as np

from unknot._base.arrays import Flags, Floats, Ints, Rows
from unknot._base.errors import RelationError
from unknot.network.graph import reached_from
from unknot.routing.relation import EJECT, TIER, VC_MASK, Relation
from unknot.verify.explorer import Visit


def lowest(states: Visit, rows: Ints) -> tuple[Ints, Ints]:
    """The candidates of the lowest tier of some states: the place of each state among these, and the VC."""
    chosen = Rows(states.first, states.candidates).take(rows)
    tail, offered = chosen.row, chosen.entries
    tier = (offered // TIER) & 0xFF
    if not tier.any():
        return tail, offered & VC_MASK
    lowest = np.full(rows.size, 255)
    np.minimum.at(lowest, tail, tier)
    kept = tier == lowest[tail]
    return tail[kept], offered[kept] & VC_MASK


def add_visits(relation: Relation, states: Visit, injected: Floats, address: int, load: Floats) -> None:
    """Add expected visits of states on walks that may go round and, as `spread` has seen, reach no dead end."""
    from scipy.sparse import coo_array, eye_array
    from scipy.sparse.linalg import spsolve

    vcs, order = relation.vcs, states.order
    count = order.size
    tail, vc = lowest(states, np.arange(count))
    many = np.bincount(tail, minlength=count)
    number = np.full(vcs.router.size, -1, dtype=np.int64)
    number[order] = np.arange(count)
    inner = vc != EJECT
    share = 1.0 / many[tail[inner]]
    moves = coo_array((share, (tail[inner], number[vc[inner]])), shape=(count, count)).tocsr()
    reached = reach(moves, np.flatnonzero(injected > 0))
    ends = reach(moves.T.tocsr(), np.unique(tail[~inner]))
    lost = np.flatnonzero(reached & ~ends)
    if lost.size:
        raise RelationError(
            f"{relation.name}: traffic bound for {relation.address_name(address)} may never leave the network from "
            f"{vcs.name(int(order[lost[0]]))} on; loads are those of a routing that delivers"
        )
    live = np.flatnonzero(reached)
    step = moves[live][:, live]
    visits = np.atleast_1d(spsolve((eye_array(live.size) - step.T).tocsc(), injected[live]))
    on_vc = order[live] < vcs.total
    load[order[live][on_vc]] += visits[on_vc]


def reach(moves: Any, starts: Ints) -> Flags:
    """Return a mask of the states to which moves lead from some."""
    reached = np.zeros(moves.shape[0], dtype=bool)
    reached[[*reached_from(starts.tolist(), Rows(moves.indptr, moves.indices).at)]] = True
    return reached
