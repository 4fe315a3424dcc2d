"""How a simulation lies in memory: a few flat arrays, one row per buffer, port, terminal or packet.

Buffers are numbered b: the virtual channels (VCs) of the network first, then `local` VCs for every terminal. As an
input, buffer b ≥ num_vcs belongs to an injection port; as an output, the same number is a VC of the terminal's
ejection port. Ports are numbered likewise: the channels, then the terminals.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unknot.routing.relation import Relation
from unknot.simulation.traffic import Pairs, streams
from unknot.switching import SWITCHINGS, Switching

SAF, VCT, ATOMIC, NONATOMIC = range(4)
"""Codes of the switching techniques, in the order of `SWITCHINGS`."""

IDLE, FRESH, BLOCKED, STALLED, MOVING = range(5)
"""States of an input buffer: no packet in front; a header that may take any candidate; one that found all of them
taken and requests only those it waits for; an output VC is allocated but there is no flit or no credit; it requests
the switch."""

STATE, OUT, STORED, READ, SENT, WAKE, ACCEPT, CHOICE = range(8)
"""Columns of `inputs`: state; output VC (of a header: the candidate it committed to, or −1); flits that arrived and
are still there; ring position of the front packet; its flits that left; first cycle of the next try, or −1 − c when
asleep since cycle c; round-robin pointer; the grant it takes this cycle, or −1."""

OWNER, CREDITS, WRITE, GRANT, BEST, KEY, STAMP = range(7)
"""Columns of `outputs`: input buffer that sends into it, or −1; free slots as known upstream; ring position of the
next packet; round-robin pointer; this cycle's best request, its key and the cycle it was made in."""

TURN, PORT_KEY, PORT_BEST, PORT_STAMP, DELAY, NEXT_VC, CARRIED = range(7)
"""Columns of `sending` (output ports: grant) and `receiving` (input ports: accept); CARRIED counts the flits that an
output port was given."""

CREATED, INJECTED, ADDRESS, LENGTH, HOPS, SOURCE, SCRIPT, STOP = range(8)
"""Columns of `packets`; SCRIPT is where its prescribed path begins in `script` or −1, STOP how long it is."""

PACKET, LEFT, VC, LAST, DRAWN, CHANCE = range(6)
"""Columns of `terminals`: packet being injected or −1; its flits still to come; the injection buffer it goes into or
−1; the one used last; the next cycle to draw for; the probability of a packet in a cycle × 2⁵³."""

(
    TECHNIQUE, DEPTH, NUM_VCS, LOCAL, FLITS, MEASURE_FROM, MEASURE_TO, HOLD, COMMITS, MASK, EVERYONE,
    COMPARES,
) = range(12)  # fmt: skip
"""Entries of `setup`. EVERYONE: −1 when tables say who sends to
whom, else 1 if a terminal also sends to itself, else 0; HOLD: headers with a prescribed path wait at its end;
COMPARES: packets choose on injection between their address and the direct one."""

(
    NOW,
    HEADS,
    MOVERS,
    FREE,
    HIGH,
    CREATED_PACKETS,
    MEASURED_CREATED,
    MEASURED_ARRIVED,
    NETWORK_SUM,
    HOPS_SUM,
    ARRIVED,
    LATENCY_SUM,
    FLITS_IN,
    FLITS_OUT,
    FLITS_OUT_MEASURED,
    FLIT_HOPS,
    LAST_MOVE,
    WHERE,
) = range(18)
"""Entries of `count`."""

NO_CYCLE = 2**60
"""A cycle that never comes."""


class State(NamedTuple):
    """Everything a run consists of; the order is that of the kernels' signature (`state_kernel.STATE_TYPE`)."""

    setup: Any
    count: Any
    inputs: Any
    outputs: Any
    ring: Any
    port: Any
    place: Any
    stands: Any
    leaves: Any
    changed: Any
    sending: Any
    receiving: Any
    flits: Any
    flit_count: Any
    credits: Any
    credit_count: Any
    heads: Any
    movers: Any
    touched: Any
    packets: Any
    free: Any
    terminals: Any
    random: Any
    destination: Any
    pair_first: Any
    address_range: Any
    addresses: Any
    keep: Any
    other: Any
    direct: Any
    script: Any
    latencies: Any
    offered: Any
    wanted: Any


def layout(
    relation: Relation,
    switching: Switching,
    *,
    packet_length: int,
    buffer_depth: int,
    chance: float,
    seed: int,
    pairs: Pairs,
) -> State:
    """An empty network about to begin cycle 0.

    Parameters
    ----------
    chance : float
        Probability that a terminal that sends at full rate creates a packet in a cycle.
    pairs : Pairs
        Who sends to whom.
    """
    network, vcs = relation.network, relation.vcs
    terminals, num_vcs = network.num_terminals, relation.num_vcs
    local = max(1, int(vcs.counts.max(initial=1)))
    buffers, ports = num_vcs + terminals * local, network.num_channels + terminals
    terminal = np.repeat(np.arange(terminals), local)
    latency = np.concatenate([network.latency, np.ones(terminals, dtype=np.int32)])
    wheel = 1 << (int(latency.max(initial=1)) + 2).bit_length()
    slots = buffers * buffer_depth + terminals

    inputs = np.zeros((buffers, 8), dtype=np.int32)
    inputs[:, [OUT, CHOICE]] = -1
    outputs = np.zeros((buffers, 8), dtype=np.int32)
    outputs[:, [OWNER, STAMP]] = -1
    outputs[:, CREDITS] = buffer_depth
    sending = np.zeros((ports, 8), dtype=np.int64)
    sending[:, PORT_STAMP] = -1
    sending[:, DELAY] = latency
    receiving = sending.copy()
    rows = np.zeros((terminals, 8), dtype=np.int64)
    rows[:, [PACKET, VC]] = -1
    rows[:, LAST] = local - 1
    rows[:, CHANCE] = (chance * pairs.rate * 2**53).astype(np.int64)
    setup = np.zeros(12, dtype=np.int64)
    setup[[TECHNIQUE, DEPTH, NUM_VCS, LOCAL]] = SWITCHINGS.index(switching), buffer_depth, num_vcs, local
    setup[[FLITS, COMMITS, MASK]] = packet_length, relation.commits, wheel - 1
    setup[[MEASURE_FROM, MEASURE_TO, EVERYONE]] = NO_CYCLE, NO_CYCLE, pairs.everyone
    setup[COMPARES] = relation.direct is not None
    return State(
        setup=setup,
        count=np.zeros(18, dtype=np.int64),
        inputs=inputs,
        outputs=outputs,
        ring=np.zeros((buffers, buffer_depth), dtype=np.int32),
        port=np.concatenate([vcs.channel, network.num_channels + terminal]).astype(np.int32),
        place=np.concatenate([np.arange(num_vcs), num_vcs + terminal]).astype(np.int32),
        stands=np.concatenate([network.target[vcs.channel], network.inject[terminal]]).astype(np.int32),
        leaves=np.concatenate([network.source[vcs.channel], network.eject[terminal]]).astype(np.int32),
        changed=np.full(network.num_routers, -1, dtype=np.int64),
        sending=sending,
        receiving=receiving,
        flits=np.zeros((wheel, ports), dtype=np.int32),
        flit_count=np.zeros(wheel, dtype=np.int64),
        credits=np.zeros((wheel, ports), dtype=np.int32),
        credit_count=np.zeros(wheel, dtype=np.int64),
        heads=np.zeros(buffers, dtype=np.int32),
        movers=np.zeros(buffers, dtype=np.int32),
        touched=np.zeros(buffers + ports, dtype=np.int32),
        packets=np.empty((slots, 8), dtype=np.int64),
        free=np.empty(slots, dtype=np.int32),
        terminals=rows,
        random=streams(seed, terminals),
        destination=np.array(relation.destination, dtype=np.int32),
        pair_first=pairs.pair_first,
        address_range=pairs.address_range,
        addresses=pairs.addresses,
        keep=pairs.keep,
        other=pairs.other,
        direct=np.array(() if relation.direct is None else relation.direct, dtype=np.int32).reshape(-1),
        script=np.full(1, -1, dtype=np.int32),
        latencies=np.empty(4096 + terminals, dtype=np.int64),
        offered=np.zeros(relation.max_candidates, dtype=np.int64),
        wanted=np.zeros(relation.max_candidates + local, dtype=np.int32),
    )
