"""Room in tables that grow while a run goes on: of packets, and of latencies."""

from __future__ import annotations

import numpy as np

from unknot.simulation.engine.codes import UNDECIDED
from unknot.simulation.engine.state_arrays import State
from unknot.simulation.engine.table_sizes import AT_ONCE


def with_room(part: State, least: int) -> State:
    """Return a part that has room for the latencies of at least `least` packets more."""
    used, old = int(part.count.measured_arrived), part.latencies
    if used + least <= old.size:
        return part
    grown = part.replaced(latencies=max(2 * old.size, used + least))
    grown.latencies[:used] = old[:used]
    return grown


def admitting_more(part: State) -> State:
    """Return a part with room for twice the packets, if those that terminals may create next might not fit."""
    rows, most = len(part.packets), int(part.setup.most_packets)
    if int(part.count.free) + rows - int(part.count.high) >= AT_ONCE * int(part.setup.creations):
        return part
    size = min(2 * rows, most)
    courses = {"script": np.broadcast_to(UNDECIDED, size * bool(len(part.courses)))}
    grown = part.replaced(packets=size, free=size, courses=courses)
    for name in ("packets", "free", "courses"):
        grown.tables[name][: len(part.tables[name])] = part.tables[name]
    if size == most:
        grown.setup.creations = 0
    return grown
