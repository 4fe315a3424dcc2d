"""The state of a simulation, declared once: every table, its columns, and what they mean.

Buffers are numbered: the virtual channels (VCs) of the network first, then `local` VCs for every terminal. Of each
there is a row in `inputs`, its downstream end, and one in `outputs`, its upstream end; rows are in the order of the
routers where these ends are. A terminal has a third kind of end: `local` ejection VCs, among the outputs.

A router has one or more words of 64 bits; its input VCs, and its output VCs, are counted from 0 and stand for bits of
these words in `masks`. What will happen to a buffer is a bit in the inbox of its router, one inbox for each of the
cycles to come; there bits are numbered 64 × word + bit over all routers.

A network is divided among threads by ranges of routers. Each part has its own `State`; most of its tables are shared.

Columns have the same names everywhere: ``state.inputs.stored[row]`` in Python, ``s.inputs.stored[row]`` in kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int8, int16, int32, int64, uint64

from unknot.flow_control.pools import NUMBERS
from unknot.simulation.engine.scratch import SCRATCH, rows

TABLES: dict[str, np.dtype[Any]] = {
    # Buffers.
    "inputs": rows(
        # First what packed routers look at for each flit: of rows of 48 bytes few are then in two cache lines.
        out=int32,  # row of its output VC, or −1; of a header the VC it committed to, or one of its channel
        sent=int32,  # flits of that packet that left
        length=int32,  # flits of that packet in all, once it has an output VC
        front=int32,  # position in `ring` of the packet in front
        packet=int32,  # the packet in front of an input VC that owns an output VC, of packed routers
        out_port_bit=int32,  # first bit of its output port, once it has an output VC
        accept_pointer=int32,  # round-robin pointer over output VCs
        port_bit=int32,  # first bit of its port
        stored=int32,  # flits that arrived and are still there
        at=int32,  # input VC or injection port, as rules number them
        port=int32,  # first row of its port in `in_ports`
        out_part=int16,  # which part of an output port it goes through
        state=int8,  # IDLE, FRESH, …
    ),
    "outputs": rows(
        owner=int32,  # row of the input VC that sends into it, or −1
        back=int32,  # position in `ring` of the next packet
        grant_pointer=int32,  # round-robin pointer over input VCs
        port=int32,  # first row of its port in `out_ports`
        credits=int32,  # free slots as known upstream
    ),
    "common": np.dtype(int32),  # free slots that the VCs of a port share, by its first output row
    "ring": np.dtype(int32),  # packets in the order in which they come into each input VC
    # Ports; only the first row of each is used. At both ends the VCs of a channel have rows and bits in a row.
    "out_ports": rows(
        carried=int64,  # flits it was given
        pointer=int32,  # round-robin pointer over input ports
        latency=int32,  # of the channel; of ejection ports cycles from the switch to the credit, 0 without credits
        reader=int32,  # row of the input VC that flits of its first VC go to, −1 for ejection
        flit_bit=int32,  # bit, over all routers, that these go to
    ),
    "in_ports": rows(
        pointer=int32,  # round-robin pointer over output ports
        vc_pointer=int32,  # the VC that is put forward next
        credit_bit=int32,  # bit, over all routers, that credits of this row go to
        latency=int32,  # cycles that takes, those in which a router takes it in included
        first=int32,  # row of the whole port, of which this may be a part
    ),
    # The same of routers in which flits may queue or packets hold the switch; else empty.
    "out_queues": rows(
        free_from=int64,  # cycle from which the channel is free, where flits queue behind the switch
        before=int64,  # what `free_from` was when flits that are no more in `crossings` had crossed the switch
        flits=int32,  # that its channel passes in `cycles`
        cycles=int32,
        rest=int32,  # by how many parts of a cycle, of `flits` parts each, the channel is free later than `free_from`
        busy=int32,  # whether it is taken in this cycle
    ),
    # Of each output port whose buffer is limited the last steps in which flits finish crossing the switch.
    "crossings": rows(step=int64, free_from=int64),
    "in_queues": rows(
        credits_from=int64,  # cycle from which credits are returned, where flits queue behind the switch
        busy=int64,  # whether it is taken in this cycle
        credit_step=int64,  # the last step of which any were
    ),
    # Words of bits: one row each, of `words` one more.
    "first_word": np.dtype(int32),  # of each router, and the end
    "words": rows(
        first_input=int32,  # rows that the first bit stands for
        first_output=int32,
        first_vc=int32,  # of the router, if its VCs follow each other as its first output rows do
        end_vc=int32,  # and the end; 0 if they do not
    ),
    "inbox": rows(
        flits=int64,  # input VCs that a flit comes into
        credits=int64,  # output VCs that a credit comes back from
    ),
    "stages": rows(  # the same of what is within a router that does not take the fast path; empty if all do
        heads=int64,  # headers that begin to request output VCs
        ready=int64,  # input VCs whose stage is over
    ),
    "outside": rows(flits=int64, credits=int64),  # the same from other parts
    # First what is looked at in every cycle: a cache line of 8 words, all that a router without work needs.
    "masks": rows(
        heads=int64,  # headers that request output VCs
        new_heads=int64,  # headers that request from the next step of the router on, or are routed in it
        open=int64,  # output VCs without owner and, under atomic allocation, with all their credits
        owning=int64,  # input VCs that own an output VC, of packed routers as the next three
        no_credit=int64,  # those whose output VC has no credit
        filled=int64,  # input VCs with flits
        room=int64,  # output VCs with credits
        asleep=int64,  # headers that wait for a sign
        later_heads=int64,  # headers that join `new_heads` in the next step of the router
        requesting=int64,  # input VCs that request the switch, of other routers as the next two
        winners=int64,  # input VCs that request the switch from the next cycle on
        holders=int64,  # input VCs that hold the switch
        routed=int64,  # of the first word of a router: cycle in which routing began, or will, with all that wait
        crossed=int64,  # the same of crossing the switch, but the step
        spent=int64,  # output VCs to which a flit was sent in this cycle, of packed routers whose packets choose
    ),
    # Of the first word of each router the cycle before which it has work only if something comes in.
    "quiet": np.dtype(int64),
    "borders": rows(  # of each word
        injection=int64,  # outputs that are ends of injection buffers
        ejection=int64,  # outputs that are ejection VCs
    ),
    "lost": np.dtype(int32),  # rows of `inputs` whose header has no candidate, of runs with faults
    # Slots and pools of them, see `pool_kernel`; without any empty.
    "slots": rows(  # of each row of `outputs`
        flits=int32,  # of a slot; 0: its flits are counted alone
        slack=int32,  # flits beyond its slots, and that its packets lack of theirs
        member=int32,  # the first of `members` that is its VC, or −1
        left=int32,  # of the slack, that of packets that have left since a router looked, all in one cycle
        left_in=int64,  # that cycle
    ),
    "members": rows(  # the VCs of pools, one pool after the other
        row=int32,  # of `outputs`
        pool=int32,
        next=int32,  # another member that is the same VC, or −1
        guarded=int32,  # whether packets that come in leave anything free
        first_hop=int32,  # of its `hops`
        end_hop=int32,
        held=int32,  # packets in it and on their way, those included that have left since a router looked
        left=int32,  # how many have, all in one cycle
    ),
    "hops": np.dtype(int32),  # rows of `inputs` from which packets come to a member within its pool
    "pools": rows(
        first=int64,  # of its `members`
        end=int64,
        keeps=int64,  # what a packet that comes in leaves free, NOTHING, …
        limits=int64,  # whether its slots may be taken before those of all its members are
        taken=int64,  # slots that are taken, those included that were left since a router looked
        left_in=int64,  # the cycle in which any were left
        mark=int64,  # row of `outputs` of the marked slot, or −1
        **dict.fromkeys(NUMBERS, int64),  # as `Pool` describes them
    ),
    "planes": np.dtype(int64),  # counters of the buffers of packed routers, see `pack_kernel`
    # Cache of what the rule says, see `cache_kernel`; empty until it is made.
    "input_class": np.dtype(int32),  # of each input VC
    "cache": np.dtype(int8),  # of each class and address the number of its answer
    "first_answer": np.dtype(int32),  # of each word, and the end
    "answers": rows(first=int64, second=int64),  # outputs of the first tier, and of the second
    # Packets and terminals.
    "packets": rows(
        created=int64,
        injected=int64,
        address=int32,
        length=int32,
        hops=int32,  # channels of which it was allocated a VC
        source=int32,
    ),
    "courses": rows(  # the same of packets that may choose or be told their way, or have classes; else empty
        script=int32,  # where its prescribed path begins in `script`, else UNDECIDED or DECIDED
        stop=int32,  # how long that is
        form=int32,  # which of `forms` it has, of runs with traffic classes
    ),
    "free": np.dtype(int32),  # packets that are not in use
    "terminals": rows(
        packet=int32,  # being injected, −1, or −2 if one is known to be created in cycle `drawn`
        left=int32,  # its flits still to come
        drawn=int64,  # the next cycle to draw for
        chance=int64,  # probability of a packet in a cycle × 2⁵³
        vc=int32,  # row of `outputs` it goes into, or −1
        last_vc=int32,  # index of the VC used last, or −1
        first_output=int32,  # first row of `outputs` of its injection port
        reader=int32,  # row of `inputs` that flits of that go to
        flit_bit=int32,  # bit, over all routers, of that row
        on=int32,  # whether a burst goes on
    ),
    # Traffic classes, see `class_kernel`; without them empty. A terminal has a row of `terminals` for each.
    "classes": rows(
        first_form=int64,  # of its messages in `forms`
        end_form=int64,
        everyone=int64,  # as in setup, or UNEQUAL
        begins=int64,  # chances of bursts × 2⁵³; −1 without
        ends=int64,
        priority=int64,
        arrived=int64,  # measured packets, and sums over them
        latency=int64,
        network_latency=int64,
        hops=int64,
        flits_out=int64,
    ),
    "forms": rows(
        upto=int64,  # share × 2⁵³ of the messages up to this one
        flits=int64,
        shift=int64,  # of the addresses of its message class
        low=int64,  # first VC of the injection port that it may take
        high=int64,  # and the end
        reply=int64,  # form of the reply, or −1
        of=int64,  # traffic class
        subnet=int64,
    ),
    "leaving": rows(low=int64, high=int64),  # ejection VCs of each message class, where these have VCs of their own
    # Replies that wait to be sent, or packets that a watchdog dropped, by row of `terminals`.
    "replies": rows(first=int64, last=int64),
    "waiting": np.dtype(int32),  # of each packet the next one of them
    "turns": np.dtype(int64),  # class of which each injection port was given a flit last
    "reply_range": np.dtype(int64),  # addresses from each terminal to each; empty: the terminal itself
    "reply_addresses": np.dtype(int32),
    "local_terminals": np.dtype(int32),  # by injection router
    "first_terminal": np.dtype(int32),  # of each router, and the end
    "random": np.dtype(uint64),  # of each terminal
    # Rows of buffers.
    "out_row": np.dtype(int32),  # row of `outputs` of each buffer
    "in_row": np.dtype(int32),  # row of `inputs` of each buffer
    "ejection_row": np.dtype(int32),  # first row of `outputs` of each terminal's ejection port
    "buffer": np.dtype(int32),  # of each row of `inputs`
    # Hops that are left, see `option_tables.hop_tables`; empty unless the selection function asks.
    "next_router": np.dtype(int32),  # of each row of `outputs`
    "home": np.dtype(int32),  # of each address, its block of `hops_left`
    "hops_left": np.dtype(int16),  # of each home and router
    # What packets are like and where they go, see `injection` and `Pairs`.
    "lengths": rows(upto=int64, flits=int64),
    "destination": np.dtype(int32),  # of each address; empty where they are tiled
    "pair_first": np.dtype(int64),
    "address_range": np.dtype(int64),
    "addresses": np.dtype(int32),
    "keep": np.dtype(int64),
    "other": np.dtype(int64),
    "direct": np.dtype(int32),
    "script": np.dtype(int32),  # prescribed paths of packets
    "latencies": np.dtype(int64),  # of the measured packets that arrived
    **SCRATCH,
    # Matrix arbiters: for each the last match in which it chose each of its requesters.
    "recent": np.dtype(int64),
    "first_recent": np.dtype(int64),  # of the router that begins with a word
    # Sums over measured packets of each pair of terminals, source × terminals + destination; empty if not wanted.
    "seen": rows(packets=int64, latency=int64, network_latency=int64, hops=int64),
    # Headers that were allocated a VC of an output port, and all flits of their packets, class × ports + port; empty
    # unless energy is computed, and only for ports of terminals if all packets are alike.
    "allocated": rows(packets=int64, flits=int64),
    "progress": rows(128, cycle=int64),  # that each part has reached
}
