"""Channel loads of the best split of the traffic over the routes that a relation permits."""

from __future__ import annotations

from math import inf

import numpy as np

from unknot._base.arrays import Ints, Rows
from unknot._base.deadline import MINUTE, counts_work
from unknot._base.errors import RelationError
from unknot._base.work import work_done
from unknot.routing.relation import EJECT, VC_MASK, Relation
from unknot.routing.taking import takes_relation
from unknot.traffic import PatternLike
from unknot.verify.explorer import Visit
from unknot.verify.loads import Loads, TrafficStates

MAX_FLOWS = 400_000
"""Most transitions between states for which the best split is sought."""


@takes_relation
@counts_work
def best_loads(relation: Relation, traffic: PatternLike = "uniform", *, time_limit: float = MINUTE) -> Loads:
    """Channel loads of the best split of the traffic over all routes the relation permits.

    A linear program: the traffic to each address flows through the graph of its states, and the load of the busiest
    channel over its bandwidth is made as small as possible. Its `throughput` is an upper bound for any
    selection function.

    Parameters
    ----------
    traffic : PatternLike
        Who sends to whom.
    time_limit : float
        Seconds for the search.

    Returns
    -------
    Loads
        Loads of channels.

    Raises
    ------
    RelationError
        If the traffic makes no sense, runs into a dead end only, or there are more than `MAX_FLOWS` transitions; or
        the solver did not finish in time.

    Examples
    --------
    >>> from unknot.verify import loads
    >>> round(loads("torus(4, 4)", routing="fully_adaptive", traffic="transpose").highest, 3)
    0.667
    >>> round(best_loads("torus(4, 4)", routing="fully_adaptive", traffic="transpose").highest, 3)
    0.5
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, hstack

    from unknot.verify.loads_kernel import one_route

    network, vcs = relation.network, relation.vcs
    slot = np.empty(vcs.router.size, dtype=np.int64)
    rows, columns, signs, supply, carried, flows, nodes = [], [], [], [], [], 0, 0
    forced = True
    offered = TrafficStates(relation, traffic)
    for _, visit, sending in offered.visits():
        states, flow = _merged(relation, visit)
        injected = np.bincount(states, sending)
        number = flows + np.arange(len(flow))
        tail, channel, head = np.array(flow, dtype=np.int64).reshape(-1, 3).T
        inner = channel >= 0
        rows += [nodes + tail, nodes + head[inner]]
        columns += [number, number[inner]]
        signs += [np.ones(number.size), -np.ones(int(inner.sum()))]
        supply.append(injected)
        carried.append(channel)
        forced = forced and bool(one_route(*visit, vcs.channel, sending, slot))
        flows, nodes = flows + number.size, nodes + injected.size
        if flows > MAX_FLOWS:
            raise RelationError(
                f"{relation.name} on {network.name}: the best split is sought among at most {MAX_FLOWS} "
                "transitions between states; take a smaller network, or `loads`"
            )
    load = np.zeros(vcs.total)
    if flows:
        carrier = np.concatenate(carried)
        taken = np.flatnonzero(carrier >= 0)
        balance = coo_array(
            (np.concatenate(signs), (np.concatenate(rows), np.concatenate(columns))), shape=(nodes, flows + 1)
        )
        uses = coo_array((np.ones(taken.size), (carrier[taken], taken)), shape=(network.num_channels, flows))
        capacity = hstack([uses, -network.bandwidth[:, None]])
        cost = np.zeros(flows + 1)
        cost[-1] = 1.0
        answer = linprog(
            cost, capacity.tocsr(), np.zeros(network.num_channels), balance.tocsr(), np.concatenate(supply),
            method="highs-ipm", options={"time_limit": time_limit if work_done() is None else inf},
        )  # fmt: skip
        if answer.status == 2:
            raise RelationError(f"{relation.name} on {network.name}: some of the traffic cannot be delivered")
        if answer.status != 0:
            raise RelationError(
                f"{relation.name} on {network.name}: the best split was not found in {time_limit:g} s: "
                f"{answer.message}"
            )
        np.add.at(load, vcs.first[carrier[taken]], answer.x[taken])
    return offered.loads(load, forced, "routes" if forced else "best")


def _merged(relation: Relation, visit: Visit) -> tuple[Ints, list[tuple[int, int, int]]]:
    """States of an address from which the same ways lead on, made one: the node of each state, and the flows.

    A flow is (node, channel, next node), or (node, −1, −1) for ejection. VCs are not distinguished.
    """
    channel, order = relation.vcs.channel, visit.order
    slot = {at: i for i, at in enumerate(order.tolist())}
    candidates = Rows(visit.first, visit.candidates & VC_MASK).lists()
    after = [[(-1, -1) if vc == EJECT else (int(channel[vc]), slot[vc]) for vc in row] for row in candidates]
    router = relation.vcs.router[order].tolist()
    node, count = list(range(order.size)), order.size
    while True:
        known: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
        steps_on = [frozenset((c, -1 if s < 0 else node[s]) for c, s in steps) for steps in after]
        node = [known.setdefault((r, steps), len(known)) for r, steps in zip(router, steps_on, strict=True)]
        if len(known) == count:
            break
        count = len(known)
    return np.array(node), sorted(
        {(node[i], c, -1 if s < 0 else node[s]) for i, steps in enumerate(after) for c, s in steps}
    )
