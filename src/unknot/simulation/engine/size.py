"""Memory that a simulation takes, estimated before anything is built."""

from __future__ import annotations

import numpy as np

from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING, Switching, switching_named
from unknot.network import Network
from unknot.routing.virtual_channels import VirtualChannels
from unknot.simulation.engine.ends import EJECTION_LOOP, hop_bytes
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.engine.state import SPAN, TABLES
from unknot.traffic.workload import PACKET_LENGTH, Lengths, length_shares

WAITING = 1024
"""Replies that wait at a terminal, on average, from which on no class creates requests any more."""
BUILDING = 25
"""Numbers of 8 bytes for each end of a buffer while tables are built."""
MOST_STATES = 100_000_000
"""Most pairs of an input VC and an address, or bytes, for which answers of a rule are kept."""


def simulation_bytes(
    network: Network,
    vcs: int | VirtualChannels,
    *,
    packet_length: Lengths = PACKET_LENGTH,
    switching: Switching = DEFAULT_SWITCHING,
    buffer_depth: int = BUFFER_DEPTH,
    router: Router = DEFAULT,
    threads: int = 1,
    classes: int = 0,
) -> int:
    """Estimate the memory of a simulation, the network and its relation apart.

    Parameters
    ----------
    vcs : int or VirtualChannels
        VCs of each channel.
    packet_length, switching, buffer_depth, router, threads :
        As for `simulate`.
    classes : int
        Traffic classes, if there are any.

    Returns
    -------
    int
        Bytes at the peak, within about a factor of two.

    Examples
    --------
    >>> from unknot.network.families import mesh, ring
    >>> simulation_bytes(mesh(4, 4), 2) < 1_000_000
    True
    >>> simulation_bytes(ring(4, latency=2_147_483_647), 1) > 2**38
    True
    """
    local = vcs if isinstance(vcs, int) else vcs.widest
    many = np.full(network.num_channels, local) if isinstance(vcs, int) else vcs.counts
    terminals, num_vcs = network.num_terminals, int(many.sum(dtype=np.float64))
    counted = {"weights": many.astype(np.float64), "minlength": network.num_routers}
    entering = np.bincount(network.target, **counted) + local * np.bincount(
        network.inject, minlength=counted["minlength"]
    )
    leaving = np.bincount(network.source, **counted) + local * np.bincount(
        network.eject, minlength=counted["minlength"]
    )
    leaving += local * np.bincount(network.inject, minlength=counted["minlength"])
    words = np.maximum(1, np.ceil(np.maximum(entering, leaving) / 64))
    inputs, outputs = num_vcs + local * terminals, num_vcs + 2 * local * terminals
    shortest = length_shares(packet_length)[0][0]
    held = packets_in_a_buffer(switching_named(switching), most_flits(buffer_depth, local, router), shortest)
    inboxes = wheel(int(network.latency.max(initial=1)), router, threads, local * buffer_depth) * int(words.sum())
    apart = terminals * SPAN if threads > 1 else 0
    queues = terminals * max(1, classes)
    waiting = WAITING * terminals if classes else 0
    packets = (inputs * held + queues + apart + waiting) * threads
    # Half of it while the table is built.
    arbiters = int((entering * leaving).sum()) if router.has_matrices else 0
    cells, requests = 64 * int(words.max(initial=1)), int(leaving.max(initial=0)) + local
    rows = {
        "inputs": inputs, "outputs": outputs, "ring": inputs * held, "out_ports": outputs, "in_ports": inputs,
        "inbox": inboxes, "outside": inboxes if threads > 1 else 0, "masks": int(words.sum()),
        "planes": 2 * buffer_depth.bit_length() * int(words.sum()), "packets": packets, "free": 2 * packets,
        "terminals": queues, "latencies": (4096 + terminals + apart) * threads,
        "recent": 8 * arbiters, "waiting": packets if classes else 0,
        "outer": cells * threads, "inner": cells * threads, "contest": 64 * threads,
        "requests": cells * threads * requests, "cells": cells * threads * requests * router.looks_at_all,
        "wishes": 2 * cells * cells // 64 * threads, "lesser": cells * cells // 64 * threads * router.all_tiers,
    }  # fmt: skip
    tables = sum(TABLES[name].dtype.itemsize * many for name, many in rows.items())
    answers = min(MOST_STATES, (num_vcs + terminals) * terminals)
    return tables + answers + hop_bytes(network, router) + 8 * BUILDING * (inputs + outputs)


def wheel(latency: int, router: Router, threads: int, buffers: int) -> int:
    """Cycles for which there are inboxes: more than anything is posted ahead, by parts that may be a cycle ahead.

    Parameters
    ----------
    buffers : int
        Flits that fit behind a channel: the most that queue in front of it.
    """
    stay = max(router.switch_allocation_delay, router.vc_allocation_delay)
    crossing = router.traversal_delay * (1 if router.pipelined else 3)
    routing = router.routing_delay * (1 if router.pipelined else 2)
    ejection = router.ejection_credits * (EJECTION_LOOP + router.credit_delay)
    after = max(crossing + max(latency, ejection), router.credit_delay + latency, routing)
    return 1 << (stay + after + router.queues * buffers + (threads > 1)).bit_length()


def most_flits(depth: int, vcs: int, router: Router) -> int:
    """Most flits of a VC: those of its own slots, and all that the VCs of its port share."""
    shared = router.shared_slots(depth)
    most = depth - shared + vcs * shared
    return min(most, router.most_slots or most)


def packets_in_a_buffer(switching: Switching, depth: int, shortest: int) -> int:
    """Most packets that have flits in one buffer, or are on their way into it."""
    if switching == "wormhole":
        return 1
    return min(depth, depth // shortest + (2 if switching == "wormhole-nonatomic" else 1))
