"""Routing functions of BookSim on butterflies, trees and files of channels."""

from __future__ import annotations

import heapq
from dataclasses import replace

import numpy as np

from unknot._base.memory import require
from unknot.routing import nca as ancestor
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.studies.booksim.networks import Built
from unknot.studies.booksim.tori import UnfitError, addresses


def dest_tag(built: Built, vcs: int, faithful: bool) -> Relation:
    """By the digits of the destination, the highest first."""
    virtual, channel, k, n = VirtualChannels(built.network, vcs), built.channel, built.k, built.n
    router, first, stage = virtual.router, virtual.first, k ** (n - 1)

    def rule(at: int, address: int, out: Out) -> int:
        here = router[at]
        level = here // stage
        if level == n - 1:
            out[0] = EJECT
            return 1
        port = first[channel[here, address // k ** (n - 1 - level) % k]]
        for v in range(vcs):
            out[v] = port + v
        return vcs

    return Relation(built.network, virtual, rule, name="dest_tag of BookSim", claims_minimal=True)


def nca(built: Built, vcs: int, faithful: bool) -> Relation:
    """Up to a nearest common ancestor by ports drawn at each level, then down."""
    virtual, channel, k, n = VirtualChannels(built.network, vcs), built.channel, built.k, built.n
    router, first, terminals, across = virtual.router, virtual.first, built.network.num_terminals, k ** (n - 1)

    def rule(at: int, address: int, out: Out) -> int:
        to, drawn = address % terminals, address // terminals
        here = router[at]
        depth, place = here // across, here % across
        below = k ** (n - depth)
        start = place // k ** (n - depth - 1) * below
        if not start <= to < start + below:
            port = k + drawn // k ** (n - 1 - depth) % k
        elif depth == n - 1:
            out[0] = EJECT
            return 1
        else:
            port = (to - start) // (below // k)
        for v in range(vcs):
            out[v] = first[channel[here, port]] + v
        return vcs

    ends = addresses(built, across)
    return Relation(built.network, virtual, rule, name="nca of BookSim", destination=ends, claims_minimal=True)


def anca(built: Built, vcs: int, faithful: bool) -> Relation:
    """`nca` by the port with more credits of two that are drawn."""
    return replace(ancestor(built.network, vcs), name="anca of BookSim", selection="better_of_two")


def min_anynet(built: Built, vcs: int, faithful: bool) -> Relation:
    """One shortest way from each router to each other, found as BookSim finds it: Dijkstra's, low numbers first."""
    network, virtual = built.network, VirtualChannels(built.network, vcs)
    routers = network.num_routers
    require(f"the routing table of {network.name}", 4 * routers * routers)
    table = np.full((routers, routers), -1, dtype=np.int32)
    start, channels = network.outgoing
    near: list[list[tuple[int, int, int]]] = []
    for r in range(routers):
        out = channels[start[r] : start[r + 1]].tolist()
        near.append(sorted((int(network.target[c]), int(network.latency[c]), c) for c in out))
    for source in range(routers):
        distance, by = [2**62] * routers, [-1] * routers
        distance[source] = 0
        done = [False] * routers
        queue = [(0, source)]
        while queue:
            so_far, r = heapq.heappop(queue)
            if done[r]:
                continue
            done[r] = True
            for target, latency, c in near[r]:
                if so_far + latency < distance[target]:
                    distance[target] = so_far + latency
                    by[target] = c if r == source else by[r]
                    heapq.heappush(queue, (distance[target], target))
        table[source] = by
    table.setflags(write=False)
    router, first, home = virtual.router, virtual.first, network.eject
    if (table[np.ix_(np.unique(home), np.unique(home))] < 0).sum() > np.unique(home).size:
        raise UnfitError("some node has no way to another", "network_file")

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
        for v in range(vcs):
            out[v] = first[table[here, there]] + v
        return vcs

    return Relation(network, virtual, rule, name="min of BookSim")
