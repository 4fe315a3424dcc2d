"""Tables that only some routers need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.memory import require
from unknot.flow_control.model import FlowControl
from unknot.flow_control.pools import NUMBERS
from unknot.routing.paths import distances_to_homes
from unknot.routing.relation import Relation
from unknot.simulation.engine.codes import KEPT
from unknot.simulation.engine.router import Router

FARTHEST = np.iinfo(np.int16).max


def matrix_arbiters(tables: dict[str, Any]) -> dict[str, Any]:
    """Matrix arbiters of all routers; what has never been chosen is as if the highest number was longest ago.

    Of each router those of inputs and of outputs, for virtual channels and then for the switch.
    """
    words = tables["first_word"]
    ins, outs = (np.diff(tables["words"][name][words]) for name in ("first_input", "first_output"))
    require("matrix arbiters", 64 * int((ins * outs).sum()))
    recent, first, used = [np.zeros(0, dtype=np.int64)], np.zeros(int(words[-1]), dtype=np.int64), 0
    for word, i, o in zip(words[:-1].tolist(), ins.tolist(), outs.tolist(), strict=True):
        first[word], used = used, used + 4 * i * o
        recent += 2 * [np.tile(-np.arange(o), i), np.tile(-np.arange(i), o)]
    return {"recent": np.concatenate(recent), "first_recent": first}


def hop_tables(relation: Relation, router: Router, out_row: npt.NDArray[Any]) -> dict[str, Any]:
    """Return the tables `next_router`, `home` and `hops_left`; none for other selection functions.

    Raises
    ------
    RelationError
        If the table of distances is too large.
    """
    if router.selection != "least_weight":
        return {}
    network, vcs = relation.network, relation.vcs
    distances = distances_to_homes(network, "the selection function least_weight")
    rows = out_row[: vcs.total]
    next_router = np.zeros(int(rows.max(initial=-1)) + 1, dtype=np.int32)
    next_router[rows] = network.target[vcs.channel]
    return {
        "next_router": next_router,
        "home": distances.column[relation.destination],
        "hops_left": np.where(distances.table < 0, FARTHEST, distances.table).reshape(-1),
    }


def slot_tables(
    flow: FlowControl, tables: Mapping[str, Any], num_vcs: int, depth: int, lengths: Sequence[int]
) -> dict[str, Any]:
    """Return the tables `slots`, `members`, `hops` and `pools`; none where flits are counted alone.

    What a buffer has beyond its slots nothing takes where lengths differ, and of cells: it would let a slot be
    counted as free while the credits of a short packet are still under way.

    Parameters
    ----------
    tables : dict
        Those of the ends of buffers: `outputs`, `out_row` and `in_row`.
    depth : int
        Flits of a buffer.
    lengths : sequence of int
        Those of packets, in flits.
    """
    if not flow.slotted:
        return {}
    pools, out_row, many = flow.pools, tables["out_row"], len(tables["outputs"]["owner"])
    in_slots = [v for pool in pools for v in pool.vcs] if pools else range(num_vcs)
    flits, slack, first = np.zeros(many, dtype=int), np.zeros(many, dtype=int), np.full(many, -1)
    size = flow.slot(max(lengths))
    flits[out_row[in_slots]] = size
    unused = depth // size - flow.packets if pools else 0
    slack[out_row[in_slots]] = unused * size + (depth % size if len(lengths) > 1 or flow.cell > 1 else 0)
    members, hops, total = [], list[int](), sum(len(pool.vcs) for pool in pools)
    for number, pool in reversed([*enumerate(pools)]):
        for v in reversed(pool.vcs):
            before = sorted(u for u, w in pool.hops if w == v)
            members.append((out_row[v], number, first[out_row[v]], v not in pool.unguarded, len(before)))
            hops += reversed(before)
            first[out_row[v]] = total - len(members)
    row, pool_of, following, guarded, of_hops = np.array(members[::-1], dtype=int).reshape(-1, 5).T
    sizes = np.array([len(pool.vcs) for pool in pools], dtype=int)
    return {
        "slots": {"flits": flits, "slack": slack, "member": first},
        "members": {
            "row": row,
            "pool": pool_of,
            "next": following,
            "guarded": guarded,
            "first_hop": np.cumsum(of_hops) - of_hops,
            "end_hop": np.cumsum(of_hops),
        },
        "hops": tables["in_row"][hops[::-1]],
        "pools": {
            "first": np.cumsum(sizes) - sizes,
            "end": np.cumsum(sizes),
            "keeps": [KEPT.index(pool.keeps) for pool in pools],
            "limits": flow.limiting,
            "mark": [-1 if v < 0 else out_row[v] for v in flow.marks or [-1] * len(pools)],
            **{name: [getattr(pool, name) for pool in pools] for name in NUMBERS},
        },
    }
