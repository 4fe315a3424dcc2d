"""Reasons why packets of a run do not arrive, deadlock apart: livelock, starvation, or too much load."""

from __future__ import annotations

import math
from collections.abc import Generator
from fractions import Fraction

import numpy as np

from unknot._base.arrays import Floats, Ints
from unknot.flow_control.model import FlowControl
from unknot.network import distances_from
from unknot.simulation.engine.detector import front, sender
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.router import Router
from unknot.simulation.run.scenario import Scenario
from unknot.traffic import pattern
from unknot.traffic.workload import mean_length

LONGER = 10
"""Multiple of the hops a packet needs; with that many and 20 more it is said to go round."""
WATCHED = 2_000, 10_000
"""Fewest and most cycles in which an input VC is watched before its packet is said to starve."""
LOOKS = 400
"""Looks in that time at which packets got which virtual channels."""

Fronts = dict[int, tuple[int, ...]]
"""Packet in front of each buffer that holds flits: its columns CREATED and HOPS, and its flits that left."""


def diagnosis(engine: Engine, measured: int) -> Generator[int, None, str]:
    """Livelock or starvation, in words, at the end of a run that is not stable; empty if it is neither.

    Livelock is seen by a packet that has made far more hops than any way without detours has. For starvation the
    run goes on under load, for as many cycles as were measured within `WATCHED`: a buffer, of a channel or of an
    injection port, whose first flit has not moved in all of them starves if more others went where it may go than in
    two turns of all buffers of its router. Under round robin a packet that is free to go never waits for longer, but
    what it waits for can be busy, or too full for it, whenever its turn comes.

    Parameters
    ----------
    engine : Engine
        It goes on, and may come to a deadlock.
    measured : int
        Cycles that were measured.
    """
    before = _fronts(engine)
    words = _livelock(engine, before)
    if words:
        return words
    cycles = min(max(measured, WATCHED[0]), WATCHED[1]) // LOOKS * LOOKS
    taken = np.zeros(engine.relation.num_vcs, dtype=np.int64)
    last = _owners(engine)
    for _ in range(LOOKS):
        yield engine.now + cycles // LOOKS
        now = _owners(engine)
        taken += (now != last).any(axis=1)
        last = now
    return _starvation(engine, before, taken, cycles)


def _owners(engine: Engine) -> Ints:
    """Return for each VC its owner and where its next packet will be noted: both stay while nobody gets the VC."""
    rows = engine.state.outputs[engine.state.out_row[: engine.relation.num_vcs]]
    return np.stack([rows.owner, rows.back], axis=1).astype(np.int64)


def _fronts(engine: Engine) -> Fronts:
    state = engine.state
    fronts: Fronts = {}
    for buffer in (state.inputs.stored[state.in_row] > 0).nonzero()[0].tolist():
        packet = front(state, buffer)
        row = state.packets[packet]
        fronts[buffer] = (packet, int(row.created), int(row.hops), int(state.inputs.sent[state.in_row[buffer]]))
    return fronts


def _livelock(engine: Engine, fronts: Fronts) -> str:
    """The packet with the most hops, if far more than its route needs."""
    if not fronts:
        return ""
    network = engine.relation.network
    packet, created, hops, _ = max(fronts.values(), key=lambda front: front[2])
    source, destination, words = _packet(engine, packet)
    needed = int(distances_from(network, int(network.inject[source]))[network.eject[destination]])
    if hops <= LONGER * needed + 20:
        return ""
    age = engine.now - created
    return f"livelock: a packet {words} has made {hops} hops in {age} cycles where {needed} would do, and goes on"


def _starvation(engine: Engine, before: Fronts, taken: Ints, cycles: int) -> str:
    """The input VC in which the oldest packet stands while others got through far more often than in turn.

    `taken` says how often each VC was seen to go to another packet.
    """
    relation, state = engine.relation, engine.state
    network, num_vcs = relation.network, relation.num_vcs
    local = int(state.setup.local)
    inputs = np.bincount(network.target[relation.vcs.channel], minlength=network.num_routers)
    inputs += local * np.bincount(network.inject, minlength=network.num_routers)

    now = _fronts(engine)
    standing = [(engine.now - was[1], buffer, was[0]) for buffer, was in before.items() if now.get(buffer) == was]
    for waited, buffer, packet in sorted(standing, key=lambda each: -each[0]):
        inside, terminal = buffer < num_vcs, (buffer - num_vcs) // local
        router = int(network.target[relation.vcs.channel[buffer]] if inside else network.inject[terminal])
        address = int(state.packets.address[packet])
        candidates = relation.candidates(buffer if inside else num_vcs + terminal, address)
        passed = int(taken[sorted({candidate.vc for candidate in candidates if candidate.vc is not None})].sum())
        # In turn, each of the other buffers of the router would have got through once.
        if passed > 2 * inputs[router]:
            place = (
                relation.vcs.name(buffer) if inside else f"the injection port of {network.terminal_name(terminal)}"
            )
            *_, words = _packet(engine, packet)
            return (
                f"starvation: a packet {words}, created {waited} cycles ago, has not moved on {place} for {cycles} "
                f"cycles, in which {passed} others at least went where it may go"
            )
    return ""


def _packet(engine: Engine, packet: int) -> tuple[int, int, str]:
    """Source and destination of a packet, and both in words."""
    relation, row = engine.relation, engine.state.packets[packet]
    source, address = sender(engine.state, packet), int(row.address)
    words = f"from {relation.network.terminal_name(source)} to {relation.address_name(address)}"
    return source, int(relation.destination[address]), words


FULL = 0.9
"""Flits per cycle from which on a channel is called full."""
TIGHT = 0.75
"""Part of what its VCs can carry from which on a channel is called short of VCs."""
SEEN = 1e-3
"""Mean flits in the buffer of a VC from which on packets are said to use it."""


def vc_period(flow: FlowControl, length: int, latency: int, router: Router) -> int:
    """Least cycles from one packet to the next on a VC.

    Parameters
    ----------
    flow : FlowControl
    length : int
        Flits of the packets.
    latency : int
        Cycles on the wire.
    router : Router

    Examples
    --------
    >>> from unknot.flow_control import technique
    >>> [vc_period(technique(name), 1, 1, Router()) for name in ("vct", "wormhole")]
    [3, 8]
    """
    va, sa = router.vc_allocation_delay, router.switch_allocation_delay
    header = max(va, sa) if router.speculative else va + sa
    behind = (length - 1) * sa
    least = router.routing_delay + header + behind
    if not flow.exclusive:
        return least
    return least + header + router.traversal_delay + router.credit_delay + 2 * latency


def bottleneck(scenario: Scenario, offered: float, accepted: float, utilisation: Floats, occupancy: Floats) -> str:
    """Say which bound of the model the offered load exceeds; `hints` tries what would help.

    A channel needs what it carried, times what was offered over what was accepted. Only VCs in which flits were seen
    count: the routing may keep packets from the others.

    Parameters
    ----------
    scenario : Scenario
        Its load is what the busiest terminal offers.
    offered, accepted : float
        Flits per terminal and cycle, means over the terminals.
    utilisation : float64 array, shape (channels,)
        Flits per cycle of each channel while measuring.
    occupancy : float64 array, shape (VCs,)
        Mean flits in the buffer of each VC.

    Returns
    -------
    str
        One clause, without a full stop; empty if nothing was accepted.
    """
    relation, load, atomic = scenario.relation, scenario.load, scenario.control.exclusive
    network = relation.network
    if not utilisation.size or not accepted > 0:
        return ""
    received = pattern(network, scenario.traffic.pattern).received
    width = scenario.router.terminal_width
    if received is not None and load * received.max() > width:
        most = int(np.argmax(received))
        return (
            f"{network.terminal_name(most)} is sent {load * received[most]:.3g} flits per cycle and takes {width}: "
            f"only a load below {width / received[most]:.2g} or other traffic helps"
        )
    latencies, kind = np.unique(network.latency, return_inverse=True)
    lengths = scenario.traffic.lengths
    mean = mean_length(lengths)
    periods = [
        sum(share * vc_period(scenario.control, n, int(d), scenario.router) for n, share in lengths)
        for d in latencies
    ]
    period = np.array(periods)[kind]
    seen = np.bincount(relation.vcs.channel, weights=occupancy > SEEN, minlength=utilisation.size)
    used = np.maximum(seen, 1)
    carries = np.minimum(used * mean / period, 1.0)
    needed = utilisation * (offered / accepted)
    short = int(np.argmax(needed / carries))
    if carries[short] < network.bandwidth[short] and needed[short] > TIGHT * carries[short]:
        vcs = int(relation.vcs.counts[short])
        share = _fraction(mean, period[short])
        many = f"{used[short]:g}" + (f" of its {vcs}" if used[short] < vcs else "")
        return (
            f"one {'atomic ' if atomic else ''}VC carries at most {share} flit per cycle here; "
            f"{network.channel_name(short)} would need {needed[short]:.2f} and packets use {many}"
        )
    share_used = utilisation / network.bandwidth
    full = int(np.argmax(share_used))
    name = network.channel_name(full)
    carried = f"{utilisation[full]:.2f} of {network.bandwidth[full]:.3g} flit per cycle"
    if share_used[full] >= FULL:
        return f"{name} is full ({carried}): only another routing, more channels or less load help"
    return f"no channel is full (the busiest, {name}, carries {carried}): packets block one another"


def _fraction(mean: float, period: float) -> str:
    """Flits per cycle as a fraction where it is one of small numbers."""
    fraction = Fraction(mean / period).limit_denominator(100)
    return str(fraction) if math.isclose(fraction, mean / period) else f"{mean / period:.3g}"
