"""Bottlenecks of a network that is not stable: bounds of the model beside what was measured.

A virtual channel (VC) handles one packet after the other, so that a packet of L flits takes it for a period:

- its input side routes the header, allocates an output VC and sends L flits: L + 2 cycles by default;
- under atomic allocation (`wormhole`) the VC is free only once the tail has left the buffer at its far end and the
  credit is back: L + 2 d + 5 cycles by default over a channel of latency d.

So n VCs carry at most n L / period flits per cycle, and a channel at most one.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from unknot._base.switching import Switching
from unknot.simulation.engine.router import Router
from unknot.simulation.run.scenario import Scenario
from unknot.traffic import pattern
from unknot.traffic.workload import mean_length

FULL = 0.9
"""Flits per cycle from which on a channel is called full."""
TIGHT = 0.75
"""Part of what its VCs can carry from which on a channel is called short of VCs."""
SEEN = 1e-3
"""Mean flits in the buffer of a VC from which on packets are said to use it."""
Numbers = npt.NDArray[np.float64]


def vc_period(switching: Switching, length: int, latency: int, router: Router) -> int:
    """Least cycles from one packet to the next on a VC.

    Parameters
    ----------
    switching : {"saf", "vct", "wormhole", "wormhole-nonatomic"}
    length : int
        Flits of the packets.
    latency : int
        Cycles on the wire.
    router : Router

    Examples
    --------
    >>> [vc_period(technique, 1, 1, Router()) for technique in ("vct", "wormhole")]
    [3, 8]
    """
    va, sa = router.vc_allocation_delay, router.switch_allocation_delay
    header = max(va, sa) if router.speculative else va + sa
    behind = (length - 1) * sa
    least = router.routing_delay + header + behind
    if switching != "wormhole":
        return least
    return least + header + router.traversal_delay + router.credit_delay + 2 * latency


def bottleneck(scenario: Scenario, offered: float, accepted: float, utilisation: Numbers, occupancy: Numbers) -> str:
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
    relation, load, atomic = scenario.relation, scenario.load, scenario.switching == "wormhole"
    network = relation.network
    if not utilisation.size or not accepted > 0:
        return ""
    received = pattern(network, scenario.traffic.pattern).received
    if received is not None and load * received.max() > 1:
        most = int(np.argmax(received))
        return (
            f"{network.terminal_name(most)} is sent {load * received[most]:.3g} flits per cycle and takes 1: only a "
            f"load below {1 / received[most]:.2g} or other traffic helps"
        )
    latencies, kind = np.unique(network.latency, return_inverse=True)
    lengths = scenario.traffic.lengths
    mean = mean_length(lengths)
    periods = [
        sum(share * vc_period(scenario.switching, n, int(d), scenario.router) for n, share in lengths)
        for d in latencies
    ]
    period = np.array(periods)[kind]
    seen = np.bincount(relation.vcs.channel, weights=occupancy > SEEN, minlength=utilisation.size)
    used = np.maximum(seen, 1)
    carries = np.minimum(used * mean / period, 1.0)
    needed = utilisation * (offered / accepted)
    short = int(np.argmax(needed / carries))
    if carries[short] < 1 and needed[short] > TIGHT * carries[short]:
        vcs = int(relation.vcs.counts[short])
        share = _fraction(mean, period[short])
        many = f"{used[short]:g}" + (f" of its {vcs}" if used[short] < vcs else "")
        return (
            f"one {'atomic ' if atomic else ''}VC carries at most {share} flit per cycle here; "
            f"{network.channel_name(short)} would need {needed[short]:.2f} and packets use {many}"
        )
    full = int(np.argmax(utilisation))
    name = network.channel_name(full)
    if utilisation[full] >= FULL:
        return (
            f"{name} is full ({utilisation[full]:.2f} of 1 flit per cycle): only another routing, more channels or "
            "less load help"
        )
    return (
        f"no channel is full (the busiest, {name}, carries {utilisation[full]:.2f} of 1 flit per cycle): packets "
        "block one another"
    )


def _fraction(mean: float, period: float) -> str:
    """Flits per cycle as a fraction where it is one of small numbers."""
    fraction = Fraction(mean / period).limit_denominator(100)
    return str(fraction) if math.isclose(fraction, mean / period) else f"{mean / period:.3g}"
