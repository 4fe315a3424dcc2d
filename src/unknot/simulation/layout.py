"""How a simulation lies in memory: tables with one row per buffer, port, terminal, packet, or word of buffers.

Buffers are numbered: the virtual channels (VCs) of the network first, then `local` VCs for every terminal. Of each
there is a row in `inputs`, its downstream end, and one in `outputs`, its upstream end; rows are in the order of the
routers where these ends are. A terminal has a third kind of end: `local` ejection VCs, among the outputs. A router's
own inputs, and its outputs, are counted from 0: these numbers are cells, bits of the words it has of its own. What
will happen to a buffer is a bit in the inbox of the router, one inbox for each of the cycles to come; there a cell is
numbered 64 × word + bit over all routers.

A network is divided among threads by ranges of routers. Each part has its own `State`; most of its tables are shared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

SAF, VCT, ATOMIC, NONATOMIC = range(4)
"""Codes of the switching techniques, in the order of `unknot.switching.SWITCHINGS`."""

IDLE, FRESH, BLOCKED, PENDING, STALLED, MOVING = range(6)
"""States of an input buffer: no packet in front; a header that may take any candidate; one that found all of them
taken and requests only those it waits for; within a stage of the router that takes longer than a cycle; an output VC
is allocated but there is no flit or no credit; it requests the switch."""

(
    STATE, OUT, STORED, READ, SENT, ACCEPT, SIZE, OUT_PORT, CREDIT_CELL, IN_LATENCY, IN_PORT, FROM_PORT, PLACE, FRONT,
) = range(14)  # fmt: skip
"""Columns of `inputs`: state; row of the output VC, or −1, of a header the VC it committed to; flits that arrived and
are still there; ring position of the front packet; its flits that left; round-robin pointer; once it has an output VC
its flits in all and the first cell of its output port. Then what never changes: the cell in which credits go back,
and how long that takes; the first row of the port and its cell; the place of a header, as rules see it. Last, the
packet in front of an input that owns an output VC, of simple routers that are gathered."""

OWNER, CREDITS, WRITE, GRANT, IN_CELL, OUT_LATENCY, PORT, READER = range(8)
"""Columns of `outputs`: row of the input that sends into it, or −1; free slots as known upstream; ring position of
the next packet; round-robin pointer. Then what never changes: the cell to which flits go, and how long that takes;
the first row of the port; the row of the input that flits go to, −1 for ejection."""

TURN, NEXT_VC, BUSY, CELL, CARRIED = range(5)
"""Columns of `sending` (output ports) and `receiving` (input ports), in the first row of a port: round-robin pointer;
the VC that is preselected next; whether it is taken in this cycle; the first
cell of its buffers; the flits it was given."""

FIRST_INPUT, FIRST_OUTPUT = range(2)
"""Columns of `frames`, one row for each word and one more: the rows of `inputs` and `outputs` that its first bit
stands for."""

ARRIVED_BITS, CREDIT_BITS, HEAD_BITS, READY_BITS = range(4)
"""Columns of `inbox`: buffers that a flit comes into; those that a credit comes back from; headers that begin to
request output VCs; buffers whose stage is over."""

HEADS, ASLEEP, OPEN, OWNING, NO_CREDIT, FILLED, ROOM, ENDS, MOVERS, NEW_HEADS, WINNERS, HOLDERS = range(12)
"""Columns of `masks`: headers that request output VCs; those that wait for a sign; outputs that have no owner and,
with atomic allocation, all their credits. Then, of simple routers that are gathered, inputs that own an output VC,
those of them whose output VC has no credit, inputs with flits, outputs with credits; and, of all, outputs that are
ends of injection buffers. Of other routers buffers that request the switch, headers and buffers that do so from the
next cycle on, and buffers that hold the switch."""

CREATED, INJECTED, ADDRESS, LENGTH, HOPS, SOURCE, SCRIPT, STOP = range(8)
"""Columns of `packets`; HOPS: channels of which it was allocated a VC; SCRIPT is where its prescribed path begins in
`script` or −1, STOP how long it is."""

PACKET, LEFT, VC, LAST, DRAWN, CHANCE, ON, FIRST_END = range(8)
"""Columns of `terminals`: packet being injected, −1, or −2 if one is known to be created in cycle DRAWN; its flits
still to come; the row of `outputs` it goes into or −1; the VC used last; the next cycle to draw for; the probability
of a packet in a cycle × 2⁵³; whether it is on; the first row of `outputs` of its injection port."""

(
    TECHNIQUE, DEPTH, NUM_VCS, LOCAL, MEASURE_FROM, MEASURE_TO, HOLD, COMMITS, MASK, EVERYONE, COMPARES, FIRST_ROUTER,
    LAST_ROUTER, FIRST_WORD, LAST_WORD, PART, PARTS, ROUTING, ALLOCATION, TRAVERSAL, SWITCHED, CREDIT,
    SPECULATIVE, SEPARABLE, ROUNDS, AGED, SELECT, HOLDS, SALT, BEGIN, END, PATIENCE, WORDS, RING, LARGE, SIMPLE,
    PLANES,
) = range(37)  # fmt: skip
ENTRIES = 37
"""Entries of `setup`. EVERYONE: −1 when tables say who sends to whom, else 1 if a terminal also sends to itself, else
0; HOLD: headers with a prescribed path wait at its end; COMPARES: how packets choose on injection between their
address and the direct one, 0 if they do not; ROUTING to CREDIT: cycles of
the stages, SWITCHED being those of switch allocation; BEGIN, END: chances of bursts × 2⁵³, BEGIN −1 without bursts;
WORDS: of all routers; RING: packets
that a buffer may hold parts of; LARGE: whether the tables are larger than a cache;
SIMPLE: routers are as by default; PLANES: binary digits of
the buffer depth."""

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
    GATHERED,
) = range(17)
"""Entries of `count`, each of one part. GATHERED: simple routers are in masks and planes, and terminals have drawn
ahead; rows of `inputs`, `outputs` and `terminals` say all only after `rows_kernel.scatter`."""
COUNTERS = 17

NO_CYCLE = 2**60
"""A cycle that never comes."""
SPAN = 512
"""Most cycles in a call of the kernel when there are several parts."""


TABLES = {
    "inputs": (32, 16),
    "outputs": (32, 8),
    "ring": (32, 0),
    "sending": (64, 8),
    "receiving": (32, 8),
    "words": (32, 0),
    "frames": (32, 2),
    "inbox": (64, 4),
    "outside": (64, 2),
    "masks": (64, 16),
    "planes": (64, 0),
    "place_class": (32, 0),
    "decided": (8, 0),
    "first_decision": (32, 0),
    "decisions": (64, 2),
    "progress": (64, 16),
    "packets": (64, 8),
    "free": (32, 0),
    "terminals": (64, 8),
    "local_terminals": (32, 0),
    "terminal_first": (32, 0),
    "out_row": (32, 0),
    "in_row": (32, 0),
    "ejection_row": (32, 0),
    "buffer": (32, 0),
    "random": (64, 0),
    "lengths": (64, 2),
    "destination": (32, 0),
    "pair_first": (64, 0),
    "address_range": (64, 0),
    "addresses": (32, 0),
    "keep": (64, 0),
    "other": (64, 0),
    "direct": (32, 0),
    "script": (32, 0),
    "latencies": (64, 0),
    "offered": (64, 0),
    "wanted": (32, 0),
    "best": (32, 2),
    "asked": (64, 8),
}
"""Bits of a number and columns of every table; 0 columns: a plain array."""
FIRST_TABLE = ENTRIES + COUNTERS
"""Where addresses and sizes of the tables begin in `State.raw`, after setup and counters."""


class State(NamedTuple):
    """Everything one part of a run consists of.

    `raw` is all that kernels are given: setup, counters, and for each of the tables its address and number of rows.
    The rest is the same by name. `words`: first word of each router, and the end; `out_row`, `in_row`: rows of
    `outputs` and `inputs` of each buffer; `buffer`: that of each row of `inputs`; `ejection_row`: of each terminal
    the first row of `outputs`; `ring`: packets in the order in which they come into each input; `planes`: counters
    of buffers, see `planes_kernel`; `place_class`, of each row of `inputs`, `decided`, of each class and address,
    `first_decision`, of each word and the end, `decisions`: answers of the rule, see `decision_kernel`, or empty.
    """

    raw: Any
    setup: Any
    count: Any
    inputs: Any
    outputs: Any
    ring: Any
    sending: Any
    receiving: Any
    words: Any
    frames: Any
    inbox: Any
    outside: Any
    masks: Any
    planes: Any
    place_class: Any
    decided: Any
    first_decision: Any
    decisions: Any
    progress: Any
    packets: Any
    free: Any
    terminals: Any
    local_terminals: Any
    terminal_first: Any
    out_row: Any
    in_row: Any
    ejection_row: Any
    buffer: Any
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
    best: Any
    asked: Any
