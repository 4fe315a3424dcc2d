"""How a simulation lies in memory: flat arrays, one row per buffer, port, terminal, packet, or word of buffers.

Buffers are numbered b: the virtual channels (VCs) of the network first, then `local` VCs for every terminal. As an
input, buffer b ≥ num_vcs belongs to an injection port; as an output, the same number is a VC of the terminal's
ejection port. Ports are numbered likewise: the channels, then the terminals.

Each router has words of 64 bits, in which every buffer it reads from has a cell, and so has every buffer it writes to:
64 × word + bit. What will happen to a buffer is a bit set in an inbox of the router, one for each coming cycle.

A network is divided among threads by ranges of routers. Each part has its own `State`; most of its arrays are shared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unknot.routing.relation import Relation
from unknot.simulation.injection import Bursts, Lengths, length_shares
from unknot.simulation.router import ALLOCATORS, SELECTIONS, Router
from unknot.simulation.traffic import Pairs, scramble, streams
from unknot.switching import SWITCHINGS, Switching

SAF, VCT, ATOMIC, NONATOMIC = range(4)
"""Codes of the switching techniques, in the order of `SWITCHINGS`."""

IDLE, FRESH, BLOCKED, PENDING, STALLED, MOVING = range(6)
"""States of an input buffer: no packet in front; a header that may take any candidate; one that found all of them
taken and requests only those it waits for; within a stage of the router that takes longer than a cycle; an output VC
is allocated but there is no flit or no credit; it requests the switch."""

STATE, OUT, STORED, READ, SENT, ACCEPT, SIZE, OUT_PORT = range(8)
"""Columns of `inputs`: state; output VC (of a header: the candidate it committed to), or −1; flits that arrived and
are still there; ring position of the front packet; its flits that left; round-robin pointer; once it has an output
VC its flits in all and the first cell of its output port."""

OWNER, CREDITS, WRITE, GRANT = range(4)
"""Columns of `outputs`: input buffer that sends into it, or −1; free slots as known upstream; ring position of the
next packet; round-robin pointer."""

IN_CELL, CREDIT_CELL, OUT_CELL, PORT, LATENCY, PLACE, STANDS, LEAVES = range(8)
"""Columns of `wire`: the cell of the buffer as an input; that in which its credits come back; that as an output; port;
latency; place of a header in it, as rules see it; the router that reads from it; the router that writes to it."""

READER, WRITER, FROM_PORT = range(3)
"""Columns of `buffers`, one row for each cell: the input buffer; the output VC, or the injection buffer whose credits
come back there; the first cell of the port of the input buffer."""

TURN, BEST, KEY, NEXT_VC, BUSY, CELL, CARRIED = range(7)
"""Columns of `sending` (output ports) and `receiving` (input ports): round-robin pointer; this cycle's best request
and its key; the VC that is preselected next; whether it is taken in this cycle; the first cell of its buffers;
the flits it was given. All cells are counted from the first word of the router, and pointers are cells."""

ARRIVED_BITS, CREDIT_BITS, HEAD_BITS, READY_BITS = range(4)
"""Columns of `inbox`: buffers that a flit comes into; those that a credit comes back from; headers that begin to
request output VCs; buffers whose stage is over."""

HEADS, ASLEEP, MOVERS, NEW_HEADS, WINNERS, HOLDERS, OPEN = range(7)
"""Columns of `masks`: headers that request output VCs; those that wait for a sign; buffers that request the switch;
headers and buffers that do so from the next cycle on; buffers that hold the switch; output VCs that
have no owner and, with atomic allocation, all their credits."""

CREATED, INJECTED, ADDRESS, LENGTH, HOPS, SOURCE, SCRIPT, STOP = range(8)
"""Columns of `packets`; SCRIPT is where its prescribed path begins in `script` or −1, STOP how long it is."""

PACKET, LEFT, VC, LAST, DRAWN, CHANCE, ON = range(7)
"""Columns of `terminals`: packet being injected or −1; its flits still to come; the injection buffer it goes into or
−1; the one used last; the next cycle to draw for; the probability of a packet in a cycle × 2⁵³; whether it is on."""

(
    TECHNIQUE, DEPTH, NUM_VCS, LOCAL, MEASURE_FROM, MEASURE_TO, HOLD, COMMITS, MASK, EVERYONE, COMPARES, FIRST_ROUTER,
    LAST_ROUTER, FIRST_WORD, LAST_WORD, PART, PARTS, PLAIN, ROUTING, ALLOCATION, TRAVERSAL, SWITCHED, CREDIT,
    SPECULATIVE, SEPARABLE, ROUNDS, AGED, SELECT, HOLDS, SALT, BEGIN, END, PATIENCE,
) = range(33)  # fmt: skip
ENTRIES = 33
"""Entries of `setup`. EVERYONE: −1 when tables say who sends to whom, else 1 if a terminal also sends to itself, else
0; HOLD: headers with a prescribed path wait at its end; COMPARES: packets choose on injection between their address
and the direct one; PLAIN: the allocators are as by default; ROUTING to CREDIT: cycles of the stages, SWITCHED being
those of switch allocation; BEGIN, END: chances of bursts × 2⁵³, BEGIN −1 without bursts."""

(
    NOW,
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
) = range(16)
"""Entries of `count`, each of one part."""

NO_CYCLE = 2**60
"""A cycle that never comes."""
SPAN = 512
"""Most cycles in a call of the kernel when there are several parts."""


class State(NamedTuple):
    """Everything one part of a run consists of; the order is that of the kernels' signature (`state_kernel.STATE_TYPE`)."""

    setup: Any
    count: Any
    inputs: Any
    outputs: Any
    wire: Any
    ring: Any
    sending: Any
    receiving: Any
    words: Any
    buffers: Any
    inbox: Any
    outside: Any
    masks: Any
    progress: Any
    packets: Any
    free: Any
    terminals: Any
    local_terminals: Any
    terminal_first: Any
    random: Any
    lengths: Any
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
    touched: Any
    best: Any
    asked: Any


def layout(
    relation: Relation,
    switching: Switching,
    *,
    packet_length: Lengths,
    buffer_depth: int,
    chance: float,
    seed: int,
    pairs: Pairs,
    router: Router,
    bursts: Bursts | None,
    threads: int,
) -> list[State]:
    """An empty network about to begin cycle 0, in as many parts as it has threads.

    Parameters
    ----------
    chance : float
        Probability that a terminal that sends at full rate creates a packet in a cycle, on average.
    pairs : Pairs
        Who sends to whom.
    """
    network, vcs = relation.network, relation.vcs
    terminals, num_vcs = network.num_terminals, relation.num_vcs
    shares = length_shares(packet_length)
    local = max(1, int(vcs.counts.max(initial=1)))
    terminal = np.repeat(np.arange(terminals), local)
    buffers, ports = num_vcs + terminal.size, network.num_channels + terminals
    held = _packets_in_a_buffer(switching, buffer_depth, shares[0][0])

    wire = np.zeros((buffers, 8), dtype=np.int32)
    wire[:, PORT] = np.concatenate([vcs.channel, network.num_channels + terminal])
    wire[:, LATENCY] = np.concatenate([network.latency, np.ones(terminals, dtype=np.int32)])[wire[:, PORT]]
    wire[:, PLACE] = np.concatenate([np.arange(num_vcs), num_vcs + terminal])
    wire[:, STANDS] = np.concatenate([network.target[vcs.channel], network.inject[terminal]])
    wire[:, LEAVES] = np.concatenate([network.source[vcs.channel], network.eject[terminal]])
    words, cells = _cells(wire, num_vcs, network.num_routers)
    longest = int(network.latency.max(initial=1)) + router.switch_allocation_delay + router.vc_allocation_delay
    longest += max(router.traversal_delay, router.credit_delay, router.routing_delay)
    wheel = 1 << (longest + 2).bit_length()

    inputs = np.zeros((buffers, 8), dtype=np.int32)
    inputs[:, OUT] = -1
    outputs = np.zeros((buffers, 4), dtype=np.int32)
    outputs[:, OWNER], outputs[:, CREDITS] = -1, buffer_depth
    sending = np.zeros((ports, 8), dtype=np.int64)
    sending[:, BEST] = -1
    receiving = sending.astype(np.int32)
    for cells_of, column in ((sending, OUT_CELL), (receiving, IN_CELL)):
        router_words = words[wire[:, LEAVES if column == OUT_CELL else STANDS]]
        cells_of[wire[::-1, PORT], CELL] = (wire[:, column] - 64 * router_words)[::-1]
    cells[wire[:, IN_CELL], FROM_PORT] = receiving[wire[:, PORT], CELL]
    starts = streams(seed, terminals)
    by_router = np.argsort(network.inject, kind="stable")
    first = np.searchsorted(network.inject[by_router], np.arange(network.num_routers + 1))
    cuts = _cuts(wire[:, STANDS], network.num_routers, threads)
    many = int(first[cuts[1:]].max(initial=0)) * SPAN if threads > 1 else 0
    slots = buffers * held + terminals + many
    shared = State(
        setup=_setup(relation, switching, buffer_depth, seed, pairs, router, bursts, local, wheel - 1, threads),
        count=np.zeros(16, dtype=np.int64),
        inputs=inputs,
        outputs=outputs,
        wire=wire,
        ring=np.zeros((buffers, held), dtype=np.int32),
        sending=sending,
        receiving=receiving,
        words=words.astype(np.int32),
        buffers=cells,
        inbox=np.zeros((wheel, int(words[-1]), 4), dtype=np.int64),
        outside=np.zeros((wheel, int(words[-1]) if threads > 1 else 0, 2), dtype=np.int64),
        masks=_masks(wire, int(words[-1])),
        progress=np.zeros((threads, 16), dtype=np.int64),
        packets=np.empty((slots * threads, 8), dtype=np.int64),
        free=np.empty(slots, dtype=np.int32),
        terminals=_terminal_rows(chance, pairs, bursts, starts, local),
        local_terminals=by_router.astype(np.int32),
        terminal_first=first.astype(np.int32),
        random=starts,
        lengths=_length_limits(shares),
        destination=np.array(relation.destination, dtype=np.int32),
        pair_first=pairs.pair_first,
        address_range=pairs.address_range,
        addresses=pairs.addresses,
        keep=pairs.keep,
        other=pairs.other,
        direct=np.array(() if relation.direct is None else relation.direct, dtype=np.int32).reshape(-1),
        script=np.full(1, -1, dtype=np.int32),
        latencies=np.empty(4096 + terminals + many, dtype=np.int64),
        offered=np.zeros(relation.max_candidates, dtype=np.int64),
        wanted=np.zeros(relation.max_candidates + local, dtype=np.int32),
        touched=np.zeros(4, dtype=np.int32),
        best=np.zeros((4, 4), dtype=np.int64),
        asked=np.zeros((4, 8), dtype=np.int64),
    )
    return [_part(shared, k, cuts, slots) for k in range(threads)]


def _part(shared: State, k: int, cuts: npt.NDArray[np.int64], slots: int) -> State:
    """The state of part k, with scratch memory of its own."""
    setup, words = shared.setup.copy(), shared.words
    setup[[FIRST_ROUTER, LAST_ROUTER, PART]] = cuts[k], cuts[k + 1], k
    setup[[FIRST_WORD, LAST_WORD]] = words[cuts[k]], words[cuts[k + 1]]
    cells = 64 * int(np.diff(words).max(initial=1))
    requests = cells if setup[PLAIN] else cells * shared.wanted.size
    best = np.full((cells, 4), -1, dtype=np.int64)
    count = shared.count.copy()
    count[HIGH] = k * slots
    return shared._replace(
        setup=setup,
        count=count,
        free=np.empty_like(shared.free),
        latencies=np.empty_like(shared.latencies),
        offered=shared.offered.copy(),
        wanted=shared.wanted.copy(),
        touched=np.zeros(2 * cells, dtype=np.int32),
        best=best,
        asked=np.zeros((requests, 8), dtype=np.int64),
    )


def _packets_in_a_buffer(switching: Switching, depth: int, shortest: int) -> int:
    """Most packets that have flits in one buffer, or are on their way into it."""
    if switching == "wormhole":
        return 1
    return min(depth, depth // shortest + (2 if switching == "wormhole-nonatomic" else 1))


def _cells(
    wire: npt.NDArray[np.int32], num_vcs: int, routers: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """First word of every router, and the buffers of every cell; fills in the cells of `wire`."""
    inside = wire[:, STANDS].astype(np.int64)
    sides = [
        (inside, np.arange(inside.size), IN_CELL),
        (
            np.concatenate([wire[:, LEAVES], inside[num_vcs:]]),
            np.concatenate([np.arange(inside.size), np.arange(num_vcs, inside.size)]),
            OUT_CELL,
        ),
    ]
    many = np.maximum(*(np.bincount(router, minlength=routers) for router, _, _ in sides))
    words = np.concatenate([[0], np.cumsum(np.maximum(1, -(-many // 64)))])
    cells = np.full((64 * int(words[-1]), 4), -1, dtype=np.int32)
    for side, (router, buffer, column) in enumerate(sides):
        order = np.argsort(router, kind="stable")
        before = np.searchsorted(router[order], np.arange(routers))
        cell = np.empty(router.size, dtype=np.int64)
        cell[order] = 64 * words[router[order]] + np.arange(router.size) - before[router[order]]
        cells[cell, side] = buffer
        wire[:, column] = cell[: inside.size]
        if column == OUT_CELL:
            wire[:, CREDIT_CELL] = np.concatenate([cell[:num_vcs], cell[inside.size :]])
    return words, cells


def _masks(wire: npt.NDArray[np.int32], words: int) -> npt.NDArray[np.int64]:
    """All output VCs are open, and nothing else is going on."""
    masks = np.zeros((words, 8), dtype=np.int64)
    cells = wire[:, OUT_CELL].astype(np.int64)
    np.bitwise_or.at(masks[:, OPEN], cells >> 6, np.int64(1) << (cells & 63))
    return masks


def _cuts(stands: npt.NDArray[np.int32], routers: int, parts: int) -> npt.NDArray[np.int64]:
    """First router of each part, and the end: parts of about as many buffers."""
    upto = np.cumsum(np.bincount(stands, minlength=routers))
    wanted = np.arange(1, parts) * (upto[-1] / parts) if routers else np.zeros(parts - 1)
    return np.concatenate([[0], np.searchsorted(upto, wanted), [routers]]).astype(np.int64)


def _terminal_rows(
    chance: float, pairs: Pairs, bursts: Bursts | None, starts: npt.NDArray[np.uint64], local: int
) -> npt.NDArray[np.int64]:
    rows = np.zeros((starts.size, 8), dtype=np.int64)
    rows[:, [PACKET, VC]] = -1
    rows[:, LAST] = local - 1
    share = 1.0 if bursts is None else bursts.share_on
    rows[:, CHANCE] = (chance * pairs.rate / share * 2**53).astype(np.int64)
    if bursts is not None:
        rows[:, ON] = [scramble(int(start) + 1) >> 11 < int(share * 2**53) for start in starts]
    return rows


def _length_limits(shares: tuple[tuple[int, float], ...]) -> npt.NDArray[np.int64]:
    """For each packet length the end of its share × 2⁵³, and itself: int64 array, shape (lengths, 2)."""
    limits = np.round(np.cumsum([share for _, share in shares]) * 2.0**53).astype(np.int64)
    limits[-1] = 2**53
    return np.stack([limits, [length for length, _ in shares]], axis=1)


def _setup(
    relation: Relation,
    switching: Switching,
    depth: int,
    seed: int,
    pairs: Pairs,
    router: Router,
    bursts: Bursts | None,
    local: int,
    mask: int,
    threads: int,
) -> npt.NDArray[np.int64]:
    setup = np.zeros(ENTRIES, dtype=np.int64)
    setup[[TECHNIQUE, DEPTH, NUM_VCS, LOCAL]] = SWITCHINGS.index(switching), depth, relation.num_vcs, local
    setup[[COMMITS, MASK, PARTS]] = relation.commits, mask, threads
    setup[[MEASURE_FROM, MEASURE_TO, EVERYONE]] = NO_CYCLE, NO_CYCLE, pairs.everyone
    setup[COMPARES] = relation.direct is not None
    setup[[ROUTING, ALLOCATION]] = router.routing_delay, router.vc_allocation_delay
    setup[[SWITCHED, TRAVERSAL, CREDIT]] = router.switch_allocation_delay, router.traversal_delay, router.credit_delay
    setup[[SEPARABLE, ROUNDS, AGED]] = ALLOCATORS.index(router.allocator), router.iterations, router.priority == "age"
    setup[[SPECULATIVE, HOLDS, SELECT]] = router.speculative, router.hold_switch, SELECTIONS.index(router.selection)
    setup[PLAIN] = not (
        setup[SEPARABLE] or setup[AGED] or setup[SPECULATIVE] or setup[HOLDS] or router.iterations > 1
    )
    setup[SALT] = np.array(scramble(seed + 0x5851F42D4C957F2D), dtype=np.uint64).view(np.int64)
    setup[PATIENCE] = mask + 8
    setup[[BEGIN, END]] = -1 if bursts is None else [int(bursts.begin * 2**53), int(bursts.end * 2**53)]
    return setup
