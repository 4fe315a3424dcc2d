# mypy: ignore-errors
"""Flows that share the links of a network as evenly as any, by multiplicative weights of the links.

The weights are lengths: each source sends along shortest paths, and a link becomes longer by what it carries. Lengths
bound what any routes carry; the mean of the flows is carried (N. Garg and J. Könemann, FOCS 1998).
"""

import numpy as np

from unknot._base.kernels.heap_kernel import pop, push
from unknot._base.kernels.types_kernel import alone, called, inlined
from unknot.search.random_kernel import cooled, unit
from unknot.synthesis.topology.hops_kernel import cost_of
from unknot.synthesis.topology.links_kernel import move, place, remember, take_back

UNREACHED = 1e300
SLOWER = 30.0
"""Phases after which links grow by half as much."""
LOOK = 8
"""Phases between two looks at the bound."""


@called
def search(links, flows, ways, lengths, source):
    """Dijkstra's search from a source; returns how many nodes were reached, in `ways.order`."""
    ways.far[:] = UNREACHED
    ways.far[source] = 0.0
    push(ways.heap_far, ways.heap_node, 0, 0.0, source)
    size, reached = 1, 0
    while size > 0:
        far, u = ways.heap_far[0], ways.heap_node[0]
        size -= 1
        pop(ways.heap_far, ways.heap_node, size)
        if far > ways.far[u]:
            continue
        ways.order[reached] = u
        reached += 1
        for j in range(links.leaving[u]):
            v = links.after[u, j]
            there = far + lengths[flows.kind[u, v]]
            if there < ways.far[v]:
                ways.far[v] = there
                ways.before[v] = u
                push(ways.heap_far, ways.heap_node, size, there, v)
                size += 1
    return reached


@inlined
def copy(one, other):
    for i in range(one.size):
        other[i] = one[i]


@called
def keep(links, flows, ways):
    """Keep the best lengths, with 1, the mean, for links that are missing."""
    copy(ways.shown, ways.kept)
    for u in range(links.there.shape[0]):
        for v in range(links.there.shape[0]):
            if not links.there[u, v]:
                ways.kept[flows.kind[u, v]] = 1.0


@called
def room(links, flows, lengths):
    """Lengths of all links together."""
    total = 0.0
    for u in range(links.leaving.size):
        for j in range(links.leaving[u]):
            total += lengths[flows.kind[u, links.after[u, j]]]
    return total


@called
def bound(links, flows, ways, lengths):
    """What no routes carry more than, by lengths: room over what demand takes at least."""
    taken = 0.0
    for source in flows.sources:
        if search(links, flows, ways, lengths, source) < ways.far.size:
            return 0.0
        for v in range(ways.far.size):
            taken += flows.demand[source, v] * ways.far[v]
    return room(links, flows, lengths) * flows.sources.size / (taken * links.leaving.size)


@called
def send(links, flows, ways, number, growth, weight):
    """Send what a source sends along shortest paths; returns whether all nodes are reached."""
    nodes, source = links.leaving.size, flows.sources[number]
    reached = search(links, flows, ways, ways.lengths, source)
    if reached < nodes:
        return False
    for v in range(nodes):
        ways.below[v] = flows.demand[source, v]
    many = nodes / flows.sources.size
    for i in range(reached - 1, 0, -1):
        v = ways.order[i]
        u = ways.before[v]
        ways.below[u] += ways.below[v]
        if ways.sent.size > 0:
            j = u * links.after.shape[1] + place(links.after[u], links.leaving[u], v)
            ways.sent[number, j] += weight * np.int64(np.rint(ways.below[v] * flows.unit))
        kind = flows.kind[u, v]
        part = many * ways.below[v] / flows.size[kind]
        ways.load[kind] += part
        ways.lengths[kind] *= 1.0 + growth * part
    return True


@called
def mean(links, flows, ways, phase):
    """Take the load of a phase into the mean, with more weight than earlier ones; returns the highest mean load.

    Lengths are brought back to 1 in the mean.
    """
    highest = 0.0
    total, many = room(links, flows, ways.lengths), 0
    for u in range(links.leaving.size):
        many += links.leaving[u]
    share, back = min(1.0, 2.0 / (phase + 2)), many / total
    for kind in range(flows.size.size):
        ways.flow[kind] += share * (ways.load[kind] - ways.flow[kind])
        highest = max(highest, ways.flow[kind])
        ways.lengths[kind] *= back
    return highest


@called
def share_out(links, flows, ways, phases, wanted):
    """What can be carried at least, and at most by `ways.shown`, the best lengths that were met.

    Ends as soon as less than `wanted` can be carried.
    """
    ways.lengths[:] = 1.0
    ways.flow[:] = 0.0
    # Equal lengths are the best ones of networks in which all links are alike.
    least, most = 0.0, bound(links, flows, ways, ways.lengths)
    copy(ways.lengths, ways.shown)
    for phase in range(phases):
        ways.load[:] = 0.0
        for number in range(flows.sources.size):
            # The mean gives phases weights of 1, 2, 3, …
            if not send(links, flows, ways, number, flows.growth / (1.0 + phase / SLOWER), phase + 1):
                return 0.0, 0.0
        least = max(least, 1.0 / mean(links, flows, ways, phase))
        if phase % LOOK == LOOK - 1:
            now = bound(links, flows, ways, ways.lengths)
            if now < most:
                most = now
                copy(ways.lengths, ways.shown)
            if most < wanted:
                break
    return least, most


@alone
def carried(links, flows, ways, phases):
    """As `share_out`, for Python."""
    return share_out(links, flows, ways, phases, 0.0)


@alone
def climb(space, scratch, links, flows, ways, best, state, most_hops, value, step, phases):
    """Simulated annealing of links on what they carry, with at most some hops.

    Parameters
    ----------
    space, scratch, links
        As for `links_kernel.anneal`.
    flows : FlowSpace
    ways : FlowScratch
    best : int64 array
        Receives links as in `links_kernel.anneal`.
    state : uint64 array, shape (1,)
        Of the random numbers.
    most_hops : int
        Of the pairs of a source and a node.
    value : float64 array, shape (2,)
        What the links carry by the flows of some phases, and the most that was met; 0 before the first step.
    step : AnnealingStep
        With temperatures as shares of the value.
    phases : int

    Returns
    -------
    int
        Networks that were judged by all phases.
    """
    heat, judged = step.hot, 0
    if value[1] == 0.0:
        value[:] = share_out(links, flows, ways, phases, 0.0)[0]
        keep(links, flows, ways)
        remember(links, best)
    for number in range(step.moves):
        heat = cooled(heat, step, number)
        wanted = value[0] * (1.0 + heat * np.log(1.0 - unit(state)))
        good = move(space, scratch, links, state) and cost_of(space, scratch, links, most_hops) <= most_hops
        # The lengths of the network before tell most that are worse.
        good = good and bound(links, flows, ways, ways.kept) >= wanted
        if good:
            judged += 1
            new = share_out(links, flows, ways, phases, wanted)[0]
            good = new >= wanted
        if not good:
            take_back(space, scratch, links)
            continue
        value[0] = new
        keep(links, flows, ways)
        if new > value[1]:
            value[1] = new
            remember(links, best)
    return judged
